"""CuPy's arrays, for _families: memory from CuPy's pool, work on its current stream."""

import cupy

from ._numpy import LETTERS, TYPES, refuse

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


def conjugate(x):
    return cupy.conjugate(x, out=x)


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
