"""Ops of many steps, at the ends of the range and in floats of 16 bits, against
NumPy in more precision.

usage: wide-values.py TANDEM_RUN FOLDER
"""

import pathlib
import subprocess
import sys

import numpy
from onnx import helper

RUN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
TIERS = ["reference", "eager", "compiled"]
ENDS = [0, -0.0, 1e-30, -1e-6, 1e-3, -.3, .5, -.999, .99999994, 1, -1,
        1.0000001, 1.5, -2, 5, -20, 22, 30.5, -88, 89, -89.4, 300, 1e5, -1e10,
        1e20, 3e38, numpy.inf, -numpy.inf, numpy.nan]
FUNCTIONS = {"Asinh": numpy.arcsinh, "Acosh": numpy.arccosh,
             "Atanh": numpy.arctanh, "Sinh": numpy.sinh, "Cosh": numpy.cosh}


def kind(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def run(name, arrays, tier, **attributes):
    """What a model of one node computes of some arrays."""
    inputs = {f"x{i}": array for i, array in enumerate(arrays)}
    node = helper.make_node(name, list(inputs), ["y"], **attributes)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(key, kind(array), array.shape)
         for key, array in inputs.items()],
        [helper.make_tensor_value_info("y", kind(arrays[0]), None)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    made.ir_version = 8
    (FOLDER / "model.onnx").write_bytes(made.SerializeToString())
    options = []
    for key, array in inputs.items():
        numpy.save(FOLDER / f"{key}.npy", array)
        options.append(f"--input={key}={FOLDER / key}.npy")
    subprocess.run([RUN, FOLDER / "model.onnx", *options, f"--tier={tier}",
                    f"--out-dir={FOLDER / tier}"], check=True,
                   stdout=subprocess.DEVNULL)
    return numpy.load(FOLDER / tier / "output0.npy")


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
    FOLDER.mkdir(parents=True, exist_ok=True)
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
