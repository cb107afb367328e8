"""Interpolation: torch.nn.functional.interpolate."""

from __future__ import annotations

import ctypes
import math
import typing
from collections.abc import Sequence

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from ._sizes import Size
from ._table import BUILDER_NAMES, Context, Value, handles, is_float

_NEAREST = [f"{name}{rank}d" for rank in (1, 2, 3)
            for name in ("upsample_nearest", "_upsample_nearest_exact")]


class _Resized:
    """The last dims of a value, which an op resizes: their numbers, their sizes before
    and after, and the scales that the op is given, or None."""

    def __init__(self, c: Context, x: Value, rank: int,
                 scales: Sequence[float | None] | None) -> None:
        first = len(c.shape(x)) - rank
        self.dims = list(range(first, first + rank))
        self.before, self.after = c.shape(x)[first:], c.result_shape[first:]
        self.given = list(scales or [None] * rank)

    def is_static(self) -> bool:
        return not any(isinstance(size, Size) for size in (*self.before, *self.after))

    def attributes(self) -> dict[str, typing.Any]:
        """Sizes, and scales if the op is given any. Sizes that are not known follow from
        the scales."""
        if None not in self.given and not self.is_static():
            return {"dims": self.dims, "scales": self.given}
        if all(scale is None for scale in self.given):
            return {"dims": self.dims, "sizes": list(self.after)}
        return {"dims": self.dims, "sizes": list(self.after), "scales": [
            after / before if scale is None else scale
            for scale, before, after in zip(self.given, self.before, self.after)]}


def _resize_of(c: Context, x: Value, arguments: Sequence[typing.Any]) -> _Resized:
    """Describes a resize op by its scales, which are given as one list or as one
    number for each dim."""
    rank = next(int(digit) for digit in c.op.split(".")[1][::-1] if digit.isdigit())
    is_list = len(arguments) == 1 and isinstance(arguments[0], (list, tuple))
    scales = list(arguments[0] if is_list else arguments)
    return _Resized(c, x, rank, scales if len(scales) == rank else None)


def _float(number: float) -> float:
    """The number rounded to f32."""
    return ctypes.c_float(number).value


def _nearest(before: int, after: int, scale: float | None, is_exact: bool) -> list[int]:
    """The element that torch copies to each position. Torch computes in f32."""
    if not is_exact and after in (before, 2 * before):
        return [i * before // after for i in range(after)]
    factor = _float(1 / scale if scale else before / after)
    start = 0.5 if is_exact else 0
    return [min(math.floor(_float((i + start) * factor)), before - 1)
            for i in range(after)]


def _rule(before: int, after: int, scale: float | None, is_exact: bool) -> list[int]:
    """The element that the op of Tandem copies, which computes in f64."""
    factor = scale or after / before
    places = [math.floor((i + 0.5) / factor - 0.5 + 0.5) if is_exact
              else math.floor(i / factor) for i in range(after)]
    return [min(max(place, 0), before - 1) for place in places]


@handles(*_NEAREST)
def nearest(c: Context, x: Value, output_size: typing.Any, *scales: typing.Any,
            **more: typing.Any) -> Value:
    resized = _resize_of(c, x, scales or list(more.values()))
    is_exact = "exact" in c.op
    # Dims in which roundings to f32 matter are gathered as torch does.
    for i, (before, after, scale) in reversed(list(enumerate(zip(
            resized.before, resized.after, resized.given)))):
        if not resized.is_static():
            break
        indices = _nearest(before, after, scale, is_exact)
        if indices != _rule(before, after, scale, is_exact):
            with unset_fake_temporarily():
                constant = c.b.constant(torch.tensor(indices))
            x = c.b.gather(x, constant, axis=resized.dims[i])
            for each in (resized.dims, resized.given):
                del each[i]
            resized.before = (*resized.before[:i], *resized.before[i + 1:])
            resized.after = (*resized.after[:i], *resized.after[i + 1:])
    if not resized.dims:
        return x
    return c.b.resize(
        x, mode="nearest", coordinates="half_pixel" if is_exact else "asymmetric",
        rounding="round_prefer_ceil" if is_exact else "floor", **resized.attributes())


@handles("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d",
         "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
def interpolated(c: Context, x: Value, output_size: typing.Any, align_corners: bool,
                 *scales: typing.Any, **more: typing.Any) -> Value:
    resized = _resize_of(c, x, scales or list(more.values()))
    is_cubic, is_antialiased = "cubic" in c.op, "_aa" in c.op
    attributes = resized.attributes()
    if align_corners and is_antialiased:
        # The filter has the scale of aligned corners, and positions are half pixels.
        attributes = {"dims": resized.dims, "sizes": list(resized.after), "scales": [
            max(after - 1, 1) / max(before - 1, 1)
            for before, after in zip(resized.before, resized.after)]}
    elif align_corners:
        attributes = {"dims": resized.dims, "sizes": list(resized.after)}
    y = x if is_float(c.dtype) else c.b.cast(x, dtype="f32")
    y = c.b.resize(
        y, mode="cubic" if is_cubic else "linear",
        coordinates=("align_corners" if align_corners and not is_antialiased
                     else "half_pixel"),
        cubic_coeff_a=-0.5 if is_antialiased else -0.75, antialias=is_antialiased,
        exclude_outside=is_antialiased, **attributes)
    return y if is_float(c.dtype) else c.b.cast(c.b.round(y), dtype=BUILDER_NAMES[c.dtype])
