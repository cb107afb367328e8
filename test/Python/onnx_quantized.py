# REQUIRES: onnx
# RUN: %tandem-python %s
"""Quantized networks of several layers, run in mode "auto" until they are promoted.

Integer and QOperator networks must have the bits of NumPy's integers and f32. The
results of a QDQ network may be one step from those in f64, in few elements, and they
are the same before and after promotion.
"""

import itertools
import unittest

import numpy as np
import onnx
import tandem
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(45)
F32 = np.float32


def draw(dtype, shape):
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max, shape, dtype, endpoint=True)


def convolve(x, w, pad, groups=1):
    """A convolution of integers or f64, channels first, with stride 1."""
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    inputs, outputs = w.shape[1], w.shape[0] // groups
    return np.concatenate(
        [np.einsum("nchwij,ocij->nohw", windows[:, g * inputs:(g + 1) * inputs],
                   w[g * outputs:(g + 1) * outputs]) for g in range(groups)], 1)


def saturate(values, zero_point):
    info = np.iinfo(zero_point.dtype)
    return np.clip(values, info.min, info.max).astype(zero_point.dtype)


class Network:
    """Nodes and weights of a model, and a value with its scale and zero point."""

    def __init__(self, data, weights, per_channel):
        self.data, self.weight_type = data, weights
        self.per_channel = per_channel
        self.nodes, self.weights = [], {}
        self.count = 0

    def constant(self, array):
        name = f"c{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def node(self, op, inputs, **attributes):
        self.count += 1
        name = f"v{self.count}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def parameters(self, w):
        """Scale and zero point of weights, and those of the result."""
        shape = (w.shape[0],) if self.per_channel else ()
        scale = RANDOM.uniform(0.001, 0.02, shape).astype(F32)
        middle = 128 if self.weight_type == "uint8" else 0
        zero_point = np.full(shape, middle, self.weight_type)
        result_scale = F32(0.01 * np.sqrt(w[0].size))
        return scale, zero_point, result_scale, draw(self.data, ())

    def model(self, inputs, output, dtype):
        graph = helper.make_graph(
            self.nodes, "g",
            [helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
             for name, array in inputs.items()],
            [helper.make_tensor_value_info(
                output, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None)],
            [numpy_helper.from_array(a, n) for n, a in self.weights.items()])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 21)])
        model.ir_version = 8
        return model.SerializeToString()


# Types of the data and the weights, and whether each output has its own scale.
KINDS = list(itertools.product(["uint8", "int8"], ["uint8", "int8"], [False, True]))
# Outputs, inputs of a group, size, and groups of each layer; channels are odd.
LAYERS = [(6, 3, 3, 1), (6, 1, 3, 6), (20, 6, 1, 1), (10, 10, 3, 2), (5, 10, 1, 1)]


def promote(test, model, x):
    """The result of eager, after checking that the compiled tier has its bits and
    was promoted."""
    f = tandem.load(model, mode="auto")
    eager = f(x, tier="eager")
    for _ in range(3):
        np.testing.assert_array_equal(f(x), eager)
    f.compile_ahead(x.shape)
    f.wait()
    for _ in range(40):
        np.testing.assert_array_equal(f(x), eager)
        f.wait()
    (signature,) = f.report().signatures
    test.assertIn(signature.state, ("promoted", "demoted"), f.report())
    np.testing.assert_array_equal(f(x, tier="compiled"), eager)
    return eager


