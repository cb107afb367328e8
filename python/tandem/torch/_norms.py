"""Batch normalization in training, and the gradients of normalizations."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ._reduce import batch_norm, parameters
from ._table import Context, Value, handles, name_of

Gradients = tuple[Value | None, Value | None, Value | None]


def _wide(dtype: str) -> str:
    """The dtype in which statistics of a dtype are computed."""
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def _sum(c: Context, x: Value, dims: Sequence[int], keep: bool = False) -> Value:
    return c.b.reduce(x, kind="sum", dims=list(dims), keep_dims=keep) if dims else x


def _share(c: Context, x: Value, count: int) -> Value:
    return c.b.div(x, c.splat(count, c.dtype_of(x)))


@handles("_native_batch_norm_legit_functional", "_native_batch_norm_legit.no_stats")
def batch_norm_of_batch(c: Context, x: Value, weight: Value | None, bias: Value | None,
                        *rest: typing.Any) -> tuple[Value, ...]:
    """Normalizes by the statistics of the batch, and updates the running ones if given."""
    *running, training, momentum, epsilon = rest
    if running and not training:
        mean, variance = running
        return *batch_norm(c, x, weight, bias, mean, variance, momentum, epsilon), *running
    given, shape = c.dtype_of(x), c.shape(x)
    wide, channels = name_of(c.result[1].dtype), [shape[1]]
    x = c.cast(x, wide)
    dims = [d for d in range(len(shape)) if d != 1]
    mean, variance = c.b.moments(x, dims=dims)
    scale = c.splat(1, wide, channels) if weight is None else c.cast(weight, wide)
    offset = c.splat(0, wide, channels) if bias is None else c.cast(bias, wide)
    y = c.b.batch_norm(x, scale, offset, mean, variance, epsilon=epsilon, axis=1)
    rstd = c.b.rsqrt(c.b.add(variance, c.splat(epsilon, wide)))
    results = (c.cast(y, given), mean, rstd)
    if not running:
        return results
    count = math.prod(shape[d] for d in dims)
    unbiased = c.b.mul(variance, _share(c, c.splat(count, wide), max(count - 1, 1)))
    return *results, *(_blend(c, old, new, momentum)
                       for old, new in zip(running, (mean, unbiased)))


def _blend(c: Context, old: Value, new: Value, momentum: float) -> Value:
    """A running statistic with a share of a new one."""
    dtype = c.dtype_of(old)
    kept = c.b.mul(old, c.splat(1 - momentum, dtype))
    return c.b.add(kept, c.b.mul(c.cast(new, dtype), c.splat(momentum, dtype)))


@handles("native_batch_norm_backward")
def batch_norm_backward(c: Context, gradient: Value, x: Value, weight: Value | None,
                        running_mean: Value | None, running_variance: Value | None,
                        mean: Value | None, rstd: Value | None, training: bool,
                        epsilon: float, mask: Sequence[bool]) -> Gradients:
    """The gradients of the input, the weight and the bias. The gradient of the weight is
    dot · rstd, where dot is the sum of gradient · (x - mean) in each channel."""
    given, shape = c.dtype_of(x), c.shape(x)
    wide = _wide(given)
    dims = [d for d in range(len(shape)) if d != 1]
    gradient, x = c.cast(gradient, wide), c.cast(x, wide)
    if not training:
        mean = running_mean
        rstd = c.b.rsqrt(c.b.add(c.cast(running_variance, wide), c.splat(epsilon, wide)))
    mean, rstd = c.cast(mean, wide), c.cast(rstd, wide)
    total = dot = of_input = None
    is_of_batch = mask[0] and training
    if mask[2] or is_of_batch:
        total = _sum(c, gradient, dims)
    if mask[1] or is_of_batch:
        dot = _sum(c, c.b.mul(gradient, c.b.sub(x, _per_channel(c, mean, shape))), dims)
    if mask[0]:
        factor = rstd if weight is None else c.b.mul(rstd, c.cast(weight, wide))
        of_input = c.b.mul(gradient, _per_channel(c, factor, shape))
        if total is not None and dot is not None and training:
            rest = _of_statistics(c, x, mean, rstd, factor, total, dot)
            of_input = c.b.sub(of_input, rest)
        of_input = c.cast(of_input, given)
    dtype = given if weight is None else c.dtype_of(weight)
    return (of_input, c.cast(c.b.mul(dot, rstd), dtype) if mask[1] else None,
            c.cast(total, dtype) if mask[2] else None)


def _per_channel(c: Context, value: Value, shape: Sequence[int]) -> Value:
    return c.reshape(value, [shape[1], *[1] * (len(shape) - 2)])


def _of_statistics(c: Context, x: Value, mean: Value, rstd: Value, factor: Value,
                   total: Value, dot: Value) -> Value:
    """The part that is subtracted from the gradient of the input because mean and variance
    depend on the input: (x - mean) · dot · factor · rstd² / count + total · factor / count,
    which has the form of a batch norm."""
    shape = c.shape(x)
    count = math.prod(size for d, size in enumerate(shape) if d != 1)
    slope = _share(c, c.b.mul(c.b.mul(dot, factor), c.b.mul(rstd, rstd)), count)
    offset = _share(c, c.b.mul(total, factor), count)
    one = c.splat(1, c.dtype_of(x), [shape[1]])
    return c.b.batch_norm(x, slope, offset, mean, one, epsilon=0.0, axis=1)


def _of_normalized(c: Context, gradient: Value, y: Value, rstd: Value,
                   dims: Sequence[int]) -> Value:
    """The gradient of x for that of y = (x - mean) · rstd, whose statistics are those of
    lines along `dims`."""
    count = math.prod(c.shape(y)[d] for d in dims)
    mean = _share(c, _sum(c, gradient, dims, True), count)
    dot = _share(c, _sum(c, c.b.mul(gradient, y), dims, True), count)
    return c.b.mul(c.b.sub(c.b.sub(gradient, mean), c.b.mul(y, dot)), rstd)


@handles("native_layer_norm_backward")
def layer_norm_backward(c: Context, gradient: Value, x: Value, normalized: Sequence[int],
                        mean: Value, rstd: Value, weight: Value | None, bias: Value | None,
                        mask: Sequence[bool]) -> Gradients:
    given = c.dtype_of(x)
    wide, rank = _wide(given), len(c.shape(x))
    gradient, x, mean, rstd = (c.cast(each, wide) for each in (gradient, x, mean, rstd))
    scale, _ = parameters(c, weight, bias, wide, c.shape(x)[rank - len(normalized):])
    of_x, of_scale, of_offset = c.b.layer_norm_backward(gradient, x, scale, mean, rstd)
    return (c.cast(of_x, given) if mask[0] else None,
            c.cast(of_scale, c.dtype_of(weight)) if mask[1] and weight is not None else None,
            c.cast(of_offset, c.dtype_of(bias)) if mask[2] and bias is not None else None)


@handles("native_group_norm_backward")
def group_norm_backward(c: Context, gradient: Value, x: Value, mean: Value, rstd: Value,
                        weight: Value | None, n: int, channels: int, inner: int, groups: int,
                        mask: Sequence[bool]) -> Gradients:
    given, shape = c.dtype_of(x), c.shape(x)
    wide = _wide(given)
    parts = [n, groups, channels // groups, inner]
    gradient, x = (c.reshape(c.cast(each, wide), parts) for each in (gradient, x))
    mean, rstd = (c.reshape(c.cast(each, wide), [n, groups, 1, 1]) for each in (mean, rstd))
    y = c.b.mul(c.b.sub(x, mean), rstd)
    dtype = given if weight is None else c.dtype_of(weight)

    def per_channel(product: Value) -> Value:
        return c.cast(c.reshape(_sum(c, product, [0, 3]), [channels]), dtype)

    of_input = None
    if mask[0]:
        scaled = gradient
        if weight is not None:
            scaled = c.b.mul(gradient, c.reshape(c.cast(weight, wide), [1, *parts[1:3], 1]))
        of_input = c.cast(c.reshape(_of_normalized(c, scaled, y, rstd, [2, 3]), shape), given)
    return (of_input, per_channel(c.b.mul(gradient, y)) if mask[1] else None,
            per_channel(gradient) if mask[2] else None)
