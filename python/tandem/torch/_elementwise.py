"""Elementwise ops."""

from __future__ import annotations

import functools
import math
import typing

import torch

from ._table import Context, Value, handles, is_float, name_of

Number = typing.Union[int, float, bool]

for _name in ("neg", "abs", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "tanh",
              "sigmoid", "relu", "erf", "erfinv", "sin", "cos", "floor", "ceil",
              "round.default", "asin", "acos", "atan"):
    def _unary(c: Context, x: Value, *, op: str) -> Value:
        if op in ("floor", "ceil", "round") and c.dtype.startswith(("int", "uint")):
            return x
        return c.b.op(op, c.cast(x, c.dtype))
    handles(_name)(functools.partial(_unary, op=_name.partition(".")[0]))


@handles("round.decimals")
def round_decimals(c: Context, x: Value, *, decimals: int) -> Value:
    power = c.splat(10 ** abs(decimals), c.wide)
    scale, restore = (c.b.mul, c.b.div) if decimals >= 0 else (c.b.div, c.b.mul)
    return c.cast(restore(c.b.round(scale(c.cast(x, c.wide), power)), power), c.dtype)


@handles("sign")
def sign(c: Context, x: Value) -> Value:
    """The sign of NaN is 0 in torch."""
    if c.dtype == "bool":
        return x
    zero = c.splat(0, c.dtype)
    positive = c.cast(c.b.compare(x, zero, predicate="gt"), c.dtype)
    if c.dtype.startswith("uint"):
        return positive
    return c.b.sub(positive, c.cast(c.b.compare(x, zero, predicate="lt"), c.dtype))


@handles("logical_not")
def logical_not(c: Context, x: Value) -> Value:
    return c.b.logical_not(c.cast(x, "bool"))


@handles("bitwise_not")
def bitwise_not(c: Context, x: Value) -> Value:
    return c.b.logical_not(x) if c.dtype == "bool" else c.b.bitwise_not(x)


@handles("reciprocal")
def reciprocal(c: Context, x: Value) -> Value:
    return c.b.div(c.splat(1, c.dtype), c.cast(x, c.dtype))


@handles("silu")
def silu(c: Context, x: Value) -> Value:
    return c.b.mul(x, c.b.sigmoid(x))


@handles("gelu")
def gelu(c: Context, x: Value, approximate: str = "none") -> Value:
    return c.b.gelu(x, approximate_tanh=approximate == "tanh")


@handles("softplus")
def softplus(c: Context, x: Value, beta: Number = 1, threshold: Number = 20) -> Value:
    scaled = c.b.mul(x, c.splat(beta, c.dtype))
    result = c.b.div(c.b.softplus(scaled), c.splat(beta, c.dtype))
    linear = c.b.compare(scaled, c.splat(threshold, c.dtype), predicate="gt")
    return c.b.select(linear, x, result)


@handles("leaky_relu")
def leaky_relu(c: Context, x: Value, slope: Number = 0.01) -> Value:
    positive = c.b.compare(x, c.splat(0, c.dtype), predicate="gt")
    return c.b.select(positive, x, c.b.mul(x, c.splat(slope, c.dtype)))


@handles("elu")
def elu(c: Context, x: Value, alpha: Number = 1, scale: Number = 1,
        input_scale: Number = 1) -> Value:
    low = c.b.expm1(c.b.mul(x, c.splat(input_scale, c.dtype)))
    positive = c.b.compare(x, c.splat(0, c.dtype), predicate="gt")
    return c.b.select(positive, c.b.mul(x, c.splat(scale, c.dtype)),
                      c.b.mul(low, c.splat(alpha * scale, c.dtype)))


def _operands(c: Context, x: typing.Any, y: typing.Any) -> tuple[Value, Value]:
    return c.cast(x, c.dtype), c.cast(y, c.dtype)


@handles("add.Tensor", "add.Scalar")
def add(c: Context, x: Value, y: Value | Number, alpha: Number = 1) -> Value:
    x, y = _operands(c, x, y)
    if c.dtype == "bool":
        return c.b.logical_or(x, y) if alpha else x
    return c.b.add(x, y if alpha == 1 else c.b.mul(y, c.splat(alpha, c.dtype)))


@handles("sub.Tensor", "sub.Scalar")
def sub(c: Context, x: Value, y: Value | Number, alpha: Number = 1) -> Value:
    x, y = _operands(c, x, y)
    return c.b.sub(x, y if alpha == 1 else c.b.mul(y, c.splat(alpha, c.dtype)))


@handles("rsub")
def rsub(c: Context, x: Value, y: Value | Number, alpha: Number = 1) -> Value:
    x, y = _operands(c, x, y)
    return c.b.sub(y, x if alpha == 1 else c.b.mul(x, c.splat(alpha, c.dtype)))


