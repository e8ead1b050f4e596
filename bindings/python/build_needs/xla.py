"""Where XLA's headers are, which jaxlib brings: in the Python that builds, or in the one that pip builds for, behind its isolation."""

import os
import sysconfig
from importlib import util


def include(folders=None):
    """The folder include of a jaxlib that is here, or ""."""
    if folders is None:
        spec = util.find_spec("jaxlib")
        folders = [os.path.dirname(os.path.dirname(spec.origin))] if spec and spec.origin else []
        folders += [sysconfig.get_path(name) for name in ("platlib", "purelib")]
    places = (os.path.join(folder, "jaxlib", "include") for folder in folders)
    return next((place for place in places if os.path.exists(os.path.join(place, "xla", "ffi", "api", "ffi.h"))), "")


if __name__ == "__main__":
    print(include(), end="")
