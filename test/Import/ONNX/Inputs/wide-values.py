"""Ops of many steps, at the ends of the range and in floats of 16 bits, against
NumPy in more precision.

usage: wide-values.py TANDEM_RUN FOLDER
"""

import sys

import numpy
from onnx import helper

from tiers import TIERS, Tiers, make_model

RUNNER = Tiers(*sys.argv[1:])
ENDS = [0, -0.0, 1e-30, -1e-6, 1e-3, -.3, .5, -.999, .99999994, 1, -1,
        1.0000001, 1.5, -2, 5, -20, 22, 30.5, -88, 89, -89.4, 300, 1e5, -1e10,
        1e20, 3e38, numpy.inf, -numpy.inf, numpy.nan]
FUNCTIONS = {"Asinh": numpy.arcsinh, "Acosh": numpy.arccosh,
             "Atanh": numpy.arctanh, "Sinh": numpy.sinh, "Cosh": numpy.cosh}


def run(name, arrays, tier, **attributes):
    """What a model of one node computes of some arrays."""
    inputs = {f"x{i}": array for i, array in enumerate(arrays)}
    node = helper.make_node(name, list(inputs), ["y"], **attributes)
    made = make_model([node], inputs, {"y": arrays[0].dtype}, opset=13)
    return RUNNER.run(tier, made, inputs)[0]


def check(what, actual, expected, most):
    """Fails beyond `most` units in the last place."""
    wide = numpy.longdouble
    same = (actual == expected) | (numpy.isnan(actual) & numpy.isnan(expected))
    apart = (numpy.abs(actual.astype(wide) - expected.astype(wide))
             / numpy.spacing(numpy.abs(expected)).astype(wide))
    if not (same | (apart <= most)).all():
        sys.exit(f"{what}: {actual}\nis not\n{expected}")


def norms(x):
    """Name, operands, attributes and result of ops whose squares and sums of x
    are beyond f16."""
    wide = x.astype(numpy.float64)
    scale = numpy.ones(x.shape[1], x.dtype)
    for name, axes, operands in [
            ("InstanceNormalization", (2, 3), [x, scale, 0 * scale]),
            ("MeanVarianceNormalization", (0, 2, 3), [x])]:
        deviation = numpy.sqrt(wide.var(axis=axes, keepdims=True) + 1e-5)
        mean = wide.mean(axis=axes, keepdims=True)
        yield name, operands, {}, (wide - mean) / deviation
    norm = numpy.sqrt((wide * wide).sum(axis=3, keepdims=True))
    yield "LpNormalization", [x], {}, wide / norm
    yield "ReduceL2", [x], {"axes": [3]}, norm
    squares = numpy.pad(wide * wide, [(0, 0), (1, 1), (0, 0), (0, 0)])
    windows = sum(squares[:, i:i + x.shape[1]] for i in range(3))
    yield "LRN", [x], {"size": 3}, wide / (1 + 1e-4 / 3 * windows) ** .75
    yield "Mean", [50 * x, 50 * x, 50 * x], {}, (50 * x).astype(numpy.float64)


def main():
    numpy.seterr(all="ignore")
    for tier in TIERS:
        for name, function in FUNCTIONS.items():
            for dtype in [numpy.float16, numpy.float32, numpy.float64]:
                x = numpy.array(ENDS).astype(dtype)
                expected = function(x.astype(numpy.longdouble)).astype(dtype)
                check(f"{name} of {x.dtype}, {tier}", run(name, [x], tier),
                      expected, 4)
        x = numpy.random.default_rng(1).uniform(200, 400, (1, 4, 6, 8))
        for name, arrays, attributes, expected in norms(
                x.astype(numpy.float16)):
            check(f"{name} of f16, {tier}",
                  run(name, arrays, tier, **attributes),
                  expected.astype(numpy.float16), 2)
    print("all values are right")


if __name__ == "__main__":
    main()
