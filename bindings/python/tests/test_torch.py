"""PyTorch on the CPU, and on a GPU where there is one: results, operators, gradients, streams, graphs, memory."""

import os

import eigpack
import numpy as np
import pytest
import test_layouts
from conftest import arranged, arrangements, strided

torch = pytest.importorskip("torch")
GPU = torch.cuda.is_available()
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not GPU, reason="no GPU"))]
gpu = pytest.mark.skipif(not GPU, reason="no GPU")
on_both = pytest.mark.parametrize("device", DEVICES)
TYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]


def made(device, dtype, *shape):
    generator = torch.Generator().manual_seed(7)
    return torch.randn(shape, dtype=dtype, generator=generator).to(device)


def hermitian(device, dtype, *shape):
    x = made(device, dtype, *shape)
    return x + x.mH


def certify(a, w, v):
    eps, n = torch.finfo(a.dtype).eps, a.shape[-1]
    bound = 20 * n * eps * a.abs().sum(-1).amax()
    assert v.dtype == a.dtype and v.device == a.device
    assert ((a @ v - v * w.unsqueeze(-2)).abs() <= bound).all()
    assert ((v.mH @ v - torch.eye(n, device=a.device)).abs() <= 20 * n * eps).all()


@on_both
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 3, 10, 40])
def test_eigh(device, dtype, n):
    a = hermitian(device, dtype, 2, 3, n, n)
    for x in (a, a.mT.contiguous().mT, a.mH, a.movedim(0, -1).contiguous().movedim(-1, 0), a.expand(2, 2, 3, n, n)[1]):
        result = eigpack.eigh(x)
        assert type(result) is eigpack.EighResult
        certify(x, *result)
        bound = 20 * n * torch.finfo(dtype).eps * a.abs().sum(-1).amax()
        assert ((eigpack.eigvalsh(x, "U") - torch.linalg.eigvalsh(x)).abs() <= bound).all()


class AsNumpy:
    """eigpack with tensors in and NumPy's arrays out."""

    def __getattr__(self, name):
        def call(*arrays, device, **options):
            assert all(isinstance(x, torch.Tensor | str | tuple) for x in arrays)
            result = getattr(eigpack, name)(*arrays, **options)
            assert all(x.device == arrays[0].device for x in (result if isinstance(result, tuple) else [result]))
            return tuple(x.numpy(force=True) for x in result) if isinstance(result, tuple) else result.numpy(force=True)

        return call


def laid(device, a, how):
    """A tensor of a's elements in other memory."""
    flat, strides, offset = strided(a, *how)
    return torch.from_numpy(flat).to(device).as_strided(a.shape, strides, offset)


@on_both
@pytest.mark.parametrize("dtype", test_layouts.TYPES)
@pytest.mark.parametrize("shape", [(3, 5, 5), (5, 5), (2, 2, 3, 3)])
def test_strides_of_matrices(monkeypatch, rng, device, dtype, shape):
    monkeypatch.setattr(test_layouts, "eigpack", AsNumpy())
    matrices = test_layouts.Matrices(rng, dtype, *shape)
    for how in arrangements(len(shape), pads=(0, 1, 3) if len(shape) == 2 else (0, 3), signs=(1,)):
        matrices.look(lambda a: laid(device, a, how), how)  # noqa: B023
    if np.dtype(dtype).kind == "c":  # with the conjugate bit
        matrices.look(lambda a: laid(device, a.conj(), how).conj(), "conjugate")
    matrices.look(lambda a: -laid(device, 1j * a, how).conj().imag if a.dtype.kind == "f" else laid(device, a, how), "negative")
    matrices.look(lambda a: laid(device, a, how).requires_grad_().mT.mT, "gradients")


@on_both
@pytest.mark.parametrize("dtype", test_layouts.REAL)
def test_strides_of_several(monkeypatch, rng, device, dtype):
    monkeypatch.setattr(test_layouts, "eigpack", AsNumpy())
    for shape in ((3, 6), (6,), (2, 2, 3)):
        ways = list(arrangements(len(shape), signs=(1,)))
        several = test_layouts.Tridiagonals(rng, dtype, *shape)
        for k, how in enumerate(ways):
            hows = how, ways[(5 * k + 1) % len(ways)], ways[(7 * k + 2) % len(ways)]
            several.look(*[laid(device, a, how) for a, how in zip((several.d, several.e, several.x), hows)], hows)
    family, points = test_layouts.Family(rng, dtype), list(arrangements(2, signs=(1,)))
    for k, how in enumerate(arrangements(3, signs=(1,))):
        family.look(laid(device, family.a, how), laid(device, family.x, points[(5 * k) % len(points)]), how)


