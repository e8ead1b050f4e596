"""CuPy's arrays, for _families: memory from CuPy's pool, work on its current stream."""

import cupy
from cupy.cuda import get_current_stream, get_device_id

from . import _core, _direct
from ._numpy import COMPLEX, HALVES, LETTERS, REAL, TYPES, refuse

host = False


def take(x, name, letters):
    """An array whose letter is among letters, and the letter."""
    x = cupy.asarray(x)
    letter = "d" if x.dtype.kind in "biu" else LETTERS.get(x.dtype.char)
    if letter is None or letter not in letters:
        raise refuse(name, x.dtype, letters)
    return convert(x, letter), letter


def convert(x, letter):
    return x.astype(TYPES[letter], copy=False)


def strides(x):
    size = x.itemsize
    return None if any(step % size for step in x.strides) else tuple(step // size for step in x.strides)


def packed(x):
    return x.flags.c_contiguous


def contiguous(x):
    return x if x.flags.c_contiguous else cupy.ascontiguousarray(x)


def address(x):
    return x.data.ptr


def empty(shape, letter, like):
    with like.device:
        return cupy.empty(shape, TYPES[letter])


def broadcast(x, shape):
    return cupy.broadcast_to(x, shape)


def first(x, count):
    return x[..., :count].copy()


def transpose(x):
    return x.swapaxes(-1, -2)


def device(x):
    return f"cuda:{x.device.id}"


def stream(x):
    with x.device:
        return cupy.cuda.get_current_stream().ptr


def workspace(count, like):
    with like.device:
        return cupy.empty(count, cupy.uint8)


def numbers(x):
    return cupy.asnumpy(x)


def at_once(what, a, upper):
    """The short path of an array, for _direct: packed, on the current device, while nothing is captured."""
    letter = LETTERS.get(a.dtype.char)
    shape = a.shape
    index = get_device_id()
    if letter is None or len(shape) < 2 or not a.flags.c_contiguous or a.size == 0 or a.device.id != index:
        return None
    n = shape[-1]
    if n != shape[-2]:
        return None
    current = get_current_stream()
    if current.is_capturing():
        return None
    w = cupy.empty(shape[:-1], TYPES[(COMPLEX if what == "g" else REAL)[letter]])
    v = cupy.empty(shape, a.dtype) if what == "v" else None
    batch = a.size // (n * n)
    outputs = w.data.ptr, 0 if v is None else v.data.ptr
    if not _core.plain_device(what, letter, upper, index, current.ptr, n, batch, a.data.ptr, *outputs):
        return None
    return w if v is None else _direct.pair(w, v)


_direct.SERVED[cupy.ndarray] = at_once
