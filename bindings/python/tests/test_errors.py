"""Errors: what is raised, what it says, that it travels."""

import ctypes
import pickle

import eigpack
import numpy as np
import pytest
from conftest import DEVICE
from eigpack import _arguments, _core, _families, _numpy


def spoiled():
    a = np.tile(np.diag([1.0, 2.0]), (5, 1, 1))
    a[2, 0, 0] = np.nan
    a[4, 1, 1] = np.inf
    return a


@pytest.mark.parametrize("call", [eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh])
def test_failures_of_a_batch(call):
    with pytest.raises(np.linalg.LinAlgError, match="2 of 5 matrices failed, the first at 2: .*NaN") as caught:
        call(spoiled(), device=DEVICE)
    assert type(caught.value) is eigpack.LinAlgError
    assert (caught.value.count, caught.value.first) == (2, 2)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value) and (copy.count, copy.first) == (2, 2)
    result = call(spoiled(), device=DEVICE, check=False)
    w = result.eigenvalues if isinstance(result, tuple) else result
    assert np.isnan(w).any(-1).tolist() == [False, False, True, False, True]
    assert np.array_equal(np.sort(w[0].real), [1, 2])
    assert call(spoiled()[:2], device=DEVICE, check=True) is not None


class OnDevice:
    """NumPy's arrays in the part of an array on a device: info is an array, and looked at if check says so."""

    host = False
    device, stream, workspace = (lambda x: "cuda:7"), (lambda x: 5), (lambda count, like: np.empty(count, np.uint8))
    address, empty, numbers = _numpy.address, _numpy.empty, np.asarray


@pytest.mark.parametrize(
    "info, what, told",
    [
        ([0, -1, 0, 4], "matrix", (2, 1, "2 of 4 matrices failed, the first at 1: the input holds a NaN or an infinity")),
        ([0, 0, 4, -1], "point", (2, 2, "2 of 4 points failed, the first at 2: the iteration did not converge")),
        ([3], "matrix", (1, 0, "the iteration did not converge")),
        ([0, 1, 0, 2, -1], "pair", (1, 0, "the residual or the orthogonality is worse than")),
        ([[0, 0], [0, 2], [-1, -1]], "pair", (2, 1, "2 of 3 matrices failed, the first at 1: the residual or the")),
        ([-1, -1], "pair", (1, 0, "the input holds a NaN or an infinity")),
        ([0, 0], "matrix", None),
    ],
)
def test_the_first_failure_is_told(info, what, told):
    """Of an array on a device; the call gets the device's name, its stream, the workspace and the array of info."""
    seen = []

    values = np.array(info, np.int32)
    matrices, per = (np.atleast_2d(values).shape) if what == "pair" else (len(info), 1)

    def function(device, stream, space, count, first, fine, address):
        seen.append((device, stream, count, first))
        ctypes.memmove(address, values.ctypes.data, values.nbytes)

    def call(check, fine=0):
        work = (lambda device, n: 100 * n), 3
        _families.run(OnDevice, np.zeros(1), None, check, function, work, matrices, ("argument",), what, fine, per)

    for silent in (None, False):  # the default of a device's array
        call(silent)
    alike = set(values.ravel().tolist()) - {0}
    call(len(alike) == 1, fine=max(alike, default=0))
    if told is None:
        call(True)
    else:
        with pytest.raises(eigpack.LinAlgError) as caught:
            call(True)
        assert (caught.value.count, caught.value.first) == told[:2] and str(caught.value).startswith(told[2])
    assert seen == [("cuda:7", 5, 300, "argument")] * 4
    with pytest.raises(ValueError, match="device is 'cpu', but the arrays lie on cuda:7"):
        _families.run(OnDevice, np.zeros(1), "cpu", True, function, None, 1, ())


