"""Counts of compilations by Dynamo, the backends and Tandem in this process."""

from __future__ import annotations

import gc
import logging
import pathlib
import re
import typing
import warnings

from .._function import Function
from ._peers import OPENVINO_LOGGER

_LIMIT = "recompile limit exceeded"


class Counters:
    """Counts compilations, and collects the messages of a backend about ops that it
    does not run."""

    def __init__(self) -> None:
        from torch._dynamo.utils import set_compilation_metrics_limit
        set_compilation_metrics_limit(100_000)
        self._fallbacks: dict[str, None] = {}
        show = warnings.showwarning

        def note(message: Warning | str, category: type[Warning], *rest: typing.Any,
                 **named: typing.Any) -> None:
            first, *lines = str(message).splitlines()
            if first.startswith("tandem leaves these ops to torch"):
                self._fallbacks |= dict.fromkeys(line.strip() for line in lines)
            show(message, category, *rest, **named)

        warnings.showwarning = note
        logging.getLogger(OPENVINO_LOGGER).addHandler(_Messages(self._fallbacks))

    def read(self) -> dict[str, typing.Any]:
        """The counts of this process:

          graphs, recompiles: the number of graphs that Dynamo has traced, and how many
            of them it has traced because a guard failed.
          limit: whether Dynamo has given up recompiling, so that calls run in torch.
          breaks: the number of graph breaks.
          fallbacks: the messages about graphs and ops that the backend has left to
            torch or to another backend.
          programs: the shapes that Tandem has compiled.
          peak_bytes: the most memory that the process has used.
        """
        from torch._dynamo.utils import counters, get_compilation_metrics
        recompiles = [each for each in get_compilation_metrics()
                      if each.recompile_reason and not each.fail_type]
        signatures = [each for function in tandem_functions()
                      for each in function.report().signatures]
        return {"graphs": counters["stats"]["unique_graphs"], "recompiles": len(recompiles),
                "limit": any(_LIMIT in reason for reason in counters["unimplemented"]),
                "breaks": sum(counters["graph_break"].values()),
                "fallbacks": list(self._fallbacks),
                "programs": sum(bool(each.data["compile_ns"]) for each in signatures),
                "peak_bytes": _peak_bytes()}


class _Messages(logging.Handler):
    """Collects the messages of a logger."""

    def __init__(self, messages: dict[str, None]) -> None:
        super().__init__(logging.DEBUG)
        self._messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self._messages[(record.getMessage().splitlines() or [""])[0]] = None


def _peak_bytes() -> int:
    # getrusage also counts the memory of the process that has started this one.
    status = pathlib.Path("/proc/self/status").read_text("utf-8")
    (kilobytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.M)
    return int(kilobytes) * 1024


def tandem_functions() -> list[Function]:
    """The functions that exist in this process. Those inside of torch's compiled models
    are not reachable from the model."""
    return [each for each in gc.get_objects() if type(each) is Function]
