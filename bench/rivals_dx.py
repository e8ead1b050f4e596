#!/usr/bin/env python3
"""Small eigenproblems: eigpack beside NVIDIA's cuSolverDx, whose solvers are functions for a kernel, in one run on one GPU.

    rivals_dx.py LIBEIGPACK.SO FOLDER [COMMIT] [heev] [htev] [n=LIST]     prints CSV, one row a case; needs PyTorch with
                    CUDA 13, and the kernels that cusolverdx.py put into FOLDER

heev      eigenpairs and eigenvalues, n = 3 to 64, batches of 1000 and 20000
htev      eigenvalues of 20000 tridiagonal matrices; default: both
own       eig_heev_batched, eig_stebz_batched, default methods, arrays on the device, lent workspace
rival     the kernels of the case, on the same arrays; the fastest has the row, which names its shape
times     of one call: events around calls in a row, none of which waits for the host; medians, the two taking turns
error     in n eps.  Eigenpairs: the largest of lambda, D and Q of rivals_heev.py.  Eigenvalues: |w - exact| / max|w| of
          samples, and |w - the other's| / max|w| of all.  A kernel with wrong answers (above 100) has no row
"""
import ctypes
import functools
import glob
import statistics
import sys

import numpy
import torch

from cusolverdx import HEEV, cases, must, stem
from rivals_heev import REAL, TYPES, Own, Truth, matrices, pointer, size

REPEATS, SLEEP, WRONG = 9, 1000000, 100
COLUMNS = ("family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit,"
           "rival_error")


def milliseconds(calls):
    """Medians of the calls, which take turns.  The GPU sleeps while the host submits them."""
    taken, counts = [[] for _ in calls], [1] * len(calls)
    for turn in range(REPEATS + 2):  # two to warm up
        for k, call in enumerate(calls):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(SLEEP)
            begin.record()
            for _ in range(counts[k]):
                call()
            end.record()
            end.synchronize()
            taken[k].append(begin.elapsed_time(end) / counts[k])
        if turn == 1:
            counts = [max(1, min(10, int(2 / times[1]))) for times in taken]
        if turn > 3 and sum(map(sum, taken)) > 600:
            break
    return [statistics.median(times[2:]) for times in taken]


@functools.cache
def loaded(name):
    """A kernel and its shared memory."""
    with open(name, "rb") as file:
        shared, image = int.from_bytes(file.read(8), "little"), file.read()
    cuda, module, run = ctypes.CDLL("libcuda.so.1"), pointer(), pointer()
    must(cuda.cuModuleLoadData(ctypes.byref(module), image), "cuModuleLoadData")
    must(cuda.cuModuleGetFunction(ctypes.byref(run), module, b"run"), "cuModuleGetFunction")
    must(cuda.cuFuncSetAttribute(run, 8, shared), f"{shared} bytes of shared memory")
    return cuda, run, shared