@on_both
def test_shared_elements(device):
    for name, a in test_layouts.shared():
        if min(a.strides) < 0:
            continue
        base = torch.from_numpy(np.lib.stride_tricks.as_strided(a, (40,), (8,)).copy()).to(device)
        x = base.as_strided(a.shape, [step // 8 for step in a.strides]) if a.size <= 40 or min(a.strides) == 0 else None
        if x is None:
            continue
        assert np.array_equal(x.numpy(force=True), a), name
        assert np.abs(eigpack.eigvalsh(x).numpy(force=True) - np.linalg.eigvalsh(a)).max() < 1e-13, name


@on_both
def test_mixed_types(device):
    d, e, a = np.array([[3.0, 1, 2], [2, 2, 1]]), np.array([[1.0, 1], [0, 1]]), np.arange(18.0).reshape(2, 3, 3) % 5
    types = [torch.float32, torch.float64, torch.int32, torch.bool]
    for first in types:
        for second in types:
            x, y, z = (torch.from_numpy(v).to(device, t) for v, t in ((d, first), (e, second), (a, first)))
            plain = [v.cpu().double().numpy() for v in (x, y, z)]
            dtype = torch.float32 if first == second == torch.float32 else torch.float64
            bound = 100 * torch.finfo(dtype).eps
            w, v = eigpack.eigh_tridiagonal(x, y)
            for one in (w, eigpack.eigvalsh_tridiagonal(x, y)):
                assert one.dtype == v.dtype == dtype
                assert np.abs(one.numpy(force=True) - eigpack.eigvalsh_tridiagonal(*plain[:2])).max() < bound, (first, second)
            counts = eigpack.sturm_count(x, x[:, 1:], y + 0.5)
            assert counts.tolist() == eigpack.sturm_count(plain[0], plain[0][:, 1:], plain[1] + 0.5).tolist()
            radius = eigpack.eigvals_affine(z, y[:, :1], "radius")
            assert radius.dtype == dtype
            assert np.abs(radius.numpy(force=True) - eigpack.eigvals_affine(plain[2], plain[1][:, :1], "radius")).max() < 9 * bound
            # A partner that is NumPy's, in any memory.
            for other in (arranged(e.astype(">f8"), (1, 0), (1, 2), (-1, -1)), e.tolist()):
                one = eigpack.eigvalsh_tridiagonal(x, other)
                bound = 100 * torch.finfo(one.dtype).eps  # a list has the default type of PyTorch
                assert np.abs(one.numpy(force=True) - eigpack.eigvalsh_tridiagonal(plain[0], e)).max() < bound
    with pytest.raises(TypeError, match="one of the arrays is None: PyTorch makes no tensor of it"):
        eigpack.eigvalsh_tridiagonal(torch.zeros(3, device=device), None)
    for option in ({"device": 0}, {"check": 1}):
        with pytest.raises(TypeError, match=f"{next(iter(option))} is"):
            eigpack.eigvals(torch.eye(2, device=device), **option)


@on_both
def test_eigvals(device):
    a = made(device, torch.float64, 4, 5, 9, 9)
    w = eigpack.eigvals(a)
    assert w.shape == (4, 5, 9) and w.dtype == torch.complex128 and w.device == a.device
    for k in (1, 2, 3):
        power = torch.linalg.matrix_power(a, k)
        trace = power.diagonal(dim1=-2, dim2=-1).sum(-1)
        assert ((w**k).sum(-1) - trace).abs().max() < 1e-9
    assert torch.equal(eigpack.eigvals(a[2, 3]), w[2, 3])
    x = made(device, torch.float64, 7, 2)
    radius = eigpack.eigvals_affine(a[0, :3], x, "radius")
    full = a[0, 0] + torch.einsum("pk,kij->pij", x, a[0, 1:3])
    assert (radius - eigpack.eigvals(full).abs().amax(-1)).abs().max() < 1e-9
    assert eigpack.eigvals_affine(a[0, :3], x).shape == (7, 9)


@on_both
def test_tridiagonal(device):
    d, e = made(device, torch.float64, 3, 50), made(device, torch.float64, 3, 49)
    w, lower, upper = eigpack.eigvalsh_tridiagonal(d, e, bounds=True)
    full = torch.diag_embed(d) + torch.diag_embed(e, 1) + torch.diag_embed(e, -1)
    assert w.device == d.device and (w - torch.linalg.eigvalsh(full)).abs().max() < 1e-13 * 10
    assert (lower <= w).all() and (w <= upper).all()
    assert torch.equal(eigpack.eigvalsh_tridiagonal(d, e, "i", (2, 4)).round(decimals=9), w[:, 2:5].round(decimals=9))
    part = eigpack.eigvalsh_tridiagonal(d[0], e[0], "v", (0.0, 1.0))
    assert len(part) == int(((w[0] > 0) & (w[0] <= 1)).sum())
    middles = (w[:, 1:] + w[:, :-1]) / 2
    counts = eigpack.sturm_count(d, e, middles)
    assert counts.dtype == torch.int64 and torch.equal(counts.cpu(), torch.arange(1, 50).expand(3, 49))


@on_both
def test_tridiagonal_pairs(device):
    d, e = made(device, torch.float64, 2, 50), made(device, torch.float64, 2, 49)
    w, v = eigpack.eigh_tridiagonal(d, e)
    certify(torch.diag_embed(d) + torch.diag_embed(e, 1) + torch.diag_embed(e, -1), w, v)
    cut = float(w[0, 9] + w[0, 10]) / 2
    part = eigpack.eigh_tridiagonal(d[0], e[0], select="v", select_range=(-100.0, cut))
    assert part.eigenvectors.shape == (50, 10) and (part.eigenvalues - w[0, :10]).abs().max() < 1e-13
    some = eigpack.eigh_tridiagonal(d, e, select="i", select_range=(3, 5))
    assert some.eigenvectors.shape == (2, 50, 3) and (some.eigenvalues - w[:, 3:6]).abs().max() < 1e-13
    mapped = torch.vmap(lambda d, e: tuple(eigpack.eigh_tridiagonal(d, e)), in_dims=(0, 1))(d, e.mT)
    assert torch.equal(mapped[0], w) and torch.equal(mapped[1], v)


@on_both
def test_bits_and_types(device):
    a = made(device, torch.complex128, 4, 4)
    h = a + a.mH
    certify(h.conj(), *eigpack.eigh(h.conj()))
    negative = a.conj().imag  # with the negative bit
    assert negative.is_neg() and torch.equal(eigpack.eigvalsh(negative), eigpack.eigvalsh(-a.imag.clone()))
    assert eigpack.eigvalsh(torch.eye(2, dtype=torch.int32, device=device)).dtype == torch.float64
    for dtype in (torch.float8_e5m2, torch.complex32):
        with pytest.raises(TypeError, match=str(dtype)):
            eigpack.eigvals(torch.zeros(2, 2, device=device).to(dtype))
    if device == "cpu":  # complex matrices
        found, expected = eigpack.eigvals(a).numpy(), np.linalg.eigvals(a.numpy())
        np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), rtol=1e-10)
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        eigpack.eigvals(made(device, torch.float64, 2, 3))
    assert eigpack.eigvals(torch.zeros(0, 3, 3, device=device)).shape == (0, 3)
    assert eigpack.eigh(torch.zeros(2, 0, 0, device=device)).eigenvectors.shape == (2, 0, 0)


