"""eigpack.torch: PyTorch's own functions by eigpack, beside what they give without it."""

import doctest
import os
import subprocess
import sys
import threading

import eigpack
import numpy as np
import pytest

torch = pytest.importorskip("torch")

override, routed = eigpack.torch.override, eigpack.torch.routed
GPU = torch.cuda.is_available()
on_both = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not GPU, reason="no GPU"))])
TYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]


def made(device, dtype, *shape):
    generator = torch.Generator().manual_seed(11)
    return torch.randn(shape, dtype=dtype, generator=generator).to(device)


def outcomes(call):
    """What was counted while call() ran in the override, and its result or exception."""
    before = routed()
    with override():
        try:
            result = call()
        except Exception as error:  # noqa: BLE001
            result = error
    found = {}
    for name, counts in routed().items():
        for outcome, count in counts.items():
            more = count - before.get(name, {}).get(outcome, 0)
            if more:
                found[name, outcome] = more
    return found, result


def parts(x):
    return tuple(x) if isinstance(x, tuple) else (x,)


def ordered(w):
    """Eigenvalues by the real part, then the imaginary one, of all matrices."""
    return np.sort_complex(w.detach().cpu().numpy())


@on_both
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(5, 5), (3, 9, 9), (2, 2, 40, 40)])
def test_results_are_pytorchs(device, dtype, shape):
    """Types, shapes and strides are the same, numbers to rounding, vectors certified; the two triangles differ."""
    a = made(device, dtype, *shape)
    bound = 50 * shape[-1] * torch.finfo(dtype).eps * a.abs().sum(-1).max().item()
    for x in (a, a.mT.contiguous().mT, a[..., ::2, ::2], a.mH):
        whole = {uplo: torch.triu(x) + torch.triu(x, 1).mH if uplo in "Uu" else torch.tril(x) + torch.tril(x, -1).mH for uplo in "LUu"}
        calls = [("eig", lambda: torch.linalg.eig(x), x), ("eigvals", lambda: torch.linalg.eigvals(x), x)]
        for uplo, full in whole.items():
            calls.append(("eigh", lambda uplo=uplo: torch.linalg.eigh(x, UPLO=uplo), full))
            calls.append(("eigvalsh", lambda uplo=uplo: torch.linalg.eigvalsh(x, UPLO=uplo), full))
        for name, call, full in calls:
            found, inside = outcomes(call)
            outside = call()
            assert found == {(name, "eigpack"): 1}
            assert type(inside) is type(outside)
            for one, other in zip(parts(inside), parts(outside), strict=True):
                assert one.dtype == other.dtype and one.stride() == other.stride() and one.device == other.device, name
            w, *v = parts(inside)
            if dtype not in (torch.float32, torch.complex64) or name in ("eigh", "eigvalsh"):
                assert np.abs(ordered(w) - ordered(parts(outside)[0])).max() < bound, name
            for vectors in v:
                if name == "eigh":
                    vectors = vectors.clone()
                    full = full.clone()
                    full.diagonal(dim1=-2, dim2=-1).imag.zero_() if full.is_complex() else None
                assert (full.to(vectors.dtype) @ vectors - vectors * w.unsqueeze(-2)).abs().max() < bound, name


