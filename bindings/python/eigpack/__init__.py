"""Eigenvalues and eigenvectors, many at a time, on CPUs and GPUs.

>>> import numpy as np, eigpack
>>> eigpack.eigvalsh(np.array([[2.0, 1.0], [1.0, 2.0]])).round(12)
array([1., 3.])

The functions have NumPy's and SciPy's names.  Leading dimensions are batches, any of them may be 0, and so may the
order n.  The result lives where the input lives and is of its library: NumPy (and lists), PyTorch, CuPy, JAX, and
whatever has ``__dlpack__``.  Inputs are never written.  float32 and float64 stay, integers and bool become float64.

Two arguments are common to all:

``device``
    For host arrays: where to compute, ``"cpu"`` (default), ``"cuda"``, ``"cuda:1"``, ``"cuda:0,1"`` or ``"cuda:all"``
    (several GPUs), or ``"auto"``.
``check``
    Whether a matrix without a result (its input is not finite, or the iteration did not converge) raises LinAlgError,
    for which a GPU must be waited for.  Default: host arrays raise, device arrays do not and hold NaN there.
"""

from . import _core, _families
from ._arguments import device_name, flag, threads as number_of_threads, tolerance, word
from ._errors import DeviceError, LinAlgError
from ._families import Bounds, EighResult
from ._libraries import bring_home, library_of

__version__ = "0.3.0"
__all__ = [
    "Bounds",
    "DeviceError",
    "EighResult",
    "LinAlgError",
    "describe",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_affine",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "set_threads",
    "sturm_count",
]


def _serve(name, arrays, *arguments):
    """The function ``name`` of the arrays' library; the last arguments are device and check."""
    *arguments, device, check = arguments
    arguments += [device if device is None else device_name(device), check if check is None else flag(check, "check")]
    lib, arrays, home = library_of(*arrays)
    family = getattr(lib, name, None)
    result = family(*arrays, *arguments) if family else getattr(_families, name)(lib, *arrays, *arguments)
    return bring_home(result, home)


def _triangle(uplo):
    return word(uplo, "UPLO", ("L", "U", "l", "u"), "'L' or 'U'")


def _tridiagonal_options(select, check_finite):
    return word(select, "select", _families.RANGES, "'a', 'i' or 'v'"), flag(check_finite, "check_finite")


def eigvals(a, *, device=None, check=None):
    """Eigenvalues of real square matrices, as numpy.linalg.eigvals; always complex.

    a: shape (..., n, n).  Returns shape (..., n), complex64 for float32, else complex128.  A complex pair is adjacent,
    that with the positive imaginary part first; the order is that of LAPACK's iteration.

    Made for many matrices of n up to 64.

    >>> import numpy as np, eigpack
    >>> eigpack.eigvals(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    array([0.+1.j, 0.-1.j])
    """
    return _serve("eigvals", (a,), device, check)


def eigvals_affine(a, x, measure=None, *, device=None, check=None):
    """Eigenvalues of a[0] + x[0]*a[1] + ... + x[m-1]*a[m] at many points x, or one measure of them.

    a: shape (m+1, n, n); x: shape (..., m), the points.  Returns the eigenvalues, complex, shape (..., n); or with
    measure a real number for each point, shape (...): ``"abscissa"`` max re w (negative where x' = A x is stable),
    ``"radius"`` max abs w, ``"damping"`` min of -re w / abs w.

    >>> import numpy as np, eigpack
    >>> a = np.array([[[0.0, 1.0], [-1.0, 0.0]], [[0.0, 0.0], [0.0, -1.0]]])   # x'' + c x' + x = 0
    >>> eigpack.eigvals_affine(a, [[0.0], [1.0]], "abscissa")
    array([ 0. , -0.5])
    """
    word(measure, "measure", _families.MEASURES, "None, 'abscissa', 'radius' or 'damping'")
    return _serve("eigvals_affine", (a, x), measure, device, check)


def eigvalsh(a, UPLO="L", *, device=None, check=None):
    """Eigenvalues of symmetric or Hermitian matrices, ascending, as numpy.linalg.eigvalsh.

    a: shape (..., n, n); only the triangle UPLO, ``"L"`` or ``"U"``, is read.  Returns shape (..., n), real.

    >>> import numpy as np, eigpack
    >>> eigpack.eigvalsh(np.array([[0.0, -1.0j], [1.0j, 0.0]])).round(12)
    array([-1.,  1.])
    """
    return _serve("eigvalsh", (a,), _triangle(UPLO), device, check)


