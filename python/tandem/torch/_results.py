"""The results of calls of graphs: tensors with the strides that torch expects, views of
inputs, and inputs that were written to."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.multiprocessing.reductions import StorageWeakRef

from .._function import Function
from ._importer import Importer, is_write

# The origin of a result: ("output", strides), ("permuted", dims), ("input", number),
# ("view", graph) or ("value", value).
Source = tuple[str, typing.Any]


def memory_order(tensor: typing.Any) -> list[int] | None:
    """The dims of a tensor in the order of memory, if its elements fill the memory
    without gaps in another order than those of a row-major tensor. None for all others."""
    if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
        return None
    shape, strides = tensor.shape, tensor.stride()
    hints = [stride.node.hint if isinstance(stride, torch.SymInt) else stride
             for stride in strides]
    if None in hints or any(statically_known_true(size == 0) for size in shape):
        return None
    order = sorted(range(len(shape)), key=lambda d: (-hints[d], d))
    large = [d for d in order if not statically_known_true(shape[d] == 1)]
    expected: typing.Any = 1
    for dim in reversed(large):  # Dims of size 1 are anywhere.
        if not statically_known_true(strides[dim] == expected):
            return None
        expected = expected * shape[dim]
    return None if large == sorted(large) else order


class Writes:
    """The inputs that a graph writes to.

    Attributes:
      inputs: their numbers.
      nodes: the nodes of the new values.
    """

    def __init__(self, graph: torch.fx.Graph, inputs: Sequence[torch.fx.Node]) -> None:
        number = {node: i for i, node in enumerate(inputs)}
        found = {number[node.args[0]]: node for node in graph.nodes if is_write(node)}
        self.inputs = list(found)
        self.nodes = list(found.values())
        # Others are copied after the call.
        self.is_in_place = [_is_row_major(inputs[i].meta["val"]) for i in self.inputs]

    def updates(self, varying: Sequence[int], first: int) -> dict[int | str, int | str]:
        """Maps inputs of a function to the outputs, from number `first` on, that are
        written to them. The inputs are the inputs `varying` of the graph."""
        return {varying.index(source): first + i for i, source in enumerate(self.inputs)
                if self.is_in_place[i]}

    def finish(self, arguments: Sequence[typing.Any], results: Sequence[torch.Tensor]) -> None:
        """Copies the results that no function wrote in place."""
        for source, result, is_done in zip(self.inputs, results, self.is_in_place):
            if not is_done:
                arguments[source].copy_(result)


def _is_row_major(tensor: torch.Tensor) -> bool:
    expected: typing.Any = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride())):
        if not statically_known_true(size == 1) and not statically_known_true(
                stride == expected):
            return False
        expected = expected * size
    return True


class Bound:
    """A function for one set of sizes."""

    def __init__(self, function: Function | None, sources: list[Source],
                 permuted: dict[int, list[int]], writes: Writes) -> None:
        self.function = function
        # Results are tensors of torch because an input is.
        self.unused = [torch.zeros(())]
        self.sources = sources
        # The inputs that the function takes with their dims in another order.
        self.permuted = permuted
        self.writes = writes
        self.is_plain = not permuted and not writes.inputs and all(
            kind == "output" and what is None for kind, what in sources)

    def call(self, varying: Sequence[torch.Tensor], inputs: list[typing.Any]) -> list[typing.Any]:
        if self.permuted:
            varying = list(varying)
            for number, order in self.permuted.items():
                varying[number] = varying[number].permute(order)
        varying = varying or self.unused
        results: typing.Any = self.function(*varying) if self.function else ()
        results = results if isinstance(results, tuple) else (results,)
        if self.is_plain:
            return list(results)
        if self.writes.inputs:
            self.writes.finish(inputs, results[-len(self.writes.inputs):])
        made = iter(results)
        return [next(made) if kind == "output" and what is None
                else next(made).permute(what) if kind == "permuted"
                else what.apply(next(made)) if kind == "output"
                else inputs[what] if kind == "input"
                else what(*inputs) if kind == "view" else what
                for kind, what in self.sources]


class InTorch:
    """A graph that torch runs for one set of sizes."""

    function = None
    is_plain = False

    def __init__(self, module: torch.fx.GraphModule) -> None:
        self.module = module

    def call(self, varying: Sequence[torch.Tensor], inputs: list[typing.Any]) -> list[typing.Any]:
        return list(self.module(*inputs))


class Strides:
    """The strides that torch expects of a result that is not a row-major tensor."""

    def __init__(self, shape: list[int], strides: list[int]) -> None:
        self.shape = shape
        self.strides = strides
        # Elements along a dim with stride 0 are one element.
        self.apart = [min(size, 1) if stride == 0 else size
                      for size, stride in zip(shape, strides)]

    @staticmethod
    def of(importer: Importer, node: torch.fx.Node) -> Strides | None:
        tensor = node.meta["val"]
        strides = [importer.size(s) for s in tensor.stride()]
        shape = [importer.size(s) for s in tensor.shape]
        expected = 1
        for size, stride in zip(reversed(shape), reversed(strides)):
            if size != 1 and stride != expected:  # Dims of size 1 are anywhere.
                return None if 0 in shape else Strides(shape, strides)
            expected *= size
        return None

    def apply(self, tensor: torch.Tensor) -> torch.Tensor:
        result = torch.empty_strided(self.shape, self.strides, dtype=tensor.dtype)
        for dim, size in enumerate(self.apart):
            tensor = tensor.narrow(dim, 0, size)
        result.as_strided(self.apart, self.strides).copy_(tensor)
        return result


def find_views(inputs: list[torch.fx.Node],
                output: torch.fx.Node) -> dict[torch.fx.Node, torch.fx.GraphModule]:
    """The results that are views of inputs, each with a graph that makes the view. torch
    itself makes these, because torch takes strides and offset from the view that it is
    given."""
    memory = {StorageWeakRef(node.meta["val"].untyped_storage()) for node in inputs
              if isinstance(node.meta["val"], torch.Tensor)}
    views = {}
    for node in output.args[0]:
        if (isinstance(node, torch.fx.Node) and node.op == "call_function"
                and isinstance(node.meta.get("val"), torch.Tensor) and not is_write(node)
                and StorageWeakRef(node.meta["val"].untyped_storage()) in memory):
            views[node] = _graph_of(inputs, node)
    return views


def _graph_of(inputs: list[torch.fx.Node], result: torch.fx.Node) -> torch.fx.GraphModule:
    """The part of a graph that computes one node from the inputs."""
    graph = torch.fx.Graph()
    copies = {node: graph.node_copy(node) for node in inputs}

    def copy(node: torch.fx.Node) -> torch.fx.Node:
        if node not in copies:
            for operand in node.all_input_nodes:
                copy(operand)
            copies[node] = graph.node_copy(node, lambda operand: copies[operand])
        return copies[node]

    graph.output(copy(result))
    return torch.fx.GraphModule(torch.nn.Module(), graph)
