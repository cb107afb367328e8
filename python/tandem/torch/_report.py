"""The times that torch and Tandem spent on each graph, and the places where Dynamo broke
graphs."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import json
import re
import threading
import time
import typing
import weakref
from collections.abc import Iterable, Iterator

import torch

from .._format import Table, Tables, format_ns
from .._summary import SIGNATURE_HEAD, signature_row
from ..report import Report as FunctionReport
from ..report import Signature, format_calls
from ._breaks import GraphBreak, break_after, graph_breaks
from ._compiled import CompiledGraph
from ._importer import Fallback, location_of, op_name

if typing.TYPE_CHECKING:
    from .._function import Function

_numbers = itertools.count(1)


def count_ops(nodes: Iterable[torch.fx.Node]) -> dict[str, int]:
    """The number of uses of each ATen op, by name, the most frequent first."""
    return dict(collections.Counter(
        op_name(node) for node in nodes
        if isinstance(node.target, torch._ops.OpOverload)).most_common())


class GraphRecord:
    """What is known of a graph. The callable that runs the graph refers to the record,
    and the record refers to the parts of the graph weakly, so that neither records nor
    reports keep a model in memory.

    Attributes:
      dynamo_seconds, aot_seconds: the time of Dynamo and of AOTAutograd; None if it is
        not known.
      tandem_seconds: the time of finding what must be left to torch.
    """

    def __init__(self, module: torch.fx.GraphModule | None = None) -> None:
        self.number = next(_numbers)
        current = torch._guards.CompileContext.current_compile_id()
        self.compile_id = str(current) if current else ""
        self.began_us = time.time_ns() // 1000  # torch uses the same clock.
        self.name = "graph"
        self.location = _first_location(module.graph) if module else ""
        self.ended_by = break_after(module)
        self.ops: dict[str, int] = {}
        self.fallbacks: list[Fallback] = []
        self.dynamo_seconds: float | None = None
        self.aot_seconds: float | None = None
        self.tandem_seconds = 0.0
        self.recompile = ""
        self._parts: list[weakref.ref[CompiledGraph]] = []

    @contextlib.contextmanager
    def time_aot(self) -> Iterator[None]:
        """Measures the time of the body, without the time that Tandem takes in it."""
        before, start = self.tandem_seconds, time.perf_counter()
        yield
        self.aot_seconds = (time.perf_counter() - start) - (self.tandem_seconds - before)

    @contextlib.contextmanager
    def time_tandem(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.tandem_seconds += time.perf_counter() - start

    def describe(self, graph: torch.fx.Graph, fallbacks: Iterable[Fallback]) -> None:
        """Notes the ops of a graph of ATen ops: the only one, or the forward or backward
        graph of a model in training."""
        self.ops = dict(collections.Counter(self.ops) + collections.Counter(
            count_ops(graph.nodes)))
        self.fallbacks += fallbacks
        self.location = self.location or _first_location(graph)

    def add_part(self, part: CompiledGraph) -> None:
        self._parts.append(weakref.ref(part))

    def parts(self) -> list[CompiledGraph]:
        return [part for reference in self._parts if (part := reference())]

    def match(self, metrics: typing.Any) -> None:
        """Takes over torch's metrics of a frame, if the graph was made from that frame.
        The ids of frames start again after a reset, but not their times."""
        began, ended = _metric(metrics, "start_time_us"), _metric(metrics, "end_time_us")
        if (metrics.compile_id != self.compile_id or began is None or ended is None
                or not began <= self.began_us <= ended):
            return
        frame = _metric(metrics, "dynamo_cumulative_compile_time_us")
        backend = _metric(metrics, "aot_autograd_cumulative_compile_time_us")
        if frame is not None and backend is not None:
            self.dynamo_seconds = (frame - backend) / 1e6
        self.name = _readable(_metric(metrics, "co_name") or self.name)
        if file := _metric(metrics, "co_filename"):
            self.location = f"{file}:{_metric(metrics, 'co_firstlineno')}"
        self.recompile = first_line(_metric(metrics, "recompile_reason") or "")


class _Records:
    """The records of graphs whose callables exist."""

    def __init__(self) -> None:
        self.all: weakref.WeakSet[GraphRecord] = weakref.WeakSet()
        self.lock = threading.Lock()  # guards all

    def add(self, record: GraphRecord) -> None:
        with self.lock:
            self.all.add(record)
        self.match()  # torch keeps the metrics of the last 64 frames.

    def match(self) -> None:
        """Gives records their metrics, which torch has once a frame is compiled."""
        waiting = [r for r in self.living() if r.dynamo_seconds is None and r.compile_id]
        if waiting:
            for metrics in torch._dynamo.utils.get_compilation_metrics():
                for record in waiting:
                    record.match(metrics)

    def living(self) -> list[GraphRecord]:
        """The records in the order in which the graphs were made."""
        with self.lock:
            return sorted(self.all, key=lambda record: record.number)


RECORDS = _Records()


def own(run: typing.Any, record: GraphRecord) -> None:
    """Makes reports show a graph as long as the callable that runs the graph exists."""
    run.record = record
    RECORDS.add(record)


def graph_functions() -> list[Function]:
    """The functions of all graphs."""
    return [function for record in RECORDS.living() for part in record.parts()
            for function in part.functions()]


@dataclasses.dataclass(frozen=True)
class GraphReport:
    """A graph that the backend was given.

    Attributes:
      number: counts the graphs of the process.
      name: the name of the function whose frame Dynamo traced.
      location: the first line of that frame, as FILE:LINE.
      ops: the number of uses of each ATen op, by name.
      fallbacks: the ops that are left to torch, as Fallback.
      dynamo_seconds: the time that Dynamo took for the frame, without the backend;
        None if it is not known.
      aot_seconds: the time that AOTAutograd took; None if it is not known.
      tandem_seconds: the time that Tandem took to split the graph and to build functions.
      recompile: why Dynamo traced the frame again, or "" for the first graph of a frame.
      functions: the reports of the functions of Tandem that run the graph.
    """

    number: int
    name: str
    location: str
    ops: dict[str, int]
    fallbacks: list[Fallback]
    dynamo_seconds: float | None
    aot_seconds: float | None
    tandem_seconds: float
    recompile: str
    functions: list[FunctionReport]

    @property
    def tracing_seconds(self) -> float | None:
        """The time of Dynamo and AOTAutograd; None if one of them is not known."""
        if self.dynamo_seconds is None or self.aot_seconds is None:
            return None
        return self.dynamo_seconds + self.aot_seconds

    def break_even(self, signature: Signature) -> float | None:
        """n* of a signature with the tracing seconds T added to the cost of compiling:
        ⌈(C + T)/(e − c)⌉. `signature.break_even` is n* without them. e and c are times
        of Tandem's tiers. The result is None if tracing and compiling do not pay off, or
        if that is not known."""
        traced = self.tracing_seconds
        return None if traced is None else signature.break_even_after(traced * 1e9)

    def data(self) -> dict[str, typing.Any]:
        """The report as an object of JSON."""
        data = dataclasses.asdict(self) | {"tracing_seconds": self.tracing_seconds}
        data["functions"] = [
            function.data | {"signatures": [
                signature.data | {"break_even_calls_with_tracing": self.break_even(signature)}
                for signature in function.signatures]}
            for function in self.functions]
        return data


class Report(Tables):
    """What was measured for each graph that torch.compile has given to Tandem, or that
    `tandem.torch.load` has loaded, while the function of the graph exists. In a notebook
    and as text, it consists of tables.

    Attributes:
      graphs: the graphs, as GraphReport.
      graph_breaks: the lines where Dynamo ended a graph early, as GraphBreak. torch keeps
        no record of which backend a graph break belongs to, so these are all of the
        process.
    """

    def __init__(self, graphs: list[GraphReport], breaks: list[GraphBreak]) -> None:
        self.graphs = graphs
        self.graph_breaks = breaks

    def __repr__(self) -> str:
        return (f"<tandem.torch.Report of {len(self.graphs)} graphs and "
                f"{len(self.graph_breaks)} graph breaks>")

    def data(self) -> dict[str, typing.Any]:
        """The report as an object of JSON."""
        return {"graphs": [graph.data() for graph in self.graphs],
                "graph_breaks": [dataclasses.asdict(each) for each in self.graph_breaks]}

    def json(self) -> str:
        """The report as JSON text."""
        return json.dumps(self.data())

    def tables(self) -> list[Table]:
        graphs = [(g.number, g.name, g.location, sum(g.ops.values()), len(g.fallbacks),
                   _seconds(g.dynamo_seconds), _seconds(g.aot_seconds),
                   _seconds(g.tandem_seconds), len(g.functions)) for g in self.graphs]
        calls = [(g.number, *signature_row(signature), _calls_with_tracing(g, signature))
                 for g in self.graphs for f in g.functions for signature in f.signatures]
        ops = [(g.number, f.op, f.location, f.reason) for g in self.graphs for f in g.fallbacks]
        again = [(g.number, g.recompile) for g in self.graphs if g.recompile]
        breaks = [(b.count, b.location, b.effect, b.reason) for b in self.graph_breaks]
        return [Table("graphs of torch", ("graph", "name", "line", "ops", "in torch", "Dynamo",
                                          "AOTAutograd", "Tandem", "functions"), graphs),
                Table("calls", ("graph", *SIGNATURE_HEAD, "n* with tracing"), calls),
                Table("ops left to torch", ("graph", "op", "line", "reason"), ops),
                Table("recompiles", ("graph", "because"), again),
                Table("graph breaks", ("times", "line", "effect", "reason"), breaks)]


def report() -> Report:
    """What was measured for each graph that torch.compile has given to Tandem: the time of
    tracing, the times of calls, when compiling pays, which ops are left to torch, and where
    Dynamo broke graphs."""
    RECORDS.match()
    records = RECORDS.living()
    return Report([_snapshot(record) for record in records],
                  graph_breaks([r.ended_by for r in records if r.ended_by]))


def _snapshot(record: GraphRecord) -> GraphReport:
    parts = record.parts()
    return GraphReport(record.number, record.name, record.location, dict(record.ops),
                       list(record.fallbacks), record.dynamo_seconds, record.aot_seconds,
                       record.tandem_seconds + sum(part.build_seconds for part in parts),
                       record.recompile, [function.report() for part in parts
                                          for function in part.functions()])


def _first_location(graph: torch.fx.Graph) -> str:
    return next(filter(None, map(location_of, graph.nodes)), "")


def _readable(name: str) -> str:
    """The name of a function; Dynamo makes one for the rest of a function after a break."""
    rest = re.fullmatch(r"torch_dynamo_resume_in_(.*)_at_(\d+)", name)
    return f"{rest[1]} from line {rest[2]}" if rest else name


def _metric(metrics: typing.Any, name: str) -> typing.Any:
    """A field of CompilationMetrics; None if this version of torch has no such field."""
    return getattr(metrics, name, None)


def first_line(text: str) -> str:
    return " ".join(text.strip().partition("\n")[0].split())


def _seconds(seconds: float | None) -> str:
    return "unknown" if seconds is None else format_ns(seconds * 1e9)


def _calls_with_tracing(graph: GraphReport, signature: Signature) -> str:
    if graph.tracing_seconds is None:
        return "unknown"
    return format_calls(graph.break_even(signature))


__all__ = ["GraphBreak", "GraphRecord", "GraphReport", "Report", "count_ops", "graph_functions",
           "own", "report"]
