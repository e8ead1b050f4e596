from collections.abc import Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
import numpy.linalg
import numpy.typing as npt

_T = TypeVar("_T")
_Host: TypeAlias = npt.NDArray[Any] | Sequence[Any]
_Complex: TypeAlias = npt.NDArray[np.complexfloating[Any, Any]]
_Real: TypeAlias = npt.NDArray[np.floating[Any]]
_Measure: TypeAlias = Literal["abscissa", "radius", "damping"]
_Select: TypeAlias = Literal["a", "i", "v", "all", "index", "value"]
_Range: TypeAlias = tuple[float, float] | Sequence[float] | None
_UPLO: TypeAlias = Literal["L", "U", "l", "u"]

__version__: str

class EighResult(NamedTuple, Generic[_T]):
    eigenvalues: _T
    eigenvectors: _T

class Bounds(NamedTuple, Generic[_T]):
    eigenvalues: _T
    lower: _T
    upper: _T

class LinAlgError(numpy.linalg.LinAlgError):
    count: int
    first: int

class DeviceError(RuntimeError): ...

@overload
def eigvals(a: _Host, *, device: str | None = None, check: bool | None = None) -> _Complex: ...
@overload
def eigvals(a: _T, *, device: str | None = None, check: bool | None = None) -> _T: ...
@overload
def eigvals_affine(
    a: _Host, x: _Host, measure: None = None, *, device: str | None = None, check: bool | None = None
) -> _Complex: ...
@overload
def eigvals_affine(
    a: _Host, x: _Host, measure: _Measure, *, device: str | None = None, check: bool | None = None
) -> _Real: ...
@overload
def eigvals_affine(
    a: _T, x: _T, measure: _Measure | None = None, *, device: str | None = None, check: bool | None = None
) -> _T: ...
@overload
def eigvalsh(a: _Host, UPLO: _UPLO = "L", *, device: str | None = None, check: bool | None = None) -> _Real: ...
@overload
def eigvalsh(a: _T, UPLO: _UPLO = "L", *, device: str | None = None, check: bool | None = None) -> _T: ...
@overload
def eigh(
    a: _Host, UPLO: _UPLO = "L", *, device: str | None = None, check: bool | None = None
) -> EighResult[npt.NDArray[Any]]: ...
@overload
def eigh(a: _T, UPLO: _UPLO = "L", *, device: str | None = None, check: bool | None = None) -> EighResult[_T]: ...
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
    device: str | None = None,
    check: bool | None = None,
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
    device: str | None = None,
    check: bool | None = None,
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
    device: str | None = None,
    check: bool | None = None,
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
    device: str | None = None,
    check: bool | None = None,
) -> Bounds[_T]: ...
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
    device: str | None = None,
    check: bool | None = None,
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
    device: str | None = None,
    check: bool | None = None,
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
    device: str | None = None,
    check: bool | None = None,
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
    device: str | None = None,
    check: bool | None = None,
) -> _T: ...
@overload
def sturm_count(
    d: _Host, e: _Host, x: _Host | float, *, device: str | None = None, check: bool | None = None
) -> npt.NDArray[np.int64]: ...
@overload
def sturm_count(d: _T, e: _T, x: _T, *, device: str | None = None, check: bool | None = None) -> _T: ...
def set_threads(threads: int) -> None: ...
def describe(device: str = "auto") -> str: ...
