"""NumPy's and SciPy's functions by eigpack: patch_numpy, unpatch_numpy, patched_numpy."""

import contextlib
import functools
import sys

import numpy as np

from . import _core, _direct
from ._arguments import device_name
from ._switch import Kept, Switch

# The functions, as eigpack answers in their place: their own arguments in, their own types of results out.  Kept: theirs answers.


class Place:
    """Where host arrays are computed."""

    device = None


def solve(name, *arguments, **options):
    return getattr(sys.modules[__package__], name)(*arguments, device=Place.device, **options)


def keep(**given):
    """Raises where an argument is given that eigpack does not have."""
    for name, is_given in given.items():
        if is_given:
            raise Kept(name)


def matrices(a):
    """The array of square matrices; what is not an array of NumPy's own, or becomes one of another type, is kept."""
    if isinstance(a, np.ma.MaskedArray):
        raise Kept("masked array")
    own = getattr(type(a), "__array_function__", None)
    if own is not None and own is not np.ndarray.__array_function__:
        raise Kept(type(a).__name__)
    x = np.asarray(a)
    numbers(x)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise Kept("not square")
    if x.size == 0:
        raise Kept("empty")
    return x


def numbers(x):
    if x.dtype.newbyteorder("=") not in _direct.LETTERS and x.dtype.kind not in "biu":
        raise Kept(str(x.dtype))


def wrapped(a, v):
    """Vectors as NumPy gives them of a subclass."""
    return v if type(a) is np.ndarray or not isinstance(a, np.ndarray) else a.__array_wrap__(v)


def by_kind(a, w, v=None):
    """NumPy gives real numbers where no eigenvalue of real matrices is complex, up to version 2.4."""
    if gives_real() and a.dtype.kind != "c" and not w.imag.any():
        return np.ascontiguousarray(w.real), v if v is None else np.ascontiguousarray(v.real)
    return w, v


@functools.cache
def gives_real():
    return switch.originals["numpy.linalg.eigvals"](np.eye(1)).dtype.kind == "f"


def numpy_eigvals(a):
    x = matrices(a)
    return by_kind(x, solve("eigvals", x))[0]


def numpy_eig(a):
    x = matrices(a)
    w, v = by_kind(x, *solve("eig", x))
    return results("EigResult")(w, wrapped(a, v))


def numpy_eigvalsh(a, UPLO="L"):
    return solve("eigvalsh", matrices(a), UPLO)


def numpy_eigh(a, UPLO="L"):
    w, v = solve("eigh", matrices(a), UPLO)
    return results("EighResult")(w, wrapped(a, v))


@functools.cache
def results(name):
    """NumPy's named pair; before version 1.25 a tuple."""
    kind = type(switch.originals["numpy.linalg." + name[:-6].lower()](np.eye(1)))
    return kind if kind is not tuple else lambda *parts: parts


def scipy_eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True, homogeneous_eigvals=False):
    keep(b=b is not None, overwrite_a=overwrite_a, homogeneous_eigvals=homogeneous_eigvals)
    x = matrices(a)
    left, right = bool(left), bool(right)
    if not left and not right:
        return solve("eigvals", x)
    w, *vectors = solve("eig", x, left, right)
    if x.dtype.kind != "c" and not w.imag.any():
        vectors = [np.ascontiguousarray(v.real) for v in vectors]
    return (w, *vectors)


def scipy_eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    return scipy_eig(a, b, False, False, overwrite_a, False, check_finite, homogeneous_eigvals)


def scipy_eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):  # fmt: skip
    keep(b=b is not None, overwrite_a=overwrite_a, driver=driver is not None)
    subsets = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    found = solve("eigvalsh" if eigvals_only else "eigh", matrices(a), "L" if lower else "U", **subsets)
    return found if eigvals_only else tuple(found)


def scipy_eigvalsh(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):  # fmt: skip
    subsets = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    return scipy_eigh(a, b, lower=lower, eigvals_only=True, overwrite_a=overwrite_a, driver=driver, **subsets)


def scipy_eigh_tridiagonal(d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    keep(lapack_driver=lapack_driver != "auto", tol=tol != 0)
    d, e = np.asarray(d), np.asarray(e)
    numbers(d), numbers(e)
    if d.size == 0:
        raise Kept("empty")
    found = solve("eigvalsh_tridiagonal" if eigvals_only else "eigh_tridiagonal", d, e, select=select, select_range=select_range)
    return found if eigvals_only else tuple(found)


def scipy_eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    return scipy_eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)


