"""The extension: the one with CUDA where eigpack[cuda] is installed, else that of this package."""

import importlib
import sys
import warnings

__version__ = "0.3.0"  # scripts/stamp writes it


def chosen():
    """The extension, under the name of this package's."""
    try:
        import eigpack_cuda
    except ImportError:
        return importlib.import_module("._core", __package__)
    if eigpack_cuda.__version__ != __version__:
        warnings.warn(f'eigpack {__version__} does not take CUDA from eigpack-cuda {eigpack_cuda.__version__}: pip install "eigpack[cuda]=={__version__}"', stacklevel=4)
        return importlib.import_module("._core", __package__)
    core = importlib.import_module("eigpack_cuda._core")
    sys.modules[__package__ + "._core"] = core
    sys.modules[__package__]._core = core
    return core


_core = chosen()
