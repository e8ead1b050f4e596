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


def device_name(x):
    """The name of a device; the library says which there are."""
    use = "use a name such as 'cpu' or 'cuda:0'"
    if not isinstance(x, str):
        raise TypeError(f"device is {shown(x)}: {use}")
    if not (x and x.isascii() and x.isprintable()):
        raise ValueError(f"unknown device {shown(x)}: {use}")
    return x


def pair(x):
    """The two numbers of select_range."""
    if x is None:
        raise ValueError("select_range must be a pair (min, max)")
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__") or getattr(x, "shape", None) == ():
        raise TypeError(f"select_range is {shown(x)}: it must be a pair (min, max)")
    ends = list(x)
    if len(ends) != 2:
        raise ValueError(f"select_range must be a pair (min, max), has {len(ends)} elements")
    return [number(end, f"select_range[{k}]") for k, end in enumerate(ends)]
