"""Exported programs as functions, and coverage of models."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import torch
from torch.export._tree_utils import reorder_kwargs

from .._errors import Error
from .._format import html_page_part, html_table, text_table
from ._backend import OPTIONS, check_options, compile_graph, decompositions
from ._files import read_program
from ._importer import Fallback, find_fallbacks
from ._random import hoist_draws
from ._report import GraphRecord, count_ops


class Module:
    """A program of torch.export that Tandem runs. It is called like the model, and
    returns the same structure of tensors."""

    def __init__(self, program: typing.Any, options: dict[str, typing.Any],
                 record: GraphRecord) -> None:
        self.program = program
        signature = program.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            raise _unsupported(program)
        placeholders = [n for n in program.graph.nodes if n.op == "placeholder"]
        state = _state(program)
        self._fixed = [state.get(node.name) for node in placeholders]
        constants = [i for i, value in enumerate(self._fixed) if value is not None]
        self._inputs = [node for i, node in enumerate(placeholders) if i not in set(constants)]
        self._run = compile_graph(program.graph_module, constants, options, record)

    def __call__(self, *inputs: typing.Any, **named: typing.Any) -> typing.Any:
        """Calls the program. Raises Error if an input has another type than the program's."""
        given = iter(self._flatten(inputs, named))
        flat = [next(given) if fixed is None else fixed for fixed in self._fixed]
        with torch.no_grad():
            results = self._run(flat)
        return torch.utils._pytree.tree_unflatten(list(results),
                                                  self.program.call_spec.out_spec)

    def _flatten(self, inputs: tuple[typing.Any, ...],
                 named: dict[str, typing.Any]) -> Sequence[typing.Any]:
        try:
            named = reorder_kwargs(named, self.program.call_spec.in_spec)
            leaves = torch.utils._pytree.tree_leaves((inputs, named))
            if len(leaves) == len(self._inputs):
                for node, value in zip(self._inputs, leaves):
                    _check_input(node, value)
            # torch checks the structure, the values of symbols, and the number of inputs.
            flat: Sequence[typing.Any] = self.program._get_flat_args_with_check(inputs, named)[0]
        except (RuntimeError, ValueError) as error:
            raise Error(str(error).partition("\n")[0], "input") from error
        return flat


def _check_input(node: torch.fx.Node, value: typing.Any) -> None:
    """Raises Error if a tensor has another type than an input of a program."""
    expected = node.meta["val"]
    if not isinstance(expected, torch.Tensor):
        return
    if not isinstance(value, torch.Tensor):
        raise Error(f"input '{node.name}' is a {type(value).__name__}, not a tensor", "input")
    if value.device.type != expected.device.type:
        raise Error(f"input '{node.name}' is on the device {value.device}, not on "
                    f"{expected.device}", "input", hint=f"pass a tensor on {expected.device}")
    if value.dtype != expected.dtype or not _fits(value.shape, expected.shape):
        raise Error(f"input '{node.name}' is {_type_text(value)}, not {_type_text(expected)}",
                    "input", hint="export with dynamic_shapes= for inputs of several shapes")


def _fits(shape: Sequence[typing.Any], expected: Sequence[typing.Any]) -> bool:
    return len(shape) == len(expected) and all(
        isinstance(known, torch.SymInt) or size == known
        for size, known in zip(shape, expected))


def _type_text(tensor: torch.Tensor) -> str:
    sizes = ", ".join(str(size) for size in tensor.shape)
    return f"{str(tensor.dtype).removeprefix('torch.')}[{sizes}]"


def _unsupported(program: typing.Any) -> Exception:
    names = ", ".join(sorted({*program.graph_signature.buffers_to_mutate.values(),
                              *program.graph_signature.user_inputs_to_mutate.values()}))
    return Error(f"the exported program writes to {names}", "torch",
                 hint='use torch.compile(model, backend="tandem"), which does')


def _state(program: typing.Any) -> dict[str, torch.Tensor]:
    """The parameters, buffers and constants of a program by the names of its inputs."""
    signature = program.graph_signature
    everything = {**program.state_dict, **program.constants}
    names = {**signature.inputs_to_parameters, **signature.inputs_to_buffers,
             **signature.inputs_to_lifted_tensor_constants}
    return {name: everything[target] for name, target in names.items()}


def load(program: typing.Any, **options: typing.Any) -> Module:
    """Runs a program of `torch.export.export` with Tandem:

        f = tandem.torch.load(torch.export.export(model, (x,)))
        y = f(x)

    `program` may be the path of a file that `torch.export.save` wrote, so that a new
    process does not trace the model again. The options are those of the backend. Raises
    Error if the file cannot be read, or if this version of torch does not know its format.
    """
    chosen, record = check_options(options), GraphRecord()
    if not isinstance(program, torch.export.ExportedProgram):
        program = read_program(program)
        record.dynamo_seconds = 0.0  # Dynamo ran in another process.
    with record.time_aot():
        program = program.run_decompositions(decompositions())
    return Module(program, chosen, record)


class Coverage:
    """Which ops of a model run in Tandem, and which are left to torch. In a notebook
    and as text it is a table.

    Attributes:
      ops: the number of uses of each op that Tandem runs, by name.
      fallbacks: the ops that are left to torch, as Fallback.
    """

    def __init__(self, ops: dict[str, int], fallbacks: list[Fallback]) -> None:
        self.ops = ops
        self.fallbacks = fallbacks

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [(op, str(count), "tandem", "", "")
                                       for op, count in self.ops.items()]
        return rows + [(f.op, "1", "torch", f.location, f.reason) for f in self.fallbacks]

    def __str__(self) -> str:
        return text_table(_HEAD, self._rows(), left=True)

    def __repr__(self) -> str:
        return (f"<tandem.torch.Coverage: {sum(self.ops.values())} ops in Tandem, "
                f"{len(self.fallbacks)} in torch>")

    def _repr_html_(self) -> str:
        return html_page_part(html_table(_HEAD, self._rows()))


_HEAD = ("op", "uses", "runs in", "line", "reason")


def coverage(model: torch.nn.Module, *inputs: typing.Any, **named: typing.Any) -> Coverage:
    """Tells which ops of a model Tandem runs, before anything is compiled. The model is
    traced by torch.export with these inputs."""
    with torch.no_grad():
        program = torch.export.export(model, inputs, named)
    graph = program.run_decompositions(decompositions()).graph
    hoist_draws(graph, "torch", {})
    fallbacks = find_fallbacks(graph)
    ops = count_ops(node for node in graph.nodes if node not in fallbacks)
    return Coverage(ops, list(fallbacks.values()))


__all__ = ["Coverage", "Module", "OPTIONS", "coverage", "load"]
