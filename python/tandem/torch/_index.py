"""Ops that read or write at computed indices."""

from __future__ import annotations

import math
import operator
import typing
from collections.abc import Sequence

from ._elementwise import common, div_mode, maximum
from ._shape import axis_of, iota
from ._table import Context, Unsupported, Value, handles, is_float
from ._windows import highest, lowest


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
    if not c.shape(x):
        return c.reshape(x, c.result_shape)
    return c.b.gather(x, c.reshape(index, [-1]) if not c.shape(index) else index,
                      axis=axis_of(dim, len(c.shape(x))))


@handles("index.Tensor")
def index(c: Context, x: Value, indices: Sequence[Value | None]) -> Value:
    """Advanced indexing, as numpy: adjacent indices replace their dims, others move
    to the front."""
    x, axes, given, _ = _adjacent(c, x, indices)
    merged, linear = _leading_index(c, c.shape(x), axes, given)
    return c.b.gather(c.reshape(x, merged), linear, axis=axes[0])


def _places(c: Context, shape: Sequence[int], dim: int, index: Value) -> Value:
    """The positions of the selected elements in a flattened tensor of shape `shape`, as a
    flat tensor. For each element of `index`, the selected element has this value as its
    index along `dim`. Its other indices are those of the element of `index`."""
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
    if not c.shape(x):
        return c.reshape(x, c.shape(index))
    return pick(c, x, axis_of(dim, len(c.shape(x))), index)


def pick(c: Context, x: Value, dim: int, index: Value) -> Value:
    """The element of each line of x along `dim` that `index` names."""
    places = _places(c, c.shape(x), dim, index)
    return c.reshape(c.b.gather(_flat(c, x), places, axis=0), c.shape(index))


_KINDS = {"": "replace", "add": "add", "sum": "add", "mean": "add", "multiply": "mul",
          "prod": "mul", "amax": "max", "amin": "min"}


@handles("scatter.src", "scatter.value", "scatter_add")
def scatter(c: Context, x: Value, dim: int, index: Value, source: Value | float) -> Value:
    kind = "add" if "scatter_add" in c.op else ""
    return _scatter(c, x, dim, index, source, kind)


@handles("scatter.reduce", "scatter.value_reduce", "scatter_reduce.two")
def scatter_reduce(c: Context, x: Value, dim: int, index: Value, source: Value | float,
                   reduce: str, *, include_self: bool = True) -> Value:
    if not include_self:
        first = {"prod": 1, "amax": lowest(c.dtype), "amin": highest(c.dtype)}
        x = _scatter(c, x, dim, index, first.get(reduce, 0), "")
    y = _scatter(c, x, dim, index, source, reduce)
    if reduce != "mean":
        return y
    before = c.splat(1, c.dtype, c.shape(x))
    if not include_self:
        before = _scatter(c, before, dim, index, 0, "")
    count = maximum(c, _scatter(c, before, dim, index, 1, "add"), 1)
    return div_mode(c, y, count, None if is_float(c.dtype) else "floor")


def _scatter(c: Context, x: Value, dim: int, index: Value, source: Value | float,
             reduce: str) -> Value:
    shape = c.shape(x)
    if not shape:
        x, index = c.reshape(x, [1]), _flat(c, index)
        source = _flat(c, source) if isinstance(source, Value) else source
    kind, wanted = _KINDS[reduce], c.shape(index)
    places = _places(c, c.shape(x), axis_of(dim, len(wanted)), index)
    if not isinstance(source, Value):
        updates = c.splat(source, c.dtype, c.shape(places))
    else:
        part = c.b.slice(source, starts=[0] * len(wanted), limits=list(wanted),
                         strides=[1] * len(wanted))
        updates = _flat(c, part)
    if kind != "replace":
        x, updates = c.numeric(x), c.numeric(updates)
    y = c.b.scatter(_flat(c, x), places, updates, axis=0, kind=kind)
    return c.reshape(c.cast(y, c.dtype), shape)


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


def _adjacent(c: Context, x: Value, indices: Sequence[Value | None]
              ) -> tuple[Value, list[int], list[Value], list[int]]:
    """x with adjacent indexed dims, these dims, their indices, and the order in which
    the dims of the given tensor are now."""
    axes = [axis for axis, each in enumerate(indices) if each is not None]
    given = [each for each in indices if each is not None]
    if any(c.dtype_of(each) in ("bool", "uint8") for each in given):
        raise Unsupported("indexing by a mask has a size that depends on the data")
    order = list(range(len(c.shape(x))))
    if axes != list(range(axes[0], axes[0] + len(axes))):
        order = axes + [d for d in order if d not in axes]
        axes = list(range(len(axes)))
    return c.transpose(x, order), axes, given, order


@handles("index_put")
def index_put(c: Context, x: Value, indices: Sequence[Value | None], values: Value,
              accumulate: bool = False) -> Value:
    (first, *rest) = indices
    if first is not None and not rest and c.dtype_of(first) == "bool":
        return _masked_put(c, x, first, values, accumulate)
    x, axes, given, order = _adjacent(c, x, indices)
    shape = c.shape(x)
    merged, linear = _leading_index(c, shape, axes, given)
    wanted = [*merged[:axes[0]], *c.shape(linear), *merged[axes[0] + 1:]]
    updates = c.broadcast(c.cast(values, c.dtype), wanted)
    x = c.reshape(x, merged)
    if accumulate:
        x, updates = c.numeric(x), c.numeric(updates)
    y = c.b.scatter(x, linear, updates, axis=axes[0],
                    kind="add" if accumulate else "replace")
    y = c.reshape(c.cast(y, c.dtype), shape)
    return c.transpose(y, [order.index(d) for d in range(len(order))])


