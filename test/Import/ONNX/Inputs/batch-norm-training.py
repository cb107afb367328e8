"""BatchNormalization that normalizes by the statistics of the batch, against
the operator's text in NumPy.

usage: batch-norm-training.py TANDEM_RUN FOLDER [onnxruntime]
"""

import sys

import numpy
from onnx import helper

from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(9)
OPERANDS = ["x", "scale", "bias", "mean", "var"]


def operands(dtype, shape=(4, 3, 5, 2)):
    x = (2 * RANDOM.standard_normal(shape) + 3).astype(dtype)
    scale, bias, mean = RANDOM.standard_normal((3, 3)).astype(dtype)
    return dict(zip(OPERANDS, [x, scale, bias, mean,
                               numpy.array([1, 2, 3], dtype)]))


def expected(x, scale, bias, mean, var, momentum):
    """Y, the running and the batch's own statistics."""
    axes = (0, *range(2, x.ndim))
    wide = x.astype("float64")
    means, variances = wide.mean(axes), wide.var(axes)

    def along(vector):
        return vector.reshape(-1, *[1] * (x.ndim - 2))

    y = (wide - along(means)) / numpy.sqrt(along(variances) + 1e-5)
    return [y * along(scale) + along(bias),
            momentum * mean + (1 - momentum) * means,
            momentum * var + (1 - momentum) * variances, means, variances]


def model(inputs, opset, results, outputs, **attributes):
    node = helper.make_node("BatchNormalization", OPERANDS, results,
                            name="norm", **attributes)
    return make_model([node], {"x": inputs["x"]},
                      dict.fromkeys(outputs, inputs["x"].dtype),
                      {name: inputs[name] for name in OPERANDS[1:]}, opset)


def check(tiers, dtype, opset, results, outputs, **attributes):
    inputs = operands(dtype)
    made = model(inputs, opset, results, outputs, momentum=0.75, **attributes)
    values = dict(zip(["y", "m", "v", "sm", "sv"],
                      expected(*inputs.values(), 0.75)))
    wanted = [values[name].astype(dtype) for name in outputs]
    tolerance = 1e-5 if dtype == "float32" else 4e-3
    x = {"x": inputs["x"]}
    tiers.check(f"operator set {opset}, {results}, {dtype}", made, x, wanted,
                rtol=tolerance, atol=tolerance)
    if sys.argv[3:] and dtype == "float32" and len(results) > 1:
        import onnxruntime
        session = onnxruntime.InferenceSession(
            made.SerializeToString(), providers=["CPUExecutionProvider"])
        # Its saved_var is 1 / sqrt(saved_var + epsilon).
        for name, actual, value in zip(outputs, session.run(None, x), wanted):
            if name != "sv":
                numpy.testing.assert_allclose(actual, value, 1e-5, 1e-5)


def main():
    tiers = Tiers(*sys.argv[1:3])
    cases = 0
    for dtype in "float32", "float16":
        for opset in 7, 8, 9, 13:
            # Listed, but read by nobody.
            check(tiers, dtype, opset, ["y", "m", "v", "sm", "sv"], ["y"])
            check(tiers, dtype, opset, ["y", "m", "v", "sm", "sv"],
                  ["y", "m", "v", "sm", "sv"])
            cases += 2
        for opset in 14, 15:
            check(tiers, dtype, opset, ["y"], ["y"], training_mode=1)
            check(tiers, dtype, opset, ["y", "m", "v"], ["y", "m", "v"],
                  training_mode=1)
            cases += 2
    inputs = operands("float32")
    start = "model.onnx:norm: error: import: BatchNormalization: "
    tiers.check_refused(
        "results without training", model(inputs, 15, ["y", "m", "v"], ["y"]),
        start + "results beside Y, which only training has")
    tiers.check_refused(
        "statistics of elements", model(inputs, 7, ["y"], ["y"], spatial=0),
        start + "statistics for each element (spatial = 0) are not supported")
    print(cases, "batches in three tiers: all values are right")


if __name__ == "__main__":
    main()
