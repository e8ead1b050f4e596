"""NumPy's arrays, and everything that becomes one."""

import numpy as np

from ._core import host_address

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128, "i": np.int32, "l": np.int64}
REAL = {"s": "s", "d": "d", "c": "s", "z": "d"}
HALVES = {np.dtype("f2")}
DOUBLE = {"s": "d", "d": "d", "c": "z", "z": "z"}
COMPLEX = {"s": "c", "d": "z", "c": "c", "z": "z"}


def refuse(name, dtype, letters):
    """The TypeError for an element type."""
    types = "float32 and float64" if letters == "sd" else "float32, float64, complex64 and complex128"
    return TypeError(f"{name} has elements of type {dtype}: the types are {types}; integers become float64")


def stranger(name, x, dtype):
    """The TypeError for what becomes an array of objects, with the way out; None where none is known."""
    if dtype != object:
        return None
    if x is None:
        return TypeError(f"{name} is None: it must be an array of numbers")
    kind = f"{name} is a {type(x).__module__.split('.')[0]} {type(x).__name__}"
    if hasattr(x, "toarray"):  # scipy.sparse
        return TypeError(f"{kind}, which is sparse: pass {name}.toarray()")
    if hasattr(x, "to_numpy"):  # pandas, with types of its own
        return TypeError(f"{kind} with elements that NumPy has as objects: pass {name}.to_numpy(float)")
    return None


def take(x, name, letters):
    """An aligned array of native elements whose letter is among letters, by a copy only where it must be, and the letter."""
    given = x
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
            raise ValueError(f"{name} is a masked array, {np.ma.count_masked(x)} of {x.size} elements are masked: pass {name}.filled(value)")
        try:
            x = np.asarray(x)
        except ValueError as error:  # rows of different lengths
            raise ValueError(f"{name} is no array: {error}") from None
    dtype = x.dtype
    letter = LETTERS.get(dtype.char)
    if letter is None:
        if dtype.kind not in "biu":
            raise stranger(name, given, dtype) or refuse(name, dtype, letters)
        return x.astype(np.float64), "d"
    if letter not in letters:
        raise refuse(name, dtype, letters)
    if not dtype.isnative or not x.flags.aligned:
        x = x.astype(TYPES[letter])
    return x, letter


def convert(x, letter):
    """The same elements as another type."""
    return x.astype(TYPES[letter], copy=False)


def strides(x):
    """Strides in elements; None where they are not whole."""
    size = x.itemsize
    if any(step % size for step in x.strides):
        return None
    return tuple([step // size for step in x.strides])


def packed(x):
    """Whether the last dimension is fastest and nothing lies between."""
    return x.flags.c_contiguous


def contiguous(x):
    """The same array, or a copy, with the last dimension fastest and nothing between."""
    return x if x.flags.c_contiguous else np.ascontiguousarray(x)


def address(x):
    """Where the elements begin; the memory may be read-only."""
    return host_address(x)


def empty(shape, letter, like):
    """A new array beside ``like``."""
    return np.empty(shape, TYPES[letter])


def broadcast(x, shape):
    """A view of x in this shape."""
    return np.broadcast_to(x, shape)


def numbers(x):
    """NumPy's array of these elements."""
    return x


def first(x, count):
    """The first ``count`` elements of the last dimension, in memory of their own."""
    return x[..., :count].copy() if count < x.shape[-1] else x


def transpose(x):
    """The last two dimensions exchanged."""
    return x.swapaxes(-1, -2)


host = True
