"""The extension: the one with CUDA where eigpack[cuda] is installed, else that of this package."""

import glob
import importlib
import os
import sys
import warnings

__version__ = "0.3.0"  # scripts/stamp writes it


def loaded(package):
    """The package's extension; where it does not load, an ImportError that says why."""
    try:
        return importlib.import_module(package + "._core")
    except ImportError as error:
        folder = sys.modules[package].__path__[0]
        if glob.glob(os.path.join(glob.escape(folder), "_core.*")):
            text = f"the extension in {folder} does not load: {error}"
        else:
            text = f"{folder} holds no extension: is it the source? Build and install it, pip install bindings/python, and start Python in another folder"
        raise ImportError(f"{package}: {text}", name=package + "._core") from error


def chosen():
    """The extension, under the name of this package's."""
    try:
        import eigpack_cuda
    except ModuleNotFoundError as error:
        if error.name != "eigpack_cuda":
            raise
        eigpack_cuda = None
    if eigpack_cuda is None:  # behind the handler: another error would seem to follow from that one
        return loaded(__package__)
    if eigpack_cuda.__version__ != __version__:
        warnings.warn(f'eigpack {__version__} does not take CUDA from eigpack-cuda {eigpack_cuda.__version__}: install both from one release', stacklevel=4)
        return loaded(__package__)
    core = loaded("eigpack_cuda")
    sys.modules[__package__ + "._core"] = core
    sys.modules[__package__]._core = core
    return core


_core = chosen()
