"""What may be asked beside arrays: subsets, methods, accuracy, info; and how leading dimensions broadcast."""

import inspect

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, alike, check_pairs, eps_of, hermitian, made, same_spectrum
from eigpack import _families, _numpy

ALL = [np.float32, np.float64, np.complex64, np.complex128]


def spoil(a, *index):
    """A copy with a NaN."""
    a = a.copy()
    a[index] = np.nan
    return a


# ------------------------------------------------------------------ subsets


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (2, 2, 12, 12)])
def test_subset_by_index(rng, dtype, order, shape):
    a = np.array(hermitian(rng, dtype, *shape), order=order)
    w, v = eigpack.eigh(a, device=DEVICE)
    for low, high in ((0, 0), (1, 3), (0, shape[-1] - 1), (shape[-1] - 1, shape[-1] - 1)):
        some = eigpack.eigh(a, subset_by_index=(low, high), device=DEVICE)
        assert np.array_equal(some.eigenvalues, w[..., low : high + 1])
        assert np.array_equal(some.eigenvectors, v[..., low : high + 1])
        values = eigpack.eigvalsh(a, subset_by_index=[low, high], device=DEVICE)
        assert np.array_equal(values, eigpack.eigvalsh(a, device=DEVICE)[..., low : high + 1])


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("order", ["C", "F"])
def test_subset_by_value(rng, dtype, order):
    a = np.array(hermitian(rng, dtype, 9, 9), order=order)
    w, v = eigpack.eigh(a, device=DEVICE)
    for low, high in ((w[1], w[4]), (-np.inf, np.inf), (w[8], np.inf), (-np.inf, w[0])):  # (low, high]
        inside = (w > low) & (w <= high)
        some = eigpack.eigh(a, subset_by_value=(low, high), device=DEVICE)
        assert np.array_equal(some.eigenvalues, w[inside]) and np.array_equal(some.eigenvectors, v[:, inside])
        values = eigpack.eigvalsh(a, device=DEVICE)
        inside = (values > low) & (values <= high)
        assert np.array_equal(eigpack.eigvalsh(a, subset_by_value=(low, high), device=DEVICE), values[inside])


def test_subsets_are_scipys(rng):
    linalg = pytest.importorskip("scipy.linalg")
    a = hermitian(rng, complex, 8, 8)
    for options in ({"subset_by_index": [2, 5]}, {"subset_by_value": [-1.0, 3.0]}):
        expected, _ = linalg.eigh(a, **options)
        w, v = eigpack.eigh(a, **options, device=DEVICE)
        assert w.shape == expected.shape and np.abs(w - expected).max() < 1e-13
        assert np.abs(a @ v - v * w).max() < 1e-12
    d, e = rng.uniform(size=8), rng.uniform(size=7)
    for options, subset in (
        ({"select": "i", "select_range": (2, 5)}, {"subset_by_index": (2, 5)}),
        ({"select": "v", "select_range": (0.2, 1.0)}, {"subset_by_value": (0.2, 1.0)}),
    ):
        expected, _ = linalg.eigh_tridiagonal(d, e, **options)
        w, v = eigpack.eigh_tridiagonal(d, e, **subset, device=DEVICE)
        assert w.shape == expected.shape and np.abs(w - expected).max() < 1e-13 and v.shape == (8, len(w))
        assert np.array_equal(eigpack.eigh_tridiagonal(d, e, **options, device=DEVICE).eigenvectors, v)
        values = eigpack.eigvalsh_tridiagonal(d, e, **subset, device=DEVICE)
        assert np.array_equal(values, eigpack.eigh_tridiagonal(d, e, True, **subset, device=DEVICE))
        assert np.abs(values - expected).max() < 1e-13


# Arguments of eigh_tridiagonal beside eigvals_only, with values that show in what becomes of this T; nan: T has one.
GRADED = np.array([3.0, 1.0, 1e-8, 1e-16]), np.array([0.1, 1e-5, 1e-13])
VALUES_ALONE = [
    ({"select": "i", "select_range": (1, 2)}, False),
    ({"subset_by_index": (0, 1)}, False),
    ({"subset_by_value": (0.5, 1.5)}, False),
    ({"tol": 1e-300}, False),
    ({"tol": 0.5}, False),
    ({"method": "reference", "tol": 0.3}, False),
    ({"return_info": True}, False),
    ({"check_finite": False}, True),
    ({"check": False}, True),
    ({"device": "none"}, False),
]


