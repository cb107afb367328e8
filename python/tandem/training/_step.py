"""Training steps as functions."""

from __future__ import annotations

import collections
import dataclasses
import math
import typing
from collections.abc import Mapping, Sequence

from .._errors import Error, check_type
from .._function import Function, as_shape, number_of
from .._inputs import in_order
from ..profile import Profile
from ..report import Report, join
from ._optimizers import Optimizer
from ._state import Place, Slot, TrainingState

if typing.TYPE_CHECKING:
    import numpy as np

# Functions for so many signatures are kept.
_MOST_SIGNATURES = 256
# The numbers of inputs and of an output.
_Which = int | str


def training_step(loss: Function, optimizer: Optimizer, *, parameters: Sequence[_Which],
                  without_decay: Sequence[_Which] = (),
                  buffers: Mapping[_Which, _Which] | None = None,
                  steps_input: _Which | None = None, output: _Which = 0) -> TrainingStep:
    """A step that computes a loss and its gradients, and updates the parameters.

    Args:
      loss: a function with the loss among its outputs, a scalar.
      optimizer: `tandem.training.sgd()`, `adam()` or `adamw()`.
      parameters: the inputs of the loss that are trained, by number or name, of
        float32 or float64.
      without_decay: the parameters that are not subject to weight decay.
      buffers: inputs that the step replaces by outputs, such as
        {"mean": "new mean"} for the running statistics of a batch norm.
      steps_input: the input, a uint64 scalar, that gets the number of steps that were
        done before (`tandem.training.dropout`).
      output: the output that is the loss.

    Raises Error if the arguments do not fit the loss. If the loss has no gradient, the
    first call of the step raises Error.
    """
    check_type("loss", loss, Function, "a tandem.Function")
    check_type("optimizer", optimizer, Optimizer, "an optimizer of tandem.training")
    inputs = [number_of(which, loss.inputs, "input") for which in parameters]
    fixed = [number_of(which, loss.inputs, "input") for which in without_decay]
    replaced = [(number_of(source, loss.inputs, "input"),
                 number_of(result, loss.outputs, "output"))
                for source, result in (buffers or {}).items()]
    steps = -1 if steps_input is None else number_of(steps_input, loss.inputs, "input")
    settings = dataclasses.asdict(optimizer) | {
        "parameters": inputs, "without_decay": fixed, "buffers": replaced,
        "steps_input": steps, "loss": number_of(output, loss.outputs, "output")}
    return TrainingStep(loss, settings)


