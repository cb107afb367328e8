"""Graphs within nodes that give names of outer graphs anew. ONNX does not allow
that; ONNX Runtime runs it where inputs and weights have such names.

usage: shadowed-names.py TANDEM_RUN FOLDER [onnxruntime]
"""

import sys

import numpy
from onnx import TensorProto, helper, numpy_helper

from tiers import Tiers, make_model

X = numpy.array([1, 2], "float32")
ONE = numpy.array([1], "float32")
START = "model.onnx:"


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(),
                            name=outputs.split()[0], **attributes)


def value(name, shape=(2,), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, inputs, outputs, **weights):
    return helper.make_graph(
        nodes, "body", inputs, outputs,
        [numpy_helper.from_array(array, name)
         for name, array in weights.items()])


def loop(nodes, state="s", result="t", name="last", **weights):
    """Three iterations of a body that carries one state."""
    body = graph([*nodes, node("Identity", "c", "goes_on")],
                 [value("i", [], TensorProto.INT64),
                  value("c", [], TensorProto.BOOL), value(state)],
                 [value("goes_on", [], TensorProto.BOOL), value(result)],
                 **weights)
    return helper.make_node("Loop", ["n", "", "x"], [name], name="loop",
                            body=body)


def model(*nodes, trips=3, output="out", **weights):
    weights = {"one": ONE, "n": numpy.array(trips, "int64"), **weights}
    return make_model(nodes, {"x": X}, {output: "float32"}, weights, opset=17)


ADD_ONE = node("Add", "s one", "t")
# What has which name, whether ONNX Runtime runs it, the model, and its result.
CASES = [
    ("an input, that of a result", True, model(
        node("Neg", "x", "s"), loop([ADD_ONE]), node("Add", "s last", "out")),
     X + 3 - X),
    ("an input, that of an input", True, model(
        loop([node("Add", "x one", "t")], state="x"),
        node("Add", "x last", "out")), X + 3 + X),
    ("an input, in a loop that is not copied", True, model(
        node("Neg", "x", "s"), loop([ADD_ONE]), node("Add", "s last", "out"),
        trips=40), X + 40 - X),
    ("a weight, that of a weight", True, model(
        loop([ADD_ONE], one=10 * ONE), node("Add", "one last", "out")),
     X + 30 + 1),
    ("a result, that of a later one", True, model(
        loop([ADD_ONE]), node("Neg", "last", "t"), output="t"), -X - 3),
    ("a result, that of the loop", True, model(
        loop([node("Add", "s one", "last")], result="last"),
        node("Neg", "last", "out")), -X - 3),
    ("a result, that of a result", False, model(
        node("Neg", "x", "t"), loop([ADD_ONE]), node("Add", "t last", "out")),
     X + 3 - X),
    ("a result of a branch, that of a result", False, model(
        node("Add", "x one", "t"),
        node("If", "yes", "y",
             then_branch=graph([node("Neg", "x", "t")], [], [value("t")]),
             else_branch=graph([node("Abs", "x", "t")], [], [value("t")])),
        node("Add", "t y", "out"), yes=numpy.array(True)), X + 1 - X),
    ("an input of a Scan, that of a result", True, model(
        node("Neg", "x", "s"),
        node("Scan", "zero x", "sum sums", num_scan_inputs=1, body=graph(
            [node("Add", "s e", "t"), node("Identity", "t", "q")],
            [value("s", []), value("e", [])], [value("t", []), value("q", [])])),
        node("Add", "s sums", "out"), zero=numpy.float32(0)),
     numpy.cumsum(X) - X),
    ("in a loop within a loop", False, model(
        node("Neg", "x", "s"), loop([
            node("Add", "s one", "x"), loop([ADD_ONE], name="inner"),
            node("Add", "inner s", "t")]), node("Add", "s last", "out")),
     None),
]


def nested():
    state = X
    for _ in range(3):
        state = (state + 1) + 3 + state
    return state - X


def run_onnxruntime(what, made, expected):
    import onnxruntime
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"])
    actual, = session.run(None, {"x": X})
    numpy.testing.assert_array_equal(actual, expected, what)


def main():
    tiers = Tiers(*sys.argv[1:3])
    for what, runs, made, expected in CASES:
        expected = nested() if expected is None else expected
        tiers.check(what, made, {"x": X}, [expected])
        if runs and sys.argv[3:]:
            run_onnxruntime(what, made, expected)
    twice = [node("Add", "s one", "t"), node("Neg", "t", "t")]
    tiers.check_refused("twice in a body", model(loop(twice)),
                        START + "t: error: import: the name 't' is given twice")
    before = [node("Add", "s t", "u"), node("Neg", "u", "t")]
    tiers.check_refused(
        "read before it is given anew",
        model(node("Neg", "x", "t"), loop(before), node("Neg", "last", "out")),
        START + "u: error: import: reads 't' before the node that computes it")
    tiers.check_refused(
        "gone behind the loop",
        model(loop([ADD_ONE]), node("Neg", "t", "out")),
        START + "out: error: import: reads 't' before the node that computes "
        "it")
    print(len(CASES), "names in three tiers: all values are right")


if __name__ == "__main__":
    main()
