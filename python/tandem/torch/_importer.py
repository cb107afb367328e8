"""Graphs of torch.fx with ATen ops as graphs of Tandem."""

from __future__ import annotations

import dataclasses
import operator
import typing
from collections.abc import Sequence

import torch
from torch.fx import Node

from .._errors import Error
from . import (  # noqa: F401  (fill the table)
    _backward, _backward_resize, _backward_windows, _elementwise, _index, _nn, _norms, _random,
    _reduce, _resize, _shape)
from ._sizes import NeedsSizes, SizedBuilder, bind, wrap
from ._table import HANDLERS, Context, Unsupported, Value, name_of


@dataclasses.dataclass(frozen=True)
class Fallback:
    """An op that is left to torch.

    Attributes:
      op: the name of the op, such as "aten.sort.default".
      reason: why it is left to torch.
      location: the line of the model that made the op, or "".
    """

    op: str
    reason: str
    location: str

    def __str__(self) -> str:
        place = f" ({self.location})" if self.location else ""
        return f"{self.op}{place}: {self.reason}"


def location_of(node: Node) -> str:
    """The line of the model that made a node, as FILE:LINE."""
    return location_in(node.meta.get("stack_trace") or "")


def location_in(trace: str) -> str:
    """The last line of a stack trace, as FILE:LINE, or ""."""
    for line in reversed(trace.splitlines()):
        line = line.strip()
        if line.startswith("File "):
            file, _, rest = line.removeprefix("File ").partition(", line ")
            return f"{file.strip(chr(34))}:{rest.partition(',')[0]}"
    return ""


def op_name(node: Node) -> str:
    return str(node.target)


class Importer:
    """Adds the nodes of a graph to a Builder, one after another.

    Args:
      symbols: the numbers of the symbols of sizes. If symbols have no numbers, the
        graph is built for all sizes, or NeedsSizes is raised.
    """

    def __init__(self, symbols: dict[typing.Any, int] | None = None) -> None:
        self.builder = SizedBuilder()
        # A Value, a size, or a tuple of these for each node.
        self.values: dict[Node, typing.Any] = {}
        self.symbols = None if symbols is None else bind(symbols)

    def add_input(self, node: Node, name: str = "", order: list[int] | None = None) -> None:
        """Adds an input. With `order`, calls give it with its dims in this order."""
        tensor = node.meta["val"]
        shape = [self.size(s) for s in tensor.shape]
        value = self.builder.add_input(
            name_of(tensor.dtype), [shape[d] for d in order] if order else shape,
            name or node.name)
        if order:
            value = self.builder.transpose(
                value, permutation=[order.index(d) for d in range(len(order))])
            self.builder.note(value, shape)
        self.values[node] = value

    def in_order(self, node: Node, order: list[int] | None) -> Value:
        """The value of a node with its dims in this order."""
        value: Value = self.values[node]
        return self.builder.transpose(value, permutation=order) if order else value

    def input_size(self, node: Node, number: typing.Any) -> typing.Any:
        """The value of an input that is a size, for a call with `number`."""
        return number if self.symbols is not None else wrap(node.meta["val"])

    def add_constant(self, node: Node, tensor: torch.Tensor) -> None:
        self.values[node] = self.builder.constant(tensor.detach().contiguous())

    def add(self, node: Node) -> None:
        """Adds a node. Raises Unsupported if the node must be left to torch."""
        arguments = torch.fx.node.map_arg(node.args, self._value)
        options = torch.fx.node.map_arg(node.kwargs, self._value)
        if node.target is operator.getitem:
            self.values[node] = _item(*arguments)
        elif _is_arithmetic(node):
            self.values[node] = _size(self, node, arguments)
        else:
            self.values[node] = self._call(node, arguments, options)

    def _value(self, node: Node) -> typing.Any:
        return self.values[node]

    def _call(self, node: Node, arguments: tuple[typing.Any, ...],
              options: dict[str, typing.Any]) -> typing.Any:
        for each in (node, *node.all_input_nodes):
            device = getattr(each.meta.get("val"), "device", torch.device("cpu"))
            if device.type != "cpu":
                raise Unsupported(f"tensors on {device} are left to torch")
        if any(isinstance(operand, _Opaque) for operand in (*arguments, *options.values())):
            raise Unsupported("Tandem has no type for an operand, which is left to torch")
        handler = HANDLERS.get(node.target)
        if handler is None:
            raise Unsupported("Tandem has no such op")
        self.builder.set_location(location_of(node) or node.name)
        # These options only determine the device of a result and the order of its
        # elements in memory.
        options = {name: value for name, value in options.items()
                   if name not in ("memory_format", "layout", "device", "pin_memory",
                                   "non_blocking")}
        first = node.args[0] if node.args else None
        context = Context(self.builder, op_name(node), self.result_of(node),
                          self.result_of(first) if isinstance(first, Node) else None)
        try:
            return self._noted(handler(context, *arguments, **options), context.result)
        except Error as error:
            raise Unsupported(error.message) from error
        except (Unsupported, NeedsSizes):
            raise
        except Exception as error:  # The function did not expect this use of the op.
            raise Unsupported(f"unexpected arguments: {error}") from error

    def _noted(self, value: typing.Any, result: typing.Any) -> typing.Any:
        """The value, after its shape has been noted in the builder."""
        for each, tensor in zip(value if isinstance(value, tuple) else [value],
                                result if isinstance(result, (tuple, list)) else [result]):
            if isinstance(each, Value):
                self.builder.note(each, [self.size(s) for s in tensor.shape])
        return value

    def result_of(self, node: Node) -> typing.Any:
        """The metadata of a node's result, with numbers for its sizes if symbols have
        numbers."""
        if self.symbols is None or not any(isinstance(v, torch.SymInt) for v in _sizes(node.meta["val"])):
            return node.meta["val"]
        return torch.utils._pytree.tree_map_only(torch.Tensor, self._concrete,
                                                 node.meta["val"])

    def _concrete(self, tensor: torch.Tensor) -> torch.Tensor:
        shape = [self.size(s) for s in tensor.shape]
        strides = [self.size(s) for s in tensor.stride()]
        return torch.empty_strided(shape, strides, dtype=tensor.dtype, device="meta")

    def size(self, size: int | torch.SymInt) -> typing.Any:
        """A size as a number, or as a Size if symbols have no numbers."""
        if not isinstance(size, torch.SymInt):
            return int(size)
        if self.symbols is None:
            return wrap(size)
        number = size.node.expr.xreplace(self.symbols)
        if not number.is_number:
            raise Unsupported("a size depends on the data")
        return int(number)


