"""Where and why Dynamo ended graphs early, as torch records it."""

from __future__ import annotations

import collections
import dataclasses
import typing
from collections.abc import Iterable

import torch

from ._importer import location_in

# The effects of a graph break.
ENDED = "the graph ends here"
SKIPPED = "runs without torch.compile"
# The errors of Dynamo that have a function run without torch.compile.
_SKIPPING = ("Unsupported", "UserError")


@dataclasses.dataclass(frozen=True)
class GraphBreak:
    """A place where Dynamo could not continue a graph.

    Attributes:
      location: the line, as FILE:LINE.
      reason: why, in one line.
      effect: what happened: a graph ended there, or the function runs without
        torch.compile.
      count: how often this happened.
    """

    location: str
    reason: str
    effect: str
    count: int


def break_after(module: typing.Any) -> GraphBreak | None:
    """The graph break that ended the graph of a module of Dynamo, or None."""
    reason = getattr(module, "compile_subgraph_reason", None)
    return _ended(reason) if reason is not None and reason.graph_break else None


def graph_breaks(known: Iterable[GraphBreak]) -> list[GraphBreak]:
    """All graph breaks of the process, in the order of their first occurrence, and those
    of `known` that torch has forgotten in a reset."""
    counts = collections.Counter([*map(_ended, torch._dynamo.utils.graph_break_reasons),
                                  *_skipped()])
    forgotten = collections.Counter(known)
    forgotten = collections.Counter({each: n for each, n in forgotten.items()
                                     if each not in counts})
    return [dataclasses.replace(each, count=count)
            for each, count in (forgotten + counts).items()]


def _ended(reason: typing.Any) -> GraphBreak:
    """A graph break from a GraphCompileReason."""
    frame = reason.user_stack[-1] if reason.user_stack else None
    return GraphBreak(f"{frame.filename}:{frame.lineno}" if frame else "",
                      _in_one_line(reason.reason), ENDED, 1)


def _skipped() -> list[GraphBreak]:
    """The functions that Dynamo gave up, among the last ones that it traced."""
    return [GraphBreak(_place(metrics), _in_one_line(metrics.fail_reason or ""), SKIPPED, 1)
            for metrics in torch._dynamo.utils.get_compilation_metrics()
            if metrics.fail_type in _SKIPPING]


def _place(metrics: typing.Any) -> str:
    if metrics.fail_user_frame_filename:
        return f"{metrics.fail_user_frame_filename}:{metrics.fail_user_frame_lineno}"
    # A function that was compiled too often.
    return location_in(metrics.recompile_reason or "")


def _in_one_line(text: str) -> str:
    """The first line of Dynamo's message, and its explanation."""
    lines = [line.strip() for line in text.splitlines()]
    explained = [line.removeprefix("Explanation: ") for line in lines
                 if line.startswith("Explanation: ")]
    return ": ".join([*lines[:1], *explained[:1]])
