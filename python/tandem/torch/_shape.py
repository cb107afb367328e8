"""Ops that move elements or make constants."""

from __future__ import annotations

import math
import operator
import typing
from collections.abc import Sequence

import torch

from ._sizes import Size, wrap
from ._table import Context, Unsupported, Value, handles, is_float


# A limit of a slice that takes all of a dim.
_END = 2**63 - 1


def axis_of(axis: int, rank: int) -> int:
    return operator.index(axis) + (rank if axis < 0 else 0)


@handles("view.default", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "flatten",
         "unflatten", "_reshape_alias")
def view(c: Context, x: Value, *_: typing.Any) -> Value:
    return c.reshape(x, c.result_shape)


@handles("view.dtype")
def view_dtype(c: Context, x: Value, dtype: typing.Any) -> Value:
    raise Unsupported("a view in another dtype is left to torch")


@handles("permute")
def permute(c: Context, x: Value, dims: Sequence[int]) -> Value:
    return c.transpose(x, [axis_of(d, len(dims)) for d in dims])


@handles("transpose.int")
def transpose(c: Context, x: Value, first: int, second: int) -> Value:
    order = list(range(len(c.shape(x))))
    if not order:
        return x
    first, second = (axis_of(d, len(order)) for d in (first, second))
    order[first], order[second] = order[second], order[first]
    return c.transpose(x, order)


@handles("t")
def t(c: Context, x: Value) -> Value:
    return c.transpose(x, list(range(len(c.shape(x))))[::-1])


@handles("expand", "expand_as")
def expand(c: Context, x: Value, *_: typing.Any, **__: typing.Any) -> Value:
    return c.broadcast(x, c.result_shape)


@handles("as_strided")
def as_strided(c: Context, x: Value, size: Sequence[int], stride: Sequence[int],
               offset: int | None = None) -> Value:
    """Elements of x by their place in memory, which x fills without gaps."""
    count = math.prod(c.shape(x))
    given = _memory_order(c.shape_of(c.first), [wrap(s) for s in c.first.stride()])
    begin = 0 if offset is None else offset - wrap(c.first.storage_offset())
    last = begin + sum((n - 1) * s for n, s in zip(size, stride))
    if given is None or begin < 0 or (last >= count and 0 not in size):
        raise Unsupported("a view of memory beyond the tensor is left to torch")
    flat = c.transpose(x, given)
    wanted = _memory_order(size, stride)
    if wanted is not None and not begin and count == math.prod(size):
        y = c.reshape(flat, [size[d] for d in wanted])
        return c.transpose(y, [wanted.index(d) for d in range(len(size))])
    if 0 in size:
        return c.splat(0, c.dtype, size)
    places = torch.full(tuple(size), begin)
    for dim, (n, step) in enumerate(zip(size, stride)):
        places += (torch.arange(n) * step).view([-1 if d == dim else 1
                                                 for d in range(len(size))])
    flat = c.reshape(flat, [count])
    return c.b.gather(flat, c.b.constant(places), axis=0)


