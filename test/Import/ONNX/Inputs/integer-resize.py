"""Resize of integers against exact arithmetic.

usage: integer-resize.py TANDEM_RUN FOLDER [onnxruntime]

ONNX Runtime cuts off the fractions of linear mode; scales are such that it
computes without rounding, and with a third argument its results must be equal.
Otherwise results are rounded, halves to even, and saturated.
"""

import fractions
import itertools
import sys

import numpy
from onnx import helper

from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(8)
TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "int64"]
F = fractions.Fraction
exact = numpy.vectorize(F, otypes=[object])


def weight(mode, distance):
    """Of an element at a distance; of cubic mode with a = -3/4."""
    d = abs(distance)
    if mode == "linear":
        return max(F(0), 1 - d)
    a = F(-3, 4)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else F(0)


def matrix(mode, size, scale, antialias):
    """The weights of all elements in each of the result: of the neighbors of
    its center, and of those beyond an edge as its own."""
    narrowing = min(F(scale), 1) if antialias else F(1)
    rows = []
    for i in range(int(size * scale)):
        at = (i + F(1, 2)) / F(scale) - F(1, 2)
        row = [F(0)] * size
        for j in range(-4 * size, 5 * size):
            row[min(max(j, 0), size - 1)] += weight(mode, (at - j) * narrowing)
        rows.append([element / sum(row) for element in row])
    return numpy.array(rows, dtype=object)


def resized(x, mode, scales, antialias):
    y = exact(x.astype(object))
    for axis, scale in enumerate(scales):
        if scale != 1:
            rows = matrix(mode, x.shape[axis], scale, antialias)
            y = numpy.moveaxis(numpy.tensordot(rows, y, (1, axis)), 0, axis)
    rounding = int if mode == "linear" and not antialias else round
    info = numpy.iinfo(x.dtype)
    return numpy.array([min(max(rounding(element), info.min), info.max)
                        for element in y.flat]).reshape(y.shape).astype(x.dtype)


def model(x, ways, opset=19):
    """A node for each way to resize: scales and attributes."""
    nodes, weights = [], {}
    for i, (scales, attributes) in enumerate(ways):
        weights[f"s{i}"] = numpy.array(scales, "float32")
        nodes.append(helper.make_node("Resize", ["x", "", f"s{i}"], [f"y{i}"],
                                      name=f"resize{i}", **attributes))
    outputs = {f"y{i}": x.dtype for i in range(len(ways))}
    return make_model(nodes, {"x": x}, outputs, weights, opset)


def linear(*scales):
    return [(scales, {"mode": "linear"})]


def elements(dtype, shape):
    info = numpy.iinfo(dtype)
    low, high = max(info.min, -2**31), min(info.max, 2**31 - 1)
    return RANDOM.integers(low, high, shape, endpoint=True).astype(dtype)


def compare(made, x, expected):
    """With ONNX Runtime's results."""
    import onnxruntime
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"])
    for actual, wanted in zip(session.run(None, {"x": x}), expected):
        numpy.testing.assert_array_equal(actual, wanted)


def check_ways(tiers, dtype):
    """In each mode, and at scales that are powers of two. Returns how many."""
    x = elements(dtype, (1, 2, 4, 8))
    ways = [(scales, {"mode": mode, "antialias": antialias})
            for mode, antialias, scales in itertools.product(
                ["linear", "cubic"], [0, 1],
                [[1, 1, 2, 2], [1, 1, 0.5, 4], [1, 2, 0.25, 1]])]
    expected = [resized(x, way["mode"], scales, way["antialias"])
                for scales, way in ways]
    tiers.check(dtype, model(x, ways), {"x": x}, expected)
    if sys.argv[3:] and dtype in ("uint8", "int8"):
        compare(model(x, ways[:3]), x, expected[:3])
    return len(ways)


def main():
    tiers = Tiers(*sys.argv[1:3])
    cases = sum(check_ways(tiers, dtype) for dtype in TYPES)
    # What is alike stays so, whatever rounding weights takes.
    for dtype, value in ("uint8", 100), ("int8", -7), ("int32", 2**31 - 1):
        x = numpy.full((1, 1, 7, 9), value, dtype)
        tiers.check(f"all {value}", model(x, linear(1, 1, 1.7, 3)), {"x": x},
                    [numpy.full((1, 1, 11, 27), value, dtype)])
    # One dim alone.
    x = elements("uint8", 6)
    tiers.check("one dim", model(x, linear(2) + [([2], {"mode": "cubic"})]),
                {"x": x}, [resized(x, "linear", [2], 0),
                           resized(x, "cubic", [2], 0)])
    start = "model.onnx:resize0: error: import: Resize: "
    tiers.check_refused(
        "truth values", model(x > 100, linear(2)),
        start + "mode 'linear' interpolates numbers, not truth values")
    tiers.check_refused(
        "many elements", model(numpy.zeros(65536, "uint8"), linear(512)),
        start + "needs a table of 33554432 elements; at most 16777216 are "
        "supported")
    tiers.check_refused("no scale", model(x, linear(0)),
                        start + "a scale that is not a positive number")
    tiers.check_refused("another mode", model(x, [([2], {"mode": "other"})]),
                        start + "mode 'other' is not known")
    print(cases, "ways to resize in three tiers: all values are right")


if __name__ == "__main__":
    main()