def outcome(function, *arrays, **more):
    """What a call gives: NaN compares by its text, an exception by its words."""
    try:
        return repr(function(*arrays, **{"device": DEVICE, **more}))
    except (ValueError, eigpack.LinAlgError) as error:
        return type(error), str(error)


def test_values_alone_take_every_argument():
    """eigvals_only=True is the other function with all other arguments: none is lost on the way."""
    shared = inspect.signature(eigpack.eigh_tridiagonal).parameters.keys() & inspect.signature(eigpack.eigvalsh_tridiagonal).parameters
    assert shared == {"d", "e", "keep_half"}.union(*[more for more, _ in VALUES_ALONE])  # test_half.py has that one
    with np.printoptions(floatmode="unique", precision=17):
        for more, nan in VALUES_ALONE:
            d, e = spoil(GRADED[0], 1) if nan else GRADED[0], GRADED[1]
            expected = outcome(eigpack.eigvalsh_tridiagonal, d, e, **more)
            assert outcome(eigpack.eigh_tridiagonal, d, e, eigvals_only=True, **more) == expected, more
            for name in more:  # each is seen
                fewer = {other: value for other, value in more.items() if other != name}
                assert outcome(eigpack.eigvalsh_tridiagonal, d, e, **fewer) != expected, name


def test_subset_with_a_nan(rng):
    a = spoil(hermitian(rng, float, 3, 5, 5), 1, 2, 2)
    w, v = eigpack.eigh(a, subset_by_index=(1, 2), check=False, device=DEVICE)
    assert np.isnan(w).all(-1).tolist() == [False, True, False] and np.isnan(v).all((-1, -2)).tolist() == [False, True, False]
    with pytest.raises(eigpack.LinAlgError, match="1 of 3 matrices failed, the first at 1"):
        eigpack.eigh(a, subset_by_index=(1, 2), device=DEVICE)
    with pytest.raises(eigpack.LinAlgError):
        eigpack.eigvalsh(a[1], subset_by_value=(0, 1), device=DEVICE)
    assert eigpack.eigvalsh(a[1], subset_by_value=(0, 1), check=False, device=DEVICE).shape == (0,)


# ------------------------------------------------------- methods and accuracy


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("method", ["auto", "jacobi", "tridiagonal", "reference"])
def test_methods_of_eigh(rng, dtype, method):
    a = hermitian(rng, dtype, 3, 12, 12)
    check_pairs(a, *eigpack.eigh(a, method=method, device=DEVICE))
    bound = 20 * 12 * eps_of(dtype) * np.abs(a).sum(-1).max()
    assert np.abs(eigpack.eigvalsh(a, method=method, device=DEVICE) - np.linalg.eigvalsh(a)).max() <= bound


def test_method_is_told_to_the_library(rng):
    a = hermitian(rng, float, 4, 8, 8)
    _, jacobi = eigpack.eigh(a, method="jacobi", return_info=True, device=DEVICE)
    _, other = eigpack.eigh(a, method="tridiagonal", return_info=True, device=DEVICE)
    assert (jacobi.sweeps > 0).all() and not other.sweeps.any()
    assert jacobi.sweeps.shape == (4,) and jacobi.sweeps.dtype == np.int32


def test_relative_accuracy():
    scale = np.diag(10.0 ** -np.arange(0, 40, 10))
    a = scale @ (np.eye(4) + 0.1) @ scale
    w = eigpack.eigvalsh(a, relative=True, device=DEVICE)
    again = eigpack.eigvalsh(a[::-1, ::-1], relative=True, device=DEVICE)
    assert np.abs(w / again - 1).max() < 1e-13 and w[0] > 0
    exact = np.prod(np.diag(scale) ** 2) * np.linalg.det(np.eye(4) + 0.1)  # the determinant
    assert abs(np.prod(w) / exact - 1) < 1e-12


