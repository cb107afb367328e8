"""Convolutions and products of quantized numbers against exact integers.

usage: quantized.py TANDEM_RUN FOLDER [onnxruntime]

Integer and QOperator nodes must have the bits of NumPy's integers and of one f32
factor. The result of a QDQ chain may be one step from that of the chain in f64, in
few elements. With a third argument, ONNX Runtime must agree in the same way; on
processors without VNNI, it saturates.
"""

import itertools
import sys

import numpy
from onnx import helper

from tiers import TIERS, Tiers, make_model

RANDOM = numpy.random.default_rng(44)
F32 = numpy.float32


def integers(dtype, shape):
    """A third of them are the least or the largest number."""
    info = numpy.iinfo(dtype)
    values = RANDOM.integers(info.min, info.max, shape, endpoint=True)
    ends = RANDOM.choice([info.min, info.max], shape)
    return numpy.where(RANDOM.random(shape) < 1 / 3, ends, values).astype(dtype)


def scales(count):
    return RANDOM.uniform(0.001, 0.02, count).astype(F32)


def convolve(x, w, stride, pad, groups):
    """Sums of int64 or f64, channels first."""
    x = numpy.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    inputs, outputs = w.shape[1], w.shape[0] // groups
    window = numpy.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    window = window[:, :, ::stride, ::stride]
    parts = [numpy.einsum("nchwij,ocij->nohw",
                          window[:, g * inputs:(g + 1) * inputs],
                          w[g * outputs:(g + 1) * outputs])
             for g in range(groups)]
    return numpy.concatenate(parts, 1)


def quantize(real, scale, zero_point):
    info = numpy.iinfo(zero_point.dtype)
    rounded = numpy.rint(real / scale) + zero_point
    return numpy.clip(rounded, info.min, info.max).astype(zero_point.dtype)


def requantize(sums, factor, zero_point):
    """Of integers, in the order of operations of the importer."""
    info = numpy.iinfo(zero_point.dtype)
    rounded = numpy.rint(sums.astype(F32) * factor.astype(F32)) + F32(zero_point)
    return numpy.clip(rounded, info.min, info.max).astype(zero_point.dtype)


class Case:
    """The operands of one convolution or product, and its exact sums."""

    def __init__(self, number, types, per_channel, symmetric):
        self.name, (self.data, self.weights) = str(number), types
        self.per_channel, self.symmetric = per_channel, symmetric

    def parameters(self, x, w, outputs, axis):
        """Zero points and scales; those of the weights along `axis` of w."""
        count = outputs if self.per_channel else 1
        shape = (count,) if self.per_channel else ()
        zw = integers(self.weights, shape)
        if self.symmetric:
            zw = numpy.full_like(zw, 128 if self.weights == "uint8" else 0)
        zx = integers(self.data, ())
        if self.symmetric and number_of(self.name) % 2:
            zx = numpy.zeros_like(zx)
        along = [1] * w.ndim
        along[axis] = count
        self.x, self.w, self.zx, self.zw = x, w, zx, zw
        self.sx, self.sw = scales(()), scales(shape)
        self.sy, self.zy = scales(()) * F32(50), integers(self.data, ())
        self.centered = (x.astype("int64") - zx.astype("int64"),
                         w.astype("int64") - zw.astype("int64").reshape(along))
        self.real = (self.centered[0] * numpy.float64(self.sx),
                     self.centered[1] * self.sw.astype("float64").reshape(along))

    def values(self):
        return {f"{key}{self.name}": getattr(self, key)
                for key in ("w", "zx", "zw", "sx", "sw", "sy", "zy")}

    def named(self, *keys):
        return [f"{key}{self.name}" if key else "" for key in keys]


def number_of(name):
    return int(name)


