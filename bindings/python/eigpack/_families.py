"""The families on arrays of any library: checks, layout, outputs, one call of the extension.

``lib`` is a module such as _numpy: take, convert, strides, contiguous, address, empty, broadcast, first, transpose, numbers,
and host; a library of device arrays also has workspace and stream.
"""

import dataclasses
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from . import _core, _layout, _numpy
from ._arguments import pair
from ._errors import linalg_error
from ._numpy import COMPLEX, DOUBLE, REAL

def named(name, about, **fields):
    """A named tuple whose fields have descriptions."""
    kind = namedtuple(name, list(fields))
    kind.__doc__ = about
    for field, text in fields.items():
        getattr(kind, field).__doc__ = text
    return kind


VALUES = "Shape (..., n), ascending."
COLUMNS = "Shape (..., n, n): column k belongs to eigenvalue k."
EigResult = named(
    "EigResult",
    """What `eig` returns: eigenvalues, shape (..., n), and eigenvectors by columns, shape (..., n, n), both complex.

Examples
--------
>>> import numpy as np, eigpack
>>> result = eigpack.eig(np.diag([2.0, 1.0]))
>>> w, v = result
>>> result.eigenvalues is w, v.shape
(True, (2, 2))
""",
    eigenvalues="Shape (..., n), complex.", eigenvectors=COLUMNS,
)
EighResult = named(
    "EighResult",
    """What `eigh` and `eigh_tridiagonal` return: real eigenvalues, ascending, shape (..., m), and eigenvectors by columns, (..., n, m).

Examples
--------
>>> import numpy as np, eigpack
>>> eigpack.eigh(np.diag([2.0, 1.0])).eigenvalues
array([1., 2.])
""",
    eigenvalues=VALUES, eigenvectors=COLUMNS,
)
SchurResult = named(
    "SchurResult",
    """What `schur` returns: T, (quasi-)triangular, and Z, orthogonal or unitary, both of shape (..., n, n).

Examples
--------
>>> import numpy as np, eigpack
>>> eigpack.schur(np.diag([2.0, 1.0])).T
array([[2., 0.],
       [0., 1.]])
""",
    T="Triangular, real: with 2 x 2 blocks.", Z="Orthogonal or unitary.",
)
Bounds = named(
    "Bounds",
    """What `eigvalsh_tridiagonal` returns with bounds=True: eigenvalues, and the ends of intervals in which the exact ones lie.

Examples
--------
>>> import numpy as np, eigpack
>>> w, lower, upper = eigpack.eigvalsh_tridiagonal(np.full(4, 2.0), np.full(3, -1.0), bounds=True)
>>> bool((lower <= w).all() and (w <= upper).all())
True
""",
    eigenvalues=VALUES, lower="lower <= exact.", upper="exact <= upper.",
)
MEASURES = {None: 0, "abscissa": ord("A"), "radius": ord("R"), "damping": ord("D")}
RANGES = {"a": "A", "all": "A", "i": "I", "index": "I", "v": "V", "value": "V"}


METHODS = {
    "eigvals": {"auto": 0, "swb": 1, "mwb": 2, "reference": 3},
    "eigh": {"auto": 0, "jacobi": 1, "tridiagonal": 2, "reference": 3},
    "eigvalsh_tridiagonal": {"auto": 0, "multisection": 0, "interval_tree": 1, "reference": 2},
    "eigh_tridiagonal": {"auto": 0, "reference": 1, "mrrr": 2},
}
ALL = "A", None, ""
NOT_FINITE = -1  # EIG_INFO_NOT_FINITE
EVERY = "A", 0, 0, 0.0, 0.0


class More(NamedTuple):
    """What a function may be asked beside its arrays; the defaults are the library's."""

    method: int = 0
    balance: bool = True
    max_steps: int = 0
    relative: bool = False
    same_bits_in_batches: bool = False
    return_info: bool = False


PLAIN = More()


