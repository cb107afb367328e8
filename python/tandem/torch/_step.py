"""Training steps: forward pass, backward pass and optimizer in one graph."""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence

import torch

from .._errors import Error
from ._backend import backend, check_options
from ._updates import Rule, rule_of

Loss = Callable[[typing.Any, typing.Any], torch.Tensor]


class _Cohort:
    """Parameters of one group of the optimizer that were updated equally often.

    Attributes:
      group: the group of the optimizer.
      is_new: whether the parameters were never updated.
      parameters, states: the parameters and their states.
      settings: the settings of the group that the formula reads.
    """

    def __init__(self, rule: Rule, group: dict[str, typing.Any], is_new: bool) -> None:
        self.group, self.is_new = group, is_new
        self.parameters: list[torch.Tensor] = []
        self.states: list[dict[str, typing.Any]] = []
        self.settings = {name: group[name] for name in rule.constants if name in group}

    @property
    def key(self) -> tuple[typing.Any, ...]:
        """The settings that were traced into the step. If this key changes, the step must
        be traced again. torch itself checks the shapes and dtypes of the tensors."""
        return (*self.settings.items(), *map(id, self.parameters))


class TrainingStep:
    """A training step of a model (`training_step`)."""

    def __init__(self, model: torch.nn.Module, loss: Loss | None,
                 optimizer: torch.optim.Optimizer, options: dict[str, typing.Any],
                 dynamic: bool | None) -> None:
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.options = check_options(options)
        self.dynamic = dynamic
        self._rule = rule_of(optimizer)
        if isinstance(model, torch.nn.parallel.DistributedDataParallel):
            raise Error("a training step runs in one process", "torch",
                        hint='use torch.compile(model, backend="tandem") with several')
        self._traced: dict[typing.Any, Callable[..., torch.Tensor]] = {}

    def __call__(self, *inputs: typing.Any) -> torch.Tensor:
        rule, cohorts = self._rule, self._cohorts()
        numbers = [n for each in cohorts
                   for n in rule.numbers(each.group, each.states, each.is_new)]
        tensors = [t for each in cohorts for state in each.states
                   for t in rule.tensors(each.group, state)]
        key = tuple(each.key for each in cohorts)
        run = self._traced.get(key)
        if run is None:
            run = self._traced[key] = self._compile(cohorts)
        given = torch.tensor(numbers, dtype=torch.float64)
        with torch._dynamo.config.patch(trace_autograd_ops=True), torch.no_grad():
            result = run(inputs, given, tensors)
        self._finish(cohorts)
        return result

    def _cohorts(self) -> list[_Cohort]:
        """The parameters with gradients, as they are now."""
        cohorts: dict[typing.Any, _Cohort] = {}
        for number, group in enumerate(self.optimizer.param_groups):
            for parameter in group["params"]:
                if not parameter.requires_grad:
                    continue
                state = self.optimizer.state.get(parameter) or {}
                # A group without momentum has no states.
                is_new = not state or any(value is None for value in state.values())
                state = self._rule.make(group, parameter) if is_new else state
                key = number, is_new, float(state.get("step", 0))
                if key not in cohorts:
                    cohorts[key] = _Cohort(self._rule, group, is_new)
                cohorts[key].parameters.append(parameter)
                cohorts[key].states.append(state)
        if not cohorts:
            raise Error("the optimizer has no parameter that requires gradients", "torch")
        return list(cohorts.values())

    def _finish(self, cohorts: Sequence[_Cohort]) -> None:
        """Gives the optimizer its new states, and counts the step."""
        for each in cohorts:
            self._rule.count(each.states)
            if each.is_new:
                self.optimizer.state.update(
                    {p: s for p, s in zip(each.parameters, each.states) if s})
        self.optimizer._opt_called = True  # Schedulers of the rate look at this.

    def _compile(self, cohorts: Sequence[_Cohort]) -> Callable[..., torch.Tensor]:
        """The step for cohorts, which torch traces at the first call."""
        model, loss, rule = self.model, self.loss, self._rule
        parameters = [p for each in cohorts for p in each.parameters]
        plans = [(each.settings, len(each.parameters)) for each in cohorts]

        def step(inputs: Sequence[typing.Any], numbers: torch.Tensor,
                 tensors: Sequence[torch.Tensor]) -> torch.Tensor:
            with torch.enable_grad():
                value = (model(*inputs) if loss is None
                         else loss(model(*inputs[:-1]), inputs[-1]))
                gradients = torch.autograd.grad(value, parameters, allow_unused=True)
            _apply(rule, plans, parameters, gradients, tensors, numbers)
            return value.detach()

        compiled: Callable[..., torch.Tensor] = torch.compile(
            step, backend=backend, fullgraph=True, dynamic=self.dynamic, options=self.options)
        return compiled


def _apply(rule: Rule, plans: Sequence[tuple[dict[str, typing.Any], int]],
           parameters: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor | None],
           tensors: Sequence[torch.Tensor], numbers: torch.Tensor) -> None:
    """Writes the new parameters and states."""
    place = first = 0
    per_parameter = len(tensors) // len(parameters)
    per_cohort = numbers.shape[0] // len(plans)
    for cohort, (settings, count) in enumerate(plans):
        for i in range(first, first + count):
            gradient = gradients[i]
            if gradient is None:
                continue
            state = tensors[i * per_parameter:(i + 1) * per_parameter]
            _update(rule, settings, parameters[i], gradient, state,
                    [numbers[place + n] for n in range(per_cohort)])
        first += count
        place += per_cohort


def _update(rule: Rule, settings: dict[str, typing.Any], parameter: torch.Tensor,
            gradient: torch.Tensor, state: Sequence[torch.Tensor],
            numbers: Sequence[torch.Tensor]) -> None:
    """Updates one parameter. 16-bit floats are updated in f32 and rounded once."""
    wide = torch.float32 if parameter.dtype.itemsize == 2 else parameter.dtype
    results = rule.update(settings, parameter.to(wide), gradient.to(wide),
                          [t.to(wide) for t in state], [n.to(wide) for n in numbers])
    for target, result in zip((parameter, *state), results):
        target.copy_(result)


def training_step(model: torch.nn.Module, loss: Loss | None,
                  optimizer: torch.optim.Optimizer, *, dynamic: bool | None = None,
                  **options: typing.Any) -> TrainingStep:
    """A training step as one function of Tandem: the forward pass, the backward pass and
    the update of the optimizer.

        step = tandem.torch.training_step(model, nn.functional.cross_entropy, optimizer)
        for x, y in batches:
            value = step(x, y)

    A call takes the inputs of the model and then the target, and returns
    `loss(model(*inputs), target)`, detached. If `loss` is None, the model returns the loss
    of its inputs. The call writes the new parameters, buffers and states to the tensors
    of the model and of the optimizer, so that `state_dict` and checkpoints work as before.
    Gradients are not stored in `.grad`.

    The optimizer is a torch.optim.SGD, Adam or AdamW. The rate is read at each call. If
    another setting changes, the step is traced again. If the inputs have other sizes,
    torch may trace the step again.

    Args:
      dynamic: as for torch.compile.
      options: the options of the backend (docs/Torch.md).

    Raises Error for other optimizers, and torch's errors if the model cannot be traced as
    one graph.
    """
    return TrainingStep(model, loss, optimizer, options, dynamic)


__all__ = ["TrainingStep", "training_step"]
