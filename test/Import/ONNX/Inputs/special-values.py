"""Ops that read some elements only: an infinity or NaN in another element must
not reach their results, not even as a product with 0.

usage: special-values.py TANDEM_RUN FOLDER
"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from numpy import inf, nan
from onnx import helper, numpy_helper

RUN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
TIERS = ["reference", "eager", "compiled"]


def value_info(name, array):
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def run(name, operands, tier, outputs=1, weights=(), **attributes):
    """What a node computes of operands, the first ones of which are inputs; the
    others are `weights`."""
    inputs = {f"x{i}": array for i, array in enumerate(operands)}
    constants = [numpy_helper.from_array(array, f"w{i}")
                 for i, array in enumerate(weights) if array is not None]
    names = [f"w{i}" if array is not None else ""
             for i, array in enumerate(weights)]
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(name, [*inputs, *names], results, **attributes)], "g",
        [value_info(key, array) for key, array in inputs.items()],
        [onnx.ValueInfoProto(name=result) for result in results], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
    made.ir_version = 9
    (FOLDER / "model.onnx").write_bytes(made.SerializeToString())
    options = []
    for key, array in inputs.items():
        numpy.save(FOLDER / f"{key}.npy", array)
        options.append(f"--input={key}={FOLDER / key}.npy")
    subprocess.run([RUN, FOLDER / "model.onnx", *options, f"--tier={tier}",
                    f"--out-dir={FOLDER / tier}"], check=True,
                   stdout=subprocess.DEVNULL)
    found = [numpy.load(FOLDER / tier / f"output{i}.npy")
             for i in range(outputs)]
    return found if outputs > 1 else found[0]


def check(what, actual, expected, error=1e-6):
    expected = numpy.asarray(expected, actual.dtype)
    if actual.shape != expected.shape or not numpy.isclose(
            actual, expected, error, error, equal_nan=True).all():
        sys.exit(f"{what}: {actual}\nis not\n{expected}")


# Resize -------------------------------------------------------------------------


def weight(mode, distance):
    d = abs(distance)
    if mode == "linear":
        return max(0, 1 - d)
    if d <= 1:
        return (1.25 * d - 2.25) * d * d + 1
    return ((-.75 * d + 3.75) * d - 6) * d + 3 if d < 2 else 0


def resized(x, places, mode, narrowing=1):
    """The last dim of `x` at places in elements."""
    size, columns = x.shape[-1], []
    for place in places:
        reach = int(3 / narrowing)
        weights = numpy.zeros(size)
        for j in range(int(place) - reach, int(place) + reach + 1):
            weights[min(max(j, 0), size - 1)] += weight(
                mode, (place - j) * narrowing)
        columns.append(sum(w / weights.sum() * x[..., j]
                           for j, w in enumerate(weights) if abs(w) > 1e-9))
    return numpy.stack(columns, -1)


def check_resize(tier):
    row = numpy.ones((1, 1, 1, 16), numpy.float32)
    row[..., 3] = inf
    sizes = numpy.array([1, 1, 1, 32])
    expected = numpy.ones(32)
    expected[5:9] = inf
    check(f"a row of ones, {tier}", run(
        "Resize", [row], tier, weights=(None, None, sizes), mode="linear"),
          expected.reshape(1, 1, 1, 32))
    random = numpy.random.default_rng(1).uniform(-2, 2, (2, 3, 300))
    random[0, 0, 0], random[0, 2, 150], random[1, 1, 299] = inf, nan, -inf
    for count, coordinates, antialias, place in [
            (600, "half_pixel", 0, lambda i: (i + .5) / 2 - .5),
            (900, "asymmetric", 0, lambda i: i / 3),
            (599, "align_corners", 0, lambda i: i / 2),
            (100, "half_pixel", 0, lambda i: (i + .5) * 3 - .5),
            (100, "half_pixel", 1, lambda i: (i + .5) * 3 - .5),
            # More neighbors than are gathered one by one.
            (4, "half_pixel", 1, lambda i: (i + .5) * 75 - .5)]:
        for mode in ["linear", "cubic"]:
            for dtype, error in [("float16", 2e-3), ("float32", 1e-5),
                                 ("float64", 1e-12)]:
                x = random.astype(dtype)
                y = run("Resize", [x], tier, mode=mode, weights=(
                    None, None, numpy.array([2, 3, count])),
                        coordinate_transformation_mode=coordinates,
                        antialias=antialias)
                expected = resized(
                    x.astype("float64"), [place(i) for i in range(count)], mode,
                    min(1, count / 300) if antialias else 1)
                check(f"{mode} {coordinates} to {count} of {dtype}, {tier}", y,
                      expected, error)
    # More pairs of elements than a matrix of weights may have.
    x = numpy.arange(4096, dtype=numpy.float32).reshape(1, 1, 4096)
    y = run("Resize", [x], tier, mode="linear",
            weights=(None, numpy.array([1, 1, 2], numpy.float32)))
    check(f"4096 elements, {tier}", y, numpy.clip(
        (numpy.arange(8192) + .5) / 2 - .5, 0, 4095).reshape(1, 1, 8192))


# Others -------------------------------------------------------------------------


def check_losses(tier):
    """What the ignored targets' elements are does not count."""
    logits = numpy.array([[1, 2, .5], [nan, inf, 3], [0, -1, 4]], numpy.float32)
    target = numpy.array([1, 0, 2])
    logs = logits - numpy.log(numpy.exp(logits).sum(1, keepdims=True))
    loss = -(logs[0, 1] + logs[2, 2])
    for name, x in [("SoftmaxCrossEntropyLoss", logits),
                    ("NegativeLogLikelihoodLoss", logs)]:
        for reduction, expected in [("sum", loss), ("mean", loss / 2),
                                    ("none", [-logs[0, 1], 0, -logs[2, 2]])]:
            y = run(name, [x, target], tier, ignore_index=0,
                    reduction=reduction)
            check(f"{name}, {reduction}, {tier}", y, expected)


