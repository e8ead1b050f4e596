"""Where the microseconds of a small call go: eigpack beside NumPy, PyTorch, CuPy and JAX in one run, as CSV.

    python bindings/python/tests/bench_latency.py COMMIT [MACHINE [hosts] [devices] [jit]]

time_ms is what the caller's thread spends on a call.  On a GPU the calls of a round are enqueued one after another and
waited for after the clock has stopped, so that the device has no part in it; a round has too few calls to fill its queue.
Each row is the median of rounds in which all contestants take turns.  The answers are compared first.
"""

import os
import statistics
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import eigpack  # noqa: E402
import numpy as np  # noqa: E402

CALLS, ROUNDS, SECONDS = 50, 15, 0.5  # after which slow ones have had their three rounds
NAMES = ("eigh", "eigvalsh", "eigvals")
COLUMNS = "family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit"


def optional(name):
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        return None


torch, cupy, jax = optional("torch"), optional("cupy"), optional("jax")
if jax:
    jax.config.update("jax_enable_x64", True)
commit, machine = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else eigpack.describe()


def median_ms(calls, wait):
    """Medians of rounds, the contestants taking turns."""
    taken = [[] for _ in calls]
    for call in calls:
        for _ in range(3):
            call()
        wait()
    start = time.perf_counter()
    for turn in range(ROUNDS):
        if turn > 2 and time.perf_counter() - start > SECONDS:
            break
        for call, list_of in zip(calls, taken):
            begin = time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            list_of.append((time.perf_counter_ns() - begin) * 1e-6 / CALLS)
            wait()
    return [statistics.median(x) for x in taken]


def values(result):
    """The eigenvalues of a result, as NumPy's, in an order of their own."""
    w = result[0] if isinstance(result, tuple) else result
    w = w.get() if hasattr(w, "get") else w.cpu().numpy() if hasattr(w, "cpu") else np.asarray(w)
    return np.sort_complex(np.round(w.reshape(-1).astype(complex), 9))


def rows(device, method, a, letter, calls, wait, limits=(0, 0, 0)):
    """Rows of one kind of array; calls: name -> (eigpack's call, [(rival, its call)])."""
    for name, limit in zip(NAMES, limits):
        if name not in calls:
            continue
        ours, rivals = calls[name]
        error = 0.0
        for _, rival in rivals:
            error = max(error, float(np.abs(values(ours()) - values(rival())).max()))
        ms, *theirs = median_ms([ours, *(rival for _, rival in rivals)], wait)
        check = "ok" if error < 1e-6 else "FAIL"
        batch = int(np.prod(a.shape[:-2]))
        for (rival, _), rival_ms in zip(rivals or [("", None)], theirs or [None]):
            beside = f"{rival},{rival_ms:.6g},{rival_ms / ms:.4g}" if rival else ",,"
            bar = f"{limit:.6g}" if limit else ""
            print(
                f"{name},{letter},{a.shape[-1]},{batch},{device},{method},1,{ms:.6g},{bar},{beside},{error:.3g},{check},"
                f'"{machine}",{commit}',
                flush=True,
            )


def symmetric(shape):
    a = np.random.default_rng(0).standard_normal(shape)
    return a + a.swapaxes(-1, -2)


def nothing():
    pass


def of(module, a):
    """name -> eigpack's call and those of one library on an array of its."""
    return {
        name: (lambda f=getattr(eigpack, name): f(a), [(module.__name__, lambda f=getattr(module, name): f(a))])
        for name in NAMES
        if hasattr(module, name)
    }


def hosts():
    for shape in ((1, 1), (3, 3), (10, 3, 3), (8, 8), (100, 8, 8)):
        a = symmetric(shape)
        rows("cpu", "numpy", a, "f64", of(np.linalg, a), nothing)
        if torch:
            torch.set_num_threads(1)
            x = torch.from_numpy(a)
            rows("cpu", "torch", a, "f64", of(torch.linalg, x), nothing)


def devices():
    for shape in ((3, 3), (10, 3, 3), (100, 8, 8)):
        a = symmetric(shape)
        if torch and torch.cuda.is_available():
            rows("cuda", "torch", a, "f64", of(torch.linalg, torch.from_numpy(a).cuda()), torch.cuda.synchronize, (0.025,) * 3)
        if cupy:
            calls = of(cupy.linalg, cupy.asarray(a))
            calls.setdefault("eigvals", (lambda x=cupy.asarray(a): eigpack.eigvals(x), []))
            rows("cuda", "cupy", a, "f64", calls, cupy.cuda.Device().synchronize, (0.02,) * 3)


def under_jit():
    """JAX's calls return before they are done, on the CPU, too."""
    device = "cuda" if any(d.platform == "gpu" for d in jax.devices()) else "cpu"
    for shape in ((10, 3, 3), (100, 8, 8)):
        a = jax.numpy.asarray(symmetric(shape))
        last = []

        def call(function):
            compiled = jax.jit(function)
            return lambda: last.__setitem__(slice(None), [compiled(a)]) or last[0]

        calls = {n: (call(getattr(eigpack, n)), [("jax.numpy.linalg", call(getattr(jax.numpy.linalg, n)))]) for n in NAMES[:2]}
        rows(device, "jax jit", a, "f64", calls, lambda: jax.block_until_ready(last))


if __name__ == "__main__":
    parts = sys.argv[3:] or ["hosts", "devices", "jit"]
    print(COLUMNS)
    if "hosts" in parts:
        hosts()
    if "devices" in parts:
        devices()
    if "jit" in parts and jax:
        under_jit()
