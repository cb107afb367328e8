"""The state of a training run, and its checkpoints."""

from __future__ import annotations

import dataclasses
import os
import typing
from collections.abc import Mapping

from .. import _tandem
from .._errors import Error, check_type

if typing.TYPE_CHECKING:
    import numpy as np

# The names that tensors of each kind have in a checkpoint.
_PREFIXES = {"parameters": "parameters.", "first_moments": "first_moments.",
             "second_moments": "second_moments.", "buffer": "buffers."}
_STEPS = "steps"
# The key of the format's version in the metadata.
_FORMAT, _VERSION = "tandem.training", "1"


@dataclasses.dataclass(frozen=True)
class Place:
    """The place of a parameter in the arenas of its group. `offset` counts elements."""

    name: str
    shape: tuple[int, ...]
    group: int
    offset: int


@dataclasses.dataclass(frozen=True)
class Slot:
    """A tensor of the state: an arena of a group, a buffer, or the number of steps."""

    kind: str
    dtype: str
    shape: tuple[int, ...]
    number: int
    name: str


class TrainingState:
    """The parameters, the moments of the optimizer, the buffers and the number of steps
    of a training run. Each step updates these arrays in place.

    The state belongs to the TrainingStep that made it. It must not be used by two calls
    at the same time.

    Attributes:
      parameters: the parameters by name. They are views of the arenas: a step changes
        their elements, and they may be written to.
      buffers: the buffers by name.
      checkpoint: the path of the last checkpoint that was saved or loaded, or None.
    """

    def __init__(self, slots: list[Slot], places: list[Place]) -> None:
        import numpy as np
        self._slots, self._places = slots, places
        self._arrays = [np.zeros(slot.shape, slot.dtype) for slot in slots]
        self.parameters = self._views("parameters")
        self.buffers = {slot.name: array for slot, array in zip(slots, self._arrays)
                        if slot.kind == "buffer"}
        self.checkpoint: str | None = None

    @property
    def steps(self) -> int:
        """The number of steps that were done."""
        return int(self._arrays[-1])

    def _views(self, kind: str) -> dict[str, np.ndarray]:
        arenas = {slot.number: array for slot, array in zip(self._slots, self._arrays)
                  if slot.kind == kind}
        return {place.name: _view(arenas[place.group], place) for place in self._places
                if arenas}

    def tensors(self) -> dict[str, np.ndarray]:
        """All arrays of the state by name, without copies: "parameters.w",
        "first_moments.w", "second_moments.w", "buffers.mean" and "steps"."""
        tensors = {prefix + name: array
                   for kind, prefix in _PREFIXES.items() if kind != "buffer"
                   for name, array in self._views(kind).items()}
        tensors |= {_PREFIXES["buffer"] + name: array for name, array in self.buffers.items()}
        return tensors | {_STEPS: self._arrays[-1]}

    def save(self, path: str | os.PathLike[str], **notes: str) -> None:
        """Writes a checkpoint, a .safetensors file with `tensors()` and the texts `notes`.

        A file with this name is replaced only after the new one is complete on the
        disk: a crash at any time leaves the old checkpoint or the new one.
        """
        for name, text in notes.items():
            check_type(f"the note '{name}'", text, str, "text")
        text = os.fsdecode(path)
        _tandem.save_arrays(text, self.tensors(), notes | {_FORMAT: _VERSION})
        self.checkpoint = text

    def load(self, path: str | os.PathLike[str]) -> dict[str, str]:
        """Reads a checkpoint into this state, and returns its notes.

        Raises Error, and changes nothing, if the file is damaged, or if its tensors
        differ from those of this state because it is from another model or optimizer.
        """
        text = os.fsdecode(path)
        given, notes = _tandem.load_arrays(text)
        if notes.pop(_FORMAT, None) != _VERSION:
            raise Error(f"{text}: this is no checkpoint of a training run", "read",
                        hint="checkpoints are written by TrainingState.save")
        own = self.tensors()
        _check(text, given, own)
        for name, array in given.items():
            own[name][...] = array
        self.checkpoint = text
        return dict(notes)


def _view(arena: np.ndarray, place: Place) -> np.ndarray:
    size = 1
    for dim in place.shape:
        size *= dim
    return arena[place.offset:place.offset + size].reshape(place.shape)


def _check(path: str, given: Mapping[str, np.ndarray], own: Mapping[str, np.ndarray]) -> None:
    """Raises Error unless both have the same names, dtypes and shapes."""
    hint = "the checkpoint is of another model or optimizer"
    for names, what in ((own.keys() - given.keys(), "lacks"),
                        (given.keys() - own.keys(), "has, but the state lacks,")):
        if names:
            raise Error(f"{path}: the checkpoint {what} '{min(names)}'", "read", hint=hint)
    for name, array in given.items():
        if (array.dtype, array.shape) != (own[name].dtype, own[name].shape):
            raise Error(f"{path}: '{name}' is {array.dtype}{list(array.shape)}, but "
                        f"{own[name].dtype}{list(own[name].shape)} in the state", "read",
                        hint=hint)
