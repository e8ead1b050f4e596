#!/usr/bin/env python3
"""Eigenvalues of batches of nonsymmetric matrices: eigpack against what GPU users have today, in one run.

    rivals_geev.py LIBEIGPACK.SO [COMMIT]     prints CSV, one row a case and rival; needs PyTorch with CUDA
    rivals_geev.py LIBEIGPACK.SO COMMIT LIBTOKURA.SO     the program of the paper's authors alone, see below

own      eig_{d,s}geev_batched on a PyTorch tensor of 500,000 matrices on the device, entries from U(0,1)
rivals   on the first matrices of the same tensor, as many as take about half a second; their time is scaled to 500,000,
         which a loop over matrices allows, and the row says how many were run:
         torch.linalg.eigvals; jax.numpy.linalg.eigvals; cuSOLVER's cusolverDnXgeev, one matrix after the other on one
         stream; LAPACK's by numpy.linalg.eigvals on the host, copies not counted
times    medians of repeats, between synchronisations of the device
tokura   github.com/hirokitokura/tokura_dgeev_batched, MIT, f64, n <= 32: compiled for this GPU, with its parameters of a V100; both
         from pinned host arrays to pinned host arrays, all 500,000 matrices
check    the sum of each spectrum is the trace of its matrix to 10 n eps ||A||_F, for eigpack and for rivals
"""
import ctypes
import statistics
import sys
import time

import numpy
import torch

BATCH, REPEATS, ORDERS = 500000, 5, (3, 5, 10, 15, 20, 25, 30, 64)
COLUMNS = "family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit"


def milliseconds(call, repeats):
    """Median time of a call, after one to warm up; and its last result."""
    result, times = call(), []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        result = call()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times), result


def error_of(a, w):
    """Largest |trace - sum w| in units of n eps ||A||_F; a: [batch, n, n], w: [batch, n]."""
    n = a.shape[-1]
    eps = torch.finfo(a.dtype).eps
    a = a.double()
    far = (torch.einsum("bii->b", a) - w.to(torch.complex128).sum(1)).abs()
    return float((far / (n * eps * torch.linalg.matrix_norm(a))).max())


