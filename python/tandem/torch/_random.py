"""Random numbers of graphs.

By default, torch draws the numbers before the call of a function, with its own generator
and in the order of the graph. A model therefore draws the same numbers as in torch eager.
With the option `rng="tandem"`, the op `random` (Philox4x32-10) makes masks of dropout in
the function, from a key that torch's generator draws for each call.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Sequence

import torch

from .._function import Function
from ..builder import Builder
from ._sizes import bind
from ._table import Context, Value, handles

aten = torch.ops.aten

# Ops that read only the shape, the strides and the dtype of their tensor.
_OF_METADATA = {
    getattr(packet, overload)
    for packet, overloads in {
        aten.rand_like: ["default"], aten.randn_like: ["default"],
        aten.randint_like: ["default", "low_dtype"], aten.bernoulli: ["p"],
        aten.uniform: ["default"], aten.normal_functional: ["default"],
        aten.exponential: ["default"], aten.geometric: ["default"],
        aten.log_normal: ["default"], aten.cauchy: ["default"],
        aten.random: ["default", "from", "to"], aten.rand: ["default"],
        aten.randn: ["default"], aten.randint: ["default", "low"],
        aten.randperm: ["default"],
    }.items() for overload in overloads if overload in packet.overloads()}
_DROPOUT = aten.native_dropout.default

# The counters of the ops of one graph are this far apart, so that no two draw the same.
_BLOCKS_OF_OP = 1 << 40

# Draws a tensor, given the arguments of a call of the graph.
Draw = Callable[[Sequence[typing.Any]], torch.Tensor]
# For each symbol of sizes, the input that has it (`find_symbols`).
Symbols = dict[typing.Any, tuple[int, int | None]]


def is_random(node: torch.fx.Node) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def hoist_draws(graph: torch.fx.Graph, rng: str, symbols: Symbols) -> list[Draw]:
    """Replaces random ops by inputs behind the others. Returns a function for each of
    these inputs, which makes it.

    An op behind a random op that reads elements of tensors, such as multinomial, is not
    replaced, because the numbers that it draws depend on the order of the ops.
    """
    if rng == "tandem":
        _draw_in_graph(graph)
    draws: list[Draw] = []
    for node in list(graph.nodes):
        if node.target is draw_key:
            draws.append(lambda _: draw_key())
            _replace(node, _input(graph, node.meta["val"], node))
        elif node.target is _DROPOUT:
            mask = None
            if _is_drawn(node):
                mask = _input(graph, node.meta["val"][1], node)
                draws.append(_mask_of(node.meta["val"][1], node.args[1], symbols))
            _replace_dropout(node, mask)
        elif node.target in _OF_METADATA:
            draws.append(_call_of(node, symbols))
            _replace(node, _input(graph, node.meta["val"], node))
        elif is_random(node):
            break
    return draws


def _replace(node: torch.fx.Node, other: torch.fx.Node) -> None:
    node.replace_all_uses_with(other)
    node.graph.erase_node(node)


def _input(graph: torch.fx.Graph, value: torch.Tensor, like: torch.fx.Node) -> torch.fx.Node:
    """Adds an input behind the others."""
    first = next(node for node in graph.nodes if node.op != "placeholder")
    with graph.inserting_before(first):
        made = graph.placeholder(f"drawn_{like.name}")
    made.meta = dict(like.meta) | {"val": value}
    return made


def _is_drawn(node: torch.fx.Node) -> bool:
    """Whether a dropout draws numbers."""
    _, share, training = node.args
    return bool(training) and 0 < share < 1 and node.meta["val"][0].numel() != 0


def _replace_dropout(node: torch.fx.Node, mask: torch.fx.Node | None) -> None:
    """Replaces the two results of a dropout by its operand times the mask times a factor.
    Without a mask, all elements are kept, or none."""
    graph = node.graph
    x, share, training = node.args
    none_kept = bool(training) and share == 1
    with graph.inserting_before(node):
        if mask is None:
            fill = aten.zeros_like if none_kept else aten.ones_like
            mask = graph.call_function(fill.default, (x,), {"dtype": torch.bool})
            mask.meta = dict(node.meta) | {"val": node.meta["val"][1]}
        scale = 1 / (1 - share) if training and share != 1 else 1.0
        kept = graph.call_function(aten.native_dropout_backward.default, (x, mask, scale))
        kept.meta = dict(node.meta) | {"val": node.meta["val"][0]}
    for user in list(node.users):
        _replace(user, mask if user.args[1] else kept)
    graph.erase_node(node)


class _Sizes:
    """Numbers of which some depend on symbols of sizes."""

    def __init__(self, values: Sequence[typing.Any], symbols: Symbols) -> None:
        self.values = list(values)
        self.is_fixed = not any(isinstance(v, torch.SymInt) for v in self.values)
        self.symbols = symbols

    def of(self, arguments: Sequence[typing.Any]) -> list[typing.Any]:
        """The numbers for the arguments of a call."""
        if self.is_fixed:
            return self.values
        numbers = bind({symbol: int(arguments[i] if dim is None else arguments[i].shape[dim])
                        for symbol, (i, dim) in self.symbols.items()})
        return [int(v.node.expr.xreplace(numbers)) if isinstance(v, torch.SymInt) else v
                for v in self.values]


def _mask_of(mask: torch.Tensor, share: float, symbols: Symbols) -> Draw:
    """Draws a mask as torch's dropout does: in the order of memory."""
    shape, strides = _Sizes(mask.shape, symbols), _Sizes(mask.stride(), symbols)

    def draw(arguments: Sequence[typing.Any]) -> torch.Tensor:
        empty = torch.empty_strided(shape.of(arguments), strides.of(arguments),
                                    dtype=torch.bool)
        return empty.bernoulli_(1 - share)

    return draw