@on_both
def test_failures(device):
    a = torch.eye(3, device=device).repeat(4, 1, 1)
    a[1, 0, 0] = torch.nan
    with pytest.raises(eigpack.LinAlgError, match="1 of 4 matrices failed, the first at 1"):
        eigpack.eigh(a, check=True)
    w = eigpack.eigvalsh(a, check=False)
    assert w.isnan().any(-1).tolist() == [False, True, False, False]
    if device == "cuda":
        assert eigpack.eigvalsh(a).isnan().any()
    else:
        with pytest.raises(eigpack.LinAlgError):
            eigpack.eigvalsh(a)


@on_both
def test_gradients(device):
    for dtype in (torch.float64, torch.complex128):
        x = made(device, dtype, 2, 4, 4).requires_grad_()
        check = torch.autograd.gradcheck
        assert check(lambda x: eigpack.eigvalsh(x + x.mH), x)
        assert check(lambda x: eigpack.eigh(x + x.mH).eigenvalues, x)
        assert check(lambda x: eigpack.eigh(x + x.mH, "U").eigenvectors.abs(), x)  # any phase
        v = lambda x: (lambda w, v: (v * torch.tanh(w).unsqueeze(-2)) @ v.mH)(*eigpack.eigh(x + x.mH))  # noqa: E731
        assert check(v, x)
    assert torch.autograd.gradgradcheck(lambda x: eigpack.eigvalsh(x + x.mH), made(device, torch.float64, 3, 3).requires_grad_())


