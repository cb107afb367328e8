"""The formulas of torch's optimizers, for steps in one graph.

The numbers that change from step to step, such as the rate and the bias corrections of
Adam, are computed for each call as torch computes them, and given to the graph in one
tensor. The tensors of a state are those of the optimizer, so that checkpoints of torch
stay usable.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence

import torch

from .._errors import Error

Group = dict[str, typing.Any]
State = dict[str, typing.Any]


class Rule:
    """The update of one kind of optimizer.

    Attributes:
      constants: the settings that the formula reads when it is traced.
      refused: settings of which only one value is supported, each with this value.
    """

    constants: tuple[str, ...] = ()
    refused: dict[str, typing.Any] = {}

    def make(self, group: Group, parameter: torch.Tensor) -> State:
        """The state of a parameter before its first step."""
        raise NotImplementedError

    def tensors(self, group: Group, state: State) -> list[torch.Tensor]:
        """The tensors of a state that a step changes."""
        raise NotImplementedError

    def numbers(self, group: Group, states: Sequence[State], is_first: bool) -> list[float]:
        """The numbers of the next step. `is_first` says whether the states are new."""
        raise NotImplementedError

    def count(self, states: Sequence[State]) -> None:
        """Counts a step that was made."""

    def update(self, group: Group, parameter: torch.Tensor, gradient: torch.Tensor,
               tensors: Sequence[torch.Tensor], numbers: Sequence[torch.Tensor]
               ) -> list[torch.Tensor]:
        """The new parameter, and then the new tensors of its state."""
        raise NotImplementedError


class SGD(Rule):
    constants = ("momentum", "dampening", "weight_decay", "nesterov", "maximize")
    refused = {"differentiable": False, "fused": None}

    def make(self, group: Group, parameter: torch.Tensor) -> State:
        return {"momentum_buffer": torch.zeros_like(parameter)} if group["momentum"] else {}

    def tensors(self, group: Group, state: State) -> list[torch.Tensor]:
        return [state["momentum_buffer"]] if group["momentum"] else []

    def numbers(self, group: Group, states: Sequence[State], is_first: bool) -> list[float]:
        # The first gradient is not dampened. Its buffer is 0.
        return [float(group["lr"]), 1.0 if is_first else 1.0 - group["dampening"]]

    def update(self, group: Group, parameter: torch.Tensor, gradient: torch.Tensor,
               tensors: Sequence[torch.Tensor], numbers: Sequence[torch.Tensor]
               ) -> list[torch.Tensor]:
        rate, share = numbers
        gradient = -gradient if group["maximize"] else gradient
        if group["weight_decay"]:
            gradient = gradient + parameter * group["weight_decay"]
        if not group["momentum"]:
            return [parameter - rate * gradient]
        buffer = tensors[0] * group["momentum"]
        buffer = buffer + (gradient * share if group["dampening"] else gradient)
        step = gradient + buffer * group["momentum"] if group["nesterov"] else buffer
        return [parameter - rate * step, buffer]


class Adam(Rule):
    constants = ("betas", "eps", "weight_decay", "amsgrad", "maximize",
                 "decoupled_weight_decay")
    refused = {"differentiable": False, "fused": None, "capturable": False}

    def make(self, group: Group, parameter: torch.Tensor) -> State:
        names = ["exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])]
        return {"step": torch.tensor(0.0),
                **{name: torch.zeros_like(parameter) for name in names}}

    def tensors(self, group: Group, state: State) -> list[torch.Tensor]:
        return [state[name] for name in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
                if name in state]

    def count(self, states: Sequence[State]) -> None:
        torch._foreach_add_([state["step"] for state in states], 1)

    def numbers(self, group: Group, states: Sequence[State], is_first: bool) -> list[float]:
        count = float(states[0]["step"]) + 1
        first, second = group["betas"]
        return [float(group["lr"]), 1 - first**count, (1 - second**count)**0.5]

    def update(self, group: Group, parameter: torch.Tensor, gradient: torch.Tensor,
               tensors: Sequence[torch.Tensor], numbers: Sequence[torch.Tensor]
               ) -> list[torch.Tensor]:
        rate, correction, root = numbers
        mean, square, *largest = tensors
        first, second = group["betas"]
        gradient = -gradient if group["maximize"] else gradient
        if group["weight_decay"] and group.get("decoupled_weight_decay"):
            parameter = parameter * (1 - rate * group["weight_decay"])
        elif group["weight_decay"]:
            gradient = gradient + parameter * group["weight_decay"]
        mean = torch.lerp(mean, gradient, 1 - first)
        square = square * second + gradient * gradient * (1 - second)
        largest = [torch.maximum(each, square) for each in largest]
        bound = largest[0] if largest else square
        scale = bound.sqrt() / root + group["eps"]
        parameter = parameter - rate / correction * mean / scale
        return [parameter, mean, square, *largest]


class _AdamW(Adam):
    """In older versions of torch, no setting distinguishes AdamW from Adam."""

    def update(self, group: Group, *rest: typing.Any) -> list[torch.Tensor]:
        return super().update(group | {"decoupled_weight_decay": True}, *rest)


_RULES: dict[type, Rule] = {torch.optim.SGD: SGD(), torch.optim.Adam: Adam(),
                            torch.optim.AdamW: _AdamW()}


def rule_of(optimizer: torch.optim.Optimizer) -> Rule:
    """The rule of an optimizer. Raises Error for others, and for settings that are not
    supported."""
    rule = _RULES.get(type(optimizer))
    if rule is None:
        raise Error(f"a training step has no rule for {type(optimizer).__name__}", "torch",
                    hint="use torch.optim.SGD, Adam or AdamW, or optimizer.step()")
    for group in optimizer.param_groups:
        for name, only in rule.refused.items():
            if group.get(name, only) not in (only, False):
                raise Error(f"a training step does not support {name}={group[name]}",
                            "torch", hint=f"make the optimizer without {name}")
    return rule


__all__ = ["Rule", "rule_of"]
