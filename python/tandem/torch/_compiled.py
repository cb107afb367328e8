"""Graphs of torch.fx that Tandem runs."""

from __future__ import annotations

import collections
import logging
import operator
import time
import typing
from collections.abc import Callable, Sequence

import torch

from .._function import Function
from .._threads import follow, followed
from ._importer import Importer, find_symbols, is_write
from ._results import Bound, InTorch, Source, Strides, Writes, find_views, memory_order
from ._sizes import NeedsSizes
from ._table import Unsupported

_LOG = logging.getLogger(__name__)

# A graph has at most this many functions, each with weights in the order of its kernels.
MAX_FUNCTIONS = 64
# A graph remembers at most this many sets of sizes of a function for all sizes.
MAX_SIZES = 4096
# A parameter or a buffer becomes an input after MAX_CHANGES changes. A change counts if
# building functions has taken more than the share MAX_BUILD_SHARE of the time since the
# previous change of any parameter or buffer.
MAX_CHANGES = 3
MAX_BUILD_SHARE = 0.1

_version_of = operator.attrgetter("_version")


def _picker(positions: Sequence[int]) -> Callable[[Sequence[typing.Any]], Sequence[typing.Any]]:
    """A fast function that returns the items at `positions`."""
    if len(positions) > 1:
        return operator.itemgetter(*positions)
    return lambda items: [items[i] for i in positions]


class _Split:
    """The numbers of the tensors among a graph's inputs, in two lists. Functions are built
    with the values of `constants` (parameters and buffers), and take `varying` as inputs."""

    def __init__(self, constants: Sequence[int], tensors: Sequence[int]) -> None:
        self.constants = list(constants)
        self.varying = [i for i in tensors if i not in set(constants)]
        self.pick_constants, self.pick_varying = _picker(self.constants), _picker(self.varying)


