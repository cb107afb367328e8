"""Exported programs as functions whose parameters are inputs."""

from __future__ import annotations

import typing

import torch

from .._errors import Error
from .._function import Function
from ._backend import check_options, decompositions
from ._files import read_program
from ._importer import Importer, find_fallbacks
from ._sizes import NeedsSizes
from ._table import Unsupported


def as_function(program: typing.Any, **options: typing.Any) -> Function:
    """The function that a program of `torch.export.export` computes. Unlike the modules of
    `load`, the function takes parameters as inputs, so that gradients with respect to
    parameters can be computed (`tandem.grad`):

        program = torch.export.export(model_with_loss, (x, labels))
        f = tandem.torch.as_function(program)
        parameters = dict(model_with_loss.named_parameters())
        step = tandem.value_and_grad(f, wrt=list(parameters))
        with torch.no_grad():
            loss, gradients = step(**parameters, x=x, labels=labels)

    The inputs of the function are the parameters and the buffers, with their names in the
    model, and then the inputs of the program. A tensor with several names is one input
    with the first name; for example, an embedding and the last layer may share their
    weights. The outputs are the outputs of the program, followed by the new values of the
    buffers that the program writes to, such as the statistics of batch norms in training.
    These outputs have the names of the buffers.

    `program` may also be the path of a file that `torch.export.save` wrote. The options
    are "mode", "precision" and "cache" of the backend. Raises Error if Tandem lacks an op
    of the program, or if the program writes to an input.
    """
    chosen = check_options(options)
    if "fallback" in options:
        raise Error("a function with gradients leaves no ops to torch", "torch",
                    hint="remove the option 'fallback'")
    if not isinstance(program, torch.export.ExportedProgram):
        program = read_program(program)
    program = program.run_decompositions(decompositions())
    signature, graph = program.graph_signature, program.graph
    if signature.user_inputs_to_mutate:
        written = ", ".join(signature.user_inputs_to_mutate.values())
        raise Error(f"the exported program writes to its inputs {written}", "torch",
                    hint="return the new values instead")
    fallbacks = list(find_fallbacks(graph).values())
    if fallbacks:
        text = "\n  ".join(dict.fromkeys(map(str, fallbacks)))
        raise Error(f"Tandem lacks these ops:\n  {text}", "torch", fallbacks[0].location)
    importer = Importer()
    try:
        _add_inputs(importer, program)
        for node in graph.nodes:
            if node.op == "call_function":
                importer.add(node)
    except (NeedsSizes, Unsupported) as reason:
        raise Error(f"Tandem cannot build this program for all sizes: {reason}", "torch",
                    hint="export the program without dynamic_shapes") from reason
    names, outputs = _outputs(program)
    return importer.builder.build([importer.values[each] for each in outputs], names=names,
                                  mode=chosen["mode"], precision=chosen["precision"],
                                  cache=chosen["cache"])


def _add_inputs(importer: Importer, program: typing.Any) -> None:
    signature = program.graph_signature
    state = {**program.constants, **program.state_dict}
    named = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    constants = signature.inputs_to_lifted_tensor_constants
    known: dict[typing.Any, typing.Any] = {}
    for node in program.graph.nodes:
        if node.op != "placeholder":
            continue
        if not isinstance(node.meta["val"], torch.Tensor):
            raise Error(f"the input '{node.name}' is no tensor", "torch",
                        hint="make it a constant of the model")
        if node.name in constants:
            importer.add_constant(node, state[constants[node.name]])
            continue
        name = named.get(node.name)
        memory = node if name is None else _memory(state[name])
        if memory in known:
            importer.values[node] = known[memory]
        else:
            importer.add_input(node, name or node.name)
            known[memory] = importer.values[node]


def _memory(tensor: torch.Tensor) -> tuple[typing.Any, ...]:
    """Equal for tensors that are the same elements."""
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def _outputs(program: typing.Any) -> tuple[list[str], list[torch.fx.Node]]:
    """The names of the outputs, and their nodes: those of the program, and then the new
    values of buffers."""
    signature = program.graph_signature
    written = signature.buffers_to_mutate
    (output,) = (node for node in program.graph.nodes if node.op == "output")
    found: list[tuple[str, torch.fx.Node]] = []
    buffers: list[tuple[str, torch.fx.Node]] = []
    for node, spec in zip(output.args[0], signature.output_specs):
        if not isinstance(node, torch.fx.Node):
            raise Error(f"an output of the program is no tensor: {node!r}", "torch",
                        hint="return tensors")
        if spec.arg.name in written and spec.target is not None:
            buffers.append((written[spec.arg.name], node))
        else:
            found.append((node.name, node))
    both = found + buffers
    return [name for name, _ in both], [node for _, node in both]