@pytest.mark.parametrize("method", ["auto", "swb", "mwb", "reference"])
@pytest.mark.parametrize("balance", [True, False])
def test_methods_of_eigvals(rng, method, balance):
    a = made(rng, float, 3, 9, 9)
    w = eigpack.eigvals(a, method=method, balance=balance, device=DEVICE)
    for one, of in zip(w, a):
        assert same_spectrum(one, np.linalg.eigvals(of), 1e-12 * np.linalg.norm(of))
    affine = eigpack.eigvals_affine(a, [[0.5, 2.0]], method=method, balance=balance, device=DEVICE)
    assert same_spectrum(affine[0], np.linalg.eigvals(a[0] + 0.5 * a[1] + 2 * a[2]), 1e-11)


def test_balance_is_told_to_the_library(rng):
    a = np.triu(made(rng, float, 7, 7))
    swap = rng.permutation(7)
    w = eigpack.eigvals(a[swap][:, swap], device=DEVICE)  # balanced, a permuted triangular matrix is exact
    assert set(w.real) == set(np.diag(a)) and not w.imag.any()
    badly = np.diag(10.0 ** np.arange(7)) @ made(rng, float, 7, 7) @ np.diag(10.0 ** -np.arange(7.0))
    assert not np.array_equal(eigpack.eigvals(badly), eigpack.eigvals(badly, balance=False))


def test_max_steps(rng):
    a = made(rng, float, 2, 12, 12)
    with pytest.raises(eigpack.LinAlgError, match="2 of 2 matrices failed, the first at 0: the iteration did not converge"):
        eigpack.eigvals(a, max_steps=1, device=DEVICE)
    w, told = eigpack.eigvals(a, max_steps=1, return_info=True, device=DEVICE)
    assert (told.info > 0).all() and np.isnan(w).any(-1).all()
    assert np.array_equal(eigpack.eigvals(a, max_steps=np.int64(0), device=DEVICE), eigpack.eigvals(a, device=DEVICE))
    assert np.array_equal(eigpack.eigvals(a, max_steps=10_000, device=DEVICE), eigpack.eigvals(a, device=DEVICE))


@pytest.mark.parametrize("method", ["auto", "multisection", "interval_tree", "reference"])
def test_methods_of_tridiagonal_values(rng, method):
    d, e = rng.uniform(size=(3, 40)), rng.uniform(size=(3, 39))
    expected = eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE)
    w, lower, upper = eigpack.eigvalsh_tridiagonal(d, e, bounds=True, method=method, device=DEVICE)
    assert np.abs(w - expected).max() < 1e-14 and np.all(lower <= w) and np.all(w <= upper)
    assert np.array_equal(eigpack.eigh_tridiagonal(d, e, True, method=method, device=DEVICE), w)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["auto", "mrrr", "reference"])
def test_methods_of_tridiagonal_pairs(rng, dtype, method):
    d, e = rng.uniform(size=(3, 40)).astype(dtype), rng.uniform(size=(3, 39)).astype(dtype)
    full = np.stack([np.diag(x) + np.diag(y, 1) + np.diag(y, -1) for x, y in zip(d, e)])
    check_pairs(full, *eigpack.eigh_tridiagonal(d, e, method=method, device=DEVICE))


# ------------------------------------------------------------- same bits


@pytest.mark.parametrize("dtype", ALL)
def test_same_bits_in_batches(rng, dtype):
    """A matrix alone has the bits that it has among others, on every device."""
    a, h = made(rng, dtype, 410, 12, 12), hermitian(rng, dtype, 410, 12, 12)
    o = {"same_bits_in_batches": True, "device": DEVICE}
    for function, x in ((eigpack.eig, a), (eigpack.eigvals, a), (eigpack.eigh, h), (eigpack.eigvalsh, h)):
        many, alone = function(x, **o), function(x[7], **o)
        for all_of, one in zip(many, alone) if isinstance(many, tuple) else ((many, alone),):
            assert np.array_equal(all_of[7], one)
        with pytest.raises(TypeError, match="same_bits_in_batches"):
            function(x[7], same_bits_in_batches="yes")
    if dtype in (np.float32, np.float64):
        d, e = rng.uniform(size=(300, 20)).astype(dtype), rng.uniform(size=(300, 19)).astype(dtype)
        many, alone = eigpack.eigh_tridiagonal(d, e, **o), eigpack.eigh_tridiagonal(d[7], e[7], **o)
        assert np.array_equal(many.eigenvalues[7], alone.eigenvalues) and np.array_equal(many.eigenvectors[7], alone.eigenvectors)


