"""The result of `stream`: times of the same calls in several systems."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import statistics
import typing
from collections.abc import Sequence

from .._errors import Error
from .._format import (format_ns, html_page_part, html_table, markdown_table, save_page,
                       text_table)
from .._plot import Line, draw_lines, image_file
from ._peers import PEERS
from ._statistics import Interval, interval, quantile

HEAD = ("system", "total", "first result", "median", "p99", "graphs", "recompiles",
        "compiled shapes", "memory", "relative error", "remark")


def fallbacks(counts: dict[str, typing.Any]) -> list[str]:
    """A remark on the graphs and ops that the system has left to another system, if there
    are any."""
    ops = sorted({text.split(" (")[0] for text in counts["fallbacks"]})
    return [f"falls back: {', '.join(ops)}"] if ops else []


class Row:
    """The calls in one system; times are in nanoseconds.

    Attributes:
      peer, title: the system's name as an argument, and in tables.
      times: for each process, the time of each call.
      counts: for each process, its counts: `graphs`, `recompiles`, `limit`, `breaks`,
        `fallbacks`, `programs` and `peak_bytes`.
      relative_error: the largest difference from torch eager, relative to the root mean
        square of each result; None before it is known.
      tolerance: the largest relative error with which results agree.
      error: why the system has failed, or "".
    """

    def __init__(self, peer: str, title: str, tolerance: float) -> None:
        self.peer = peer
        self.title = title
        self.tolerance = tolerance
        self.times: list[list[int]] = []
        self.counts: list[dict[str, typing.Any]] = []
        self.relative_error: float | None = None
        self.error = ""

    def add(self, reply: dict[str, typing.Any]) -> None:
        """Adds the answer of a process."""
        self.times.append(reply["times"])
        self.counts.append(reply["counts"])
        self.relative_error = max(self.relative_error or 0.0, reply["relative_error"])

    @property
    def agrees(self) -> bool:
        """Whether all results agree with torch eager."""
        return (not self.error and self.relative_error is not None
                and self.relative_error <= self.tolerance)

    @property
    def total(self) -> Interval:
        return interval([sum(times) for times in self.times])

    @property
    def first(self) -> Interval:
        return interval([times[0] for times in self.times])

    @property
    def median(self) -> Interval:
        return interval([statistics.median(times) for times in self.times])

    @property
    def p99(self) -> Interval:
        return interval([quantile(times, 0.99) for times in self.times])

    def cumulative(self) -> list[float]:
        """The total time after each call, from the median over processes."""
        medians = [statistics.median(column) for column in zip(*self.times)]
        return list(itertools.accumulate(medians))

    @property
    def remark(self) -> str:
        """Facts that a reader must know in addition to the times."""
        if self.error:
            return f"failed: {self.error}"
        last = self.counts[-1]
        parts = [] if self.agrees else ["results differ from torch eager"]
        if last["limit"]:
            parts.append("recompile limit reached: later shapes run in torch")
        parts += fallbacks(last)
        return "; ".join(parts)

    def cells(self) -> list[str]:
        if not self.times:
            return [self.title, *["–"] * (len(HEAD) - 2), self.remark]
        times = [_format(each) for each in (self.total, self.first, self.median, self.p99)]
        last = self.counts[-1]
        counts = ["–"] * 3
        if self.peer != "eager":
            programs = last["programs"] if self.peer.startswith("tandem") else "–"
            counts = [str(last["graphs"]), str(last["recompiles"]), str(programs)]
        memory = max(each["peak_bytes"] for each in self.counts)
        return [self.title, *times, *counts, f"{memory / 1e9:.2f} GB",
                f"{self.relative_error:.1e}", self.remark]


def _format(ns: Interval) -> str:
    """A time with its interval, if it has one."""
    text = format_ns(ns.mean)
    return text if ns.low == 0 else f"{text} [{format_ns(ns.low)}, {format_ns(ns.high)}]"


class Stream:
    """The result of `stream`. In a notebook it is a table with a picture, the total time
    against calls in each system; `str` is text, and `json` a JSON object.

    Attributes:
      calls: the shapes of the inputs of each call, as text such as "1x3x224x224".
      rows: a Row for each system.
      threads: the number of threads of each system.
    """

    def __init__(self, calls: Sequence[str], rows: list[Row]) -> None:
        self.calls = list(calls)
        self.rows = rows
        self.threads = 0

    @property
    def summary(self) -> str:
        """The number of calls, shapes, processes and threads, as a sentence."""
        runs = max((len(row.times) for row in self.rows), default=0)
        return (f"{len(self.calls)} calls with {len(set(self.calls))} different shapes, "
                f"{runs} process{'es' * (runs != 1)} per system, {self.threads} threads.")

    def __str__(self) -> str:
        return f"{text_table(HEAD, self._cells(), left=True)}\n{self.summary}"

    def __repr__(self) -> str:
        return f"<tandem.bench.Stream of {len(self.calls)} calls in {len(self.rows)} systems>"

    def __getitem__(self, peer: str) -> Row:
        """The row of a system."""
        for row in self.rows:
            if row.peer == peer:
                return row
        raise KeyError(peer)

    def markdown(self) -> str:
        """The table in Markdown."""
        return markdown_table(HEAD, self._cells())

    def svg(self) -> str:
        """The picture: the total time against calls in each system."""
        lines = [Line(row.title, [0.0, *row.cumulative()], PEERS[row.peer].color)
                 for row in self.rows if row.times]
        return draw_lines(lines, "total time against calls", "calls", format_ns)

    def json(self) -> str:
        """The result as JSON text, which `Stream.of_json` reads."""
        rows = [vars(row) for row in self.rows]
        return json.dumps({"calls": self.calls, "threads": self.threads, "rows": rows})

    @staticmethod
    def of_json(text: str) -> Stream:
        """A result from its JSON text."""
        data = json.loads(text)
        rows = [Row(each["peer"], each["title"], each["tolerance"]) for each in data["rows"]]
        for row, each in zip(rows, data["rows"]):
            vars(row).update(each)
        result = Stream(data["calls"], rows)
        result.threads = data["threads"]
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a page (.html), all numbers (.json), or the picture (.svg)."""
        suffix = pathlib.Path(path).suffix
        if suffix == ".html":
            save_page(path, self._repr_html_())
        elif suffix in (".json", ".svg"):
            text = self.json() if suffix == ".json" else image_file(self.svg())
            pathlib.Path(path).write_text(text, encoding="utf-8")
        else:
            raise Error(f"'{os.fspath(path)}' has no known suffix", "bench",
                        hint="suffixes: .html, .json, .svg")

    def _repr_html_(self) -> str:
        return html_page_part(self.svg() + html_table(HEAD, self._cells()), self.summary)

    def _cells(self) -> list[list[str]]:
        return [row.cells() for row in self.rows]
