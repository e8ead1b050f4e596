"""Eigenvalues and eigenvectors, many at a time, on CPUs and GPUs.

>>> import numpy as np, eigpack
>>> eigpack.eigvalsh(np.array([[2.0, 1.0], [1.0, 2.0]])).round(12)
array([1., 3.])

The functions have NumPy's and SciPy's names.  Leading dimensions are batches, any of them may be 0, and so may the
order n.  The result lives where the input lives and is of its library: NumPy (and lists), PyTorch, CuPy, JAX, and
whatever has ``__dlpack__``.  Inputs are never written.  float32 and float64 stay, integers and bool become float64, float16
becomes float32.

Four arguments are common to all: ``device``, ``check``, ``return_info`` and ``keep_half``; help(eigpack.eigh) describes them.

`patch_numpy` and ``eigpack.torch.override`` put the functions in the places of NumPy's, SciPy's and PyTorch's own.
"""

import inspect

from ._extension import __version__, _core  # before the others, which take the extension that this one chooses
from . import _direct, _families
from ._arguments import device_name, flag, steps, subset, threads as number_of_threads, tolerance, word
from ._errors import DeviceError, LinAlgError
from ._families import Bounds, EighResult, EigResult, Info, SchurResult
from ._libraries import bring_home, library_of, narrowed, widened
from ._patch import patch_numpy, patched_numpy, routed, unpatch_numpy
from ._about import show_config, test

__all__ = [
    "Bounds",
    "DeviceError",
    "EigResult",
    "EighResult",
    "Info",
    "LinAlgError",
    "SchurResult",
    "describe",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_affine",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "patch_numpy",
    "patched_numpy",
    "roots",
    "routed",
    "schur",
    "set_threads",
    "show_config",
    "sturm_count",
    "test",
    "unpatch_numpy",
]

AUTO, ALL, NONE = "auto", "a", 0.0  # a default differs from an argument by identity, which costs least

# What the docstrings share.
_TEXTS = {
    "common": """
return_info : bool, default False
    True returns ``(result, info)`` with an `Info` that describes each matrix.  Not under JAX's and PyTorch's transforms.
device : str or None, default None
    For host arrays: where to compute, "cpu" (None is this), "cuda", "cuda:1", "cuda:0,1" or "cuda:all" (several GPUs),
    or "auto".  Arrays on a device are computed there.
check : bool or None, default None
    Whether a matrix without a result (its input is not finite, or the iteration did not converge) raises LinAlgError;
    a call on a GPU then waits for it.  If not, its result is NaN.  None: host arrays raise, arrays on a GPU and calls
    with return_info do not.
keep_half : bool, default False
    float16, and bfloat16 of PyTorch and JAX, are converted on load and computed in single precision; True: real results come back
    in that type, too.""",
    "raises": """
LinAlgError
    Matrices are not square, or, where check says so, have no result: then ``count`` is the number of these, ``first`` the
    index of the first one in a flat array.
TypeError, ValueError
    An argument or its elements have a wrong type; a wrong shape or value.
MemoryError, DeviceError
    No memory; the device is absent from this build or this machine, or it failed.""",
    "uplo": """
a : array_like, shape (..., n, n)
    Symmetric or Hermitian matrices: float32, float64, complex64 or complex128.  Only one triangle is read.
UPLO : {"L", "U"}, default "L"
    The triangle of A that is read.
subset_by_index : pair of int or None, default None
    As scipy.linalg.eigh: the eigenvalues with indices min to max, from 0, inclusive.
subset_by_value : pair of float or None, default None
    As scipy.linalg.eigh: those in the half-open interval (min, max], of one matrix.  A subset takes as long as all pairs,
    except for the eigenvectors of one matrix or a few of larger orders on a GPU.
method : {"auto", "jacobi", "tridiagonal", "reference"}, default "auto"
    The algorithm; "reference" is the plain one, for comparison.
relative : bool, default False
    True: small eigenvalues of a positive definite A to high relative accuracy, by Jacobi rotations.
same_bits_in_batches : bool, default False
    True: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any size; few matrices can
    then take longer.""",
    "tridiagonal": """
d : array_like, shape (..., n)
    The diagonals: float32 or float64.
e : array_like, shape (..., n-1)
    The off-diagonals.  The leading dimensions of d and e broadcast.""",
    "select": """
select : {"a", "i", "v"}, default "a"
    All; those with the indices of select_range; those in the interval select_range, of one matrix.
select_range : pair or None, default None
    "i": min and max index, from 0, inclusive; "v": the half-open interval (min, max].
check_finite : bool, default True
    False: a NaN or an infinity raises nothing, the result is NaN.""",
    "subset": """
subset_by_index, subset_by_value : pair or None, default None
    The same as select "i" and "v" with their select_range.""",
    "geev": """
method : {"auto", "swb", "mwb", "reference"}, default "auto"
    The algorithm.  On a GPU: a warp for whole matrices, several warps for 32 matrices; on a CPU "swb" and "mwb" are "auto".
    "reference" is the plain one, for comparison.
balance : bool, default True
    False: do not permute and scale the matrices by powers of two first, unlike LAPACK's dgeev.
max_steps : int or None, default None
    QR steps between deflations after which a matrix is given up, for experiments.  None is 30*max(10, n).
same_bits_in_batches : bool, default False
    True: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any size; few matrices can
    then take longer.""",
}


