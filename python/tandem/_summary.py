"""The measurements and decisions in this process."""

from __future__ import annotations

import json
import sys
import threading
import typing
import weakref

from ._format import Table, Tables, describe_inputs

if typing.TYPE_CHECKING:
    from ._function import Function
    from .report import Report, Signature
    from .torch import Report as TorchReport

_functions: weakref.WeakSet[Function] = weakref.WeakSet()
_lock = threading.Lock()  # guards _functions

SIGNATURE_HEAD = ("inputs", "state", "calls", "e", "c", "C", "n*")


def signature_row(signature: Signature) -> tuple[str, ...]:
    """The cells of a signature below SIGNATURE_HEAD."""
    return (describe_inputs(signature.inputs), signature.state, f"{signature.calls:,}",
            *signature.costs())


def register(function: Function) -> None:
    """Makes `report()` show a function as long as the function exists."""
    with _lock:
        _functions.add(function)


class Summary(Tables):
    """The functions of a process, and the graphs that torch.compile has made. In a
    notebook and as text, it consists of tables.

    Attributes:
      functions: (name, Report) of each function that exists; the name is the file that
        the function was loaded from. Functions of graphs of torch are part of `torch`.
      torch: the report of `tandem.torch`, or None if that was not imported.
    """

    def __init__(self, functions: list[tuple[str, Report]],
                 torch: TorchReport | None) -> None:
        self.functions = functions
        self.torch = torch

    def tables(self) -> list[Table]:
        rows = [(name, *signature_row(signature))
                for name, report in self.functions for signature in report.signatures]
        rows += [(name, "not called yet") for name, report in self.functions
                 if not report.signatures]
        own = [Table("functions", ("function", *SIGNATURE_HEAD), rows)]
        return own + (self.torch.tables() if self.torch else [])

    def __repr__(self) -> str:
        graphs = f" and {len(self.torch.graphs)} graphs of torch" if self.torch else ""
        return f"<tandem.Summary of {len(self.functions)} functions{graphs}>"

    def json(self) -> str:
        """The summary as JSON text."""
        return json.dumps({
            "functions": [{"name": name, **report.data} for name, report in self.functions],
            "torch": self.torch.data() if self.torch else None})


def report() -> Summary:
    """The measurements and decisions in this process, for each function that exists and
    for each graph that `torch.compile` has made with Tandem (`tandem.torch.report`)."""
    torch: typing.Any = sys.modules.get("tandem.torch")
    of_graphs = set(map(id, torch.graph_functions() if torch else []))
    with _lock:
        functions = [f for f in _functions if id(f) not in of_graphs]
    return Summary(sorted(((f.name, f.report()) for f in functions), key=lambda item: item[0]),
                   torch.report() if torch else None)
