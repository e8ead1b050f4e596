"""PyTorch's own functions by eigpack: torch.linalg.eigh, eigvalsh, eig, eigvals, and what calls them.

>>> import torch, eigpack.torch
>>> with eigpack.torch.override():
...     w = torch.linalg.eigvalsh(torch.eye(3))
>>> eigpack.torch.routed()["eigvalsh"]["eigpack"] > 0
True

``python -m eigpack.torch script.py`` runs a script so.  The operators of aten get other kernels, on the CPU and on CUDA, below autograd,
vmap and torch.compile, which stay PyTorch's.  What eigpack does not serve goes to PyTorch's kernel: empty tensors, wrong shapes, types and
words, and matrices without a result, of which PyTorch's own exception then tells.  Calls with out= are never routed.
"""

import sys
import warnings
from contextlib import AbstractContextManager

import torch

from . import _families, _torch
from ._switch import Kept, Switch, run

__all__ = ["disable", "enable", "override", "routed"]

_aten = torch.ops.aten
_FEW = 4096
_SHORT = {"eigh": "v", "eigvalsh": "w", "eigvals": "g"}
_libraries: list[torch.library.Library] = []


def _examine(a: torch.Tensor) -> None:
    """Raises where eigpack does not serve matrices."""
    if a.dtype not in _torch.TYPES.values() or a.dtype in (torch.int32, torch.int64):
        raise Kept(str(a.dtype))
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise Kept("not square")
    if a.numel() == 0:
        raise Kept("empty")


def _solve(name, a, *arguments):
    """A function of eigpack; failures are looked for as PyTorch does, but while a graph is captured."""
    if a.is_cpu and a.numel() < _FEW and name in _SHORT:  # the way to the numbers counts
        found = _torch.at_once(_SHORT[name], a, arguments[:1] in (("U",), ("u",)))
        if found is not None:
            return found
    capturing = a.is_cuda and torch.cuda.is_current_stream_capturing()
    return _torch.compute(name, [a], *arguments, _families.PLAIN, check=not capturing)


def _by_columns(x):
    return x if x.mT.is_contiguous() else x.mT.contiguous().mT


def _eigh(a, UPLO="L", compute_v=True):
    def ours():
        _examine(a)
        if UPLO not in ("L", "U", "l", "u"):
            raise Kept("UPLO")
        if not compute_v:
            return _solve("eigvalsh", a, UPLO, _families.ALL), a.new_empty(0)
        x, uplo = a, UPLO.upper()
        if not a.is_complex() and a.numel() >= _FEW and not a.mT.is_contiguous():  # PyTorch's vectors lie by columns: those of the transposed do
            x, uplo = a.mT, "LU"[uplo == "L"]
        w, v = _solve("eigh", x, uplo, _families.ALL)
        return w, _by_columns(v)

    def theirs():
        w, v = a.new_empty(0, dtype=a.dtype.to_real()), a.new_empty(0)
        return _aten._linalg_eigh.eigenvalues(a.detach(), UPLO, compute_v, eigenvalues=w, eigenvectors=v)

    return _switch.attempt("eigh" if compute_v else "eigvalsh", ours, theirs)


def _eig(a):
    def ours():
        _examine(a)
        w, v = _solve("eig", a, False, True)
        return w, v.contiguous() if a.is_cuda else _by_columns(v)

    def theirs():
        w, v = (a.new_empty(0, dtype=a.dtype.to_complex()) for _ in range(2))
        return _aten.linalg_eig.out(a.detach(), eigenvalues=w, eigenvectors=v)

    return _switch.attempt("eig", ours, theirs)


def _eigvals(a):
    def ours():
        _examine(a)
        return _solve("eigvals", a)

    def theirs():
        if not a.isfinite().all():  # which ends PyTorch 2.15 with MKL; eig reports it
            return _aten.linalg_eig(a.detach())[0]
        return _aten.linalg_eigvals.out(a.detach(), out=a.new_empty(0, dtype=a.dtype.to_complex()))

    return _switch.attempt("eigvals", ours, theirs)


_KERNELS = {"_linalg_eigh": _eigh, "linalg_eig": _eig, "_linalg_eigvals": _eigvals}


def _put():
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that kernels are replaced
        for name, kernel in _KERNELS.items():
            for key in ("CPU", "CUDA"):
                library.impl(name, kernel, key)
    _libraries.append(library)


def _take():
    _libraries.pop()._destroy()


_switch = Switch(_put, _take)


def enable() -> None:
    """PyTorch's functions by eigpack from now on, in this process.

    Examples
    --------
    >>> import torch, eigpack.torch
    >>> eigpack.torch.enable()
    >>> torch.linalg.eigvals(torch.eye(2))
    tensor([1.+0.j, 1.+0.j])
    >>> eigpack.torch.disable()
    """
    _switch.change(always=True)


def disable() -> None:
    """Ends what `enable` began; PyTorch's kernels are back, but within `override`."""
    _switch.change(always=False)


def override() -> AbstractContextManager[None]:
    """A context in which torch.linalg.eigh, eigvalsh, eig and eigvals, and what calls them, are computed by eigpack, on all threads.

    Examples
    --------
    >>> import torch, eigpack.torch
    >>> with eigpack.torch.override():
    ...     torch.linalg.eigh(torch.diag(torch.tensor([3.0, 1.0]))).eigenvalues
    tensor([1., 3.])
    """
    return _switch.scope()


def routed() -> dict[str, dict[str, int]]:
    """How many calls of each function went where: "eigpack", or why PyTorch's kernel was kept."""
    return _switch.routed()


if __name__ == "__main__":
    from eigpack import torch as this  # the module that the script sees

    sys.exit(run("eigpack.torch", sys.argv[1:], this.enable, this.routed))