@handles("diagonal")
def diagonal(c: Context, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    if 0 in c.result_shape:
        return c.splat(0, c.dtype, c.result_shape)
    x, _, places = _merged_diagonal(c, x, offset, dim1, dim2, c.result_shape[-1])
    return c.b.gather(x, places, axis=len(c.shape(x)) - 1)


@handles("diagonal_scatter")
def diagonal_scatter(c: Context, x: Value, source: Value, offset: int = 0, dim1: int = 0,
                     dim2: int = 1) -> Value:
    if 0 in c.shape(source):
        return x
    shape = c.shape(x)
    x, order, places = _merged_diagonal(c, x, offset, dim1, dim2, c.shape(source)[-1])
    y = c.b.scatter(x, places, source, axis=len(c.shape(x)) - 1, kind="replace")
    y = c.reshape(y, [shape[d] for d in order])
    return c.transpose(y, [order.index(d) for d in range(len(order))])


def _merged_diagonal(c: Context, x: Value, offset: int, dim1: int, dim2: int,
                     count: int) -> tuple[Value, list[int], Value]:
    """x with the two dims of a diagonal merged at the end, the order of dims before that,
    and the places of the diagonal in the merged dim."""
    shape = c.shape(x)
    rows, columns = axis_of(dim1, len(shape)), axis_of(dim2, len(shape))
    order = [*(d for d in range(len(shape)) if d not in (rows, columns)), rows, columns]
    x = c.reshape(c.transpose(x, order), [*(shape[d] for d in order[:-2]),
                                          shape[rows] * shape[columns]])
    first = offset if offset >= 0 else -offset * shape[columns]
    steps = c.b.mul(iota(c, count), c.splat(shape[columns] + 1, "int64"))
    return x, order, c.b.add(steps, c.splat(first, "int64"))


def _memory_order(size: Sequence[int], stride: Sequence[int]) -> list[int] | None:
    """The dims in the order of memory, if the elements fill it without gaps."""
    order = sorted(range(len(size)), key=lambda d: (-stride[d], size[d] != 1, d))
    expected = 1
    for dim in reversed(order):
        if size[dim] != 1 and stride[dim] != expected:
            return None
        expected *= size[dim]
    return order


@handles("slice.Tensor")
def slice_tensor(c: Context, x: Value, dim: int = 0, start: int | None = None,
                 end: int | None = None, step: int = 1) -> Value:
    shape = c.shape(x)
    dim = axis_of(dim, len(shape))
    starts, strides = [0] * len(shape), [1] * len(shape)
    limits = [_END if isinstance(size, Size) else size for size in shape]
    # The op clamps as torch does. Numbers are clamped here, so that equal slices have
    # equal attributes.
    if not any(isinstance(n, Size) for n in (shape[dim], start, end)):
        start, end, step = slice(start, end, step).indices(shape[dim])
        end = max(start, end)
    starts[dim], strides[dim] = start or 0, step
    limits[dim] = _END if end is None else end
    return c.b.slice(x, starts=starts, limits=limits, strides=strides)


@handles("slice_scatter")
def slice_scatter(c: Context, x: Value, source: Value, dim: int = 0, start: int | None = None,
                  end: int | None = None, step: int = 1) -> Value:
    dim = axis_of(dim, len(c.shape(x)))
    size = c.shape(x)[dim]
    begin, stop, _ = slice(start, end).indices(size)
    if step != 1:
        places = c.b.mul(iota(c, c.shape(source)[dim]), c.splat(step, "int64"))
        places = c.b.add(places, c.splat(begin, "int64"))
        return c.b.scatter(x, places, source, axis=dim, kind="replace")
    parts = [slice_tensor(c, x, dim, 0, begin), source,
             slice_tensor(c, x, dim, max(begin, stop), size)]
    return c.b.concat(*parts, axis=dim)


@handles("select.int")
def select(c: Context, x: Value, dim: int, index: int) -> Value:
    dim = axis_of(dim, len(c.shape(x)))
    if not isinstance(c.shape(x)[dim], Size):
        index = axis_of(index, c.shape(x)[dim])
    part = slice_tensor(c, x, dim, index, None if index == -1 else index + 1)
    return c.reshape(part, c.result_shape)


@handles("narrow")
def narrow(c: Context, x: Value, dim: int, start: int, length: int) -> Value:
    return slice_tensor(c, x, dim, start, start + length)


@handles("split_with_sizes", "split.sizes")
def split_with_sizes(c: Context, x: Value, sizes: Sequence[int],
                     dim: int = 0) -> tuple[Value, ...]:
    parts, start = [], 0
    for size in sizes:
        parts.append(slice_tensor(c, x, dim, start, start + size))
        start += size
    return tuple(parts)


@handles("split.Tensor")
def split(c: Context, x: Value, size: int, dim: int = 0) -> tuple[Value, ...]:
    axis = axis_of(dim, len(c.shape(x)))
    return split_with_sizes(c, x, [c.shape_of(part)[axis] for part in c.result], dim)


@handles("unbind.int")
def unbind(c: Context, x: Value, dim: int = 0) -> tuple[Value, ...]:
    shape = c.shape(x)
    dim = axis_of(dim, len(shape))
    rest = [*shape[:dim], *shape[dim + 1:]]
    return tuple(c.reshape(slice_tensor(c, x, dim, i, i + 1), rest)
                 for i in range(shape[dim]))


@handles("cat")
def cat(c: Context, tensors: Sequence[Value], dim: int = 0) -> Value:
    # An empty tensor of rank 1 has no effect, whatever the others' rank is.
    rank = len(c.result_shape)
    kept = [c.cast(x, c.dtype) for x in tensors if len(c.shape(x)) == rank]
    return kept[0] if len(kept) == 1 else c.b.concat(*kept, axis=axis_of(dim, rank))


@handles("stack")
def stack(c: Context, tensors: Sequence[Value], dim: int = 0) -> Value:
    dim = axis_of(dim, len(c.result_shape))
    shape = list(c.result_shape)
    shape[dim] = 1
    parts = [c.reshape(c.cast(x, c.dtype), shape) for x in tensors]
    return parts[0] if len(parts) == 1 else c.b.concat(*parts, axis=dim)


@handles("repeat")
def repeat(c: Context, x: Value, repeats: Sequence[int]) -> Value:
    shape = [1] * (len(repeats) - len(c.shape(x))) + list(c.shape(x))
    apart = [size for pair in zip(repeats, shape) for size in pair]
    x = c.reshape(x, [size for s in shape for size in (1, s)])
    return c.reshape(c.broadcast(x, apart), c.result_shape)


@handles("constant_pad_nd")
def constant_pad(c: Context, x: Value, pads: Sequence[int], value: float = 0) -> Value:
    rank = len(c.shape(x))
    low, high = [0] * rank, [0] * rank
    for i in range(len(pads) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    x = crop(c, x, low, high)
    low, high = ([max(0, n) for n in each] for each in (low, high))
    if not any((*low, *high)):
        return x
    zeros = [0] * rank
    if abs(value) > 2 ** 53 and c.dtype == "int64":  # The op's value is a float.
        ones = c.splat(1, "uint8", c.shape(x))
        inside = c.b.pad(ones, low=low, high=high, interior=zeros, value=0.0)
        y = c.b.pad(x, low=low, high=high, interior=zeros, value=0.0)
        return c.b.select(c.cast(inside, "bool"), y, c.splat(value, c.dtype))
    y = c.b.pad(c.numeric(x), low=low, high=high, interior=zeros, value=float(value))
    return c.cast(y, c.dtype)


def crop(c: Context, x: Value, low: Sequence[int], high: Sequence[int]) -> Value:
    """Removes elements at the ends of the dims of x: a negative pad is the number of
    elements to remove."""
    if min(*low, *high, 0) == 0:
        return x
    starts = [max(0, -n) for n in low]
    limits = [size - max(0, -n) for size, n in zip(c.shape(x), high)]
    return c.b.slice(x, starts=starts, limits=limits, strides=[1] * len(starts))


@handles("flip")
def flip(c: Context, x: Value, dims: Sequence[int]) -> Value:
    rank = len(c.shape(x))
    for dim in dims:
        dim = axis_of(dim, rank)
        size = c.shape(x)[dim]
        last = c.splat(size - 1, "int64")
        x = c.b.gather(x, c.b.sub(last, iota(c, size)), axis=dim)
    return x


def iota(c: Context, size: int) -> Value:
    """0, 1, … as int64."""
    return c.b.iota(axis=0, type={"dtype": "i64", "dims": [size]})


@handles("full", "full_like", "new_full")
def full(c: Context, _: typing.Any, *rest: typing.Any, **__: typing.Any) -> Value:
    return c.splat(rest[-1], c.dtype, c.result_shape)


@handles("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty")
def zeros(c: Context, *_: typing.Any, **__: typing.Any) -> Value:
    return c.splat(0, c.dtype, c.result_shape)


@handles("ones", "ones_like", "new_ones")
def ones(c: Context, *_: typing.Any, **__: typing.Any) -> Value:
    return c.splat(1, c.dtype, c.result_shape)


@handles("scalar_tensor")
def scalar_tensor(c: Context, value: float, **_: typing.Any) -> Value:
    return c.splat(value, c.dtype)


@handles("arange.start_step", "arange.start", "arange.default")
def arange(c: Context, *bounds: float, **_: typing.Any) -> Value:
    start, _end, step = {1: (0, *bounds, 1), 2: (*bounds, 1)}.get(len(bounds), bounds)
    (size,) = c.result_shape
    dtype = "float64" if is_float(c.dtype) and any(
        isinstance(n, float) for n in (start, step)) else "int64"
    x = c.cast(iota(c, size), dtype)
    if step != 1:  # For integers, torch truncates start and step.
        x = c.b.mul(x, c.splat(step, dtype))
    if start != 0:
        x = c.b.add(x, c.splat(start, dtype))
    return c.cast(x, c.dtype)


@handles("linspace")
def linspace(c: Context, start: Value | float, end: Value | float, steps: int,
             **_: typing.Any) -> Value:
    """As in torch, each half is computed from its nearer end. For integers, both ends
    are truncated first."""
    dtype = c.wide if is_float(c.dtype) else "float64"
    start, end = (c.cast(c.cast(each, c.dtype), dtype) for each in (start, end))
    if steps < 2:
        return c.broadcast(c.cast(start, c.dtype), c.result_shape)
    step = c.b.div(c.b.sub(end, start), c.splat(steps - 1, dtype))
    index = iota(c, steps)
    rest = c.b.sub(c.splat(steps - 1, "int64"), index)
    low = c.b.add(start, c.b.mul(step, c.cast(index, dtype)))
    high = c.b.sub(end, c.b.mul(step, c.cast(rest, dtype)))
    is_low = c.b.compare(index, c.splat(steps // 2, "int64"), predicate="lt")
    return c.cast(c.b.select(is_low, low, high), c.dtype)