def _documented(function):
    """The docstring with <name> replaced by the text of that name."""
    if function.__doc__:
        text = inspect.cleandoc(function.__doc__)
        for name, shared in _TEXTS.items():
            text = text.replace(f"\n<{name}>", shared)
        function.__doc__ = text
    return function


def _serve(name, arrays, *arguments):
    """The function ``name`` of the arrays' library; the last arguments are device, check and keep_half."""
    *arguments, device, check, keep_half = arguments
    arguments += [device if device is None else device_name(device), check if check is None else flag(check, "check")]
    lib, arrays, home = library_of(*arrays)
    arrays, half = widened(lib, arrays)
    family = getattr(lib, name, None)
    result = family(*arrays, *arguments) if family else getattr(_families, name)(lib, *arrays, *arguments)
    if flag(keep_half, "keep_half") and half is not None:
        result = narrowed(lib, result, half)
    return bring_home(result, home)


def _triangle(uplo):
    return word(uplo, "UPLO", ("L", "U", "l", "u"), "'L' or 'U'")


def _more(family, return_info, method=AUTO, balance=True, max_steps=None, relative=False, same_bits_in_batches=False):
    """What is asked for beside the arrays, checked."""
    plain = type(method) is str and method == "auto" and balance is True and max_steps is None and relative is False
    if plain and same_bits_in_batches is False and return_info is False:
        return _families.PLAIN
    methods = _families.METHODS.get(family, {"auto": 0})
    return _families.More(
        method=methods[word(method, "method", methods, "one of " + ", ".join(map(repr, methods)))],
        balance=flag(balance, "balance"),
        max_steps=steps(max_steps),
        relative=flag(relative, "relative"),
        same_bits_in_batches=flag(same_bits_in_batches, "same_bits_in_batches"),
        return_info=flag(return_info, "return_info"),
    )


def _which(select, select_range, by_index, by_value):
    """The eigenvalues that are chosen by SciPy's words, of eigh_tridiagonal or of eigh."""
    kind = _families.RANGES[word(select, "select", _families.RANGES, "'a', 'i' or 'v'")]
    if by_index is None and by_value is None:
        return _families.ALL if kind == "A" else (kind, select_range, "select_range")
    if kind != "A":
        raise ValueError("subset_by_index and subset_by_value are choices beside select: leave select at 'a'")
    return subset(by_index, by_value)


@_documented
def eigvals(
    a, *, method=AUTO, balance=True, max_steps=None, same_bits_in_batches=False,
    return_info=False, device=None, check=None, keep_half=False,
):  # fmt: skip
    """Eigenvalues of square matrices, as numpy.linalg.eigvals; always complex.

    Made for many matrices of n up to 64.

    Parameters
    ----------
    a : array_like, shape (..., n, n)
        Matrices: float32, float64, complex64 or complex128.
    <geev>
    <common>

    Returns
    -------
    array, shape (..., n)
        complex64 for float32 and complex64, else complex128.  A complex pair of a real matrix is adjacent, that with the
        positive imaginary part first; the order is that of LAPACK's iteration.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> eigpack.eigvals(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    array([0.+1.j, 0.-1.j])
    >>> w, told = eigpack.eigvals([[[1.0]], [[np.nan]]], return_info=True)
    >>> told.info
    array([ 0, -1], dtype=int32)
    """
    if (
        method is AUTO and balance is True and max_steps is None
        and same_bits_in_batches is False and return_info is False and device is None and check is None
    ):  # fmt: skip
        w = _direct.eigvals(a)
        if w is not None:
            return w
    more = _more("eigvals", return_info, method, balance, max_steps, same_bits_in_batches=same_bits_in_batches)
    return _serve("eigvals", (a,), more, device, check, keep_half)