def every_output(a):
    w, vl, vr = eigpack.eig(a, left=True)
    return w, vl, vr


GENERAL = {
    "eigvals": eigpack.eigvals,
    "eig": lambda a: tuple(eigpack.eig(a)),
    "left": lambda a: eigpack.eig(a, True, False),
    "both": every_output,
    "values of eig": lambda a: eigpack.eig(a, False, False),
    "roots": lambda a: eigpack.roots(a[..., 0, :]),
    "one of several": lambda a: eigpack.eig(a)[1][..., 0],
}


@on_both
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("name", GENERAL)
def test_gradients_of_general_matrices(device, dtype, name):
    """Of what comes out itself: vectors have the norm 1 and a real largest entry before and after."""
    x = made(device, dtype, 2, 5, 5).requires_grad_()
    assert torch.autograd.gradcheck(GENERAL[name], x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)


@on_both
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("name", ["eigvals", "eig", "both"])
def test_second_gradients_of_general_matrices(device, dtype, name):
    x = made(device, dtype, 3, 3).requires_grad_()
    assert torch.autograd.gradgradcheck(GENERAL[name], x, check_fwd_over_rev=True, check_rev_over_rev=True)


@on_both
def test_gradients_beside_pytorch(device):
    """Of losses that do not depend on the phases of vectors, which torch.linalg.eig demands."""
    for dtype in (torch.float64, torch.complex128):
        a = made(device, dtype, 3, 6, 6)
        gradients = []
        for library in (eigpack, torch.linalg):
            x = a.clone().requires_grad_()
            w, v = library.eig(x)
            ((w.abs() ** 3).sum() + ((v.abs() ** 2) @ (w.real.unsqueeze(-1) ** 2)).pow(2).sum()).backward()
            y = a.clone().requires_grad_()
            library.eigvals(y).abs().pow(3).sum().backward()
            gradients.append((x.grad, y.grad))
        for ours, theirs in zip(*gradients):
            assert torch.allclose(ours, theirs, rtol=1e-8, atol=1e-8)


@on_both
def test_gradients_of_multiple_eigenvalues(device):
    """Symmetric functions of the eigenvalues are smooth; a single vector is not, which must show."""
    a = torch.eye(4, dtype=torch.float64, device=device)
    x = a.clone().requires_grad_()
    (eigpack.eigvals(x) ** 2).sum().real.backward()
    assert torch.allclose(x.grad, 2 * a)
    x = a.clone().requires_grad_()
    eigpack.eig(x)[1][:, 0].abs().sum().backward()
    assert not x.grad.isfinite().all()
    defective = torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64, device=device, requires_grad=True)
    eigpack.eigvals(defective)[0].real.backward()
    assert not (defective.grad.abs() < 1e7).all()  # NaN or large


@on_both
def test_empty_gradients(device):
    for shape in ((0, 3, 3), (2, 0, 0)):
        x = torch.zeros(shape, device=device, requires_grad=True)
        w, v = eigpack.eig(x)
        (w.abs().sum() + v.abs().sum()).backward()
        assert x.grad.shape == shape


WITHOUT_DERIVATIVE = {
    "eigvals": lambda a: eigpack.eigvals(a, balance=False).abs(),
    "eig": lambda a: eigpack.eig(a, method="reference").eigenvalues.abs(),
    "eigvals_affine": lambda a: eigpack.eigvals_affine(a[None], a.new_zeros(1, 0), "radius"),
    "eigvalsh_tridiagonal": lambda a: eigpack.eigvalsh_tridiagonal(a[0], a[0, 1:]),
    "by value": lambda a: eigpack.eigvalsh_tridiagonal(a[0], a[0, 1:], "v", (-9.0, 9.0)),
    "eigh_tridiagonal": lambda a: eigpack.eigh_tridiagonal(a[0], a[0, 1:]).eigenvectors,
}