def _call_of(node: torch.fx.Node, symbols: Symbols) -> Draw:
    """Calls the op of a node, with an empty tensor instead of its tensor."""
    leaves, spec = torch.utils._pytree.tree_flatten((node.args, node.kwargs))
    values = [leaf.meta["val"] if isinstance(leaf, torch.fx.Node) else leaf
              for leaf in leaves]
    tensor = next((i for i, v in enumerate(values) if isinstance(v, torch.Tensor)), None)
    like = None if tensor is None else values[tensor]
    shape = _Sizes(() if like is None else like.shape, symbols)
    strides = _Sizes(() if like is None else like.stride(), symbols)
    given = _Sizes(values, symbols)

    def draw(arguments: Sequence[typing.Any]) -> torch.Tensor:
        numbers = list(given.of(arguments))
        if tensor is not None and like is not None:
            numbers[tensor] = torch.empty_strided(
                shape.of(arguments), strides.of(arguments), dtype=like.dtype)
        args, options = torch.utils._pytree.tree_unflatten(numbers, spec)
        return typing.cast(torch.Tensor, node.target(*args, **options))

    return draw


def draw_key() -> torch.Tensor:
    """A key for the random numbers of one call, drawn by torch's generator."""
    return torch.empty((), dtype=torch.int64).random_()


def _draw_in_graph(graph: torch.fx.Graph) -> None:
    """Replaces the masks of dropouts by ops of Tandem with one key."""
    nodes = [node for node in graph.nodes if node.target is _DROPOUT and _is_drawn(node)
             and all(isinstance(size, int) for size in node.meta["val"][0].shape)]
    if not nodes:
        return
    first = next(node for node in graph.nodes if node.op != "placeholder")
    with graph.inserting_before(first):
        key = graph.call_function(draw_key)
    key.meta = dict(nodes[0].meta) | {
        "val": nodes[0].meta["val"][0].new_empty((), dtype=torch.int64)}
    for number, node in enumerate(nodes):
        shape = list(node.meta["val"][0].shape)
        with graph.inserting_before(node):
            mask = graph.call_function(torch.ops.tandem.random_mask.default,
                                       (key, number * _BLOCKS_OF_OP, shape, node.args[1]))
        mask.meta = dict(node.meta) | {"val": node.meta["val"][1]}
        _replace_dropout(node, mask)


def _random_mask(key: torch.Tensor, counter: int, shape: Sequence[int],
                 share: float) -> torch.Tensor:
    """A tensor of bools, each of which is false with the probability `share`."""
    return typing.cast(torch.Tensor, _mask_function(counter, tuple(shape), share)(key))


def _fake_mask(key: torch.Tensor, counter: int, shape: Sequence[int],
               share: float) -> torch.Tensor:
    return key.new_empty(list(shape), dtype=torch.bool)


torch.library.custom_op("tandem::random_mask", _random_mask, mutates_args=()).register_fake(
    _fake_mask)


@functools.lru_cache(64)
def _mask_function(counter: int, shape: tuple[int, ...], share: float) -> Function:
    b = Builder()
    return b.build(_mask(b, b.input("int64", ()), counter, shape, share))


@handles("tandem::random_mask")
def random_mask(c: Context, key: Value, counter: int, shape: Sequence[int],
                share: float) -> Value:
    return _mask(c.b, key, counter, shape, share)


def _mask(b: Builder, key: Value, counter: int, shape: Sequence[int], share: float) -> Value:
    first = b.bitcast(b.constant(torch.tensor(counter)), dtype="ui64")
    bits = b.random(b.bitcast(key, dtype="ui64"), first, shape=list(shape))
    limit = b.splat("uint32", [], min(round(share * 2**32), 2**32 - 1))
    return b.compare(bits, limit, predicate="ge")


__all__ = ["Draw", "hoist_draws", "is_random"]