class _Constants:
    """The parameters and buffers whose values functions were built with, known by their
    memory and their version; and these functions, by the sizes of a call."""

    def __init__(self, split: _Split, tensors: Sequence[torch.Tensor]) -> None:
        self.split = split
        self.tensors = tensors
        self.versions = list(map(_version_of, tensors))
        self.functions: dict[tuple[int, ...], Bound | InTorch] = {}
        # The function for all sizes, if there is one; None if that is not known yet.
        self.shared: Function | bool | None = None
        self.start = time.perf_counter()
        self.build_seconds = 0.0

    def hold(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Whether the constants of a call are still the ones that functions were built with.
        Runs in every call, once per parameter, so the loops are in C."""
        if list(map(_version_of, tensors)) != self.versions:
            return False
        return all(map(operator.is_, tensors, self.tensors)) or all(
            t.data_ptr() == known.data_ptr() for t, known in zip(tensors, self.tensors))

    def changed(self, tensors: Sequence[torch.Tensor]) -> list[int]:
        """The numbers of the inputs of the graph that are no longer as they were."""
        return [number for number, t, known, version in zip(
            self.split.constants, tensors, self.tensors, self.versions)
            if t._version != version or t.data_ptr() != known.data_ptr()]

    def have_paid(self) -> bool:
        """Whether building functions took only a small part of the time so far."""
        elapsed = time.perf_counter() - self.start
        return self.build_seconds <= MAX_BUILD_SHARE * elapsed

    def keep(self, sizes: tuple[int, ...], bound: Bound | InTorch) -> None:
        limit = MAX_FUNCTIONS if self.shared is False else MAX_SIZES
        if len(self.functions) >= limit:
            self.functions.pop(next(iter(self.functions)), None)  # The oldest.
        self.functions[sizes] = bound


class CompiledGraph:
    """A graph as a function of tensors, as torch's backends return it: it takes a list
    of tensors and sizes, and returns the results as a list.

    One Function of Tandem is built for all sizes. If the graph has an op for which sizes must
    be numbers, a Function is built for each set of sizes. All are built again after a
    parameter or a buffer has changed. A parameter or buffer that changes repeatedly, such as a
    cache that the program writes to between calls, becomes an input of the Function.

    If an op does not support the sizes of a call, `name_fallback` is called with the reason,
    and torch runs the graph for these sizes. If there is no `name_fallback`, Unsupported is
    raised. The first `returned` results have the strides that torch expects; all results do if
    `returned` is None.
    """

    _boxed_call = True

    def __init__(self, module: torch.fx.GraphModule, constants: Sequence[int],
                 build: Callable[[Importer, list[typing.Any]], Function],
                 name_fallback: Callable[[str], None] | None = None,
                 returned: int | None = None) -> None:
        self.graph = module.graph
        self.module = module
        self.inputs = [n for n in self.graph.nodes if n.op == "placeholder"]
        self.is_tensor = [isinstance(n.meta["val"], torch.Tensor) for n in self.inputs]
        self.split = _Split([i for i in constants if self.is_tensor[i]], self._tensors())
        self.changes: collections.Counter[int] = collections.Counter()
        self.symbols = find_symbols(self.inputs)
        (self.output,) = (n for n in self.graph.nodes if n.op == "output")
        self.views = find_views(self.inputs, self.output)
        results = self.output.args[0]
        self.promised = set(results[:returned])
        self.writes = Writes(self.graph, self.inputs)
        self.orders = {node: order for node in (*self.inputs, *self._computed())
                       if (order := memory_order(node.meta.get("val"))) is not None}
        self.build = build
        self.name_fallback = name_fallback
        self.known: _Constants | None = None
        # The function of a graph without constants and symbols, once it is built, if it
        # takes the arguments and returns the results as they are.
        self.only: Function | None = None
        # What a report reads, and who keeps it.
        self.build_seconds = 0.0
        self.record: object = None

    def __call__(self, arguments: list[typing.Any]) -> list[typing.Any]:
        if followed.number != torch.get_num_threads():
            follow(torch.get_num_threads())
        only = self.only
        if only is not None:  # As Function.__call__, without its options.
            results = only._impl(*arguments)
            arguments.clear()
            if only._impl.has_events():
                only._drain()
            return list(results) if isinstance(results, tuple) else [results]
        tensors = list(arguments)
        # The caller no longer needs the list, so the memory of its tensors can be reused.
        arguments.clear()
        # Other threads may call the graph at the same time.
        known = self.known
        if known is None or not known.hold(known.split.pick_constants(tensors)):
            known = self.known = self._take_constants(known, tensors)
        sizes = tuple(_size_of(tensors[number], dim)
                      for number, dim in self.symbols.values()) if self.symbols else ()
        bound = known.functions.get(sizes)
        if bound is None:
            start = time.perf_counter()
            bound = self._bind(tensors, sizes, known)
            seconds = time.perf_counter() - start
            self.build_seconds += seconds
            known.build_seconds += seconds
            known.keep(sizes, bound)
            if (bound.is_plain and tensors and not sizes
                    and len(known.split.varying) == len(tensors)):
                self.only = bound.function
        return bound.call(known.split.pick_varying(tensors), tensors)

    def _tensors(self) -> list[int]:
        return [i for i, is_tensor in enumerate(self.is_tensor) if is_tensor]

    def _take_constants(self, known: _Constants | None,
                        tensors: list[typing.Any]) -> _Constants:
        """The constants of a call. Those that have changed too often become inputs."""
        if known is not None and not known.have_paid():
            self.changes.update(known.changed(known.split.pick_constants(tensors)))
            often = {i for i, times in self.changes.items() if times >= MAX_CHANGES}
            if often.intersection(self.split.constants):
                self.split = _Split([i for i in self.split.constants if i not in often],
                                    self._tensors())
        return _Constants(self.split, self.split.pick_constants(tensors))

    def functions(self) -> list[Function]:
        """The Functions that run the graph now, each once."""
        bounds = list(self.known.functions.values()) if self.known else []
        return list({id(b.function): b.function for b in bounds if b.function}.values())

    def _bind(self, tensors: list[typing.Any], sizes: tuple[int, ...],
              known: _Constants) -> Bound | InTorch:
        symbols = dict(zip(self.symbols, sizes))
        if known.shared is None:
            known.shared = self._build_shared(tensors, known.split)
        function, importer = known.shared, Importer(symbols)
        if isinstance(function, bool):
            try:
                function = self._build(importer, tensors, known.split)
            except Unsupported as reason:
                if self.name_fallback is None:
                    raise
                self.name_fallback(f"{reason} for sizes of this call")
                return InTorch(self.module)
        permuted = {i: self.orders[self.inputs[number]]
                    for i, number in enumerate(known.split.varying)
                    if self.inputs[number] in self.orders}
        return Bound(function, self._sources(importer), permuted, self.writes)

    def _build_shared(self, tensors: list[typing.Any],
                      split: _Split) -> Function | bool | None:
        """The function for all sizes, or False if sizes must be numbers."""
        if not self.symbols:
            return False
        try:
            return self._build(Importer(), tensors, split)
        except (NeedsSizes, Unsupported) as reason:
            _LOG.info("a function is built for each set of sizes: %s", reason)
            return False

    def _build(self, importer: Importer, tensors: list[typing.Any],
               split: _Split) -> Function | None:
        """A function of the inputs that vary; None if no result is computed."""
        constants = set(split.constants)
        for number, node in enumerate(self.inputs):
            if not self.is_tensor[number]:
                importer.values[node] = importer.input_size(node, tensors[number])
            elif number in constants:
                importer.add_constant(node, tensors[number])
            else:
                importer.add_input(node, order=self.orders.get(node))
        if not split.varying:
            importer.builder.input("float32", ())  # See Bound.
        for node in self.graph.nodes:
            if node.op == "get_attr":
                importer.add_constant(node, getattr(self.module, node.target))
            elif node.op == "call_function":
                importer.add(node)
        computed = self._computed()
        outputs = [importer.in_order(node, self.orders.get(node)) for node in computed]
        outputs += [importer.values[node] for node in self.writes.nodes]
        if not outputs:
            return None
        function = self.build(importer, outputs)
        updates = self.writes.updates(split.varying, len(computed))
        return function.with_updates(updates) if updates else function

    def _computed(self) -> list[torch.fx.Node]:
        """The results that the function computes."""
        return [each for each in self.output.args[0] if isinstance(each, torch.fx.Node)
                and each.op != "placeholder" and each not in self.views
                and not is_write(each)
                and isinstance(each.meta["val"], torch.Tensor)]

    def _sources(self, importer: Importer) -> list[Source]:
        """Where each result comes from, for the sizes of an importer."""
        sources: list[Source] = []
        for each in self.output.args[0]:
            if not isinstance(each, torch.fx.Node):
                sources.append(("value", each))
            elif each.op == "placeholder":
                sources.append(("input", self.inputs.index(each)))
            elif each in self.views:
                sources.append(("view", self.views[each]))
            elif is_write(each):
                sources.append(("input", self.inputs.index(each.args[0])))
            elif each in self.orders:
                order = self.orders[each]
                sources.append(("permuted", [order.index(d) for d in range(len(order))]))
            elif isinstance(each.meta["val"], torch.Tensor):
                sources.append(("output", Strides.of(importer, each)
                                if each in self.promised else None))
            else:
                value = each.meta.get("val")
                sources.append(("value", importer.size(value) if isinstance(
                    value, torch.SymInt) else value))
        return sources


def _size_of(value: typing.Any, dim: int | None) -> int:
    return int(value) if dim is None else int(value.shape[dim])
