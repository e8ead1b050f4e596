#!/usr/bin/env python3
"""Kernels around the eigensolvers of NVIDIA's cuSolverDx, which are functions for a kernel, by libmathdx, NVRTC and nvJitLink.

    cusolverdx.py LIBMATHDX.SO FOLDER [heev] [htev] [n=LIST]     makes the kernels that FOLDER lacks, for rivals_dx.py

heev      all types, eigenpairs and eigenvalues, n = 3 to 64;  htev: f64 and f32, eigenvalues, n = 3 to 64; default: both
kernel    loads the matrices of a block into shared memory, calls the function, stores what it gives.  Shapes: threads and
          matrices a block as the library suggests; with an odd leading dimension, which spares conflicts of banks; for
          n = 16 and 32 a block twice as large; for small n each thread of 64 solves a matrix alone
needs     libmathdx.so.0 (nvidia-libmathdx-cu13 on PyPI), libnvrtc.so.13 and libnvJitLink.so.13 of CUDA 13; no GPU.  A kernel
          takes a core 6 to 20 seconds, a process a core makes them
"""
import ctypes
import functools
import multiprocessing
import os
import string
import sys

HTEV, HEEV = 18, 19  # cusolverdxFunction
CODES = {"f64": ("double", "double", 6, 0, 8), "c128": ("double2", "double", 6, 1, 16), "f32": ("float", "float", 5, 0, 4),
         "c64": ("float2", "float", 5, 1, 8)}  # value, real, commondxPrecision, cusolverdxType, bytes of a value

KERNEL = string.Template("""
typedef $value T;
typedef $real R;
extern "C" __device__ void solve($parameters);

extern "C" __global__ void __launch_bounds__($threads) run(const T *a, const R *e, T *v, R *w, int *info, int batch)
{
    extern __shared__ double2 room[];
    int const n = $n, lda = $lda, each = $each, step = $threads; // the last matrix fills the last block
    int const stride = $stride, pad = $pad;                      // from matrix to matrix, from eigenvalues to eigenvalues
    int const first = blockIdx.x * each, count = min(each, batch - first), mine = $mine;
    $body
    for (int i = threadIdx.x; i < count * n; i += step) w[(size_t)first * n + i] = values[i / n * pad + i % n];
    for (int i = threadIdx.x; i < count; i += step) info[first + i] = state[i];
}
""")
DENSE = string.Template("""
    T *const all = (T *)room, *const shared = all + each * stride;
    T own[$own];
    R *const values = (R *)(shared + $work);
    int *const state = (int *)(values + each * pad);
    for (int i = threadIdx.x; i < each * n * n; i += step) {
        int const m = i / (n * n), k = i % (n * n);
        all[m * stride + k / n * lda + k % n] = a[(size_t)(first + min(m, count - 1)) * n * n + k];
    }
    __syncthreads();
    solve(all + mine * stride, values + mine * pad, $work ? shared : own, state + mine);
    __syncthreads();
    for (int i = threadIdx.x; $vectors && i < count * n * n; i += step)
        v[(size_t)first * n * n + i] = all[i / (n * n) * stride + i / n % n * lda + i % n];
""")
TRIDIAGONAL = string.Template("""
    R *const values = (R *)room, *const off = values + each * pad;
    int *const state = (int *)(off + each * stride);
    for (int i = threadIdx.x; i < each * n; i += step) {
        int const m = i / n, k = i % n;
        size_t const from = first + min(m, count - 1);
        values[m * pad + k] = a[from * n + k];
        if (k + 1 < n) off[m * stride + k] = e[from * (n - 1) + k];
    }
    __syncthreads();
    solve(values + mine * pad, off + mine * stride, state + mine);
    __syncthreads();
""")


def must(status, what):
    if status != 0:
        raise RuntimeError(f"{what} returned {status}")


