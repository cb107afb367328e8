"""Models of loops.test with their inputs and expected outputs.

usage: make-loops.py make FOLDER
       make-loops.py compare FOLDER MODEL OUTPUTS
"""

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper, reference

RANDOM = numpy.random.default_rng(14)


def random(*shape):
    return RANDOM.standard_normal(shape).astype(numpy.float32)


def value(name, dims, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)


def model(nodes, inputs, outputs, weights):
    graph = helper.make_graph(
        nodes, "g", inputs, outputs,
        [numpy_helper.from_array(array, name)
         for name, array in weights.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    return made


def recurrent(op, gates, steps, states=1, **attributes):
    """A model with a sequence of `steps`, which may be a name."""
    inputs, hidden, batch = 3, 4, 2
    weights = {"w": random(1, gates * hidden, inputs),
               "r": random(1, gates * hidden, hidden) / 2,
               "b": random(1, 2 * gates * hidden)}
    results = ["y", "yh", "yc"][: states + 1]
    shapes = [[steps, 1, batch, hidden]] + [[1, batch, hidden]] * states
    node = helper.make_node(op, ["x", "w", "r", "b"], results, name="layer",
                            hidden_size=hidden, **attributes)
    return model([node], [value("x", [steps, batch, inputs])],
                 [value(name, dims) for name, dims in zip(results, shapes)],
                 weights)


def evaluate(made, x):
    return reference.ReferenceEvaluator(made).run(None, {"x": x})


def make_recurrent():
    lstm, x = recurrent("LSTM", 4, 1000, states=2), random(1000, 2, 3)
    yield "lstm", lstm, x, evaluate(lstm, x)
    rnn, x = recurrent("RNN", 1, "t"), random(30, 2, 3)
    yield "rnn_free", rnn, x, evaluate(rnn, x)
    gru, x = recurrent("GRU", 3, 40), random(40, 2, 3)
    y, last = evaluate(gru, x)
    gru.graph.node[0].attribute.append(
        helper.make_attribute("direction", "reverse"))
    yield "gru_reverse", gru, x[::-1].copy(), [y[::-1], last]


def make_scan():
    """Running sums of columns from the last to the first, and their squares."""
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "e"], ["t"]),
         helper.make_node("Mul", ["t", "t"], ["q"])],
        "body", [value("s", [3]), value("e", [3])],
        [value("t", [3]), value("q", [3])])
    node = helper.make_node(
        "Scan", ["zero", "x"], ["last", "all"], body=body, num_scan_inputs=1,
        scan_input_axes=[1], scan_input_directions=[1], scan_output_axes=[1],
        name="scan")
    made = model([node], [value("x", [3, 20])],
                 [value("last", [3]), value("all", [3, 20])],
                 {"zero": numpy.zeros(3, numpy.float32)})
    x = numpy.arange(60, dtype=numpy.float32).reshape(3, 20) / 8
    sums = numpy.cumsum(x[:, ::-1], axis=1)
    yield "scan", made, x, [sums[:, -1], sums * sums]


def loop(body_nodes, shape, last_shape, scan=False):
    body = helper.make_graph(
        body_nodes, "body",
        [value("i", [], TensorProto.INT64), value("c", [], TensorProto.BOOL),
         value("s", shape)],
        [value("c", [], TensorProto.BOOL), value("t", None)] +
        ([value("q", None)] if scan else []))
    node = helper.make_node("Loop", ["n", "", "x"],
                            ["last"] + (["all"] if scan else []), body=body,
                            name="loop")
    after = helper.make_node("Add", ["w", "last"], ["out"])
    return model([node, after], [value("x", [4])],
                 [value("out", last_shape)] +
                 ([value("all", [40, 4])] if scan else []),
                 {"n": numpy.array(40 if scan else 17, numpy.int64),
                  "w": numpy.full(1, 0.5, numpy.float32)})


def make_loop():
    """A body that reads a weight, its number, and a value from outside."""
    made = loop([helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
                 helper.make_node("Add", ["s", "f"], ["g"]),
                 helper.make_node("Mul", ["g", "w"], ["h"]),
                 helper.make_node("Add", ["h", "x"], ["t"]),
                 helper.make_node("Neg", ["t"], ["q"])], [4], [4], scan=True)
    # The package's reference runs no iteration where no condition is given.
    x = random(4)
    half, last, negated = numpy.float32(0.5), x, []
    for i in range(40):
        last = (last + numpy.float32(i)) * half + x
        negated.append(-last)
    yield "loop", made, x, [last + half, numpy.stack(negated)]
    # What is carried grows, so that no loop can be.
    made = loop([helper.make_node("Concat", ["s", "x"], ["t"], axis=0)],
                None, [4 * 18])
    yield "growing", made, x, [numpy.tile(x, 18) + numpy.float32(0.5)]
    # Nor here; the copies' values have other ranks than those of the loop that
    # was begun, in whose places they are made.
    nodes = [helper.make_node("Constant", [], ["axes"], value_ints=range(7)),
             helper.make_node("Slice", ["s", "zero", "four"], ["part"]),
             helper.make_node("Unsqueeze", ["part", "axes"], ["m8"]),
             helper.make_node("Concat", ["s", "x"], ["t"], axis=0)]
    for name, number in ("zero", 0), ("four", 4):
        nodes.insert(0, helper.make_node("Constant", [], [name],
                                         value_ints=[number]))
    for rank in range(8, 0, -1):
        nodes.append(helper.make_node("ReduceMax", [f"m{rank}"],
                                      [f"m{rank - 1}"], keepdims=0,
                                      axes=[rank - 1]))
    yield "reducing", loop(nodes, None, [4 * 18]), x, [
        numpy.tile(x, 18) + numpy.float32(0.5)]


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for maker in (make_recurrent, make_scan, make_loop):
        for name, made, x, outputs in maker():
            (folder / f"{name}.onnx").write_bytes(made.SerializeToString())
            numpy.save(folder / f"{name}.npy", x)
            for i, output in enumerate(outputs):
                numpy.save(folder / f"{name}-{i}.npy", output)


def compare(folder, name, outputs):
    expected = sorted(folder.glob(f"{name}-*.npy"))
    for i, file in enumerate(expected):
        numpy.testing.assert_allclose(
            numpy.load(outputs / f"output{i}.npy"), numpy.load(file),
            rtol=1e-4, atol=1e-5)
    print(f"{name}: {len(expected)} outputs are right")


def main():
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        compare(pathlib.Path(sys.argv[2]), sys.argv[3],
                pathlib.Path(sys.argv[4]))


if __name__ == "__main__":
    main()
