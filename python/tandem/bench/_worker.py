"""The process that runs a model in one system, and answers commands.

A command is a line of JSON on standard input, [name, arguments]; the answer is a line of
JSON on standard output. What libraries print goes to standard error.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import pathlib
import sys
import time
import traceback
import typing
import warnings

from . import _counters
from ._peers import PEERS, Model, Settings
from ._statistics import relative_error

if typing.TYPE_CHECKING:
    import torch

Inputs = tuple[typing.Any, ...]


class Invalid(Exception):
    """A model or inputs that cannot be loaded."""


class Session:
    """A model and its inputs in one system."""

    def __init__(self, model: dict[str, typing.Any], peer: str, threads: int | None,
                 cache: str, inputs: typing.Any, seed: int) -> None:
        import torch
        if threads:
            torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.settings = Settings(torch.get_num_threads(), cache)
        self.peer = PEERS[peer]
        made = _load_model(model)
        # The factory of utils/measure/torch-models.py makes the inputs of a call, too.
        self.model: Model = made[0] if isinstance(made, tuple) else made
        self.inputs: list[Inputs] = ([made[1]] if isinstance(made, tuple)
                                     else _load_inputs(inputs, seed))
        self.counters = _counters.Counters()
        self.run: Model | None = None

    def call(self, inputs: Inputs) -> tuple[typing.Any, int]:
        """The result of a call and its time in nanoseconds. The first call has the
        system compile the model."""
        start = time.perf_counter_ns()
        if self.run is None:
            self.run = self.peer.compile(self.model, self.settings)
        result = self.run(*inputs)
        return result, time.perf_counter_ns() - start

    def stream(self, order: list[int]) -> dict[str, typing.Any]:
        """Makes the calls in `order`. Returns the time of each call, and the largest
        error of the first and the last result for each of the inputs."""
        self._mark_unbacked()
        times: list[int] = []
        results: dict[int, list[typing.Any]] = {}
        for number in order:
            result, ns = self.call(self.inputs[number])
            times.append(ns)
            results[number] = [*results.get(number, [])[:1], result]
        counts = self.counters.read()
        error = max(self._error(number, *each) for number, each in results.items())
        return {"times": times, "counts": counts, "relative_error": error}

    def first(self) -> dict[str, typing.Any]:
        """The time of the first result, and its error."""
        result, ns = self.call(self.inputs[0])
        return {"ns": ns, "relative_error": self._error(0, result)}

    def warm_up(self, seconds: float) -> dict[str, typing.Any]:
        """Repeats calls until at least `seconds` have passed and nothing is
        compiled in the background, and then repeats calls for the same time again.
        Returns the error of the last result."""
        for _ in range(2):
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                result, _ = self.call(self.inputs[0])
            for function in _counters.tandem_functions():
                function.wait()
        result, _ = self.call(self.inputs[0])
        return {"relative_error": self._error(0, result), "counts": self.counters.read()}

    def block(self, seconds: float) -> dict[str, typing.Any]:
        """The times of calls, which are repeated for `seconds` seconds, but at
        least three times."""
        times: list[int] = []
        end = time.perf_counter() + seconds
        while len(times) < 3 or time.perf_counter() < end:
            times.append(self.call(self.inputs[0])[1])
        return {"times": times}

    def _error(self, number: int, *results: typing.Any) -> float:
        """The largest error of results of a call."""
        expected = _arrays(self.model(*self.inputs[number]))
        return max(relative_error(_arrays(each), expected) for each in results)

    def _mark_unbacked(self) -> None:
        """Tells Dynamo which dims of the inputs differ between calls."""
        if not self.peer.is_unbacked:
            return
        from torch._dynamo.decorators import mark_unbacked
        for same in zip(*self.inputs):
            for dim, sizes in enumerate(zip(*(x.shape for x in same))):
                if len(set(sizes)) > 1:
                    for x in same:
                        # Without a minimum, Dynamo breaks the graph at a batch norm,
                        # which asks whether its input is empty.
                        mark_unbacked(x, dim, min=min(1, *sizes))


def _load_model(source: dict[str, typing.Any]) -> typing.Any:
    """Makes the model by a factory, "module:function" or "file.py:function", or reads it
    from the file to which `stream` has written it."""
    import torch
    try:
        if "file" in source:
            return torch.load(source["file"], weights_only=False)
        place, _, name = source["factory"].rpartition(":")
        return getattr(_import(place), name)(*source["arguments"])
    except Exception as error:
        traceback.print_exc()
        raise Invalid(f"the model cannot be loaded: {_reason(error)}") from None


def _import(place: str) -> typing.Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = pathlib.Path(place)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _load_inputs(inputs: typing.Any, seed: int) -> list[Inputs]:
    """Tensors for each of the calls that differ: read from a file, or random numbers of
    these shapes."""
    import torch
    tensors = torch.load(inputs["file"]) if inputs["file"] else []
    random = torch.Generator().manual_seed(seed)
    return [tuple(torch.randn(each, generator=random) if isinstance(each, list)
                  else tensors[each] for each in call) for call in inputs["calls"]]


def _arrays(result: typing.Any) -> list[typing.Any]:
    """The tensors of a result as arrays of numpy."""
    import torch
    leaves = torch.utils._pytree.tree_leaves(
        result if not hasattr(result, "to_tuple") else result.to_tuple())
    return [_array(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _array(tensor: torch.Tensor) -> typing.Any:
    import torch
    is_small_float = tensor.dtype in (torch.bfloat16, torch.float16)
    return (tensor.float() if is_small_float else tensor).numpy()


def _reason(error: Exception) -> str:
    """An exception as one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _answer(session: Session | None, command: str, arguments: dict[str, typing.Any]
            ) -> tuple[Session | None, dict[str, typing.Any]]:
    try:
        if command == "load":
            session = Session(**arguments)
            return session, {"threads": session.settings.threads}
        return session, getattr(session, command)(**arguments)
    except Invalid as error:
        return session, {"invalid": str(error), "hint": "the process that runs it is a new "
                         "interpreter, which must be able to import the module"}
    except Exception as error:
        traceback.print_exc()
        return session, {"error": _reason(error)}


def main() -> None:
    """Answers commands until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("always", RuntimeWarning)
    session: Session | None = None
    for line in sys.stdin:
        session, answer = _answer(session, *json.loads(line))
        print(json.dumps(answer), file=answers, flush=True)
