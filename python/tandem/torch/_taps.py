"""Pools whose positions are places in windows, as ops of torch.

`max_pool2d_with_indices` returns the positions of maxima in the plane as int64, eight
bytes for each. Its gradient is the only use of these in most models. `use_taps` replaces
both by ops of Tandem, which keep one byte for each: the place in the window.
"""

from __future__ import annotations

import math
import operator
import typing
from collections.abc import Sequence

import torch

from ._table import pair

_POOLS = {torch.ops.aten.max_pool2d_with_indices.default: 2,
          torch.ops.aten.max_pool3d_with_indices.default: 3}
_BACKWARD = (torch.ops.aten.max_pool2d_with_indices_backward.default,
             torch.ops.aten.max_pool3d_with_indices_backward.default)
# The largest number of elements of a window whose places have eight bits.
_MAX_WINDOW = 256


def _pool(rank: int) -> typing.Any:
    return (torch.ops.aten.max_pool2d_with_indices if rank == 2
            else torch.ops.aten.max_pool3d_with_indices)


def _starts(count: int, stride: int, pad: int, dim: int, rank: int) -> torch.Tensor:
    starts = torch.arange(count) * stride - pad
    return starts.view([-1 if d == dim else 1 for d in range(rank)])


def _max_pool_with_taps(x: torch.Tensor, window: Sequence[int], strides: Sequence[int],
                        pads: Sequence[int], dilations: Sequence[int],
                        ceil_mode: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest element of each window, and its place in the window as uint8."""
    rank = len(window)
    values, rest = _pool(rank)(x, window, strides, pads, dilations, ceil_mode)
    taps = torch.zeros_like(rest)
    for dim in reversed(range(rank)):
        size = x.shape[dim - rank]
        start = _starts(values.shape[dim - rank], strides[dim], pads[dim], dim, rank)
        place = (rest % size - start) // dilations[dim]
        taps += place * math.prod(window[dim + 1:])
        rest = rest // size
    return values, taps.to(torch.uint8)


def _fake_max_pool(x: torch.Tensor, window: Sequence[int], strides: Sequence[int],
                   pads: Sequence[int], dilations: Sequence[int],
                   ceil_mode: bool) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = _pool(len(window))(x, window, strides, pads, dilations, ceil_mode)
    return values, indices.to(torch.uint8)


def _max_pool_with_taps_backward(
        gradient: torch.Tensor, taps: torch.Tensor, sizes: Sequence[int],
        window: Sequence[int], strides: Sequence[int], pads: Sequence[int],
        dilations: Sequence[int], ceil_mode: bool) -> torch.Tensor:
    """The gradient of the pool for an input of `sizes`."""
    rank = len(window)
    plane = list(sizes[-rank:])
    places = torch.zeros(taps.shape, dtype=torch.int64)
    rest = taps.to(torch.int64)
    for dim in reversed(range(rank)):
        start = _starts(taps.shape[dim - rank], strides[dim], pads[dim], dim, rank)
        position = start + rest % window[dim] * dilations[dim]
        places += position * math.prod(plane[dim + 1:])
        rest = rest // window[dim]
    outer = list(sizes[:-rank])
    result = gradient.new_zeros([*outer, math.prod(plane)])
    result.scatter_add_(-1, places.flatten(-rank), gradient.flatten(-rank))
    return result.view(list(sizes))


def _fake_max_pool_backward(
        gradient: torch.Tensor, taps: torch.Tensor, sizes: Sequence[int],
        window: Sequence[int], strides: Sequence[int], pads: Sequence[int],
        dilations: Sequence[int], ceil_mode: bool) -> torch.Tensor:
    return gradient.new_empty(list(sizes))


def _define(name: str, function: typing.Any, fake: typing.Any) -> None:
    """Defines an op of torch. `fake` returns results without elements."""
    torch.library.custom_op(f"tandem::{name}", function, mutates_args=()).register_fake(fake)


_define("max_pool_with_taps", _max_pool_with_taps, _fake_max_pool)
_define("max_pool_with_taps_backward", _max_pool_with_taps_backward, _fake_max_pool_backward)


def use_taps(graph: torch.fx.Graph) -> None:
    """Replaces pools and their gradients in a graph that has both. Positions that have
    other uses stay."""
    for node in list(graph.nodes):
        if node.target in _POOLS:
            _replace(graph, node, _POOLS[node.target])


def _attributes(node: torch.fx.Node, rank: int) -> list[typing.Any]:
    """The window, strides, pads, dilations and the ceil mode of a pool."""
    names = ["kernel_size", "stride", "padding", "dilation", "ceil_mode"]
    given = dict(zip(names, node.args[1:]), **node.kwargs)
    window = pair(given["kernel_size"], rank)
    return [window, pair(given.get("stride") or window, rank),
            pair(given.get("padding", 0), rank), pair(given.get("dilation", 1), rank),
            bool(given.get("ceil_mode", False))]


def _replace(graph: torch.fx.Graph, node: torch.fx.Node, rank: int) -> None:
    items = {user.args[1]: user for user in node.users if user.target is operator.getitem}
    values, indices = items.get(0), items.get(1)
    attributes = _attributes(node, rank)
    if values is None or indices is None or math.prod(attributes[0]) > _MAX_WINDOW:
        return
    gradients = [user for user in indices.users if user.target in _BACKWARD]
    if not gradients:
        return
    with graph.inserting_before(values):
        pool = _call(graph, torch.ops.tandem.max_pool_with_taps.default,
                     (node.args[0], *attributes), node)
        made = _call(graph, operator.getitem, (pool, 0), values)
        taps = _call(graph, operator.getitem, (pool, 1), node)
    taps.meta["val"] = indices.meta["val"].to(torch.uint8)
    pool.meta["val"] = (values.meta["val"], taps.meta["val"])
    values.replace_all_uses_with(made)
    graph.erase_node(values)
    for each in gradients:
        with graph.inserting_before(each):
            sizes = [_size(graph, node.args[0], d) for d in range(each.meta["val"].dim())]
            better = _call(graph, torch.ops.tandem.max_pool_with_taps_backward.default,
                           (each.args[0], taps, sizes, *attributes), each)
        each.replace_all_uses_with(better)
        graph.erase_node(each)
    for unused in (indices, node):
        if not unused.users:
            graph.erase_node(unused)


def _call(graph: torch.fx.Graph, target: typing.Any, arguments: tuple[typing.Any, ...],
          like: torch.fx.Node) -> torch.fx.Node:
    """Adds a call with the metadata of another node."""
    made = graph.call_function(target, arguments)
    made.meta = dict(like.meta)
    return made


def _size(graph: torch.fx.Graph, node: torch.fx.Node, dim: int) -> typing.Any:
    size = node.meta["val"].shape[dim]
    if not isinstance(size, torch.SymInt):
        return int(size)
    made = graph.call_function(torch.ops.aten.sym_size.int, (node, dim))
    made.meta["val"] = size
    return made


__all__ = ["use_taps"]