class QuantizedTest(unittest.TestCase):
    def test_qoperator(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.check_qoperator(Network(*kind))

    def test_qdq(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.check_qdq(Network(*kind))

    def check_qoperator(self, net):
        x = draw(net.data, (2, 3, 8, 9))
        value, q, scale, zero = "x", x, F32(0.02), draw(net.data, ())
        for outputs, inputs, size, groups in LAYERS:
            w = draw(net.weight_type, (outputs, inputs, size, size))
            sw, zw, sy, zy = net.parameters(w)
            bias = RANDOM.integers(-9999, 9999, outputs, np.int32)
            value = net.node(
                "QLinearConv",
                [value, *map(net.constant, (scale, zero, w, sw, zw, sy, zy,
                                            bias))],
                pads=[size // 2] * 4, group=groups)
            sums = convolve(q.astype("int64") - zero.astype("int64"),
                            w.astype("int64") - int(zw.flat[0]), size // 2,
                            groups) + bias.reshape(-1, 1, 1)
            factor = (scale * sw / sy).astype(F32).reshape(-1, 1, 1)
            q = saturate(np.rint(sums.astype(F32) * factor) + F32(zy), zy)
            scale, zero = sy, zy
        result = promote(self, net.model({"x": x}, value, net.data), x)
        np.testing.assert_array_equal(result, q)

    def check_qdq(self, net):
        x = RANDOM.standard_normal((2, 3, 8, 9), F32)
        scale, zero = F32(0.02), draw(net.data, ())
        value = net.node("QuantizeLinear",
                         ["x", net.constant(scale), net.constant(zero)])
        q = saturate(np.rint(x / scale) + F32(zero), zero)
        for outputs, inputs, size, groups in LAYERS:
            w = draw(net.weight_type, (outputs, inputs, size, size))
            sw, zw, sy, zy = net.parameters(w)
            bias = RANDOM.standard_normal(outputs, F32)
            a = net.node("DequantizeLinear",
                         [value, net.constant(scale), net.constant(zero)])
            b = net.node("DequantizeLinear",
                         list(map(net.constant, (w, sw, zw))), axis=0)
            r = net.node("Conv", [a, b, net.constant(bias)],
                         pads=[size // 2] * 4, group=groups)
            r = net.node("Relu", [r])
            value = net.node("QuantizeLinear",
                             [r, net.constant(sy), net.constant(zy)])
            along = (-1, 1, 1, 1) if net.per_channel else (1, 1, 1, 1)
            real = convolve(
                (q.astype("float64") - float(zero)) * float(scale),
                (w.astype("float64") - float(zw.flat[0])) *
                sw.astype("float64").reshape(along), size // 2, groups)
            real = np.maximum(real + bias.reshape(-1, 1, 1), 0)
            q = saturate(np.rint(real / float(sy)) + float(zy), zy)
            scale, zero = sy, zy
        result = promote(self, net.model({"x": x}, value, net.data), x)
        steps = np.abs(result.astype(int) - q.astype(int))
        # A step in an early layer changes several results of later ones.
        self.assertLessEqual(steps.max(), 1)
        self.assertLess((steps > 0).mean(), 0.02)

    def test_dynamic(self):
        for weights in "uint8", "int8":
            net = Network("uint8", weights, False)
            x = RANDOM.standard_normal((3, 7, 33), F32)
            w = draw(weights, (33, 35))
            zw, sw = draw(weights, ()), F32(0.01)
            net.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"],
                                              ["y", "s", "z"]))
            sums = net.node("MatMulInteger",
                            ["y", net.constant(w), "z", net.constant(zw)])
            real = net.node("Cast", [sums], to=onnx.TensorProto.FLOAT)
            factor = net.node("Mul", ["s", net.constant(sw)])
            out = net.node("Mul", [real, factor])
            scale = F32(max(x.max(), 0) - min(x.min(), 0)) / F32(255)
            zero = np.clip(np.rint(-F32(min(x.min(), 0)) / scale), 0, 255)
            q = np.clip(np.rint(x / scale) + zero, 0, 255).astype("int64")
            expected = ((q - int(zero)) @ (w.astype("int64") - int(zw)))
            expected = expected.astype(F32) * (scale * sw)
            result = promote(self, net.model({"x": x}, out, "float32"), x)
            np.testing.assert_array_equal(result, expected)


if __name__ == "__main__":
    unittest.main()