@handles("mul.Tensor", "mul.Scalar")
def mul(c: Context, x: Value, y: Value | Number) -> Value:
    x, y = _operands(c, x, y)
    return c.b.logical_and(x, y) if c.dtype == "bool" else c.b.mul(x, y)


@handles("div.Tensor", "div.Scalar", "true_divide")
def div(c: Context, x: Value, y: Value | Number) -> Value:
    return c.b.div(*_operands(c, x, y))


@handles("div.Tensor_mode", "div.Scalar_mode")
def div_mode(c: Context, x: Value, y: Value | Number,
             rounding_mode: str | None = None) -> Value:
    # A number is not rounded to a 16-bit float.
    x, y = c.cast(x, c.wide), c.cast(y, c.wide)
    if not is_float(c.dtype):
        quotient = c.b.div(x, y)
        if rounding_mode == "trunc" or c.dtype.startswith("uint"):
            return quotient
        lower = c.cast(_has_other_sign(c, c.b.rem(x, y), y), c.dtype)
        return c.b.sub(quotient, lower)
    if rounding_mode == "floor":
        return c.cast(_floor_division(c, x, y), c.dtype)
    quotient = c.cast(c.b.div(x, y), c.dtype)
    return quotient if rounding_mode is None else trunc(c, quotient)


def _floor_division(c: Context, x: Value, y: Value) -> Value:
    """floor(x / y) without the rounding of x / y, as Python and torch compute it:
    1 // 0.1 is 9."""
    dtype = c.dtype_of(x)
    zero, one = c.splat(0, dtype), c.splat(1, dtype)
    rest = c.b.rem(x, y)
    quotient = c.b.div(c.b.sub(x, rest), y)
    quotient = c.b.select(_has_other_sign(c, rest, y), c.b.sub(quotient, one), quotient)
    # The quotient is nearly a whole number.
    floor = c.b.floor(quotient)
    above = c.b.compare(c.b.sub(quotient, floor), c.splat(0.5, dtype), predicate="gt")
    whole = c.b.select(above, c.b.add(floor, one), floor)
    exact = c.b.div(x, y)
    whole = c.b.select(c.b.compare(quotient, zero, predicate="eq"),
                       c.b.mul(exact, zero), whole)
    return c.b.select(c.b.compare(y, zero, predicate="eq"), exact, whole)


@handles("fmod")
def fmod(c: Context, x: Value, y: Value | Number) -> Value:
    return c.b.rem(*_operands(c, x, y))


@handles("remainder")
def remainder(c: Context, x: Value | Number, y: Value | Number) -> Value:
    """As fmod, but with the sign of y."""
    x, y = _operands(c, x, y)
    if c.dtype.startswith("uint"):
        return c.b.rem(x, y)
    rest = c.b.rem(x, y)
    return c.b.select(_has_other_sign(c, rest, y), c.b.add(rest, y), rest)


def _has_other_sign(c: Context, rest: Value, y: Value) -> Value:
    """Whether the remainder of a division that rounds toward zero is not 0 and has
    another sign than the divisor y."""
    zero = c.splat(0, c.dtype_of(rest))
    differ = c.b.compare(c.b.compare(rest, zero, predicate="lt"),
                         c.b.compare(y, zero, predicate="lt"), predicate="ne")
    return c.b.logical_and(c.b.compare(rest, zero, predicate="ne"), differ)


@handles("trunc", "fix")
def trunc(c: Context, x: Value) -> Value:
    if not is_float(c.dtype):
        return x
    negative = c.b.compare(x, c.splat(0, c.dtype), predicate="lt")
    return c.b.select(negative, c.b.ceil(x), c.b.floor(x))


@handles("exp2")
def exp2(c: Context, x: Value) -> Value:
    return c.b.pow(c.splat(2, c.dtype), c.cast(x, c.dtype))


@handles("maximum", "max.other")
def maximum(c: Context, x: Value, y: Value | Number) -> Value:
    x, y = _operands(c, x, y)
    return c.b.logical_or(x, y) if c.dtype == "bool" else c.b.max(x, y)


@handles("minimum", "min.other")
def minimum(c: Context, x: Value, y: Value | Number) -> Value:
    x, y = _operands(c, x, y)
    return c.b.logical_and(x, y) if c.dtype == "bool" else c.b.min(x, y)


