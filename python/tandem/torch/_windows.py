"""Windows of tensors: pooling with windows of several sizes, indices of maxima, and
convolutions of integers, which have no op of their own."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence

import torch

from ._table import Context, Value, is_float


class Axis:
    """The windows along one dim.

    Attributes:
      size: the size of the dim.
      starts: the first position of each window, which may be in the padding.
      places: the positions in each window as a tensor [windows, places]; `size` stands
        for a position outside of the dim.
    """

    def __init__(self, size: int, starts: torch.Tensor, places: torch.Tensor) -> None:
        self.size = size
        self.starts = starts
        self.places = torch.where((places < 0) | (places > size), size, places)

    @staticmethod
    def sliding(size: int, count: int, window: int, stride: int, low: int,
                dilation: int = 1) -> Axis:
        """Windows at equal distances."""
        size, count = operator.index(size), operator.index(count)
        starts = torch.arange(count) * stride - low
        return Axis(size, starts, starts[:, None] + torch.arange(window) * dilation)

    @staticmethod
    def adaptive(size: int, count: int) -> Axis:
        """Windows that cover the dim, as torch's adaptive pooling has them."""
        size, count = operator.index(size), operator.index(count)
        starts = torch.arange(count) * size // max(count, 1)
        ends = -(-(torch.arange(count) + 1) * size // max(count, 1))
        places = starts[:, None] + torch.arange(int((ends - starts).max()) if count else 0)
        return Axis(size, starts, torch.where(places < ends[:, None], places, size))

    @property
    def is_inside(self) -> torch.Tensor:
        return self.places < self.size


def windows(c: Context, x: Value, axes: Sequence[Axis], fill: float) -> Value:
    """The elements of windows over the last dims: the dims of x before these, the dims
    of windows, and one dim of positions in a window. `fill` is outside of x."""
    first = len(c.shape(x)) - len(axes)
    for dim, axis in enumerate(axes, first):
        if not bool(axis.is_inside.all()):
            shape = [1 if d == dim else size for d, size in enumerate(c.shape(x))]
            x = c.b.concat(x, c.splat(fill, c.dtype_of(x), shape), axis=dim)
        x = c.b.gather(x, c.b.constant(axis.places.flatten()), axis=dim)
    outer = list(c.shape(x)[:first])
    x = c.reshape(x, [*outer, *(n for axis in axes for n in axis.places.shape)])
    dims = range(first, first + 2 * len(axes))
    x = c.transpose(x, [*range(first), *dims[::2], *dims[1::2]])
    return c.reshape(x, [*outer, *(axis.places.shape[0] for axis in axes),
                         math.prod(axis.places.shape[1] for axis in axes)])


def _over_windows(axes: Sequence[Axis], parts: Sequence[torch.Tensor],
                  combine: str) -> torch.Tensor:
    """Combines a tensor [windows, places] of each dim to one of all windows and places."""
    rank = len(axes)
    spread = [part.view([part.shape[i // rank] if i % rank == dim else 1
                         for i in range(2 * rank)]) for dim, part in enumerate(parts)]
    whole = functools.reduce(getattr(torch, combine), spread)
    return whole.flatten(rank)


def index_of_maximum(c: Context, x: Value, axes: Sequence[Axis]) -> Value:
    """The position of the largest element of each window, in a tensor of the last dims'
    shape: the first of equal ones, but the last NaN, as torch has it."""
    elements = windows(c, x, axes, lowest(c.dtype_of(x)))
    dim = len(c.shape(elements)) - 1
    best = c.b.reduce(elements, kind="max", dims=[dim], keep_dims=True)
    strides = [math.prod(axis.size for axis in axes[i + 1:]) for i in range(len(axes))]
    places = c.b.constant(_over_windows(
        axes, [axis.places * n for axis, n in zip(axes, strides)], "add").contiguous())
    inside = c.b.constant(_over_windows(
        axes, [axis.is_inside for axis in axes], "logical_and").contiguous())
    found = c.b.logical_and(c.b.compare(elements, best, predicate="eq"), inside)
    none = c.splat(math.prod(axis.size for axis in axes), "int64")
    index = c.b.reduce(c.b.select(found, places, none), kind="min", dims=[dim])
    if not is_float(c.dtype_of(x)):
        return index
    is_nan = c.b.compare(elements, elements, predicate="ne")
    last = c.b.reduce(c.b.select(is_nan, places, c.splat(-1, "int64")), kind="max", dims=[dim])
    return c.b.select(c.b.compare(last, c.splat(0, "int64"), predicate="ge"), last, index)


def maximum_of(c: Context, x: Value, axes: Sequence[Axis]) -> Value:
    elements = windows(c, x, axes, lowest(c.dtype_of(x)))
    return c.b.reduce(elements, kind="max", dims=[len(c.shape(elements)) - 1])


def lowest(dtype: str) -> float:
    if dtype == "bool":
        return 0
    return -math.inf if is_float(dtype) else torch.iinfo(getattr(torch, dtype)).min


def highest(dtype: str) -> float:
    if dtype == "bool":
        return 1
    return math.inf if is_float(dtype) else torch.iinfo(getattr(torch, dtype)).max


def average_of(c: Context, x: Value, axes: Sequence[Axis], divisors: torch.Tensor) -> Value:
    """The sum of each window divided by its divisor. Quotients of integers are truncated."""
    x = c.cast(x, c.wide)
    elements = windows(c, x, axes, 0)
    total = c.b.reduce(elements, kind="sum", dims=[len(c.shape(elements)) - 1])
    return c.cast(c.b.div(total, c.cast(c.b.constant(divisors.contiguous()), c.wide)),
                  c.dtype)


def counts(axes: Sequence[Axis], lengths: Sequence[torch.Tensor]) -> torch.Tensor:
    """The number of elements of each window, from the lengths along each dim."""
    columns = [length[:, None] for length in lengths]
    return _over_windows(axes, columns, "mul")[..., 0]


def convolution(c: Context, x: Value, weight: Value, axes: Sequence[Axis],
                groups: int) -> Value:
    """A convolution as a matrix product of windows and weights."""
    n, channels = c.shape(x)[:2]
    elements = windows(c, x, axes, 0)
    places = c.shape(elements)[-1]
    count = math.prod(c.shape(elements)[2:-1])
    rows = c.transpose(c.reshape(elements, [n, groups, channels // groups, count, places]),
                       [0, 1, 3, 2, 4])
    inner = channels // groups * places
    outputs = c.shape(weight)[0]
    kernel = c.reshape(weight, [groups, outputs // groups, inner])
    y = c.b.matmul(kernel, c.reshape(rows, [n, groups, count, inner]), transpose_rhs=True)
    return c.reshape(y, [n, outputs, *c.shape(elements)[2:-1]])
