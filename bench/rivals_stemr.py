#!/usr/bin/env python3
"""All eigenpairs of one tridiagonal matrix: eigpack against what GPU users have today, in one run.

    rivals_stemr.py LIBEIGPACK.SO [COMMIT] [n=N...]     prints CSV, one row a case and rival; needs PyTorch with CUDA; n=N:
                    these orders alone (default: 512 to 8192)

kinds    uniform01 (d and e uniform in [0, 1)), 121 (d = 2, e = -1), glued (copies of W21+, off-diagonals 1e-8 between them);
         f64, and f32 for uniform01
own      eig_{s,d}stemr on arrays on the device, with a lent workspace
rivals   cuSOLVER's cusolverDnXstedc, divide and conquer, where the library found has it (12.2 on), for the same d and e;
         cusolverDnXsyevd of the dense T; torch.linalg.eigh of the dense T, up to n = 4096
times    medians of repeats between synchronisations of the device, since own waits for its stream; making the dense T is not
         timed
errors   the largest over all pairs, in double: T residual ||T z - w z|| / (n eps ||T||), Q max |Z'Z - I| / (n eps).  `error`
         is the larger of own; a row is ok where it is at most 10, whatever the rival's is
work     MB of workspace beside z: by query, of PyTorch by its peak
"""
import ctypes
import statistics
import sys
import time

import torch

from rivals_heev import Cusolver, Own, pointer, size

REPEATS, MOST_SECONDS = 7, 4
COLUMNS = ("family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit,"
           "own_T,own_Q,own_work_mb,rival_T,rival_Q,rival_work_mb")
TYPES = {"f32": (torch.float32, b"s", 0), "f64": (torch.float64, b"d", 1)}  # the last: CUDA_R_32F, CUDA_R_64F


def median_ms(call, before):
    """After one call to warm up; `before` is not timed."""
    times, first = [], time.perf_counter()
    for _ in range(REPEATS + 1):
        before()
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
        if len(times) > 1 and time.perf_counter() - first > MOST_SECONDS:
            break
    return statistics.median(times[1:])


def matrix(kind, name, n):
    """d and e on the device."""
    generator = torch.Generator().manual_seed(n)
    if kind == "uniform01":
        d, e = (torch.rand(n, dtype=torch.float64, generator=generator) for _ in range(2))
    elif kind == "121":
        d, e = torch.full((n,), 2.0, dtype=torch.float64), torch.full((n,), -1.0, dtype=torch.float64)
    else:
        i = torch.arange(n)
        d = (i % 21 - 10).abs().to(torch.float64)
        e = torch.where(i % 21 == 20, 1e-8, 1.0).to(torch.float64)
    return tuple(x.to(TYPES[name][0]).cuda() for x in (d, e[: n - 1].contiguous()))


def dense(d, e):
    return torch.diag(d) + torch.diag(e, 1) + torch.diag(e, -1)


def errors(d, e, w, z):
    """T and Q; z[k] is the vector of w[k]."""
    n, unit = len(d), len(d) * torch.finfo(d.dtype).eps
    d, e, w = (x.to(torch.float64) for x in (d, e, w))
    sums = d.abs()
    sums[1:] += e.abs()
    sums[:-1] += e.abs()
    residual = product = 0.0
    for first in range(0, n, 2048):
        v = z[first:first + 2048].to(torch.float64)
        rest = v * (d - w[first:first + 2048, None])
        rest[:, 1:] += v[:, :-1] * e
        rest[:, :-1] += v[:, 1:] * e
        residual = max(residual, float(rest.norm(dim=1).max() / sums.max()) / unit)
        gram = v @ z.to(torch.float64).T
        gram[torch.arange(len(v)), torch.arange(first, first + len(v))] -= 1
        product = max(product, float(gram.abs().max()) / unit)
    return tuple(x if x == x else float("inf") for x in (residual, product))


# --------------------------------------------------------------- contestants

def run_own(own, name, d, e):
    n, letter = len(d), ctypes.c_int(TYPES[name][1][0])
    w, z = torch.empty_like(d), torch.empty((n, n), dtype=d.dtype, device="cuda")
    info, need = torch.empty(n, dtype=torch.int32, device="cuda"), ctypes.c_size_t()
    own.must(own.c.eig_stemr_work_size(own.context, letter, None, size(n), 1, ctypes.byref(need)))
    work = torch.empty(need.value + 256, dtype=torch.uint8, device="cuda")
    own.must(own.c.eig_set_workspace(own.context, pointer(work.data_ptr()), need))
    at = [pointer(x.data_ptr()) for x in (d, e, w, z, info)]

    def call():
        own.must(own.c.eig_stemr(own.context, letter, None, size(n), at[0], at[1], None, at[2], at[3], size(n), None, at[4],
                                 None, None, None))

    ms = median_ms(call, lambda: (w.fill_(float("nan")), z.fill_(float("nan")), info.fill_(-99)))
    own.must(own.c.eig_set_workspace(own.context, None, ctypes.c_size_t(0)))
    if int(info.abs().max()) != 0:
        raise RuntimeError("eigpack: info is not 0")
    return ms, need.value / 1e6, w, z


