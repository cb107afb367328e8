"""Reductions, normalizations and softmax."""

from __future__ import annotations

import functools
import typing
from collections.abc import Sequence

from ._shape import axis_of
from ._table import Context, Value, handles, name_of


def _dims(c: Context, x: Value, dims: typing.Any) -> list[int]:
    rank = len(c.shape(x))
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(rank))
    dims = dims if isinstance(dims, (list, tuple)) else [dims]
    return sorted(axis_of(d, rank) for d in dims)


def reduce(c: Context, kind: str, x: Value, dims: Sequence[int], keep: bool) -> Value:
    return c.b.reduce(x, kind=kind, dims=list(dims), keep_dims=keep)


for _names, _kind in ((("sum.dim_IntList", "sum.default"), "sum"),
                      (("mean.dim", "mean.default"), "mean"),
                      (("amax",), "max"), (("amin",), "min"),
                      (("max.default",), "max"), (("min.default",), "min")):
    def _reduce(c: Context, x: Value, dims: typing.Any = None, keepdim: bool = False, *,
                kind: str, dtype: typing.Any = None) -> Value:
        return reduce(c, kind, c.cast(x, c.dtype), _dims(c, x, dims), keepdim)
    handles(*_names)(functools.partial(_reduce, kind=_kind))


@handles("prod.dim_int", "prod.default")
def prod(c: Context, x: Value, dim: int | None = None, keepdim: bool = False,
         dtype: typing.Any = None) -> Value:
    return reduce(c, "prod", c.cast(x, c.dtype), _dims(c, x, dim), keepdim)


for _name, _kind in (("any", "max"), ("all", "min")):
    def _boolean(c: Context, x: Value, dims: typing.Any = None, keepdim: bool = False, *,
                 kind: str) -> Value:
        bits = c.cast(c.cast(x, "bool"), "uint8")
        return c.cast(reduce(c, kind, bits, _dims(c, x, dims), keepdim), c.dtype)
    handles(f"{_name}.dim", f"{_name}.dims", f"{_name}.default")(
        functools.partial(_boolean, kind=_kind))


@handles("var.correction", "var_mean.correction")
def var(c: Context, x: Value, dims: typing.Any = None, *, correction: float | None = None,
        keepdim: bool = False) -> typing.Any:
    dtype = c.dtype_of(x)
    axes = _dims(c, x, dims)
    count = 1
    for axis in axes:
        count *= c.shape(x)[axis]
    divisor = max(0, count - (1 if correction is None else correction))
    mean = reduce(c, "mean", x, axes, True)
    apart = c.b.sub(x, mean)
    total = reduce(c, "sum", c.b.mul(apart, apart), axes, keepdim)
    variance = c.b.div(total, c.splat(divisor, dtype))
    if not isinstance(c.result, (list, tuple)):
        return variance
    return variance, c.reshape(mean, c.shape(variance))


@handles("_softmax", "softmax.int")
def softmax(c: Context, x: Value, dim: int, _: typing.Any = None) -> Value:
    x = c.cast(x, c.dtype)
    if not c.shape(x):
        return c.splat(1, c.dtype)
    return c.b.softmax(x, axis=axis_of(dim, len(c.shape(x))))


@handles("_log_softmax", "log_softmax.int")
def log_softmax(c: Context, x: Value, dim: int, _: typing.Any = None) -> Value:
    x = c.cast(x, c.dtype)
    dims = [axis_of(dim, len(c.shape(x)))]
    shifted = c.b.sub(x, reduce(c, "max", x, dims, True))
    return c.b.sub(shifted, c.b.log(reduce(c, "sum", c.b.exp(shifted), dims, True)))


def normalize(c: Context, x: Value, dims: Sequence[int],
              epsilon: float) -> tuple[Value, Value, Value]:
    """(x - mean) · rstd over dims, the mean and rstd; statistics keep the dims."""
    mean = reduce(c, "mean", x, dims, True)
    apart = c.b.sub(x, mean)
    variance = reduce(c, "mean", c.b.mul(apart, apart), dims, True)
    rstd = c.b.rsqrt(c.b.add(variance, c.splat(epsilon, c.dtype_of(x))))
    return c.b.mul(apart, rstd), mean, rstd


@handles("native_layer_norm")
def layer_norm(c: Context, x: Value, shape: Sequence[int], weight: Value | None,
               bias: Value | None, epsilon: float) -> tuple[Value, Value, Value]:
    given = c.dtype_of(x)
    wide = "float32" if given in ("float16", "bfloat16") else given
    rank = len(c.shape(x))
    y, mean, rstd = normalize(c, c.cast(x, wide), range(rank - len(shape), rank), epsilon)
    if weight is not None:
        y = c.b.mul(y, c.cast(weight, wide))
    if bias is not None:
        y = c.b.add(y, c.cast(bias, wide))
    statistics = name_of(c.result[1].dtype)
    return c.cast(y, given), c.cast(mean, statistics), c.cast(rstd, statistics)


@handles("native_group_norm")
def group_norm(c: Context, x: Value, weight: Value | None, bias: Value | None, n: int,
               channels: int, _: int, groups: int,
               epsilon: float) -> tuple[Value, Value, Value]:
    shape = c.shape(x)
    parts = c.reshape(x, [n, groups, -1 if 0 not in shape else 0])
    y, mean, rstd = normalize(c, parts, [2], epsilon)
    y = c.reshape(y, shape)
    per_channel = [channels] + [1] * (len(shape) - 2)
    if weight is not None:
        y = c.b.mul(y, c.reshape(weight, per_channel))
    if bias is not None:
        y = c.b.add(y, c.reshape(bias, per_channel))
    return y, c.reshape(mean, [n, groups]), c.reshape(rstd, [n, groups])


@handles("_native_batch_norm_legit_no_training")
def batch_norm(c: Context, x: Value, weight: Value | None, bias: Value | None, mean: Value,
               variance: Value, _: float, epsilon: float) -> tuple[Value]:
    dtype = c.dtype_of(mean)
    channels = c.shape(mean)
    scale = weight if weight is not None else c.splat(1, dtype, channels)
    offset = bias if bias is not None else c.splat(0, dtype, channels)
    operands = [c.cast(v, c.dtype_of(x)) for v in (scale, offset, mean, variance)]
    return (c.b.batch_norm(x, *operands, epsilon=epsilon, axis=1),)