@_documented
def eig(
    a, left=False, right=True, *, method=AUTO, balance=True, max_steps=None, same_bits_in_batches=False,
    return_info=False, device=None, check=None, keep_half=False,
):  # fmt: skip
    """Eigenvalues and eigenvectors of square matrices, as numpy.linalg.eig, with scipy.linalg.eig's left and right.

    Everything that comes back is complex, also where NumPy gives a real array because no eigenvalue is complex.

    Parameters
    ----------
    a : array_like, shape (..., n, n)
        Matrices: float32, float64, complex64 or complex128.
    left : bool, default False
        True: the left eigenvectors, too.
    right : bool, default True
        False: not the right eigenvectors.
    <geev>
    <common>

    Returns
    -------
    EigResult, a named tuple of eigenvalues (..., n) and eigenvectors (..., n, n)
        a @ v = v * w[..., None, :]; every v[..., :, k] has the 2-norm 1, of its elements
        within 2^-10 of the largest the first is real and positive.
        With left=True a tuple (w, vl, vr), or (w, vl) where right is False: vl^H @ a = w[..., :, None] * vl^H.  With
        neither, w alone.  A defective matrix has vectors that nearly agree.  With return_info=True `condition` is, for
        each eigenvalue, the reciprocal of its condition number: an error E of a moves it by about norm(E) / condition.
        PyTorch's and JAX's derivatives are those of vectors normalised in this way.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> a = np.array([[0.0, 4.0], [-1.0, 0.0]])
    >>> w, v = eigpack.eig(a)
    >>> w
    array([0.+2.j, 0.-2.j])
    >>> bool(np.abs(a @ v - v * w).max() < 1e-14)
    True
    """
    plain = left is False and right is True and method is AUTO and balance is True and max_steps is None
    if plain and same_bits_in_batches is False and return_info is False and device is None and check is None:
        result = _direct.eig(a)
        if result is not None:
            return result
    more = _more("eigvals", return_info, method, balance, max_steps, same_bits_in_batches=same_bits_in_batches)
    return _serve("eig", (a,), flag(left, "left"), flag(right, "right"), more, device, check, keep_half)


@_documented
def roots(
    p, *, method="auto", balance=True, max_steps=None, same_bits_in_batches=False,
    return_info=False, device=None, check=None, keep_half=False,
):  # fmt: skip
    """Roots of polynomials, as numpy.roots of each: the eigenvalues of companion matrices.

    Parameters
    ----------
    p : array_like, shape (..., n+1)
        Coefficients, that of the highest power first: p[..., 0] * x**n + ... + p[..., n]; roots at 0 are exact.  For one
        polynomial in a NumPy array zeros at the beginning are left out, as NumPy does; without a root the result is empty.
        The polynomials of a batch have one degree: where one begins with 0, LinAlgError names it, or, where check says so,
        its roots are NaN.  Arrays of other libraries are not searched for such zeros: the roots are NaN.
    <geev>
    <common>

    Returns
    -------
    array, shape (..., n)
        The roots, complex, as the eigenvalues of `eigvals`.  Roots of single-precision coefficients are computed in double,
        as NumPy does, and rounded; in traced functions of JAX only where its 64-bit types are enabled.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> eigpack.roots([[1.0, -3.0, 2.0], [1.0, 0.0, 1.0]]).round(12) + 0
    array([[2.+0.j, 1.+0.j],
           [0.+1.j, 0.-1.j]])
    """
    more = _more("eigvals", return_info, method, balance, max_steps, same_bits_in_batches=same_bits_in_batches)
    return _serve("roots", (p,), more, device, check, keep_half)


