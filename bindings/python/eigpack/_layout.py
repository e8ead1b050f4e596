"""Where the matrices of a strided array lie, in the words of the library."""

from typing import NamedTuple


class Place(NamedTuple):
    """Element (i, j) of matrix b, or (j, i) where transposed, in one of the layouts of ``eig_layout``."""

    layout: str
    transposed: bool
    lda: int
    stride: int


def batch_stride(shape, strides):
    """The distance of neighbours in the flat order of these dimensions; None where there is no single one."""
    stride, size = 0, 1
    for length, step in zip(reversed(shape), reversed(strides)):
        if length == 1:
            continue
        if size == 1:
            stride, size = step, length
        elif step == stride * size:
            size *= length
        else:
            return None
    return stride


def place(shape, strides):
    """The Place of the matrices in the last two dimensions; None where a copy is needed.

    strides count elements.  No size is 0.
    """
    n, row, column = shape[-1], strides[-2], strides[-1]
    batch = 1
    for length in shape[:-2]:
        batch *= length
    step = batch_stride(shape[:-2], strides[:-2]) if batch > 1 else 0
    if step is None:
        return None
    if n == 1:
        return Place("M", False, 1, step) if batch == 1 or step >= 1 else None
    transposed = row > column  # rows are far apart: row-major
    near, far = (column, row) if transposed else (row, column)
    if near <= 0:
        return None
    if near == 1 and far >= n and (batch == 1 or step >= far * n):
        return Place("M", transposed, far, step)
    if batch == 1:
        return None
    # Row i (of the transposed: column) of all matrices side by side.
    if column == 1 and step >= n and row >= batch * step:
        return Place("R", False, step, row)
    if row == 1 and step >= n and column >= batch * step:
        return Place("R", True, step, column)
    # The batch varies fastest.
    if step == 1 and near >= batch and far % near == 0 and far // near >= n:
        return Place("E", not transposed, far // near, near)
    return None
