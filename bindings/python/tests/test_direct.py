"""The short road of plain calls has the bits of the long one, and leaves to it what it does not serve."""

import threading

import eigpack
import numpy as np
import pytest
from eigpack import _core, _direct

TYPES = (np.float32, np.float64, np.complex64, np.complex128)
DENSE = ("eigvals", "eig", "eigvalsh", "eigh")


def matrices(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return np.ascontiguousarray((a if np.dtype(dtype).kind == "c" else a.real).astype(dtype))


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def same(x, y):
    for a, b in zip(parts(x), parts(y), strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.fixture
def short(monkeypatch):
    """How many calls went the short road."""
    calls = []
    plain = _core.plain_host
    monkeypatch.setattr(_direct, "plain_host", lambda *a: calls.append(a[0]) or plain(*a))
    return calls


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", DENSE)
def test_bits_of_the_long_road(name, dtype, short):
    call = getattr(eigpack, name)
    for shape in ((1, 1), (2, 2), (3, 3), (17, 17), (40, 40), (5, 3, 3), (2, 70, 4, 4)):
        a = matrices(shape, dtype)
        same(call(a), call(a, device="cpu"))
    assert len(short) == 7


@pytest.mark.parametrize("dtype", TYPES[:2])
@pytest.mark.parametrize("name", ("eigvalsh_tridiagonal", "eigh_tridiagonal"))
def test_bits_of_tridiagonals(name, dtype, short):
    call = getattr(eigpack, name)
    for n in (1, 2, 3, 40, 90):
        d, e = matrices((n,), dtype), matrices((n - 1,), dtype, 1)
        same(call(d, e), call(d, e, device="cpu"))
    assert len(short) == 5


def test_triangles(short):
    a = matrices((4, 3, 3), np.float64)
    for triangle in "LlUu":
        same(eigpack.eigh(a, triangle), eigpack.eigh(a, triangle, device="cpu"))
        same(eigpack.eigvalsh(a, UPLO=triangle), eigpack.eigvalsh(a, triangle, device="cpu"))
    assert len(short) == 8
    assert not np.array_equal(eigpack.eigvalsh(a, "L"), eigpack.eigvalsh(a, "U"))


class Mine(np.ndarray):
    pass


def test_what_it_leaves(short):
    a = matrices((6, 4, 4), np.float64)
    memory = np.empty(a.nbytes + 1, np.uint8)
    crooked = memory[1:].view(np.float64).reshape(a.shape) if memory.ctypes.data % 8 == 0 else None
    others = [a.tolist(), a[::2], a.swapaxes(-1, -2), a.astype(">f8"), a.view(Mine), a.astype(np.int64), a[:0], a[:, :0, :0]]
    if crooked is not None:
        crooked[...] = a
        others.append(crooked)
    for x in others:
        same(np.asarray(eigpack.eigvalsh(x)), np.asarray(eigpack.eigvalsh(x, device="cpu")))
    assert short == []
    for call in (lambda: eigpack.eigh(a, "X"), lambda: eigpack.eigh(a[0, 0]), lambda: eigpack.eigh(a[:, :2])):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        eigpack.eigh(a, None)
    assert short == []


def test_failures(short):
    a = matrices((100, 3, 3), np.float64)
    a[7, 0, 0] = a[9, 2, 1] = np.nan
    for name in DENSE:
        with pytest.raises(eigpack.LinAlgError) as told:
            getattr(eigpack, name)(a)
        assert (told.value.count, told.value.first) == (2, 7)
    d = np.array([1.0, np.inf, 2.0])
    for name in ("eigvalsh_tridiagonal", "eigh_tridiagonal"):
        with pytest.raises(eigpack.LinAlgError) as told:
            getattr(eigpack, name)(d, np.ones(2))
        assert (told.value.count, told.value.first) == (1, 0)
    assert len(short) == 6


def test_the_result_is_a_named_pair():
    pair = eigpack.eigh(np.diag([3.0, 1.0]))
    assert type(pair) is eigpack.EighResult and pair.eigenvalues is pair[0] and pair.eigenvectors is pair[1]
    assert pair._asdict().keys() == {"eigenvalues", "eigenvectors"}


def test_threads():
    """Each thread has a context of its own."""
    a, found = matrices((50, 8, 8), np.float64), []
    expected = eigpack.eigvalsh(a).tobytes()

    def work():
        for _ in range(50):
            found.append(eigpack.eigvalsh(a).tobytes() == expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200 and all(found)


def test_torch_tensors(short, monkeypatch):
    """A tensor that nobody watches goes at once; one that somebody watches has its derivative and its transforms."""
    torch = pytest.importorskip("torch")
    from eigpack import _torch

    plain, calls = _core.plain_host, []
    monkeypatch.setattr(_torch._core, "plain_host", lambda *a: calls.append(a[0]) or plain(*a))
    a = torch.from_numpy(matrices((5, 3, 3), np.float64))
    a = a + a.mT
    expected = torch.ops.eigpack.eigh(a, "L", "", True)
    for _ in range(2):
        w, v = eigpack.eigh(a)
        assert torch.equal(w, expected[0]) and torch.equal(v, expected[1])
    assert calls == ["v", "v"]
    eigpack.eigvalsh(a.clone().requires_grad_()).sum().backward()
    torch.vmap(eigpack.eigvalsh)(a)
    torch.func.jvp(eigpack.eigvalsh, (a,), (a,))
    eigpack.eigvalsh(a.mT)
    assert calls == ["v", "v"]
    with torch.no_grad():
        eigpack.eigvals(a.clone().requires_grad_())
    assert calls == ["v", "v", "g"]
