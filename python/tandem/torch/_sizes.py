"""Sizes that depend on the sizes of inputs."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.utils._sympy import functions

from .. import _tandem
from ..builder import Builder


class NeedsSizes(Exception):
    """A graph that can only be built for given sizes of its inputs. The text is the
    reason."""


class Size:
    """A size of a traced graph with symbols, or one that is not known.

    A size takes part in arithmetic. A comparison has the result that it has for all
    sizes that the trace is valid for, and raises NeedsSizes if there is none. A size
    never adds a guard to the trace.
    """

    def __init__(self, value: torch.SymInt | None) -> None:
        self.value = value

    def known(self) -> torch.SymInt:
        if self.value is None:
            raise NeedsSizes("the size of an intermediate result is not known")
        return self.value

    def is_equal(self, other: typing.Any) -> bool:
        """Whether the sizes are known to be equal."""
        if self.value is None or (isinstance(other, Size) and other.value is None):
            return False
        return bool(statically_known_true(self.value == _raw(other)))

    def __add__(self, other: typing.Any) -> typing.Any:
        return wrap(self.known() + _raw(other))

    def __radd__(self, other: typing.Any) -> typing.Any:
        return wrap(_raw(other) + self.known())

    def __sub__(self, other: typing.Any) -> typing.Any:
        return wrap(self.known() - _raw(other))

    def __rsub__(self, other: typing.Any) -> typing.Any:
        return wrap(_raw(other) - self.known())

    def __mul__(self, other: typing.Any) -> typing.Any:
        return wrap(self.known() * _raw(other))

    __rmul__ = __mul__

    def __floordiv__(self, other: typing.Any) -> typing.Any:
        return wrap(self.known() // _raw(other))

    def __mod__(self, other: typing.Any) -> typing.Any:
        return wrap(self.known() % _raw(other))

    def __neg__(self) -> typing.Any:
        return wrap(-self.known())

    def __eq__(self, other: object) -> bool:
        return _decide(self.known() == _raw(other), self.known() != _raw(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: typing.Any) -> bool:
        return _decide(self.known() < _raw(other), self.known() >= _raw(other))

    def __ge__(self, other: typing.Any) -> bool:
        return not self < other

    def __gt__(self, other: typing.Any) -> bool:
        return _decide(self.known() > _raw(other), self.known() <= _raw(other))

    def __le__(self, other: typing.Any) -> bool:
        return not self > other

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        return hash(self.known().node.expr)

    def __index__(self) -> int:
        raise NeedsSizes(f"the size {self.known()} is needed as a number")

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __repr__(self) -> str:
        return f"Size({self.value})"


def wrap(size: typing.Any) -> typing.Any:
    """A size of a trace as an integer or a Size."""
    if isinstance(size, torch.SymInt):
        expr = size.node.expr
        return int(expr) if expr.is_number else Size(size)
    return size


def _raw(size: typing.Any) -> typing.Any:
    return size.known() if isinstance(size, Size) else size


def _decide(holds: typing.Any, fails: typing.Any) -> bool:
    if statically_known_true(holds):
        return True
    if statically_known_true(fails):
        return False
    raise NeedsSizes(f"whether {holds} depends on the sizes of the inputs")


def same_shape(first: Sequence[typing.Any], second: Sequence[typing.Any]) -> bool:
    """Whether two shapes are known to be equal."""
    return len(first) == len(second) and all(
        a.is_equal(b) if isinstance(a, Size) else b.is_equal(a) if isinstance(b, Size)
        else a == b for a, b in zip(first, second))


# Divisions of torch's expressions of sizes, in the notation of Builder. Operands are
# not negative.
_DIVISIONS = {functions.FloorDiv: "floordiv", functions.CleanDiv: "floordiv",
              functions.Mod: "mod", functions.PythonMod: "mod"}


def _text(expr: typing.Any, names: set[str]) -> str:
    """An expression of torch in the notation of Builder."""
    if expr.is_Integer:
        return str(int(expr))
    if expr.is_Symbol and str(expr) in names:
        return str(expr)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return " * ".join([_text(expr.base, names)] * int(expr.exp))
    parts = [f"({_text(part, names)})" for part in expr.args]
    if expr.is_Add or expr.is_Mul:
        return (" + " if expr.is_Add else " * ").join(parts)
    if expr.func in _DIVISIONS:
        return f" {_DIVISIONS[expr.func]} ".join(parts)
    raise NeedsSizes(f"{expr} is no expression of dims of inputs")


# The attributes whose entries may be expressions (see Builder).
_SIZED = ("shape", "starts", "limits", "low", "high", "result")


def _broadcast(shapes: list[tuple[typing.Any, ...]]) -> list[typing.Any]:
    """The shape that NumPy's rules give."""
    rank = max(map(len, shapes))
    apart = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return [_merge(sizes) for sizes in zip(*apart)]


