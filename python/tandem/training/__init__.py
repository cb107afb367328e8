"""Training steps: loss, gradients and update as one function (docs/Training.md).

    step = tandem.training_step(loss, tandem.training.adam(), parameters=["w", "b"])
    state = step.init({"w": w, "b": b})
    for x, y in batches:
        value = step(state, x, y, rate=1e-3)
    state.save("last.safetensors")
"""

from __future__ import annotations

from ._losses import cross_entropy, dropout, mean_squared_error
from ._optimizers import Optimizer, adam, adamw, sgd
from ._state import TrainingState
from ._step import TrainingStep, training_step

__all__ = ["Optimizer", "TrainingState", "TrainingStep", "adam", "adamw", "cross_entropy",
           "dropout", "mean_squared_error", "sgd", "training_step"]