@on_both
@pytest.mark.parametrize("name", WITHOUT_DERIVATIVE)
def test_no_derivative_is_lost(device, name):
    call, a = WITHOUT_DERIVATIVE[name], made(device, torch.float64, 3, 3)
    raises = pytest.raises(RuntimeError, match="has no derivative, autograd cannot")
    result = call(a.clone().requires_grad_()).sum()
    with raises:
        result.backward()
    with raises:
        torch.func.grad(lambda a: call(a).sum())(a)
    with raises:
        torch.func.jvp(call, (a,), (a,))


@on_both
def test_torch_func(device):
    """Every transform gives what it gives with PyTorch's own functions."""
    a = made(device, torch.float64, 3, 4, 4)

    def close(x, y):
        return torch.allclose(x, y, rtol=1e-9, atol=1e-9)

    def values(library):
        return lambda x: (library.eigvalsh(x + x.mH) ** 3).sum()

    def pairs(library):
        def f(x):
            w, v = library.eigh(x + x.mH)
            return (v.abs() ** 2 * torch.tanh(w)).sum(-1)

        return f

    func, ours, theirs = torch.func, eigpack, torch.linalg
    for transform in (func.grad, func.hessian, lambda f: func.grad(lambda x: func.grad(f)(x).pow(2).sum())):
        f, g = transform(values(ours)), transform(values(theirs))
        assert close(f(a[0]), g(a[0])) and close(torch.vmap(f)(a), torch.vmap(g)(a))
    for transform in (func.jacrev, func.jacfwd):
        f, g = transform(pairs(ours)), transform(pairs(theirs))
        assert close(f(a[0]), g(a[0])) and close(torch.vmap(f)(a), torch.vmap(g)(a))
    z = made(device, torch.complex128, 2, 4, 4)
    assert close(torch.vmap(func.grad(values(ours)))(z), torch.vmap(func.grad(values(theirs)))(z))
    for f in (values, pairs):
        assert close(func.jvp(f(ours), (z[0],), (z[1],))[1], func.jvp(f(theirs), (z[0],), (z[1],))[1])


@on_both
def test_torch_func_of_general_matrices(device):
    a = made(device, torch.float64, 3, 4, 4)

    def close(x, y):
        return torch.allclose(x, y, rtol=1e-6, atol=1e-6)  # second derivatives have cubes of gaps in denominators

    def one_by_one(f):
        """Without torch.vmap, under which PyTorch's own second derivatives of eigvals are wrong in some releases
        (2.11 on a CPU; pytorch/pytorch issue 192540)."""
        return torch.stack([f(x) for x in a])

    def values(library):
        return lambda x: (library.eigvals(x).abs() ** 3).sum()

    def pairs(library):
        def f(x):
            w, v = library.eig(x)
            return ((v.abs() ** 2) @ w.abs()).sort().values

        return f

    func, ours, theirs = torch.func, eigpack, torch.linalg
    for transform in (func.grad, lambda f: func.jacfwd(func.jacrev(f)), lambda f: func.grad(lambda x: func.grad(f)(x).pow(2).sum())):
        f, g = transform(values(ours)), transform(values(theirs))
        assert close(f(a[0]), g(a[0])) and close(torch.vmap(f)(a), one_by_one(g))
    for transform in (func.jacrev, func.jacfwd):
        f, g = transform(pairs(ours)), transform(pairs(theirs))
        assert close(f(a[0]), g(a[0])) and close(torch.vmap(f)(a), one_by_one(g))
    z = made(device, torch.complex128, 2, 4, 4)
    assert close(torch.vmap(func.grad(values(ours)))(z), torch.vmap(func.grad(values(theirs)))(z))
    for f in (values, pairs):
        assert close(func.jvp(f(ours), (z[0],), (z[1],))[1], func.jvp(f(theirs), (z[0],), (z[1],))[1])
    assert close(func.grad(lambda x: torch.vmap(values(ours))(x).sum())(a), func.grad(lambda x: torch.vmap(values(theirs))(x).sum())(a))
    assert torch.equal(torch.vmap(lambda x: tuple(eigpack.eig(x)))(a)[1], eigpack.eig(a)[1])