def _merge(sizes: Sequence[typing.Any]) -> typing.Any:
    """The size of a dim of the result from those of the operands."""
    symbolic = [size for size in sizes if isinstance(size, Size)]
    number = next((s for s in sizes if not isinstance(s, Size) and s != 1), 1)
    if number != 1 or not symbolic:
        return number
    first = next((size for size in symbolic if size.value is not None), symbolic[0])
    if all(size is first or first.is_equal(size) for size in symbolic):
        return first
    # All others are equal to this one, or 1.
    is_large = first.value is not None and statically_known_true(first.value != 1)
    return first if is_large else Size(None)


class SizedBuilder(Builder):
    """A Builder whose attributes may hold Sizes, and whose types have them.

    Attributes:
      names: the names of dims of inputs, which are those of torch's symbols.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        # The shapes of values with dims that the Builder does not know.
        self._shapes: dict[_tandem.Value, tuple[typing.Any, ...]] = {}

    def add_input(self, dtype: str, shape: Sequence[typing.Any], name: str) -> _tandem.Value:
        """Adds an input. The dim of a symbol has the symbol's name."""
        symbols = [_symbol_of(size) for size in shape]
        self.names.update(filter(None, symbols))
        value = self.input(dtype, [None if isinstance(s, Size) else s for s in shape],
                           dims=symbols, name=name)
        self.note(value, shape)
        return value

    def note(self, value: _tandem.Value, shape: Sequence[typing.Any]) -> None:
        """Notes what is known of the shape of a value."""
        if any(isinstance(size, Size) for size in shape):
            self._shapes[value] = tuple(shape)

    def op(self, name: str, *operands: _tandem.Value, **attributes: typing.Any
           ) -> _tandem.Value:
        given = {key: self._entries(value, key) for key, value in attributes.items()}
        kind = given.get("type")
        if isinstance(kind, dict):
            given["type"] = kind | {"dims": self._entries(kind["dims"], "result")}
        value = super().op(name, *operands, **given)
        if "shape" in attributes:
            self.note(value, attributes["shape"])
        elif _tandem.is_elementwise(name):
            self.note(value, _broadcast([self.type(x)[1] for x in operands]))
        return value

    def _entries(self, entries: typing.Any, name: str) -> typing.Any:
        several = entries if isinstance(entries, (list, tuple)) else [entries]
        if not any(isinstance(entry, Size) for entry in several):
            return entries
        if name not in _SIZED:
            raise NeedsSizes(f"the attribute '{name}' depends on the sizes of the inputs")
        return [_text(entry.known().node.expr, self.names) if isinstance(entry, Size)
                else entry for entry in several]

    def type(self, value: _tandem.Value) -> tuple[str, tuple[typing.Any, ...]]:
        dtype, shape = super().type(value)
        if None not in shape:
            return dtype, shape
        noted = self._shapes.get(value) or (Size(None),) * len(shape)
        return dtype, tuple(n if size is None else size for size, n in zip(shape, noted))


def _symbol_of(size: typing.Any) -> str:
    """The name of the symbol that a size is, or ""."""
    if not isinstance(size, Size) or not size.known().node.expr.is_Symbol:
        return ""
    return str(size.known().node.expr)


def bind(symbols: dict[typing.Any, int]) -> dict[typing.Any, typing.Any]:
    """Symbols of sizes with their numbers, for sympy."""
    return {symbol: sympy.Integer(n) for symbol, n in symbols.items()}
