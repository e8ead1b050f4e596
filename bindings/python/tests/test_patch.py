"""patch_numpy, unpatch_numpy, patched_numpy, python -m eigpack: what is routed, what is kept, and that nothing else changes."""

import subprocess
import sys
import threading

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, check_pairs, hermitian, made
from eigpack import _patch



def outcomes(call):
    """What was counted while call() ran, and its result or exception."""
    before = eigpack.routed()
    with eigpack.patched_numpy(DEVICE):
        try:
            result = call()
        except Exception as error:  # noqa: BLE001
            result = error
    found = {}
    for name, counts in eigpack.routed().items():
        for outcome, count in counts.items():
            more = count - before.get(name, {}).get(outcome, 0)
            if more:
                found[name.rpartition(".")[2], outcome] = more
    return found, result


def test_on_and_off(rng):
    a, before = hermitian(rng, float, 3, 3), {name: getattr(np.linalg, name) for name in ("eig", "eigh", "eigvals", "eigvalsh", "norm")}
    eigpack.patch_numpy(DEVICE)
    try:
        inside = np.linalg.eigh
        assert inside is not before["eigh"] and np.linalg.norm is before["norm"]
        with eigpack.patched_numpy(DEVICE):
            assert np.linalg.eigh is inside
        assert np.linalg.eigh is inside
        eigpack.patch_numpy(DEVICE)  # twice is once
        w, v = np.linalg.eigh(a)
        assert type(np.linalg.eigh(a)) is type(before["eigh"](a)) and np.array_equal(w, eigpack.eigvalsh(a, device=DEVICE))
        check_pairs(a, w, v)
    finally:
        eigpack.unpatch_numpy()
    assert all(getattr(np.linalg, name) is function for name, function in before.items())
    counted = eigpack.routed()
    inside(a)  # somebody took it along: it is NumPy's again
    assert eigpack.routed() == counted
    eigpack.unpatch_numpy()  # nothing is on


def test_the_context_ends_with_an_exception():
    before = np.linalg.eigh
    with pytest.raises(ZeroDivisionError), eigpack.patched_numpy():
        assert np.linalg.eigh is not before
        raise ZeroDivisionError
    assert np.linalg.eigh is before
    eigpack.patch_numpy()
    with eigpack.patched_numpy():
        eigpack.unpatch_numpy()
        assert np.linalg.eigh is not before
    assert np.linalg.eigh is before


def test_all_threads():
    seen = []
    with eigpack.patched_numpy():
        thread = threading.Thread(target=lambda: seen.append(outcomes(lambda: np.linalg.eigvalsh(np.eye(2)))[0]))
        thread.start()
        thread.join()
    assert seen == [{("eigvalsh", "eigpack"): 1}]


def test_devices_are_looked_at():
    for call in (eigpack.patch_numpy, eigpack.patched_numpy):
        with pytest.raises(ValueError, match="device"):
            call("")
        with pytest.raises(TypeError, match="device"):
            call(0)
        with pytest.raises(ValueError, match="nonsense"):
            call("nonsense")
    assert not _patch.switch.is_on
    eigpack.patch_numpy("cpu")
    with eigpack.patched_numpy():
        assert _patch.Place.device is None
    assert _patch.Place.device == "cpu"
    eigpack.unpatch_numpy()


class Named(np.ndarray):
    """A subclass that NumPy's functions keep."""


class Own(np.ndarray):
    """A subclass with functions of its own."""

    def __array_function__(self, function, types, arguments, options):
        return function.__name__


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", ">f8", "i4", "?"])
def test_results_have_numpys_types(rng, dtype):
    """As without: types, shapes, kinds of results; numbers to rounding."""
    a = made(rng, "c16", 4, 5, 5) if "c" in dtype else 3 * made(rng, "f8", 4, 5, 5)
    a = a.astype(dtype)
    h = a + a.swapaxes(-1, -2).conj()
    if dtype == "?":  # eigenvalues that are far apart
        a = h = np.tile(np.tri(5, k=1) * np.tri(5, k=1).T != 0, (4, 1, 1))
    triangle = np.triu(a[0])  # whose eigenvalues are real
    for x in (h, h[0], np.asfortranarray(h[0]), h[:, ::-1, ::-1], h.tolist(), h[0].view(Named)):
        for name, call in {
            "eigh": lambda: np.linalg.eigh(x), "eigvalsh": lambda: np.linalg.eigvalsh(x, "u"), "eig": lambda: np.linalg.eig(x),
            "eigvals": lambda: np.linalg.eigvals(x),
        }.items():  # fmt: skip
            found, inside = outcomes(call)
            assert found == {(name, "eigpack"): 1}
            same(inside, call())
    for call in (lambda: np.linalg.eig(triangle), lambda: np.linalg.eigvals(triangle), lambda: np.linalg.eig(a)):
        same(outcomes(call)[1], call())