@_documented
def schur(
    a, output="real", *, method="auto", balance=True, max_steps=None, same_bits_in_batches=False,
    return_info=False, device=None, check=None, keep_half=False,
):  # fmt: skip
    """Schur form a = Z @ T @ Z^H of square matrices, as scipy.linalg.schur, on a CPU.

    Parameters
    ----------
    a : array_like, shape (..., n, n)
        Matrices: float32, float64, complex64 or complex128.
    output : {"real", "complex"}, default "real"
        "complex": real matrices are treated as complex ones, so that T is triangular.
    <geev>
        For a Schur form matrices are permuted, but not scaled.
    <common>

    Returns
    -------
    SchurResult, a named tuple of T and Z, both of shape (..., n, n)
        Z is orthogonal or unitary.  T is upper triangular; of real matrices it has 2 x 2 blocks on the diagonal, one for
        each complex pair, with equal diagonal entries and off-diagonal ones of opposite signs.  The first k columns of Z
        span an invariant subspace wherever no block is cut.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> a = np.array([[0.0, 4.0], [-1.0, 0.0]])
    >>> t, z = eigpack.schur(a)
    >>> bool(np.abs(z @ t @ z.T - a).max() < 1e-14), bool(t[0, 0] == t[1, 1])
    (True, True)
    """
    word(output, "output", ("real", "complex"), "'real' or 'complex'")
    more = _more("eigvals", return_info, method, balance, max_steps, same_bits_in_batches=same_bits_in_batches)
    return _serve("schur", (a,), output, more, device, check, keep_half)


@_documented
def eigvals_affine(
    a, x, measure=None, *, method=AUTO, balance=True, max_steps=None, same_bits_in_batches=False,
    return_info=False, device=None, check=None, keep_half=False,
):  # fmt: skip
    """Eigenvalues of a[0] + x[0]*a[1] + ... + x[m-1]*a[m] at many points x, or one measure of them.

    Parameters
    ----------
    a : array_like, shape (m+1, n, n)
        Matrices: float32, float64, complex64 or complex128.
    x : array_like, shape (..., m)
        The points, real or complex.
    measure : {None, "abscissa", "radius", "damping"}, default None
        None: all eigenvalues.  "abscissa": max re w (negative where x' = A x is stable); "radius": max abs w; "damping":
        min of -re w / abs w.
    <geev>
    <common>

    Returns
    -------
    array, shape (..., n), or with measure (...)
        The eigenvalues, complex, as those of `eigvals`; or a real number for each point.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> a = np.array([[[0.0, 1.0], [-1.0, 0.0]], [[0.0, 0.0], [0.0, -1.0]]])   # x'' + c x' + x = 0
    >>> eigpack.eigvals_affine(a, [[0.0], [1.0]], "abscissa")
    array([ 0. , -0.5])
    """
    word(measure, "measure", _families.MEASURES, "None, 'abscissa', 'radius' or 'damping'")
    more = _more("eigvals", return_info, method, balance, max_steps, same_bits_in_batches=same_bits_in_batches)
    return _serve("eigvals_affine", (a, x), measure, more, device, check, keep_half)


@_documented
def eigvalsh(
    a,
    UPLO="L",
    *,
    subset_by_index=None,
    subset_by_value=None,
    method=AUTO,
    relative=False,
    same_bits_in_batches=False,
    return_info=False,
    device=None,
    check=None,
    keep_half=False,
):
    """Eigenvalues of symmetric or Hermitian matrices, ascending, as numpy.linalg.eigvalsh.

    Parameters
    ----------
    <uplo>
    <common>

    Returns
    -------
    array, shape (..., n)
        The eigenvalues, real, ascending; for a subset only those.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> eigpack.eigvalsh(np.array([[0.0, -1.0j], [1.0j, 0.0]])).round(12)
    array([-1.,  1.])
    >>> eigpack.eigvalsh(np.diag([3.0, 1.0, 2.0]), subset_by_index=(0, 1))
    array([1., 2.])
    """
    if (
        subset_by_index is None and subset_by_value is None and method is AUTO
        and relative is False and same_bits_in_batches is False and return_info is False and device is None and check is None
    ):  # fmt: skip
        result = _direct.eigvalsh(a, UPLO)
        if result is not None:
            return result
    which = subset(subset_by_index, subset_by_value)
    more = _more("eigh", return_info, method, relative=relative, same_bits_in_batches=same_bits_in_batches)
    return _serve("eigvalsh", (a,), _triangle(UPLO), which, more, device, check, keep_half)


