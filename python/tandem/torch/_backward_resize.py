"""Gradients of interpolations."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import torch

from ._table import Context, Value, handles

aten = torch.ops.aten

# For each op, the interpolation of an image whose rows are interpolated in the same way.
_OF_ROWS = {"nearest": aten.upsample_nearest2d, "nearest_exact": aten._upsample_nearest_exact2d,
            "linear": aten.upsample_bilinear2d, "cubic": aten.upsample_bicubic2d,
            "linear_aa": aten._upsample_bilinear2d_aa, "cubic_aa": aten._upsample_bicubic2d_aa}


def _mode(op: str) -> str:
    """The kind of interpolation of a gradient's op, such as "linear_aa"."""
    if "nearest" in op:
        return "nearest_exact" if "nearest_exact" in op else "nearest"
    return ("cubic" if "bicubic" in op else "linear") + ("_aa" if "_aa" in op else "")


def _weights(mode: str, size: int, count: int, flags: Sequence[bool],
             scale: float | None) -> torch.Tensor:
    """The weights of `size` elements in each of `count` results, as [count, size]."""
    rows = torch.eye(size, dtype=torch.float64)[None, None]
    scales = [None if scale is None else 1.0, scale]
    made = _OF_ROWS[mode](rows, [size, count], *flags, *scales)
    return typing.cast(torch.Tensor, made[0, 0].t().contiguous())


@handles("upsample_nearest1d_backward", "upsample_nearest2d_backward",
         "upsample_nearest3d_backward", "_upsample_nearest_exact1d_backward",
         "_upsample_nearest_exact2d_backward", "_upsample_nearest_exact3d_backward",
         "upsample_linear1d_backward", "upsample_bilinear2d_backward",
         "upsample_trilinear3d_backward", "upsample_bicubic2d_backward",
         "_upsample_bilinear2d_aa_backward", "_upsample_bicubic2d_aa_backward")
def upsample_backward(c: Context, gradient: Value, counts: Sequence[int],
                      sizes: Sequence[int], *rest: typing.Any,
                      **named: typing.Any) -> Value:
    """An interpolation multiplies each line along each dim by a matrix of weights, and its
    gradient multiplies by the transposed matrices."""
    given, rank = [*rest, *named.values()], len(counts)
    mode = _mode(c.op)
    flags = [] if "nearest" in mode else [bool(given[0])]
    scales = [*given[len(flags):], *[None] * rank][:rank]
    total = len(sizes)
    y = c.cast(gradient, c.wide)
    for dim, scale in enumerate(scales, total - rank):
        matrix = _weights(mode, sizes[dim], c.shape(gradient)[dim], flags, scale)
        order = [d for d in range(total) if d != dim] + [dim]
        lines = c.b.matmul(c.transpose(y, order), c.cast(c.b.constant(matrix), c.wide))
        y = c.transpose(lines, [order.index(d) for d in range(total)])
    return c.cast(y, c.dtype)