def same(inside, outside):
    pair = isinstance(outside, tuple)
    assert type(inside) is type(outside)
    for one, other in zip(inside if pair else [inside], outside if pair else [outside], strict=True):
        assert type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
    w, expected = (np.sort_complex(np.asarray(x[0] if pair else x).ravel()) for x in (inside, outside))
    single = (inside[0] if pair else inside).dtype.char in "fF"
    assert np.abs(w - expected).max() < (1e-3 if single else 1e-11)


def test_what_is_kept(rng):
    eye, nan = np.eye(3), np.diag([1.0, np.nan])
    cases = [
        ("eigh", "float16", lambda: np.linalg.eigh(eye.astype("f2")), TypeError),
        ("eigvals", "object", lambda: np.linalg.eigvals(eye.astype(object)), TypeError),
        ("eigvalsh", "longdouble float128", lambda: np.linalg.eigvalsh(eye.astype(np.longdouble)), TypeError),
        ("eig", "not square", lambda: np.linalg.eig(eye[:2]), np.linalg.LinAlgError),
        ("eigvalsh", "empty", lambda: np.linalg.eigvalsh(eye[:0, :0]), np.ndarray),
        ("eigh", "ValueError", lambda: np.linalg.eigh(eye, "X"), ValueError),
        ("eigvals", "LinAlgError", lambda: np.linalg.eigvals(nan), np.linalg.LinAlgError),
        ("eigh", "Own", lambda: np.linalg.eigh(eye.view(Own)), str),
        ("eigh", "masked array", lambda: np.linalg.eigh(np.ma.masked_equal(eye, 0)), tuple),
        ("eigh", "TypeError", lambda: np.linalg.eigh(eye, wrong=1), TypeError),
        ("eigh", "TypeError", lambda: np.linalg.eigh(), TypeError),
    ]
    for name, reason, call, kind in cases:
        found, result = outcomes(call)
        assert [key for key in found if key[0] == name and key[1] in reason] and len(found) == 1, (found, reason)
        assert isinstance(result, kind), result
        if isinstance(result, Exception):
            assert not isinstance(result, eigpack.LinAlgError)  # NumPy's own
            with pytest.raises(type(result)) as outside:
                call()
            assert str(outside.value) == str(result)


def test_callers_within_numpy(rng):
    a = hermitian(rng, float, 4, 4)
    for name, call in (
        ("eigvals", lambda: np.roots([1.0, -6.0, 11.0, -6.0])),
        ("eigvals", lambda: np.poly1d([1.0, -6.0, 11.0, -6.0]).r),
        ("eigvals", lambda: np.polynomial.Polynomial([-6.0, 11.0, -6.0, 1.0]).roots()),
        ("eigvals", lambda: np.poly(a)),
        ("eigh", lambda: np.linalg.pinv(a, hermitian=True)),
        ("eigh", lambda: np.linalg.svd(a, hermitian=True)[1]),
    ):
        found, result = outcomes(call)
        assert found[name, "eigpack"] == 1 and np.allclose(np.sort_complex(result.ravel()), np.sort_complex(call().ravel())), name


