"""Gradients of convolutions and pools."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import torch

from . import _taps  # noqa: F401  (defines ops of torch)
from ._nn import divisors_of
from ._shape import crop
from ._table import Context, Value, handles, pair
from ._windows import Axis


def _window(strides: Sequence[int], pads: Sequence[int],
            dilations: Sequence[int]) -> dict[str, list[int]]:
    return {"strides": list(strides), "pad_low": list(pads), "pad_high": list(pads),
            "dilations": list(dilations)}


@handles("convolution_backward")
def convolution_backward(c: Context, gradient: Value, x: Value, weight: Value,
                         bias_sizes: Sequence[int] | None, stride: Sequence[int],
                         padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                         output_padding: Sequence[int], groups: int,
                         mask: Sequence[bool]) -> tuple[Value | None, ...]:
    """The gradients of the input, of the weights and of the bias. The mask says which of them
    are needed; the others are None."""
    spatial = len(c.shape(weight)) - 2
    window = _window(*(pair(n, spatial) for n in (stride, padding, dilation)))
    taps = list(c.shape(weight)[2:])
    of_input = of_weight = of_bias = None
    if mask[2]:
        dims = [d for d in range(spatial + 2) if d != 1]
        of_bias = c.b.reduce(gradient, kind="sum", dims=dims)
    if transposed:
        gradient, window = _without_output_padding(c, gradient, c.shape(x)[2:], taps, window)
    if mask[0] and transposed:
        of_input = c.b.conv(gradient, weight, **window, groups=groups)
    elif mask[0]:
        of_input = c.b.conv_backward_data(
            gradient, weight, **window, groups=groups,
            output_padding=_left_over(c, gradient, c.shape(x)[2:], taps, window))
    if mask[1]:
        first, second = (gradient, x) if transposed else (x, gradient)
        of_weight = c.b.conv_backward_weights(first, second, window=taps, groups=groups,
                                              **window)
    return of_input, of_weight, of_bias


def _extent(count: int, taps: int, dim: int, window: dict[str, list[int]]) -> int:
    """The number of positions that `count` windows along a dim cover, without padding."""
    return (window["strides"][dim] * (count - 1) + window["dilations"][dim] * (taps - 1) + 1
            - 2 * window["pad_low"][dim])


def _left_over(c: Context, gradient: Value, sizes: Sequence[int], taps: Sequence[int],
               window: dict[str, list[int]]) -> list[int]:
    """For each dim, the number of positions of the input behind the last window."""
    counts = c.shape(gradient)[2:]
    return [size - _extent(count, n, dim, window)
            for dim, (size, count, n) in enumerate(zip(sizes, counts, taps))]


def _without_output_padding(c: Context, gradient: Value, counts: Sequence[int],
                            taps: Sequence[int], window: dict[str, list[int]]
                            ) -> tuple[Value, dict[str, list[int]]]:
    """The gradient of a transposed convolution, and the attributes of the convolution that has
    a window for each element of the input. The output padding reduces the padding behind the
    gradient. If the output padding is larger, the gradient is cropped instead."""
    sizes = c.shape(gradient)[2:]
    high = [pad - (size - _extent(count, n, dim, window)) for dim, (size, count, n, pad)
            in enumerate(zip(sizes, counts, taps, window["pad_high"]))]
    gradient = crop(c, gradient, [0] * (len(sizes) + 2), [0, 0, *(min(0, n) for n in high)])
    return gradient, window | {"pad_high": [max(0, n) for n in high]}


@handles("tandem::max_pool_with_taps")
def max_pool_with_taps(c: Context, x: Value, window: Sequence[int], strides: Sequence[int],
                       pads: Sequence[int], dilations: Sequence[int],
                       _ceil_mode: bool) -> tuple[Value, Value]:
    """The largest element of each window, and its place in the window."""
    rank, shape = len(window), c.shape_of(c.result[0])
    highs = _high_pads(c.shape(x)[-rank:], shape[-rank:], window, strides, pads, dilations)
    values, taps = c.b.max_pool_with_index(
        _batched(c, x, rank), window=list(window), strides=list(strides), pad_low=list(pads),
        pad_high=highs, dilations=list(dilations))
    return c.reshape(values, shape), c.reshape(taps, shape)


@handles("tandem::max_pool_with_taps_backward")
def max_pool_backward(c: Context, gradient: Value, taps: Value, sizes: Sequence[int],
                      window: Sequence[int], strides: Sequence[int], pads: Sequence[int],
                      dilations: Sequence[int], _ceil_mode: bool) -> Value:
    rank = len(window)
    highs = _high_pads(sizes[-rank:], c.shape(gradient)[-rank:], window, strides, pads,
                       dilations)
    y = c.b.max_pool_backward(
        _batched(c, gradient, rank), _batched(c, taps, rank), input_sizes=list(sizes[-rank:]),
        window=list(window), strides=list(strides), pad_low=list(pads), pad_high=highs,
        dilations=list(dilations))
    return c.reshape(y, c.result_shape)


def _batched(c: Context, x: Value, rank: int) -> Value:
    return x if len(c.shape(x)) == rank + 2 else c.reshape(x, [1, *c.shape(x)])


def _high_pads(sizes: Sequence[int], counts: Sequence[int], window: Sequence[int],
               strides: Sequence[int], pads: Sequence[int],
               dilations: Sequence[int]) -> list[int]:
    """The padding behind each dim with which the dim has the given number of windows."""
    return [max(low, (count - 1) * s + d * (w - 1) + 1 - size - low)
            for size, count, w, s, low, d in zip(sizes, counts, window, strides, pads,
                                                 dilations)]


@handles("max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward")
def max_pool_backward_of_indices(c: Context, gradient: Value, x: Value,
                                 window: typing.Any, stride: typing.Any, padding: typing.Any,
                                 dilation: typing.Any, ceil_mode: bool,
                                 indices: Value) -> Value:
    """Adds each gradient at the position in a plane that its index names."""
    return _scatter_planes(c, gradient, indices)


@handles("adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward")
def adaptive_max_pool_backward(c: Context, gradient: Value, x: Value,
                               indices: Value) -> Value:
    return _scatter_planes(c, gradient, indices)


def _scatter_planes(c: Context, gradient: Value, indices: Value) -> Value:
    rank, sizes = 2 if "2d" in c.op else 3, c.result_shape
    plane, planes = math.prod(sizes[-rank:]), math.prod(sizes[:-rank])
    each = math.prod(c.shape(gradient)[-rank:])
    if not each or not planes:
        return c.splat(0, c.dtype, sizes)
    first = c.b.constant((torch.arange(planes) * plane).view(planes, 1))
    places = c.b.add(c.reshape(indices, [planes, each]), first)
    flat = c.b.scatter(c.splat(0, c.wide, [planes * plane]), c.reshape(places, [planes * each]),
                       c.cast(c.reshape(gradient, [planes * each]), c.wide), axis=0,
                       kind="add")
    return c.reshape(c.cast(flat, c.dtype), sizes)


@handles("avg_pool2d_backward", "avg_pool3d_backward")
def avg_pool_backward(c: Context, gradient: Value, x: Value, window: typing.Any,
                      stride: typing.Any, padding: typing.Any, ceil_mode: bool,
                      count_include_pad: bool, divisor: int | None = None) -> Value:
    rank = 2 if "2d" in c.op else 3
    window, pads = pair(window, rank), pair(padding, rank)
    strides = pair(list(stride) or window, rank)
    sizes, counts = c.shape(x)[-rank:], c.shape(gradient)[-rank:]
    highs = _high_pads(sizes, counts, window, strides, pads, [1] * rank)
    is_plain = highs == pads and divisor is None
    if not is_plain:
        counted_pads = pads if count_include_pad else [0] * rank
        gradient = _divided(c, gradient, sizes, window, strides, pads, counted_pads, divisor)
    # With ceil_mode, windows may reach beyond the padding. The gradient is therefore computed
    # for a longer input, and then cropped.
    longer = [size + high - low for size, high, low in zip(sizes, highs, pads)]
    y = c.b.avg_pool_backward(
        _batched(c, gradient, rank), input_sizes=longer, window=window, strides=strides,
        pad_low=pads, pad_high=pads, dilations=[1] * rank,
        count_include_pad=bool(count_include_pad) or not is_plain)
    y = crop(c, y, [0] * (rank + 2), [0, 0, *(low - high for low, high in zip(pads, highs))])
    return c.reshape(y, c.result_shape)


def _divided(c: Context, gradient: Value, sizes: Sequence[int], window: Sequence[int],
             strides: Sequence[int], pads: Sequence[int], counted_pads: Sequence[int],
             divisor: int | None) -> Value:
    """The gradient times the window size, divided by the divisors. Dividing the result by the
    window size then divides the gradient by the divisors."""
    axes = [Axis.sliding(*each) for each in zip(
        sizes, c.shape(gradient)[-len(window):], window, strides, pads)]
    divisors = divisors_of(axes, window, counted_pads)
    if divisor is not None:
        divisors = torch.full_like(divisors, divisor)
    share = (math.prod(window) / divisors.double()).contiguous()
    return c.b.mul(gradient, c.cast(c.b.constant(share), c.dtype))


@handles("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(c: Context, gradient: Value, x: Value) -> Value:
    rank = 2 if "2d" in c.op else 3
    sizes, counts = c.shape(x)[-rank:], c.shape(gradient)[-rank:]
    if list(counts) == [1] * rank:
        share = c.b.div(gradient, c.splat(math.prod(sizes), c.dtype))
        return c.broadcast(share, c.result_shape)
    if 0 in c.result_shape or 0 in counts:
        return c.splat(0, c.dtype, c.result_shape)
    if all(size % count == 0 for size, count in zip(sizes, counts)):
        window = [size // count for size, count in zip(sizes, counts)]
        y = c.b.avg_pool_backward(
            _batched(c, gradient, rank), input_sizes=list(sizes), window=window,
            strides=window, pad_low=[0] * rank, pad_high=[0] * rank, dilations=[1] * rank,
            count_include_pad=True)
        return c.reshape(y, c.result_shape)
    return _spread_lines(c, gradient, sizes)


def _spread_lines(c: Context, gradient: Value, sizes: Sequence[int]) -> Value:
    """Windows of an adaptive pool are products of windows along each dim. The gradient
    is therefore a product with a matrix for each dim."""
    rank, total = len(sizes), len(c.shape(gradient))
    for dim, size in enumerate(sizes, total - rank):
        axis = Axis.adaptive(size, c.shape(gradient)[dim])
        inside = axis.is_inside.double()
        matrix = torch.zeros(len(axis.starts), axis.size + 1, dtype=torch.float64)
        matrix.scatter_add_(1, axis.places, inside / inside.sum(1, keepdim=True))
        weights = c.cast(c.b.constant(matrix[:, :axis.size].contiguous()), c.dtype)
        order = [d for d in range(total) if d != dim] + [dim]
        lines = c.b.matmul(c.transpose(gradient, order), weights)
        gradient = c.transpose(lines, [order.index(d) for d in range(total)])
    return gradient
