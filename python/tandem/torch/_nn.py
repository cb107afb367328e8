"""Convolutions, pooling, matrix products and attention."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ._shape import flip
from ._table import Context, Unsupported, Value, handles, pair


@handles("convolution")
def convolution(c: Context, x: Value, weight: Value, bias: Value | None,
                stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
                transposed: bool, output_padding: Sequence[int], groups: int) -> Value:
    spatial = len(c.shape(weight)) - 2
    x = _batched(c, x, spatial)
    strides, pads, dilations = (pair(n, spatial) for n in (stride, padding, dilation))
    if transposed:
        x = _spread(c, x, weight, strides, pads, dilations, pair(output_padding, spatial))
        weight = _swapped(c, weight, groups)
        strides, pads = [1] * spatial, [0] * spatial
    operands = [x, weight] if bias is None else [x, weight, bias]
    y = c.b.conv(*operands, strides=strides, pad_low=pads, pad_high=pads,
                 dilations=dilations, groups=groups)
    return c.reshape(y, c.result_shape)


def _spread(c: Context, x: Value, weight: Value, strides: Sequence[int],
            pads: Sequence[int], dilations: Sequence[int], more: Sequence[int]) -> Value:
    """The input of the convolution that a transposed convolution is: with zeros between
    and around its elements."""
    reach = [d * (k - 1) for d, k in zip(dilations, c.shape(weight)[2:])]
    low = [0, 0, *(r - p for r, p in zip(reach, pads))]
    high = [0, 0, *(r - p + m for r, p, m in zip(reach, pads, more))]
    if min(*low, *high) < 0:
        raise Unsupported("a transposed convolution that cuts its input is left to torch")
    return c.b.pad(x, low=low, high=high, interior=[0, 0, *(s - 1 for s in strides)],
                   value=0.0)


def _swapped(c: Context, weight: Value, groups: int) -> Value:
    """The kernel of that convolution: (I, O / groups, …) as (O, I / groups, …), with
    reversed spatial dims."""
    inputs, outputs, *spatial = c.shape(weight)
    parts = c.reshape(weight, [groups, inputs // groups, outputs, *spatial])
    order = [0, 2, 1, *range(3, 3 + len(spatial))]
    swapped = c.reshape(c.transpose(parts, order),
                        [groups * outputs, inputs // groups, *spatial])
    return flip(c, swapped, range(2, 2 + len(spatial)))


@handles("max_pool2d_with_indices")
def max_pool(c: Context, x: Value, window: Sequence[int], stride: Sequence[int] = (),
             padding: typing.Any = 0, dilation: typing.Any = 1,
             ceil_mode: bool = False) -> tuple[Value]:
    rank = len(window)
    shape = c.shape_of(c.result[0])
    strides, pads, dilations = (pair(list(stride) or window, rank), pair(padding, rank),
                                pair(dilation, rank))
    highs = (_high_pads(c, x, shape, window, strides, pads, dilations) if ceil_mode
             else pads)
    batched = _batched(c, x, rank)
    y = c.b.max_pool(batched, window=list(window), strides=strides, pad_low=pads,
                     pad_high=highs, dilations=dilations)
    return (c.reshape(y, shape),)


@handles("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(c: Context, x: Value, window: Sequence[int], stride: Sequence[int] = (),
             padding: typing.Any = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor: int | None = None) -> Value:
    if ceil_mode or divisor is not None:
        raise Unsupported("avg_pool with ceil_mode or a divisor is left to torch")
    rank = len(window)
    pads = pair(padding, rank)
    y = c.b.avg_pool(_batched(c, x, rank), window=list(window),
                     strides=pair(list(stride) or window, rank), pad_low=pads,
                     pad_high=pads, count_include_pad=bool(count_include_pad))
    return c.reshape(y, c.result_shape)


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
    if any(g % s for g, s in zip(given, size)):
        raise Unsupported("adaptive pooling with windows of several sizes is left to torch")
    return avg_pool(c, x, [g // s for g, s in zip(given, size)])


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
