"""What is installed, and whether it works: show_config, test."""

import sys
from importlib import metadata, util

import numpy as np

from . import _core, _extension
from ._arguments import device_name, flag, word
from ._errors import DeviceError

PEERS = "numpy", "scipy", "torch", "jax", "jaxlib", "cupy"


def _gpu():
    try:
        return _core.describe("cuda")
    except DeviceError as error:
        return str(error)


def _version(name):
    """The version of a library that is installed; it is not imported."""
    loaded = sys.modules.get(name)
    if loaded is None and (name in sys.modules or util.find_spec(name) is None):
        return None
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # cupy has the names of its CUDA
        return getattr(loaded, "__version__", "installed")


def show_config(mode="stdout"):
    """The version, where it is, what computes, and the libraries whose arrays are served here.

    Parameters
    ----------
    mode : {"stdout", "dicts"}, default "stdout"
        "stdout" prints it; "dicts" returns it.

    Returns
    -------
    dict or None

    Raises
    ------
    TypeError, ValueError
        Not a string; another word.

    Examples
    --------
    >>> import eigpack
    >>> sorted(eigpack.show_config("dicts"))
    ['cpu', 'cuda', 'extension', 'jax targets', 'libraries', 'version']
    """
    word(mode, "mode", ("stdout", "dicts"), "'stdout' or 'dicts'")
    targets = f"built with XLA's interface {'.'.join(map(str, _core.jax_interface()))}" if _core.jax_targets() else "not built (-DEIG_JAX=ON)"
    told = {
        "version": _extension.__version__,
        "extension": _core.__file__,
        "cpu": _core.describe("cpu"),
        "cuda": _gpu(),
        "jax targets": targets,
        "libraries": {name: version for name in PEERS if (version := _version(name))},
    }
    if mode == "dicts":
        return told
    for name, value in told.items():
        print(f"{name + ':':13}{', '.join(' '.join(item) for item in value.items()) if isinstance(value, dict) else value}")
    return None


def _largest(x):
    return float(np.abs(x).max())


def _errors(eigpack, rng, device, letter, n):
    """Name and error, in units of eps and the norm, of what the functions make of random matrices of a type."""
    dtype = np.dtype(letter)
    a = rng.standard_normal((7, n, n)) + (1j * rng.standard_normal((7, n, n)) if dtype.kind == "c" else 0)
    a = a.astype(dtype)
    h = a + a.swapaxes(-1, -2).conj()
    unit = n * np.finfo(dtype).eps
    w, v = eigpack.eigh(h, device=device)
    yield "eigh", _largest(h @ v - v * w[:, None, :]) / (unit * _largest(h)), _largest(v.swapaxes(-1, -2).conj() @ v - np.eye(n)) / unit
    yield "eigvalsh", _largest(eigpack.eigvalsh(h, device=device) - w) / (unit * _largest(w))
    w, v = eigpack.eig(a, device=device)
    yield "eig", _largest(a @ v - v * w[:, None, :]) / (unit * _largest(a)), _largest(np.linalg.norm(v, axis=-2) - 1) / unit
    yield "eigvals", _largest(eigpack.eigvals(a, device=device).sum(-1) - np.trace(a, axis1=-2, axis2=-1)) / (n * unit * _largest(a))
    if dtype.kind == "f":
        d, e = a[0, 0], a[1, 0, 1:]
        t = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
        w, v = eigpack.eigh_tridiagonal(d, e, device=device)
        yield "eigh_tridiagonal", _largest(t @ v - v * w) / (unit * _largest(w)), _largest(v.T @ v - np.eye(n)) / unit
        w, lower, upper = eigpack.eigvalsh_tridiagonal(d, e, bounds=True, device=device)
        yield "eigvalsh_tridiagonal", float(not (lower <= w).all() or not (w <= upper).all()) * 1e9
        counts = eigpack.sturm_count(d, e, (w[1:] + w[:-1]) / 2, device=device)
        yield "sturm_count", float(not np.array_equal(counts, np.arange(1, n))) * 1e9


def test(device=None, verbose=False):
    """Whether the installed package computes right: a second's certificates of random matrices of every type.

    Parameters
    ----------
    device : str or None, default None
        Where to compute, as the functions take it; None is "cpu".
    verbose : bool, default False
        True prints a line for each function, type and order.

    Returns
    -------
    bool
        True where every residual, and every departure from orthogonality, is below 10 n eps.  What is not is printed.

    Raises
    ------
    TypeError, ValueError, DeviceError
        Wrong arguments; the device is absent from this build or this machine.

    Examples
    --------
    >>> import eigpack
    >>> eigpack.test()
    True
    """
    eigpack = sys.modules[__package__]
    device, verbose = None if device is None else device_name(device), flag(verbose, "verbose")
    rng, good = np.random.default_rng(20240601), True
    for letter in ("f4", "f8", "c8", "c16"):
        for n in (2, 9, 40, 100):
            for name, *errors in _errors(eigpack, rng, device, letter, n):
                passed = bool(max(errors) < 10)  # NaN does not pass
                good = good and passed
                if verbose or not passed:
                    print(f"{'ok' if passed else 'WRONG':6}{name:21}{np.dtype(letter).name:11}n = {n:<4} {max(errors):.2g}")
    return good