@on_both
def test_vmap(device):
    a = hermitian(device, torch.float64, 5, 4, 4)
    w = eigpack.eigvalsh(a)
    assert torch.equal(torch.vmap(eigpack.eigvalsh)(a), w)
    assert torch.equal(torch.vmap(eigpack.eigvalsh, in_dims=2)(a.movedim(0, 2)), w)
    assert torch.equal(torch.vmap(lambda x: eigpack.eigh(x)[1])(a), eigpack.eigh(a)[1])
    assert torch.equal(torch.vmap(eigpack.eigvals)(a), eigpack.eigvals(a))
    d, e = made(device, torch.float64, 6, 8), made(device, torch.float64, 7)
    w = torch.vmap(eigpack.eigvalsh_tridiagonal, in_dims=(0, None))(d, e)
    assert torch.equal(w, eigpack.eigvalsh_tridiagonal(d, e.expand(6, 7)))
    x = made(device, torch.float64, 3, 5, 2)
    affine = lambda a, x: eigpack.eigvals_affine(a, x, "radius")  # noqa: E731
    assert torch.equal(torch.vmap(affine, in_dims=(None, 0))(a[:3], x), affine(a[:3], x))
    both = torch.vmap(affine)(torch.stack([a[:3], a[1:4]]), x[:2])
    assert torch.equal(both[1], affine(a[1:4], x[1]))


@on_both
def test_operators(device):
    h = hermitian(device, torch.float64, 2, 3, 3)
    ops = torch.ops.eigpack
    tests = ["test_schema", "test_autograd_registration", "test_faketensor"]
    torch.library.opcheck(ops.eigvals.default, (h, "", True), test_utils=tests)
    torch.library.opcheck(ops.eig.default, (h, True, True, "", True), test_utils=tests)
    torch.library.opcheck(ops.eig.default, (h, False, True, "", True), test_utils=tests)
    torch.library.opcheck(ops.eigvalsh.default, (h, "L", "", True), test_utils=tests)
    torch.library.opcheck(ops.eigh.default, (h, "L", "", True), test_utils=tests)
    torch.library.opcheck(ops.eigvalsh_tridiagonal.default, (h[0], h[0, :, 1:], 0, -1, True, 0.0, "", True), test_utils=tests)
    torch.library.opcheck(ops.eigh_tridiagonal.default, (h[0], h[0, :, 1:], 0, 1, True, "", True), test_utils=tests)
    torch.library.opcheck(ops.sturm_count.default, (h[0], h[0, :, 1:], h[0], "", True), test_utils=tests)


@on_both
@pytest.mark.skipif(os.environ.get("EIGPACK_TEST_COMPILE") == "0", reason="EIGPACK_TEST_COMPILE=0")
def test_compile(device):
    a = hermitian(device, torch.float64, 5, 4, 4)
    compiled = torch.compile(lambda x: torch.ops.eigpack.eigvalsh(2 * x, "L", "", True).sum(-1), fullgraph=True, backend="aot_eager")
    assert torch.allclose(compiled(a), 2 * eigpack.eigvalsh(a).sum(-1))
    loose = torch.compile(lambda x: eigpack.eigvalsh(2 * x).sum(-1), backend="aot_eager")
    assert torch.allclose(loose(a), 2 * eigpack.eigvalsh(a).sum(-1))


@on_both
@pytest.mark.skipif(os.environ.get("EIGPACK_TEST_COMPILE") == "0", reason="EIGPACK_TEST_COMPILE=0")
def test_compile_general_matrices(device):
    a = made(device, torch.float64, 5, 4, 4)

    def loss(x):
        w, v = eigpack.eig(2 * x)
        return (w.abs() ** 3).sum() + (v[..., 0].real * eigpack.eigvals(x).abs()).sum()

    compiled, gradients = torch.compile(loss, backend="aot_eager"), []
    for f in (loss, compiled):
        x = a.clone().requires_grad_()
        f(x).backward()
        gradients.append(x.grad)
    assert torch.allclose(compiled(a), loss(a)) and torch.allclose(*gradients)
    taken = torch.compile(torch.func.grad(loss), backend="aot_eager")(a)
    assert torch.allclose(taken, gradients[0])


