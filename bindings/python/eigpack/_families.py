"""The families on arrays of any library: checks, layout, outputs, one call of the extension.

``lib`` is a module such as _numpy: take, convert, strides, contiguous, address, empty, first, transpose, and host; a
library of device arrays has workspace, stream and numbers besides.
"""

from collections import namedtuple

from . import _core, _layout
from ._arguments import pair
from ._errors import linalg_error
from ._numpy import COMPLEX, REAL

EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
Bounds = namedtuple("Bounds", "eigenvalues lower upper")
MEASURES = {None: 0, "abscissa": ord("A"), "radius": ord("R"), "damping": ord("D")}
RANGES = {"a": "A", "all": "A", "i": "I", "index": "I", "v": "V", "value": "V"}


def product(shape):
    """The number of problems in leading dimensions."""
    count = 1
    for length in shape:
        count *= length
    return count


def run(lib, like, device, check, function, work, problems, arguments, what="matrix", fine=()):
    """function(place, *arguments, info) on the device of ``like``, and the exception that follows from info.

    work(device, ...) is asked for the workspace of device arrays.
    """
    if lib.host:
        failed = function(device or "cpu", 0, 0, 0, *arguments, 0)
        if failed is None:
            return
        check = check is None or check
    else:
        where = lib.device(like)
        if device not in (None, where):
            raise ValueError(f"device is {device!r}, but the arrays lie on {where}")
        bytes_needed = work[0](where, *work[1:])
        space = lib.workspace(bytes_needed, like)
        info = lib.empty((problems,), "i", like)
        if what == "pair":
            info[...] = 0  # select='v' may find fewer
        function(where, lib.stream(like), lib.address(space), bytes_needed, *arguments, lib.address(info))
        failed = failures(lib.numbers(info)) if check else None
    if failed is None or not check or failed[2] in fine:
        return
    raise error_of(failed, problems, what)


def error_of(failed, problems, what="matrix"):
    """The exception for what failures found."""
    count, first, info = failed
    if what == "pair" and info > 0:
        text = "the residual or the orthogonality is worse than promised"
    else:
        text = _core.info_text(info)
    return linalg_error(count, first, text, 1 if what == "pair" and info < 0 else problems, what)


def failures(info):
    """How many problems failed, the first, and its info; None where none did."""
    bad = info.nonzero()[0]
    return (len(bad), int(bad[0]), int(info[bad[0]])) if len(bad) else None


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


def eigvals(lib, a, device, check):
    a, letter, n, lead = square(lib, a, "a", "sd")
    w = lib.empty((*lead, n), COMPLEX[letter], a)
    batch = product(lead)
    if n and batch:
        a, (layout, _, lda, stride) = placed(lib, a)
        work = _core.geev_work, letter, layout, n, batch
        run(
            lib, a, device, check, _core.geev, work, batch, (letter, layout, n, lib.address(a), lda, stride, lib.address(w), batch)
        )
    return w


def eigvals_affine(lib, a, x, measure, device, check):
    a, letter, n, lead = square(lib, a, "a", "sd")
    x, other = lib.take(x, "x", "sd")
    if other != letter:
        letter = "d"
        a, x = lib.convert(a, "d"), lib.convert(x, "d")
    if len(lead) != 1 or len(x.shape) < 1 or x.shape[-1] != lead[0] - 1:
        raise ValueError(f"a must have shape (m+1, n, n) and x shape (..., m), have {tuple(a.shape)} and {tuple(x.shape)}")
    m, points = lead[0] - 1, tuple(x.shape[:-1])
    out = lib.empty((*points, n), COMPLEX[letter], a) if measure is None else lib.empty(points, letter, a)
    batch = product(points)
    if n == 0 and measure is not None:
        raise ValueError(f"measure {measure!r} of matrices of order 0")
    if n and batch:
        a, (layout, _, lda, stride) = placed(lib, a)
        if layout != "M":
            a, lda, stride = lib.contiguous(a), n, n * n
        x = lib.contiguous(x)
        work = _core.geev_work, letter, "M", n, batch
        sizes = letter, n, m, lib.address(a), lda, stride, lib.address(x), m
        run(
            lib, a, device, check, _core.geev_affine, work, batch, (*sizes, MEASURES[measure], lib.address(out), batch)
        )
    return out


def eigvalsh(lib, a, uplo, device, check):
    return hermitian(lib, a, uplo, False, device, check)


def eigh(lib, a, uplo, device, check):
    return hermitian(lib, a, uplo, True, device, check)


def hermitian(lib, a, uplo, vectors, device, check):
    a, letter, n, lead = square(lib, a, "a", "sdcz")
    w = lib.empty((*lead, n), REAL[letter], a)
    v = lib.empty((*lead, n, n), letter, a) if vectors else None
    batch = product(lead)
    if n and batch:
        a, (layout, transposed, lda, stride) = placed(lib, a)
        work = _core.heev_work, letter, layout, uplo.upper(), transposed, n, vectors, batch
        sizes = letter, layout, uplo.upper(), transposed, n, lib.address(a), lda, stride
        run(
            lib, a, device, check, _core.heev, work, batch, (*sizes, lib.address(w), lib.address(v) if vectors else 0, batch)
        )
        if vectors and not transposed:
            v = lib.transpose(v)
    return EighResult(w, v) if vectors else w


