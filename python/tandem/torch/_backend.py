"""The backend of torch.compile."""

from __future__ import annotations

import contextlib
import functools
import operator
import typing
import warnings
from collections.abc import Callable, Iterator, Sequence

import torch
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from .._errors import Error
from .._function import Function
from .._threads import follow
from ._compiled import CompiledGraph
from ._importer import Fallback, Importer, find_fallbacks, is_write
from ._report import GraphRecord, own
from ._table import HANDLERS

# What is done about ops that are left to torch.
FALLBACKS = ("warn", "error", "silent")
OPTIONS = {"fallback": "warn", "mode": "auto", "precision": "strict", "cache": None}


@functools.cache  # core_aten_decompositions() takes 100 ms.
def decompositions() -> dict[typing.Any, Callable[..., typing.Any]]:
    """Core ATen's decompositions of the ops that the table lacks. Ops of the table stay
    whole, because their kernels are better than those of their parts."""
    return {op: function for op, function in core_aten_decompositions().items()
            if op not in HANDLERS}


@contextlib.contextmanager
def keep_whole() -> Iterator[None]:
    """While this runs, tracing does not decompose the interpolations of the table. Torch
    registers decompositions of these as kernels in Python, which tracing prefers to the
    ops themselves, whatever table of decompositions it is given."""
    keys = (torch._C.DispatchKey.Autograd, torch._C.DispatchKey.CompositeImplicitAutograd)
    removed = [(op, key, op.py_kernels.pop(key)) for op in HANDLERS for key in keys
               if "upsample" in str(op) and key in op.py_kernels]

    def forget_dispatch() -> None:
        for op, *_ in removed:
            op._dispatch_cache.clear()

    forget_dispatch()
    try:
        yield
    finally:
        for op, key, kernel in removed:
            op.py_kernels[key] = kernel
        forget_dispatch()


def backend(module: torch.fx.GraphModule, example_inputs: Sequence[typing.Any], *,
            options: dict[str, typing.Any] | None = None, mode: str | None = None
            ) -> Callable[..., typing.Any]:
    """The backend of `torch.compile(model, backend="tandem")`.

    Options:
      fallback: "warn" (the default) names each op that is left to torch once per
        graph, "error" raises an Error, "silent" says nothing.
      mode, precision, cache: as for `tandem.load`.

    Graphs for training are left to torch as a whole.
    """
    chosen = check_options(dict(options or {}), mode)
    record = GraphRecord(module)

    def compile_inference(graph: torch.fx.GraphModule,
                          inputs: Sequence[typing.Any]) -> Callable[..., typing.Any]:
        return compile_graph(graph, _static_inputs(), chosen, record)

    def leave_to_torch(graph: torch.fx.GraphModule,
                       inputs: Sequence[typing.Any]) -> Callable[..., typing.Any]:
        fallback = Fallback("the graph", "graphs for training are left to torch; call the "
                            "model under torch.no_grad()", record.location)
        _name_fallbacks([fallback], chosen)
        record.describe(graph.graph, [fallback])
        run = _boxed(graph)
        own(run, record)
        return run

    with record.time_aot(), keep_whole():
        compiler: Callable[..., Callable[..., typing.Any]] = aot_autograd(
            fw_compiler=leave_to_torch, bw_compiler=lambda graph, inputs: _boxed(graph),
            inference_compiler=compile_inference, decompositions=decompositions(),
            keep_inference_input_mutations=True)
        return compiler(module, example_inputs)


def check_options(options: dict[str, typing.Any],
                  mode: str | None = None) -> dict[str, typing.Any]:
    """All options, with defaults. `mode` is that of torch.compile."""
    if mode is not None and mode != "default":
        raise Error(f"torch.compile's mode '{mode}' is Inductor's", "torch",
                    hint='pass options={"mode": "auto"}, or "compile" or "eager"')
    for name in options:
        if name not in OPTIONS:
            raise Error(f"there is no option '{name}'", "torch",
                        hint=f"options: {', '.join(OPTIONS)}")
    chosen = OPTIONS | options
    if chosen["fallback"] not in FALLBACKS:
        raise Error(f"fallback is one of {', '.join(FALLBACKS)}, not "
                    f"{chosen['fallback']!r}", "torch")
    return chosen


def _static_inputs() -> list[int]:
    """The positions of parameters and buffers among the inputs of a graph."""
    context = torch._guards.TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return list(metadata.static_input_indices) if metadata else []


def _boxed(graph: torch.fx.GraphModule) -> Callable[[list[typing.Any]], typing.Any]:
    return typing.cast(Callable[[list[typing.Any]], typing.Any],
                       make_boxed_func(graph.forward))


Build = Callable[[Importer, list[typing.Any]], Function]


def build_with(options: dict[str, typing.Any]) -> Build:
    """A function that builds a Function with these options."""
    def build(importer: Importer, outputs: list[typing.Any]) -> Function:
        return importer.builder.build(outputs, mode=options["mode"],
                                      precision=options["precision"],
                                      cache=options["cache"])

    return build


