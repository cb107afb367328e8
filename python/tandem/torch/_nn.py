"""Convolutions, pooling, matrix products and attention."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Sequence

import torch

from . import _windows
from ._shape import crop, flip
from ._table import Context, Unsupported, Value, handles, is_float, pair
from ._windows import Axis


@handles("convolution")
def convolution(c: Context, x: Value, weight: Value, bias: Value | None,
                stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
                transposed: bool, output_padding: Sequence[int], groups: int) -> Value:
    spatial = len(c.shape(weight)) - 2
    x = _batched(c, x, spatial)
    strides, pads, dilations = (pair(n, spatial) for n in (stride, padding, dilation))
    if transposed and is_float(c.dtype):
        operands = [x, weight] if bias is None else [x, weight, bias]
        y = c.b.conv_backward_data(
            *operands, strides=strides, pad_low=pads, pad_high=pads, dilations=dilations,
            output_padding=pair(output_padding, spatial), groups=groups)
        return c.reshape(y, c.result_shape)
    if transposed:
        x = _spread(c, x, weight, strides, pads, dilations, pair(output_padding, spatial))
        weight = _swapped(c, weight, groups)
        strides, pads = [1] * spatial, [0] * spatial
    if not is_float(c.dtype):
        return _integer_convolution(c, x, weight, bias, strides, pads, dilations, groups)
    operands = [x, weight] if bias is None else [x, weight, bias]
    y = c.b.conv(*operands, strides=strides, pad_low=pads, pad_high=pads,
                 dilations=dilations, groups=groups)
    return c.reshape(y, c.result_shape)


def _integer_convolution(c: Context, x: Value, weight: Value, bias: Value | None,
                         strides: Sequence[int], pads: Sequence[int],
                         dilations: Sequence[int], groups: int) -> Value:
    spatial = len(strides)
    axes = [Axis.sliding(size, out, window, stride, low, dilation)
            for size, out, window, stride, low, dilation in zip(
                c.shape(x)[2:], c.result_shape[-spatial:], c.shape(weight)[2:], strides,
                pads, dilations)]
    y = _windows.convolution(c, x, weight, axes, groups)
    if bias is not None:
        y = c.b.add(y, c.reshape(bias, [*c.shape(bias), *[1] * spatial]))
    return c.reshape(y, c.result_shape)


def _spread(c: Context, x: Value, weight: Value, strides: Sequence[int],
            pads: Sequence[int], dilations: Sequence[int], more: Sequence[int]) -> Value:
    """A transposed convolution is a convolution of an input that has zeros between and
    around its elements. Returns this input."""
    reach = [d * (k - 1) for d, k in zip(dilations, c.shape(weight)[2:])]
    low = [0, 0, *(r - p for r, p in zip(reach, pads))]
    high = [0, 0, *(r - p + m for r, p, m in zip(reach, pads, more))]
    y = c.b.pad(x, low=[max(0, n) for n in low], high=[max(0, n) for n in high],
                interior=[0, 0, *(s - 1 for s in strides)], value=0.0)
    return crop(c, y, low, high)


def _swapped(c: Context, weight: Value, groups: int) -> Value:
    """The kernel of that convolution: (I, O / groups, …) as (O, I / groups, …), with
    reversed spatial dims."""
    inputs, outputs, *spatial = c.shape(weight)
    parts = c.reshape(weight, [groups, inputs // groups, outputs, *spatial])
    order = [0, 2, 1, *range(3, 3 + len(spatial))]
    swapped = c.reshape(c.transpose(parts, order),
                        [groups * outputs, inputs // groups, *spatial])
    return flip(c, swapped, range(2, 2 + len(spatial)))


class _Pooled(Sequence[typing.Any]):
    """The maxima of windows and their positions. The positions are only computed if they
    are used, because few models use them."""

    def __init__(self, values: Value, positions: Callable[[], Value]) -> None:
        self.values = values
        self.positions = positions

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: typing.Any) -> typing.Any:
        return self.values if index == 0 else self.positions()


@handles("max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool(c: Context, x: Value, window: Sequence[int], stride: Sequence[int] = (),
             padding: typing.Any = 0, dilation: typing.Any = 1,
             ceil_mode: bool = False) -> Sequence[Value]:
    shape = c.shape_of(c.result[0])
    rank = 2 if "max_pool2d" in c.op else 3
    window = pair(window, rank)
    strides, pads, dilations = (pair(list(stride) or window, rank), pair(padding, rank),
                                pair(dilation, rank))

    highs = (_high_pads(c, x, shape, window, strides, pads, dilations) if ceil_mode
             else pads)
    y = c.b.max_pool(_batched(c, x, rank), window=window, strides=strides, pad_low=pads,
                     pad_high=highs, dilations=dilations)

    def positions() -> Value:
        axes = [Axis.sliding(*each) for each in zip(
            c.shape(x)[-rank:], shape[-rank:], window, strides, pads, dilations)]
        return _windows.index_of_maximum(c, x, axes)

    return _Pooled(c.reshape(y, shape), positions)


@handles("adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(c: Context, x: Value, size: Sequence[int]) -> Sequence[Value]:
    axes = _adaptive(c, x, size)
    return _Pooled(_windows.maximum_of(c, x, axes),
                   lambda: _windows.index_of_maximum(c, x, axes))


@handles("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(c: Context, x: Value, window: Sequence[int], stride: Sequence[int] = (),
             padding: typing.Any = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor: int | None = None) -> Value:
    rank = {"avg_pool1d": 1, "avg_pool2d": 2}.get(c.op.split(".")[1], 3)
    window, pads = pair(window, rank), pair(padding, rank)
    strides = pair(list(stride) or window, rank)
    sizes, outs = c.shape(x)[-rank:], c.result_shape[-rank:]
    is_plain = is_float(c.dtype) and divisor is None and (not ceil_mode or all(
        (out - 1) * s + w <= size + 2 * low
        for size, out, w, s, low in zip(sizes, outs, window, strides, pads)))
    if is_plain:
        y = c.b.avg_pool(_batched(c, x, rank), window=window, strides=strides, pad_low=pads,
                         pad_high=pads, count_include_pad=bool(count_include_pad))
        return c.reshape(y, c.result_shape)
    axes = [Axis.sliding(*each) for each in zip(sizes, outs, window, strides, pads)]
    divisors = divisors_of(axes, window, pads if count_include_pad else [0] * rank)
    if divisor is not None:
        divisors = torch.full_like(divisors, divisor)
    return _windows.average_of(c, x, axes, divisors)


def divisors_of(axes: Sequence[Axis], window: Sequence[int],
                pads: Sequence[int]) -> torch.Tensor:
    """The number of elements in each window. Elements in the padding count. Elements
    beyond the padding do not."""
    lengths = [(axis.starts + w).clamp(max=axis.size + pad) - axis.starts.clamp(min=-pad)
               for axis, w, pad in zip(axes, window, pads)]
    return _windows.counts(axes, lengths)


def _batched(c: Context, x: Value, rank: int) -> Value:
    """x with `rank` spatial dims, channels and a batch; a single image is a batch."""
    return x if len(c.shape(x)) == rank + 2 else c.reshape(x, [1, *c.shape(x)])


def _high_pads(c: Context, x: Value, result: Sequence[int], window: Sequence[int],
               strides: Sequence[int], pads: Sequence[int],
               dilations: Sequence[int]) -> list[int]:
    """The pads after each dim that give the result its size, with ceil_mode."""
    rank = len(window)
    sizes = zip(c.shape(x)[-rank:], result[-rank:])
    return [max(0, (out - 1) * s + d * (w - 1) + 1 - size - low)
            for (size, out), w, s, low, d in zip(sizes, window, strides, pads, dilations)]


@handles("_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def adaptive_avg_pool(c: Context, x: Value, size: Sequence[int]) -> Value:
    rank = len(size)
    if list(size) == [1] * rank:
        dims = list(range(len(c.shape(x)) - rank, len(c.shape(x))))
        return c.b.reduce(x, kind="mean", dims=dims, keep_dims=True)
    given = c.shape(x)[-rank:]
    if all(s and g % s == 0 for g, s in zip(given, size)):
        window = [g // s for g, s in zip(given, size)]
        y = c.b.avg_pool(_batched(c, x, rank), window=window, strides=window,
                         pad_low=[0] * rank, pad_high=[0] * rank, count_include_pad=True)
        return c.reshape(y, c.result_shape)
    axes = _adaptive(c, x, size)
    lengths = [axis.is_inside.sum(1) for axis in axes]
    return _windows.average_of(c, x, axes, _windows.counts(axes, lengths))


def _adaptive(c: Context, x: Value, size: Sequence[int]) -> list[Axis]:
    return [Axis.adaptive(*each) for each in zip(c.shape(x)[-len(size):], size)]


@handles("mm", "bmm")
def matmul(c: Context, x: Value, y: Value) -> Value:
    return c.b.matmul(x, y)


def _scaled(c: Context, x: Value, factor: float) -> Value:
    return x if factor == 1 else c.b.mul(x, c.splat(factor, c.dtype))


@handles("addmm", "baddbmm")
def addmm(c: Context, bias: Value, x: Value, y: Value, *, beta: float = 1,
          alpha: float = 1) -> Value:
    product = _scaled(c, c.b.matmul(x, y), alpha)
    return product if beta == 0 else c.b.add(product, _scaled(c, bias, beta))


@handles("linear")
def linear(c: Context, x: Value, weight: Value, bias: Value | None = None) -> Value:
    y = c.b.matmul(x, weight, transpose_rhs=True)
    return y if bias is None else c.b.add(y, bias)


@handles("mv")
def mv(c: Context, x: Value, y: Value) -> Value:
    return c.reshape(c.b.matmul(x, c.reshape(y, [*c.shape(y), 1])), c.result_shape)


@handles("dot")
def dot(c: Context, x: Value, y: Value) -> Value:
    return c.b.reduce(c.b.mul(x, y), kind="sum", dims=[0], keep_dims=False)


@handles("_scaled_dot_product_flash_attention_for_cpu")
def attention(c: Context, query: Value, key: Value, value: Value, dropout: float = 0,
              is_causal: bool = False, *, attn_mask: Value | None = None,
              scale: float | None = None) -> tuple[Value]:
    if dropout:
        raise Unsupported("dropout is left to torch")
    dtype = c.dtype_of(query)
    key, value = _repeat_heads(c, query, key), _repeat_heads(c, query, value)
    length, width = c.shape(query)[-2:]
    factor = scale if scale is not None else 1 / math.sqrt(width)
    scores = c.b.matmul(c.b.mul(query, c.splat(factor, dtype)), key, transpose_rhs=True)
    if is_causal:
        scores = c.b.add(scores, _causal_mask(c, length, c.shape(key)[-2], dtype))
    if attn_mask is not None:
        scores = c.b.add(scores, c.cast(attn_mask, dtype))
    weights = c.b.softmax(scores, axis=len(c.shape(scores)) - 1)
    return (c.b.matmul(weights, value),)


def _repeat_heads(c: Context, query: Value, x: Value) -> Value:
    """Keys or values with a head for each head of the query. In attention with grouped
    queries, neighboring heads of the query share one."""
    *batch, heads, _, _ = c.shape(query)
    *_, fewer, length, width = c.shape(x)
    if heads == fewer:
        return x
    x = c.reshape(x, [*batch, fewer, 1, length, width])
    x = c.broadcast(x, [*batch, fewer, heads // fewer, length, width])
    return c.reshape(x, [*batch, heads, length, width])


def _causal_mask(c: Context, rows: int, columns: int, dtype: str) -> Value:
    """0 on and below the diagonal, -inf above."""
    shape = {"dtype": "i64", "dims": [rows, columns]}
    after = c.b.compare(c.b.iota(axis=1, type=shape), c.b.iota(axis=0, type=shape),
                        predicate="gt")
    return c.b.select(after, c.splat(-math.inf, dtype), c.splat(0, dtype))
