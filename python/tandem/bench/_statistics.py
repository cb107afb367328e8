"""Quantiles and intervals of samples, and differences between results."""

from __future__ import annotations

import math
import statistics
import typing
from collections.abc import Sequence

if typing.TYPE_CHECKING:
    import numpy as np

# Quantiles of Student's t distribution for two-sided 95 % intervals, by the degrees of
# freedom from 1. Beyond the table, the normal distribution's 1.96 is within 4 %.
_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
        2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064)


class Interval(typing.NamedTuple):
    """A geometric mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def interval(samples: Sequence[float]) -> Interval:
    """The geometric mean of positive samples, and the 95 % interval of Student's t
    distribution for the mean of their logarithms. Fewer than three samples have an
    interval without bounds."""
    logs = [math.log(sample) for sample in samples]
    mean = statistics.fmean(logs)
    if len(logs) < 3:
        return Interval(math.exp(mean), 0.0, math.inf)
    degrees = len(logs) - 1
    t = _T95[degrees - 1] if degrees <= len(_T95) else 1.96
    half = t * statistics.stdev(logs) / math.sqrt(len(logs))
    return Interval(*(math.exp(mean + shift) for shift in (0.0, -half, half)))


def quantile(samples: Sequence[float], fraction: float) -> float:
    """The quantile of samples, interpolated linearly between neighbors."""
    ordered = sorted(samples)
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def relative_error(results: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest |result - expected| of all elements, divided by the root mean square
    of the expected array; infinite if shapes, NaN or infinities differ."""
    import numpy as np
    worst = 0.0
    for mine, right in zip(results, expected, strict=True):
        finite = np.isfinite(right)
        if mine.shape != right.shape or not np.array_equal(
                mine[~finite], right[~finite], equal_nan=right.dtype.kind == "f"):
            return math.inf
        if not finite.any():
            continue
        mine, right = (a[finite].astype(np.float64) for a in (mine, right))
        if not np.isfinite(mine).all():
            return math.inf
        rms = math.sqrt(np.mean(right ** 2)) or 1.0
        worst = max(worst, float(np.abs(mine - right).max()) / rms)
    return worst
