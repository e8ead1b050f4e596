"""PyTorch's tensors on a GPU, for _families: memory from PyTorch's allocator, work on its current stream."""

import torch

from ._numpy import refuse

LETTERS = {torch.float32: "s", torch.float64: "d", torch.complex64: "c", torch.complex128: "z"}
TYPES = {letter: dtype for dtype, letter in LETTERS.items()} | {"i": torch.int32, "l": torch.int64}
WHOLE = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
HALVES = {torch.float16, torch.bfloat16}
host = False


def letter_of(x, name, letters):
    """The letter of the type that x is computed in."""
    letter = "d" if x.dtype in WHOLE else LETTERS.get(x.dtype)
    if letter is None or letter not in letters:
        raise refuse(name, x.dtype, letters)
    return letter


def take(x, name, letters):
    """A tensor whose letter is among letters, without conjugate and negative bits, and the letter."""
    letter = letter_of(x, name, letters)
    return x.detach().to(TYPES[letter]).resolve_conj().resolve_neg(), letter


def convert(x, letter):
    return x.to(TYPES[letter])


def strides(x):
    return x.stride()


def packed(x):
    return x.is_contiguous()


def contiguous(x):
    return x.contiguous()


def address(x):
    return x.data_ptr()


def empty(shape, letter, like):
    return torch.empty(shape, dtype=TYPES[letter], device=like.device)


def broadcast(x, shape):
    return x.expand(shape)


def first(x, count):
    return x[..., :count].clone()


def transpose(x):
    return x.mT


def device(x):
    return f"cuda:{x.device.index}"


def stream(x):
    return torch.cuda.current_stream(x.device).cuda_stream


def workspace(count, like):
    return torch.empty(count, dtype=torch.uint8, device=like.device)


def numbers(x):
    return x.cpu().numpy()