class Case:
    """Matrices, and what is called on them."""

    def __init__(self, own, case, batch):
        self.function, self.kind, n, self.vectors = case
        self.own, self.case, self.n, self.batch = own, case, n, batch
        generator, value = torch.Generator(device="cuda").manual_seed(n), TYPES[self.kind][0]
        if self.function == HEEV:
            self.a, self.e = matrices(self.kind, n, batch, generator), None
            self.truth = Truth(self.kind, self.a)
            self.sampled, self.exact = self.truth.sampled, torch.tensor(numpy.array(self.truth.exact, dtype=float), device="cuda")
        else:
            self.a, self.e = (torch.rand((batch, k), dtype=value, device="cuda", generator=generator) for k in (n, n - 1))
            few = (torch.diag_embed(self.a[:3]) + torch.diag_embed(self.e[:3], 1) + torch.diag_embed(self.e[:3], -1)).double()
            self.sampled, self.exact = [0, 1, 2], torch.from_numpy(numpy.linalg.eigvalsh(few.cpu().numpy())).cuda()
        self.unit = n * torch.finfo(value).eps

    def outputs(self):
        """v, w, info, which tell what was not written"""
        return (torch.full_like(self.a, float("nan")) if self.vectors else None,
                torch.full((self.batch, self.n), float("nan"), dtype=REAL[self.kind], device="cuda"),
                torch.full((self.batch,), -99, dtype=torch.int32, device="cuda"))

    def ours(self, out):
        """A call of eigpack; its workspace stays lent."""
        c, letter, need = self.own.c, ctypes.c_int(TYPES[self.kind][1][0]), ctypes.c_size_t()
        a, e, v, w, info = (x if x is None else pointer(x.data_ptr()) for x in (self.a, self.e, *out))
        n, square, off, batch = (size(x) for x in (self.n, self.n**2, self.n - 1, self.batch))
        if self.function == HEEV:
            self.own.must(c.eig_heev_work_size(self.own.context, letter, None, n, int(self.vectors), batch, ctypes.byref(need)))
            solve, these = c.eig_heev_batched, (n, a, n, square, None, w, n, v, n, square, info, None, batch)
        else:
            self.own.must(c.eig_stebz_work_size(self.own.context, letter, None, n, batch, ctypes.byref(need)))
            solve, these = c.eig_stebz_batched, (n, a, n, e, off, w, None, None, n, info, batch)
        self.work = torch.empty(need.value + 256, dtype=torch.uint8, device="cuda")
        self.own.must(c.eig_set_workspace(self.own.context, pointer(self.work.data_ptr()), need))
        return lambda: self.own.must(solve(self.own.context, letter, None, *these))

    def theirs(self, name, shape, out):
        """A launch of a kernel."""
        cuda, run, shared = loaded(name)
        values = [pointer() if x is None else pointer(x.data_ptr()) for x in (self.a, self.e, *out)] + [ctypes.c_int(self.batch)]
        these = (pointer * len(values))(*map(ctypes.addressof, values))
        stream, blocks = pointer(torch.cuda.current_stream().cuda_stream), -(-self.batch // shape[1])
        return lambda _=values: must(cuda.cuLaunchKernel(run, blocks, 1, 1, shape[0], 1, 1, shared, stream, these, None), name)

    def far(self, w, others):
        w, others = w.double().sort(1)[0], others.double()
        return float(((w - others).abs().amax(1) / others.abs().amax(1)).max()) / self.unit

    def error(self, out, others):
        v, w, info = out
        if int(info.abs().max()) != 0:
            return float("inf")
        found = self.truth.errors(w, v.mH) if self.vectors else (self.far(w[self.sampled], self.exact), self.far(w, others))
        return max(x if x == x else float("inf") for x in found)


def row(own, case, batch, folder, commit):
    """Times the kernels of a case, then the fastest beside eigpack."""
    this, best = Case(own, case, batch), None
    out = this.outputs()
    ours = this.ours(out)
    ours()
    for name in sorted(glob.glob(stem(folder, case) + "-*.cubin")):
        shape = [int(word) for word in name[:-6].rsplit("-", 3)[1:]]
        try:
            their_out = this.outputs()
            call = this.theirs(name, shape, their_out)
            call()
            wrong, (ms,) = this.error(their_out, out[1]), milliseconds([call])
        except RuntimeError as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            continue
        print(f"{name}, batch {batch}: {ms:.4g} ms, error {wrong:.3g}", file=sys.stderr, flush=True)
        if wrong <= WRONG and (best is None or ms < best[0]):
            best = ms, wrong, call, shape, their_out
    if best is None:
        print(f"{stem(folder, case)}: no kernel", file=sys.stderr)
        return
    error = this.error(out, best[4][1])
    mine, theirs = milliseconds([ours, best[2]])
    function, kind, n, vectors = case
    threads, each, lda = best[3]
    family, method = ("heev-dx", "auto" if vectors else "auto values") if function == HEEV else ("stebz-dx", "multisection")
    shape = f"{each} matrices {threads} threads" + (f" lda {lda}" if function == HEEV else "") if lda else "a thread a matrix"
    rival = f"cuSolverDx {'heev' if function == HEEV else 'htev'} ({shape})"
    print(f"{family},{kind},{n},{batch},cuda,{method},0,{mine:.4g},,{rival},{theirs:.4g},{theirs / mine:.4g},{error:.3g},"
          f"{'ok' if error <= (10 if n > 3 else 40) else 'FAIL'},{torch.cuda.get_device_name()}; PyTorch {torch.__version__},"
          f"{commit},{best[1]:.3g}", flush=True)


def main():
    path, folder, *words = sys.argv[1:]
    commit = next((word for word in words if word not in ("heev", "htev") and "=" not in word), "unknown")
    own = Own(path)
    print(COLUMNS)
    for case in cases(words):
        for batch in (1000, 20000) if case[0] == HEEV else (20000,):
            row(own, case, batch, folder, commit)


if __name__ == "__main__":
    main()