class Compiler:
    """Kernels around a function of cuSolverDx, by libmathdx, NVRTC and nvJitLink; a case is (function, type, n, vectors)."""

    LTOIR, FATBIN = 3, 4  # nvJitLinkInputType

    def __init__(self, path):
        names = "libnvrtc.so.13", "libnvJitLink.so.13", path
        self.rtc, self.link, self.dx = (ctypes.CDLL(name, ctypes.RTLD_GLOBAL) for name in names)

    def bytes_of(self, library, name, *of):
        """What the functions ...Size and the one of this name give together."""
        count = ctypes.c_size_t()
        must(getattr(library, name + "Size")(*of, ctypes.byref(count)), name + "Size")
        room = ctypes.create_string_buffer(count.value)
        must(getattr(library, name)(*of, *((count,) if library is self.dx else ()), room), name)
        return room.raw

    def descriptor(self, case, shape=None):
        function, kind, n, vectors = case
        dx, by_block = ctypes.c_longlong(), shape is None or shape[2] > 0
        must(self.dx.cusolverdxCreateDescriptor(ctypes.byref(dx)), "cusolverdxCreateDescriptor")
        # Size, type, precision, SM, execution, API: shared memory, function, job: overwrite or no vectors.
        wanted = {0: [n], 1: CODES[kind][3], 2: CODES[kind][2], 3: 900, 4: int(by_block), 6: 0, 7: function, 15: 3 * vectors}
        if function == HEEV:
            wanted.update({0: [n, n], 8: 0, 9: 1})  # column-major, lower
        if shape and by_block:
            wanted.update({5: [shape[0], 1, 1], 14: shape[1]})  # block, matrices a block
        if shape and by_block and function == HEEV:
            wanted[13] = [shape[2]]  # leading dimension
        for operator, value in wanted.items():
            if isinstance(value, list):
                array = (ctypes.c_longlong * len(value))(*value)
                status = self.dx.cusolverdxSetOperatorInt64s(dx, operator, ctypes.c_size_t(len(value)), array)
            else:
                status = self.dx.cusolverdxSetOperatorInt64(dx, operator, ctypes.c_longlong(value))
            must(status, f"operator {operator}")
        must(self.dx.cusolverdxSetOptionStr(dx, 0, b"solve"), "the name")
        return dx

    def shapes(self, case):
        """(threads, matrices a block, leading dimension, or 0 where a thread solves a matrix alone)"""
        dx, block, number = self.descriptor(case), (ctypes.c_longlong * 3)(), ctypes.c_longlong()
        must(self.dx.cusolverdxGetTraitInt64s(dx, 5, ctypes.c_size_t(3), block), "suggested block")
        must(self.dx.cusolverdxGetTraitInt64(dx, 6, ctypes.byref(number)), "suggested matrices")
        n, threads, each = case[2], block[0], number.value
        if case[0] == HTEV:
            return [(threads, each, n - 1)] + [(64, 64, 0)] * (n <= 16)
        found = [(threads, each, n), (threads, each, n | 1)] + [(2 * threads, 2 * each, n | 1)] * (8 < n < 64)
        found += [(64, 64, 0)] * (n <= 8)
        return list(dict.fromkeys(found))

    def kernel(self, case, shape):
        """A cubin, with the bytes of shared memory that it takes before it."""
        function, kind, n, vectors = case
        threads, each, lda = shape
        value, real, _, is_complex, width = CODES[kind]
        dx, code, work = self.descriptor(case, shape), ctypes.c_longlong(), ctypes.c_longlong()
        must(self.dx.commondxCreateCode(ctypes.byref(code)), "commondxCreateCode")
        must(self.dx.commondxSetCodeOptionInt64(code, 1, ctypes.c_longlong(900)), "commondxSetCodeOptionInt64")
        must(self.dx.cusolverdxFinalizeCode(code, dx), "cusolverdxFinalizeCode")
        if function == HEEV and lda:  # of a thread the library does not tell it
            must(self.dx.cusolverdxGetTraitInt64(dx, 12, ctypes.byref(work)), "workspace")
        pad = n if lda else n | 1
        stride = (lda * n if lda else n * n | 1) if function == HEEV else lda or pad
        body = (DENSE if function == HEEV else TRIDIAGONAL).substitute(work=work.value, own=8 * n, vectors=vectors)
        source = KERNEL.substitute(value=value, real=real, threads=threads, n=n, lda=lda or n, each=each, body=body,
                                   stride=stride, pad=pad, mine="0" if lda else "threadIdx.x",
                                   parameters="T *, R *, T *, int *" if function == HEEV else "R *, R *, int *")
        shared = each * (4 + pad * (width >> is_complex) + stride * width) + work.value * width
        program, link, options = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_char_p * 3)(b"-arch=sm_90", b"-dlto", b"-rdc=true")
        must(self.rtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), None, 0, None, None), "nvrtcCreateProgram")
        must(self.rtc.nvrtcCompileProgram(program, 3, options), "nvrtcCompileProgram")
        options = (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-lto")
        must(self.link.nvJitLinkCreate(ctypes.byref(link), 2, options), "nvJitLinkCreate")
        for form, part in ((self.LTOIR, self.bytes_of(self.dx, "commondxGetCodeLTOIR", code)),
                           (self.FATBIN, self.bytes_of(self.dx, "cusolverdxGetUniversalFATBIN", dx)),
                           (self.LTOIR, self.bytes_of(self.rtc, "nvrtcGetLTOIR", program))):
            must(self.link.nvJitLinkAddData(link, form, part, ctypes.c_size_t(len(part)), b"part"), "nvJitLinkAddData")
        must(self.link.nvJitLinkComplete(link), "nvJitLinkComplete")
        return shared.to_bytes(8, "little") + self.bytes_of(self.link, "nvJitLinkGetLinkedCubin", link)


def stem(folder, case):
    return os.path.join(folder, "-".join(("heev" if case[0] == HEEV else "htev", *map(str, case[1:]))))


def compile_case(path, folder, case):
    """Makes the kernels of a case that the folder lacks; what there is to say."""
    name = stem(folder, case)
    try:
        compiler = Compiler(path)
        for shape in compiler.shapes(case):
            target = "-".join(map(str, (name, *shape)))
            if not os.path.exists(target + ".cubin"):
                with open(f"{target}.{os.getpid()}", "wb") as file:
                    file.write(compiler.kernel(case, shape))
                os.rename(file.name, target + ".cubin")
    except (RuntimeError, OSError) as problem:
        return f"{name}: {problem}"
    return name


def cases(words):
    """(function, type, n, vectors) of the words of a command."""
    orders = next((word[2:].split(",") for word in words if word.startswith("n=")), (3, 4, 8, 16, 32, 64))
    both = "heev" not in words and "htev" not in words
    found = [(HTEV, kind, int(n), 0) for kind in ("f64", "f32") for n in orders if both or "htev" in words]
    return found + [(HEEV, kind, int(n), vectors) for kind in CODES for n in orders if both or "heev" in words for vectors in (1, 0)]


def main():
    path, folder, *words = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with multiprocessing.Pool(maxtasksperchild=1) as pool:
        for said in pool.imap_unordered(functools.partial(compile_case, path, folder), cases(words)):
            print(said, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
