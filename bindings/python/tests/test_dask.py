"""Dask's workers, processes of their own: the example, the bits, and errors that come back."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import DEVICE, hermitian, made

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
from distributed import Client, LocalCluster  # noqa: E402

import eigpack  # noqa: E402

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples/dask_batches.py"


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.run(eigpack.set_threads, 1)
            yield client


def test_map_blocks(client, rng):
    a = hermitian(rng, np.complex128, 103, 9, 9)
    values = da.map_blocks(
        eigpack.eigvalsh, da.from_array(a, chunks=(10, 9, 9)), drop_axis=-1, dtype=np.float64, device=DEVICE
    )
    assert np.array_equal(values.compute(), eigpack.eigvalsh(a, device=DEVICE))


@pytest.mark.parametrize("chunk", [1, 7, 50, 64])
def test_pairs(client, rng, chunk):
    a = hermitian(rng, np.float32, 50, 12, 12)
    both = da.apply_gufunc(
        eigpack.eigh, "(n,n)->(n),(n,n)", da.from_array(a, chunks=(chunk, 12, 12)), output_dtypes=(a.dtype, a.dtype)
    )
    for ours, theirs in zip(da.compute(*both), eigpack.eigh(a)):
        assert ours.dtype == np.float32 and np.array_equal(ours, theirs)


def test_a_grid_of_parameters(client, rng):
    a, x = made(rng, np.float64, 3, 6, 6), made(rng, np.float64, 90, 2)
    abscissa = da.map_blocks(
        lambda x, a: eigpack.eigvals_affine(a, x, measure="abscissa"),
        da.from_array(x, chunks=(13, 2)),
        a,
        drop_axis=1,
        dtype=np.float64,
    )
    assert np.array_equal(abscissa.compute(), eigpack.eigvals_affine(a, x, measure="abscissa"))


def test_an_error_comes_back(client, rng):
    a = hermitian(rng, np.float64, 40, 5, 5)
    a[23, 1, 1] = np.nan
    values = da.map_blocks(eigpack.eigvalsh, da.from_array(a, chunks=(10, 5, 5)), drop_axis=-1, dtype=np.float64)
    with pytest.raises(eigpack.LinAlgError) as failure:
        values.compute()
    assert failure.value.count == 1 and failure.value.first == 3  # of its block
    assert np.isfinite(values[:20].compute()).all()


def test_the_example(tmp_path):
    run = subprocess.run(
        [sys.executable, EXAMPLE, "--small", "--workers", "2"],
        cwd=tmp_path,
        check=True,
        timeout=120,
        capture_output=True,
        text=True,
    )
    assert "1000 matrices in 4 blocks on 2 workers" in run.stdout and "the same bits" in run.stdout
    assert "ComplexWarning" not in run.stderr
