"""float16, and bfloat16 of PyTorch and JAX: converted on load, results in float32, or kept."""

import eigpack
import numpy as np
import pytest
from conftest import DEVICE, hermitian, made

LIBRARIES = {"numpy": ["float16"], "torch": ["float16", "bfloat16"], "jax.numpy": ["float16", "bfloat16"], "cupy": ["float16"]}


def cases():
    for library, types in LIBRARIES.items():
        for dtype in types:
            yield pytest.param(library, dtype, id=f"{library}-{dtype}")


def halves(library, dtype, *arrays):
    """Arrays of the library in this type, and the same numbers in single precision, of NumPy."""
    lib = pytest.importorskip(library)
    if library == "cupy" and not lib.cuda.is_available():
        pytest.skip("no GPU")
    make = getattr(lib, "asarray")
    found = [make(x, dtype=getattr(lib, dtype)) for x in arrays]
    return found, [np.asarray(x.tolist(), np.float32) for x in found]


def name_of(x):
    return str(x.dtype).rpartition(".")[2]


@pytest.mark.parametrize("library, dtype", list(cases()))
@pytest.mark.parametrize("keep", [False, True])
def test_half_precision(rng, library, dtype, keep):
    given = made(rng, float, 3, 6, 6), hermitian(rng, float, 3, 6, 6), made(rng, float, 2, 9), made(rng, float, 2, 8)
    (a, h, d, e), (a4, h4, d4, e4) = halves(library, dtype, *given)
    wanted = dtype if keep else "float32"
    for call, arrays, same in (
        (eigpack.eigvalsh, (h,), (h4,)), (eigpack.eigh, (h,), (h4,)), (eigpack.eigvals, (a,), (a4,)), (eigpack.eig, (a,), (a4,)),
        (eigpack.roots, (a,), (a4,)), (eigpack.eigvalsh_tridiagonal, (d, e), (d4, e4)), (eigpack.eigh_tridiagonal, (d, e), (d4, e4)),
        (eigpack.eigvals_affine, (a, a[0, :, :2]), (a4, a4[0, :, :2])),
    ):  # fmt: skip
        found, expected = call(*arrays, keep_half=keep), call(*same)
        several = [x if isinstance(x, tuple) else (x,) for x in (found, expected)]
        assert type(found) is type(expected) or not isinstance(expected, tuple)
        for one, other in zip(*several, strict=True):
            assert name_of(one) == (wanted if other.dtype == np.float32 else "complex64"), call
        eps = {"float16": 2e-3, "bfloat16": 2e-2}[dtype] if keep else 1e-4
        w = np.asarray(several[0][0].tolist())
        assert np.abs(np.sort_complex(w) - np.sort_complex(several[1][0])).max() < eps * np.abs(several[1][0]).max(), call
    assert eigpack.sturm_count(d, e, d, keep_half=keep).tolist() == eigpack.sturm_count(d4, e4, d4).tolist()
    assert name_of(eigpack.schur(a, keep_half=keep).T) == wanted
    assert name_of(eigpack.eigvals_affine(a, a[0, :, :2], "radius", keep_half=keep)) == wanted


def test_what_is_not_half_alone(rng):
    """A partner of another type decides; what an Info tells stays in single precision; complex numbers have no half."""
    d, e = made(rng, "f2", 5), made(rng, "f2", 4)
    assert eigpack.eigvalsh_tridiagonal(d, e.astype("f4"), keep_half=True, device=DEVICE).dtype == np.float32
    assert eigpack.eigvalsh_tridiagonal(d, e.astype("f8"), keep_half=True, device=DEVICE).dtype == np.float64
    (w, v), told = eigpack.eigh_tridiagonal(d, e, return_info=True, keep_half=True, device=DEVICE)
    assert w.dtype == v.dtype == np.float16 and told.residual.dtype == np.float32 and told.residual.max() < 1e-5
    assert eigpack.eigh_tridiagonal(d, e, True, keep_half=True, device=DEVICE).dtype == np.float16
    a = hermitian(rng, "f8", 3, 3)
    assert np.array_equal(eigpack.eigvalsh(a, keep_half=True, device=DEVICE), eigpack.eigvalsh(a, device=DEVICE))
    with pytest.raises(TypeError, match="keep_half is 1: use True or False"):
        eigpack.eigh(a.astype("f2"), keep_half=1)


def test_derivatives_come_back_in_half():
    torch = pytest.importorskip("torch")
    x = torch.diag(torch.tensor([3.0, 1.0])).bfloat16().requires_grad_()
    eigpack.eigh(x).eigenvalues[0].backward()
    assert x.grad.dtype == torch.bfloat16 and x.grad.tolist() == [[0, 0], [0, 1]]
    assert torch.vmap(eigpack.eigvalsh)(x.detach().expand(3, 2, 2)).tolist() == [[1, 3]] * 3


def test_jit_of_half():
    jax = pytest.importorskip("jax")
    from eigpack import _jax

    if _jax.lacks():
        pytest.skip(f"eigpack {_jax.lacks()}")
    x = jax.numpy.diag(jax.numpy.array([3, 1], jax.numpy.bfloat16))
    assert jax.jit(eigpack.eigvalsh)(x).tolist() == [1, 3]
    assert jax.grad(lambda x: eigpack.eigvalsh(x)[0])(x).dtype == jax.numpy.bfloat16