def eigh(a, UPLO="L", *, device=None, check=None):
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices, as numpy.linalg.eigh.

    a: shape (..., n, n); only the triangle UPLO, ``"L"`` or ``"U"``, is read.  Returns a named pair: ``eigenvalues``,
    ascending, shape (..., n), and ``eigenvectors``, shape (..., n, n), whose column [..., :, k] has length 1 and
    belongs to eigenvalues[..., k].  The phase (sign) of a vector is not specified.

    >>> import numpy as np, eigpack
    >>> w, v = eigpack.eigh(np.diag([3.0, 1.0]))
    >>> w
    array([1., 3.])
    """
    return _serve("eigh", (a,), _triangle(UPLO), device, check)


def eigvalsh_tridiagonal(
    d, e, select="a", select_range=None, check_finite=True, tol=0.0, *, bounds=False, device=None, check=None
):
    """Eigenvalues of symmetric tridiagonal matrices, all or some, ascending, as scipy.linalg.eigvalsh_tridiagonal.

    d: shape (..., n), the diagonals; e: shape (..., n-1), the off-diagonals.
    select, select_range: ``"a"`` all; ``"i"`` those with indices min to max, from 0, inclusive; ``"v"`` those in the
    half-open interval (min, max], of one matrix.
    check_finite: if False, a NaN or an infinity raises nothing: the result is NaN.
    tol: a bracket narrower than this is narrow enough; 0 stands for eps*||T||.  A smaller one selects the count that finds
    small eigenvalues of graded matrices to high relative accuracy.
    bounds: True returns a named triple ``eigenvalues, lower, upper``; the exact eigenvalue lies between.

    >>> import numpy as np, eigpack
    >>> eigpack.eigvalsh_tridiagonal(np.full(4, 2.0), np.full(3, -1.0), select="i", select_range=(0, 1)).round(6)
    array([0.381966, 1.381966])
    """
    select, check_finite = _tridiagonal_options(select, check_finite)
    more = tolerance(tol), flag(bounds, "bounds"), device, check
    return _serve("eigvalsh_tridiagonal", (d, e), select, select_range, check_finite, *more)


def eigh_tridiagonal(
    d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0, *, device=None, check=None
):
    """Eigenvalues and eigenvectors of symmetric tridiagonal matrices, as scipy.linalg.eigh_tridiagonal.

    The arguments are those of eigvalsh_tridiagonal; eigvals_only=True is that function, and tol serves it alone.  Returns a
    named pair: ``eigenvalues``, shape (..., m), and ``eigenvectors``, shape (..., n, m).

    >>> import numpy as np, eigpack
    >>> w, v = eigpack.eigh_tridiagonal(np.full(4, 2.0), np.full(3, -1.0))
    >>> w.round(6)
    array([0.381966, 1.381966, 2.618034, 3.618034])
    """
    if flag(eigvals_only, "eigvals_only"):
        return eigvalsh_tridiagonal(d, e, select, select_range, check_finite, tol, device=device, check=check)
    tolerance(tol)
    select, check_finite = _tridiagonal_options(select, check_finite)
    return _serve("eigh_tridiagonal", (d, e), select, select_range, check_finite, device, check)


def sturm_count(d, e, x, *, device=None, check=None):
    """How many eigenvalues of a symmetric tridiagonal matrix are smaller than each x: int64, of x's shape.

    d: shape (..., n), e: shape (..., n-1); x begins with the same leading dimensions.

    >>> import numpy as np, eigpack
    >>> eigpack.sturm_count(np.full(4, 2.0), np.full(3, -1.0), [0.0, 2.0, 4.0])
    array([0, 2, 4])
    """
    return _serve("sturm_count", (d, e, x), device, check)


def set_threads(threads):
    """Threads of calls on the CPU from now on, in this process; 0 = the default.  Results do not depend on it."""
    _core.set_threads(number_of_threads(threads))


def describe(device="auto"):
    """What computes, e.g. ``"cpu avx512, 16 threads"`` or ``"cuda:0 NVIDIA H200, sm_90"``."""
    return _core.describe(device_name(device))