class Own:
    """The library by its C interface."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        self.c.eig_error_detail.restype = ctypes.c_char_p
        self.must(self.c.eig_create(ctypes.byref(self.context), b"cuda"))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.must(self.c.eig_set_stream(self.context, stream))

    def must(self, status):
        if status != 0:
            sys.exit(f"eigpack: {self.c.eig_error_detail(self.context).decode()}")

    def bound(self, a, w=None, info=None):
        """A call that computes the eigenvalues of a, and where it leaves them and info."""
        batch, n, _ = a.shape
        double = a.dtype == torch.float64
        if w is None:
            w = torch.full((batch, n), float("nan"), dtype=torch.complex128 if double else torch.complex64, device="cuda")
            info = torch.full((batch,), -99, dtype=torch.int32, device="cuda")
        call = self.c.eig_dgeev_batched if double else self.c.eig_sgeev_batched
        pointer, size = lambda x: ctypes.c_void_p(x.data_ptr()), ctypes.c_int64
        no_vectors = (None, size(n), size(n * n)) * 2 + (None,)
        arguments = (self.context, None, size(n), pointer(a), size(n), size(n * n), pointer(w), size(n), *no_vectors, pointer(info),
                     size(batch))
        return lambda: self.must(call(*arguments)), w, info


class Cusolver:
    """cusolverDnXgeev by its C interface, one matrix after the other."""

    NO_VECTORS, TYPES = 0, {torch.float32: (0, 4), torch.float64: (1, 5)}  # CUDA_R_32F, CUDA_C_32F, CUDA_R_64F, ...

    def __init__(self):
        for name in ("libcusolver.so", "libcusolver.so.12", "libcusolver.so.11"):
            try:
                self.c = ctypes.CDLL(name)
                break
            except OSError:
                self.c = None
        if self.c is None or not hasattr(self.c, "cusolverDnXgeev"):
            raise RuntimeError("no cuSOLVER with Xgeev")
        self.handle, self.parameters = ctypes.c_void_p(), ctypes.c_void_p()
        self.must(self.c.cusolverDnCreate(ctypes.byref(self.handle)))
        self.must(self.c.cusolverDnCreateParams(ctypes.byref(self.parameters)))

    @staticmethod
    def must(status):
        if status != 0:
            raise RuntimeError(f"cuSOLVER returned {status}")

    def eigvals(self, a):
        batch, n, _ = a.shape
        real, complex_ = self.TYPES[a.dtype]
        scratch = a.clone()
        w = torch.empty((batch, n), dtype=torch.complex128 if a.dtype == torch.float64 else torch.complex64, device="cuda")
        info = torch.zeros(1, dtype=torch.int32, device="cuda")
        size, pointer = ctypes.c_int64, ctypes.c_void_p
        on_device, on_host = ctypes.c_size_t(), ctypes.c_size_t()

        def arguments(matrix, values):
            return (self.handle, self.parameters, self.NO_VECTORS, self.NO_VECTORS, size(n), real, pointer(matrix), size(n),
                    complex_, pointer(values), real, None, size(n), real, None, size(n), real)

        at = [(scratch[b].data_ptr(), w[b].data_ptr()) for b in range(batch)]
        self.must(self.c.cusolverDnXgeev_bufferSize(*arguments(*at[0]), ctypes.byref(on_device), ctypes.byref(on_host)))
        work = torch.empty(on_device.value + 16, dtype=torch.uint8, device="cuda")
        host = ctypes.create_string_buffer(on_host.value + 16)
        for matrix, values in at:
            self.must(self.c.cusolverDnXgeev(*arguments(matrix, values), pointer(work.data_ptr()),
                                             ctypes.c_size_t(on_device.value), host, ctypes.c_size_t(on_host.value),
                                             pointer(info.data_ptr())))
        torch.cuda.synchronize()
        return w


def jax_eigvals():
    """A call that takes and gives PyTorch tensors; whatever JAX does inside is timed."""
    import os
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(jax.numpy.linalg.eigvals)

    def call(a):
        w = compiled(jax.dlpack.from_dlpack(a))
        w.block_until_ready()
        return torch.from_numpy(numpy.asarray(w).copy()).cuda()
    return call


def numpy_eigvals(a):
    return torch.from_numpy(numpy.linalg.eigvals(a.cpu().numpy())).cuda()


def rivals():
    """Name -> call, of those that are here."""
    found = {"torch.linalg.eigvals": torch.linalg.eigvals, "numpy.linalg.eigvals": numpy_eigvals}
    for name, make in (("cusolverDnXgeev", lambda: Cusolver().eigvals), ("jax.numpy.linalg.eigvals", jax_eigvals)):
        try:
            found[name] = make()
        except Exception as problem:  # a rival that is missing is left out, and said to be
            print(f"{name}: left out: {problem}", file=sys.stderr)
    return found


def time_rival(call, a):
    """Milliseconds for 500,000 matrices, how many were run, and the error."""
    few = 64
    spent, _ = milliseconds(lambda: call(a[:few]), 1)
    count = int(min(len(a), max(few, few * 500 / spent)))
    ms, w = milliseconds(lambda: call(a[:count]), 1)
    return ms * BATCH / count, count, error_of(a[:count], w)


class Tokura:
    """The program of the paper's authors, and eigpack, on the same pinned arrays of the host.  Its functions have C++ names."""

    def __init__(self, path):
        c = ctypes.CDLL(path)
        self.malloc, self.free = c._Z13tokura_mallocPPdii, c._Z11tokura_freePPd
        self.flags_malloc, self.flags_free = c._Z19tokura_flags_mallocPPci, c._Z17tokura_flags_freePc
        self.eigenvalues = c._Z20tokura_dgeev_batchediPPdS0_S0_iPc

    def pinned(self, width):
        """An array of BATCH rows, and the pointers to them that the program wants."""
        pointers = (ctypes.c_void_p * BATCH)()
        self.malloc(pointers, width, BATCH)
        rows = (ctypes.c_double * (BATCH * width)).from_address(pointers[0])
        return numpy.frombuffer(rows).reshape(BATCH, width), pointers

    def row(self, own, n, name):
        (a, at), (re, re_at), (im, im_at) = self.pinned(n * n), self.pinned(n), self.pinned(n)
        flags = ctypes.c_void_p()
        self.flags_malloc(ctypes.byref(flags), BATCH)
        a[:] = numpy.random.default_rng(1).random(a.shape)
        matrices = torch.from_numpy(a).view(BATCH, n, n)
        w = torch.empty((BATCH, n), dtype=torch.complex128).pin_memory()
        info = torch.full((BATCH,), -99, dtype=torch.int32).pin_memory()
        rival_ms, status = milliseconds(lambda: self.eigenvalues(n, at, re_at, im_at, BATCH, flags), REPEATS)
        failed = status or any(ctypes.string_at(flags, BATCH))
        rival_error = error_of(matrices[:20000], torch.from_numpy(re + 1j * im)[:20000])
        call, w, info = own.bound(matrices, w, info)
        ms, _ = milliseconds(call, REPEATS)
        error = error_of(matrices[:20000], w[:20000]) if int(info.abs().max()) == 0 else float("inf")
        for pointers in (at, re_at, im_at):
            self.free(pointers)
        self.flags_free(flags)
        check = "ok" if error <= 10 and rival_error <= 10 and not failed else "FAIL"
        print(f'geev-rivals-host,f64,{n},{BATCH},cuda,auto,0,{ms:.4g},,tokura_dgeev_batched,{rival_ms:.6g},{rival_ms / ms:.4g},'
              f'{error:.3g},{check},{name}', flush=True)


def main():
    own = Own(sys.argv[1])
    commit = sys.argv[2] if len(sys.argv) > 2 else "unknown"
    machine = f"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}"
    print(COLUMNS)
    if len(sys.argv) > 3:
        tokura = Tokura(sys.argv[3])
        for n in ORDERS[1:-1]:
            tokura.row(own, n, f'"{machine}",{commit}')
        return
    others = rivals()
    generator = torch.Generator(device="cuda").manual_seed(1)
    for dtype, name in ((torch.float64, "f64"), (torch.float32, "f32")):
        for n in ORDERS:
            a = torch.rand((BATCH, n, n), dtype=dtype, device="cuda", generator=generator)
            # The library reads column-major matrices: the transposes, with the same eigenvalues.
            call, w, info = own.bound(a)
            ms, _ = milliseconds(call, REPEATS)
            own_error = error_of(a[:20000], w[:20000]) if int(info.abs().max()) == 0 else float("inf")
            for rival, call in others.items():
                try:
                    rival_ms, count, error = time_rival(call, a)
                except Exception as problem:
                    print(f"{rival}, {name}, n = {n}: {problem}", file=sys.stderr)
                    continue
                check = "ok" if own_error <= 10 and error <= 10 else "FAIL"
                print(f'geev-rivals,{name},{n},{BATCH},cuda,auto,0,{ms:.4g},,{rival} ({count} run),{rival_ms:.6g},'
                      f'{rival_ms / ms:.4g},{own_error:.3g},{check},"{machine}",{commit}', flush=True)


main()
