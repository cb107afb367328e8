"""Ops that read or write at computed indices."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from ._shape import axis_of, iota
from ._table import Context, Unsupported, Value, handles


def _wrapped(c: Context, index: Value, size: int) -> Value:
    """Negative indices count from the end."""
    index = c.cast(index, "int64")
    negative = c.b.compare(index, c.splat(0, "int64"), predicate="lt")
    return c.b.select(negative, c.b.add(index, c.splat(size, "int64")), index)


@handles("embedding")
def embedding(c: Context, weight: Value, indices: Value, *_: typing.Any) -> Value:
    return c.b.gather(weight, indices, axis=0)


@handles("index_select")
def index_select(c: Context, x: Value, dim: int, index: Value) -> Value:
    return c.b.gather(x, c.reshape(index, [-1]) if not c.shape(index) else index,
                      axis=axis_of(dim, len(c.shape(x))))


@handles("index.Tensor")
def index(c: Context, x: Value, indices: Sequence[Value | None]) -> Value:
    """Advanced indexing, as numpy: adjacent indices replace their dims, others move
    to the front."""
    shape = c.shape(x)
    axes = [axis for axis, each in enumerate(indices) if each is not None]
    given = [each for each in indices if each is not None]
    if any(c.dtype_of(each) in ("bool", "uint8") for each in given):
        raise Unsupported("indexing by a mask has a size that depends on the data")
    if axes != list(range(axes[0], axes[0] + len(axes))):
        raise Unsupported("indices with a slice between them are left to torch")
    linear = None
    for axis, each in zip(axes, given):
        each = _wrapped(c, each, shape[axis])
        if linear is not None:
            each = c.b.add(c.b.mul(linear, c.splat(shape[axis], "int64")), each)
        linear = each
    merged = 1
    for axis in axes:
        merged *= shape[axis]
    flat = c.reshape(x, [*shape[:axes[0]], merged, *shape[axes[-1] + 1:]])
    return c.b.gather(flat, linear, axis=axes[0])


@handles("gather")
def gather(c: Context, x: Value, dim: int, index: Value, **_: typing.Any) -> Value:
    """Elements x[i][index[i, j, …]][…] at the positions of `index` in other dims."""
    shape, wanted = c.shape(x), c.shape(index)
    if not shape:
        return c.reshape(x, wanted)
    dim = axis_of(dim, len(shape))
    linear: Value | None = None
    for axis, size in enumerate(shape):
        if axis == dim:
            place = c.cast(index, "int64")
        else:
            place = c.reshape(iota(c, wanted[axis]),
                              [wanted[axis] if a == axis else 1 for a in range(len(shape))])
        if linear is not None:
            place = c.b.add(c.b.mul(linear, c.splat(size, "int64")), place)
        linear = place
    assert linear is not None
    places = c.reshape(c.broadcast(linear, wanted), [-1])
    flat = c.b.gather(c.reshape(x, [-1]), places, axis=0)
    return c.reshape(flat, wanted)


@handles("cumsum")
def cumsum(c: Context, x: Value, dim: int, *, dtype: typing.Any = None) -> Value:
    """The product with a triangular matrix of ones."""
    x = c.cast(x, c.dtype)
    shape = c.shape(x)
    if not shape:
        return x
    if not c.dtype.startswith("float"):
        raise Unsupported("sums of integers are left to torch")
    dim = axis_of(dim, len(shape))
    size = shape[dim]
    square = {"dtype": "i64", "dims": [size, size]}
    upper = c.b.compare(c.b.iota(axis=0, type=square), c.b.iota(axis=1, type=square),
                        predicate="le")
    order = [*(a for a in range(len(shape)) if a != dim), dim]
    rows = c.transpose(x, order)
    sums = c.b.matmul(c.reshape(rows, [-1, size]), c.cast(upper, c.dtype))
    sums = c.reshape(sums, c.shape(rows))
    return c.transpose(sums, [order.index(a) for a in range(len(shape))])
