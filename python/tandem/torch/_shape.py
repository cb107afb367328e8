"""Ops that move elements or make constants."""

from __future__ import annotations

import operator
import typing
from collections.abc import Sequence

from ._sizes import Size, wrap
from ._table import Context, Unsupported, Value, handles


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
    """Only where the result has all elements of x, in another order."""
    given = _memory_order(c.shape_of(c.first), [wrap(s) for s in c.first.stride()])
    wanted = _memory_order(size, stride)
    if given is None or wanted is None or offset or c.first.numel() != c.result.numel():
        raise Unsupported("a view of a part of the memory is left to torch")
    flat = c.transpose(x, given)
    y = c.reshape(flat, [size[d] for d in wanted])
    return c.transpose(y, [wanted.index(d) for d in range(len(size))])


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
    if step != 1:
        raise Unsupported("slice_scatter with a step is left to torch")
    dim = axis_of(dim, len(c.shape(x)))
    size = c.shape(x)[dim]
    begin, stop, _ = slice(start, end).indices(size)
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
    if min(*low, *high) < 0:
        starts = [max(0, -n) for n in low]
        limits = [size - max(0, -n) for size, n in zip(c.shape(x), high)]
        x = c.b.slice(x, starts=starts, limits=limits, strides=[1] * rank)
        low, high = ([max(0, n) for n in each] for each in (low, high))
    if not any((*low, *high)):
        return x
    return c.b.pad(x, low=low, high=high, interior=[0] * rank, value=float(value))


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
    dtype = "float64" if any(isinstance(n, float) for n in (start, step)) else "int64"
    x = c.cast(iota(c, size), dtype)
    if step != 1:
        x = c.b.mul(x, c.splat(step, dtype))
    if start != 0:
        x = c.b.add(x, c.splat(start, dtype))
    return c.cast(x, c.dtype)