@on_both
@pytest.mark.parametrize("dtype", TYPES)
def test_memory_order_does_not_choose_the_answer(device, dtype):
    """toeplitz(1.8 above, -2, 0.1 below), whose transpose is a harder problem, and random ones: the same bits in either order."""
    n = 30
    tough = -2 * torch.eye(n) + 1.8 * torch.eye(n).roll(1, 1).triu(1) + 0.1 * torch.eye(n).roll(-1, 1).tril(-1)
    for a in (tough.to(device, dtype), made(device, dtype, 3, 20, 20)):
        other = a.mT.contiguous().mT
        assert other.stride() != a.stride() and torch.equal(eigpack.eigvals(a), eigpack.eigvals(other))
        assert all(torch.equal(*both) for both in zip(eigpack.eig(a), eigpack.eig(other)))
        assert all(torch.equal(*both) for both in zip(eigpack.schur(a.cpu()), eigpack.schur(other.cpu())))
    if dtype == torch.float64:
        k = torch.arange(1, n + 1, dtype=dtype, device=device)
        exact = -2 + 2 * (1.8 * 0.1) ** 0.5 * torch.cos(k * torch.pi / (n + 1))
        assert (eigpack.eigvals(tough.to(device, dtype)).real.sort().values - exact.sort().values).abs().max() < 1e-6


def test_flushing_of_subnormal_numbers():
    a = torch.diag(torch.tensor([1, 0.01, 1e-40], dtype=torch.float32))
    expected = [eigpack.eigvalsh(a), *eigpack.eigh(a), eigpack.eigvals(a)]
    if not torch.set_flush_denormal(True):
        pytest.skip("PyTorch cannot flush here")
    try:
        found = [eigpack.eigvalsh(a), *eigpack.eigh(a), eigpack.eigvals(a)]
    finally:
        torch.set_flush_denormal(False)
    assert all(np.array_equal(x.numpy(), y.numpy()) for x, y in zip(found, expected)) and found[0][0] == a[2, 2] != 0


def test_host_tensors_share_memory():
    a = torch.zeros(100_000, 10, 10, dtype=torch.float64)
    assert eigpack.eigvalsh(a).shape == (100_000, 10)


# ---------------------------------------------------------------------- GPU


@gpu
def test_other_devices_are_refused():
    a = torch.eye(2, device="cuda")
    with pytest.raises(ValueError, match="device is 'cpu'"):
        eigpack.eigvals(a, device="cpu")
    with pytest.raises(ValueError, match="several devices"):
        torch.ops.eigpack.sturm_count(a[0].double(), a[0, 1:].double(), torch.zeros(2, dtype=torch.float64), "", False)


@gpu
def test_right_stream_among_eight():
    """Each stream is held up; the call on it must see what that stream writes last."""
    a = hermitian("cuda", torch.float64, 64, 12, 12)
    expected = eigpack.eigvalsh(a)
    streams, results = [torch.cuda.Stream() for _ in range(8)], []
    torch.cuda.synchronize()
    for i, stream in enumerate(streams):
        with torch.cuda.stream(stream):
            x = torch.full_like(a, torch.nan)
            torch.cuda._sleep(20_000_000)
            x.copy_(a * (i + 1))
            results.append(eigpack.eigvalsh(x))
    torch.cuda.synchronize()
    for i, w in enumerate(results):
        assert torch.allclose(w, expected * (i + 1), rtol=1e-12, atol=1e-11)


@gpu
def test_returns_before_the_gpu_is_done():
    a = hermitian("cuda", torch.float64, 64, 12, 12)
    eigpack.eigh(a), eigpack.eigvals(a)  # CUDA waits where it loads a kernel
    torch.cuda.synchronize()
    done = torch.cuda.Event()
    torch.cuda._sleep(400_000_000)
    eigpack.eigh(a)
    eigpack.eigvals(a)
    done.record()
    assert not done.query()
    torch.cuda.synchronize()


@gpu
@pytest.mark.parametrize("name", ["eigh", "eigvals", "eigvalsh_tridiagonal"])
def test_graph(name):
    a = hermitian("cuda", torch.float64, 100, 12, 12)
    arguments = (a[0].contiguous(), a[1, :, 1:].contiguous()) if name == "eigvalsh_tridiagonal" else (a,)
    call = getattr(eigpack, name)
    first = lambda x: x[0] if isinstance(x, tuple) else x  # noqa: E731
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        call(*arguments)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        w = first(call(*arguments))
    for factor in (2, 3):
        for x in arguments:
            x.mul_(factor)
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(w, first(call(*arguments)))


