"""Reductions, normalizations and softmax."""

from __future__ import annotations

import functools
import math
import typing
from collections.abc import Sequence

from ._shape import axis_of
from ._sizes import same_shape
from ._table import Context, Value, handles, name_of


def _dims(c: Context, x: Value, dims: typing.Any) -> list[int]:
    rank = len(c.shape(x))
    if not rank:
        return []
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
        x = c.numeric(c.cast(x, c.dtype))
        return c.cast(reduce(c, kind, x, _dims(c, x, dims), keepdim), c.dtype)
    handles(*_names)(functools.partial(_reduce, kind=_kind))


@handles("prod.dim_int", "prod.default")
def prod(c: Context, x: Value, dim: int | None = None, keepdim: bool = False,
         dtype: typing.Any = None) -> Value:
    x = c.numeric(c.cast(x, c.dtype))
    return c.cast(reduce(c, "prod", x, _dims(c, x, dim), keepdim), c.dtype)


for _name, _kind in (("any", "max"), ("all", "min")):
    def _boolean(c: Context, x: Value, dims: typing.Any = None, keepdim: bool = False, *,
                 kind: str) -> Value:
        axes = _dims(c, x, dims)
        if any(same_shape([c.shape(x)[axis]], [0]) for axis in axes):
            return c.splat(kind == "min", c.dtype, c.result_shape)
        bits = c.cast(c.cast(x, "bool"), "uint8")
        return c.cast(reduce(c, kind, bits, axes, keepdim), c.dtype)
    handles(f"{_name}.dim", f"{_name}.dims", f"{_name}.default")(
        functools.partial(_boolean, kind=_kind))


@handles("var.correction", "var_mean.correction")
def var(c: Context, x: Value, dims: typing.Any = None, *, correction: float | None = None,
        keepdim: bool = False) -> typing.Any:
    results = c.result if isinstance(c.result, (list, tuple)) else [c.result]
    dtype = name_of(results[0].dtype)
    x = c.cast(x, "float32" if dtype in ("float16", "bfloat16") else dtype)
    axes = _dims(c, x, dims)
    variance = var_of(c, x, axes, 1 if correction is None else correction)
    made = [variance, reduce(c, "mean", x, axes, True)][:len(results)]
    made = [c.cast(c.reshape(each, c.shape_of(results[0])), dtype) for each in made]
    return made[0] if len(results) == 1 else tuple(made)


def var_of(c: Context, x: Value, axes: Sequence[int], correction: float) -> Value:
    """The variance over dims, which stay with size 1."""
    count = math.prod(c.shape(x)[axis] for axis in axes)
    apart = c.b.sub(x, reduce(c, "mean", x, axes, True))
    total = reduce(c, "sum", c.b.mul(apart, apart), axes, True)
    return c.b.div(total, c.splat(max(0, count - correction), c.dtype_of(x)))


@handles("_cdist_forward")
def cdist(c: Context, x: Value, y: Value, p: float, _: typing.Any = None) -> Value:
    """The p-norms of the differences of all rows of x and all rows of y."""
    rows, columns, width = c.shape(x)[-2], c.shape(y)[-2], c.shape(x)[-1]
    if 0 in (*c.result_shape, width):
        return c.splat(0, c.dtype, c.result_shape)
    x = c.reshape(x, [*c.shape(x)[:-2], rows, 1, width])
    y = c.reshape(y, [*c.shape(y)[:-2], 1, columns, width])
    apart = c.b.abs(c.b.sub(x, y))
    dims = [len(c.shape(apart)) - 1]
    if p == math.inf:
        return reduce(c, "max", apart, dims, False)
    if p == 0:
        differ = c.b.compare(apart, c.splat(0, c.dtype), predicate="ne")
        return reduce(c, "sum", c.cast(differ, c.dtype), dims, False)
    if p in (1, 2):
        powers = apart if p == 1 else c.b.mul(apart, apart)
        total = reduce(c, "sum", powers, dims, False)
        return total if p == 1 else c.b.sqrt(total)
    total = reduce(c, "sum", c.b.pow(apart, c.splat(p, c.dtype)), dims, False)
    return c.b.pow(total, c.splat(1 / p, c.dtype))


@handles("_softmax", "softmax.int")
def softmax(c: Context, x: Value, dim: int, _: typing.Any = None) -> Value:
    x = c.cast(x, c.dtype)
    if not c.shape(x):
        return c.splat(1, c.dtype)
    return c.b.softmax(x, axis=axis_of(dim, len(c.shape(x))))


@handles("_log_softmax", "log_softmax.int")
def log_softmax(c: Context, x: Value, dim: int, _: typing.Any = None) -> Value:
    x = c.cast(x, c.dtype)
    if any(same_shape([size], [0]) for size in c.shape(x)):
        return x
    dims = _dims(c, x, dim)
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
    scale, offset = parameters(c, weight, bias, wide, c.shape(x)[len(c.shape(x)) - len(shape):])
    y, mean, rstd = c.b.layer_norm(c.cast(x, wide), scale, offset, epsilon=epsilon)
    statistics = name_of(c.result[1].dtype)
    return c.cast(y, given), c.cast(mean, statistics), c.cast(rstd, statistics)


def parameters(c: Context, weight: Value | None, bias: Value | None, dtype: str,
               shape: Sequence[int]) -> tuple[Value, Value]:
    """The scale and the offset of a layer norm. A sum with -0 is the other number."""
    return (c.splat(1, dtype, shape) if weight is None else c.cast(weight, dtype),
            c.splat(-0.0, dtype, shape) if bias is None else c.cast(bias, dtype))


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
               variance: Value, _: float, epsilon: float) -> tuple[Value, ...]:
    """The second and third result, statistics of the batch, are empty."""
    dtype = c.dtype_of(mean)
    channels = c.shape(mean)
    scale = weight if weight is not None else c.splat(1, dtype, channels)
    offset = bias if bias is not None else c.splat(0, dtype, channels)
    operands = [c.cast(v, c.dtype_of(x)) for v in (scale, offset, mean, variance)]
    empty = [c.splat(0, name_of(each.dtype), each.shape) for each in c.result[1:3]]
    return c.b.batch_norm(x, *operands, epsilon=epsilon, axis=1), *empty
