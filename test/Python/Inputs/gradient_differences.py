"""Where gradients of Tandem differ from those of JAX and torch, and why. Labels such as G1
are those of the ops in docs/generated/Dialect.md."""

import dataclasses
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass(frozen=True)
class Difference:
    """Attributes:
      cases: names of cases in gradient_cases.py.
      libraries: "jax", "torch" or both.
      where: computes a mask from the operands, which broadcasts to the shape of an operand.
        Gradients of elements outside of the mask do not differ.
      reason: why they differ, or which label tells what Tandem does.
    """

    cases: tuple[str, ...]
    libraries: tuple[str, ...]
    where: Callable
    reason: str


BOTH = ("jax", "torch")
ROWS = ("sort", "reduce max", "reduce min")


def is_subnormal(x):
    return (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny) if x.dtype.kind == "f" else x != x


def in_row(mask):
    """Whether a row has an element of the mask."""
    return mask.any(axis=1, keepdims=True)


def has_ties(x):
    """Whether a row has equal elements or several NaN."""
    def count(row):
        return len(np.unique(row)) < len(row)
    return np.array([[count(row + 0.0)] for row in x])


def has_two_zeros(x):
    """Whether a row has zeros of both signs."""
    is_zero = x == 0
    return in_row(is_zero & np.signbit(x)) & in_row(is_zero & ~np.signbit(x))


def has_extremes(x):
    """Whether a row has numbers whose products are infinite, NaN or subnormal."""
    return in_row(~np.isfinite(x) | (np.abs(x) > 1e20) | is_subnormal(x))


def any_nan(*operands):
    return np.logical_or.reduce([np.isnan(x) for x in operands])


def result_is_nan(x, y):
    with np.errstate(all="ignore"):
        return np.isnan(np.fmod(x, y))


def square_is_out_of_range(x, y):
    """Whether the square of y is 0 or infinite, or x / y is infinite."""
    with np.errstate(all="ignore"):
        return ((y * y < np.finfo(y.dtype).tiny) | np.isinf(y * y)
                | np.isinf(x / y))


DIFFERENCES = (
    Difference(("abs", "sqrt", "rsqrt", "relu", "div", "max", "min", "pow", "rem"), ("jax",),
               lambda *operands: np.logical_or.reduce([is_subnormal(x) for x in operands]),
               "JAX counts subnormal numbers as zeros on CPUs"),
    Difference(ROWS, ("jax",), lambda x: in_row(is_subnormal(x)),
               "JAX counts subnormal numbers as zeros on CPUs"),
    Difference(("abs",), ("jax",), lambda x: x == 0, "G1; JAX has 1 or -1"),
    Difference(("abs",), BOTH, np.isnan, "G1; JAX has -1, and torch has 0"),
    Difference(("relu",), ("torch",), np.isnan, "G1; torch has 1"),
    Difference(("gelu", "gelu of tanh"), BOTH, np.isinf,
               "G1; JAX and torch multiply infinity by 0"),
    Difference(("gelu", "gelu of tanh"), ("jax",), lambda x: np.abs(x) > 6e4,
               "JAX multiplies a power of x that overflows by 0"),
    Difference(("gelu of tanh",), ("torch",), lambda x: np.abs(x) > 6e4,
               "torch multiplies a power of x that overflows by 0"),
    Difference(("div",), ("jax",), square_is_out_of_range, "JAX divides by the square of y"),
    Difference(("max", "min"), ("torch",), any_nan,
               "G1; torch has half of the gradient for each operand"),
    Difference(("pow",), ("jax",), lambda x, y: (x == 0) & (y <= 0)
               | np.isnan(x) & (y == 0), "G1; JAX has NaN"),
    Difference(("rem",), BOTH, result_is_nan,
               "G1; JAX and torch multiply by a quotient that is infinite"),
    Difference(("clamp",), ("torch",), any_nan,
               "G1; torch has the gradient for the first operand"),
    Difference(("clamp",), ("torch",), lambda x, low, high: (x == low) | (x == high)
               | (low == high), "G1; torch has the gradient for one of the equal operands"),
    Difference(("clamp to constants",), ("jax",), lambda x: (x == -1) | (x == 2.5),
               "G1; JAX has half of the gradient"),
    Difference(("scatter replace twice",), ("torch",), lambda *operands: True,
               "G1; torch has the gradient for all updates of an element"),
    Difference(("topk", "topk ascending"), ("torch",), has_ties,
               "torch does not specify the order of equal elements"),
    Difference(("topk", "topk ascending"), ("jax",), has_two_zeros,
               "JAX has -0 before 0 in its order"),
    Difference(("scan of products", "scan of products exclusive", "scan of products reversed"),
               BOTH, has_extremes, "terms of a gradient whose products overflow are added in "
               "another order, and torch divides by elements"),
    Difference(("scan of maxima", "scan of minima", "scan of maxima reversed"), ("jax",),
               lambda x: in_row(np.isnan(x)) | has_ties(x),
               "G1; JAX divides the gradient among equal elements, and has 0 from a NaN on"),
    Difference(("scan of logarithms",), ("jax",), has_extremes,
               "as torch; JAX has the gradients of an addition of two elements at infinity"),
    Difference(("sort descending",), ("jax",), has_ties,
               "JAX reverses the order of equal elements"),
    Difference(("max_pool", "max_pool overlapping"), ("jax",), lambda x: True,
               "G1; JAX has the gradient for an element that is not NaN"),
    Difference(("max_pool overlapping", "max_pool dilated"), ("torch",), np.isnan,
               "G1; torch has the gradient for the last NaN"),
)