# --------------------------------------------------------------------- info


def test_info_of_each_function(rng):
    """Results with info have the bits of those without, and raise only if asked to."""
    a, d, e = spoil(hermitian(rng, float, 2, 3, 6, 6), 1, 0, 0, 0), rng.uniform(size=(2, 3, 6)), rng.uniform(size=(2, 3, 5))
    bad = np.zeros((2, 3), bool)
    bad[1, 0] = True
    d = np.where(bad[..., None], np.nan, d)
    x = rng.uniform(size=(2, 3, 1))
    x[1, 0] = np.inf
    calls = {
        "eigvals": lambda **o: eigpack.eigvals(a, **o),
        "affine": lambda **o: eigpack.eigvals_affine(np.ones((2, 4, 4)), x, **o),
        "measure": lambda **o: eigpack.eigvals_affine(np.ones((2, 4, 4)), x, "radius", **o),
        "eigvalsh": lambda **o: eigpack.eigvalsh(a, **o),
        "eigh": lambda **o: eigpack.eigh(a, **o),
        "values": lambda **o: eigpack.eigvalsh_tridiagonal(d, e, **o),
        "bounds": lambda **o: eigpack.eigvalsh_tridiagonal(d, e, bounds=True, **o),
        "only": lambda **o: eigpack.eigh_tridiagonal(d, e, True, **o),
        "pairs": lambda **o: eigpack.eigh_tridiagonal(d, e, **o),
        "counts": lambda **o: eigpack.sturm_count(d, e, d, **o),
    }
    for name, call in calls.items():
        result, told = call(return_info=True, device=DEVICE)
        plain = call(check=False, device=DEVICE)
        assert type(result) is type(plain) and isinstance(told, eigpack.Info), name
        for one, other in zip(*((r if isinstance(r, tuple) else (r,)) for r in (result, plain))):
            assert np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"), name
        expected = np.where(bad, -1, 0)
        assert told.info.dtype == np.int32, name
        assert np.array_equal(told.info, np.broadcast_to(expected[..., None], (2, 3, 6)) if name == "pairs" else expected), name
        with pytest.raises(eigpack.LinAlgError, match="1 of 6 matrices failed, the first at 3"):
            call(return_info=True, check=True, device=DEVICE)
        filled = {field for field in ("sweeps", "residual", "orthogonality", "isuppz", "stats") if getattr(told, field) is not None}
        sorts = {"eigh": {"sweeps"}, "eigvalsh": {"sweeps"}, "pairs": {"residual", "orthogonality", "isuppz", "stats"}}
        assert filled == sorts.get(name, set()), name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_info_of_tridiagonal_pairs(rng, dtype):
    n = 30
    d, e = rng.uniform(size=(2, n)).astype(dtype), rng.uniform(size=(2, n - 1)).astype(dtype)
    e[1, 9] = 0  # two blocks: supports end there
    (w, v), told = eigpack.eigh_tridiagonal(d, e, return_info=True, device=DEVICE)
    full = np.stack([np.diag(x) + np.diag(y, 1) + np.diag(y, -1) for x, y in zip(d, e)]).astype(float)
    bound = 10 * n * eps_of(dtype) * 3
    residual = np.linalg.norm(full @ v - v * w[:, None, :].astype(float), axis=1)
    assert told.residual.dtype == told.orthogonality.dtype == dtype
    assert told.residual.shape == (2, n) and np.abs(told.residual - residual).max() < bound and told.residual.max() > 0
    assert told.orthogonality.shape == (2,) and (told.orthogonality < bound).all()
    assert told.isuppz.shape == (2, n, 2) and told.isuppz.dtype == np.int64
    for b in range(2):
        for k in range(n):
            first, end = told.isuppz[b, k]
            assert 0 <= first < end <= n
            assert not v[b, :first, k].any() and not v[b, end:, k].any()
            assert DEVICE != "cpu" or (v[b, first, k] and v[b, end - 1, k])
    assert (told.isuppz[0] == [0, n]).all() and all(type(x) is int for x in told.stats.values())
    if DEVICE == "cpu":  # a GPU solves small matrices of a batch whole, and tells all rows
        assert set(map(tuple, told.isuppz[1])) == {(0, 10), (10, n)}
        assert told.stats["blocks"] == 2 and told.stats["representations"] >= 3
    bounds = float(w[0, 4] + w[0, 5]) / 2, float(w[0, 9] + w[0, 10]) / 2
    (w2, v2), some = eigpack.eigh_tridiagonal(d[0], e[0], subset_by_value=bounds, return_info=True, device=DEVICE)
    assert alike(v2, v[0][:, 5:10]) and some.info.shape == (5,) and some.isuppz.shape == (5, 2)
    assert some.residual.shape == (5,) and some.residual.max() < bound and some.orthogonality.shape == ()
    _, part = eigpack.eigh_tridiagonal(d, e, select="i", select_range=(2, 4), return_info=True, device=DEVICE)
    assert part.residual.shape == (2, 3) and part.isuppz.shape == (2, 3, 2)
    assert part.residual.max() < bound
    if DEVICE == "cpu":
        assert np.array_equal(some.residual, told.residual[0, 5:10]) and np.array_equal(part.residual[0], told.residual[0, 2:5])