def test_failures_of_tridiagonal_batches():
    """first and count are of matrices, whatever the shape of the batch and the number of pairs or points."""
    d, e = np.full((2, 3, 4), 2.0), np.full(3, -1.0)
    d[0, 2, 1], d[1, 1, 0] = np.nan, np.inf
    calls = (
        eigpack.eigvalsh_tridiagonal,
        eigpack.eigh_tridiagonal,
        lambda d, e, **o: eigpack.sturm_count(d, e, np.zeros((2, 3, 5)), **o),
        lambda d, e, **o: eigpack.eigh_tridiagonal(d, e, select="i", select_range=(1, 2), **o),
    )
    for call in calls:
        for options in ({}, {"return_info": True, "check": True}):
            with pytest.raises(eigpack.LinAlgError, match="^2 of 6 matrices failed, the first at 2: the input holds a NaN") as caught:
                call(d, e, device=DEVICE, **options)
            assert (caught.value.count, caught.value.first) == (2, 2)
        result, told = call(d, e, device=DEVICE, return_info=True)
        bad = (told.info if told.info.ndim == 2 else told.info.max(-1)) != 0
        assert np.array_equal(bad, [[False, False, True], [False, True, False]])
        result = result[-1] if isinstance(result, tuple) else result
        lost = np.isnan(result) if result.dtype == float else result == -1
        assert np.array_equal(lost.reshape(2, 3, -1).all(-1), bad) and np.array_equal(lost.reshape(2, 3, -1).any(-1), bad)


def test_a_matrix_that_is_fine_hides_no_other():
    """With check_finite=False a NaN raises nothing, another failure does."""
    assert _families.failures(np.array([-1, 0, 2, -1, 3]), 1, -1) == (2, 2, 2)
    assert _families.failures(np.array([[-1, -1], [0, 0], [0, 2]]), 2, -1) == (1, 2, 2)
    assert _families.failures(np.array([-1, 0]), 1, -1) is None


def test_vectors_that_are_not_good():
    """geev's info n + 1; that of another order, and of another family, is what it always is."""
    assert str(_families.error_of((1, 0, 5), 1, order=4)) == "the eigenvalues are good, but a vector within the bound was not found"
    assert str(_families.error_of((2, 1, 5), 3, order=4)).startswith("2 of 3 matrices failed, the first at 1: the eigenvalues are good, ")
    for order in (None, 5, 6):
        assert str(_families.error_of((1, 0, 5), 1, order=order)) == "the iteration did not converge"

    def function(device, stream, space, count, first, fine, address):
        ctypes.memmove(address, np.array([0, 3], np.int32).ctypes.data, 8)

    with pytest.raises(eigpack.LinAlgError, match="^1 of 2 .* first at 1: the eigenvalues are good"):
        _families.run(OnDevice, np.zeros(1), None, True, function, ((lambda *x: 1), 3), 2, ("argument",), order=2)


def test_failure_of_one():
    with pytest.raises(eigpack.LinAlgError, match="^the input holds a NaN or an infinity$"):
        eigpack.eigvals([[np.nan]])


def test_tridiagonal_failures():
    d, e = np.array([1.0, np.inf, 2.0]), np.zeros(2)
    for call in (eigpack.eigvalsh_tridiagonal, eigpack.eigh_tridiagonal):
        with pytest.raises(ValueError, match="NaN or an infinity"):
            call(d, e)
        quiet = call(d, e, check_finite=False)
        assert np.isnan(quiet[0]).all()
        quiet = call(d, e, check=False)
        assert np.isnan(quiet[0]).all()
        with pytest.raises(eigpack.LinAlgError, match="^the input holds a NaN or an infinity$"):
            call(d, e, select="v", select_range=(0, 3))
        with pytest.raises(eigpack.LinAlgError, match="^the input holds a NaN or an infinity$"):
            call(d, e, select="v", select_range=(0, 3), return_info=True, check=True)
        _, told = call(d, e, select="v", select_range=(0, 3), return_info=True)
        assert told.info.size > 0 and (told.info == -1).all()
    with pytest.raises(eigpack.LinAlgError):
        eigpack.sturm_count(d, e, [0.0])
    assert eigpack.sturm_count(d, e, [0.0], check=False).tolist() == [-1]
    with pytest.raises(eigpack.LinAlgError):
        eigpack.eigvals_affine([[[np.nan]]], np.zeros((2, 0)))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 2, 3)])
