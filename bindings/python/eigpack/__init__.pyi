from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar, overload

import numpy as np
import numpy.linalg
import numpy.typing as npt
from typing_extensions import Unpack

from . import torch as torch

_T = TypeVar("_T")
_Host: TypeAlias = npt.NDArray[Any] | Sequence[Any]
_Complex: TypeAlias = npt.NDArray[np.complexfloating[Any, Any]]
_Real: TypeAlias = npt.NDArray[np.floating[Any]]
_Measure: TypeAlias = Literal["abscissa", "radius", "damping"]
_Select: TypeAlias = Literal["a", "i", "v", "all", "index", "value"]
_Range: TypeAlias = tuple[float, float] | Sequence[float] | None
_Indices: TypeAlias = tuple[int, int] | Sequence[int] | None
_UPLO: TypeAlias = Literal["L", "U", "l", "u"]

__version__: str

class EigResult(NamedTuple, Generic[_T]):
    eigenvalues: _T
    eigenvectors: _T

class EighResult(NamedTuple, Generic[_T]):
    eigenvalues: _T
    eigenvectors: _T

class SchurResult(NamedTuple, Generic[_T]):
    T: _T
    Z: _T

class Bounds(NamedTuple, Generic[_T]):
    eigenvalues: _T
    lower: _T
    upper: _T

class Info:
    info: Any
    sweeps: Any
    residual: Any
    orthogonality: Any
    isuppz: Any
    stats: dict[str, int] | None
    condition: Any

class _Common(TypedDict, total=False):
    device: str | None
    check: bool | None
    keep_half: bool

class _Geev(_Common, total=False):
    method: Literal["auto", "swb", "mwb", "reference"]
    balance: bool
    max_steps: int | None
    same_bits_in_batches: bool

class _Subset(_Common, total=False):
    subset_by_index: _Indices
    subset_by_value: _Range

class _Heev(_Subset, total=False):
    method: Literal["auto", "jacobi", "tridiagonal", "reference"]
    relative: bool
    same_bits_in_batches: bool

class _Stebz(_Subset, total=False):
    method: Literal["auto", "multisection", "interval_tree", "reference"]

class _Stemr(_Subset, total=False):
    method: Literal["auto", "mrrr", "reference"]
    same_bits_in_batches: bool

class LinAlgError(numpy.linalg.LinAlgError):
    count: int
    first: int

class DeviceError(RuntimeError): ...

