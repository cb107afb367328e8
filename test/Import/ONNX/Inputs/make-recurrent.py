"""Writes the recurrent models of recurrence.test.

usage: make-recurrent.py FOLDER
"""

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

STEPS, BATCH, INPUTS, HIDDEN = 3, 2, 2, 2


def ramp(*shape):
    count = int(numpy.prod(shape))
    return ((numpy.arange(count) * 5 % 11 - 5) / 8).astype(
        numpy.float32).reshape(shape)


def model(op, gates, steps=STEPS, directions=1, states=1, peepholes=False,
          lengths=True, **attributes):
    weights = {"w": ramp(directions, gates * HIDDEN, INPUTS),
               "r": ramp(directions, gates * HIDDEN, HIDDEN) / 2,
               "b": ramp(directions, 2 * gates * HIDDEN),
               "h": ramp(directions, BATCH, HIDDEN)}
    if lengths:
        weights["l"] = numpy.array([STEPS, STEPS - 1], numpy.int32)
    if states == 2:
        weights["c"] = ramp(directions, BATCH, HIDDEN) * 2
    if peepholes:
        weights["p"] = ramp(directions, 3 * HIDDEN)
    operands = ["x", "w", "r", "b", "l" if lengths else "", "h"]
    operands += [name for name in "cp" if name in weights]
    results = ["y", "yh", "yc"][: states + 1]
    shape = [directions, BATCH, HIDDEN]
    shapes = [[steps, *shape], shape, shape]
    node = helper.make_node(op, operands, results, name="layer",
                            hidden_size=HIDDEN, **attributes)

    def value(name, dims):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)

    graph = helper.make_graph(
        [node], "g", [value("x", [steps, BATCH, INPUTS])],
        [value(name, dims) for name, dims in zip(results, shapes)],
        [numpy_helper.from_array(array, name)
         for name, array in weights.items()])
    result = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 14)])
    result.ir_version = 8
    return result


MODELS = {
    "lstm": model("LSTM", 4, directions=2, states=2, peepholes=True,
                  direction="bidirectional"),
    "gru": model("GRU", 3, direction="reverse"),
    "gru_linear": model("GRU", 3, linear_before_reset=1, clip=0.5),
    "rnn": model("RNN", 1, activations=["Affine"], activation_alpha=[0.5],
                 activation_beta=[0.25]),
    "parameters": model(
        "GRU", 3, directions=2, direction="bidirectional", lengths=False,
        activations=["HardSigmoid", "Tanh", "Elu", "LeakyRelu"],
        activation_alpha=[0.3, 0.7, 0.05], activation_beta=[0.4]),
    "threshold": model("RNN", 1, activations=["ThresholdedRelu"],
                       activation_alpha=[0.25]),
    "long": model("RNN", 1, steps=257, lengths=False),
    "activation": model("RNN", 1, activations=["Identity"]),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in MODELS.items():
        (folder / (name + ".onnx")).write_bytes(made.SerializeToString())


if __name__ == "__main__":
    main()
