"""The rules by which a step changes parameters."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """The rule by which a step changes parameters; see `sgd`, `adam` and `adamw`.

    The formulas are those of torch.optim. `max_norm`, if positive, is the largest
    Euclidean norm of all gradients together: larger ones are scaled down, as
    torch.nn.utils.clip_grad_norm_ does.
    """

    kind: str
    momentum: float = 0.0
    nesterov: bool = False
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    decoupled: bool = False
    max_norm: float = 0.0


def sgd(momentum: float = 0.0, *, nesterov: bool = False, weight_decay: float = 0.0,
        max_norm: float = 0.0) -> Optimizer:
    """Stochastic gradient descent, as torch.optim.SGD."""
    return Optimizer("sgd", momentum=momentum, nesterov=nesterov, weight_decay=weight_decay,
                     max_norm=max_norm)


def adam(betas: tuple[float, float] = (0.9, 0.999), *, epsilon: float = 1e-8,
         weight_decay: float = 0.0, max_norm: float = 0.0) -> Optimizer:
    """Adam, as torch.optim.Adam: the weight decay is added to the gradients."""
    return Optimizer("adam", beta1=betas[0], beta2=betas[1], epsilon=epsilon,
                     weight_decay=weight_decay, max_norm=max_norm)


def adamw(betas: tuple[float, float] = (0.9, 0.999), *, epsilon: float = 1e-8,
          weight_decay: float = 0.01, max_norm: float = 0.0) -> Optimizer:
    """Adam with decoupled weight decay, as torch.optim.AdamW."""
    return Optimizer("adam", beta1=betas[0], beta2=betas[1], epsilon=epsilon,
                     weight_decay=weight_decay, decoupled=True, max_norm=max_norm)
