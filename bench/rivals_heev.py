#!/usr/bin/env python3
"""Eigenvectors of batches of Hermitian matrices: eigpack against what GPU users have today, in one run.

    rivals_heev.py LIBEIGPACK.SO [COMMIT] [PART...] [n=N...]     prints CSV, one row a case and rival; needs PyTorch with
                    CUDA; n=N: these orders alone

parts    paper      c128, entries uniform in [0, 1): batch 1000, n = 4 to 32, and batch 200, n = 64 to 512; methods auto and
                    jacobi: the cases of figures 5 to 9 of R. Huang, S. Liu and Y. Zhao (2023)
         resident   all types, batch 20000, n = 8, 16, 32; c128 and f64 of n = 64
         large      f64, batch 200, n = 64 to 512
         few        f64, f32, c128, batch 1 and 10, n = 128 to 4096, beside PyTorch, which calls cuSOLVER
         small      n = 3, batch 1,000,000 (default: all parts)
own      eig_{s,d}syev_batched, eig_{c,z}heev_batched on a PyTorch tensor on the device, with a lent workspace
rivals   on the same tensor: cuSOLVER's cusolverDnXsyevBatched and cusolverDn?{sy,he}evjBatched, by CUDA events around the
         call, as own; torch.linalg.eigh, jax.numpy.linalg.eigh, cupy.linalg.eigh as their users call them, between
         synchronisations of the device.  One that would take more than a second runs on a part of the matrices; its time
         is then scaled, and the row says how many were run
times    medians of repeats
errors   in units of n eps, the largest over all matrices (lambda: over samples): lambda |w - exact| / max|w|, the paper's (8)
         without its dependence on scale, up to n = 600; D ||A - V diag(w) V^H|| / ||A||, (9); Q ||I - V^H V||, (10), Frobenius norms, in
         double.  Exact is the quotient of Rayleigh, in long double on the host, of NumPy's vectors.  `error` is the larger
         of own D and Q; a row is ok where that and lambda are at most 10, whatever the rival's are
work     MB of workspace: own and cuSOLVER's by their queries, the others' by PyTorch's peak where it is known
"""
import ctypes
import os
import statistics
import sys
import time

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import numpy  # noqa: E402
import torch  # noqa: E402

REPEATS, MOST_MS, SAMPLES = 5, 1000, 3
COLUMNS = ("family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit,"
           "own_lambda,own_D,own_Q,own_work_mb,rival_lambda,rival_D,rival_Q,rival_work_mb")
TYPES = {"f32": (torch.float32, b"s"), "f64": (torch.float64, b"d"), "c64": (torch.complex64, b"c"),
         "c128": (torch.complex128, b"z")}
REAL = {"f32": torch.float32, "f64": torch.float64, "c64": torch.float32, "c128": torch.float64}
METHODS = {"auto": 0, "jacobi": 1, "tridiagonal": 2}
size, pointer = ctypes.c_int64, ctypes.c_void_p


def events_ms(call, before, repeats):
    """Median time of a call between two events, after one to warm up; `before` is not timed."""
    times = []
    for k in range(repeats + 1):
        before()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
        if k == 1 and sum(times) > 4 * MOST_MS:
            break
    return statistics.median(times[1:])


def wall_ms(call, repeats):
    """Median time of a call between synchronisations, after one to warm up; and its last result."""
    result, times = call(), []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        result = call()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times), result


# ----------------------------------------------------------------- matrices

def matrices(name, n, batch, generator):
    """Hermitian matrices, parts of entries uniform in [0, 1)."""
    a = torch.rand((batch, n, n), dtype=TYPES[name][0], device="cuda", generator=generator)
    lower = a.tril(-1)
    return (lower + lower.mH + torch.diag_embed(torch.diagonal(a, dim1=1, dim2=2).real.to(a.dtype))).contiguous()


