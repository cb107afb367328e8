"""The break-even table of a function over sizes of its free dims."""

from __future__ import annotations

import itertools
import statistics
import time
import typing
from collections.abc import Callable, Mapping, Sequence

from ._errors import Error
from ._function import Function
from ._inputs import free_dims, random_inputs
from ._format import format_ns, html_page_part, html_table, text_table

if typing.TYPE_CHECKING:
    from .training import TrainingStep


def sweep(function: Function | TrainingStep, *, seconds: float = 0.2, seed: int = 0,
          **sizes: Sequence[int]) -> typing.Any:
    """Measures a function, or a training step, for all combinations of sizes of its free
    dims:

        tandem.sweep(f, batch=[1, 2, 4, 8])

    Each row has the sizes, the time of an eager call e, of a compiled call c, the cost
    of compiling C (all in seconds), the number of calls n_star after which compiling
    pays (None if it does not), and the verdict. Inputs are random. `seconds` is spent
    on each tier and combination. For a training step, a call is one step, and a row
    also has `differentiate`, the time to make the graph of the step, in seconds. Both
    tiers need this graph, so this time is not part of C.

    Returns a pandas.DataFrame if pandas is installed, otherwise the rows as a
    Sweep.
    """
    rows = measure_rows(function, sizes, seconds, seed)
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


class Sweep(list[dict[str, typing.Any]]):
    """The rows of a sweep, as dicts. In a notebook it is a table; `repr` is a table of text."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self._names = names

    def __repr__(self) -> str:
        return text_table(*self._cells())

    def _repr_html_(self) -> str:
        return html_page_part(html_table(*self._cells()))

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        head = [*self._names, "eager e", "compiled c", "e/c", "compile C", "n*", "verdict"]
        return head, [[*(str(row[name]) for name in self._names),
                       format_ns(row["e"] * 1e9), format_ns(row["c"] * 1e9),
                       f"{row['e'] / row['c']:.2f}x", format_ns(row["C"] * 1e9),
                       "–" if row["n_star"] is None else f"{row['n_star']:,.0f}",
                       row["verdict"]] for row in self]


def measure_rows(function: Function | TrainingStep, sizes: Mapping[str, Sequence[int]],
                 seconds: float = 0.2, seed: int = 0) -> Sweep:
    """The rows of `sweep`, as a Sweep."""
    free = free_dims(function)
    unknown = [name for name in sizes if name not in free]
    if unknown or not sizes:
        raise Error(f"the function has no free dim '{unknown[0]}'" if unknown
                    else "no sizes are given", "input",
                    hint=f"free dims: {', '.join(free) or 'none'}")
    missing = [name for name in free if name not in sizes]
    if missing:
        raise Error(f"dim '{missing[0]}' has no sizes", "input",
                    hint=f"pass {missing[0]}=[1]")
    rows = Sweep(list(sizes))
    for values in itertools.product(*sizes.values()):
        dims = dict(zip(sizes, values))
        rows.append(dims | _measure(function, dims, seconds, seed))
    return rows


def _measure(function: Function | TrainingStep, dims: Mapping[str, int], seconds: float,
             seed: int) -> dict[str, typing.Any]:
    inputs = random_inputs(function, dims, seed)
    if isinstance(function, Function):
        return _measure_tiers(function, inputs, seconds)
    start = time.perf_counter()
    made = function.function(*inputs)
    differentiated = time.perf_counter() - start
    rest = random_inputs(made, {}, seed)[len(inputs):]
    for array in rest:  # Second moments are not negative.
        if array.dtype.kind == "f":
            array[...] = abs(array) / 100
    rest[-1][...] = 0  # With the rate 0, all calls compute the same.
    row = _measure_tiers(made, [*inputs, *rest], seconds)
    return row | {"differentiate": differentiated}


def _measure_tiers(function: Function, inputs: Sequence[typing.Any],
                   seconds: float) -> dict[str, typing.Any]:
    signature = [(spec.dtype, tuple(x.shape))
                 for spec, x in zip(function.inputs, inputs)]
    cost = function._impl.prepare(signature, "compiled") / 1e9
    eager = _time(lambda: function(*inputs, tier="eager"), seconds)
    compiled = _time(lambda: function(*inputs, tier="compiled"), seconds)
    n_star = cost / (eager - compiled) if eager > compiled else None
    return {"e": eager, "c": compiled, "C": cost, "n_star": n_star,
            "verdict": "compile" if n_star is not None else "eager"}


def _time(call: Callable[[], object], seconds: float) -> float:
    """The median time of a call, in seconds."""
    call()
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < 5:
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)