def _sizes(value: typing.Any) -> list[typing.Any]:
    tensors = value if isinstance(value, (list, tuple)) else [value]
    return [size for t in tensors if isinstance(t, torch.Tensor) for size in t.shape]


def _item(values: typing.Any, index: int) -> typing.Any:
    if index >= len(values):
        raise Unsupported("this result is not computed")
    return values[index]


def _is_arithmetic(node: Node) -> bool:
    """Whether a node computes a size and no tensor."""
    return not isinstance(node.meta.get("val"), (torch.Tensor, tuple, list))


def _size(importer: Importer, node: Node, arguments: tuple[typing.Any, ...]) -> typing.Any:
    if str(node.target).startswith("aten.sym_size"):
        value, dim = arguments
        return importer.builder.type(value)[1][dim]
    value = node.meta.get("val")
    if isinstance(value, torch.SymInt):
        return importer.size(value)
    if value is None:
        return None  # An assertion, which holds for sizes that torch guards.
    return value


def find_symbols(inputs: Sequence[Node]) -> dict[typing.Any, tuple[int, int | None]]:
    """For each symbol of sizes, the input that has it: (input, dim), or (input, None)
    for an input that is the size itself."""
    found: dict[typing.Any, tuple[int, int | None]] = {}
    for number, node in enumerate(inputs):
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt) and value.node.expr.is_symbol:
            found.setdefault(value.node.expr, (number, None))
        if isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt) and size.node.expr.is_symbol:
                    found.setdefault(size.node.expr, (number, dim))
    return found


def _hint(size: int | torch.SymInt) -> int:
    """The size that torch traced a graph with; any number if torch had none."""
    if not isinstance(size, torch.SymInt):
        return int(size)
    hint = size.node.hint
    return int(hint) if hint is not None else 3


def find_fallbacks(graph: torch.fx.Graph) -> dict[Node, Fallback]:
    """The nodes that must be left to torch. All nodes are added to a Builder that is
    then dropped; results of those that cannot be added become inputs."""
    nodes = [n for n in graph.nodes if n.op == "placeholder"]
    importer = Importer({symbol: _hint_of(nodes[number], dim)
                         for symbol, (number, dim) in find_symbols(nodes).items()})
    fallbacks: dict[Node, Fallback] = {}
    for node in graph.nodes:
        reason = _try(importer, node)
        if reason:
            fallbacks[node] = Fallback(op_name(node), reason, location_of(node))
            importer.values[node] = _stand_in(importer, node)
    return fallbacks


def is_write(node: Node) -> bool:
    """Whether a node writes a result into an input. torch does so after the call."""
    return (node.target is torch.ops.aten.copy_.default
            and isinstance(node.args[0], Node) and node.args[0].op == "placeholder")


def _hint_of(node: Node, dim: int | None) -> int:
    value = node.meta["val"]
    return _hint(value if dim is None else value.shape[dim])


def _try(importer: Importer, node: Node) -> str:
    """Adds a node; the reason if that is not possible."""
    try:
        if node.op == "placeholder" and not isinstance(node.meta["val"], torch.Tensor):
            importer.values[node] = importer.size(node.meta["val"])
        elif node.op in ("placeholder", "get_attr"):
            importer.add_input(node)
        elif node.op == "call_function":
            importer.add(node)
    except Unsupported as unsupported:
        return str(unsupported)
    return ""


class _Opaque:
    """The result of a node that is left to torch and has no equivalent."""


def _stand_in(importer: Importer, node: Node) -> typing.Any:
    def value(tensor: torch.Tensor) -> typing.Any:
        try:
            shape = [importer.size(s) for s in tensor.shape]
            return importer.builder.input(name_of(tensor.dtype), shape)
        except (Unsupported, Error):
            return _Opaque()
    result = node.meta.get("val")
    if isinstance(result, (list, tuple)):
        return tuple(value(t) if isinstance(t, torch.Tensor) else t for t in result)
    return value(result) if isinstance(result, torch.Tensor) else _Opaque()


__all__ = ["Fallback", "Importer", "Value", "find_fallbacks", "find_symbols", "location_in",
           "location_of", "op_name"]