def test_not_square(shape):
    for call in (eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh):
        with pytest.raises(np.linalg.LinAlgError, match="square"):
            call(np.zeros(shape))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: eigpack.eigvalsh(np.eye(2), "X"), "UPLO is 'X'"),
        (lambda: eigpack.eigvals_affine(np.zeros((2, 2, 2)), np.zeros((3, 2))), "shape"),
        (lambda: eigpack.eigvals_affine(np.zeros((2, 2, 2)), 1.0), "shape"),
        (lambda: eigpack.eigvals_affine(np.zeros((1, 2, 2)), np.zeros((3, 0)), "speed"), "measure is 'speed'"),
        (lambda: eigpack.eigvals_affine(np.zeros((1, 0, 0)), np.zeros((3, 0)), "radius"), "order 0"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1, 2]), "one element less"),
        (lambda: eigpack.eigvalsh_tridiagonal(np.ones((2, 3)), np.ones((3, 2))), "leading dimensions of d and e do not broadcast"),
        (lambda: eigpack.eigvalsh_tridiagonal(1.0, []), "at least one dimension"),
        (lambda: eigpack.eigh_tridiagonal(np.ones((0, 2)), np.ones((2, 1))), "do not broadcast"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0, 1), subset_by_index=(0, 1)), "leave select at 'a'"),
        (lambda: eigpack.eigh_tridiagonal([1, 2], [1], subset_by_index=(0, 2)), "subset_by_index is .* 0 <= min <= max < 2"),
        (lambda: eigpack.eigh(np.eye(2), subset_by_index=(0, 2)), "subset_by_index is .* 0 <= min <= max < 2"),
        (lambda: eigpack.eigvalsh(np.eye(2), subset_by_index=(0.5, 1)), "subset_by_index must hold integers$"),
        (lambda: eigpack.eigh(np.eye(2), subset_by_value=(1, 1)), "subset_by_value is .* below"),
        (lambda: eigpack.eigh(np.eye(2), subset_by_value=(1, 2), subset_by_index=(0, 1)), "two choices"),
        (lambda: eigpack.eigh(np.ones((1, 2, 2)), subset_by_value=(1, 2)), "one matrix"),
        (lambda: eigpack.eigvalsh(np.zeros((0, 0)), subset_by_index=(0, 0)), "0 <= min <= max < 0"),
        (lambda: eigpack.eigh(np.eye(2), method="mrrr"), "method is 'mrrr': use one of 'auto', 'jacobi', 'tridiagonal', 'reference'"),
        (lambda: eigpack.eigvals(np.eye(2), method="jacobi"), "'swb'"),
        (lambda: eigpack.eigh_tridiagonal([1, 2], [1], method="multisection"), "'mrrr'"),
        (lambda: eigpack.eigh_tridiagonal([1, 2], [1], True, method="mrrr"), "'multisection'"),
        (lambda: eigpack.eigh(np.eye(2), method="tridiagonal", relative=True), "relative"),
        (lambda: eigpack.sturm_count(np.ones((2, 3)), np.ones(2), [0.0, 0.0, 0.0]), "leading dimensions"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "x"), "select is 'x'"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i"), "pair"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0, 2)), "0 <= min <= max < 2"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (-1, 1)), "0 <= min"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0.5, 1)), "integers"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (0, np.inf)), "integers"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "i", (np.nan, 1)), "integers"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "v", (1, 1)), "below"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], "v", (np.nan, 1)), "below"),
        (lambda: eigpack.eigvalsh_tridiagonal([[1, 2]], [[1]], "v", (0, 1)), "one matrix"),
        (lambda: eigpack.eigh_tridiagonal([[1, 2]], [[1]], select="v", select_range=(0, 1)), "one matrix"),
        (lambda: eigpack.eigvalsh_tridiagonal([1, 2], [1], tol=-1.0), "tol is -1.0"),
        (lambda: eigpack.sturm_count([[1, 2]], [[1]], [0.0, 0.0]), "leading dimensions"),
        (lambda: eigpack.eigvals(np.eye(2), device="gpu"), "unknown device"),
        (lambda: eigpack.eigvals(np.eye(2), device=""), "unknown device"),
        (lambda: eigpack.describe("gpu"), "unknown device"),
        (lambda: eigpack.set_threads(-1), "0 to 65536"),
    ],
)
def test_refused_values(call, text):
    with pytest.raises(ValueError, match=text):
        call()


