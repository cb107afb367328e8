"""The measurements and decisions for each shape."""

from __future__ import annotations

import html
import json
import os
import math
import typing
from collections.abc import Sequence

from ._format import describe_inputs, format_ns, html_page_part, save_page
from ._plot import Axes


class Signature:
    """The state and the measurements of one shape; times are in nanoseconds.

    Attributes:
      inputs: the types of the inputs, such as "tensor<8x64xf32>".
      state: "eager", "queued", "compiling", "compiled", "provisional", "promoted",
        "demoted" or "refused".
      tier: the tier in which the next call runs.
      calls: the number of calls.
      compiled_calls: the number of calls that ran the compiled program.
      eager, compiled: the time of a call in each tier (e and c), or None.
      compile_cost: the cost of compiling (C), or None. Both `compiled` and
        `compile_cost` are predictions until they are measured.
      break_even: the number of calls after which compiling pays (n*), or None.
      next: what the next decision depends on, in one sentence.
    """

    def __init__(self, data: dict[str, typing.Any]) -> None:
        self.data = data
        self.inputs: list[str] = data["inputs"]
        self.state: str = data["state"]
        self.tier: str = data["tier"]
        self.calls: int = data["calls"]
        self.compiled_calls: int = data["compiled_calls"]
        predicted = data["predicted"]
        self.eager: float | None = data["eager"]["ns"] or None
        self.compiled: float | None = (data["compiled"]["ns"] or
                                       predicted["compiled_ns"] or None)
        self.compile_cost: float | None = (data["compile_ns"] or
                                           predicted["compile_ns"] or None)
        self.break_even: float | None = data.get("break_even_calls")
        self.next: str = data.get("next", "")

    @property
    def verdict(self) -> str:
        """Whether compiling pays, in two or three words."""
        if self.break_even is None:
            known = self.eager and self.compiled and self.compile_cost
            return "does not pay" if known else "not known yet"
        if self.calls >= self.break_even:
            return "has paid"
        return f"pays after {self.break_even:,.0f} calls"

    def break_even_after(self, further_cost: float) -> float | None:
        """The number of calls after which compiling pays if it costs `further_cost`
        nanoseconds in addition to C, or None if it does not pay or is not known.

        The formula is that of n* (docs/Measuring.md, `SignatureReport::breakEvenCalls`
        in Tiering.h) with another cost: ⌈(C + further_cost)/(e − c)⌉.
        """
        e, c, cost = self.eager, self.compiled, self.compile_cost
        if not e or not c or not cost or c >= e:
            return None
        return math.ceil((cost + further_cost) / (e - c))

    def costs(self) -> tuple[str, str, str, str]:
        """e, c, C and n* as text."""
        return (format_ns(self.eager),
                format_ns(self.compiled) + _source(self.compiled, self.data["compiled"]["ns"]),
                format_ns(self.compile_cost) + _source(self.compile_cost,
                                                       self.data["compile_ns"]),
                format_calls(self.break_even))

    def __repr__(self) -> str:
        return f"<{describe_inputs(self.inputs)}: {self.state}, {self.verdict}>"


class Report:
    """The report of a function. In a notebook it is a table with a picture for each
    shape; `str` is text, `json` a JSON object."""

    def __init__(self, text_of_json: str, text: str) -> None:
        self.data: dict[str, typing.Any] = json.loads(text_of_json)
        self.text = text
        self.signatures = [Signature(each) for each in self.data["signatures"]]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<tandem.Report of {len(self.signatures)} shapes>"

    def json(self) -> str:
        """The report as JSON text."""
        return json.dumps(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an HTML page."""
        save_page(path, self._repr_html_())

    def _repr_html_(self) -> str:
        parts = []
        # A notebook shows at most this many shapes; str and json have all.
        for signature in self.signatures[:12]:
            parts.append(_section(signature))
        rest = len(self.signatures) - 12
        if rest > 0:
            parts.append(f"<p>{rest} more shapes: print the report.</p>")
        if not self.signatures:
            parts.append("<p>The function has not been called.</p>")
        return html_page_part("".join(parts))


def join(reports: Sequence[Report]) -> Report:
    """One report of several functions, with the signatures of all."""
    data = [report.data for report in reports]
    signatures = [each for one in data for each in one["signatures"]]
    first = data[0] if data else {}
    return Report(json.dumps(first | {"signatures": signatures}),
                  "\n".join(str(report) for report in reports))


def format_calls(calls: float | None) -> str:
    return "–" if calls is None else f"{calls:,.0f} calls"


def _source(value: float | None, measured: float) -> str:
    return ", predicted" if value and not measured else ""


def _section(signature: Signature) -> str:
    eager, compiled, cost, break_even = signature.costs()
    rows = [("state", f"{signature.state}, next call runs {signature.tier}"),
            ("calls", f"{signature.calls:,}"), ("eager call (e)", eager),
            ("compiled call (c)", compiled), ("compiling (C)", cost),
            ("break-even (n*)", break_even), ("verdict", signature.verdict)]
    table = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>"
                    for name, value in rows)
    return (f"<h4>{html.escape(describe_inputs(signature.inputs))}</h4><section>"
            f"{_picture(signature)}<table>{table}</table></section>"
            f"<p>{html.escape(signature.next)}</p>")


def _picture(signature: Signature) -> str:
    """Total time against calls: eager, and compiled with the cost of compiling."""
    e, c, cost = signature.eager, signature.compiled, signature.compile_cost
    if not e or not c or not cost:
        return ""
    n = signature.break_even
    most_calls = max(2 * n if n else 0, signature.calls, 10)
    axes = Axes(340, 150, most_calls, max(e * most_calls, cost + c * most_calls))
    axes.line([(0, 0), (most_calls, e * most_calls)], "eager")
    axes.line([(0, cost), (most_calls, cost + c * most_calls)], "compiled")
    if n:
        axes.vertical(n, "n*", "4 3")
    if 0 < signature.calls <= most_calls:
        axes.vertical(signature.calls, "now", "1 3")
    axes.text(axes.x(most_calls * 0.93), axes.y(e * most_calls * 0.93), "eager", "end", "eager")
    axes.text(axes.x(most_calls), axes.y(cost + c * most_calls) + 14, "compiled", "end",
              "compiled")
    return axes.svg("total time against calls", f"{most_calls:,.0f} calls",
                    format_ns(axes.most_y))
