"""Ops that read or write at computed indices."""

from __future__ import annotations

import math
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
    axes, given = _adjacent(c, indices)
    merged, linear = _leading_index(c, c.shape(x), axes, given)
    return c.b.gather(c.reshape(x, merged), linear, axis=axes[0])


def _places(c: Context, shape: Sequence[int], dim: int, index: Value) -> Value:
    """The positions in a flat tensor of `shape` of the elements whose index along `dim`
    is `index`, and whose other indices are those of `index` itself; flat."""
    wanted = c.shape(index)
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
    return _flat(c, c.broadcast(linear, wanted))


def _flat(c: Context, x: Value) -> Value:
    return c.reshape(x, [math.prod(c.shape(x))])


@handles("gather")
def gather(c: Context, x: Value, dim: int, index: Value, **_: typing.Any) -> Value:
    """Elements x[i][index[i, j, …]][…] at the positions of `index` in other dims."""
    shape, wanted = c.shape(x), c.shape(index)
    if not shape:
        return c.reshape(x, wanted)
    places = _places(c, shape, axis_of(dim, len(shape)), index)
    return c.reshape(c.b.gather(_flat(c, x), places, axis=0), wanted)


@handles("scatter.src", "scatter.value", "scatter_add")
def scatter(c: Context, x: Value, dim: int, index: Value, source: Value | float) -> Value:
    shape, wanted = c.shape(x), c.shape(index)
    if not shape:
        raise Unsupported("scatter into a scalar is left to torch")
    places = _places(c, shape, axis_of(dim, len(shape)), index)
    if not isinstance(source, Value):
        updates = c.splat(source, c.dtype, c.shape(places))
    else:
        part = c.b.slice(source, starts=[0] * len(wanted), limits=list(wanted),
                         strides=[1] * len(wanted))
        updates = _flat(c, part)
    kind = "add" if "scatter_add" in c.op else "replace"
    return c.reshape(c.b.scatter(_flat(c, x), places, updates, axis=0, kind=kind), shape)


def _leading_index(c: Context, shape: Sequence[int], axes: Sequence[int],
                   given: Sequence[Value]) -> tuple[list[int], Value]:
    """Adjacent indices as one index into a tensor whose indexed dims are merged."""
    linear: Value | None = None
    for axis, each in zip(axes, given):
        each = _wrapped(c, each, shape[axis])
        if linear is not None:
            each = c.b.add(c.b.mul(linear, c.splat(shape[axis], "int64")), each)
        linear = each
    assert linear is not None
    merged = math.prod(shape[axis] for axis in axes)
    return [*shape[:axes[0]], merged, *shape[axes[-1] + 1:]], linear


def _adjacent(c: Context, indices: Sequence[Value | None]) -> tuple[list[int], list[Value]]:
    axes = [axis for axis, each in enumerate(indices) if each is not None]
    given = [each for each in indices if each is not None]
    if any(c.dtype_of(each) in ("bool", "uint8") for each in given):
        raise Unsupported("indexing by a mask has a size that depends on the data")
    if axes != list(range(axes[0], axes[0] + len(axes))):
        raise Unsupported("indices with a slice between them are left to torch")
    return axes, given


@handles("index_put")
def index_put(c: Context, x: Value, indices: Sequence[Value | None], values: Value,
              accumulate: bool = False) -> Value:
    axes, given = _adjacent(c, indices)
    shape = c.shape(x)
    merged, linear = _leading_index(c, shape, axes, given)
    wanted = [*merged[:axes[0]], *c.shape(linear), *merged[axes[0] + 1:]]
    updates = c.broadcast(c.cast(values, c.dtype), wanted)
    kind = "add" if accumulate else "replace"
    return c.reshape(c.b.scatter(c.reshape(x, merged), linear, updates, axis=axes[0],
                                 kind=kind), shape)


def _order(c: Context, x: Value, dim: int, count: int, largest: bool) -> tuple[Value, Value]:
    """The `count` first elements along a dim and their indices."""
    dim = axis_of(dim, len(c.shape(x)))
    index = c.b.argtopk(x, axis=dim, k=count, ascending=not largest)
    return gather(c, x, dim, index), index


@handles("topk")
def topk(c: Context, x: Value, k: int, dim: int = -1, largest: bool = True,
         sorted: bool = True) -> tuple[Value, Value]:
    if not c.shape(x):
        return x, c.splat(0, "int64")
    return _order(c, x, dim, k, largest)


@handles("sort.default")
def sort(c: Context, x: Value, dim: int = -1, descending: bool = False
         ) -> tuple[Value, Value]:
    if not c.shape(x):
        return x, c.splat(0, "int64")
    return _order(c, x, dim, c.shape(x)[axis_of(dim, len(c.shape(x)))], descending)


@handles("sort.stable")
def stable_sort(c: Context, x: Value, *, stable: bool | None = None, dim: int = -1,
                descending: bool = False) -> tuple[Value, Value]:
    return sort(c, x, dim, descending)


@handles("argmax", "max.dim")
def argmax(c: Context, x: Value, dim: int | None = None, keepdim: bool = False) -> typing.Any:
    """NaN is the largest element, in torch as in argtopk."""
    shape = c.shape(x)
    if dim is None or not shape:
        x, dim = _flat(c, x), 0
    results = c.result if isinstance(c.result, (list, tuple)) else [c.result]
    values, index = _order(c, x, dim, 1, True)
    index = c.reshape(index, c.shape_of(results[-1]))
    return (index if len(results) == 1
            else (c.reshape(values, c.shape_of(results[0])), index))


@handles("cumsum")
def cumsum(c: Context, x: Value, dim: int, *, dtype: typing.Any = None) -> Value:
    """Sums of 1, 2, 4, … elements (Hillis and Steele, Data Parallel Algorithms, 1986);
    of 16-bit floats in float32, as torch sums them."""
    x = c.cast(c.cast(x, c.dtype), c.wide)
    shape = c.shape(x)
    if not shape:
        return c.cast(x, c.dtype)
    dim = axis_of(dim, len(shape))
    rank, step = len(shape), 1
    while step < shape[dim]:
        low = [step if axis == dim else 0 for axis in range(rank)]
        limits = [n - step if axis == dim else n for axis, n in enumerate(shape)]
        before = c.b.slice(x, starts=[0] * rank, limits=limits, strides=[1] * rank)
        zeros = [0] * rank
        x = c.b.add(x, c.b.pad(before, low=low, high=zeros, interior=zeros, value=0.0))
        step *= 2
    return c.cast(x, c.dtype)