@gpu
def test_memory_is_returned():
    a = hermitian("cuda", torch.float64, 1000, 20, 20)
    eigpack.eigh(a)
    torch.cuda.synchronize()
    before, free = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
    for _ in range(500):
        eigpack.eigh(a)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before
    assert free - torch.cuda.mem_get_info()[0] < 300_000_000


@gpu
def test_host_arrays_through_the_gpu():
    a = hermitian("cpu", torch.float64, 300, 12, 12)
    w = eigpack.eigvalsh(a.numpy(), device="cuda")
    assert isinstance(w, np.ndarray) and np.abs(w - eigpack.eigvalsh(a.numpy())).max() < 1e-12
    assert eigpack.eigvals(a, device="cuda").device.type == "cpu"


@on_both
def test_options(device):
    a = hermitian(device, torch.float64, 3, 6, 6)
    w, v = eigpack.eigh(a)
    (w2, _), told = eigpack.eigh(a, method="jacobi", return_info=True)
    assert told.info.tolist() == [0, 0, 0] and told.sweeps.device == a.device and (told.sweeps > 0).all()
    assert torch.allclose(w2, w, atol=1e-12)
    some = eigpack.eigh(a, subset_by_index=(1, 3))
    assert torch.equal(some.eigenvalues, w[:, 1:4]) and torch.equal(some.eigenvectors, v[..., 1:4])
    part = eigpack.eigh(a[0], subset_by_value=(w[0, 1].item(), w[0, 3].item()))
    assert part.eigenvalues.shape == (2,) and part.eigenvectors.shape == (6, 2)
    assert eigpack.eigvals(a, balance=False, max_steps=500).shape == (3, 6)
    d, e = torch.full((2, 1, 5), 2.0, device=device), torch.full((3, 4), -1.0, device=device)
    _, told = eigpack.eigh_tridiagonal(d, e, return_info=True)
    assert told.residual.shape == (2, 3, 5) and told.isuppz.shape == (2, 3, 5, 2) and told.stats["blocks"] == 1
    d = d.expand(2, 3, 5).clone()
    d[1, 1, 0] = torch.nan
    with pytest.raises(eigpack.LinAlgError, match="1 of 6 matrices failed, the first at 4"):
        eigpack.eigh_tridiagonal(d, e, check=True)


def test_options_and_transforms():
    a = hermitian("cpu", torch.float64, 3, 6, 6).requires_grad_()
    w, v = eigpack.eigh(a.detach())
    eigpack.eigvalsh(a, subset_by_index=(0, 0)).sum().backward()
    assert torch.allclose(a.grad, torch.einsum("bi,bj->bij", v[..., 0], v[..., 0]), atol=1e-12)
    result, told = eigpack.eigvalsh(a, method="jacobi", return_info=True)
    assert not told.info.requires_grad
    with pytest.raises(RuntimeError, match="eigpack.eigvalsh has no derivative"):
        result.sum().backward()
    with pytest.raises(TypeError, match="eigpack.eigh with these arguments does not serve PyTorch's transforms"):
        torch.func.vmap(lambda a: eigpack.eigh(a, method="jacobi"))(a.detach())
    with pytest.raises(TypeError, match="does not serve PyTorch's transforms"):
        torch.func.vmap(lambda d: eigpack.eigvalsh_tridiagonal(d, d[1:], "v", (0.0, 1.0)))(w)
    assert torch.equal(torch.func.vmap(lambda a: eigpack.eigvalsh(a, subset_by_index=(1, 2)))(a.detach()), eigpack.eigvalsh(a.detach())[:, 1:3])


def test_diagonals_broadcast():
    rng = np.random.default_rng(4)
    d, e, x = (torch.from_numpy(rng.uniform(size=shape)) for shape in ((2, 1, 5), (3, 4), (2, 3, 4)))
    for call, *arrays in ((eigpack.eigvalsh_tridiagonal, d, e), (eigpack.eigh_tridiagonal, d, e), (eigpack.sturm_count, d, e, x)):
        result, expected = call(*arrays), call(*(y.numpy() for y in arrays))
        assert all(np.array_equal(one.numpy(), other) for one, other in zip(result, expected))
    w = torch.func.vmap(lambda d: eigpack.eigvalsh_tridiagonal(d, e))(d[:, 0])
    assert torch.equal(w, eigpack.eigvalsh_tridiagonal(d, e))
