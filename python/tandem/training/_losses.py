"""Losses and dropout, which add several ops to a builder."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _tandem
from ..builder import Builder


def cross_entropy(builder: Builder, logits: _tandem.Value,
                  labels: _tandem.Value) -> _tandem.Value:
    """Adds the mean over n rows of the cross entropy of softmax(logits) and the labels,
    as torch.nn.functional.cross_entropy computes it.

    `logits` is [n, classes], of floats. `labels` is [n], of integers. The result is a
    scalar, which is NaN if a label is negative or not less than the number of classes.
    """
    return _tandem.cross_entropy(builder._impl, logits, labels)


def mean_squared_error(builder: Builder, prediction: _tandem.Value,
                       target: _tandem.Value) -> _tandem.Value:
    """Adds the mean of (prediction - target)² over all elements, a scalar."""
    return _tandem.mean_squared_error(builder._impl, prediction, target)


def dropout(builder: Builder, x: _tandem.Value, probability: float, *, key: _tandem.Value,
            step: _tandem.Value, site: int = 0,
            shape: Sequence[str | int] = ()) -> _tandem.Value:
    """Adds a dropout: each element of `x` becomes 0 with the given probability, and is
    multiplied by 1 / (1 - probability) otherwise.

    Args:
      key: the seed of the run, a uint64 scalar.
      step: the number of steps that were done before, a uint64 scalar (the argument
        `steps_input` of `training_step`). A step that is computed again draws the same
        elements.
      site: distinguishes dropouts with the same key; less than 65536.
      shape: the shape of `x`, in which a free dim is an expression of names of dims.
        Only needed if `x` has free dims.
    """
    return _tandem.dropout(builder._impl, x, probability, key, step, site,
                           ", ".join(map(str, shape)))