def check_pool_indices(tier):
    """No index is one of padding, even where nothing is larger than that."""
    places = [0, 0, 1, 0, 0, 1, 2, 2, 3]
    for dtype, number in [("float32", -inf), ("float32", nan), ("uint8", 0)]:
        x = numpy.full((1, 1, 2, 2), number, dtype)
        y, indices = run("MaxPool", [x], tier, outputs=2, kernel_shape=[2, 2],
                         pads=[1, 1, 1, 1])
        check(f"MaxPool of {number}, {tier}", y, [[[[number] * 3] * 3]])
        check(f"MaxPool's indices of {number}, {tier}", indices.reshape(-1),
              places)


def check_sampling(tier):
    """Elements of weight 0 are not read, and none beyond the edges."""
    x = numpy.array([[[[1, inf, 3], [4, 5, 6]]]], numpy.float32)
    # At elements 0 and 2 of row 0, between the rows, and beyond the edges.
    grid = numpy.array([[[[-1, -1], [1, -1], [-1, 0], [inf, -1], [nan, 0],
                          [-inf, inf]]]], numpy.float32)
    for mode in ["linear", "cubic"]:
        y = run("GridSample", [x, grid], tier, mode=mode, align_corners=1,
                padding_mode="zeros")
        check(f"GridSample {mode}, {tier}", y[..., [0, 1, 3, 4, 5]],
              [[[[1, 3, 0, 0, 0]]]])
    check(f"GridSample between rows, {tier}", run(
        "GridSample", [x, grid[:, :, 2:3]], tier, align_corners=1), [[[[2.5]]]])
    y = run("GridSample", [x, grid[:, :, [0, 3, 5]]], tier, align_corners=1,
            padding_mode="border")
    check(f"GridSample border, {tier}", y, [[[[1, 3, 4]]]])
    kernel = numpy.ones((1, 1, 1, 2), numpy.float32)
    offset = numpy.zeros((1, 4, 2, 2), numpy.float32)
    offset[0, 0, 1] = inf, nan
    y = run("DeformConv", [numpy.nan_to_num(x, posinf=2), kernel, offset], tier)
    check(f"DeformConv, {tier}", y, [[[[3, 5], [5, 6]]]])
    region = numpy.array([[0, 0, 2, 1]], numpy.float32)
    y = run("RoiAlign", [x, region, numpy.array([0])], tier, output_height=1,
            output_width=2, sampling_ratio=1)
    check(f"RoiAlign, {tier}", y, [[[[1, inf]]]])


def check_slopes(tier):
    x = numpy.array([-1, 0, 2, nan], numpy.float32)
    y = run("PRelu", [x, numpy.array([inf], numpy.float32)], tier)
    check(f"PRelu, {tier}", y, [-inf, 0, 2, nan])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    numpy.seterr(all="ignore")
    for tier in TIERS:
        check_resize(tier)
        check_losses(tier)
        check_pool_indices(tier)
        check_sampling(tier)
        check_slopes(tier)
    print("all values are right")


if __name__ == "__main__":
    main()