def compile_graph(graph: torch.fx.GraphModule, constants: Sequence[int],
                  options: dict[str, typing.Any], record: GraphRecord
                  ) -> Callable[..., typing.Any]:
    """A function that runs a graph of ATen ops; ops that Tandem lacks run in torch.
    `record` is given what reports show."""
    follow(torch.get_num_threads())
    with record.time_tandem():
        fallbacks = find_fallbacks(graph.graph)
        _name_fallbacks(list(fallbacks.values()), options)
        record.describe(graph.graph, fallbacks.values())

        build = build_with(options)

        def name_fallback(reason: str) -> None:
            _name_fallbacks([Fallback("the graph", reason, record.location)], options)

        written = _written_inputs(graph.graph)
        constants = [i for i in constants if i not in written]
        run: Callable[..., typing.Any]
        if not fallbacks and not written:
            run = CompiledGraph(graph, constants, build, name_fallback)
            record.add_part(run)
        else:
            run = _partitioned(graph, fallbacks, constants, build, name_fallback, record)
    own(run, record)
    return run


def _written_inputs(graph: torch.fx.Graph) -> set[int]:
    """The positions of the inputs that the graph writes to, such as buffers. They change
    in every call, so they are no constants."""
    written = {node.args[0] for node in graph.nodes if is_write(node)}
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    return {i for i, node in enumerate(inputs) if node in written}


def _name_fallbacks(fallbacks: list[Fallback], options: dict[str, typing.Any]) -> None:
    if not fallbacks or options["fallback"] == "silent":
        return
    text = "\n  ".join(dict.fromkeys(map(str, fallbacks)))
    if options["fallback"] == "error":
        raise Error(f"these ops are left to torch:\n  {text}", "torch",
                    fallbacks[0].location, 'pass options={"fallback": "warn"} to run them '
                    "in torch")
    warnings.warn(f"tandem leaves these ops to torch:\n  {text}", RuntimeWarning,
                  stacklevel=3)


class _Supported(OperatorSupportBase):  # type: ignore[misc]
    def __init__(self, fallbacks: dict[torch.fx.Node, Fallback]) -> None:
        self.fallbacks = fallbacks

    def is_node_supported(self, modules: typing.Any, node: torch.fx.Node) -> bool:
        # A part takes tensors, and not the tuple of an op with several results.
        is_result = node.target is operator.getitem and node.args[0] in self.fallbacks
        return (node.op == "call_function" and node not in self.fallbacks and not is_result
                and not is_write(node))


def _partitioned(graph: torch.fx.GraphModule, fallbacks: dict[torch.fx.Node, Fallback],
                 constants: Sequence[int], build: Build, name_fallback: Callable[[str], None],
                 record: GraphRecord) -> Callable[..., typing.Any]:
    """The graph with its supported parts replaced by functions of Tandem."""
    inputs = [node for node in graph.graph.nodes if node.op == "placeholder"]
    static = {inputs[i].name for i in constants}
    _keep_random_ops_in_order(fallbacks)
    partitioner = CapabilityBasedPartitioner(graph, _Supported(fallbacks),
                                             allows_single_node_partition=True)
    whole = partitioner.partition_and_fuse()
    for node in whole.graph.nodes:
        if node.op != "call_module":
            continue
        part = getattr(whole, node.target)
        positions = [i for i, argument in enumerate(node.args)
                     if argument.op == "placeholder" and argument.name in static]
        is_single = _return_a_tuple(part.graph)
        part.recompile()
        compiled = CompiledGraph(part, positions, build, name_fallback)
        record.add_part(compiled)
        setattr(whole, node.target, _Part(compiled, is_single))
    return _boxed(whole)


def _return_a_tuple(graph: torch.fx.Graph) -> bool:
    """Makes a graph return a tuple. Returns whether it returned one value."""
    (output,) = (node for node in graph.nodes if node.op == "output")
    is_single = not isinstance(output.args[0], (list, tuple))
    if is_single:
        output.args = ((output.args[0],),)
    return is_single


def _keep_random_ops_in_order(fallbacks: dict[torch.fx.Node, Fallback]) -> None:
    """Makes each random op depend on the one before, because the order in which they draw
    numbers decides which numbers they draw."""
    previous = None
    for node in fallbacks:
        if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
            continue
        if previous is not None:
            node.args = (previous, node.target, *node.args)
            node.target = _call_after
        previous = node


def _call_after(_: typing.Any, op: Callable[..., typing.Any], /, *arguments: typing.Any,
                **options: typing.Any) -> typing.Any:
    """op(*arguments, **options), which depends on another node of a graph."""
    return op(*arguments, **options)


class _Part(torch.nn.Module):  # type: ignore[misc]
    """A part of a graph, as a module of the rest."""

    def __init__(self, compiled: CompiledGraph, is_single: bool) -> None:
        super().__init__()
        self.compiled = compiled
        self.is_single = is_single

    def forward(self, *arguments: typing.Any) -> typing.Any:
        results = self.compiled(list(arguments))
        return results[0] if self.is_single else results


__all__ = ["backend", "compile_graph", "check_options", "decompositions"]