@handles("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(c: Context, x: Value | Number, y: Value | Number) -> Value:
    if isinstance(x, Value) and y in (1, 2, 3):
        x = c.cast(x, c.dtype)
        return functools.reduce(c.b.mul, [x] * int(y))
    # torch computes these roots so, but not of float16: (-inf)^0.5 is NaN then.
    if isinstance(x, Value) and y in (0.5, -0.5) and c.dtype != "float16":
        return c.b.op("sqrt" if y == 0.5 else "rsqrt", c.cast(x, c.dtype))
    return c.b.pow(*_operands(c, x, y))


def common(c: Context, x: Value | Number, y: Value | Number) -> tuple[Value, Value]:
    """The operands of a comparison in the dtype that torch compares in."""
    sample = [torch.empty([1] * len(c.shape(v)), dtype=_TORCH[c.dtype_of(v)], device="meta")
              if isinstance(v, Value) else v for v in (x, y)]
    dtype = name_of(torch.result_type(*sample))
    return c.cast(x, dtype), c.cast(y, dtype)


_TORCH = {name_of(dtype): dtype for dtype in
          (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64,
           torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)}

for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    def _compare(c: Context, x: Value, y: Value | Number, *, predicate: str) -> Value:
        x, y = common(c, x, y)
        if c.dtype_of(x) == "bool":
            x, y = c.cast(x, "uint8"), c.cast(y, "uint8")
        return c.b.compare(x, y, predicate=predicate)
    handles(f"{_name}.Tensor", f"{_name}.Scalar")(
        functools.partial(_compare, predicate=_name))


@handles("isnan")
def isnan(c: Context, x: Value) -> Value:
    return c.b.compare(x, x, predicate="ne")


@handles("isinf")
def isinf(c: Context, x: Value) -> Value:
    if not is_float(c.dtype_of(x)):
        return c.splat(0, "bool", c.shape(x))
    infinity = c.splat(math.inf, c.dtype_of(x))
    return c.b.compare(c.b.abs(x), infinity, predicate="eq")


@handles("logical_and")
def logical_and(c: Context, x: Value, y: Value) -> Value:
    return c.b.logical_and(c.cast(x, "bool"), c.cast(y, "bool"))


@handles("logical_or")
def logical_or(c: Context, x: Value, y: Value) -> Value:
    return c.b.logical_or(c.cast(x, "bool"), c.cast(y, "bool"))


@handles("logical_xor")
def logical_xor(c: Context, x: Value, y: Value) -> Value:
    x, y = (c.cast(c.cast(v, "bool"), "uint8") for v in (x, y))
    return c.b.compare(x, y, predicate="ne")


for _name, _logical in (("and", "logical_and"), ("or", "logical_or")):
    def _bitwise(c: Context, x: Value, y: Value | Number, *, op: str, logical: str) -> Value:
        x, y = _operands(c, x, y)
        return c.b.op(logical if c.dtype == "bool" else op, x, y)
    handles(f"bitwise_{_name}.Tensor", f"bitwise_{_name}.Scalar",
            f"bitwise_{_name}.Scalar_Tensor")(
        functools.partial(_bitwise, op=f"bitwise_{_name}", logical=_logical))


@handles("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(c: Context, condition: Value, x: Value | Number, y: Value | Number) -> Value:
    return c.b.select(c.cast(condition, "bool"), *_operands(c, x, y))


@handles("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(c: Context, x: Value, mask: Value, value: Value | Number) -> Value:
    return c.b.select(mask, *_operands(c, value, x))


@handles("clamp", "hardtanh")
def clamp(c: Context, x: Value, min: Value | Number | None = None,
          max: Value | Number | None = None) -> Value:
    x = c.cast(x, c.dtype)
    if min is not None:
        x = maximum(c, x, min)
    if max is not None:
        x = minimum(c, x, max)
    return x


@handles("clamp_min")
def clamp_min(c: Context, x: Value, min: Value | Number) -> Value:
    return clamp(c, x, min)


@handles("hardsigmoid")
def hardsigmoid(c: Context, x: Value) -> Value:
    shifted = c.b.add(x, c.splat(3, c.dtype))
    return c.b.div(clamp(c, shifted, 0, 6), c.splat(6, c.dtype))


@handles("hardswish")
def hardswish(c: Context, x: Value) -> Value:
    return c.b.mul(x, hardsigmoid(c, x))


@handles("_to_copy", "prims::convert_element_type")
def to_copy(c: Context, x: Value, *_: typing.Any, **__: typing.Any) -> Value:
    return c.cast(x, c.dtype)


@handles("copy", "copy_")
def copy(c: Context, _: Value, source: Value, **__: typing.Any) -> Value:
    return c.broadcast(c.cast(source, c.dtype), c.result_shape)


@handles("clone", "alias", "detach", "contiguous", "lift_fresh_copy", "lift_fresh")
def identity(c: Context, x: Value, **_: typing.Any) -> Value:
    return x
