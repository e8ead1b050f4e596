"""Eigenvalues and some eigenvectors of one tridiagonal matrix on the ranks of mpi4py, by eigpack_mpi through ctypes.

    mpirun -n 4 python mpi_tridiagonal.py [--order N] [--device auto]

mpi4py and libeigpack_mpi.so must be made for the same MPI.  EIGPACK_MPI names the library where the loader does not find
it.  For batches nothing of this is needed: each rank calls eigpack.eigh on its slice.
"""

import argparse
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

import numpy as np
from mpi4py import MPI

# A communicator is an int in MPICH and a pointer in Open MPI.
Comm = c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(c_int) else c_void_p


class Places(ctypes.Structure):
    """eig_mpi_options: T on all ranks (0) or the root (1); results in runs (0), on all ranks (1) or the root (2)."""

    _fields_ = [("size", c_size_t), ("input", c_int), ("output", c_int), ("root", c_int)]


class Run(ctypes.Structure):
    """eig_mpi_run."""

    _fields_ = [("size", c_size_t), ("first", c_int64), ("count", c_int64), ("total", c_int64), ("info", c_int)]


class Range(ctypes.Structure):
    """The fields of eig_stemr_options up to iu: the others have their defaults."""

    _fields_ = [("size", c_size_t), ("range", c_int), ("method", c_int), ("il", c_int64), ("iu", c_int64)]


library = ctypes.CDLL(os.environ.get("EIGPACK_MPI", "libeigpack_mpi.so"))
library.eig_mpi_create.argtypes = [POINTER(c_void_p), Comm, c_char_p]
library.eig_mpi_destroy.argtypes = [c_void_p]
library.eig_mpi_error_detail.argtypes = [c_void_p]
library.eig_mpi_error_detail.restype = c_char_p
library.eig_mpi_slice.argtypes = [c_int64, c_int, c_int, POINTER(c_int64), POINTER(c_int64)]
array = POINTER(c_double)
matrix = [c_int64, array, array, POINTER(Run)]
library.eig_mpi_dstebz.argtypes = [c_void_p, POINTER(Places), c_void_p, *matrix, array, array, array]
library.eig_mpi_dstemr.argtypes = [c_void_p, POINTER(Places), POINTER(Range), *matrix, array, array, c_int64]
library.eig_mpi_dstemr.argtypes += [c_void_p] * 5


def pointer(a):
    return None if a is None else a.ctypes.data_as(array)


class Context:
    """eig_mpi_context; its methods are collective."""

    def __init__(self, comm, device="auto"):
        self.comm, self.handle = comm, c_void_p()
        self.check(library.eig_mpi_create(byref(self.handle), Comm.from_address(MPI._addressof(comm)), device.encode()))

    def check(self, status):
        """Every rank raises the same."""
        if status != 0:
            raise RuntimeError(library.eig_mpi_error_detail(self.handle).decode())

    def slice(self, count):
        first, number = c_int64(), c_int64()
        library.eig_mpi_slice(count, self.comm.rank, self.comm.size, byref(first), byref(number))
        return number.value

    def eigvalsh(self, n, d=None, e=None):
        """All eigenvalues, on all ranks; d and e count on rank 0."""
        places, w, run = Places(ctypes.sizeof(Places), 1, 1, 0), np.empty(n), Run(ctypes.sizeof(Run))
        given = n, pointer(d), pointer(e), byref(run)
        self.check(library.eig_mpi_dstebz(self.handle, byref(places), None, *given, pointer(w), None, None))
        return w

    def eigh(self, n, il, iu, d=None, e=None):
        """Eigenpairs il to iu, from 1: this rank's run of them, as (number of its first, values, vectors in rows)."""
        places, run, count = Places(ctypes.sizeof(Places), 1, 0, 0), Run(ctypes.sizeof(Run)), self.slice(iu - il + 1)
        wanted = Range(ctypes.sizeof(Range), ord("I"), 0, il, iu)
        w, z = np.empty(count), np.empty((count, n))
        given = n, pointer(d), pointer(e), byref(run), pointer(w), pointer(z), n
        self.check(library.eig_mpi_dstemr(self.handle, byref(places), byref(wanted), *given, *[None] * 5))
        return run.first, w, z

    def close(self):
        library.eig_mpi_destroy(self.handle)
        self.handle = c_void_p()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--order", type=int, default=20000)
    parser.add_argument("--device", default="auto")
    n, device = vars(parser.parse_args()).values()
    comm = MPI.COMM_WORLD
    context = Context(comm, device)
    # The discrete Laplacian, whose eigenvalues are 2 - 2 cos(k pi / (n + 1)); only rank 0 has it.
    d, e = (np.full(n, 2.0), np.full(n - 1, -1.0)) if comm.rank == 0 else (None, None)
    exact = 2 - 2 * np.cos(np.arange(1, n + 1) * np.pi / (n + 1))
    error = np.abs(context.eigvalsh(n, d, e) - exact).max()
    first, w, z = context.eigh(n, 1, 10, d, e)
    k = np.arange(first, first + len(w))[:, None]
    shape = np.sqrt(2 / (n + 1)) * np.sin(k * np.pi * np.arange(1, n + 1) / (n + 1))
    skew = comm.allreduce(np.abs(np.abs(z) - np.abs(shape)).max(initial=0), MPI.MAX)
    try:
        context.eigh(n, 1, n + 1, d, e)  # refused on all ranks
        sentence = ""
    except RuntimeError as refused:
        sentence = str(refused)
    context.close()
    good = error < 1e-14 and skew < 1e-9 and "iu" in sentence and len(set(comm.allgather(sentence))) == 1
    if comm.rank == 0:
        print(f"n = {n}, {comm.size} ranks: values within {error:.1e}, 10 vectors within {skew:.1e}")
        print(f"refused: {sentence}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