HUGE = 10**400
NEITHER = [1j, b"L", {}, {0: 1}, object, np.ones(2), np.ones((2, 2)), [np.ones(2), 1.0], ["a", "b"], [None, 1], [HUGE]]
WORDS, TRUTHS = ["", "X", "ab", "cpu\0", "\udc80"], [True, False, np.True_, np.array(True)]
NUMBERS = [0, 1, 2.0, 2.5, -1, np.nan, np.inf, HUGE, 10**5000, np.float32(2.5), np.int8(1), np.array(1.0)]
D, E = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5])
FUNCTIONS = {
    "eigvals": lambda **o: eigpack.eigvals(np.eye(2), **o),
    "eigvals_affine": lambda **o: eigpack.eigvals_affine(np.zeros((1, 2, 2)), np.zeros((3, 0)), **o),
    "eigvalsh": lambda **o: eigpack.eigvalsh(np.eye(2), **o),
    "eigh": lambda **o: eigpack.eigh(np.eye(2), **o),
    "eigvalsh_tridiagonal": lambda **o: eigpack.eigvalsh_tridiagonal(D, E, **o),
    "eigh_tridiagonal": lambda **o: eigpack.eigh_tridiagonal(D, E, **o),
    "sturm_count": lambda **o: eigpack.sturm_count(D, E, D, **o),
    "set_threads": eigpack.set_threads,
    "describe": eigpack.describe,
}
# The options of each kind: values of a wrong type, and those of the right one that are refused.
KINDS = {
    "name": ([None, *TRUTHS, *NUMBERS, *NEITHER], WORDS),
    "flag": ([None, np.array(True), *NUMBERS, *WORDS, *NEITHER], []),
    "tol": ([None, *TRUTHS, *WORDS, *NEITHER], [-1, np.nan, np.inf, HUGE, 10**5000]),
    "steps": ([2.0, np.nan, *TRUTHS, *WORDS, *NEITHER], [-1, HUGE, 10**5000]),
    "threads": (
        [None, 2.0, 2.5, np.nan, np.inf, np.float32(2.5), np.array(1.0), *TRUTHS, *WORDS, *NEITHER],
        [-1, 65537, HUGE, 10**5000, np.int64(-1)],
    ),
    "range": (
        [*NUMBERS, *TRUTHS, *WORDS, 1j, b"ab", object, np.ones((2, 2)), ["a", "b"], [None, 1], [True, False], (0, 1j)],
        [None, (), (1,), (0, 1, 2), np.ones(3), (1, 0), (np.nan, 1), (0, np.nan), [0, HUGE], [-(10**5000), 1]],
    ),
}
KINDS["subset"] = KINDS["range"]
NAMED = ["eigvals", "eigvals_affine", "eigvalsh", "eigh", "eigvalsh_tridiagonal", "eigh_tridiagonal", "sturm_count"]
PAIR = ["eigvalsh_tridiagonal", "eigh_tridiagonal"]
HERMITIAN, GENERAL = ["eigvalsh", "eigh"], ["eigvals", "eigvals_affine"]
OPTIONS = [
    *[(function, "device", "name", {}) for function in [*NAMED, "describe"]],
    *[(function, "check", "flag", {}) for function in NAMED],
    *[(function, "UPLO", "name", {}) for function in ("eigvalsh", "eigh")],
    *[(function, "return_info", "flag", {}) for function in NAMED],
    *[(function, "method", "name", {}) for function in [*GENERAL, *HERMITIAN, *PAIR]],
    *[(function, "balance", "flag", {}) for function in GENERAL],
    *[(function, "max_steps", "steps", {}) for function in GENERAL],
    *[(function, "relative", "flag", {}) for function in HERMITIAN],
    *[(function, f"subset_by_{by}", "subset", {}) for function in [*HERMITIAN, *PAIR] for by in ("index", "value")],
    ("eigvals_affine", "measure", "name", {}),
    *[(function, "select", "name", {}) for function in PAIR],
    *[(function, "select_range", "range", {"select": select}) for function in PAIR for select in "iv"],
    *[(function, "check_finite", "flag", {}) for function in PAIR],
    *[(function, "tol", "tol", {}) for function in PAIR],
    ("eigvalsh_tridiagonal", "bounds", "flag", {}),
    ("eigh_tridiagonal", "eigvals_only", "flag", {}),
    ("set_threads", "threads", "threads", {}),
]
MAY_BE_NONE = ("device", "check", "measure", "max_steps", "subset_by_index", "subset_by_value")