@_documented
def eigh(
    a,
    UPLO="L",
    *,
    subset_by_index=None,
    subset_by_value=None,
    method=AUTO,
    relative=False,
    same_bits_in_batches=False,
    return_info=False,
    device=None,
    check=None,
    keep_half=False,
):
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices, as numpy.linalg.eigh.

    Parameters
    ----------
    <uplo>
    <common>

    Returns
    -------
    EighResult
        A named pair: ``eigenvalues``, real, ascending, shape (..., n), and ``eigenvectors``, shape (..., n, n), whose
        column [..., :, k] has length 1 and belongs to eigenvalues[..., k]; for a subset only those.  Of the
        components whose modulus is at least 1 - 2^-10 times the largest one, the first one is real and positive.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> w, v = eigpack.eigh(np.diag([3.0, 1.0]))
    >>> w
    array([1., 3.])
    >>> (w, v), told = eigpack.eigh(np.diag([3.0, 1.0]), subset_by_value=(2, 4), return_info=True)
    >>> w, v.shape, told.info
    (array([3.]), (2, 1), array(0, dtype=int32))
    """
    if (
        subset_by_index is None and subset_by_value is None and method is AUTO
        and relative is False and same_bits_in_batches is False and return_info is False and device is None and check is None
    ):  # fmt: skip
        result = _direct.eigh(a, UPLO)
        if result is not None:
            return result
    which = subset(subset_by_index, subset_by_value)
    more = _more("eigh", return_info, method, relative=relative, same_bits_in_batches=same_bits_in_batches)
    return _serve("eigh", (a,), _triangle(UPLO), which, more, device, check, keep_half)


@_documented
def eigvalsh_tridiagonal(
    d,
    e,
    select=ALL,
    select_range=None,
    check_finite=True,
    tol=NONE,
    *,
    subset_by_index=None,
    subset_by_value=None,
    bounds=False,
    method=AUTO,
    return_info=False,
    device=None,
    check=None,
    keep_half=False,
):
    """Eigenvalues of symmetric tridiagonal matrices, all or some, ascending, as scipy.linalg.eigvalsh_tridiagonal.

    Parameters
    ----------
    <tridiagonal>
    <select>
    tol : float, default 0.0, which is eps*||T||
        A bracket of this width is narrow enough.  A smaller tol selects the count that finds small eigenvalues of
        graded matrices to high relative accuracy.
    <subset>
    bounds : bool, default False
        True returns a named triple ``eigenvalues, lower, upper``; the exact eigenvalue lies between.
    method : {"auto", "multisection", "interval_tree", "reference"}, default "auto"
        The algorithm; "auto" is "multisection", "reference" is the plain one, for comparison.
    <common>

    Returns
    -------
    array, shape (..., m), or Bounds
        The m eigenvalues that were chosen, ascending; with bounds three such arrays.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> eigpack.eigvalsh_tridiagonal(np.full(4, 2.0), np.full(3, -1.0), select="i", select_range=(0, 1)).round(6)
    array([0.381966, 1.381966])
    """
    if (
        select is ALL and select_range is None and check_finite is True and tol is NONE and bounds is False and method is AUTO
        and subset_by_index is None and subset_by_value is None and return_info is False and device is None and check is None
    ):  # fmt: skip
        w = _direct.tridiagonal("b", d, e)
        if w is not None:
            return w
    which = _which(select, select_range, subset_by_index, subset_by_value)
    more = _more("eigvalsh_tridiagonal", return_info, method)
    arguments = flag(check_finite, "check_finite"), tolerance(tol), flag(bounds, "bounds"), more
    return _serve("eigvalsh_tridiagonal", (d, e), which, *arguments, device, check, keep_half)


@_documented
def eigh_tridiagonal(
    d,
    e,
    eigvals_only=False,
    select=ALL,
    select_range=None,
    check_finite=True,
    tol=NONE,
    *,
    subset_by_index=None,
    subset_by_value=None,
    method=AUTO,
    same_bits_in_batches=False,
    return_info=False,
    device=None,
    check=None,
    keep_half=False,
):
    """Eigenvalues and eigenvectors of symmetric tridiagonal matrices, as scipy.linalg.eigh_tridiagonal.

    Parameters
    ----------
    <tridiagonal>
    eigvals_only : bool, default False
        True: `eigvalsh_tridiagonal` with the other arguments, method among them.
    <select>
    tol : float, default 0.0
        Serves eigvals_only=True alone.
    <subset>
    method : {"auto", "mrrr", "reference"}, default "auto"
        The algorithm; "reference" is the plain one, for comparison.
    same_bits_in_batches : bool, default False
        True: on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any size; few matrices
        can then take longer.
    <common>

    Returns
    -------
    EighResult
        A named pair: ``eigenvalues``, ascending, shape (..., m), and ``eigenvectors``, shape (..., n, m).  Their signs are
        those that `eigh` gives.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> w, v = eigpack.eigh_tridiagonal(np.full(4, 2.0), np.full(3, -1.0))
    >>> w.round(6)
    array([0.381966, 1.381966, 2.618034, 3.618034])
    >>> _, told = eigpack.eigh_tridiagonal(np.full(4, 2.0), np.full(3, -1.0), return_info=True)
    >>> bool(told.residual.max() < 1e-14), told.stats["blocks"]
    (True, 1)
    """
    if (
        select is ALL and select_range is None and check_finite is True and tol is NONE and eigvals_only is False and method is AUTO
        and subset_by_index is None and subset_by_value is None
        and same_bits_in_batches is False and return_info is False and device is None and check is None
    ):  # fmt: skip
        result = _direct.tridiagonal("m", d, e)
        if result is not None:
            return result
    if flag(eigvals_only, "eigvals_only"):
        return eigvalsh_tridiagonal(
            d,
            e,
            select,
            select_range,
            check_finite,
            tol,
            subset_by_index=subset_by_index,
            subset_by_value=subset_by_value,
            method=method,
            return_info=return_info,
            device=device,
            check=check,
            keep_half=keep_half,
        )
    tolerance(tol)
    which = _which(select, select_range, subset_by_index, subset_by_value)
    more = _more("eigh_tridiagonal", return_info, method, same_bits_in_batches=same_bits_in_batches)
    return _serve("eigh_tridiagonal", (d, e), which, flag(check_finite, "check_finite"), more, device, check, keep_half)


@_documented
def sturm_count(d, e, x, *, return_info=False, device=None, check=None, keep_half=False):
    """How many eigenvalues of symmetric tridiagonal matrices are smaller than each x.

    Parameters
    ----------
    <tridiagonal>
    x : array_like, shape (..., points)
        The points: a number for all matrices, or points of each; the leading dimensions may be 1 for those of d and e.
    <common>

    Returns
    -------
    array of int64
        Of x's shape, broadcast; -1 where there is no result.

    Raises
    ------
    <raises>

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> eigpack.sturm_count(np.full(4, 2.0), np.full(3, -1.0), [0.0, 2.0, 4.0])
    array([0, 2, 4])
    """
    return _serve("sturm_count", (d, e, x), _more("sturm_count", return_info), device, check, keep_half)


def set_threads(threads):
    """Threads of calls on the CPU from now on, in this process.

    Parameters
    ----------
    threads : int
        0 to 65536; 0 is the default.  Results do not depend on it.

    Raises
    ------
    TypeError, ValueError
        Not an integer; out of range.

    Examples
    --------
    >>> import eigpack
    >>> eigpack.set_threads(0)
    """
    _core.set_threads(number_of_threads(threads))


def describe(device=None):
    """What computes, e.g. ``"cpu avx512, 16 threads"`` or ``"cuda:0 NVIDIA H200, sm_90"``.

    Parameters
    ----------
    device : str or None, default None
        A device's name as the functions take it; None is "cpu", where they compute host arrays by default.

    Returns
    -------
    str

    Raises
    ------
    TypeError, ValueError, DeviceError
        Not a string; not a device's name; the device is absent from this build or this machine.

    Examples
    --------
    >>> import eigpack
    >>> eigpack.describe().split()[0]
    'cpu'
    """
    return _core.describe("cpu" if device is None else device_name(device))


def __getattr__(name):
    """eigpack.torch, imported when it is first asked for."""
    if name == "torch":
        from importlib import import_module

        return import_module("eigpack.torch")
    raise AttributeError(f"module 'eigpack' has no attribute {name!r}")
