"""The same calls in several systems."""

from __future__ import annotations

import importlib.util
import math
import os
import pathlib
import sys
import tempfile
import typing
from collections.abc import Iterable, Sequence

from .._errors import Error, check_type, convert
from .._function import as_int64, as_shape
from ._peers import PEERS, Model
from ._process import Failure, Process
from ._result import Row, Stream

DEFAULT_PEERS = ("eager", "inductor-static", "inductor-dynamic", "tandem")


def stream(model: str | Model, shapes: Iterable[typing.Any], *,
           peers: Sequence[str] = DEFAULT_PEERS, repeats: typing.SupportsIndex = 1,
           threads: typing.SupportsIndex | None = None, tolerance: float = 1e-3,
           warm: bool = False, timeout: float | None = None, seed: int = 0) -> Stream:
    """Makes the same calls in several systems, and times each call:

        tandem.bench.stream("models.py:make_resnet", [(1, 3, 224, 224), (2, 3, 224, 224)])

    Each system runs in a new Python interpreter, under `torch.no_grad()`, and with empty
    caches on disk. The first call includes compiling, but not `import torch`. Results
    are compared with those of torch eager. If a system fails, its row contains the
    error.

    Args:
      model: "module:function" or "file.py:function", where the function takes no
        arguments and returns the model; or a model, or a function that returns one.
        `torch.save` must be able to write the model or function, and its class must not
        be defined in `__main__`.
      shapes: for each call a shape, a list of shapes, a tensor, or a tuple of tensors.
        Inputs of given shapes are random numbers of float32. Calls with the same shape,
        or with the same tensors, have the same inputs.
      peers: names of systems: "eager", "inductor", "inductor-static",
        "inductor-dynamic", "openvino", "tandem", and "tandem-unbacked", where Dynamo is
        told which dims vary between calls.
      repeats: the number of processes for each system, which take turns. With three or
        more, the times have 95 % intervals.
      threads: the number of threads of each system; by default, torch's.
      tolerance: the largest difference from torch eager, relative to the root mean
        square of each result, with which results agree.
      warm: whether a first process of each system, which is not measured, fills the
        caches on disk that its later processes use.
      timeout: the seconds after which a process is ended.
      seed: the seed of random inputs.

    Raises Error if the model cannot be loaded, and TypeError for wrong arguments.
    """
    chosen = _check_peers(peers)
    repeats = convert("repeats", repeats, _positive, "a positive number")
    if threads is not None:
        threads = convert("threads", threads, _positive, "a positive number")
    tolerance = convert("tolerance", tolerance, _positive_float, "a positive number")
    if timeout is not None:
        timeout = convert("timeout", timeout, _positive_float, "a positive number")
    calls = _Calls(shapes)
    if importlib.util.find_spec("torch") is None:
        raise Error("torch is not installed", "bench", hint="pip install torch")
    result = Stream(calls.labels, [Row(peer, PEERS[peer].title, tolerance) for peer in chosen])
    with tempfile.TemporaryDirectory(prefix="tandem-bench-") as folder:
        job = {"model": _write_model(model, folder), "inputs": calls.write(folder),
               "threads": threads, "seed": seed}
        for number in range(-1 if warm else 0, repeats):
            for row in result.rows:
                cache = os.path.join(folder, row.peer) if warm else None
                _run(row, result, calls.order, job, cache, timeout, number >= 0)
    return result


def _run(row: Row, result: Stream, order: list[int], job: dict[str, typing.Any],
         cache: str | None, timeout: float | None, is_measured: bool) -> None:
    """Runs the calls in a process, and adds what is measured to the row."""
    if row.error:
        return
    try:
        with Process(job | {"peer": row.peer}, cache, timeout) as process:
            result.threads = process.threads
            reply = process.ask("stream", order=order)
    except Failure as failure:
        row.error = str(failure)
    else:
        if is_measured:
            row.add(reply)