def test_info_of_nothing():
    for shape in ((0, 0), (0, 3, 3), (2, 0, 0)):
        for call in (eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh):
            _, told = call(np.zeros(shape), return_info=True, device=DEVICE)
            assert told.info.shape == shape[:-2] and not told.info.any()
    _, told = eigpack.eigh_tridiagonal(np.zeros((2, 0)), np.zeros((2, 0)), return_info=True)
    assert told.residual.shape == (2, 0) and told.isuppz.shape == (2, 0, 2) and told.stats["blocks"] == 0


# ---------------------------------------------------------------- broadcasts


def test_diagonals_broadcast(rng):
    d, e = rng.uniform(size=(2, 1, 8)), rng.uniform(size=(3, 7))
    both = np.broadcast_to(d, (2, 3, 8)).copy(), np.broadcast_to(e, (2, 3, 7)).copy()
    x = rng.uniform(size=(2, 3, 4))
    calls = {
        "values": lambda d, e: eigpack.eigvalsh_tridiagonal(d, e, device=DEVICE),
        "vectors": lambda d, e: eigpack.eigh_tridiagonal(d, e, device=DEVICE).eigenvectors,
        "some": lambda d, e: eigpack.eigh_tridiagonal(d, e, select="i", select_range=(1, 2), device=DEVICE).eigenvectors,
        "counts": lambda d, e: eigpack.sturm_count(d, e, x, device=DEVICE),
    }
    for name, call in calls.items():
        expected = call(*both)
        assert np.array_equal(call(d, e), expected), name
        assert np.array_equal(call(np.float32(d), np.float32(e)).shape, expected.shape), name
    one = e[0]
    assert np.array_equal(calls["values"](both[0], one), calls["values"](both[0], np.broadcast_to(one, (2, 3, 7)).copy()))
    assert np.array_equal(calls["values"](d[0, 0], e), calls["values"](np.tile(d[0, 0], (3, 1)), e))
    assert calls["values"](np.ones((0, 4)), np.ones(3)).shape == (0, 4)
    assert calls["values"](np.ones((2, 1, 1)), np.ones((3, 0))).shape == (2, 3, 1)


def test_points_broadcast(rng):
    d, e = rng.uniform(size=(2, 3, 8)), rng.uniform(size=7)
    x = rng.uniform(size=(2, 1, 5))
    counts = eigpack.sturm_count(d, e, x, device=DEVICE)
    assert counts.shape == (2, 3, 5)
    for i in np.ndindex(2, 3):
        w = np.linalg.eigvalsh(np.diag(d[i]) + np.diag(e, 1) + np.diag(e, -1))
        assert np.array_equal(counts[i], (w < x[i[0], 0][:, None]).sum(-1))
    assert np.array_equal(eigpack.sturm_count(d, e, 0.5, device=DEVICE), eigpack.sturm_count(d, e, np.full((2, 3), 0.5), device=DEVICE))
    assert eigpack.sturm_count(d, e, np.zeros((1, 1, 2, 2)), device=DEVICE).shape == (2, 3, 2, 2)
    assert eigpack.sturm_count(d, e, np.zeros((2, 3, 0)), device=DEVICE).shape == (2, 3, 0)