class ConvCase(Case):
    op = "Conv"

    def __init__(self, number, types, per_channel, symmetric):
        super().__init__(number, types, per_channel, symmetric)
        self.groups = [1, 1, 2, 6][number % 4]
        inputs = [3, 8, 5, 1][number % 4]
        outputs = [7, 20, 6, 6][number % 4]
        kernel, self.stride = [3, 1, 2, 3][number // 4 % 4], 1 + number % 2
        self.pad = kernel // 2
        # Zero points of weights in groups are computed in f32.
        self.parameters(integers(self.data, (2, inputs * self.groups, 9, 8)),
                        integers(self.weights, (outputs, inputs, kernel, kernel)),
                        outputs, 0)
        self.attributes = {"strides": [self.stride] * 2, "pads": [self.pad] * 4,
                           "group": self.groups}
        self.axis, self.result_axes = 0, (-1, 1, 1)

    def contract(self, pair):
        return convolve(*pair, self.stride, self.pad, self.groups)


class MatMulCase(Case):
    op = "MatMul"

    def __init__(self, number, types, per_channel, symmetric):
        super().__init__(number, types, per_channel, symmetric)
        inputs, outputs = [1, 4, 7, 33][number % 4], [2, 5, 16, 35][number // 4 % 4]
        self.parameters(integers(self.data, (3, 5, inputs)),
                        integers(self.weights, (inputs, outputs)), outputs, 1)
        self.attributes, self.axis, self.result_axes = {}, 1, (-1,)

    def contract(self, pair):
        return pair[0] @ pair[1]


def make_cases(kind):
    ways = itertools.product(itertools.product(["uint8", "int8"], repeat=2),
                             [False, True], [False, True], range(2))
    return [kind(number, types, per_channel, symmetric)
            for number, (types, per_channel, symmetric, _) in enumerate(ways)]


def integer_model(cases):
    """ConvInteger and MatMulInteger, and the QOperator nodes."""
    nodes, weights, outputs, expected = [], {}, {}, []
    for case in cases:
        weights |= case.values()
        sums = case.contract(case.centered)
        # ONNX has no zero points of channels in ConvInteger's weights.
        if case.op == "MatMul" or not case.per_channel:
            nodes.append(helper.make_node(
                case.op + "Integer", case.named("x", "w", "zx", "zw"),
                case.named("s"), **case.attributes))
            outputs[f"s{case.name}"] = "int32"
            expected.append(sums.astype("int32"))
        nodes.append(helper.make_node(
            "QLinear" + case.op,
            case.named("x", "sx", "zx", "w", "sw", "zw", "sy", "zy"),
            case.named("q"), **case.attributes))
        outputs[f"q{case.name}"] = case.data
        factor = F32(case.sx) * case.sw / F32(case.sy)
        expected.append(requantize(sums, factor.reshape(case.result_axes), case.zy))
    return nodes, weights, outputs, expected


def qdq_model(cases):
    nodes, weights, outputs, expected = [], {}, {}, []
    for case in cases:
        weights |= case.values()
        nodes += [
            helper.make_node("DequantizeLinear", case.named("x", "sx", "zx"),
                             case.named("a")),
            helper.make_node("DequantizeLinear", case.named("w", "sw", "zw"),
                             case.named("b"), axis=case.axis),
            helper.make_node(case.op, case.named("a", "b"), case.named("r"),
                             **case.attributes),
            helper.make_node("QuantizeLinear", case.named("r", "sy", "zy"),
                             case.named("q"))]
        outputs[f"q{case.name}"] = case.data
        expected.append(quantize(case.contract(case.real),
                                 numpy.float64(case.sy), case.zy))
    return nodes, weights, outputs, expected


def is_near(what, actual, expected):
    """At most one step, in at most a hundredth of the elements."""
    for got, wanted in zip(actual, expected, strict=True):
        steps = numpy.abs(got.astype(int) - wanted.astype(int))
        if got.dtype != wanted.dtype or steps.max() > 1 or (steps > 0).mean() > 0.01:
            sys.exit(f"{what}: {(steps > 0).sum()} of {steps.size} elements differ, "
                     f"by up to {steps.max()}")


def run_peer(model, inputs):
    import onnxruntime
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def main():
    tiers = Tiers(*sys.argv[1:3])
    count = 0
    for kind in ConvCase, MatMulCase:
        cases = make_cases(kind)
        inputs = {f"x{case.name}": case.x for case in cases}
        *made, expected = integer_model(cases)
        nodes, weights, outputs = made
        model = make_model(nodes, inputs, outputs, weights)
        tiers.check(f"integers of {kind.op}", model, inputs, expected)
        nodes, weights, outputs, near = qdq_model(cases)
        qdq = make_model(nodes, inputs, outputs, weights)
        results = [tiers.run(tier, qdq, inputs) for tier in TIERS]
        for tier, result in zip(TIERS, results):
            is_near(f"QDQ of {kind.op}, {tier}", result, near)
            for one, other in zip(results[0], result):
                numpy.testing.assert_array_equal(one, other, f"{tier}, {kind.op}")
        if sys.argv[3:]:
            is_near("ONNX Runtime, QDQ", run_peer(qdq, inputs), near)
        count += len(expected) + len(near)
    print(count, "contractions of quantized numbers in three tiers: all are right")


if __name__ == "__main__":
    main()
