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
from torch.utils._python_dispatch import _disable_current_modes

from .._errors import Error
from .._function import Function
from .._threads import follow
from ._checks import Check, find_checks
from ._compiled import CompiledGraph
from ._importer import Fallback, Importer, find_fallbacks, find_symbols, is_write
from ._random import Draw, hoist_draws
from ._report import GraphRecord, own
from ._table import HANDLERS
from ._taps import use_taps
from ._training import math_attention, partition

# The values of the option `fallback`: how ops that are left to torch are reported.
FALLBACKS = ("warn", "error", "silent")
# The values of the option `rng`: the library that draws random numbers.
GENERATORS = ("torch", "tandem")
OPTIONS = {"fallback": "warn", "mode": "auto", "precision": "strict", "cache": None,
           "rng": "torch"}


@functools.cache  # core_aten_decompositions() takes 100 ms.
def decompositions() -> dict[typing.Any, Callable[..., typing.Any]]:
    """Core ATen's decompositions of the ops that the table lacks. Ops in the table are not
    decomposed, because a kernel for the whole op is faster than kernels for its parts."""
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
      rng: "torch" (the default): random numbers are those that torch eager draws with
        the same seed; "tandem": functions draw masks of dropout.

    If an input requires gradients, the forward and the backward graph of AOTAutograd are
    functions of Tandem.
    """
    chosen = check_options(dict(options or {}), mode)
    record = GraphRecord(module)

    def compile_inference(graph: torch.fx.GraphModule,
                          inputs: Sequence[typing.Any]) -> Callable[..., typing.Any]:
        return compile_graph(graph, _static_inputs(), chosen, record)

    # Optimizers change parameters after every call, so no input is a constant.
    def compile_forward(graph: torch.fx.GraphModule,
                        inputs: Sequence[typing.Any]) -> Callable[..., typing.Any]:
        return compile_graph(graph, [], chosen, record, _returned())

    def compile_backward(graph: torch.fx.GraphModule,
                         inputs: Sequence[typing.Any]) -> Callable[..., typing.Any]:
        run = compile_graph(graph, [], chosen, record)
        # torch wraps this function, and copies attributes of functions only.
        call = _boxed_as(lambda arguments: run(arguments))
        own(call, record)
        return call

    with record.time_aot(), keep_whole(), math_attention(module, example_inputs):
        compiler: Callable[..., Callable[..., typing.Any]] = aot_autograd(
            fw_compiler=compile_forward, bw_compiler=compile_backward, partition_fn=partition,
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
    if chosen["rng"] not in GENERATORS:
        raise Error(f"rng is one of {', '.join(GENERATORS)}, not {chosen['rng']!r}", "torch")
    return chosen


def _static_inputs() -> list[int]:
    """The positions of parameters and buffers among the inputs of a graph."""
    context = torch._guards.TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return list(metadata.static_input_indices) if metadata else []


def _returned() -> int | None:
    """The number of results of a forward graph that are returned to the caller. The other
    results are saved for the backward graph."""
    context = torch._guards.TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return metadata.num_forward if metadata else None


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
                  options: dict[str, typing.Any], record: GraphRecord,
                  returned: int | None = None) -> Callable[..., typing.Any]:
    """A function that runs a graph of ATen ops; ops that Tandem lacks run in torch. `record`
    is given what reports show. The first `returned` results have the strides that torch
    expects; all results do if `returned` is None."""
    follow(torch.get_num_threads())
    # While torch traces, new tensors have no elements, but constants of functions must have
    # elements.
    with record.time_tandem(), _disable_current_modes():
        use_taps(graph.graph)
        checks = find_checks(graph.graph, returned is not None)
        symbols = find_symbols(_inputs(graph.graph))
        draws = hoist_draws(graph.graph, options["rng"], symbols)
        graph.recompile()
        fallbacks = find_fallbacks(graph.graph)
        _name_fallbacks(list(fallbacks.values()), options)
        record.describe(graph.graph, fallbacks.values())

        build = build_with(options)

        def name_fallback(reason: str) -> None:
            _name_fallbacks([Fallback("the graph", reason, record.location)], options)

        written = _written_inputs(graph.graph)
        constants = [i for i in constants if i not in written]
        run: Callable[..., typing.Any]
        if not fallbacks:
            run = CompiledGraph(graph, constants, build, name_fallback, returned)
            record.add_part(run)
        else:
            run = _partitioned(graph, fallbacks, constants, build, name_fallback, record)
        if draws or checks:
            run = _prepared(run, checks, draws)
    own(run, record)
    return run


def _prepared(run: Callable[[list[typing.Any]], typing.Any], checks: Sequence[Check],
              draws: Sequence[Draw]) -> Callable[..., typing.Any]:
    """A function that checks inputs and draws the last inputs of `run`."""
    def call(arguments: list[typing.Any]) -> typing.Any:
        for check in checks:
            check.run(arguments)
        arguments.extend([draw(arguments) for draw in draws])
        return run(arguments)

    return _boxed_as(call)


def _boxed_as(call: Callable[[list[typing.Any]], typing.Any]) -> Callable[..., typing.Any]:
    """A function that torch calls with a list of arguments."""
    call._boxed_call = True  # type: ignore[attr-defined]
    return call


def _written_inputs(graph: torch.fx.Graph) -> set[int]:
    """The positions of the inputs that the graph writes to, such as buffers. They change
    in every call, so they are no constants."""
    written = {node.args[0] for node in graph.nodes if is_write(node)}
    return {i for i, node in enumerate(_inputs(graph)) if node in written}


def _inputs(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    return [node for node in graph.nodes if node.op == "placeholder"]


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
        # The input of a part must be a tensor, and cannot be the tuple that an op with
        # several results returns.
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
    """Makes each random op depend on the previous random op, because the numbers that an op
    draws depend on the order of the ops."""
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