class TrainingStep:
    """A training step; see `training_step`.

    A call runs one step and updates the state in place. A function with gradients and
    update is made for each signature at its first call, e.g. for each batch size. Each of
    them chooses its own tier: the last, smaller batch of an epoch may stay eager where the
    others are compiled.
    """

    def __init__(self, loss: Function, settings: dict[str, typing.Any]) -> None:
        self._loss, self._settings = loss, settings
        own = {*settings["parameters"], *(source for source, _ in settings["buffers"]),
               settings["steps_input"]}
        self.inputs = [spec for number, spec in enumerate(loss.inputs) if number not in own]
        self._given = [number for number in range(len(loss.inputs)) if number not in own]
        self._functions: collections.OrderedDict[tuple[tuple[int, ...], ...], Function]
        self._functions = collections.OrderedDict()
        self._layout = _read_layout(loss, loss._impl.training_layout(settings))

    @property
    def functions(self) -> list[Function]:
        """The functions of the 256 signatures that were used last. A signature is the
        shapes of the inputs."""
        return list(self._functions.values())

    def init(self, parameters: Mapping[str, typing.Any],
             buffers: Mapping[str, typing.Any] | None = None) -> TrainingState:
        """A new state with copies of these parameters and buffers, by name (inputs
        without a name are called "input 0" and so on)."""
        state = TrainingState(*self._layout)
        for own, given, what in ((state.parameters, parameters, "parameter"),
                                 (state.buffers, buffers or {}, "buffer")):
            _fill(own, given, what)
        return state

    def __call__(self, state: TrainingState, *inputs: typing.Any, rate: float,
                 **named: typing.Any) -> typing.Any:
        """Runs one step with the learning rate `rate`, and returns the outputs of the
        loss function that are no buffers: an array, or a tuple of arrays.

        `inputs` are the inputs of the loss function that are no part of the state, in
        order or by name.

        Raises Error if the loss is NaN or infinite. The state has been updated then, and
        the hint names the last checkpoint.
        """
        function, arrays = self._bind(state, inputs, named, rate)
        results = function(*arrays)
        results = results if isinstance(results, tuple) else (results,)
        outputs = results[:len(results) - len(state._slots)]
        value = float(outputs[self._loss_output()])
        if not math.isfinite(value):
            raise self._diverged(state, value)
        return outputs[0] if len(outputs) == 1 else outputs

    def function(self, *inputs: typing.Any) -> Function:
        """The function of a signature, given as arrays or shapes. Its inputs are `inputs`,
        the state and the rate; its last outputs update the state."""
        return self._function_of(tuple(as_shape(each) for each in inputs))

    def profile(self, state: TrainingState, *inputs: typing.Any, rate: float,
                tier: str | None = None, runs: int = 50) -> Profile:
        """Measures where the time of a step goes, as a Profile (`Profile.phases`). The
        state is not changed."""
        function, arrays = self._bind(state, inputs, {}, rate)
        return function.profile(*arrays, tier=tier, runs=runs)

    def wait(self) -> None:
        """Waits until nothing is compiled or certified in the background."""
        for function in self.functions:
            function.wait()

    def report(self) -> Report:
        """What was measured and decided for each signature, as a Report."""
        return join([function.report() for function in self.functions])

    def _bind(self, state: TrainingState, inputs: tuple[typing.Any, ...],
              named: dict[str, typing.Any], rate: float) -> tuple[Function, list[typing.Any]]:
        check_type("state", state, TrainingState, "a state of TrainingStep.init")
        if (state._slots, state._places) != self._layout:
            raise Error("the state belongs to another training step", "train",
                        hint="init of this step makes a state, and load fills it")
        arrays = in_order(self.inputs, inputs, named)
        function = self._function_of(tuple(as_shape(array) for array in arrays))
        return function, [*arrays, *state._arrays, _check_rate(rate)]

    def _function_of(self, shapes: tuple[tuple[int, ...], ...]) -> Function:
        function = self._functions.get(shapes)
        if function is None:
            function = self._make(shapes)
            self._functions[shapes] = function
            if len(self._functions) > _MOST_SIGNATURES:
                self._functions.popitem(last=False)
        self._functions.move_to_end(shapes)
        return function

    def _make(self, shapes: Sequence[tuple[int, ...]]) -> Function:
        sizes = dict(zip(self._given, shapes))
        signature = [(spec.dtype, sizes.get(number, spec.shape))
                     for number, spec in enumerate(self._loss.inputs)]
        return Function(self._loss._impl.training_step(signature, self._settings), None)

    def _loss_output(self) -> int:
        """The number of the loss among the outputs that are no buffers."""
        loss = int(self._settings["loss"])
        buffers: list[tuple[int, int]] = self._settings["buffers"]
        return loss - sum(result < loss for _, result in buffers)

    def _diverged(self, state: TrainingState, value: float) -> Error:
        again = (f"load the last checkpoint, {state.checkpoint}" if state.checkpoint else
                 "no checkpoint was saved")
        return Error(f"the loss of step {state.steps} is {value}", "train",
                     hint=f"the state has been updated with it: {again}")


def _read_layout(loss: Function,
                 layout: Mapping[str, typing.Any]) -> tuple[list[Slot], list[Place]]:
    """The tensors of the state and the places of the parameters in them."""
    names = [spec.name or f"input {number}" for number, spec in enumerate(loss.inputs)]
    places = [Place(names[number], typing.cast("tuple[int, ...]", loss.inputs[number].shape),
                    group, offset) for number, group, offset in layout["parameters"]]
    slots = [Slot(kind, dtype, shape, number, names[number] if kind == "buffer" else "")
             for kind, dtype, shape, number in layout["state"]]
    return slots, places


def _check_rate(rate: float) -> np.ndarray:
    """The rate as a scalar. With a rate that is not finite, a step would destroy the
    parameters."""
    import numpy as np
    value = np.asarray(rate, np.float64)
    if value.shape != () or not np.isfinite(value):
        raise Error(f"the rate is {rate}", "train", hint="it is one finite number")
    return value


def _fill(own: dict[str, typing.Any], given: Mapping[str, typing.Any], what: str) -> None:
    """Copies arrays into those of a state."""
    import numpy as np
    for name in given.keys() - own.keys():
        raise Error(f"there is no {what} '{name}'", "train",
                    hint=f"{what}s are {', '.join(own) or 'none'}")
    for name, array in own.items():
        if name not in given:
            raise Error(f"the {what} '{name}' is missing", "train")
        values = np.asarray(given[name])
        if values.shape != array.shape:
            raise Error(f"the {what} '{name}' has the shape {list(values.shape)}, not "
                        f"{list(array.shape)}", "train")
        array[...] = values