def _masked_put(c: Context, x: Value, mask: Value, values: Value,
                accumulate: bool) -> Value:
    """Writes one value to all elements where a mask of the first dims is true."""
    if any(size != 1 for size in c.shape(values)):
        raise Unsupported("values for a mask have a size that depends on the data")
    mask = c.reshape(mask, [*c.shape(mask), *[1] * (len(c.shape(x)) - len(c.shape(mask)))])
    value = c.reshape(c.cast(values, c.dtype), [])
    if accumulate:
        value = c.b.logical_or(x, value) if c.dtype == "bool" else c.b.add(x, value)
    return c.b.select(mask, value, x)


def _order(c: Context, x: Value, dim: int, count: int, largest: bool) -> tuple[Value, Value]:
    """The `count` first elements along a dim and their indices. NaN is larger than all
    numbers."""
    values, index = c.b.topk(c.numeric(x), axis=axis_of(dim, len(c.shape(x))), k=count,
                             ascending=not largest)
    return c.cast(values, c.dtype_of(x)), index


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
    values, index = c.b.sort(c.numeric(x), axis=axis_of(dim, len(c.shape(x))),
                             descending=descending)
    return c.cast(values, c.dtype_of(x)), index


@handles("sort.stable")
def stable_sort(c: Context, x: Value, *, stable: bool | None = None, dim: int = -1,
                descending: bool = False) -> tuple[Value, Value]:
    return sort(c, x, dim, descending)


@handles("argmax", "max.dim", "argmin", "min.dim")
def argmax(c: Context, x: Value, dim: int | None = None, keepdim: bool = False) -> typing.Any:
    """The first largest or smallest element. NaN is larger and smaller than all numbers."""
    if dim is None or not c.shape(x):
        x, dim = _flat(c, x), 0
    results = c.result if isinstance(c.result, (list, tuple)) else [c.result]
    is_largest = "max" in c.op
    if not is_largest and is_float(c.dtype_of(x)):
        values, index = _order(c, c.b.neg(x), dim, 1, True)
        values = c.b.neg(values)
    else:
        values, index = _order(c, x, dim, 1, is_largest)
    index = c.reshape(index, c.shape_of(results[-1]))
    return (index if len(results) == 1
            else (c.reshape(values, c.shape_of(results[0])), index))


_SCANS = {"cumsum": "sum", "cumprod": "prod", "logcumsumexp": "log_sum_exp"}


@handles("cumsum", "cumprod", "logcumsumexp")
def scan(c: Context, x: Value, dim: int, *, dtype: typing.Any = None) -> Value:
    x = c.cast(c.cast(x, c.dtype), c.wide)
    shape = c.shape(x)
    if shape:
        kind = _SCANS[c.op.split(".")[1]]
        x = c.b.scan(x, kind=kind, axis=axis_of(dim, len(shape)))
    return c.cast(x, c.dtype)


@handles("cummax", "cummin")
def cummax(c: Context, x: Value, dim: int) -> tuple[Value, Value]:
    """The largest or smallest elements so far, and the indices of the last of equal
    ones. A NaN displaces all numbers."""
    shape = c.shape(x)
    if not shape:
        return x, c.splat(0, "int64")
    axis = axis_of(dim, len(shape))
    values = c.b.scan(c.numeric(x), kind="max" if "max" in c.op else "min", axis=axis)
    displaces = c.b.compare(c.numeric(x), values, predicate="eq")
    if is_float(c.dtype_of(x)):
        displaces = c.b.logical_or(displaces, c.b.compare(x, x, predicate="ne"))
    place = c.reshape(iota(c, shape[axis]), [
        shape[axis] if i == axis else 1 for i in range(len(shape))])
    places = c.b.select(displaces, place, c.splat(0, "int64"))
    return (c.cast(values, c.dtype_of(x)), c.b.scan(places, kind="max", axis=axis))


@handles("searchsorted", "bucketize")
def searchsorted(c: Context, sequence: Value, x: Value | float, *rest: typing.Any,
                 right: bool = False, side: str | None = None, sorter: Value | None = None,
                 **_: typing.Any) -> Value:
    """The place of each number in a sorted sequence, by binary search."""
    if "bucketize" in c.op:
        sequence, x = typing.cast(Value, x), sequence
    size = c.shape(sequence)[-1]
    sequence, x = common(c, sequence, x)
    base = _first_of_rows(c, c.shape(sequence))
    sequence = _flat(c, sequence)
    predicate = "gt" if right or side == "right" else "ge"
    low = c.splat(0, "int64", c.result_shape)
    high = c.splat(size, "int64", c.result_shape)
    for _step in range(operator.index(size).bit_length()):
        middle = c.b.div(c.b.add(low, high), c.splat(2, "int64"))
        place = c.b.add(c.b.min(middle, c.splat(size - 1, "int64")), base)
        if sorter is not None:
            place = c.b.add(c.b.gather(_flat(c, sorter), place, axis=0), base)
        is_after = c.b.compare(c.b.gather(sequence, place, axis=0), x, predicate=predicate)
        is_open = c.b.compare(low, high, predicate="lt")
        high = c.b.select(c.b.logical_and(is_open, is_after), middle, high)
        low = c.b.select(c.b.logical_or(c.b.logical_not(is_open), is_after), low,
                         c.b.add(middle, c.splat(1, "int64")))
    return c.cast(low, c.dtype)


def _first_of_rows(c: Context, shape: Sequence[int]) -> Value:
    """The position of the first element of each row, in a flat tensor of `shape`."""
    *outer, size = shape
    if not outer:
        return c.splat(0, "int64")
    rows = c.b.mul(iota(c, math.prod(outer)), c.splat(size, "int64"))
    return c.reshape(rows, [*outer, 1])
