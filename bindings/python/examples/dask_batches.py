"""Eigenvalues and eigenvectors of a file of Hermitian matrices on Dask's workers; no process holds the whole file.

    python dask_batches.py [--small] [--workers N] [A.npy W.npy V.npy]

Without files it makes a small A.npy, and compares with one call of eigpack.  The workers read and write their own slices,
so all of them must see the files under these names.  On a cluster the scheduler's address goes into Client(...); one
worker a GPU, e.g. of dask-cuda, takes `device="cuda"` in eigpack.eigh.
"""

import argparse
import os

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import WorkerPlugin

import eigpack


class OneThread(WorkerPlugin):
    """Matrices are independent, so as many workers as cores, with one thread each; a worker that starts again obeys too."""

    name = "eigpack-threads"

    def setup(self, worker):
        eigpack.set_threads(1)


def read(path, block_info=None):
    """The slice of the file that is this block."""
    first, last = block_info[None]["array-location"][0]
    return np.array(np.load(path, mmap_mode="r")[first:last])


def open_file(path, chunk):
    """The file as an array of Dask, in blocks of `chunk` matrices; the header alone is read now."""
    header = np.load(path, mmap_mode="r")
    blocks = [min(chunk, len(header) - first) for first in range(0, len(header), chunk)]
    return da.map_blocks(read, path, chunks=(tuple(blocks), *header.shape[1:]), dtype=header.dtype, meta=header[:0])


class Output:
    """A file to whose slices workers write."""

    def __init__(self, path, array):
        self.path = path
        np.lib.format.open_memmap(path, mode="w+", dtype=array.dtype, shape=array.shape)

    def __setitem__(self, where, block):
        np.load(self.path, mmap_mode="r+")[where] = block


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", default=["A.npy", "W.npy", "V.npy"])
    arguments = parser.parse_args()
    a_path, w_path, v_path = map(os.path.abspath, arguments.files)
    example = not os.path.exists(a_path)
    if example:
        x = np.random.default_rng(1).standard_normal((1_000 if arguments.small else 100_000, 8, 8, 2)) @ [1, 1j]
        np.save(a_path, x + x.conj().swapaxes(-1, -2))

    with LocalCluster(
        n_workers=arguments.workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, Client(cluster) as client:
        client.register_plugin(OneThread())
        a = open_file(a_path, chunk=300 if arguments.small else 10_000)

        # Values alone: one array in, one array out.
        values = da.map_blocks(eigpack.eigvalsh, a, drop_axis=-1, dtype=a.real.dtype)
        print("lowest and highest:", *da.compute(values.min(), values.max()))

        # Values and vectors: two arrays out.
        meta = np.empty(0, a.real.dtype), np.empty(0, a.dtype)
        w, v = da.apply_gufunc(eigpack.eigh, "(n,n)->(n),(n,n)", a, meta=meta)
        da.store([w, v], [Output(w_path, w), Output(v_path, v)], lock=False)
        print(f"{len(a)} matrices in {a.numblocks[0]} blocks on {len(client.scheduler_info()['workers'])} workers")

    if example:
        w, v = eigpack.eigh(np.load(a_path))
        assert np.array_equal(np.load(w_path), w) and np.array_equal(np.load(v_path), v)
        print("the same bits as in one call")


if __name__ == "__main__":  # the workers import this file
    main()
