"""Where the time of a call goes, and how the nodes of a graph are executed."""

from __future__ import annotations

import collections
import dataclasses
import typing
from collections.abc import Iterator, Sequence

from ._format import format_ns, html_page_part, html_table, text_table


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a program: a kernel, or an op that a library executes.

    Attributes:
      name: such as "kernel_3" or "conv+relu".
      kind: "kernel", "library", "reference", or "view" if nothing is executed.
      provider: the library that executes an op, such as "onednn", or "".
      nodes: the locations of the nodes of the graph that were fused into the step.
      ns, p10, p90: the median, 10th and 90th percentile of the time, in nanoseconds.
      bytes_read, bytes_written, flops: the numbers of bytes and operations of
        one run.
      runs_once: whether the step runs only when the program is loaded.
    """

    name: str
    kind: str
    provider: str
    nodes: list[str]
    ns: float
    p10: float
    p90: float
    bytes_read: int
    bytes_written: int
    flops: int
    runs_once: bool

    @property
    def phase(self) -> str:
        """The phase of a training step that the step belongs to: "forward", "backward"
        or "update"; "forward + backward" for a kernel that contains ops of both
        phases."""
        phases = {phase for node in self.nodes for phase in ("backward", "update")
                  if node.endswith(f"({phase})")}
        if any(not node.endswith(("(backward)", "(update)")) for node in self.nodes):
            phases.add("forward")
        return " + ".join(phase for phase in _PHASES if phase in phases) or "forward"


@dataclasses.dataclass(frozen=True)
class Node:
    """A node of a model, or an op of another graph.

    Attributes:
      op: the type of the op, such as "Conv".
      location: the name of the node, or the line in a file.
      ops: the number of ops of Tandem that the node became.
      execution: "folded" if nothing is executed, "generated" for code of Tandem,
        "library", "reference", "not reached" or "refused".
      step: the step that executes the node, such as "kernel_3".
      provider: the library that executes the node, such as "onednn", or "".
      reason: why no code is generated for the node, or why it is refused.
    """

    op: str
    location: str
    ops: int
    execution: str
    step: str
    provider: str
    reason: str


class Profile:
    """The times of the steps of a program. In a notebook and as text it is a table
    of the steps, those that take the most time first.

    Attributes:
      tier: the tier that was profiled.
      steps: the steps in the order of execution, as Step.
      call_ns: the median time of a call whose steps are not timed.
      step_ns: the sum of the times of the steps.
      peak_bytes: the largest number of bytes that a call holds at any time, not
        counting inputs and constants.
    """

    def __init__(self, data: dict[str, typing.Any]) -> None:
        self.tier: str = data["tier"]
        self.call_ns: float = data["call"][0]
        self.peak_bytes: int = data["peak_bytes"]
        self.steps: list[Step] = []
        for each in data["steps"]:
            ns, p10, p90 = each.pop("time")
            self.steps.append(Step(ns=ns, p10=p10, p90=p90, **each))
        self.step_ns = sum(step.ns for step in self.steps)

    def phases(self) -> dict[str, float]:
        """The times of the phases of a training step, in nanoseconds (`Step.phase`)."""
        times: dict[str, float] = collections.defaultdict(float)
        for step in self.steps:
            times[step.phase] += step.ns
        return dict(sorted(times.items(), key=lambda item: _order(item[0])))

    def __str__(self) -> str:
        return f"{text_table(_HEAD, self._rows(len(self.steps)), left=True)}\n{self._summary()}"

    def __repr__(self) -> str:
        return f"<tandem.Profile: {self._summary()}>"

    def _repr_html_(self) -> str:
        # A notebook shows at most this many steps; str and steps have all.
        rest = len(self.steps) - 40
        more = f"; {rest} more steps: print the profile" if rest > 0 else ""
        return html_page_part(html_table(_HEAD, self._rows(40)),
                              self._summary() + more)

    def _summary(self) -> str:
        return (f"{self.tier}: {len(self.steps)} steps take {format_ns(self.step_ns)}, "
                f"a call {format_ns(self.call_ns)}")

    def _rows(self, most: int) -> list[tuple[str, ...]]:
        order = sorted(self.steps, key=lambda step: -step.ns)
        return [(format_ns(step.ns),
                 f"{step.ns / self.step_ns:.1%}" if self.step_ns else "–",
                 step.name, step.provider or step.kind,
                 f"{step.bytes_read + step.bytes_written:,}", f"{step.flops:,}",
                 _abridge(step.nodes)) for step in order[:most]]


class Coverage:
    """How the nodes of a graph are executed. In a notebook and as text it is a table
    with a row for each type of op, and the reasons why no code is generated.

    Attributes:
      tier: the tier.
      nodes: the nodes in the order of the graph, as Node.
    """

    def __init__(self, tier: str, nodes: list[dict[str, typing.Any]]) -> None:
        self.tier = tier
        self.nodes = [Node(**node) for node in nodes]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def counts(self) -> dict[str, int]:
        """The number of nodes by the way of executing them."""
        return dict(sorted(collections.Counter(
            node.execution for node in self.nodes).items()))

    def __str__(self) -> str:
        lines = [text_table(*self._table(), left=True)]
        lines += [f"{op} ({_abridge(nodes)}): {reason}"
                  for (op, reason), nodes in self._reasons().items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {way}" for way, count in self.counts.items())
        return f"<tandem.Coverage of {len(self)} nodes, {self.tier}: {counts}>"

    def _repr_html_(self) -> str:
        reasons = [(op, _abridge(nodes), reason)
                   for (op, reason), nodes in self._reasons().items()]
        tables = html_table(*self._table())
        if reasons:
            tables += html_table(("op", "nodes", "reason"), reasons)
        return html_page_part(tables, "")

    def _reasons(self) -> dict[tuple[str, str], list[str]]:
        nodes: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
        for node in self.nodes:
            if node.reason:
                nodes[node.op, node.reason].append(node.location)
        return nodes

    def _table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        ways = list(self.counts)
        rows: list[tuple[object, ...]] = []
        for op in sorted({node.op for node in self.nodes}):
            of_op = [node.execution for node in self.nodes if node.op == op]
            rows.append((op, len(of_op), *(of_op.count(way) or "" for way in ways)))
        rows.append(("all", len(self.nodes), *self.counts.values()))
        return ("op", "nodes", *ways), rows


_PHASES = ("forward", "backward", "update")


def _order(phase: str) -> list[int]:
    return [_PHASES.index(each) for each in phase.split(" + ")]


_HEAD = ("time", "share", "step", "by", "bytes", "flops", "nodes")


def _abridge(nodes: Sequence[str]) -> str:
    """The first names of a list: "a, b, c and 4 more"."""
    more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
    return ", ".join(nodes[:3]) + more
