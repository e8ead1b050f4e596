"""Every layout that an array may have, in every function and type, against NumPy on a contiguous copy.

What lies between the elements is NaN, and so is the triangle that must not be read."""

import itertools

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, arranged, arrangements, eps_of, made
from eigpack import _layout, _numpy

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
REAL = TYPES[:2]


# ---------------------------------------------------------------- certificates


def norm_of(a):
    """The largest row sum of all matrices, and what a result may be wrong by."""
    return 20 * a.shape[-1] * eps_of(a.dtype) * np.abs(a).sum(-1).max()


def sorted_values(w):
    """Complex numbers in one order, whatever that of the iteration: by real parts, then by imaginary ones."""
    return np.sort(np.asarray(w, np.complex128), -1)


def triangle(a, uplo):
    """Hermitian matrices; and the same with NaN wherever nothing must be read."""
    n = a.shape[-1]
    kept = np.tri(n, dtype=bool) if uplo == "L" else np.tri(n, dtype=bool).T
    full = np.where(kept, a, a.swapaxes(-1, -2).conj())
    full[..., range(n), range(n)] = full[..., range(n), range(n)].real
    read = np.where(kept, full, a.dtype.type(np.nan))
    if a.dtype.kind == "c":
        read[..., range(n), range(n)] += a.dtype.type(1j) * a.real.dtype.type(np.nan)
        read.real[..., range(n), range(n)] = full[..., range(n), range(n)].real
    return full.astype(a.dtype), read.astype(a.dtype)


class Matrices:
    """Matrices, what NumPy finds for them, and a look at what eigpack finds for the same matrices in other memory."""

    def __init__(self, rng, dtype, *shape):
        self.general = made(rng, dtype, *shape)
        self.bound = norm_of(self.general)
        self.symmetric = {uplo: triangle(self.general, uplo) for uplo in "LU"}
        self.values = {uplo: np.linalg.eigvalsh(full.astype(np.complex128)) for uplo, (full, _) in self.symmetric.items()}
        if self.general.dtype.kind == "f":
            self.spectrum = sorted_values(np.linalg.eigvals(self.general.astype(float)))

    def look(self, lay, what=None):
        """lay makes an array of the same elements in other memory."""
        if self.general.dtype.kind == "f":
            w = eigpack.eigvals(lay(self.general), device=DEVICE)
            assert w.dtype == np.result_type(self.general.dtype, np.complex64), what
            assert np.abs(sorted_values(w) - self.spectrum).max() <= 20 * self.bound, what
        for uplo, (full, read) in self.symmetric.items():
            x = lay(read)
            before = x.tobytes() if isinstance(x, np.ndarray) else None
            w = eigpack.eigvalsh(x, uplo, device=DEVICE)
            assert w.dtype == full.real.dtype and np.abs(w - self.values[uplo]).max() <= self.bound, what
            w, v = eigpack.eigh(x, uplo, device=DEVICE)
            assert w.dtype == full.real.dtype and np.abs(w - self.values[uplo]).max() <= self.bound, what
            assert v.dtype == full.dtype and np.abs(full @ v - v * w[..., None, :]).max() <= self.bound, what
            assert np.abs(v.swapaxes(-1, -2).conj() @ v - np.eye(v.shape[-1])).max() <= 20 * v.shape[-1] * eps_of(v.dtype), what
            assert before is None or x.tobytes() == before, what


