"""A user's file for mypy; nothing here is run."""

import eigpack
import numpy as np
import numpy.typing as npt

a: npt.NDArray[np.float64] = np.eye(3)
w: npt.NDArray[np.complexfloating] = eigpack.eigvals(a)
real: npt.NDArray[np.floating] = eigpack.eigvalsh(a, "U", check=False)
values, vectors = eigpack.eigh([[1.0, 0.0], [0.0, 1.0]])
shape: tuple[int, ...] = eigpack.eigh(a).eigenvectors.shape
low: npt.NDArray[np.floating] = eigpack.eigvalsh_tridiagonal(a[0], a[0, 1:], "i", (0, 1), bounds=True).lower
pairs: eigpack.EighResult[npt.NDArray[np.floating]] = eigpack.eigh_tridiagonal([1.0, 2.0], [0.5], select="i", select_range=(0, 0))
some: npt.NDArray[np.floating] = eigpack.eigh_tridiagonal(a[0], a[0, 1:], True)
counts: npt.NDArray[np.int64] = eigpack.sturm_count(a[0], a[0, 1:], 0.5)
abscissa: npt.NDArray[np.floating] = eigpack.eigvals_affine(a[None], np.zeros((4, 0)), "abscissa")
(w2, v2), told = eigpack.eigh(a, subset_by_index=(0, 1), method="jacobi", return_info=True)
which: eigpack.Info = eigpack.eigvals(a, balance=False, return_info=True)[1]
text: str = eigpack.describe()
text = eigpack.describe("cpu")
eigpack.set_threads(2)
half: npt.NDArray[np.floating] = eigpack.eigvalsh(a.astype(np.float16), keep_half=True)
with eigpack.patched_numpy("cpu"):
    eigpack.patch_numpy()
eigpack.unpatch_numpy()
calls: int = eigpack.routed()["numpy.linalg.eigh"]["eigpack"]
works: bool = eigpack.test(verbose=True)
told_of: dict[str, object] = eigpack.show_config("dicts")
with eigpack.torch.override():
    eigpack.torch.enable()
eigpack.torch.disable()
eigpack.eigvalsh(a, "X")  # type: ignore[call-overload]
eigpack.eigvals(a, method="jacobi")  # type: ignore[call-overload]
try:
    eigpack.eigvals(a)
except eigpack.LinAlgError as error:
    number: int = error.count
