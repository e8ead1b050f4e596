"""The table of docs/python.md: eigpack beside NumPy and SciPy on this machine, every answer checked.

python bindings/python/tests/bench.py
"""

import os
import statistics
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # on small matrices OpenBLAS's threads only wait for each other

import eigpack  # noqa: E402
import numpy as np  # noqa: E402
import scipy.linalg  # noqa: E402


def times(ours, theirs, repeats=5):
    """Medians in seconds, measured in turn."""
    own, other = [], []
    ours(), theirs()
    for _ in range(repeats):
        begin = time.perf_counter()
        ours()
        middle = time.perf_counter()
        theirs()
        own.append(middle - begin)
        other.append(time.perf_counter() - middle)
    return statistics.median(own), statistics.median(other)


def text(seconds):
    """A time with three digits."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def row(name, ours, theirs, check, repeats=5):
    assert check(ours(), theirs()), name
    own, other = times(ours, theirs, repeats)
    print(f"| {name} | {text(own)} | {text(other)} | {other / own:.1f} |", flush=True)


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
    print(f"{eigpack.describe('cpu')}; NumPy {np.__version__}, SciPy {scipy.__version__}\n")
    print("| problem | eigpack | NumPy or SciPy | ratio |\n|---|---|---|---|")
    a = rng.standard_normal((200_000, 10, 10))
    h = a + a.swapaxes(-1, -2)
    row("`eigvals`, 200,000 matrices 10 x 10", lambda: eigpack.eigvals(a), lambda: np.linalg.eigvals(a), moments, 3)
    row("`eigvalsh`, the same, symmetric", lambda: eigpack.eigvalsh(h), lambda: np.linalg.eigvalsh(h), close, 3)
    row(
        "`eigh`, the same",
        lambda: eigpack.eigh(h),
        lambda: np.linalg.eigh(h),
        lambda x, y: close(x.eigenvalues, y.eigenvalues),
        3,
    )
    b = rng.standard_normal((10_000, 30, 30))
    row("`eigvals`, 10,000 matrices 30 x 30", lambda: eigpack.eigvals(b), lambda: np.linalg.eigvals(b), moments, 3)
    z = rng.standard_normal((2000, 40, 40)) + 1j * rng.standard_normal((2000, 40, 40))
    z = z + z.swapaxes(-1, -2).conj()
    row(
        "`eigh`, 2,000 complex matrices 40 x 40",
        lambda: eigpack.eigh(z),
        lambda: np.linalg.eigh(z),
        lambda x, y: close(x.eigenvalues, y.eigenvalues),
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
