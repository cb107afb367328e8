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
from ..report import Report, Signature, join
from ._optimizers import Optimizer
from ._state import Place, Slot, TrainingState

if typing.TYPE_CHECKING:
    import numpy as np

# The number of signatures for which functions are kept.
_MOST_SIGNATURES = 256
# The numbers of inputs and of an output.
_Which = int | str


def training_step(loss: Function, optimizer: Optimizer, *, parameters: Sequence[_Which],
                  without_decay: Sequence[_Which] = (),
                  buffers: Mapping[_Which, _Which] | None = None,
                  steps_input: _Which | None = None, output: _Which = 0,
                  phases: str = "together") -> TrainingStep:
    """A step that computes a loss and its gradients, and updates the parameters.

    Args:
      loss: a function with the loss among its outputs, a scalar.
      optimizer: `tandem.training.sgd()`, `adam()` or `adamw()`.
      parameters: the inputs of the loss that are trained, by number or name, of
        float32 or float64.
      without_decay: the parameters that are not subject to weight decay.
      buffers: inputs that the step replaces by outputs, such as
        {"mean": "new mean"} for the running statistics of a batch norm.
      steps_input: the input that receives the number of completed steps, a uint64 scalar
        (`tandem.training.dropout`).
      output: the output that is the loss.
      phases: "apart" forbids compiled kernels that compute ops of several phases
        (forward pass, backward pass and update), so that `Profile.phases` shows the
        time of each phase. By default, such kernels are allowed, which is faster.

    Raises Error if the arguments do not fit the loss. If the loss has no gradient, the
    first call of the step raises Error.
    """
    check_type("loss", loss, Function, "a tandem.Function")
    check_type("optimizer", optimizer, Optimizer, "an optimizer of tandem.training")
    if phases not in ("together", "apart"):
        raise Error(f"phases is {phases!r}", "train", hint='"together" or "apart"')
    inputs = [number_of(which, loss.inputs, "input") for which in parameters]
    fixed = [number_of(which, loss.inputs, "input") for which in without_decay]
    replaced = [(number_of(source, loss.inputs, "input"),
                 number_of(result, loss.outputs, "output"))
                for source, result in (buffers or {}).items()]
    steps = -1 if steps_input is None else number_of(steps_input, loss.inputs, "input")
    settings = dataclasses.asdict(optimizer) | {
        "parameters": inputs, "without_decay": fixed, "buffers": replaced,
        "steps_input": steps, "loss": number_of(output, loss.outputs, "output"),
        "phases_apart": phases == "apart"}
    return TrainingStep(loss, settings)


class TrainingStep:
    """A training step; see `training_step`.

    A call runs one step and updates the state in place. A function with gradients and
    update is made for each signature at its first call, e.g. for each batch size. Each of
    these functions chooses its own tier. For example, the smaller last batch of an epoch
    may stay eager while the others are compiled.
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
        self._replay: dict[tuple[tuple[int, ...], ...], _Turn] | None = None

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
                 tier: str | None = None, **named: typing.Any) -> typing.Any:
        """Runs one step with the learning rate `rate`. Returns the outputs of the loss
        function that are not new values of buffers, as an array or a tuple of arrays.

        `inputs` are the inputs of the loss function that are no part of the state, in
        order or by name. `tier` forces a tier: "eager", "compiled" or "reference".

        Raises Error if the loss is NaN or infinite. The state has been updated then, and
        the hint names the last checkpoint.
        """
        function, arrays = self._bind(state, inputs, named, rate)
        tier = tier or self._logged_tier(arrays)
        results = function(*arrays, tier=tier) if tier else function(*arrays)
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

    def tier_log(self) -> list[dict[str, typing.Any]]:
        """A log of the tiers in which calls ran. `replay` reads it.

        The log is a list that `json.dumps` can write. It has a dict for each signature:
        "shapes" are the shapes of the inputs, "eager_calls" is the number of calls that
        ran eagerly, and "compiles" tells whether compiled calls followed.

        Raises Error if calls of a signature ran eagerly after compiled calls.
        """
        return [_read_turn(shapes, function.report().signatures)
                for shapes, function in self._functions.items()]

    def replay(self, log: Sequence[Mapping[str, typing.Any]]) -> None:
        """Makes this step choose the same tiers as another step, whose `tier_log` is `log`.
        With the same first state and the same inputs, both steps compute the same bits.
        Calls after the last call of the log run in the tier of that call.

        Raises Error if this step has been called.
        """
        if self._functions:
            raise Error("the step has been called", "train",
                        hint="make a new step, and call replay before its first call")
        self._replay = {tuple(map(tuple, each["shapes"])):
                        _Turn(int(each["eager_calls"]), bool(each["compiles"]))
                        for each in log}

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

    def _logged_tier(self, arrays: Sequence[typing.Any]) -> str | None:
        """The tier of the next call of a signature in the log that is replayed."""
        if self._replay is None:
            return None
        shapes = tuple(as_shape(array) for array in arrays[:len(self.inputs)])
        turn = self._replay.get(shapes)
        if turn is None:
            raise Error(f"the log has no call with the shapes {list(map(list, shapes))}",
                        "train", hint="a run that is replayed has the same inputs")
        return turn.next()

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


@dataclasses.dataclass
class _Turn:
    """The next tiers of a signature: how many eager calls are left, and whether compiled
    calls follow."""

    eager_calls: int
    compiles: bool

    def next(self) -> str:
        if self.eager_calls == 0 and self.compiles:
            return "compiled"
        self.eager_calls -= 1
        return "eager"


# Events after which calls run eagerly again.
_SETBACKS = {"demoted", "evicted", "contradicted"}


def _read_turn(shapes: tuple[tuple[int, ...], ...],
               signatures: Sequence[Signature]) -> dict[str, typing.Any]:
    """The entry of a signature of the step in `TrainingStep.tier_log`. The function of the
    signature has at most one signature of its own."""
    eager, compiled = 0, 0
    for each in signatures:
        compiled = each.compiled_calls
        eager = each.calls - compiled
        if compiled and any(event["event"] in _SETBACKS for event in each.data["events"]):
            raise Error(f"calls with the shapes {list(map(list, shapes))} ran eagerly after "
                        "compiled calls", "train", hint="such a run cannot be replayed")
    return {"shapes": [list(shape) for shape in shapes], "eager_calls": eager,
            "compiles": compiled > 0}


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
