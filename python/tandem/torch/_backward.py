"""Gradients of activations, losses, softmax, dropout, lookups and slices, which autograd
calls in the backward graph."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ._index import pick
from ._reduce import reduce
from ._shape import axis_of, iota
from ._table import Context, Unsupported, Value, handles

# The reductions of losses, as ATen numbers them.
NONE, MEAN, SUM = 0, 1, 2


def _number(c: Context, number: float) -> Value:
    return c.splat(number, c.dtype)


def _compare(c: Context, x: Value, predicate: str, number: float) -> Value:
    return c.b.compare(x, c.splat(number, c.dtype_of(x)), predicate=predicate)


def _keep_if(c: Context, condition: Value, gradient: Value) -> Value:
    """The gradient where the condition holds, and else 0."""
    return c.b.select(condition, gradient, c.splat(0, c.dtype_of(gradient)))


@handles("threshold_backward")
def threshold_backward(c: Context, gradient: Value, x: Value, threshold: float) -> Value:
    return c.b.select(_compare(c, x, "le", threshold), _number(c, 0), gradient)


@handles("gelu_backward")
def gelu_backward(c: Context, gradient: Value, x: Value, *, approximate: str = "none") -> Value:
    slope = c.b.gelu_derivative(x, approximate_tanh=approximate == "tanh")
    return c.b.mul(gradient, slope)


@handles("tanh_backward")
def tanh_backward(c: Context, gradient: Value, y: Value) -> Value:
    return c.b.mul(gradient, c.b.sub(_number(c, 1), c.b.mul(y, y)))


@handles("sigmoid_backward")
def sigmoid_backward(c: Context, gradient: Value, y: Value) -> Value:
    return c.b.sigmoid_backward(y, gradient)


@handles("silu_backward")
def silu_backward(c: Context, gradient: Value, x: Value) -> Value:
    """With s = sigmoid(x), the slope of x · s is s · (1 + x · (1 - s))."""
    given, wide = c.dtype, c.wide
    gradient, x, one = c.cast(gradient, wide), c.cast(x, wide), c.splat(1, wide)
    s = c.b.sigmoid(x)
    slope = c.b.mul(s, c.b.add(one, c.b.mul(x, c.b.sub(one, s))))
    return c.cast(c.b.mul(gradient, slope), given)


@handles("leaky_relu_backward")
def leaky_relu_backward(c: Context, gradient: Value, x: Value, slope: float,
                        _is_result: bool) -> Value:
    below = c.b.mul(gradient, _number(c, slope))
    return c.b.select(_compare(c, x, "gt", 0), gradient, below)


@handles("elu_backward")
def elu_backward(c: Context, gradient: Value, alpha: float, scale: float,
                 input_scale: float, is_result: bool, x: Value) -> Value:
    """x is the operand of elu, or its result."""
    factor = input_scale if is_result else input_scale * alpha * scale
    below = c.b.mul(gradient, _number(c, factor))
    if is_result:
        below = c.b.mul(below, c.b.add(x, _number(c, alpha * scale)))
    else:
        below = c.b.mul(below, c.b.exp(c.b.mul(x, _number(c, input_scale))))
    above = c.b.mul(gradient, _number(c, scale))
    return c.b.select(_compare(c, x, "le", 0), below, above)


def _is_between(c: Context, x: Value, low: float, high: float) -> Value:
    return c.b.logical_and(_compare(c, x, "gt", low), _compare(c, x, "lt", high))


@handles("hardsigmoid_backward")
def hardsigmoid_backward(c: Context, gradient: Value, x: Value) -> Value:
    return _keep_if(c, _is_between(c, x, -3, 3), c.b.mul(gradient, _number(c, 1 / 6)))


@handles("hardtanh_backward")
def hardtanh_backward(c: Context, gradient: Value, x: Value, low: float, high: float) -> Value:
    outside = c.b.logical_or(_compare(c, x, "le", low), _compare(c, x, "ge", high))
    return c.b.select(outside, _number(c, 0), gradient)


@handles("hardswish_backward")
def hardswish_backward(c: Context, gradient: Value, x: Value) -> Value:
    slope = c.b.add(c.b.div(x, _number(c, 3)), _number(c, 0.5))
    y = c.b.select(_compare(c, x, "lt", 3), c.b.mul(gradient, slope), gradient)
    return c.b.select(_compare(c, x, "le", -3), _number(c, 0), y)


@handles("hardshrink_backward", "softshrink_backward")
def shrink_backward(c: Context, gradient: Value, x: Value, limit: float) -> Value:
    inside = c.b.logical_and(_compare(c, x, "ge", -limit), _compare(c, x, "le", limit))
    return c.b.select(inside, _number(c, 0), gradient)


@handles("_softmax_backward_data")
def softmax_backward(c: Context, gradient: Value, y: Value, dim: int, _: typing.Any) -> Value:
    rank, dtype = len(c.shape(y)), c.dtype_of(y)
    if rank == 0:  # The ops of a scalar have no axis.
        product = c.b.mul(y, gradient)
        return c.cast(c.b.sub(product, c.b.mul(y, product)), c.dtype)
    return c.cast(c.b.softmax_backward(y, c.cast(gradient, dtype), axis=axis_of(dim, rank)),
                  c.dtype)


@handles("_log_softmax_backward_data")
def log_softmax_backward(c: Context, gradient: Value, y: Value, dim: int,
                         _: typing.Any) -> Value:
    """gradient, minus exp(y) times the sum of the gradient along the dim."""
    shape, given = c.shape(y), c.dtype
    gradient, y = c.cast(gradient, c.wide), c.cast(y, c.wide)
    total = gradient
    if shape:
        total = reduce(c, "sum", gradient, [axis_of(dim, len(shape))], True)
    return c.cast(c.b.sub(gradient, c.b.mul(c.b.exp(y), total)), given)


@handles("native_dropout_backward")
def dropout_backward(c: Context, gradient: Value, mask: Value, scale: float) -> Value:
    kept = c.b.mul(gradient, c.cast(mask, c.dtype))
    return kept if scale == 1 else c.b.mul(kept, _number(c, scale))


def _classes(c: Context, x: Value) -> int:
    return 0 if len(c.shape(x)) < 2 else 1


def _loss_weights(c: Context, target: Value, weight: Value | None, dtype: str,
                  ignored: int) -> tuple[Value, Value, Value]:
    """Whether each label counts, the weights of the labels, and the labels with 0 instead
    of those that do not count."""
    counts = _compare(c, target, "ne", ignored)
    label = c.b.select(counts, target, c.splat(0, c.dtype_of(target)))
    if weight is None:
        return counts, c.cast(counts, dtype), label
    weights = c.cast(c.b.gather(weight, label, axis=0), dtype)
    return counts, _keep_if(c, counts, weights), label


def _one_hot(c: Context, label: Value, shape: Sequence[int], axis: int) -> Value:
    """Whether the index along `axis` is the label. There is a label for each position in
    the other dims."""
    index = c.reshape(iota(c, shape[axis]), [
        shape[axis] if d == axis else 1 for d in range(len(shape))])
    return c.b.compare(c.reshape(c.cast(label, "int64"), _without(shape, axis)), index,
                       predicate="eq")


def _without(shape: Sequence[int], axis: int) -> list[int]:
    return [1 if d == axis else size for d, size in enumerate(shape)]


@handles("nll_loss_forward", "nll_loss2d_forward")
def nll_loss(c: Context, x: Value, target: Value, weight: Value | None, reduction: int,
             ignored: int) -> tuple[Value, Value]:
    """The loss, and the sum of the weights of its terms."""
    dtype, axis, shape = c.dtype_of(x), _classes(c, x), c.shape(x)
    wide = "float32" if dtype in ("float16", "bfloat16") else dtype
    counts, weights, label = _loss_weights(c, target, weight, wide, ignored)
    chosen = pick(c, x, axis, c.reshape(label, _without(shape, axis)))
    terms = c.b.mul(c.b.neg(c.cast(c.reshape(chosen, c.shape(target)), wide)), weights)
    # A label that does not count adds 0, even if its element is infinite.
    terms = _keep_if(c, counts, terms)
    if reduction == NONE and len(shape) > 1:
        return c.cast(terms, dtype), c.splat(0, dtype)
    dims = list(range(len(c.shape(terms))))
    total, count = (c.b.reduce(each, kind="sum", dims=dims) if dims else each
                    for each in (terms, weights))
    y = c.b.div(total, count) if reduction == MEAN else total
    return c.cast(y, dtype), c.cast(count, dtype)


@handles("nll_loss_backward", "nll_loss2d_backward")
def nll_loss_backward(c: Context, gradient: Value, x: Value, target: Value,
                      weight: Value | None, reduction: int, ignored: int,
                      total: Value) -> Value:
    axis, shape = _classes(c, x), c.shape(x)
    counts, weights, label = _loss_weights(c, target, weight, c.dtype, ignored)
    if reduction == MEAN:
        gradient = c.b.div(gradient, total)
    # An infinite gradient stays away from labels that do not count.
    slope = _keep_if(c, counts, c.b.neg(c.b.mul(gradient, weights)))
    return _keep_if(c, _one_hot(c, label, shape, axis),
                    c.reshape(slope, _without(shape, axis)))


@handles("embedding_dense_backward")
def embedding_backward(c: Context, gradient: Value, indices: Value, rows: int, padding: int,
                       by_frequency: bool) -> Value:
    if by_frequency:
        raise Unsupported("gradients by frequency are left to torch")
    wide, width = c.wide, c.result_shape[1]
    indices = c.reshape(indices, [math.prod(c.shape(indices))])
    gradient = c.cast(c.reshape(gradient, [*c.shape(indices), width]), wide)
    if padding >= 0:  # Updates whose index is out of range are ignored.
        is_padding = _compare(c, indices, "eq", padding)
        indices = c.b.select(is_padding, c.splat(rows, c.dtype_of(indices)), indices)
    zeros = c.splat(0, wide, c.result_shape)
    return c.cast(c.b.scatter(zeros, indices, gradient, axis=0, kind="add"), c.dtype)


def _padded(c: Context, x: Value, sizes: Sequence[int], dim: int, start: int,
            step: int) -> Value:
    """x with zeros between, before and behind its slices along a dim."""
    count = c.shape(x)[dim]
    low, high, interior = ([0] * len(sizes) for _ in range(3))
    low[dim], interior[dim] = start, step - 1
    high[dim] = sizes[dim] - start - (count - 1) * step - 1
    y = c.b.pad(c.numeric(x), low=low, high=high, interior=interior, value=0.0)
    return c.cast(y, c.dtype)


@handles("select_backward")
def select_backward(c: Context, gradient: Value, sizes: Sequence[int], dim: int,
                    index: int) -> Value:
    dim = axis_of(dim, len(sizes))
    part = c.reshape(gradient, _without(sizes, dim))
    return _padded(c, part, sizes, dim, axis_of(index, sizes[dim]), 1)


@handles("slice_backward")
def slice_backward(c: Context, gradient: Value, sizes: Sequence[int], dim: int, start: int,
                   end: int, step: int) -> Value:
    dim = axis_of(dim, len(sizes))
    if not c.shape(gradient)[dim]:
        return c.splat(0, c.dtype, sizes)
    if not (start == 0 and step == 1):
        start, _, step = slice(start, end, step).indices(sizes[dim])
    return _padded(c, gradient, sizes, dim, start, step)
