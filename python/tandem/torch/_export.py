"""Exported programs as functions, and coverage of models."""

from __future__ import annotations

import collections
import typing

import torch

from .._format import html_page_part, html_table, text_table
from ._backend import OPTIONS, check_options, compile_graph, decompositions
from ._importer import Fallback, find_fallbacks, op_name


class Module:
    """A program of torch.export that Tandem runs. It is called like the model, and
    returns the same structure of tensors."""

    def __init__(self, program: typing.Any, options: dict[str, typing.Any]) -> None:
        self.program = program
        signature = program.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            raise _unsupported(program)
        placeholders = [n for n in program.graph.nodes if n.op == "placeholder"]
        state = _state(program)
        self._fixed = [state.get(node.name) for node in placeholders]
        constants = [i for i, value in enumerate(self._fixed) if value is not None]
        self._run = compile_graph(program.graph_module, constants, options)

    def __call__(self, *inputs: typing.Any, **named: typing.Any) -> typing.Any:
        given = iter(self.program._get_flat_args_with_check(inputs, named)[0])
        flat = [next(given) if fixed is None else fixed for fixed in self._fixed]
        with torch.no_grad():
            results = self._run(flat)
        return torch.utils._pytree.tree_unflatten(list(results),
                                                  self.program.call_spec.out_spec)


def _unsupported(program: typing.Any) -> Exception:
    from .._errors import Error
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
    process does not trace the model again. The options are those of the backend.
    """
    if not isinstance(program, torch.export.ExportedProgram):
        program = torch.export.load(program)
    chosen = check_options(options)
    return Module(program.run_decompositions(decompositions()), chosen)


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
    fallbacks = find_fallbacks(graph)
    ops = collections.Counter(op_name(node) for node in graph.nodes
                              if isinstance(node.target, torch._ops.OpOverload)
                              and node not in fallbacks)
    return Coverage(dict(ops.most_common()), list(fallbacks.values()))


__all__ = ["Coverage", "Module", "OPTIONS", "coverage", "load"]