def exact(a):
    """Eigenvalues of one matrix in long double: quotients of Rayleigh, whose errors are squares of those of the vectors."""
    long = numpy.clongdouble if numpy.iscomplexobj(a) else numpy.longdouble
    a = a.astype(long)
    _, v = numpy.linalg.eigh(a.astype(numpy.complex128 if long is numpy.clongdouble else numpy.float64))
    v = v.astype(long)
    return ((v.conj() * (a @ v)).sum(0) / (v.conj() * v).sum(0)).real


class Truth:
    """What the results of a batch are compared with."""

    def __init__(self, name, a):
        self.a, self.n, self.eps = a, a.shape[-1], torch.finfo(a.dtype).eps
        few = min(SAMPLES if self.n <= 128 else 1 if self.n <= 600 else 0, len(a))
        self.sampled = [k * (len(a) - 1) // max(few - 1, 1) for k in range(few)]
        self.exact = [exact(a[k].cpu().numpy()) for k in self.sampled]

    def errors(self, w, v):
        """lambda, D, Q; w: [count, n], v: [count, n, n], vectors as columns; count may be less than the batch."""
        unit, lam, d, q = self.n * self.eps, 0.0, 0.0, 0.0
        for k, truth in zip(self.sampled, self.exact):
            if k < len(w):
                far = numpy.abs(numpy.sort(w[k].cpu().numpy().astype(numpy.longdouble)) - truth).max()
                lam = max(lam, float(far / numpy.abs(truth).max()) / unit)
        for first in range(0, len(w), max(1, 4 * 10**7 // self.n**2)):
            part = slice(first, first + max(1, 4 * 10**7 // self.n**2))
            b, x = self.a[: len(w)][part], v[part]
            wide = torch.complex128 if b.is_complex() else torch.float64
            b, x = b.to(wide), x.to(wide)
            rest = torch.linalg.matrix_norm(b - (x * w[part].to(wide).unsqueeze(1)) @ x.mH) / torch.linalg.matrix_norm(b)
            eye = torch.eye(self.n, dtype=wide, device="cuda")
            d = max(d, float(rest.max()) / unit)
            q = max(q, float(torch.linalg.matrix_norm(x.mH @ x - eye).max()) / unit)
        return tuple(x if x == x else float("inf") for x in (lam, d, q))


# --------------------------------------------------------------- contestants

class Options(ctypes.Structure):
    """eig_heev_options"""
    _fields_ = [("size", ctypes.c_size_t), ("uplo", ctypes.c_int), ("layout", ctypes.c_int), ("method", ctypes.c_int),
                ("row_major", ctypes.c_int), ("relative", ctypes.c_int), ("range", ctypes.c_int),
                ("il", ctypes.c_int64), ("iu", ctypes.c_int64), ("vl", ctypes.c_double), ("vu", ctypes.c_double),
                ("chunk", ctypes.c_int64), ("tolerance", ctypes.c_double), ("max_sweeps", ctypes.c_int),
                ("unused", ctypes.c_int)]


class Own:
    """The library by its C interface."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.context = pointer()
        self.c.eig_error_detail.restype = ctypes.c_char_p
        self.must(self.c.eig_create(ctypes.byref(self.context), b"cuda"))
        self.must(self.c.eig_set_stream(self.context, pointer(torch.cuda.current_stream().cuda_stream)))

    def must(self, status):
        if status != 0:
            raise RuntimeError(f"eigpack: {self.c.eig_error_detail(self.context).decode()}")

    def run(self, name, a, method):
        """Milliseconds, MB of workspace, w and v.  The library reads columns: the conjugates of the matrices."""
        batch, n, _ = a.shape
        options, letter = Options(size=ctypes.sizeof(Options), method=METHODS[method]), TYPES[name][1]
        w = torch.empty((batch, n), dtype=REAL[name], device="cuda")
        v = torch.empty_like(a)
        info = torch.empty(batch, dtype=torch.int32, device="cuda")
        need = ctypes.c_size_t()
        self.must(self.c.eig_heev_work_size(self.context, ctypes.c_int(letter[0]), ctypes.byref(options), size(n), 1,
                                            size(batch), ctypes.byref(need)))
        work = torch.empty(need.value + 256, dtype=torch.uint8, device="cuda")
        self.must(self.c.eig_set_workspace(self.context, pointer(work.data_ptr()), need))
        at = [pointer(x.data_ptr()) for x in (a, w, v, info)]

        def call():
            self.must(self.c.eig_heev_batched(self.context, ctypes.c_int(letter[0]), ctypes.byref(options), size(n), at[0],
                                              size(n), size(n * n), None, at[1], size(n), at[2], size(n), size(n * n), at[3],
                                              None, size(batch)))

        def before():
            w.fill_(float("nan")), v.fill_(float("nan")), info.fill_(-99)

        ms = events_ms(call, before, REPEATS)
        self.must(self.c.eig_set_workspace(self.context, None, ctypes.c_size_t(0)))
        if int(info.abs().max()) != 0:
            raise RuntimeError("eigpack: info is not 0")
        return ms, need.value / 1e6, w, v.mH


class Cusolver:
    """The batched routines by their C interface, in place on a copy."""

    VECTORS, LOWER = 1, 0
    DATA = {"f32": (0, 0), "f64": (1, 1), "c64": (4, 0), "c128": (5, 1)}  # CUDA_R_32F, CUDA_C_64F, ... of A and of w
    JACOBI = {"f32": "Ssyevj", "f64": "Dsyevj", "c64": "Cheevj", "c128": "Zheevj"}

    def __init__(self):
        self.c = None
        for name in ("libcusolver.so", "libcusolver.so.12", "libcusolver.so.11"):
            try:
                self.c = self.c or ctypes.CDLL(name)
            except OSError:
                pass
        if self.c is None:
            raise RuntimeError("no cuSOLVER")
        self.handle, self.parameters, self.jacobi = pointer(), pointer(), pointer()
        self.must(self.c.cusolverDnCreate(ctypes.byref(self.handle)))
        self.must(self.c.cusolverDnCreateParams(ctypes.byref(self.parameters)))
        self.must(self.c.cusolverDnCreateSyevjInfo(ctypes.byref(self.jacobi)))
        self.must(self.c.cusolverDnSetStream(self.handle, pointer(torch.cuda.current_stream().cuda_stream)))

    @staticmethod
    def must(status):
        if status != 0:
            raise RuntimeError(f"cuSOLVER returned {status}")

    @staticmethod
    def arrays(name, a):
        batch, n, _ = a.shape
        return (a.clone(), torch.empty((batch, n), dtype=REAL[name], device="cuda"),
                torch.full((batch,), -99, dtype=torch.int32, device="cuda"))

    @staticmethod
    def room(count):
        free, _ = torch.cuda.mem_get_info()
        if count > 0.9 * free:
            raise RuntimeError(f"wants {count / 2**30:.1f} GiB of workspace")
        return torch.empty(count + 256, dtype=torch.uint8, device="cuda")

    def run_tridiagonal(self, name, a):
        batch, n, _ = a.shape
        v, w, info = self.arrays(name, a)
        kind, real = self.DATA[name]
        on_device, on_host = ctypes.c_size_t(), ctypes.c_size_t()
        these = (self.handle, self.parameters, self.VECTORS, self.LOWER, size(n), kind, pointer(v.data_ptr()), size(n), real,
                 pointer(w.data_ptr()), kind)
        self.must(self.c.cusolverDnXsyevBatched_bufferSize(*these, ctypes.byref(on_device), ctypes.byref(on_host),
                                                           size(batch)))
        work, host = self.room(on_device.value), ctypes.create_string_buffer(on_host.value + 16)

        def call():
            self.must(self.c.cusolverDnXsyevBatched(*these, pointer(work.data_ptr()), on_device, host, on_host,
                                                    pointer(info.data_ptr()), size(batch)))

        ms = events_ms(call, lambda: v.copy_(a), REPEATS)
        return ms, on_device.value / 1e6, w, v.mH

    def run_jacobi(self, name, a):
        batch, n, _ = a.shape
        v, w, info = self.arrays(name, a)
        solve = getattr(self.c, f"cusolverDn{self.JACOBI[name]}Batched")
        ask = getattr(self.c, f"cusolverDn{self.JACOBI[name]}Batched_bufferSize")
        these = (self.handle, self.VECTORS, self.LOWER, n, pointer(v.data_ptr()), n, pointer(w.data_ptr()))
        count = ctypes.c_int()
        self.must(ask(*these, ctypes.byref(count), self.jacobi, batch))
        work = self.room(count.value * a.element_size())

        def call():
            self.must(solve(*these, pointer(work.data_ptr()), count, pointer(info.data_ptr()), self.jacobi, batch))

        ms = events_ms(call, lambda: v.copy_(a), REPEATS)
        return ms, count.value * a.element_size() / 1e6, w, v.mH


def run_torch(name, a):
    torch.cuda.synchronize()
    held = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    ms, (w, v) = wall_ms(lambda: torch.linalg.eigh(a), REPEATS if a.shape[0] * a.shape[1] < 10**5 else 1)
    peak = torch.cuda.max_memory_allocated() - held - 2 * (a.numel() * a.element_size() + w.numel() * w.element_size())
    return ms, max(peak, 0) / 1e6, w, v


def jax_runner():
    import jax
    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(jax.numpy.linalg.eigh)

    def run(name, a):
        x = jax.dlpack.from_dlpack(a)
        ms, (w, v) = wall_ms(lambda: jax.block_until_ready(compiled(x)), 3)
        return ms, None, torch.from_dlpack(w), torch.from_dlpack(v)
    return run


def cupy_runner():
    import cupy

    def run(name, a):
        x = cupy.from_dlpack(a)
        ms, (w, v) = wall_ms(lambda: cupy.linalg.eigh(x), 3)
        result = torch.from_dlpack(w).clone(), torch.from_dlpack(v).clone()
        cupy.get_default_memory_pool().free_all_blocks()
        return (ms, None, *result)
    return run


def rivals():
    """Name -> run(name of the type, a), of those that are here."""
    found = {}

    def cusolver(what):
        def make():
            runner = Cusolver()
            return runner.run_tridiagonal if what == "X" else runner.run_jacobi
        return make

    for name, make in (("cusolverDnXsyevBatched", cusolver("X")), ("cusolverDn?evjBatched", cusolver("j")),
                       ("torch.linalg.eigh", lambda: run_torch), ("jax.numpy.linalg.eigh", jax_runner),
                       ("cupy.linalg.eigh", cupy_runner)):
        try:
            found[name] = make()
        except Exception as problem:  # a rival that is missing is left out, and said to be
            print(f"{name}: left out: {problem}", file=sys.stderr)
    return found


# --------------------------------------------------------------------- cases

def cases(parts):
    """(type, n, batch, methods, which frameworks take part: True for all)"""
    if "paper" in parts:
        for n in (4, 8, 12, 16, 20, 24, 28, 32):
            yield "c128", n, 1000, ("auto", "jacobi"), n in (8, 32)
        for n in (64, 128, 256, 512):
            yield "c128", n, 200, ("auto", "jacobi"), n in (64, 128)
    if "resident" in parts:
        for name in ("c128", "f64", "c64", "f32"):
            for n in (8, 16, 32):
                yield name, n, 20000, ("auto",), False
        for name in ("c128", "f64"):
            yield name, 64, 20000, ("auto",), False
    if "large" in parts:
        for n in (64, 128, 256, 512):
            yield "f64", n, 200, ("auto",), False
    if "few" in parts:
        for name in ("f64", "f32", "c128"):
            for n in (128, 256, 512, 1024, 2048, 4096):
                for batch in (1, 10):
                    yield name, n, batch, ("auto",), "torch"
    if "small" in parts:
        for name in ("f64", "f32"):
            yield name, 3, 1000000, ("auto",), False


def run_rival(run, rival, name, a, slow):
    """What run gives, for the whole batch; a rival that was slow before runs on a part."""
    batch, few = len(a), max(1, min(len(a), 64))
    if not rival.startswith("cusolver"):
        spent = run(name, a[:few].contiguous())[0]
        few = int(min(batch, max(few, few * MOST_MS / max(spent, 1e-3))))
        if few < batch:
            ms, work, w, v = run(name, a[:few].contiguous())
            return ms * batch / few, work, w, v, f"{rival} ({few} run)"
    elif slow > 4 * MOST_MS:
        raise RuntimeError("left out: the order before took more than four seconds")
    return (*run(name, a), rival)


def row(name, a, method, own, own_errors, rival, commit, machine):
    batch, n, _ = a.shape
    ms, work = own
    good = max(own_errors) <= 10
    fields = [f"heev-rivals,{name},{n},{batch},cuda,{method},0,{ms:.4g},"]
    if rival:
        rival_ms, rival_work, errors, text = rival
        fields += [text, f"{rival_ms:.6g}", f"{rival_ms / ms:.4g}"]
    else:
        fields += ["", "", ""]
    fields += [f"{max(own_errors[1:]):.3g}", "ok" if good else "FAIL", f'"{machine}"', commit]
    fields += [f"{x:.3g}" for x in own_errors] + [f"{work:.4g}"]
    if rival:
        fields += [f"{x:.3g}" for x in errors] + ["" if rival_work is None else f"{rival_work:.4g}"]
    else:
        fields += [""] * 4
    print(",".join(fields), flush=True)


def main():
    known = ("paper", "resident", "large", "few", "small")
    orders = [int(word[2:]) for word in sys.argv[2:] if word.startswith("n=")]
    words = [word for word in sys.argv[2:] if not word.startswith("n=")]
    parts = [word for word in words if word in known] or known
    commit = next((word for word in words if word not in known), "unknown")
    own, others, slow = Own(sys.argv[1]), rivals(), {}
    machine = f"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}"
    generator = torch.Generator(device="cuda").manual_seed(1)
    print(COLUMNS)
    for name, n, batch, methods, frameworks in cases(parts):
        if orders and n not in orders:
            continue
        a = matrices(name, n, batch, generator)
        truth, results = Truth(name, a), {}
        for rival, run in others.items():
            if not (frameworks or rival.startswith("cusolver")) or (rival.startswith("cupy") and n > 32):
                continue
            if frameworks == "torch" and not rival.startswith("torch"):
                continue
            try:
                rival_ms, work, w, v, text = run_rival(run, rival, name, a, slow.get((rival, name, batch), 0))
                text = text.replace("?evj", "".join(Cusolver.JACOBI[name]))
                results[rival] = rival_ms, work, truth.errors(w, v), text
                slow[rival, name, batch] = rival_ms
                del w, v
            except Exception as problem:
                print(f"{rival}, {name}, n = {n}, batch {batch}: {problem}", file=sys.stderr)
            torch.cuda.empty_cache()
        for method in methods:
            try:
                ms, work, w, v = own.run(name, a, method)
            except RuntimeError as problem:
                print(f"{method}, {name}, n = {n}, batch {batch}: {problem}", file=sys.stderr)
                continue
            errors = truth.errors(w, v)
            for rival in results.values() or [None]:
                row(name, a, method, (ms, work), errors, rival, commit, machine)
        del a, truth


if __name__ == "__main__":
    main()
