"""The table of docs/guide/python.md: eigpack beside NumPy and SciPy, and PyTorch and JAX where they are installed, on this machine,
every answer checked.

python bindings/python/tests/bench.py [--one-core]      one-core: every library on one thread, CPU time in place of wall time
"""

import os
import statistics
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # on small matrices OpenBLAS's threads only wait for each other

import eigpack  # noqa: E402
import numpy as np  # noqa: E402
import scipy.linalg  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
try:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
except ImportError:
    jax = None


one_core = "--one-core" in sys.argv
clock = time.process_time if one_core else time.perf_counter


def times(calls, repeats=5):
    """Medians in seconds, measured in turn."""
    taken = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(repeats):
        for call, list_of in zip(calls, taken):
            begin = clock()
            call()
            list_of.append(clock() - begin)
    return [statistics.median(x) for x in taken]


def text(seconds):
    """A time with three digits."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def peers(name, a):
    """PyTorch's and JAX's function of that name, on an array of theirs; None where there is none."""
    calls = [None, None]
    if torch and hasattr(torch.linalg, name):
        x, f = torch.from_numpy(a), getattr(torch.linalg, name)
        calls[0] = lambda: f(x)
    if jax and hasattr(jax.numpy.linalg, name):
        y, g = jax.numpy.asarray(a), jax.jit(getattr(jax.numpy.linalg, name))
        calls[1] = lambda: jax.block_until_ready(g(y))
    return calls


def row(name, ours, theirs, check, repeats=5, others=(None, None)):
    assert check(ours(), theirs()), name
    for other in filter(None, others):
        first = other()
        assert check(ours(), np.asarray(first) if not isinstance(first, tuple) else type(ours())(*map(np.asarray, first))), name
    own, *rest = times([ours, theirs, *filter(None, others)], repeats)
    rest = iter(rest)
    cells = [f"{next(rest) / own:.1f}" if call else "" for call in (theirs, *others)]
    print(f"| {name} | {text(own)} | " + " | ".join(cells) + " |", flush=True)


def close(x, y, bound=1e-8):
    return np.abs(np.sort(x, axis=-1) - np.sort(y, axis=-1)).max() < bound


def moments(x, y):
    """The same sums of the numbers and of their squares: eigenvalues in any order."""
    return all(np.allclose((x**k).sum(-1), (y**k).sum(-1), atol=1e-8) for k in (1, 2, 3))


def many(f, count):
    """count calls in a row, as one."""
    return lambda: [f() for _ in range(count)][-1]


def main():
    rng = np.random.default_rng(0)
    if one_core:
        eigpack.set_threads(1)
        if torch:
            torch.set_num_threads(1)
    versions = "".join(f", {lib.__name__} {lib.__version__}" for lib in (torch, jax) if lib)
    print(f"{eigpack.describe('cpu')}; NumPy {np.__version__}, SciPy {scipy.__version__}{versions}; times over eigpack's:\n")
    print("| problem | eigpack | NumPy or SciPy | PyTorch | JAX |\n|---|---|---|---|---|")
    a = rng.standard_normal((200_000, 10, 10))
    h = a + a.swapaxes(-1, -2)
    row("`eigvals`, 200,000 matrices 10 x 10", lambda: eigpack.eigvals(a), lambda: np.linalg.eigvals(a), moments, 3, peers("eigvals", a))
    row("`eigvalsh`, the same, symmetric", lambda: eigpack.eigvalsh(h), lambda: np.linalg.eigvalsh(h), close, 3, peers("eigvalsh", h))
    row(
        "`eigh`, the same",
        lambda: eigpack.eigh(h),
        lambda: np.linalg.eigh(h),
        lambda x, y: close(x.eigenvalues, y.eigenvalues),
        3,
        peers("eigh", h),
    )
    b = rng.standard_normal((10_000, 30, 30))
    row("`eigvals`, 10,000 matrices 30 x 30", lambda: eigpack.eigvals(b), lambda: np.linalg.eigvals(b), moments, 3, peers("eigvals", b))
    z = rng.standard_normal((2000, 40, 40)) + 1j * rng.standard_normal((2000, 40, 40))
    z = z + z.swapaxes(-1, -2).conj()
    row(
        "`eigh`, 2,000 complex matrices 40 x 40",
        lambda: eigpack.eigh(z),
        lambda: np.linalg.eigh(z),
        lambda x, y: close(x.eigenvalues, y.eigenvalues),
        3,
        peers("eigh", z),
    )
    d, e = rng.uniform(size=5000), rng.uniform(size=4999)
    row(
        "`eigvalsh_tridiagonal`, n = 5,000",
        lambda: eigpack.eigvalsh_tridiagonal(d, e),
        lambda: scipy.linalg.eigvalsh_tridiagonal(d, e),
        close,
    )
    row(
        "`eigh_tridiagonal`, n = 2,000",
        lambda: eigpack.eigh_tridiagonal(d[:2000], e[:1999]),
        lambda: scipy.linalg.eigh_tridiagonal(d[:2000], e[:1999]),
        lambda x, y: close(x[0], y[0]),
        3,
    )
    s = a[0, :2, :2]
    row("`eigvals`, one 2 x 2, 1,000 calls", many(lambda: eigpack.eigvals(s), 1000), many(lambda: np.linalg.eigvals(s), 1000), moments)
    row("`eigvalsh`, the same", many(lambda: eigpack.eigvalsh(s), 1000), many(lambda: np.linalg.eigvalsh(s), 1000), close)


if __name__ == "__main__":
    main()
