"""Which library an array is of, and the module that serves it."""

import sys

import numpy as np

from . import _numpy
from ._families import Info, mapped


def library_of(*arrays):
    """The module for arrays, the arrays as it takes them, and a function that brings a result home."""
    for x in arrays:
        if type(x) is not np.ndarray:
            return library_of_others(arrays)
    return _numpy, arrays, None


def library_of_others(arrays):
    """The same where not all are NumPy's."""
    torch = sys.modules.get("torch")
    if torch is not None and any(isinstance(x, torch.Tensor) for x in arrays):
        from . import _torch

        return _torch, arrays, None
    cupy = sys.modules.get("cupy")
    if cupy is not None and any(isinstance(x, cupy.ndarray) for x in arrays):
        from . import _cupy

        return _cupy, arrays, None
    jax = sys.modules.get("jax")
    if jax is not None and any(isinstance(x, jax.Array) for x in arrays):
        from . import _jax

        return _jax, arrays, None
    foreign = [x for x in arrays if hasattr(x, "__dlpack_device__") and not isinstance(x, np.ndarray | np.generic)]
    if foreign:
        return by_dlpack(foreign[0], arrays)
    return _numpy, arrays, None


def by_dlpack(leader, arrays):
    """Arrays of a library that is not known here: on the CPU through NumPy, on a GPU through CuPy."""
    kind = int(leader.__dlpack_device__()[0])
    if kind == 1:
        lib, take = _numpy, np.from_dlpack
    elif kind in (2, 13):
        import cupy

        from . import _cupy

        lib, take = _cupy, cupy.from_dlpack
    else:
        raise TypeError(f"arrays on a device of DLPack's kind {kind} are not served: CPU and CUDA are")
    space = leader.__array_namespace__() if hasattr(leader, "__array_namespace__") else None
    home = getattr(space, "from_dlpack", None)
    return lib, [take(x) if hasattr(x, "__dlpack__") else x for x in arrays], home


def bring_home(result, home):
    """A result, or each array of it, in the library that the arrays came from."""
    return result if home is None else mapped(home, result)


def widened(lib, arrays):
    """The arrays, those in half precision in single; and their type where all have the same one."""
    kinds = [getattr(x, "dtype", None) for x in arrays]
    if not any(kind in lib.HALVES for kind in kinds if kind is not None):
        return arrays, None
    arrays = [lib.convert(x, "s") if kind is not None and kind in lib.HALVES else x for x, kind in zip(arrays, kinds)]
    return arrays, kinds[0] if len(set(kinds)) == 1 else None


def narrowed(lib, result, half):
    """A result with its arrays in single precision as this type; what an Info tells stays."""
    if isinstance(result, tuple):
        parts = [narrowed(lib, part, half) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, Info) or result.dtype != lib.TYPES["s"]:
        return result
    return result.to(half) if hasattr(result, "to") else result.astype(half)
