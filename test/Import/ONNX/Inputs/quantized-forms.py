"""Nodes of quantized numbers in all their forms against NumPy's integers.

usage: quantized-forms.py TANDEM_RUN FOLDER

Integer sums are exact, and what follows them are f32 ops in the order of the
importer, so that all results but those of attention must have the bits of NumPy's.
"""

import itertools
import sys

import numpy
from onnx import helper

from quantized import convolve, integers, quantize, requantize, scales
from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(46)
F32 = numpy.float32
BYTES = ["uint8", "int8"]
MICROSOFT = "com.microsoft"


def ways(**choices):
    """All combinations of the choices, each as a dictionary."""
    return [dict(zip(choices, values))
            for values in itertools.product(*choices.values())]


class Forms:
    """Nodes that are run as one model, with the expected results."""

    def __init__(self):
        self.nodes, self.inputs, self.weights = [], {}, {}
        self.outputs, self.expected = {}, []

    def value(self, array, is_input=False):
        name = f"v{len(self.inputs) + len(self.weights)}"
        (self.inputs if is_input else self.weights)[name] = numpy.array(array, order="C")
        return name

    def node(self, op, operands, expected, domain=MICROSOFT, **attributes):
        """The first operand is an input, and the others are weights; None is one
        that is left out."""
        names = [self.value(array, not i) if array is not None else ""
                 for i, array in enumerate(operands)]
        results = [f"r{len(self.outputs) + i}" for i in range(len(expected))]
        self.nodes.append(helper.make_node(op, names, results, domain=domain,
                                           **attributes))
        for name, array in zip(results, expected):
            self.outputs[name] = array.dtype
            self.expected.append(array)

    def check(self, tiers, what, **tolerances):
        """Returns the number of nodes."""
        model = make_model(self.nodes, self.inputs, self.outputs, self.weights)
        model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
        tiers.check(what, model, self.inputs, self.expected, **tolerances)
        return len(self.nodes)


def zero_points(kind, dtype, count):
    """None, or the middle of the type, one number or a number for each output."""
    if kind == "none":
        return None
    if kind == "middle":
        return numpy.array(128 if dtype == "uint8" else 0, dtype)
    return integers(dtype, (count,) if kind == "outputs" else ())


def centered(values, zero_point):
    """Zero points of outputs are along the last dim."""
    values = values.astype("int64")
    return values if zero_point is None else values - zero_point.astype("int64")