@overload
def eigvals(a: _Host, *, return_info: Literal[False] = False, **more: Unpack[_Geev]) -> _Complex: ...
@overload
def eigvals(a: _T, *, return_info: Literal[False] = False, **more: Unpack[_Geev]) -> _T: ...
@overload
def eigvals(a: _Host, *, return_info: Literal[True], **more: Unpack[_Geev]) -> tuple[_Complex, Info]: ...
@overload
def eigvals(a: _T, *, return_info: Literal[True], **more: Unpack[_Geev]) -> tuple[_T, Info]: ...
@overload
def eig(
    a: _Host,
    left: Literal[False] = False,
    right: Literal[True] = True,
    *,
    return_info: Literal[False] = False,
    **more: Unpack[_Geev],
) -> EigResult[_Complex]: ...
@overload
def eig(
    a: _T,
    left: Literal[False] = False,
    right: Literal[True] = True,
    *,
    return_info: Literal[False] = False,
    **more: Unpack[_Geev],
) -> EigResult[_T]: ...
@overload
def eig(a: Any, left: bool = False, right: bool = True, *, return_info: bool = False, **more: Unpack[_Geev]) -> Any: ...
@overload
def roots(p: _Host, *, return_info: Literal[False] = False, **more: Unpack[_Geev]) -> _Complex: ...
@overload
def roots(p: _T, *, return_info: Literal[False] = False, **more: Unpack[_Geev]) -> _T: ...
@overload
def roots(p: _Host, *, return_info: Literal[True], **more: Unpack[_Geev]) -> tuple[_Complex, Info]: ...
@overload
def roots(p: _T, *, return_info: Literal[True], **more: Unpack[_Geev]) -> tuple[_T, Info]: ...
@overload
def schur(
    a: _Host, output: Literal["real", "complex"] = "real", *, return_info: Literal[False] = False, **more: Unpack[_Geev]
) -> SchurResult[npt.NDArray[Any]]: ...
@overload
def schur(
    a: _T, output: Literal["real", "complex"] = "real", *, return_info: Literal[False] = False, **more: Unpack[_Geev]
) -> SchurResult[_T]: ...
@overload
def schur(
    a: Any, output: Literal["real", "complex"] = "real", *, return_info: Literal[True], **more: Unpack[_Geev]
) -> tuple[SchurResult[Any], Info]: ...
@overload
def eigvals_affine(
    a: _Host, x: _Host, measure: None = None, *, return_info: Literal[False] = False, **more: Unpack[_Geev]
) -> _Complex: ...
@overload
def eigvals_affine(
    a: _Host, x: _Host, measure: _Measure, *, return_info: Literal[False] = False, **more: Unpack[_Geev]
) -> _Real: ...
@overload
def eigvals_affine(
    a: _T, x: _T, measure: _Measure | None = None, *, return_info: Literal[False] = False, **more: Unpack[_Geev]
) -> _T: ...
@overload
def eigvals_affine(
    a: _Host, x: _Host, measure: None = None, *, return_info: Literal[True], **more: Unpack[_Geev]
) -> tuple[_Complex, Info]: ...
@overload
def eigvals_affine(
    a: _Host, x: _Host, measure: _Measure, *, return_info: Literal[True], **more: Unpack[_Geev]
) -> tuple[_Real, Info]: ...
@overload
def eigvals_affine(
    a: _T, x: _T, measure: _Measure | None = None, *, return_info: Literal[True], **more: Unpack[_Geev]
) -> tuple[_T, Info]: ...
@overload
def eigvalsh(a: _Host, UPLO: _UPLO = "L", *, return_info: Literal[False] = False, **more: Unpack[_Heev]) -> _Real: ...
@overload
def eigvalsh(a: _T, UPLO: _UPLO = "L", *, return_info: Literal[False] = False, **more: Unpack[_Heev]) -> _T: ...
@overload
def eigvalsh(
    a: _Host, UPLO: _UPLO = "L", *, return_info: Literal[True], **more: Unpack[_Heev]
) -> tuple[_Real, Info]: ...
@overload
def eigvalsh(a: _T, UPLO: _UPLO = "L", *, return_info: Literal[True], **more: Unpack[_Heev]) -> tuple[_T, Info]: ...
@overload
def eigh(
    a: _Host, UPLO: _UPLO = "L", *, return_info: Literal[False] = False, **more: Unpack[_Heev]
) -> EighResult[npt.NDArray[Any]]: ...
@overload
def eigh(a: _T, UPLO: _UPLO = "L", *, return_info: Literal[False] = False, **more: Unpack[_Heev]) -> EighResult[_T]: ...
@overload
def eigh(
    a: _Host, UPLO: _UPLO = "L", *, return_info: Literal[True], **more: Unpack[_Heev]
) -> tuple[EighResult[npt.NDArray[Any]], Info]: ...
@overload
def eigh(
    a: _T, UPLO: _UPLO = "L", *, return_info: Literal[True], **more: Unpack[_Heev]
) -> tuple[EighResult[_T], Info]: ...
@overload
def eigvalsh_tridiagonal(
    d: _Host,
    e: _Host,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[False] = False,
    return_info: Literal[False] = False,
    **more: Unpack[_Stebz],
) -> _Real: ...
@overload
def eigvalsh_tridiagonal(
    d: _Host,
    e: _Host,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[True],
    return_info: Literal[False] = False,
    **more: Unpack[_Stebz],
) -> Bounds[_Real]: ...
@overload
def eigvalsh_tridiagonal(
    d: _T,
    e: _T,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[False] = False,
    return_info: Literal[False] = False,
    **more: Unpack[_Stebz],
) -> _T: ...
@overload
def eigvalsh_tridiagonal(
    d: _T,
    e: _T,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[True],
    return_info: Literal[False] = False,
    **more: Unpack[_Stebz],
) -> Bounds[_T]: ...
@overload
def eigvalsh_tridiagonal(
    d: _Host,
    e: _Host,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[False] = False,
    return_info: Literal[True],
    **more: Unpack[_Stebz],
) -> tuple[_Real, Info]: ...
@overload
def eigvalsh_tridiagonal(
    d: _Host,
    e: _Host,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[True],
    return_info: Literal[True],
    **more: Unpack[_Stebz],
) -> tuple[Bounds[_Real], Info]: ...
@overload
def eigvalsh_tridiagonal(
    d: _T,
    e: _T,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[False] = False,
    return_info: Literal[True],
    **more: Unpack[_Stebz],
) -> tuple[_T, Info]: ...
@overload
def eigvalsh_tridiagonal(
    d: _T,
    e: _T,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    bounds: Literal[True],
    return_info: Literal[True],
    **more: Unpack[_Stebz],
) -> tuple[Bounds[_T], Info]: ...
@overload
def eigh_tridiagonal(
    d: _Host,
    e: _Host,
    eigvals_only: Literal[False] = False,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[False] = False,
    **more: Unpack[_Stemr],
) -> EighResult[_Real]: ...
@overload
def eigh_tridiagonal(
    d: _Host,
    e: _Host,
    eigvals_only: Literal[True],
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[False] = False,
    **more: Unpack[_Stebz],
) -> _Real: ...
@overload
def eigh_tridiagonal(
    d: _T,
    e: _T,
    eigvals_only: Literal[False] = False,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[False] = False,
    **more: Unpack[_Stemr],
) -> EighResult[_T]: ...
@overload
def eigh_tridiagonal(
    d: _T,
    e: _T,
    eigvals_only: Literal[True],
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[False] = False,
    **more: Unpack[_Stebz],
) -> _T: ...
@overload
def eigh_tridiagonal(
    d: _Host,
    e: _Host,
    eigvals_only: Literal[False] = False,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[True],
    **more: Unpack[_Stemr],
) -> tuple[EighResult[_Real], Info]: ...
@overload
def eigh_tridiagonal(
    d: _Host,
    e: _Host,
    eigvals_only: Literal[True],
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[True],
    **more: Unpack[_Stebz],
) -> tuple[_Real, Info]: ...
@overload
def eigh_tridiagonal(
    d: _T,
    e: _T,
    eigvals_only: Literal[False] = False,
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[True],
    **more: Unpack[_Stemr],
) -> tuple[EighResult[_T], Info]: ...
@overload
def eigh_tridiagonal(
    d: _T,
    e: _T,
    eigvals_only: Literal[True],
    select: _Select = "a",
    select_range: _Range = None,
    check_finite: bool = True,
    tol: float = 0.0,
    *,
    return_info: Literal[True],
    **more: Unpack[_Stebz],
) -> tuple[_T, Info]: ...
@overload
def sturm_count(
    d: _Host, e: _Host, x: _Host | float, *, return_info: Literal[False] = False, **more: Unpack[_Common]
) -> npt.NDArray[np.int64]: ...
@overload
def sturm_count(d: _T, e: _T, x: _T, *, return_info: Literal[False] = False, **more: Unpack[_Common]) -> _T: ...
@overload
def sturm_count(
    d: _Host, e: _Host, x: _Host | float, *, return_info: Literal[True], **more: Unpack[_Common]
) -> tuple[npt.NDArray[np.int64], Info]: ...
@overload
def sturm_count(d: _T, e: _T, x: _T, *, return_info: Literal[True], **more: Unpack[_Common]) -> tuple[_T, Info]: ...
def set_threads(threads: int) -> None: ...
def describe(device: str | None = None) -> str: ...
def patch_numpy(device: str | None = None) -> None: ...
def unpatch_numpy() -> None: ...
def patched_numpy(device: str | None = None) -> AbstractContextManager[None]: ...
def routed() -> dict[str, dict[str, int]]: ...
@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, Any]: ...
def test(device: str | None = None, verbose: bool = False) -> bool: ...
