"""Checks of labels and indices before a step.

Ops of Tandem clamp or ignore an index that is out of range. torch raises an error, and a
step that updates parameters in place must raise it before it changes any.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence

import torch

aten = torch.ops.aten

_LOSSES = (aten.nll_loss_forward.default, aten.nll_loss2d_forward.default)
# Ops that keep all elements.
_SAME_ELEMENTS = (aten.view.default, aten._unsafe_view.default, aten.reshape.default,
                  aten.unsqueeze.default, aten.squeeze.default, aten.squeeze.dim,
                  aten.clone.default, aten.alias.default, aten.detach.default,
                  aten.permute.default, aten.t.default, aten.transpose.int)


@dataclasses.dataclass(frozen=True)
class Check:
    """The elements of an input must be from 0 to `count` - 1, or `ignored`."""

    number: int
    count: int
    ignored: int | None
    is_label: bool

    def run(self, arguments: Sequence[typing.Any]) -> None:
        """Raises IndexError with the text of torch."""
        tensor = arguments[self.number]
        if not tensor.numel():
            return
        low, high = _range(tensor)
        if low >= 0 and high < self.count:
            return
        wrong = tensor[(tensor < 0) | (tensor >= self.count)]
        if self.ignored is not None:
            wrong = wrong[wrong != self.ignored]
        if wrong.numel():
            raise IndexError(f"Target {int(wrong[0])} is out of bounds." if self.is_label
                             else "index out of range in self")


def _range(tensor: torch.Tensor) -> tuple[int, int]:
    if tensor.dim() == 1 and len(tensor) <= 64:  # A call of torch takes longer.
        elements = tensor.tolist()
        return min(elements), max(elements)
    low, high = torch.aminmax(tensor)
    return int(low), int(high)


def find_checks(graph: torch.fx.Graph, is_training: bool) -> list[Check]:
    """The checks of the inputs of a graph that are labels or, in training, indices of
    embeddings."""
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    is_training = is_training or any(
        node.target is aten.embedding_dense_backward.default for node in graph.nodes)
    checks = []
    for node in graph.nodes:
        is_label = node.target in _LOSSES
        if not is_label and not (is_training and node.target is aten.embedding.default):
            continue
        table, index = node.args[0].meta["val"], node.args[1]
        while index.target in _SAME_ELEMENTS:
            index = index.args[0]
        count = table.shape[0 if not is_label or table.dim() < 2 else 1]
        if index in inputs and isinstance(count, int):
            checks.append(Check(inputs.index(index), count, node.args[4] if is_label else None,
                                is_label))
    return list(dict.fromkeys(checks))


__all__ = ["Check", "find_checks"]