def convolutions():
    forms = Forms()
    for way in ways(data=BYTES, weights=BYTES, zero=["middle", "one", "outputs"],
                    per_channel=[False, True], groups=[1, 2, 4],
                    pads=[[1, 1, 1, 1], [0, 2, 1, 0]], dilations=[[1, 1], [2, 1]]):
        outputs, groups = 12, way["groups"]
        x = integers(way["data"], (2, 4, 7, 6))
        w = integers(way["weights"], (outputs, 4 // groups, 3, 2))
        zx, zy = integers(way["data"], ()), integers(way["data"], ())
        zw = zero_points(way["zero"], way["weights"], outputs)
        sx, sw = scales(()), scales((outputs,) if way["per_channel"] else ())
        sy = F32(0.3)
        bias = RANDOM.integers(-9999, 9999, outputs, "int32")
        top, left, bottom, right = way["pads"]
        padded = numpy.pad(centered(x, zx), [(0, 0), (0, 0), (top, bottom),
                                             (left, right)])
        rows, columns = way["dilations"]
        kernel = numpy.zeros((outputs, 4 // groups, 2 * rows + 1, columns + 1), int)
        kernel[:, :, ::rows, ::columns] = numpy.moveaxis(
            centered(numpy.moveaxis(w, 0, -1), zw), -1, 0)
        sums = convolve(padded, kernel, 1, 0, groups) + bias.reshape(-1, 1, 1)
        factor = (sx * sw / sy).astype(F32).reshape(-1, 1, 1)
        forms.node("QLinearConv", [x, sx, zx, w, sw, zw, sy, zy, bias],
                   [requantize(sums, factor, zy)], domain="", group=groups,
                   pads=way["pads"], dilations=way["dilations"])
    return forms


def products():
    """QGemm."""
    forms = Forms()
    for way in ways(data=BYTES, weights=BYTES, zero=["none", "one", "outputs"],
                    per_channel=[False, True], transposed=[0, 1, 2, 3],
                    bias=[None, (), (5,), (3, 5)], quantized=[False, True]):
        if RANDOM.random() > 0.3:
            continue
        a, b = integers(way["data"], (3, 21)), integers(way["weights"], (21, 5))
        za, zb = integers(way["data"], ()), zero_points(way["zero"],
                                                        way["weights"], 5)
        sa, sb = scales(()), scales((5,) if way["per_channel"] else ())
        sums = centered(a, za) @ centered(b, zb)
        c = None
        if way["bias"] is not None:
            c = RANDOM.integers(-9999, 9999, way["bias"], "int32")
            c = numpy.asarray(c, "int32")
            sums = sums + c
        alpha = F32(0.75)
        real = sums.astype(F32) * (sa * sb * alpha).astype(F32)
        sy = zy = None
        if way["quantized"]:
            sy, zy = F32(0.2), integers(way["data"], ())
        trans_a, trans_b = way["transposed"] % 2, way["transposed"] // 2
        forms.node("QGemm",
                   [a.T if trans_a else a, sa, za, b.T if trans_b else b, sb, zb, c,
                    sy, zy],
                   [real if sy is None else quantize(real, sy, zy)],
                   transA=trans_a, transB=trans_b, alpha=float(alpha))
    return forms


def integers_to_floats():
    """MatMulIntegerToFloat."""
    forms = Forms()
    for way in ways(data=BYTES, weights=BYTES, zero=["none", "one", "outputs"],
                    data_zero=["none", "one"], per_channel=[False, True],
                    bias=[False, True], type=["float32", "float16"]):
        a, b = integers(way["data"], (2, 3, 19)), integers(way["weights"], (19, 5))
        za = zero_points(way["data_zero"], way["data"], 1)
        zb = zero_points(way["zero"], way["weights"], 5)
        sa = scales(()).astype(way["type"])
        sb = scales((5,) if way["per_channel"] else ()).astype(way["type"])
        bias = (RANDOM.standard_normal(5).astype(way["type"]) if way["bias"]
                else None)
        sums = centered(a, za) @ centered(b, zb)
        real = sums.astype(F32) * (sa.astype(F32) * sb.astype(F32))
        if bias is not None:
            real = real + bias.astype(F32)
        forms.node("MatMulIntegerToFloat", [a, b, sa, sb, za, zb, bias],
                   [real.astype(way["type"])])
    return forms


def quantize_dynamically(x):
    """The centered integers, and their scale."""
    least, most = min(x.min(), F32(0)), max(x.max(), F32(0))
    scale = F32(1) if least == most else (most - least) / F32(255)
    zero = numpy.clip(numpy.rint(-least / scale), 0, 255)
    q = numpy.clip(numpy.rint(x / scale) + zero, 0, 255)
    return (q - zero).astype("int64"), scale


def dynamic_products():
    forms = Forms()
    data = {"mixed": RANDOM.standard_normal((2, 4, 18), F32),
            "positive": RANDOM.uniform(1, 2, (4, 18)).astype(F32),
            "negative": RANDOM.uniform(-9, -8, (4, 18)).astype(F32),
            # 101.5 and the zero point are both rounded up, and their sum is 256.
            "clipped": numpy.linspace(-153.5, 101.5, 72).reshape(4, 18).astype(F32),
            "zeros": numpy.zeros((4, 18), F32),
            "minus zeros": -numpy.zeros((1, 18), F32),
            "large": RANDOM.uniform(-1e30, 1e30, (4, 18)).astype(F32)}
    for way in ways(data=data, weights=BYTES, zero=["none", "one", "outputs"],
                    per_channel=[False, True], bias=[False, True]):
        x, b = data[way["data"]], integers(way["weights"], (18, 5))
        zb = zero_points(way["zero"], way["weights"], 5)
        sb = scales((5,) if way["per_channel"] else ())
        bias = RANDOM.standard_normal(5).astype(F32) if way["bias"] else None
        q, scale = quantize_dynamically(x)
        real = (q @ centered(b, zb)).astype(F32) * (scale * sb)
        forms.node("DynamicQuantizeMatMul", [x, b, sb, zb, bias],
                   [real if bias is None else real + bias])
    return forms


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def attention():
    """QAttention, in f64 but for the first product."""
    forms = Forms()
    for way in ways(data=BYTES, weights=BYTES, zero=["none", "one", "outputs"],
                    per_channel=[False, True], causal=[0, 1], masked=[0, 1],
                    past=[0, 1]):
        # ONNX Runtime's masks of ends do not count past keys.
        if way["masked"] and way["past"]:
            continue
        x, w = integers(way["data"], (2, 4, 6)), integers(way["weights"], (6, 24))
        zx, zw = integers(way["data"], ()), zero_points(way["zero"],
                                                        way["weights"], 24)
        sx, sw = scales(()), scales((24,) if way["per_channel"] else ()) * F32(0.1)
        bias = RANDOM.standard_normal(24).astype(F32)
        product = (centered(x, zx) @ centered(w, zw)).astype(F32) * (sx * sw) + bias
        q, k, v = (heads(part, 2) for part in numpy.split(
            product.astype("float64"), 3, 2))
        past = RANDOM.standard_normal((2, 2, 2, 3, 4)).astype(F32)
        if way["past"]:
            k, v = (numpy.concatenate([old, new], 2)
                    for old, new in zip(past, (k, v)))
        scores = q @ k.swapaxes(2, 3) / 2
        counts = numpy.ones(scores.shape, bool)
        if way["causal"]:
            counts &= numpy.tri(*scores.shape[2:], scores.shape[3] - 4, dtype=bool)
        ends = numpy.array([2, 4], "int32")
        if way["masked"]:
            counts[0, :, :, 2:] = False
        scores = numpy.where(counts, scores, -numpy.inf)
        weights = numpy.exp(scores - scores.max(3, keepdims=True))
        weights /= weights.sum(3, keepdims=True)
        result = (weights @ v).transpose(0, 2, 1, 3).reshape(2, 4, 8)
        forms.node("QAttention",
                   [x, w, bias, sx, sw, ends if way["masked"] else None, zx, zw,
                    past if way["past"] else None],
                   [result.astype(F32), numpy.stack([k, v]).astype(F32)],
                   num_heads=2, unidirectional=way["causal"])
    return forms


def main():
    tiers = Tiers(*sys.argv[1:])
    count = convolutions().check(tiers, "QLinearConv")
    count += products().check(tiers, "QGemm")
    count += integers_to_floats().check(tiers, "MatMulIntegerToFloat")
    count += dynamic_products().check(tiers, "DynamicQuantizeMatMul")
    count += attention().check(tiers, "QAttention", rtol=1e-5, atol=1e-5)
    print(count, "nodes in three tiers: all are right")


if __name__ == "__main__":
    main()