OURS = {
    "numpy.linalg": (numpy_eig, numpy_eigh, numpy_eigvals, numpy_eigvalsh),
    "scipy.linalg": (scipy_eig, scipy_eigh, scipy_eigvals, scipy_eigvalsh, scipy_eigh_tridiagonal, scipy_eigvalsh_tridiagonal),
}


class Patch(Switch):
    """The same functions wherever NumPy's and SciPy's modules have them; numpy.roots takes numpy.linalg.eigvals."""

    def __init__(self):
        super().__init__(lambda: self.exchange(self.wrappers()), lambda: self.exchange(self.restored()))
        self.originals, self.made = {}, {}

    def wrappers(self):
        for module, functions in OURS.items():
            if module not in sys.modules:
                try:
                    __import__(module)
                except ImportError:  # no SciPy
                    continue
            for ours in functions:
                name = f"{module}.{ours.__name__.partition('_')[2]}"
                if name not in self.made:
                    self.originals[name] = getattr(sys.modules[module], name.rpartition(".")[2])
                    self.made[name] = self.wrapper(name, ours, self.originals[name])
        return {id(original): self.made[name] for name, original in self.originals.items()}

    def restored(self):
        return {id(self.made[name]): original for name, original in self.originals.items()}

    def wrapper(self, name, ours, original):
        @functools.wraps(original)
        def function(*arguments, **options):
            if not self.is_on:  # a module of another package took this one along
                return original(*arguments, **options)
            return self.attempt(name, lambda: ours(*arguments, **options), lambda: original(*arguments, **options))

        return function

    def exchange(self, new):
        for module_name, module in list(sys.modules.items()):
            if module_name.partition(".")[0] in ("numpy", "scipy") and module is not None:
                for name, value in list(vars(module).items()):
                    if id(value) in new:
                        setattr(module, name, new[id(value)])


switch = Patch()


def patch_numpy(device=None):
    """NumPy's and SciPy's own functions by eigpack from now on, in this process.

    numpy.linalg.eig, eigh, eigvals and eigvalsh, and scipy.linalg's with eigh_tridiagonal and eigvalsh_tridiagonal, wherever NumPy and
    SciPy use them: numpy.roots is one of these.  They take and return what they did.  What eigpack does not serve goes to the function
    that was there: other types (float16, objects), generalized problems, overwrite_a=True, a LAPACK driver by name, subclasses with
    functions of their own, and matrices without a result, so that its own exception comes.  Names that a program imported before stay as they are.

    Parameters
    ----------
    device : str or None, default None
        Where to compute, as the functions take it; None is "cpu".

    Raises
    ------
    TypeError, ValueError, DeviceError
        Not a string; not a device's name; the device is absent from this build or this machine.

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> eigpack.patch_numpy()
    >>> np.linalg.eigvalsh(np.diag([3.0, 1.0]))
    array([1., 3.])
    >>> eigpack.unpatch_numpy()
    """
    Place.device = _checked(device)
    switch.change(always=True)


def unpatch_numpy():
    """Ends what `patch_numpy` began: NumPy's and SciPy's functions are back, but within `patched_numpy`.

    Examples
    --------
    >>> import eigpack
    >>> eigpack.unpatch_numpy()
    """
    switch.change(always=False)


def patched_numpy(device=None):
    """A context within which `patch_numpy` holds, on all threads.

    Parameters
    ----------
    device : str or None, default None
        Where to compute, as the functions take it; None is "cpu".

    Returns
    -------
    context manager

    Raises
    ------
    TypeError, ValueError, DeviceError
        As `patch_numpy`.

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> with eigpack.patched_numpy():
    ...     np.roots([1.0, -3.0, 2.0]).round(12)
    array([2., 1.])
    """
    return _scope(_checked(device))


@contextlib.contextmanager
def _scope(device):
    before, Place.device = Place.device, device
    try:
        with switch.scope():
            yield
    finally:
        Place.device = before


def _checked(device):
    if device is not None:
        _core.describe(device_name(device))  # raises for what is not there
    return device


def routed():
    """How many of NumPy's and SciPy's calls went where since the first `patch_numpy`.

    Returns
    -------
    dict of dict
        For each function, by its name, how many calls went to "eigpack", and how many stayed, by the reason.

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> with eigpack.patched_numpy():
    ...     w = np.linalg.eigvalsh(np.eye(2))
    >>> eigpack.routed()["numpy.linalg.eigvalsh"]["eigpack"] > 0
    True
    """
    return switch.routed()