class _Calls:
    """The inputs of calls: those that differ, and their order."""

    def __init__(self, shapes: Iterable[typing.Any]) -> None:
        self.order: list[int] = []
        self.labels: list[str] = []
        self.different: list[list[typing.Any]] = []
        known: dict[tuple[typing.Any, ...], int] = {}
        if isinstance(shapes, (str, bytes)):
            raise TypeError("shapes is text, not a list of shapes or tensors")
        for number, given in enumerate(convert("shapes", shapes, lambda each: list(each),
                                               "a list of shapes or tensors")):
            inputs = _inputs(f"shapes[{number}]", given)
            key = tuple(each if isinstance(each, tuple) else id(each) for each in inputs)
            if key not in known:
                known[key] = len(self.different)
                self.different.append(inputs)
            self.order.append(known[key])
            self.labels.append(", ".join("x".join(map(str, as_shape(each))) or "scalar"
                                         for each in inputs))
        if not self.order:
            raise Error("shapes is empty, so there are no calls", "bench")

    def write(self, folder: str) -> dict[str, typing.Any]:
        """A description for `_worker`. Tensors are written to a file."""
        tensors: list[typing.Any] = []
        calls: list[list[list[int] | int]] = []
        for inputs in self.different:
            calls.append([])
            for each in inputs:
                if isinstance(each, tuple):
                    calls[-1].append(list(each))
                else:
                    calls[-1].append(len(tensors))
                    tensors.append(each)
        path = None
        if tensors:
            import torch
            path = os.path.join(folder, "inputs.pt")
            torch.save(tensors, path)
        return {"file": path, "calls": calls}


def _inputs(name: str, given: typing.Any) -> list[typing.Any]:
    """The inputs of a call, each a shape or a tensor."""
    expected = "a shape, a list of shapes, a tensor or a tuple of tensors"
    if _is_tensor(given):
        return [given]
    check_type(name, given, (tuple, list), expected)
    if given and all(_is_tensor(each) for each in given):
        return list(given)
    if given and all(isinstance(each, (tuple, list)) for each in given):
        return [convert(name, each, _sizes, expected) for each in given]
    return [convert(name, given, _sizes, expected)]


def _sizes(given: Iterable[typing.SupportsIndex]) -> tuple[int, ...]:
    sizes = tuple(map(as_int64, given))
    if any(size < 0 for size in sizes):
        raise ValueError
    return sizes


def _is_tensor(given: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def _check_peers(peers: Sequence[str]) -> list[str]:
    check_type("peers", peers, (tuple, list), "a list of names")
    for peer in peers:
        if peer not in PEERS:
            raise Error(f"there is no system {peer!r}", "bench",
                        hint=f"systems: {', '.join(PEERS)}")
    if not peers:
        raise Error("peers is empty", "bench", hint=f"systems: {', '.join(PEERS)}")
    return list(dict.fromkeys(peers))


def _write_model(model: str | Model, folder: str) -> dict[str, typing.Any]:
    """A description of the model for `_worker`."""
    if isinstance(model, str):
        place, colon, name = model.rpartition(":")
        if not (colon and place and name):
            raise Error(f"model is '{model}'", "bench",
                        hint="a function that makes the model is 'module:function' or "
                        "'file.py:function'")
        place = os.path.abspath(place) if place.endswith(".py") else place
        return {"factory": f"{place}:{name}", "arguments": []}
    if not callable(model):
        raise TypeError(f"model is a {type(model).__name__}, not a model of torch, or text "
                        "such as 'file.py:function'")
    import torch
    path = pathlib.Path(folder, "model.pt")
    home = getattr(model, "__module__", None)
    try:
        if home == "__main__":
            raise TypeError("it is defined in __main__, which other processes do not have")
        torch.save(model, path)
    except Exception as error:
        raise Error(f"the model cannot be written to a file: {error}", "bench",
                    hint="pass 'file.py:function', where the function makes the model"
                    ) from None
    return {"file": str(path)}


def _positive(value: typing.SupportsIndex) -> int:
    number = as_int64(value)
    if number < 1:
        raise ValueError
    return number


def _positive_float(value: float) -> float:
    number = float(value)
    if not (math.isfinite(number) and number > 0):
        raise ValueError
    return number