# --------------------------------------------------------------------- rest


def test_default_device():
    assert eigpack.describe() == eigpack.describe("cpu") == eigpack.describe(None)


def test_help_names_every_parameter():
    """numpydoc: each parameter has a line "name : type" in its section, and the sections are there."""
    for name in eigpack.__all__:
        function = getattr(eigpack, name)
        text = inspect.getdoc(function)
        if inspect.isclass(function):
            assert "\nExamples\n--------\n" in text, name
            continue
        parameters, gives = list(inspect.signature(function).parameters), name not in ("set_threads", "patch_numpy", "unpatch_numpy")
        sections = ["Parameters", "Raises"] * bool(parameters) + ["Returns"] * gives + ["Examples"]
        for section in sections:
            assert f"\n{section}\n{'-' * len(section)}\n" in text, (name, section)
        described = text.partition("Parameters\n")[2].split("\nReturns\n" if gives else "\nRaises\n")[0]
        lines = [line.split(" : ")[0] for line in described.split("\n") if " : " in line and not line.startswith(" ")]
        assert list(filter(None, ", ".join(lines).split(", "))) == parameters, name
        assert not any(f"<{shared}>" in text for shared in eigpack._TEXTS), name


class AsOnDevice:
    """NumPy's arrays by the road of arrays on a device, on the CPU: info is an array, looked at where check says so."""

    host = False
    device, stream, workspace = (lambda x: "cpu"), (lambda x: 0), (lambda count, like: np.empty(count, np.uint8))


for name in "take convert strides packed contiguous address empty broadcast first transpose numbers".split():
    setattr(AsOnDevice, name, staticmethod(getattr(_numpy, name)))


def test_the_road_of_device_arrays(rng):
    a, d, e = spoil(hermitian(rng, float, 2, 3, 6, 6), 1, 0, 0, 0), spoil(rng.uniform(size=(2, 3, 6)), 1, 0, 0), rng.uniform(size=(3, 5))
    told = _families.PLAIN._replace(return_info=True)
    some = "I", (1, 2), "subset_by_index"
    one = "V", (0.0, 1.0), "subset_by_value"
    calls = [
        ("eigvals", (a,), ()),
        ("eigh", (a,), ("L", _families.ALL)),
        ("eigh", (a,), ("L", some)),
        ("eigvalsh", (a[0, 0],), ("U", one)),
        ("eigvalsh_tridiagonal", (d, e), (some, True, 0.0, True)),
        ("eigvalsh_tridiagonal", (d[0, 0], e[0]), (one, True, 0.0, False)),
        ("eigh_tridiagonal", (d, e), (_families.ALL, True)),
        ("eigh_tridiagonal", (d[0, 0], e[0]), (one, True)),
        ("sturm_count", (d, e, d), ()),
    ]

    def arrays_of(result):
        found = []
        _families.mapped(found.append, result)
        return found

    for name, arrays, options in calls:
        family = getattr(_families, name)
        for more in (_families.PLAIN, told):
            there, here = (family(lib, *arrays, *options, more, None, check) for lib, check in ((AsOnDevice, None), (_numpy, False)))
            for x, y in zip(arrays_of(there), arrays_of(here), strict=True):
                assert np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"), name
            if arrays[0].ndim > 2:
                with pytest.raises(eigpack.LinAlgError, match="1 of 6 matrices failed, the first at 3"):
                    family(AsOnDevice, *arrays, *options, more, None, True)
    quiet = _families.eigh_tridiagonal(AsOnDevice, d, e, _families.ALL, False, _families.PLAIN, None, True)
    assert np.isnan(quiet.eigenvalues[1, 0]).all()