@on_both
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["linalg.eig", "linalg.eigvals", "linalg.eigh", "linalg.eigvalsh", "linalg.matrix_rank", "linalg.pinv"])
def test_pytorchs_own_samples(device, dtype, name):
    """The inputs of PyTorch's own tests, and in double its gradient checks, forward and reverse, as its tests run them."""
    linalg = pytest.importorskip("torch.testing._internal.opinfo.definitions.linalg")
    (op,) = [op for op in linalg.op_db if op.name == name and op.variant_test_name == ("hermitian" if name[7] in "mp" else "")]
    double = dtype in (torch.float64, torch.complex128) and op.supports_autograd
    for sample in op.sample_inputs(device, dtype, requires_grad=double):
        call = lambda x: op(x, *sample.args, **sample.kwargs)  # noqa: B023, E731
        found, inside = outcomes(lambda: call(sample.input))  # noqa: B023
        outside = call(sample.input)
        assert {outcome for _, outcome in found} <= {"eigpack", "empty"}
        assert found or name == "linalg.matrix_rank" or sample.input.numel() == 0
        for one, other in zip(parts(inside), parts(outside), strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape and one.stride() == other.stride()
        if not name.startswith("linalg.eig"):
            assert torch.allclose(inside, outside, rtol=1e-3, atol=1e-3)
        if double and sample.input.numel():
            process = sample.output_process_fn_grad
            with override():
                assert torch.autograd.gradcheck(
                    lambda x: process(op.gradcheck_wrapper(op, x, *sample.args, **sample.kwargs)),  # noqa: B023
                    sample.input, check_forward_ad=op.supports_forward_ad, check_batched_grad=False,
                    fast_mode=op.gradcheck_fast_mode is not False,
                )  # fmt: skip


@on_both
def test_transforms(device):
    a = made(device, torch.float64, 4, 5, 5)
    f = lambda x: (torch.linalg.eigvalsh(x + x.mT) ** 3).sum()  # noqa: E731
    g = lambda x: torch.linalg.eigh(x + x.mT)[1].abs().pow(3).sum()  # noqa: E731
    for transform in (torch.vmap(torch.linalg.eigvalsh), torch.func.hessian(lambda x: f(x[0])), torch.vmap(torch.func.grad(g)), torch.func.jacrev(g)):
        found, inside = outcomes(lambda: transform(a))  # noqa: B023
        assert all(outcome == "eigpack" for _, outcome in found) and found
        assert torch.allclose(inside, transform(a), rtol=1e-8, atol=1e-9)
    for second in (lambda x: torch.linalg.eigvals(x).abs().sum(), lambda x: torch.linalg.eigvalsh(x + x.mT)[0]):
        with override():
            assert torch.autograd.gradgradcheck(second, a[0].clone().requires_grad_())


@on_both
@pytest.mark.skipif(os.environ.get("EIGPACK_TEST_COMPILE") == "0", reason="EIGPACK_TEST_COMPILE=0")
def test_compiled_functions(device):
    a = made(device, torch.float64, 4, 5, 5)
    f = torch.compile(lambda x: torch.linalg.eigh(x + x.mT)[1].abs().sum() + torch.linalg.eigvals(x).abs().sum(), fullgraph=True, backend="aot_eager")
    outside = f(a)
    found, inside = outcomes(lambda: f(a))
    assert found == {("eigh", "eigpack"): 1, ("eig", "eigpack"): 1}  # torch.compile takes eigvals from eig
    assert torch.allclose(inside, outside)


@on_both
def test_what_is_kept(device):
    eye = torch.eye(3, device=device)
    cases = [
        ("eigh", "torch.float16", lambda: torch.linalg.eigh(eye.half()), RuntimeError),
        ("eigvals", "not square", lambda: torch.linalg.eigvals(eye[:2]), RuntimeError),
        ("eig", "empty", lambda: torch.linalg.eig(eye[:0, :0]), tuple),
        ("eigvalsh", "empty", lambda: torch.linalg.eigvalsh(eye[None][:0]), torch.Tensor),
        ("eigh", "UPLO", lambda: torch.linalg.eigh(eye, UPLO="X"), RuntimeError),
        ("eigvals", "LinAlgError", lambda: torch.linalg.eigvals(eye * torch.nan), RuntimeError),
        ("eigvalsh", "torch.int64", lambda: torch.linalg.eigvalsh(eye.long()), RuntimeError),
    ]
    for name, reason, call, kind in cases:
        found, result = outcomes(call)
        assert found.get((name, reason)) == 1, (name, reason, found)
        assert isinstance(result, kind) and not isinstance(result, eigpack.LinAlgError)
        if isinstance(result, Exception) and reason != "LinAlgError":  # that ends PyTorch 2.15 without eigpack
            with pytest.raises(type(result)) as outside:
                call()
            assert str(outside.value).splitlines()[0] == str(result).splitlines()[0]
    found, result = outcomes(lambda: torch.linalg.eigh(eye, out=(torch.empty(0, device=device), torch.empty(0, device=device))))
    assert not found and result[0].tolist() == [1, 1, 1]
    found, result = outcomes(lambda: torch.linalg.eigh(torch.empty(3, 3, device="meta")))
    assert not found and result[0].shape == (3,)


def test_on_and_off():
    a = made("cpu", torch.float64, 6, 6)
    h = a + a.mT
    before = torch.linalg.eigh(h)
    counted = lambda: sum(sum(counts.values()) for counts in routed().values())  # noqa: E731
    for _ in range(2):  # again after the end
        start = counted()
        eigpack.torch.enable()
        try:
            with override():
                torch.linalg.eigh(h)
            eigpack.torch.enable()
            torch.linalg.eigh(h)
            seen = []
            thread = threading.Thread(target=lambda: seen.append(torch.linalg.eigvalsh(h)))
            thread.start()
            thread.join()
            assert counted() == start + 3 and len(seen) == 1
        finally:
            eigpack.torch.disable()
        after = torch.linalg.eigh(h)
        assert counted() == start + 3 and all(torch.equal(*both) for both in zip(before, after))
    with pytest.raises(ZeroDivisionError), override():
        raise ZeroDivisionError
    torch.linalg.eigh(h)
    assert counted() == start + 3
    eigpack.torch.disable()


def test_docstrings_of_torch():
    assert doctest.testmod(eigpack.torch).failed == 0


def test_scripts_with_torch(tmp_path):
    (tmp_path / "script.py").write_text("import sys, torch\nprint(torch.linalg.eigvalsh(torch.eye(2)).tolist(), sys.argv[1:], __name__)\n")
    done = subprocess.run([sys.executable, "-W", "error", "-m", "eigpack.torch", "--routed", "script.py", "a"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1.0, 1.0] ['a'] __main__\n", "eigvalsh: 1 by eigpack\n")
    done = subprocess.run([sys.executable, "-m", "eigpack.torch"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("usage: python -m eigpack.torch [--routed] SCRIPT")