def test_scipy(rng):
    linalg = pytest.importorskip("scipy.linalg")
    a, h, d, e = made(rng, float, 5, 5), hermitian(rng, complex, 5, 5), made(rng, float, 9), made(rng, float, 8)
    x = np.triu(a)
    served = [
        ("eigh", lambda: linalg.eigh(h)), ("eigh", lambda: linalg.eigh(h, lower=False, check_finite=False)),
        ("eigh", lambda: linalg.eigh(h, eigvals_only=True, subset_by_index=[1, 3])), ("eigh", lambda: linalg.eigh(h, subset_by_value=[0, np.inf])),
        ("eigvalsh", lambda: linalg.eigvalsh(h, subset_by_index=(0, 1))), ("eigvalsh", lambda: linalg.eigvalsh(np.stack([h, h]))),
        ("eig", lambda: linalg.eig(a)), ("eig", lambda: linalg.eig(x, left=True)), ("eig", lambda: linalg.eig(a, left=True, right=False)),
        ("eig", lambda: linalg.eig(a, right=False)), ("eigvals", lambda: linalg.eigvals(x)), ("eig", lambda: linalg.eig(np.stack([a, a]))),
        ("eigh_tridiagonal", lambda: linalg.eigh_tridiagonal(d, e)), ("eigh_tridiagonal", lambda: linalg.eigh_tridiagonal(d, e, True, "i", (0, 2))),
        ("eigvalsh_tridiagonal", lambda: linalg.eigvalsh_tridiagonal(d, e, select="v", select_range=(-1, 1))),
    ]  # fmt: skip
    for number, (name, call) in enumerate(served):
        found, inside = outcomes(call)
        assert found == {(name, "eigpack"): 1}, (number, found)
        try:
            outside = call()
        except ValueError:  # SciPy before 1.15 has no batches
            assert isinstance(inside, np.ndarray) and inside.ndim > 1 or inside[0].ndim > 1
            continue
        several = [x if isinstance(x, tuple | list) else (x,) for x in (inside, outside)]  # SciPy has lists for batches
        for one, other in zip(*several, strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape, number
        first = [np.sort_complex(x[0].ravel()) for x in several]
        assert np.allclose(*first, atol=1e-12), number
    kept = [
        ("eigh", "b", lambda: linalg.eigh(h, np.eye(5))), ("eigh", "driver", lambda: linalg.eigh(h, driver="evd")),
        ("eigh", "overwrite_a", lambda: linalg.eigh(h.copy(), overwrite_a=True)), ("eigvals", "overwrite_a", lambda: linalg.eigvals(a.copy(), overwrite_a=True)),
        ("eigvalsh", "overwrite_a", lambda: linalg.eigvalsh(h.copy(), overwrite_a=True)), ("eigvals", "b", lambda: linalg.eigvals(a, np.eye(5))), ("eig", "homogeneous_eigvals", lambda: linalg.eig(a, homogeneous_eigvals=True)),
        ("eigvalsh_tridiagonal", "lapack_driver", lambda: linalg.eigvalsh_tridiagonal(d, e, lapack_driver="stebz")),
        ("eigvalsh_tridiagonal", "tol", lambda: linalg.eigvalsh_tridiagonal(d, e, tol=1e-9)),
        ("eigvalsh", "ValueError", lambda: linalg.eigvalsh(h, subset_by_index=[3, 1])), ("eigh", "float16", lambda: linalg.eigh(h.real.astype("f2"))),
        ("eigh", "LinAlgError", lambda: linalg.eigh(h * np.nan)), ("eigh_tridiagonal", "TypeError", lambda: linalg.eigh_tridiagonal(d + 0j, e)),
    ]  # fmt: skip
    for name, reason, call in kept:
        found, inside = outcomes(call)
        assert found.get((name, reason)) == 1, (name, reason, found)
        if isinstance(inside, Exception):
            assert not isinstance(inside, eigpack.LinAlgError)
            with pytest.raises(type(inside)):
                call()
        else:
            assert np.allclose(*(x[0] if isinstance(x, tuple) else x for x in (inside, call())))


SCRIPT = """import sys
import numpy as np
from numpy.linalg import eigvalsh
print(eigvalsh(np.eye(2)).tolist(), np.roots([1, -1]).tolist(), sys.argv[1:], __name__)
if sys.argv[-1] == "fail": raise SystemExit(3)
"""


def ran(*arguments, cwd):
    done = subprocess.run([sys.executable, "-m", "eigpack", *arguments], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_scripts(tmp_path):
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / "script.py").write_text("import helper\n" + SCRIPT)
    answer = "[1.0, 1.0] [1.0] {} __main__\n"
    told = "numpy.linalg.eigvals: 1 by eigpack\nnumpy.linalg.eigvalsh: 1 by eigpack\n"
    assert ran("--routed", "script.py", "a", "-m", cwd=tmp_path) == (0, answer.format(["a", "-m"]), told)
    assert ran(str(tmp_path / "script.py"), cwd="/") == (0, answer.format([]), "")
    assert ran("-m", "script", "--x", cwd=tmp_path) == (0, answer.format(["--x"]), "")
    assert ran("script.py", "fail", cwd=tmp_path)[0] == 3
    for wrong in ((), ("--what", "script.py"), ("-m",)):
        status, output, errors = ran(*wrong, cwd=tmp_path)
        assert (status, output) == (2, "") and errors.startswith("usage: python -m eigpack [--routed] SCRIPT")
    assert ran("nothing.py", cwd=tmp_path)[0] == 1