@dataclasses.dataclass(frozen=True, eq=False)
class Info:
    """What return_info=True reports of the matrices; None where a function does not have it.

    Attributes
    ----------
    info : array of int32
        0; -1 where the input is not finite; above 0 where the iteration did not end; of `eig` n + 1 where the eigenvalues are
        good and a vector is not, so that all vectors are NaN.  Of each matrix, shape (...), in
        `eigh_tridiagonal` of each pair, shape (..., m): 1 where the residual, 2 where the orthogonality, 3 where both may
        be worse than promised.  Where the input is not finite a range by value gives NaN for all n pairs.
    sweeps : array of int32, shape (...)
        `eigh`, `eigvalsh`: Jacobi sweeps of each matrix, 0 unless Jacobi ran.
    residual : array, shape (..., m)
        `eigh_tridiagonal`: the 2-norm of T v - w v, measured on the result.
    orthogonality : array, shape (...)
        `eigh_tridiagonal`: an estimate of the longest row of V' V - I.
    isuppz : array of int64, shape (..., m, 2)
        `eigh_tridiagonal`: vector k is 0 but in its elements isuppz[..., k, 0] to isuppz[..., k, 1] - 1, from 0.
    stats : dict of int
        `eigh_tridiagonal`: what the call did, under the names of ``eig_stemr_stats`` in eigpack.h.
    condition : array, shape (..., n)
        `eig`: abs(y^H x) of the unit left and right vectors of each eigenvalue: an error E of a moves it by about
        norm(E) / condition.

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> w, told = eigpack.eigvals(np.eye(2), return_info=True)
    >>> told.info, told.sweeps
    (array(0, dtype=int32), None)
    """

    info: Any
    sweeps: Any = None
    residual: Any = None
    orthogonality: Any = None
    isuppz: Any = None
    stats: Any = None
    condition: Any = None