@pytest.mark.parametrize("function, option, kind, others", OPTIONS)
def test_refused_options(function, option, kind, others):
    """A value of a wrong type raises TypeError, another wrong value ValueError, in one line that names the option."""
    types, values = KINDS[kind]
    for error, wrong in [(TypeError, x) for x in types] + [(ValueError, x) for x in values]:
        if wrong is None and option in MAY_BE_NONE:
            FUNCTIONS[function](**{option: None})
            continue
        with pytest.raises((TypeError, ValueError)) as caught:
            FUNCTIONS[function](**{option: wrong}, **others)
        text = str(caught.value)
        assert type(caught.value) is error, (_arguments.shown(wrong), text)
        assert text.startswith((option, "unknown device")) and "\n" not in text and len(text) < 200, text


@pytest.mark.parametrize(
    "function, options",
    [
        ("eigvals", {"device": "cpu", "check": np.False_}),
        ("eigvalsh", {"UPLO": np.str_("U")}),
        ("eigvals_affine", {"measure": "radius"}),
        *[("eigvalsh_tridiagonal", {"tol": tol}) for tol in (0, 1, 1.0, np.float32(1), np.array(1.0), np.int8(1))],
        *[("eigvalsh_tridiagonal", {"select": "i", "select_range": x}) for x in ([0, 1], (0.0, 1.0), np.array([0, 1]))],
        *[("eigh_tridiagonal", {"select": "v", "select_range": x}) for x in ([0, 2], (-np.inf, np.inf), np.array([0, 2.5]))],
        *[("set_threads", {"threads": x}) for x in (1, np.int64(2), np.array(1), 65536, 0)],
    ],
)
def test_options_that_are_taken(function, options):
    FUNCTIONS[function](**options)


@pytest.mark.parametrize("wrong", [None, "x", {}, object, [None, 1], [HUGE, 1]])
def test_refused_arrays(wrong):
    calls = {
        "a": [eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh, lambda x: eigpack.eigvals_affine(x, np.zeros((3, 1)))],
        "x": [lambda x: eigpack.eigvals_affine(np.zeros((2, 2, 2)), x), lambda x: eigpack.sturm_count(D, E, x)],
        "d": [lambda x: f(x, E) for f in (eigpack.eigvalsh_tridiagonal, eigpack.eigh_tridiagonal)],
        "e": [lambda x: f(D, x) for f in (eigpack.eigvalsh_tridiagonal, eigpack.eigh_tridiagonal)],
    }
    calls["d"].append(lambda x: eigpack.sturm_count(x, E, D))
    calls["e"].append(lambda x: eigpack.sturm_count(D, x, D))
    for name, some in calls.items():
        for call in some:
            with pytest.raises(TypeError, match=f"^{name} (has elements of type|is None)"):
                call(wrong)


