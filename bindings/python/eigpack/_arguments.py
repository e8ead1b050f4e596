"""What the functions take beside arrays: words, numbers, flags.  A wrong type raises TypeError, a wrong value ValueError."""

import numbers

import numpy as np


def shown(x):
    """A value as a message shows it."""
    shape = getattr(x, "shape", ())
    if shape:
        return f"an array of shape {tuple(shape)}"
    try:
        text = repr(x)
    except ValueError:  # Python does not print thousands of digits
        return "a huge integer"
    return text if len(text) <= 60 else text[:57] + "..."


def word(x, name, words, use):
    """x, which is among words; ``use`` tells them."""
    if x is not None and not isinstance(x, str):
        raise TypeError(f"{name} is {shown(x)}: use {use}")
    if x not in words:
        raise (TypeError if x is None else ValueError)(f"{name} is {shown(x)}: use {use}")
    return x


def flag(x, name):
    """x, which is True or False."""
    if not isinstance(x, bool | np.bool_):
        raise TypeError(f"{name} is {shown(x)}: use True or False")
    return bool(x)


def number(x, name, kind=numbers.Real):
    """x, which is a real number, or an array of 0 dimensions."""
    value = x.item() if getattr(x, "shape", None) == () else x
    if isinstance(value, bool) or not isinstance(value, kind):
        raise TypeError(f"{name} is {shown(x)}: use {'an integer' if kind is numbers.Integral else 'a number'}")
    try:
        float(value)
    except OverflowError:
        raise ValueError(f"{name} is {shown(x)}: it is too large") from None
    return value


def tolerance(x):
    """tol."""
    x = float(number(x, "tol"))
    if not 0 <= x < float("inf"):
        raise ValueError(f"tol is {x}: it must be at least 0 and finite")
    return x


def threads(x):
    """The number of threads."""
    x = number(x, "threads", numbers.Integral)
    if not 0 <= x <= 65536:
        raise ValueError(f"threads is {shown(x)}: it must be 0 to 65536")
    return int(x)


def steps(x):
    """max_steps; None and 0 are the default."""
    x = 0 if x is None else number(x, "max_steps", numbers.Integral)
    if not 0 <= x < 2**62:
        raise ValueError(f"max_steps is {shown(x)}: it must be at least 0 and below 2**62")
    return int(x)


def device_name(x):
    """The name of a device; the library says which there are."""
    use = "use a name such as 'cpu' or 'cuda:0'"
    if not isinstance(x, str):
        raise TypeError(f"device is {shown(x)}: {use}")
    if not (x and x.isascii() and x.isprintable()):
        raise ValueError(f"unknown device {shown(x)}: {use}")
    return x


def pair(x, name="select_range"):
    """The two numbers of select_range, or of an argument like it."""
    if x is None:
        raise ValueError(f"{name} must be a pair (min, max)")
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__") or getattr(x, "shape", None) == ():
        raise TypeError(f"{name} is {shown(x)}: it must be a pair (min, max)")
    ends = list(x)
    if len(ends) != 2:
        raise ValueError(f"{name} must be a pair (min, max), has {len(ends)} elements")
    return [number(end, f"{name}[{k}]") for k, end in enumerate(ends)]


def subset(by_index, by_value):
    """What subset_by_index and subset_by_value choose, as _families.chosen takes it."""
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value are two choices: give one")
    if by_index is not None:
        return "I", pair(by_index, "subset_by_index"), "subset_by_index"
    if by_value is not None:
        return "V", pair(by_value, "subset_by_value"), "subset_by_value"
    return "A", None, ""
