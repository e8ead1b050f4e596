"""What the package raises beside ValueError, TypeError and MemoryError."""

import numpy.linalg


class LinAlgError(numpy.linalg.LinAlgError):
    """Some matrices have no result: the input is not finite, or the iteration did not converge.

    ``count`` tells how many matrices failed, ``first`` which first (an index into the leading dimensions, as of a
    flat array).

    Examples
    --------
    >>> import numpy as np, eigpack
    >>> try:
    ...     w = eigpack.eigvals([[[1.0]], [[np.nan]]])
    ... except eigpack.LinAlgError as error:
    ...     print(error.count, error.first)
    1 1
    """

    count = 0
    first = -1


class DeviceError(RuntimeError):
    """The device is absent from this build or this machine, or it failed.

    Examples
    --------
    >>> import eigpack
    >>> try:
    ...     eigpack.describe("cuda:99")
    ... except eigpack.DeviceError:
    ...     print("it is not there")
    it is not there
    """


def linalg_error(count, first, text, problems, what="matrix"):
    """The exception for ``count`` failures among ``problems``."""
    plural = "matrices" if what == "matrix" else what + "s"
    if problems == 1:
        error = LinAlgError(text)
    else:
        error = LinAlgError(f"{count} of {problems} {plural} failed, the first at {first}: {text}")
    error.count, error.first = int(count), int(first)
    return error
