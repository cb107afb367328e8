"""Weights of 2, 4 and 8 bits with scales of blocks, against NumPy.

usage: packed-weights.py TANDEM_RUN FOLDER

Data are small integers and scales are powers of two, so that all sums are exact and
the results must have the bits of NumPy's.
"""

import itertools
import sys

import ml_dtypes
import numpy
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(47)
F32 = numpy.float32
MICROSOFT = "com.microsoft"
NIBBLES = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4}


def pack(numbers, bits):
    """The last dim in bytes, the first number in the lowest bits."""
    count = 8 // bits
    rest = -numbers.shape[-1] % count
    numbers = numpy.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, rest)])
    numbers = numbers.reshape(*numbers.shape[:-1], -1, count).astype("uint8")
    return numpy.bitwise_or.reduce(
        numbers << numpy.arange(0, 8, bits, dtype="uint8"), -1)


def powers(shape):
    """Scales, of which a quarter are negative and a few are 0."""
    scales = 2.0 ** RANDOM.integers(-6, 0, shape)
    scales *= RANDOM.choice([1, 1, 1, -1], shape)
    return numpy.where(RANDOM.random(shape) < 0.05, 0, scales)


class ManyBits:
    """Nodes of MatMulNBits in one model."""

    def __init__(self):
        self.nodes, self.inputs, self.weights = [], {}, {}
        self.outputs, self.expected = {}, []

    def add(self, bits, block, inputs, zero, order, bias, dtype, shape, outputs=5,
            special=()):
        number = len(self.nodes)
        blocks = -(-inputs // block)
        x = RANDOM.integers(-1, 1, (*shape, inputs), endpoint=True).astype(dtype)
        for value in special:
            x[tuple(RANDOM.integers(size) for size in x.shape)] = value
        # The numbers behind the last one do not count.
        w = RANDOM.integers(0, 1 << bits, (outputs, blocks * block))
        scales = powers((outputs, blocks)).astype(dtype)
        groups = numpy.arange(inputs) // block
        operands = {"B": pack(w, bits).reshape(outputs, blocks, -1),
                    "scales": scales}
        zeros = numpy.full((outputs, blocks), 1 << (bits - 1), float)
        if zero == "packed":
            zeros = RANDOM.integers(0, 1 << bits, (outputs, blocks))
            operands["zero_points"] = pack(zeros, bits)
        elif zero == "floats":
            zeros = RANDOM.integers(0, 2 << bits, (outputs, blocks)) / 2
            operands["zero_points"] = zeros.astype(dtype)
        if order:
            groups = RANDOM.permutation(groups)
            operands["g_idx"] = groups.astype("int32")
        real = (w[:, :inputs] - zeros[:, groups]) * scales.astype(float)[:, groups]
        result = x.astype(float) @ real.T
        if bias:
            operands["bias"] = RANDOM.integers(-9, 9, outputs).astype(dtype)
            result = result + operands["bias"]
        names = ["x", "B", "scales", "zero_points", "g_idx", "bias"]
        self.inputs[f"x{number}"] = x
        self.weights |= {f"{name}{number}": a for name, a in operands.items()}
        self.nodes.append(helper.make_node(
            "MatMulNBits", [f"{name}{number}" if name in {"x", *operands} else ""
                            for name in names], [f"y{number}"], domain=MICROSOFT,
            K=inputs, N=outputs, bits=bits, block_size=block))
        self.outputs[f"y{number}"] = dtype
        self.expected.append(result.astype(dtype))

    def check(self, tiers, *options):
        model = make_model(self.nodes, self.inputs, self.outputs, self.weights)
        model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
        tiers.check(f"MatMulNBits {options}", model, self.inputs, self.expected,
                    *options)
        return len(self.nodes)


def products():
    many = ManyBits()
    for i, (bits, block, zero, order) in enumerate(itertools.product(
            [4, 8, 2], [16, 32, 64, 128, 256], ["", "packed", "floats"],
            [False, True])):
        # Blocks that are full, and a last one of a few numbers.
        inputs = [2 * block, 2 * block + 3, block - 1, 3 * block + 10][i % 4]
        many.add(bits, block, inputs, zero, order, bias=i % 3 == 0,
                 dtype="float16" if i % 5 == 0 else "float32",
                 shape=[(1,), (4,), (2, 3), ()][i // 2 % 4])
    return many


def scaled():
    """Products of few and many rows, with odd numbers of inputs and outputs and a
    last block that is cut short, or a single block. Some data are not finite."""
    many = ManyBits()
    for i, (bits, rows, (block, inputs, outputs)) in enumerate(itertools.product(
            [2, 4, 8], [1, 3, 64],
            [(16, 100, 70), (32, 96, 131), (64, 61, 7), (16, 17, 2)])):
        many.add(bits, block, inputs, ["", "packed"][i % 2 if bits < 8 else 0],
                 order=False, bias=i % 3 == 0, dtype="float32", shape=(rows,),
                 outputs=outputs,
                 special=[numpy.inf, -numpy.inf, numpy.nan, -0.0][:i % 5])
    return many


def random_nibbles(dtype, shape):
    info = ml_dtypes.iinfo(NIBBLES[dtype])
    return RANDOM.integers(info.min, info.max, shape,
                           endpoint=True).astype(NIBBLES[dtype])


def spread(parameter, shape, axis, block):
    """Scales or zero points in a shape that broadcasts with the weights."""
    if block:
        repeated = numpy.repeat(parameter, block, axis)
        return numpy.take(repeated, range(shape[axis]), axis)
    if axis is None:
        return parameter
    return parameter.reshape([-1 if i == axis else 1 for i in range(len(shape))])


def dequantized(dtype, shape, axis, block, has_zero, real):
    """Weights, scales, zero points and attributes of DequantizeLinear, and its
    result. Scales are of blocks, of an axis (block 0), or of the tensor (no axis)."""
    w = (random_nibbles(dtype, shape) if dtype in NIBBLES else
         RANDOM.integers(0, 127, shape).astype(dtype))
    of = list(shape) if block else [shape[axis]] if axis is not None else []
    if block:
        of[axis] = -(-shape[axis] // block)
    scales = (powers(of) if block else numpy.abs(powers(of))).astype(real)
    zero = RANDOM.integers(0, 7, of).astype(w.dtype) if has_zero else None
    centered = w.astype(F32)
    if has_zero:
        centered = centered - spread(zero.astype(F32), shape, axis, block)
    result = centered * spread(scales.astype(F32), shape, axis, block)
    attributes = {"axis": axis, "block_size": block}
    return (w, scales, zero), {k: v for k, v in attributes.items() if v is not None
                               and (k == "axis" or v)}, result.astype(real)


def weights_of_blocks(tiers):
    """The weights are added to inputs."""
    nodes, inputs, weights, outputs, expected = [], {}, {}, {}, []
    for i, (dtype, (shape, axis, block), has_zero) in enumerate(itertools.product(
            ["int4", "uint4", "int8", "uint8"],
            [((6, 8), 0, 2), ((5, 7), 1, 3), ((3, 5, 4), -2, 2), ((5, 3), 0, 16),
             ((5, 3), 1, 0), ((5, 3), None, 0), ((0, 4), 1, 2)], [False, True])):
        real = "float16" if dtype == "uint4" and has_zero else "float32"
        operands, attributes, result = dequantized(dtype, shape, axis, block,
                                                   has_zero, real)
        names = [f"{name}{i}" if array is not None else ""
                 for name, array in zip("wsz", operands)]
        weights |= {n: a for n, a in zip(names, operands) if n}
        inputs[f"x{i}"] = RANDOM.integers(-9, 9, shape).astype(real)
        nodes += [helper.make_node("DequantizeLinear", names, [f"d{i}"],
                                   **attributes),
                  helper.make_node("Add", [f"x{i}", f"d{i}"], [f"y{i}"])]
        outputs[f"y{i}"] = real
        expected.append(inputs[f"x{i}"] + result)
    model = make_model(nodes, inputs, outputs, weights)
    tiers.check("DequantizeLinear", model, inputs, expected)
    return len(expected)


def stored(tiers):
    """An odd number of elements in each field that a file may have them in, and
    through ops that move elements."""
    w = random_nibbles("int4", (3, 5))
    as_bytes = numpy_helper.from_array(w, "w")
    as_numbers = helper.make_tensor("w", TensorProto.INT4, w.shape,
                                    w.astype("int8").reshape(-1))
    assert as_bytes.raw_data and as_numbers.int32_data
    outside = numpy_helper.from_array(w, "w")
    external_data_helper.set_external_data(outside, "w.bin", offset=3)
    (tiers.folder / "w.bin").write_bytes(b"\x77" * 3 + outside.raw_data + b"\x77")
    outside.ClearField("raw_data")
    nodes = [helper.make_node("Transpose", ["w"], ["t"]),
             helper.make_node("DequantizeLinear", ["t", "s"], ["d"]),
             helper.make_node("Add", ["x", "d"], ["y"])]
    x = numpy.ones((5, 3), F32)
    for how in as_bytes, as_numbers, outside, None:
        given = nodes if how else [
            helper.make_node("Constant", [], ["w"], value=as_bytes), *nodes]
        model = make_model(given, {"x": x}, {"y": F32}, {"s": F32(0.5)})
        if how:
            model.graph.initializer.append(how)
        tiers.check("stored integers of 4 bits", model, {"x": x},
                    [1 + w.T.astype(F32) * F32(0.5)])
    return 4


def quantized(tiers):
    """QuantizeLinear to integers of 4 bits saturates to those."""
    x = numpy.concatenate([numpy.linspace(-12, 20, 65), [
        numpy.inf, -numpy.inf, numpy.nan, 1e30, -1e-40]]).astype(F32)
    for dtype, named in itertools.product(NIBBLES, [False, True]):
        info = ml_dtypes.iinfo(NIBBLES[dtype])
        zero = numpy.array(0 if named else 3, NIBBLES[dtype])
        q = numpy.clip(numpy.rint(x / F32(0.5)) + F32(zero), info.min, info.max)
        # NaN becomes 0.
        q = numpy.where(numpy.isnan(x), 0, q)
        real = (q - F32(zero)) * F32(0.5)
        more = {"output_dtype": getattr(TensorProto, dtype.upper())} if named else {}
        parameters = ["s"] if named else ["s", "z"]
        nodes = [helper.make_node("QuantizeLinear", ["x", *parameters], ["q"], **more),
                 helper.make_node("DequantizeLinear", ["q", *parameters], ["y"])]
        weights = {"s": F32(0.5)} if named else {"s": F32(0.5), "z": zero}
        model = make_model(nodes, {"x": x}, {"y": F32}, weights)
        tiers.check(f"QuantizeLinear to {dtype}", model, {"x": x},
                    [real.astype(F32)])
    return 4


def refused(tiers):
    node = helper.make_node("DequantizeLinear", ["x", "s"], ["y"])
    x = TensorProto.INT4
    model = make_model([node], {}, {"y": F32}, {"s": F32(1)})
    model.graph.input.append(helper.make_tensor_value_info("x", x, [2]))
    tiers.check_refused("an input of 4 bits", model,
                        "input 'x': element type INT4 is not supported")
    short = helper.make_tensor("x", TensorProto.UINT4, [4], b"\x11\x11", raw=True)
    short.dims[0] = 5
    model = make_model([node], {}, {"y": F32}, {"s": F32(1)})
    model.graph.initializer.append(short)
    tiers.check_refused("too few bytes", model, "tensor 'x' has 2 bytes of elements,"
                        " its type tensor<5xui8> takes 3")


def main():
    tiers = Tiers(*sys.argv[1:])
    count = products().check(tiers)
    for option in ["always", "never"]:
        count += scaled().check(tiers, f"--target-option=scaled-weights={option}",
                                "--target-option=contractions=generated")
    count += weights_of_blocks(tiers) + stored(tiers) + quantized(tiers)
    refused(tiers)
    print(count, "nodes on packed weights in three tiers: all are right")


if __name__ == "__main__":
    main()
