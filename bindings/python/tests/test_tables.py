"""The rows of docs/guide/from-numpy.md: each is run where its library is installed."""

import re
from pathlib import Path

import eigpack
import numpy as np
import pytest
from conftest import hermitian, made, same_spectrum

PAGE = Path(__file__).parents[3] / "docs/guide/from-numpy.md"
NAMES = {"NumPy": "numpy", "SciPy": "scipy.linalg", "PyTorch": "torch", "JAX": "jax", "CuPy": "cupy"}


def rows():
    if not PAGE.exists():
        return
    for section in PAGE.read_text().split("\n## ")[1:]:
        library = section.split("\n")[0]
        for theirs, ours in re.findall(r"^\| `(.+?)` \| `(.+?)` \|", section, re.MULTILINE):
            yield pytest.param(library, theirs, ours, id=f"{library}: {theirs}")


def names_of(library):
    """What a row may name."""
    lib = pytest.importorskip(NAMES[library])
    rng = np.random.default_rng(3)
    arrays = {"a": made(rng, float, 3, 5, 5), "h": hermitian(rng, float, 3, 5, 5), "d": made(rng, float, 3, 7), "e": made(rng, float, 3, 6), "p": made(rng, float, 3, 5)}
    names = {"np": np, "linalg": lib, "torch": lib, "cupy": lib, "jax": lib, "eigpack": eigpack}
    take = np.asarray
    if library == "PyTorch":
        take = lib.as_tensor
    elif library == "CuPy":
        if not lib.cuda.is_available():
            pytest.skip("no GPU")
        take = lib.asarray
    elif library == "JAX":
        lib.config.update("jax_enable_x64", True)
        names["jnp"] = lib.numpy
        take = lib.numpy.asarray
    return names | {name: take(x) for name, x in arrays.items()}


def parts(x):
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def plain(x):
    return np.asarray(x.get() if hasattr(x, "get") else x)


@pytest.mark.parametrize("library, theirs, ours", list(rows()))
def test_a_row(library, theirs, ours):
    names = names_of(library)
    if "jit" in ours:
        from eigpack import _jax

        if _jax.lacks():
            pytest.skip(f"eigpack {_jax.lacks()}")
    one, other = (parts(eval(text, names)) for text in (theirs, ours))  # noqa: S307
    assert len(one) == len(other)
    for x, y in zip(one, other):
        assert tuple(x.shape) == tuple(y.shape) and type(x).__module__ == type(y).__module__
    if "schur" in theirs:
        one, other = ((np.diagonal(x[0]),) for x in (one, other))
    assert same_spectrum(plain(one[0]), plain(other[0]), 1e-5 if "half" in theirs else 1e-11)


def test_there_are_rows():
    if not PAGE.exists():
        pytest.skip("the book is not here")
    assert {row.values[0] for row in rows()} == set(NAMES)
    assert all(len(re.findall(r"^\| `", section, re.MULTILINE)) >= 2 for section in PAGE.read_text().split("\n## ")[1:-1])