class Tridiagonals:
    """The same for tridiagonal matrices, and points for their counts."""

    def __init__(self, rng, dtype, *shape):
        self.d, self.e = made(rng, dtype, *shape), made(rng, dtype, *shape[:-1], shape[-1] - 1)
        self.full = np.zeros((*shape, shape[-1]), dtype)
        index = np.arange(shape[-1])
        self.full[..., index, index] = self.d
        self.full[..., index[1:], index[:-1]] = self.full[..., index[:-1], index[1:]] = self.e
        self.bound, self.values = norm_of(self.full), np.linalg.eigvalsh(self.full.astype(float))
        self.x = np.concatenate([(self.values[..., 1:] + self.values[..., :-1]) / 2, self.values[..., -1:] + 1], -1).astype(dtype)
        self.counts = (self.values[..., None, :] < self.x[..., :, None]).sum(-1)

    def look(self, d, e, x, what=None):
        """Arrays of the same elements."""
        result = eigpack.eigvalsh_tridiagonal(d, e, bounds=True, device=DEVICE)
        for part in result:
            assert part.dtype == self.d.dtype and np.abs(part - self.values).max() <= self.bound, what
        w, v = eigpack.eigh_tridiagonal(d, e, device=DEVICE)
        assert w.dtype == v.dtype == self.d.dtype and np.abs(w - self.values).max() <= self.bound, what
        assert np.abs(self.full @ v - v * w[..., None, :]).max() <= self.bound, what
        last = self.d.shape[-1] - 1
        some = eigpack.eigvalsh_tridiagonal(d, e, "i", (last // 2, last), device=DEVICE)
        assert np.abs(some - self.values[..., last // 2 :]).max() <= self.bound, what
        w, v = eigpack.eigh_tridiagonal(d, e, select="i", select_range=(last // 2, last), device=DEVICE)
        assert w.shape == some.shape and np.abs(self.full @ v - v * w[..., None, :]).max() <= self.bound, what
        counts = eigpack.sturm_count(d, e, x, device=DEVICE)
        assert counts.dtype == np.int64 and np.array_equal(counts, self.counts), what


# -------------------------------------------------------------------- matrices


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(3, 5, 5), (5, 5), (1, 2, 2), (4, 1, 1), (3, 2, 2)])
def test_matrices(rng, dtype, shape):
    matrices = Matrices(rng, dtype, *shape)
    for how in arrangements(len(shape)):
        matrices.look(lambda a: arranged(a, *how), how)  # noqa: B023


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_two_dimensions_of_batches(rng, dtype):
    matrices = Matrices(rng, dtype, 2, 3, 3, 3)
    for how in arrangements(4, pads=(0, 1), signs=(1,)):
        matrices.look(lambda a: arranged(a, *how), how)  # noqa: B023


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [33, 70])
def test_larger_matrices(rng, dtype, n):
    matrices = Matrices(rng, dtype, 2, n, n)
    for gap in (0, 5):
        for how in arrangements(3, pads=(gap,), signs=(1,)):
            matrices.look(lambda a: arranged(a, *how), how)  # noqa: B023


def layouts(a):
    """The same matrices in memory of every kind: name, array, whether the library takes it in place."""
    batch, n = a.shape[:2]
    yield "row-major", a.copy(), True
    yield "column-major", np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2), True
    padded = np.full((batch, n + 1, n + 3), np.nan, a.dtype)
    padded[:, :n, :n] = a
    yield "padded", padded[:, :n, :n], True
    yield "padded columns", padded_columns(a), True
    strided = np.full((2 * batch, n, n), np.nan, a.dtype)
    strided[::2] = a
    yield "every second", strided[::2], True
    fastest = np.ascontiguousarray(np.moveaxis(a, 0, -1))
    yield "batch fastest", np.moveaxis(fastest, -1, 0), True
    yield "batch fastest, transposed", np.moveaxis(np.ascontiguousarray(a.transpose(2, 1, 0)), -1, 0).swapaxes(-1, -2), True
    side = np.ascontiguousarray(a.transpose(1, 0, 2))
    yield "side by side", side.transpose(1, 0, 2), True
    yield "side by side, columns", np.ascontiguousarray(a.transpose(2, 0, 1)).transpose(1, 2, 0), True
    wide = np.full((batch, n, 2 * n), np.nan, a.dtype)
    wide[:, :, ::2] = a
    yield "every second column", wide[:, :, ::2], False
    yield "reversed rows", np.ascontiguousarray(a[:, ::-1])[:, ::-1], False
    yield "reversed all", np.ascontiguousarray(a[::-1, ::-1, ::-1])[::-1, ::-1, ::-1], False
    yield "reversed batch", np.ascontiguousarray(a[::-1])[::-1], False
    yield "other byte order", a.astype(a.dtype.newbyteorder()), True
    unaligned = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    unaligned[...] = a
    yield "unaligned", unaligned, True
    record = np.zeros(a.shape, [("pad", np.int8), ("x", a.dtype)])
    record["x"] = a
    yield "field of a record", record["x"], True
    beside = np.full(a.shape, np.nan, [("pad", a.real.dtype), ("x", a.dtype)])
    beside["x"] = a
    yield "field beside a number", beside["x"], True  # complex: aligned, but strides are no whole elements
    locked = a.copy()
    locked.flags.writeable = False
    yield "read-only", locked, True
    yield "list", a.tolist(), True
    yield "memoryview", memoryview(a.copy()), True


def padded_columns(a):
    """Columns with something between."""
    padded = np.full((a.shape[0], a.shape[2] + 2, a.shape[1] + 4), np.nan, a.dtype)
    padded[:, : a.shape[2], : a.shape[1]] = a.swapaxes(-1, -2)
    return padded[:, : a.shape[2], : a.shape[1]].swapaxes(-1, -2)



NAMES = [name for name, _, _ in layouts(np.zeros((3, 5, 5)))]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_memory(rng, name, dtype):
    lay = lambda a: next(x for other, x, _ in layouts(a) if other == name)  # noqa: E731
    if name == "list":  # which forgets the type
        dtype = np.result_type(dtype, float)
    Matrices(rng, dtype, 3, 5, 5).look(lay)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_library_gets_whole_aligned_elements(dtype):
    """A processor may forgive what C does not."""
    for name, x, _ in layouts(np.ones((3, 5, 5), dtype)):
        taken, letter = _numpy.take(x, "a", "sdcz")
        strides = _numpy.strides(taken)
        assert taken.flags.aligned and taken.dtype.isnative and taken.dtype == _numpy.TYPES[letter], name
        assert strides is None or tuple(s * taken.itemsize for s in strides) == taken.strides, name


def shared():
    """Views in which several elements are one: name, view, of a matrix or several of order 4."""
    x = np.random.default_rng(3).standard_normal(40)
    windows = np.lib.stride_tricks.sliding_window_view
    yield "one for all", np.broadcast_to(x[:16].reshape(4, 4), (3, 4, 4))
    yield "one for all, columns", np.broadcast_to(x[:16].reshape(4, 4).T, (3, 4, 4))
    yield "one for each of several", np.broadcast_to(x[:32].reshape(2, 1, 4, 4), (2, 3, 4, 4))
    yield "equal rows", np.broadcast_to(x[:4], (3, 4, 4))
    yield "equal columns", np.broadcast_to(x[:4, None], (4, 4))
    yield "one number", np.broadcast_to(x[:1], (3, 4, 4))
    yield "Hankel", windows(x[:7], 4)
    yield "Toeplitz", windows(x[:7], 4)[:, ::-1]
    yield "matrices that overlap by rows", windows(x[:24].reshape(6, 4), (4, 4))[:, 0]
    yield "matrices that overlap by columns", windows(x[:24].reshape(4, 6), (4, 4))[0]
    yield "matrices that overlap by one number", windows(x, 16).reshape(25, 4, 4)
    yield "windows of windows", windows(windows(x[:12], 4), (4, 4))[:, 0]
    yield "one row, any stride", np.lib.stride_tricks.as_strided(x, (1, 4, 4), (8, 32, 8))
    yield "one row, none", np.lib.stride_tricks.as_strided(x, (1, 4, 4), (0, 32, 8))
    yield "order 1, any stride", np.lib.stride_tricks.as_strided(x, (4, 1, 1), (16, 24, 40))


@pytest.mark.parametrize("name", [name for name, _ in shared()])
def test_shared_elements(name):
    a = dict(shared())[name]
    copy, bound = a.copy(), 20 * norm_of(a)
    for one, other in ((a, copy), (a.swapaxes(-1, -2), copy.swapaxes(-1, -2).copy())):
        w = eigpack.eigvals(one, device=DEVICE)
        for power in (1, 2, 3):  # a matrix of rank 1 has eigenvalues that no solver tells well
            trace = np.trace(np.linalg.matrix_power(other, power), axis1=-2, axis2=-1)
            assert np.abs((w**power).sum(-1) - trace).max() <= bound * np.abs(other).sum(-1).max() ** (power - 1)
        for uplo in "LU":
            expected = np.linalg.eigvalsh(other, uplo)
            assert np.abs(eigpack.eigvalsh(one, uplo, device=DEVICE) - expected).max() <= bound
            w, v = eigpack.eigh(one, uplo, device=DEVICE)
            full = np.tril(other) if uplo == "L" else np.triu(other)
            full = full + full.swapaxes(-1, -2) - full * np.eye(other.shape[-1])
            assert np.abs(full @ v - v * w[..., None, :]).max() <= bound


@pytest.mark.parametrize("shape", [(3, 5, 5), (2, 2, 2), (4, 1, 1), (5, 5), (2, 3, 3, 3)])
def test_place(shape):
    """Of every arrangement: what _layout calls the place of the matrices is where they lie, and a place for the library."""
    in_place, n = 0, shape[-1]
    index = np.indices((int(np.prod(shape[:-2])), n, n))
    for how in arrangements(len(shape), *([(0, 1), (1, -1)] if len(shape) == 4 else [])):
        a = np.arange(float(np.prod(shape))).reshape(shape)
        x = arranged(a, *how)
        where = _layout.place(x.shape, tuple(s // x.itemsize for s in x.strides))
        if where is None:
            continue
        in_place += 1
        b, i, j = index if not where.transposed else index[[0, 2, 1]]
        offset = {
            "M": i + j * where.lda + b * where.stride,
            "E": (i * where.lda + j) * where.stride + b,
            "R": i * where.stride + b * where.lda + j,
        }[where.layout]
        flat = np.lib.stride_tricks.as_strided(x, (offset.max() + 1,), (x.itemsize,), writeable=False)
        assert np.array_equal(flat[offset], a.reshape(-1, n, n)), (how, where)
        assert where.lda >= n and (where.layout != "M" or len(b) == 1 or where.stride >= 1), (how, where)
    assert in_place >= 6, "some lie as the library wants them"


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("list", "memoryview") and n[:5] != "field"])
def test_taken_in_place(name):
    x, in_place = next((x, in_place) for other, x, in_place in layouts(np.zeros((3, 5, 5))) if other == name)
    assert (_layout.place(x.shape, tuple(s // x.itemsize for s in x.strides)) is not None) == in_place


def test_dimensions_of_length_1_have_no_stride():
    for lead, steps in (((1, 3), (999, 16)), ((3, 1), (16, 999)), ((1, 1), (5, 7)), ((3, 1, 2), (32, 1, 16))):
        where = _layout.place((*lead, 4, 4), (*steps, 4, 1))
        assert where == ("M", True, 4, 16 if np.prod(lead) > 1 else 0), lead


# ----------------------------------------------------------- several arrays


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", [(3, 6), (6,), (1, 3), (3, 2), (4, 1)])
def test_tridiagonals(rng, dtype, shape):
    """Each layout of d with each of e."""
    several = Tridiagonals(rng, dtype, *shape)
    ways = list(arrangements(len(shape)))
    for k, (of_d, of_e) in enumerate(itertools.product(ways, ways[:: 1 if len(shape) == 1 else 5])):
        of_x = ways[(7 * k) % len(ways)]
        several.look(arranged(several.d, *of_d), arranged(several.e, *of_e), arranged(several.x, *of_x), (of_d, of_e, of_x))


@pytest.mark.parametrize("dtype", REAL)
def test_tridiagonals_in_two_dimensions(rng, dtype):
    several = Tridiagonals(rng, dtype, 2, 3, 4)
    ways = list(arrangements(3))
    for k, of_d in enumerate(ways):
        of_e, of_x = ways[(5 * k + 1) % len(ways)], ways[(7 * k + 2) % len(ways)]
        several.look(arranged(several.d, *of_d), arranged(several.e, *of_e), arranged(several.x, *of_x), (of_d, of_e, of_x))


def memories(a):
    """The kinds of memory that any array may have."""
    yield a
    yield a.astype(a.dtype.newbyteorder())
    unaligned = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    unaligned[...] = a
    yield unaligned
    record = np.zeros(a.shape, [("pad", np.int8), ("x", a.dtype)])
    record["x"] = a
    yield record["x"]
    locked = a.copy()
    locked.flags.writeable = False
    yield locked
    yield np.asfortranarray(a)
    yield np.repeat(a, 2, axis=-1)[..., ::2]
    yield np.ascontiguousarray(a[..., ::-1])[..., ::-1]


@pytest.mark.parametrize("dtype", REAL)
def test_memory_of_several(rng, dtype):
    several = Tridiagonals(rng, dtype, 3, 6)
    for d, e, x in itertools.product(memories(several.d), memories(several.e), memories(several.x)):
        several.look(d, e, x)
    alone = Tridiagonals(rng, dtype, 6)
    for d, e, x in itertools.product(memories(alone.d), memories(alone.e), memories(alone.x)):
        alone.look(d, e, x)


def test_one_diagonal_for_all(rng):
    d, e = np.broadcast_to(rng.standard_normal(6), (3, 6)), np.broadcast_to(rng.standard_normal(1), (3, 5))
    expected = np.linalg.eigvalsh(np.diag(d[0]) + np.diag(e[0], 1) + np.diag(e[0], -1))
    for one in (e, e.copy()):
        assert np.abs(eigpack.eigvalsh_tridiagonal(d, one, device=DEVICE) - expected).max() < 1e-14
        assert np.abs(eigpack.eigh_tridiagonal(d, one, device=DEVICE).eigenvalues - expected).max() < 1e-14
        x = np.broadcast_to(expected[2] + 1e-9, (3, 4, 2))
        assert np.array_equal(eigpack.sturm_count(d, one, x, device=DEVICE), np.full((3, 4, 2), 3))


@pytest.mark.parametrize("step", [1, 4, 5, 6])
def test_diagonals_that_overlap(rng, step):
    """Windows of one series: the library would refuse those that begin less than a row apart."""
    d, e = (np.lib.stride_tricks.sliding_window_view(rng.standard_normal(30), n)[::step][:4] for n in (6, 5))
    expected = [np.linalg.eigvalsh(np.diag(a) + np.diag(b, 1) + np.diag(b, -1)) for a, b in zip(d, e)]
    assert np.abs(eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE) - expected).max() < 1e-13
    assert np.abs(eigpack.eigh_tridiagonal(d, e, device=DEVICE).eigenvalues - expected).max() < 1e-13
    assert np.array_equal(eigpack.sturm_count(d, e, 0.0, device=DEVICE), (np.array(expected) < 0).sum(-1))


class Family:
    """a[0] + x[0] a[1] + x[1] a[2] at points x."""

    def __init__(self, rng, dtype):
        self.a, self.x = made(rng, dtype, 3, 4, 4), made(rng, dtype, 5, 2)
        full = self.a[0].astype(float) + np.tensordot(self.x.astype(float), self.a[1:].astype(float), 1)
        w = np.linalg.eigvals(full)
        self.values, self.radius, self.bound = sorted_values(w), np.abs(w).max(-1), 20 * norm_of(full.astype(dtype))

    def look(self, a, x, what=None):
        w = eigpack.eigvals_affine(a, x, device=DEVICE)
        radius = eigpack.eigvals_affine(a, x, "radius", device=DEVICE)
        assert w.dtype == np.result_type(self.a.dtype, np.complex64) and radius.dtype == self.a.dtype, what
        assert np.abs(sorted_values(w) - self.values).max() <= self.bound, what
        assert np.abs(radius - self.radius).max() <= self.bound, what


@pytest.mark.parametrize("dtype", REAL)
def test_affine(rng, dtype):
    family = Family(rng, dtype)
    points = list(arrangements(2))
    for k, of_a in enumerate(arrangements(3)):
        of_x = points[(5 * k) % len(points)]
        family.look(arranged(family.a, *of_a), arranged(family.x, *of_x), (of_a, of_x))
    for a, x in itertools.product(memories(family.a), memories(family.x)):
        family.look(a, x)


# ------------------------------------------------------------------ mixed types

MIXED = [np.dtype(t) for t in ("f4", "f8", ">f4", ">f8", "i1", "u8", "?")]


def cast(a, dtype, how=None):
    """Whole numbers, so that every type has them (bool: 0 and 1), perhaps in other memory."""
    x = (a != 0 if dtype == bool else a).astype(dtype)
    return x if how is None else arranged(x, *how)


def whole(rng, *shape):
    return rng.integers(1, 5, shape).astype(float)


def common(*types):
    """float32 where all are, else float64."""
    return np.dtype("f4" if all(t.newbyteorder("=") == "f4" for t in types) else "f8")


@pytest.mark.parametrize("first", MIXED, ids=str)
def test_mixed_types_of_tridiagonals(rng, first):
    ways = list(arrangements(2, signs=(1,)))
    d, e, x = whole(rng, 3, 5), whole(rng, 3, 4), whole(rng, 3, 2)
    for k, (second, third) in enumerate(itertools.product(MIXED, MIXED)):
        hows = [ways[(m * k + m) % len(ways)] for m in (1, 5, 7)]
        arrays = [cast(a, t, how) for a, t, how in zip((d, e, x), (first, second, third), hows)]
        what = (first, second, third, hows)
        plain = [np.ascontiguousarray(a, common(first, second)) for a in arrays[:2]]
        w, lower, upper = eigpack.eigvalsh_tridiagonal(*arrays[:2], bounds=True, device=DEVICE)
        full = np.stack([np.diag(d) + np.diag(e, 1) + np.diag(e, -1) for d, e in zip(*plain)])
        expected = np.linalg.eigvalsh(full.astype(float))
        assert w.dtype == lower.dtype == upper.dtype == common(first, second), what
        assert max(np.abs(part - expected).max() for part in (w, lower, upper)) <= norm_of(full), what
        w, v = eigpack.eigh_tridiagonal(*arrays[:2], device=DEVICE)
        assert w.dtype == v.dtype == common(first, second), what
        assert np.abs(w - expected).max() <= norm_of(full) and np.abs(full @ v - v * w[:, None]).max() <= norm_of(full), what
        points = np.ascontiguousarray(arrays[2], float)
        near = np.abs(points[..., None] - expected[:, None]).min(-1) <= norm_of(full)  # an eigenvalue: either is right
        counts = eigpack.sturm_count(*arrays, device=DEVICE)
        assert ((counts == (expected[:, None] < points[..., None]).sum(-1)) | near).all(), what


@pytest.mark.parametrize("first", MIXED, ids=str)
def test_mixed_types_of_a_family(rng, first):
    a, x = whole(rng, 3, 4, 4), whole(rng, 5, 2)
    ways, points = list(arrangements(3, signs=(1,))), list(arrangements(2))
    for second in MIXED:
        for k in range(12):
            hows = ways[(13 * k) % len(ways)], points[(5 * k) % len(points)]
            arrays = cast(a, first, hows[0]), cast(x, second, hows[1])
            of_a, of_x = (np.ascontiguousarray(y, float) for y in arrays)
            full = (of_a[0] + np.tensordot(of_x, of_a[1:], 1)).astype(common(first, second))
            w = eigpack.eigvals_affine(*arrays, device=DEVICE)
            assert w.dtype == np.result_type(full.dtype, np.complex64), (first, second, hows)
            for power in (1, 2, 3):
                trace = np.trace(np.linalg.matrix_power(full.astype(float), power), axis1=-2, axis2=-1)
                bound = 20 * norm_of(full) * np.abs(full).sum(-1).max() ** (power - 1)
                assert np.abs((w**power).sum(-1) - trace).max() <= bound, (first, second, hows, power)
            radius = eigpack.eigvals_affine(*arrays, "radius", device=DEVICE)
            assert radius.dtype == full.dtype and np.abs(radius - np.abs(w).max(-1)).max() <= norm_of(full)


@pytest.mark.parametrize("dtype", MIXED, ids=str)
def test_types_of_matrices(rng, dtype):
    a = cast(whole(rng, 3, 4, 4), dtype)
    plain = a.astype(common(dtype))
    for how in arrangements(3, signs=(1,)):
        x = arranged(a, *how)
        for uplo in "LU":
            assert eigpack.eigvalsh(x, uplo, device=DEVICE).dtype == plain.dtype
            assert np.abs(eigpack.eigh(x, uplo, device=DEVICE)[0] - np.linalg.eigvalsh(plain, uplo)).max() <= norm_of(plain)
        w = eigpack.eigvals(x, device=DEVICE)
        assert w.dtype == np.result_type(plain.dtype, np.complex64)
        assert np.abs(w.sum(-1) - np.trace(plain, axis1=-2, axis2=-1)).max() <= norm_of(plain)
