"""The GPU table of docs/guide/python.md: eigpack, PyTorch, CuPy and JAX on device arrays, every answer checked.

python bindings/python/tests/bench_gpu.py
"""

import os
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import eigpack  # noqa: E402
import torch  # noqa: E402

try:
    import cupy
except ImportError:
    cupy = None
try:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax = jax if jax.default_backend() == "gpu" else None
except ImportError:
    jax = None


def milliseconds(call, repeats=5):
    """Median wall time of a call to its end on the GPU."""
    call()
    torch.cuda.synchronize()
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        taken.append(time.perf_counter() - begin)
    return 1e3 * sorted(taken)[repeats // 2]


def report(problem, **times):
    print(f"| {problem} | " + " | ".join(f"{name} {ms:.3g} ms" for name, ms in times.items()) + " |", flush=True)


def hermitian(dtype, *shape):
    x = torch.randn(shape, dtype=dtype, device="cuda")
    return x + x.mH


def main():
    torch.manual_seed(0)
    print(f"{eigpack.describe('cuda')}; PyTorch {torch.__version__}" + (f", CuPy {cupy.__version__}" if cupy else ""))
    for count, n, dtype in ((20_000, 16, torch.complex128), (20_000, 8, torch.float64), (500, 64, torch.float64)):
        a = hermitian(dtype, count, n, n)
        w, v = eigpack.eigh(a)
        assert (a @ v - v * w.unsqueeze(-2)).abs().max() < 1e-11
        assert (w - torch.linalg.eigvalsh(a)).abs().max() < 1e-11
        times = {"eigpack": milliseconds(lambda: eigpack.eigh(a)), "PyTorch": milliseconds(lambda: torch.linalg.eigh(a), 3)}
        if cupy:
            c = cupy.asarray(a)
            times["CuPy"] = milliseconds(lambda: cupy.linalg.eigh(c), 3)
        if jax:
            j = jax.device_put(a.cpu().numpy())
            ours, theirs = jax.jit(eigpack.eigh), jax.jit(jax.numpy.linalg.eigh)
            assert jax.numpy.abs(ours(j)[0] - theirs(j)[0]).max() < 1e-11
            times["eigpack under jit"] = milliseconds(lambda: jax.block_until_ready(ours(j)))
            times["JAX"] = milliseconds(lambda: jax.block_until_ready(theirs(j)), 3)
        report(f"`eigh`, {count} matrices {n} x {n}, {str(dtype)[6:]}", **times)
    a = torch.randn((500_000, 10, 10), dtype=torch.float64, device="cuda")
    w = eigpack.eigvals(a)
    assert ((w**2).sum(-1) - (a @ a).diagonal(dim1=-2, dim2=-1).sum(-1)).abs().max() < 1e-9
    report("`eigvals`, 500,000 matrices 10 x 10, float64", eigpack=milliseconds(lambda: eigpack.eigvals(a)))
    few = a[:1000].clone()
    report(
        "`eigvals`, 1,000 of them",
        eigpack=milliseconds(lambda: eigpack.eigvals(few)),
        PyTorch=milliseconds(lambda: torch.linalg.eigvals(few), 1),
    )
    d, e = torch.rand(4096, dtype=torch.float64, device="cuda"), torch.rand(4095, dtype=torch.float64, device="cuda")
    full = torch.diag(d) + torch.diag(e, 1) + torch.diag(e, -1)
    w, v = eigpack.eigh_tridiagonal(d, e)
    assert (full @ v - v * w).abs().max() < 1e-11
    report(
        "`eigh_tridiagonal`, n = 4,096, others of the full matrix",
        eigpack=milliseconds(lambda: eigpack.eigh_tridiagonal(d, e)),
        PyTorch=milliseconds(lambda: torch.linalg.eigh(full), 3),
    )
    one = hermitian(torch.float64, 3, 3)
    report(
        "`eigvalsh`, one 3 x 3, to its end",
        eigpack=milliseconds(lambda: eigpack.eigvalsh(one), 200),
        PyTorch=milliseconds(lambda: torch.linalg.eigvalsh(one), 200),
    )


if __name__ == "__main__":
    main()