def tridiagonal(lib, d, e):
    """Diagonals of one type, contiguous in the last dimension, and letter, order, leading dimensions."""
    d, letter = lib.take(d, "d", "sd")
    e, other = lib.take(e, "e", "sd")
    if other != letter:
        letter = "d"
        d, e = lib.convert(d, "d"), lib.convert(e, "d")
    shape = tuple(d.shape)
    if len(shape) < 1 or len(e.shape) != len(shape) or tuple(e.shape[:-1]) != shape[:-1]:
        raise ValueError(f"d and e must have the same leading dimensions, have shapes {shape} and {tuple(e.shape)}")
    n = shape[-1]
    if e.shape[-1] != max(n - 1, 0):
        raise ValueError(f"e must have one element less than d in its last dimension, have {e.shape[-1]} and {n}")
    return rows(lib, d), rows(lib, e), letter, n, shape[:-1]


def rows(lib, x):
    """The array with a stride of 1 in its last dimension and one stride for the others."""
    steps = lib.strides(x)
    if steps and steps[-1] == 1 and len(steps) <= 2 and (len(steps) == 1 or steps[0] >= x.shape[-1]):
        return x
    return lib.contiguous(x)


def row_stride(lib, x):
    """The distance of neighbours in the leading dimensions."""
    return lib.strides(x)[-2] if len(x.shape) == 2 and x.shape[0] > 1 and x.shape[1] > 0 else x.shape[-1]


def chosen(select, select_range, n):
    """Range, il, iu, vl, vu for the library, from SciPy's words."""
    kind = RANGES[select]
    if kind == "A":
        return kind, 0, 0, 0.0, 0.0
    low, high = pair(select_range)
    if kind == "V":
        low, high = float(low), float(high)
        if not low < high:
            raise ValueError(f"select_range is ({low}, {high}): the lower end must lie below the upper")
        return kind, 0, 0, low, high
    try:
        whole = int(low) == low and int(high) == high
    except (OverflowError, ValueError):  # infinities, NaN
        whole = False
    if not whole:
        raise ValueError("select_range must hold integers with select='i'")
    if not 0 <= low <= high < n:
        raise ValueError(f"select_range is ({low}, {high}): must be 0 <= min <= max < {n}")
    return kind, int(low) + 1, int(high) + 1, 0.0, 0.0


def eigvalsh_tridiagonal(lib, d, e, select, select_range, check_finite, tol, bounds, device, check):
    d, e, letter, n, lead = tridiagonal(lib, d, e)
    kind, *limits = chosen(select, select_range, n)
    if kind == "V" and lead:
        raise ValueError("select='v' takes one matrix: several would have results of different lengths")
    many = limits[1] - limits[0] + 1 if kind == "I" else n
    outputs = [lib.empty((*lead, many), letter, d) for _ in range(3 if bounds else 1)]
    batch = product(lead)
    if n and batch:
        found = lib.empty((1,), "l", d)
        w, lower, upper = [lib.address(x) for x in outputs] + ([] if bounds else [0, 0])
        diagonals = n, lib.address(d), row_stride(lib, d), lib.address(e), row_stride(lib, e)
        work = _core.stebz_work, letter, kind, *limits, tol, n, batch
        fine = () if check_finite else (-1,)
        run(
            lib, d, device, check, _core.stebz, work, batch,
            (letter, kind, *limits, tol, *diagonals, lib.address(found), w, lower, upper, many, batch), fine=fine,
        )  # fmt: skip
        if kind == "V":
            outputs = [lib.first(x, int(found[0])) for x in outputs]
    return Bounds(*outputs) if bounds else outputs[0]


def eigh_tridiagonal(lib, d, e, select, select_range, check_finite, device, check):
    d, e, letter, n, lead = tridiagonal(lib, d, e)
    kind, *limits = chosen(select, select_range, n)
    if kind == "V" and lead:
        raise ValueError("select='v' takes one matrix: several would have results of different lengths")
    many = limits[1] - limits[0] + 1 if kind == "I" else n
    w = lib.empty((*lead, many), letter, d)
    z = lib.empty((*lead, many, n), letter, d)
    size = 4 if letter == "s" else 8
    fine = () if check_finite else (-1,)
    for b in range(product(lead) if n else 0):
        found = lib.empty((1,), "l", d)
        start = lib.address(d) + b * size * row_stride(lib, d), lib.address(e) + b * size * row_stride(lib, e)
        out = lib.address(w) + b * size * many, lib.address(z) + b * size * many * n
        work = _core.stemr_work, letter, kind, *limits, n, True
        run(
            lib, d, device, check, _core.stemr, work, many if kind == "I" else n,
            (letter, kind, *limits, n, *start, lib.address(found), *out, many if kind == "I" else n),
            what="pair", fine=fine,
        )  # fmt: skip
        if kind == "V":
            count = int(found[0])
            return EighResult(lib.first(w, count), lib.first(lib.transpose(z), count))
    return EighResult(w, lib.transpose(z))


def sturm_count(lib, d, e, x, device, check):
    d, e, letter, n, lead = tridiagonal(lib, d, e)
    x, other = lib.take(x, "x", "sd")
    if other != letter:
        if letter == "s":
            d, e = lib.convert(d, "d"), lib.convert(e, "d")
        letter, x = "d", lib.convert(x, "d")
    if lead and tuple(x.shape[: len(lead)]) != lead:
        raise ValueError(f"x must begin with the leading dimensions of d, {lead}, has shape {tuple(x.shape)}")
    x = lib.contiguous(x)
    counts = lib.empty(tuple(x.shape), "l", d)
    if n == 0:
        counts[...] = 0
        return counts
    m = product(x.shape[len(lead) :])
    size = 4 if letter == "s" else 8
    for b in range(product(lead) if m else 0):
        start = lib.address(d) + b * size * row_stride(lib, d), lib.address(e) + b * size * row_stride(lib, e)
        work = _core.stebz_count_work, letter, n, m
        run(
            lib, d, device, check, _core.stebz_count, work, 1,
            (letter, n, *start, m, lib.address(x) + b * size * m, lib.address(counts) + 8 * b * m),
        )  # fmt: skip
    return counts