class Direct(Cusolver):
    """cuSOLVER's routines for one matrix."""

    IDENTITY = 11  # CUSOLVER_EIG_COMP_I: vectors of T itself

    def run(self, name, d, e, tridiagonal):
        n, kind = len(d), TYPES[name][2]
        w, f, z = d.clone(), torch.cat([e, e[:1]]), torch.empty((n, n), dtype=d.dtype, device="cuda")
        info, on_device, on_host = torch.zeros(1, dtype=torch.int32, device="cuda"), ctypes.c_size_t(), ctypes.c_size_t()
        t = None if tridiagonal else dense(d, e)
        w_at, f_at, z_at = (pointer(x.data_ptr()) for x in (w, f, z))
        if tridiagonal:
            solve, ask = self.c.cusolverDnXstedc, self.c.cusolverDnXstedc_bufferSize
            these = (self.handle, self.parameters, self.IDENTITY, size(n), kind, w_at, f_at, kind, z_at, size(n), kind)
        else:
            solve, ask = self.c.cusolverDnXsyevd, self.c.cusolverDnXsyevd_bufferSize
            these = (self.handle, self.parameters, self.VECTORS, self.LOWER, size(n), kind, z_at, size(n), kind, w_at, kind)
        self.must(ask(*these, ctypes.byref(on_device), ctypes.byref(on_host)))
        work, host = self.room(on_device.value), ctypes.create_string_buffer(on_host.value + 16)

        def before():
            w.copy_(d), f[: n - 1].copy_(e)
            if t is not None:
                z.copy_(t)

        def call():
            self.must(solve(*these, pointer(work.data_ptr()), on_device, host, on_host, pointer(info.data_ptr())))

        ms = median_ms(call, before)
        return ms, on_device.value / 1e6, w, z


def run_torch(name, d, e):
    t = dense(d, e)
    torch.linalg.eigh(t)
    torch.cuda.synchronize()
    held = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result = []

    def call():
        result[:] = torch.linalg.eigh(t)

    ms = median_ms(call, result.clear)
    w, v = result
    return ms, max(torch.cuda.max_memory_allocated() - held - t.numel() * t.element_size(), 0) / 1e6, w, v.T


def rivals():
    """Name -> run(name of the type, d, e) of those that are here; and the largest n they are asked."""
    found = {}
    try:
        direct = Direct()
        if hasattr(direct.c, "cusolverDnXstedc"):
            found["cusolverDnXstedc"] = (lambda name, d, e: direct.run(name, d, e, True), 32768)
        found["cusolverDnXsyevd"] = (lambda name, d, e: direct.run(name, d, e, False), 8192)
    except (RuntimeError, AttributeError) as problem:
        print(f"cuSOLVER: left out: {problem}", file=sys.stderr)
    found["torch.linalg.eigh"] = (run_torch, 4096)
    return found


def main():
    orders = [int(x[2:]) for x in sys.argv[2:] if x.startswith("n=")] or [512, 1024, 2048, 4096, 8192]
    words = [x for x in sys.argv[2:] if not x.startswith("n=")]
    own, others = Own(sys.argv[1]), rivals()
    machine = f'"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}"'
    print(COLUMNS)
    for kind, name in (("uniform01", "f64"), ("121", "f64"), ("glued", "f64"), ("uniform01", "f32")):
        for n in orders:
            d, e = matrix(kind, name, n)
            ms, work, w, z = run_own(own, name, d, e)
            residual, product = errors(d, e, w, z)
            worst = max(residual, product)
            del w, z
            for rival, (run, most) in others.items():
                if n > most:
                    continue
                try:
                    other_ms, other_work, w, z = run(name, d, e)
                    other = errors(d, e, w, z)
                    del w, z
                except RuntimeError as problem:
                    print(f"{rival} {kind} n = {n}: {str(problem).splitlines()[0]}", file=sys.stderr)
                    continue
                print(f"stemr-rivals,{name},{n},1,cuda,auto {kind},0,{ms:.4g},,{rival},{other_ms:.4g},{other_ms / ms:.4g},"
                      f"{worst:.3g},{'ok' if worst <= 10 else 'FAIL'},{machine},{words[0] if words else 'unknown'},"
                      f"{residual:.3g},{product:.3g},{work:.4g},{other[0]:.3g},{other[1]:.3g},{other_work:.4g}", flush=True)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
