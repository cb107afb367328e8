"""Operands that an op must know while importing, and that follow from constants
of many elements in several ways, against the onnx package's reference.

usage: long-constants.py TANDEM_RUN FOLDER
"""

import subprocess
import sys

import numpy
from onnx import helper
from onnx.reference import ReferenceEvaluator

from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(36)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype("float32")


def i64(*values):
    return numpy.array(values, "int64")


def scalar(value, dtype="int64"):
    return numpy.array(value, dtype)


INPUTS = {"x": floats(200), "image": floats(1, 1, 4, 4), "m": floats(3, 4),
          "blocks": floats(1, 5, 5), "theta": floats(1, 2, 3),
          "labels": numpy.array([0, 2, -1], "int32"),
          "hot": numpy.array([1, 5], "float32"), "signal": floats(1, 16, 1),
          "pooled": floats(1, 1, 2, 2),
          "places": numpy.array([5, 7, 13, 15], "int64").reshape(1, 1, 2, 2)}
# Op, operands, of which arrays are those that must be known, and attributes.
CASES = [
    ("Split", ["x", i64(*[2] * 100)], {}),
    ("Reshape", ["x", i64(8, -1)], {}),
    ("Expand", ["m", i64(2, 1, 4)], {}),
    ("Tile", ["m", i64(2, 3)], {}),
    ("ConstantOfShape", [i64(2, 3)], {}),
    ("Range", [scalar(3), scalar(200), scalar(2)], {}),
    ("Range", [scalar(0.5, "float32"), scalar(2, "float32"),
               scalar(0.25, "float32")], {}),
    ("Unsqueeze", ["m", i64(0, 3)], {}),
    ("Squeeze", ["image", i64(0, 1)], {}),
    ("Slice", ["x", i64(10), i64(-5), i64(0), i64(7)], {}),
    ("Slice", ["x", i64(190), i64(3), i64(0), i64(-4)], {}),
    ("Pad", ["m", i64(1, 0, 2, 3)], {}),
    ("Pad", ["m", i64(1, 2), scalar(7, "float32"), i64(1)], {}),
    ("CenterCropPad", ["m", i64(2, 6)], {}),
    ("CumSum", ["m", scalar(1)], {}),
    ("Trilu", ["m", scalar(1)], {}),
    ("TopK", ["x", i64(70)], {}),
    ("OneHot", ["labels", scalar(70), "hot"], {}),
    ("OneHot", ["labels", scalar(3, "float32"), "hot"], {}),
    ("OneHot", ["labels", scalar(4, "float64"), "hot"], {}),
    ("OneHot", ["labels", scalar(5, "int32"), "hot"], {}),
    ("ReduceSum", ["image", i64(2, 3)], {}),
    ("Resize", ["image", "", numpy.array([1, 1, 2, 1.5], "float32")],
     {"mode": "linear"}),
    ("Resize", ["image", "", "", i64(1, 1, 3, 5)], {}),
    ("Col2Im", ["blocks", i64(5, 5), i64(1, 5)], {}),
    ("MaxUnpool", ["pooled", "places", i64(1, 1, 4, 4)],
     {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("AffineGrid", ["theta", i64(1, 1, 2, 3)], {}),
    ("HannWindow", [scalar(90)], {}),
    ("DFT", ["signal", scalar(8), scalar(1)], {}),
    ("STFT", ["signal", scalar(4), "", scalar(8)], {}),
    ("MelWeightMatrix", [scalar(4), scalar(32), scalar(800),
                         scalar(50, "float32"), scalar(350, "float32")], {}),
    ("Dropout", ["m", scalar(0.5, "float32"), scalar(False, "bool")], {}),
]


def known(name, array):
    return [], {name: array}


def picked(count):
    """From a table of many elements."""
    def derive(name, array):
        at = RANDOM.permutation(count)[:array.size].reshape(array.shape)
        table = numpy.zeros(count, array.dtype)
        table[at] = array
        return [helper.make_node("Gather", [name + "_t", name + "_i"], [name])
                ], {name + "_t": table, name + "_i": at}
    return derive


def largest(name, array):
    """By an op that is not folded, as the largest elements of rows."""
    rows = numpy.stack([array, *[numpy.zeros_like(array)] * 99])
    if array.dtype == "int64":
        rows[1:] = numpy.minimum(array, 0) - 1
    return [helper.make_node("ReduceMax", [name + "_r", name + "_a"], [name],
                             keepdims=0)], {name + "_r": rows,
                                            name + "_a": i64(0)}


def model(derive, cases=CASES):
    nodes, weights, outputs = [], {}, {}
    for i, (op, operands, attributes) in enumerate(cases):
        names = []
        for j, operand in enumerate(operands):
            name = operand
            if not isinstance(operand, str):
                name = f"c{i}_{j}"
                made, more = derive(name, operand)
                nodes += made
                weights |= more
            names.append(name)
        count = len(operands[1]) if op == "Split" else 2 if op == "TopK" else 1
        results = [f"y{i}_{j}" for j in range(count)]
        nodes.append(helper.make_node(op, names, results, name=f"{op}_{i}",
                                      **attributes))
        first = operands[0]
        first = INPUTS[first] if isinstance(first, str) else first
        types = {"OneHot": "float32", "ConstantOfShape": "float32",
                 "HannWindow": "float32", "MelWeightMatrix": "float32"}
        outputs |= dict.fromkeys(results, types.get(op, first.dtype))
        if op == "TopK":
            outputs[results[1]] = "int64"
    return make_model(nodes, INPUTS, outputs, weights)


def check_values(tiers):
    expected = ReferenceEvaluator(model(known)).run(None, INPUTS)
    for what, derive in [("weights", known), ("picked of 100", picked(100)),
                         ("picked of 5000", picked(5000)),
                         ("the largest of rows", largest)]:
        tiers.check(what, model(derive), INPUTS, expected, rtol=1e-5, atol=1e-5)


def check_steps(tiers):
    """What computes an operand that an op knows is no step of the program."""
    made = model(largest, CASES[1:2])
    program = subprocess.run(
        tiers.command(made, INPUTS, "--program", "--tier=eager"), text=True,
        check=True, capture_output=True).stdout
    if "program @main: 1 steps" not in program:
        sys.exit(program)


def check_control_flow(tiers):
    """A condition and a number of iterations that ops on constants make, and a
    depth with a fraction, which is cut off."""
    def graph(nodes, inputs, outputs):
        return helper.make_graph(nodes, "body", [
            helper.make_tensor_value_info(*item) for item in inputs
        ], [helper.make_tensor_value_info(*item) for item in outputs])

    def branch(op):
        return graph([helper.make_node(op, ["m"], ["t"])], [],
                     [("t", 1, [3, 4])])

    body = graph([helper.make_node("Add", ["s", "m"], ["t"])],
                 [("i", 7, []), ("c", 9, []), ("s", 1, [3, 4])],
                 [("c", 9, []), ("t", 1, [3, 4])])
    table = numpy.arange(100.0, dtype="float32")
    nodes = [
        helper.make_node("ReduceMax", ["table"], ["top"], keepdims=0),
        helper.make_node("Greater", ["top", "m_top"], ["yes"]),
        helper.make_node("If", ["yes"], ["a"], then_branch=branch("Neg"),
                         else_branch=branch("Abs")),
        helper.make_node("ReduceMin", ["trips"], ["n"], keepdims=0),
        helper.make_node("Loop", ["n", "", "m"], ["b"], body=body),
        helper.make_node("OneHot", ["labels", "depth", "hot"], ["c"])]
    inputs = {name: INPUTS[name] for name in ("m", "labels", "hot")}
    made = make_model(
        nodes, inputs, dict.fromkeys("abc", "float32"),
        {"table": table, "m_top": scalar(98, "float32"),
         "trips": numpy.arange(3, 103), "depth": scalar(3.5, "float32")})
    hot = numpy.where(numpy.eye(3, dtype=bool)[inputs["labels"]], 5, 1)
    tiers.check("control flow", made, inputs,
                [-INPUTS["m"], 4 * INPUTS["m"], hot.astype("float32")],
                rtol=1e-5)


def check_given(tiers):
    """Of an input that is given, up to a number of elements."""
    x = numpy.arange(2000, dtype="float32")
    for count in 100, 1024, 1025:
        sizes = i64(*[1] * (count - 1), 2001 - count)
        outputs = {f"y{i}": "float32" for i in range(count)}
        split = make_model(
            [helper.make_node("Split", ["x", "sizes"], list(outputs))],
            {"x": x, "sizes": sizes}, outputs)
        given = f"--input=sizes={sizes.tolist()}".replace(" ", "")
        if count > 1024:
            tiers.check_refused(
                "a long input", split, "model.onnx:sizes: error: import: input "
                "'sizes' determines a shape and has 1025 elements; at most "
                "1024 are supported", given)
            continue
        numpy.save(tiers.folder / "sizes.npy", sizes)
        expected = numpy.split(x, numpy.cumsum(sizes)[:-1])
        for option in given, f"--input=sizes={tiers.folder}/sizes.npy":
            tiers.check(f"{count} given", split, {"x": x}, expected, option)


def check_wrapping(tiers):
    """Sums of constants that their type cannot hold, halved."""
    for dtype in "uint8", "int8", "uint16", "int16", "uint32", "int32":
        info = numpy.iinfo(dtype)
        a = numpy.array([info.max, info.min], dtype)
        b = numpy.array([3, -1 if info.min else 1], dtype)
        made = make_model(
            [helper.make_node("Add", ["a", "b"], ["c"]),
             helper.make_node("Div", ["c", "two"], ["d"]),
             helper.make_node("Concat", ["d", "zero"], ["y"], axis=0)],
            {"zero": numpy.zeros(1, dtype)}, {"y": dtype},
            {"a": a, "b": b, "two": numpy.array([2], dtype)})
        halves = numpy.append(numpy.trunc((a + b) / 2), 0).astype(dtype)
        tiers.check(f"sums of {dtype}", made,
                    {"zero": numpy.zeros(1, dtype)}, [halves])


def refused(nodes, **weights):
    return make_model(nodes, INPUTS, {"y": "float32"}, weights)


def check_refusals(tiers):
    shape = ["x", "shape"]
    reshape = helper.make_node("Reshape", shape, ["y"], name="reshape")
    start = ("model.onnx:reshape: error: import: Reshape: operand 1 ('shape') "
             "determines a shape, but ")
    tiers.check_refused(
        "a shape of an input's values", refused(
            [helper.make_node("Cast", ["x"], ["shape"], to=7), reshape]),
        start + "is not known (it must be a constant, follow from constants or "
        "shapes, or be an input of at most 1024 integers whose value is given)")
    tiers.check_refused("a shape of floats", refused(
        [reshape], shape=numpy.full(1, 200, "float32")), start + "is of floats")
    tiers.check_refused("a matrix", refused([reshape], shape=i64([200])),
                        start + "has more than one dim")
    ones = [helper.make_node("ConstantOfShape", ["size"], ["ones"]),
            helper.make_node("MatMul", ["ones", "ones"], ["product"]),
            helper.make_node("Cast", ["product"], ["integers"], to=7),
            helper.make_node("ReduceMax", ["integers"], ["shape"], keepdims=0)]
    tiers.check_refused("a long computation", refused(
        [*ones, reshape], size=i64(4096, 4096)),
        "model.onnx:reshape: error: import: Reshape: needs the value of an "
        "operand that takes too long to compute while importing")
    one_hot = helper.make_node("OneHot", ["labels", "depth", "hot"], ["y"],
                               name="hot")
    start = "model.onnx:hot: error: import: OneHot: "
    tiers.check_refused("an unknown depth", refused(
        [helper.make_node("ReduceMax", ["x"], ["depth"]), one_hot]),
        start + "operand 1 ('depth') must be a constant, follow from "
        "constants, or be an input whose value is given")
    tiers.check_refused("no depth", refused([one_hot], depth=scalar(-2.5, "float32")),
                        start + "a depth of -2, which is not positive")
    tiers.check_refused("two depths", refused([one_hot], depth=i64(3, 4)),
                        start + "depth has 2 elements, not 1")


def main():
    tiers = Tiers(*sys.argv[1:])
    check_values(tiers)
    check_steps(tiers)
    check_control_flow(tiers)
    check_given(tiers)
    check_wrapping(tiers)
    check_refusals(tiers)
    print(len(CASES), "ops know their operands in three tiers")


if __name__ == "__main__":
    main()
