"""The short path of plain eager calls: packed arrays, all defaults, nothing that traces, differentiates or captures.

A function here returns None where a call is not one of these: the long path (_families, _torch, ...) serves it then, and says
what is wrong.  The libraries' modules add their arrays to SERVED when they are first used.
"""

import numpy as np

from . import _core, _families

LETTERS = {np.dtype(name): letter for name, letter in (("f4", "s"), ("f8", "d"), ("c8", "c"), ("c16", "z"))}
REAL = {"s": np.dtype("f4"), "d": np.dtype("f8"), "c": np.dtype("f4"), "z": np.dtype("f8")}
COMPLEX = {"s": np.dtype("c8"), "d": np.dtype("c16"), "c": np.dtype("c8"), "z": np.dtype("c16")}
REALS = ("s", "d")
UPPER = {"L": False, "l": False, "U": True, "u": True}

plain_host, address, empty, ndarray = _core.plain_host, _core.host_address, np.empty, np.ndarray
EigResult, EighResult = _families.EigResult, _families.EighResult


def pair(w, v):
    """An EighResult; its own __new__ takes longer than a small matrix."""
    return tuple.__new__(EighResult, (w, v))


def numpy_dense(what, a, upper):
    """Eigenvalues "g" of general and "w" of Hermitian matrices, pairs "e" and "v"."""
    letter = LETTERS.get(a.dtype)
    shape = a.shape
    flags = a.flags
    if letter is None or len(shape) < 2 or not (flags.c_contiguous and flags.aligned):
        return None
    n = shape[-1]
    batch = 1
    for length in shape[:-2]:
        batch *= length
    if n != shape[-2] or n * batch == 0:
        return None
    general = what == "g" or what == "e"
    w = empty(shape[:-1], (COMPLEX if general else REAL)[letter])
    v = None if what == "g" or what == "w" else empty(shape, w.dtype if general else a.dtype)
    failed = plain_host(what, letter, upper, n, batch, address(a), 0, address(w), 0 if v is None else address(v))
    if failed is not None:
        raise _families.error_of(failed, batch, order=n if general else None)
    if what == "e":
        return tuple.__new__(EigResult, (w, v))
    return w if v is None else pair(w, v)


SERVED = {ndarray: numpy_dense}


def eigvals(a):
    serve = SERVED.get(type(a))
    return serve and serve("g", a, False)


def eig(a):
    return numpy_dense("e", a, False) if type(a) is ndarray else None


def eigvalsh(a, uplo):
    serve = SERVED.get(type(a))
    upper = UPPER.get(uplo) if type(uplo) is str else None
    return serve and (None if upper is None else serve("w", a, upper))


def eigh(a, uplo):
    serve = SERVED.get(type(a))
    upper = UPPER.get(uplo) if type(uplo) is str else None
    return serve and (None if upper is None else serve("v", a, upper))


def tridiagonal(what, d, e):
    """Eigenvalues "b" and pairs "m" of one symmetric tridiagonal matrix."""
    if type(d) is not ndarray or type(e) is not ndarray or d.ndim != 1 or e.ndim != 1:
        return None
    letter, n = LETTERS.get(d.dtype), len(d)
    of_d, of_e = d.flags, e.flags
    plain = of_d.c_contiguous and of_d.aligned and of_e.c_contiguous and of_e.aligned
    if letter is None or letter not in REALS or e.dtype != d.dtype or n == 0 or len(e) != n - 1 or not plain:
        return None
    w = empty(n, d.dtype)
    z = empty((n, n), d.dtype) if what == "m" else None
    failed = plain_host(what, letter, False, n, 1, address(d), address(e), address(w), 0 if z is None else address(z))
    if failed is not None:
        raise _families.error_of(failed, 1, "matrix" if z is None else "pair")
    return w if z is None else pair(w, z.T)