def test_the_way_out_is_told():
    """Arrays of libraries that become objects in NumPy."""
    sparse, nullable = type("csr_matrix", (), {"toarray": None}), type("DataFrame", (), {"to_numpy": None})
    sparse.__module__, nullable.__module__ = "scipy.sparse._csr", "pandas.core.frame"
    for wrong, text in (
        (None, "^a is None: it must be an array of numbers$"),
        (sparse(), r"^a is a scipy csr_matrix, which is sparse: pass a\.toarray\(\)$"),
        (nullable(), r"^a is a pandas DataFrame with .*: pass a\.to_numpy\(float\)$"),
    ):
        for call in (eigpack.eig, eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh, eigpack.schur):
            with pytest.raises(TypeError, match=text):
                call(wrong)
    with pytest.raises(TypeError, match=r"^e is a scipy csr_matrix, .* pass e\.toarray"):
        eigpack.eigh_tridiagonal(D, sparse())


def test_real_strangers():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"^a is a scipy \w+, which is sparse: pass a\.toarray\(\)$"):
        eigpack.eigvalsh(scipy_sparse.eye(3))
    assert eigpack.eigvalsh(scipy_sparse.eye(3).toarray()).tolist() == [1, 1, 1]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.diag([1.0, 2.0]))
    assert eigpack.eigvalsh(frame).tolist() == [1, 2]
    frame = frame.astype("Float64")
    frame.iloc[0, 1] = pandas.NA
    with pytest.raises(TypeError, match=r"^a is a pandas DataFrame .*: pass a\.to_numpy\(float\)$"):
        eigpack.eigvalsh(frame)


def test_masked():
    """A masked array is refused where something is masked: what lies under the mask would be taken."""
    a = np.ma.array(np.diag([1.0, 2.0]), mask=False)
    assert eigpack.eigvalsh(a).tolist() == [1, 2]
    a[0, 1] = np.ma.masked
    for call in (eigpack.eig, eigpack.eigvals, eigpack.eigvalsh, eigpack.eigh, eigpack.roots):
        with pytest.raises(ValueError, match=r"is a masked array, 1 of 4 elements are masked: pass [ap]\.filled\(value\)$"):
            call(a)
    assert eigpack.eigvalsh(a.filled(0)).tolist() == [1, 2]


def test_ragged_rows():
    with pytest.raises(ValueError, match="^a is no array: "):
        eigpack.eigvals([[1.0, 2.0], [3.0]])


def test_device_error():
    with pytest.raises(eigpack.DeviceError) as caught:
        eigpack.eigvals(np.eye(2), device="cuda:9999")
    assert str(caught.value)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is eigpack.DeviceError and str(copy) == str(caught.value)


def test_memory_error():
    """A workspace beyond the address space is refused before anything is read."""
    n = 2**24
    choice = ("M", "L", True, 0, False, False), ("A", 0, 0, 0.0, 0.0), n
    assert _core.heev_work("cpu", "d", *choice, True, 1) > 2**48
    with pytest.raises(MemoryError, match="workspace"):
        _core.heev("cpu", 0, 0, 0, "d", *choice, 64, n, n * n, 0, 64, 64, 0, 1, 0, 0)


def test_usable_after_errors():
    with pytest.raises(ValueError):
        eigpack.eigvalsh_tridiagonal([1, 2], [1], tol=-1.0)
    assert eigpack.eigvalsh(np.eye(2)).tolist() == [1, 1]