def mapped(function, result):
    """The result with function(array) in place of each array."""
    if result is None or isinstance(result, dict):
        return result
    if isinstance(result, Info):
        return Info(**{f.name: mapped(function, getattr(result, f.name)) for f in dataclasses.fields(Info)})
    if isinstance(result, tuple):
        parts = [mapped(function, part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return function(result)


def product(shape):
    """The number of problems in leading dimensions."""
    count = 1
    for length in shape:
        count *= length
    return count


def zeros(lib, shape, letter, like):
    """A new array of zeros beside ``like``."""
    x = lib.empty(shape, letter, like)
    x[...] = 0
    return x


def run(lib, like, device, check, function, work, matrices, arguments, what="matrix", fine=0, per=1, info=None, order=None):
    """function(place, *arguments, fine, info) on the device of ``like``, and the exception that follows from info.

    work(device, ...) is asked for the workspace of device arrays.  info: an array that is wanted, `per` numbers a matrix;
    who wants it looks at it, and nothing is raised by default.  A number of ``fine`` raises nothing.  order: of geev's matrices.
    """
    wanted = info is not None
    if lib.host:
        failed = function(device or "cpu", 0, 0, 0, *arguments, fine, lib.address(info) if wanted else 0)
        if check is None:
            check = not wanted
    else:
        where = lib.device(like)
        if device not in (None, where):
            raise ValueError(f"device is {device!r}, but the arrays lie on {where}")
        bytes_needed = work[0](where, *work[1:])
        space = lib.workspace(bytes_needed, like)
        if not wanted:
            info = lib.empty((matrices * per,), "i", like)
            if per > 1:
                info[...] = 0  # by value fewer may be found
        function(where, lib.stream(like), lib.address(space), bytes_needed, *arguments, fine, lib.address(info))
        failed, wanted = None, True
    if wanted and check:
        failed = failures(lib.numbers(info), per, fine)
    if failed is not None and check:
        raise error_of(failed, matrices, what, order)


def error_of(failed, problems, what="matrix", order=None):
    """The exception for what failures found; order: of geev's matrices, of whose infos one is about vectors."""
    count, first, info = failed
    if what == "pair":
        what, text = "matrix", "the residual or the orthogonality is worse than promised" if info > 0 else _core.info_text(info)
    else:
        text = _core.info_text(info) if order is None else _core.geev_info_text(order, info)
    return linalg_error(count, first, text, problems, what)


def failures(info, per=1, fine=0):
    """How many matrices failed, the first, and its info, of NumPy's array of ``per`` numbers each; None where none did."""
    info = info.reshape(-1, per)
    bad = (info != 0) & (info != fine)
    matrices = bad.any(-1).nonzero()[0]
    if len(matrices) == 0:
        return None
    first = int(matrices[0])
    return len(matrices), first, int(info[first][bad[first]][0])


def square(lib, a, name, letters):
    """The array, its letter, the order of its matrices, and the leading dimensions."""
    a, letter = lib.take(a, name, letters)
    shape = tuple(a.shape)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise linalg_error(0, -1, f"{name} must hold square matrices in its last two dimensions, has shape {shape}", 1)
    return a, letter, shape[-1], shape[:-2]


def placed(lib, a):
    """The array in place, or its copy, and where its matrices lie."""
    if not lib.packed(a):
        steps = lib.strides(a)
        where = _layout.place(a.shape, steps) if steps else None
        if where is not None:
            return a, where
        a = lib.contiguous(a)
    n = a.shape[-1]
    return a, ("M", True, n, n * n)


def eigvals(lib, a, more, device, check):
    w, _, _, told = nonsymmetric(lib, a, False, False, False, more, device, check)
    return (w, told) if more.return_info else w


def eig(lib, a, left, right, more, device, check):
    w, vl, vr, told = nonsymmetric(lib, a, left, right, more.return_info, more, device, check)
    if left:
        result = (w, vl, vr) if right else (w, vl)
    else:
        result = EigResult(w, vr) if right else w
    return (result, told) if more.return_info else result


def nonsymmetric(lib, a, left, right, condition, more, device, check):
    """Eigenvalues, left and right vectors, Info; None for what is not wanted."""
    a, letter, n, lead = square(lib, a, "a", "sdcz")
    w = lib.empty((*lead, n), COMPLEX[letter], a)
    vl = lib.empty((*lead, n, n), COMPLEX[letter], a) if left else None
    vr = lib.empty((*lead, n, n), COMPLEX[letter], a) if right else None
    s = lib.empty((*lead, n), REAL[letter], a) if condition else None
    info = zeros(lib, lead, "i", a) if more.return_info else None
    batch = product(lead)
    if n and batch:
        a, (layout, transposed, lda, stride) = placed(lib, a)
        choice = layout, transposed, more.method, more.balance, more.max_steps, more.same_bits_in_batches
        work = _core.geev_work, letter, choice, n, left or right or condition, batch
        outputs = (0 if x is None else lib.address(x) for x in (vl, vr, s))
        arguments = letter, choice, n, lib.address(a), lda, stride, lib.address(w), *outputs, batch
        run(lib, a, device, check, _core.geev, work, batch, arguments, info=info, order=n)
        if lib is _numpy:  # by rows, as NumPy's
            for x in (vl, vr):
                if x is not None:
                    _core.by_rows(letter, n, batch, lib.address(x))
    if lib is not _numpy:
        vl, vr = (x if x is None else lib.transpose(x) for x in (vl, vr))
    return w, vl, vr, Info(info, condition=s) if more.return_info else None


def schur(lib, a, output, more, device, check):
    a, letter, n, lead = square(lib, a, "a", "sdcz")
    if output == "complex":
        letter = COMPLEX[letter]
        a = lib.convert(a, letter)
    w = lib.empty((*lead, n), COMPLEX[letter], a)
    t, z = (lib.empty((*lead, n, n), letter, a) for _ in range(2))
    info = zeros(lib, lead, "i", a) if more.return_info else None
    batch = product(lead)
    if n and batch:
        a, (layout, transposed, lda, stride) = placed(lib, a)
        choice = layout, transposed, more.method, more.balance, more.max_steps, more.same_bits_in_batches
        arguments = letter, choice, n, lib.address(a), lda, stride, *map(lib.address, (w, t, z)), batch
        work = _core.geev_work, letter, choice, n, True, batch
        run(lib, a, device, check, _core.geev_schur, work, batch, arguments, info=info)
    result = SchurResult(lib.transpose(t), lib.transpose(z))
    return (result, Info(info)) if more.return_info else result


def led(p, strict):
    """The coefficients from the first that is not 0 on, as numpy.roots takes them; in a batch, of one degree, the first must not be
    0: an error where ``strict``, else NaN."""
    if p.ndim == 1:
        there = p.nonzero()[0]
        return p[there[0] :] if len(there) else np.ones(1, p.dtype)
    if p.ndim == 0 or p.shape[-1] < 2 or p[..., 0].all():
        return p
    bad = p[..., :1] == 0
    if strict:
        text = "the first coefficient is 0, but polynomials of a batch have one degree (NumPy drops such zeros): call roots for each degree"
        raise linalg_error(bad.sum(), bad.ravel().nonzero()[0][0], text, bad.size, "polynomial")
    return np.where(bad, p.dtype.type(np.nan), p)


def roots(lib, p, more, device, check):
    p, letter = lib.take(p, "p", "sdcz")
    if lib is _numpy:
        p = led(p, check or check is None and not more.return_info)
    shape = tuple(p.shape)
    if len(shape) < 1 or shape[-1] < 1:
        raise ValueError(f"p must have shape (..., n+1), the coefficients of polynomials of degree n, has {shape}")
    n, lead = shape[-1] - 1, shape[:-1]
    given = letter
    if REAL[letter] == "s":
        # As numpy.roots does: of coefficients that range widely single precision finds no good roots.
        letter = DOUBLE[letter]
        p = lib.convert(p, letter)
    # Transposed companion matrices, which are seen by columns: minus the coefficients over the leading one in the first column, ones
    # above the diagonal.  So balancing works on the matrix that NumPy gives to LAPACK.
    a = zeros(lib, (*lead, n * n), letter, p)
    if n:
        a[..., ::n] = -p[..., 1:] / p[..., :1]
        a[..., 1 :: n + 1] = 1
    found = eigvals(lib, a.reshape((*lead, n, n)), more, device, check)
    if given == letter:
        return found
    w, *told = found if more.return_info else (found,)
    w = lib.convert(w, COMPLEX[given])
    return (w, *told) if more.return_info else w


def common(letter, other):
    """The letter of the type that two arrays are computed in."""
    double = "d" if {REAL[letter], REAL[other]} & {"d"} else "s"
    return COMPLEX[double] if {letter, other} & {"c", "z"} else double


def eigvals_affine(lib, a, x, measure, more, device, check):
    a, letter, n, lead = square(lib, a, "a", "sdcz")
    x, other = lib.take(x, "x", "sdcz")
    if other != letter:
        letter = common(letter, other)
        a, x = lib.convert(a, letter), lib.convert(x, letter)
    if len(lead) != 1 or len(x.shape) < 1 or x.shape[-1] != lead[0] - 1:
        raise ValueError(f"a must have shape (m+1, n, n) and x shape (..., m), have {tuple(a.shape)} and {tuple(x.shape)}")
    m, points = lead[0] - 1, tuple(x.shape[:-1])
    out = lib.empty((*points, n), COMPLEX[letter], a) if measure is None else lib.empty(points, REAL[letter], a)
    info = zeros(lib, points, "i", a) if more.return_info else None
    batch = product(points)
    if n == 0 and measure is not None:
        raise ValueError(f"measure {measure!r} of matrices of order 0")
    if n and batch:
        a, (layout, transposed, lda, stride) = placed(lib, a)
        if layout != "M":
            a, transposed, lda, stride = lib.contiguous(a), True, n, n * n
        x = lib.contiguous(x)
        choice = "M", transposed, more.method, more.balance, more.max_steps, more.same_bits_in_batches
        work = _core.geev_work, letter, choice, n, False, batch
        sizes = letter, choice, n, m, lib.address(a), lda, stride, lib.address(x), m
        arguments = *sizes, MEASURES[measure], lib.address(out), batch
        run(lib, a, device, check, _core.geev_affine, work, batch, arguments, info=info)
    return (out, Info(info)) if more.return_info else out


def eigvalsh(lib, a, uplo, which, more, device, check):
    return hermitian(lib, a, uplo, which, more, False, device, check)


def eigh(lib, a, uplo, which, more, device, check):
    return hermitian(lib, a, uplo, which, more, True, device, check)


def hermitian(lib, a, uplo, which, more, vectors, device, check):
    a, letter, n, lead = square(lib, a, "a", "sdcz")
    limits = chosen(which, n)
    by_value, count = of_one(limits, lead), most(limits, n)
    w = lib.empty((*lead, n), REAL[letter], a)
    v = lib.empty((*lead, n, n), letter, a) if vectors else None
    info = sweeps = None
    if more.return_info:
        info, sweeps = zeros(lib, lead, "i", a), zeros(lib, lead, "i", a)
    batch = product(lead)
    if n and batch:
        a, (layout, transposed, lda, stride) = placed(lib, a)
        choice = layout, uplo.upper(), transposed, more.method, more.relative, more.same_bits_in_batches
        work = _core.heev_work, letter, choice, limits, n, vectors, batch
        found = lib.empty((1,), "l", a) if by_value else None
        run(
            lib, a, device, check, _core.heev, work, batch,
            (letter, choice, limits, n, lib.address(a), lda, stride, lib.address(found) if by_value else 0, lib.address(w),
             lib.address(v) if vectors else 0, lib.address(sweeps) if more.return_info else 0, batch), info=info,
        )  # fmt: skip
        if vectors and not transposed:
            v = lib.transpose(v)
        if by_value:
            count = int(found[0])
    if count < n:
        w, v = lib.first(w, count), lib.first(v, count) if vectors else None
    result = EighResult(w, v) if vectors else w
    return (result, Info(info, sweeps)) if more.return_info else result


def broadcast(lead, other, names):
    """The shape that two lists of leading dimensions broadcast to."""
    if lead == other:
        return lead
    try:
        return np.broadcast_shapes(lead, other)
    except ValueError:
        raise ValueError(f"the leading dimensions of {names} do not broadcast: {lead} and {other}") from None


def tridiagonal(lib, d, e):
    """Diagonals of one type, contiguous in the last dimension, and letter, order, leading dimensions."""
    d, letter = lib.take(d, "d", "sd")
    e, other = lib.take(e, "e", "sd")
    if other != letter:
        letter = "d"
        d, e = lib.convert(d, "d"), lib.convert(e, "d")
    lead, n = diagonals(tuple(d.shape), tuple(e.shape))
    d = d if tuple(d.shape[:-1]) == lead else lib.broadcast(d, (*lead, n))
    e = e if tuple(e.shape[:-1]) == lead else lib.broadcast(e, (*lead, max(n - 1, 0)))
    return rows(lib, d), rows(lib, e), letter, n, lead


def diagonals(d, e):
    """The leading dimensions and the order of the matrices whose diagonals have these shapes."""
    if not d or not e:
        raise ValueError(f"d and e must have at least one dimension, have shapes {d} and {e}")
    n = d[-1]
    if e[-1] != max(n - 1, 0):
        raise ValueError(f"e must have one element less than d in its last dimension, have {e[-1]} and {n}")
    return broadcast(d[:-1], e[:-1], "d and e"), n


def rows(lib, x):
    """The array with a stride of 1 in its last dimension and one stride for the others."""
    steps = lib.strides(x)
    if steps and steps[-1] == 1 and len(steps) <= 2 and (len(steps) == 1 or steps[0] >= x.shape[-1]):
        return x
    return lib.contiguous(x)


def placed_rows(lib, x):
    """Where the diagonals begin, and the distance of neighbours in the leading dimensions."""
    step = lib.strides(x)[-2] if len(x.shape) == 2 and x.shape[0] > 1 and x.shape[1] > 0 else x.shape[-1]
    return lib.address(x), step


def chosen(which, n):
    """Range, il, iu, vl, vu for the library, from (its letter, a pair, the pair's name)."""
    kind, ends, name = which
    if kind == "A":
        return EVERY
    low, high = pair(ends, name)
    if kind == "V":
        low, high = float(low), float(high)
        if not low < high:
            raise ValueError(f"{name} is ({low}, {high}): the lower end must lie below the upper")
        return kind, 0, 0, low, high
    try:
        whole = int(low) == low and int(high) == high
    except (OverflowError, ValueError):  # infinities, NaN
        whole = False
    if not whole:
        raise ValueError(f"{name} must hold integers" + " with select='i'" * (name == "select_range"))
    if not 0 <= low <= high < n:
        raise ValueError(f"{name} is ({low}, {high}): must be 0 <= min <= max < {n}")
    return kind, int(low) + 1, int(high) + 1, 0.0, 0.0


def most(limits, n):
    """How many eigenvalues a range may have."""
    return limits[2] - limits[1] + 1 if limits[0] == "I" else n


def of_one(limits, lead):
    """Whether a range is by value; that takes one matrix."""
    if limits[0] == "V" and lead:
        raise ValueError("a range by value takes one matrix: several would have results of different lengths")
    return limits[0] == "V"


def eigvalsh_tridiagonal(lib, d, e, which, check_finite, tol, bounds, more, device, check):
    d, e, letter, n, lead = tridiagonal(lib, d, e)
    limits = chosen(which, n)
    by_value, many = of_one(limits, lead), most(limits, n)
    outputs = [lib.empty((*lead, many), letter, d) for _ in range(3 if bounds else 1)]
    info = zeros(lib, lead, "i", d) if more.return_info else None
    batch = product(lead)
    if n and batch:
        found = lib.empty((1,), "l", d)
        choice = more.method, tol, limits
        work = _core.stebz_work, letter, *choice, n, batch
        addresses = lib.address(found), *([lib.address(x) for x in outputs] + ([] if bounds else [0, 0]))
        run(
            lib, d, device, check, _core.stebz, work, batch,
            (letter, *choice, n, *placed_rows(lib, d), *placed_rows(lib, e), *addresses, many, batch),
            fine=0 if check_finite else -1, info=info,
        )  # fmt: skip
        if by_value:
            outputs = [lib.first(x, int(found[0])) for x in outputs]
    result = Bounds(*outputs) if bounds else outputs[0]
    return (result, Info(info)) if more.return_info else result


def eigh_tridiagonal(lib, d, e, which, check_finite, more, device, check):
    d, e, letter, n, lead = tridiagonal(lib, d, e)
    limits = chosen(which, n)
    by_value, many = of_one(limits, lead), most(limits, n)
    w = lib.empty((*lead, many), letter, d)
    z = lib.empty((*lead, many, n), letter, d)
    told = Info(None)
    if more.return_info:
        told = Info(
            info=zeros(lib, (*lead, many), "i", d),
            residual=zeros(lib, (*lead, many), letter, d),
            orthogonality=zeros(lib, lead, letter, d),
            isuppz=zeros(lib, (*lead, many, 2), "l", d),
            stats=dict.fromkeys(_core.STATS, 0),
        )
    batch, count = product(lead), many
    if n and batch:
        found = lib.empty((batch,), "l", d)
        stats = np.zeros(len(_core.STATS), np.int64)
        choice = more.method, more.same_bits_in_batches, limits
        work = _core.stemr_work, letter, *choice, n, True
        outputs = lib.address(found), lib.address(w), lib.address(z), many
        if more.return_info:
            addresses = *[lib.address(x) for x in (told.isuppz, told.residual, told.orthogonality)], stats.ctypes.data
        else:
            addresses = 0, 0, 0, 0
        run(
            lib, d, device, check, _core.stemr, work, batch,
            (letter, *choice, n, *placed_rows(lib, d), *placed_rows(lib, e), *outputs, *addresses, batch),
            "pair", 0 if check_finite else -1, many, told.info,
        )  # fmt: skip
        if by_value:
            count = int(found[0])
        if more.return_info:
            told.stats.update(zip(_core.STATS, stats.tolist()))
            told.isuppz[..., 0] -= 1
            if by_value and count == 0 and int(told.info[0]) == NOT_FINITE:
                count = many  # all are NaN, as without a range: an empty info would tell nothing
            if count < many:
                told = dataclasses.replace(
                    told, info=lib.first(told.info, count), residual=lib.first(told.residual, count), isuppz=told.isuppz[:count]
                )
    result = EighResult(w, lib.transpose(z))
    if count < many:
        result = EighResult(*(lib.first(x, count) for x in result))
    return (result, told) if more.return_info else result


def sturm_count(lib, d, e, x, more, device, check):
    d, e, letter, n, lead = tridiagonal(lib, d, e)
    x, other = lib.take(x, "x", "sd")
    if other != letter:
        if letter == "s":
            d, e = lib.convert(d, "d"), lib.convert(e, "d")
        letter, x = "d", lib.convert(x, "d")
    shape = points_shape(lead, tuple(x.shape))
    x = lib.contiguous(x if tuple(x.shape) == shape else lib.broadcast(x, shape))
    counts = zeros(lib, shape, "l", d)
    info = zeros(lib, lead, "i", d) if more.return_info else None
    batch, m = product(lead), product(shape[len(lead) :])
    if n and batch and m:
        run(
            lib, d, device, check, _core.stebz_count, (_core.stebz_count_work, letter, n, m), batch,
            (letter, n, *placed_rows(lib, d), *placed_rows(lib, e), m, lib.address(x), lib.address(counts), batch), info=info,
        )  # fmt: skip
    return (counts, Info(info)) if more.return_info else counts


def points_shape(lead, shape):
    """The shape of x for sturm_count with its first dimensions broadcast to the matrices'; one number is for all."""
    if not shape:
        return lead
    own, rest = shape[: len(lead)], shape[len(lead) :]
    if len(own) < len(lead) or any(length not in (1, to) for length, to in zip(own, lead)):
        raise ValueError(f"x must begin with the leading dimensions of d and e, {lead}, has shape {shape}")
    return (*lead, *rest)
