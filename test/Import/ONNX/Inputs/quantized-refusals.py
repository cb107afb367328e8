"""Quantized nodes whose scales, zero points or block sizes are wrong.

usage: quantized-refusals.py TANDEM_RUN FOLDER

Each message names the operand, says what was found, and what it must be.
"""

import sys

import numpy

from refusals import check
from tiers import Tiers

FLOAT = numpy.float32
MICROSOFT = "com.microsoft."


def f(*values):
    return numpy.array(values, FLOAT)


def u8(*values):
    return numpy.array(values, "uint8")


def i8(*values):
    return numpy.array(values, "int8")


def i32(*values):
    return numpy.array(values, "int32")


def zeros(*shape, dtype=FLOAT):
    return numpy.zeros(shape, dtype)


INPUTS = {"x": zeros(3, 4), "image": zeros(1, 2, 5, 5, dtype="uint8"),
          "u": zeros(3, 4, dtype="uint8"), "i": zeros(3, 4, dtype="int8"),
          "words": zeros(3, 4, dtype="int32"),
          "tokens": zeros(2, 3, 4, dtype="uint8"),
          "halves": zeros(3, 4, dtype="float16")}
KERNEL = zeros(6, 2, 3, 3, dtype="int8")
RIGHT = zeros(4, 5, dtype="int8")  # Of a matrix product.
S, Z, ZI = f(0.5)[0], u8(3)[0], i8(3)[0]  # A scale and zero points.

POSITIVE = "; a scale that numbers are divided by must be positive and finite"
NOT_NEGATIVE = "; a scale must be finite and not negative"
FINITE = "; a scale must be finite"


def scales_of(op, operands, at, rule, attributes=None):
    """Cases in which the scale that is operand `at` is wrong."""
    wrong = {"inf": f(numpy.inf), "nan": f(numpy.nan), "-inf": f(-numpy.inf)}
    if rule != FINITE:
        wrong["-0.5"] = f(-0.5)
    if rule == POSITIVE:
        wrong["0"] = f(0.0)
    for i, (text, scale) in enumerate(wrong.items()):
        changed = list(operands)
        changed[at] = scale
        name = f"operand {at} ('w{{}}_{at}')"
        yield (op, changed, attributes or {}, f"the scale {name} is {text}{rule}")


def conv(**changes):
    """The operands of QLinearConv, some of them changed, by number."""
    operands = ["image", S, Z, KERNEL, S, ZI, S, Z]
    for key, value in changes.items():
        at = int(key[1:])
        operands += [""] * (at + 1 - len(operands))
        operands[at] = value
    return operands


def blocks(bits=4, **attributes):
    return {"K": 20, "N": 3, "bits": bits, "block_size": 16, **attributes}


LONG = zeros(2, 20)
PACKED = zeros(3, 2, 8, dtype="uint8")

CASES = [
    # Scales.
    *scales_of("QuantizeLinear", ["x", S, Z], 1, POSITIVE),
    *scales_of("DequantizeLinear", ["u", S, Z], 1, NOT_NEGATIVE),
    *scales_of("DequantizeLinear", [RIGHT[0, :1], zeros(1)], 1, FINITE,
               {"block_size": 1, "axis": 0}),
    *scales_of("QLinearConv", conv(), 1, NOT_NEGATIVE),
    *scales_of("QLinearConv", conv(), 4, NOT_NEGATIVE),
    *scales_of("QLinearConv", conv(), 6, POSITIVE),
    *scales_of("QLinearMatMul", ["u", S, Z, RIGHT, S, ZI, S, Z], 1, NOT_NEGATIVE),
    *scales_of("QLinearMatMul", ["u", S, Z, RIGHT, S, ZI, S, Z], 4, NOT_NEGATIVE),
    *scales_of("QLinearMatMul", ["u", S, Z, RIGHT, S, ZI, S, Z], 6, POSITIVE),
    *scales_of(MICROSOFT + "DynamicQuantizeMatMul", ["x", RIGHT, S], 2,
               NOT_NEGATIVE),
    *scales_of(MICROSOFT + "MatMulIntegerToFloat", ["u", RIGHT, S, S], 2,
               NOT_NEGATIVE),
    *scales_of(MICROSOFT + "MatMulIntegerToFloat", ["u", RIGHT, S, S], 3,
               NOT_NEGATIVE),
    *scales_of(MICROSOFT + "QGemm", ["u", S, Z, RIGHT, S, ZI, "", S, Z], 1,
               NOT_NEGATIVE),
    *scales_of(MICROSOFT + "QGemm", ["u", S, Z, RIGHT, S, ZI, "", S, Z], 4,
               NOT_NEGATIVE),
    *scales_of(MICROSOFT + "QGemm", ["u", S, Z, RIGHT, S, ZI, "", S, Z], 7,
               POSITIVE),
    *scales_of(MICROSOFT + "QAttention",
               ["tokens", zeros(4, 12, dtype="int8"), zeros(12), S, S], 3,
               NOT_NEGATIVE, {"num_heads": 2}),
    *scales_of(MICROSOFT + "QLinearAdd", ["u", S, Z, "u", S, Z, S, Z], 4,
               NOT_NEGATIVE),
    *scales_of(MICROSOFT + "QLinearAdd", ["u", S, Z, "u", S, Z, S, Z], 6, POSITIVE),
    *scales_of(MICROSOFT + "QLinearMul", ["u", S, Z, "u", S, Z, S, Z], 6, POSITIVE),
    *scales_of(MICROSOFT + "QLinearSigmoid", ["u", S, Z, S, Z], 3, POSITIVE),
    *scales_of(MICROSOFT + "QLinearConcat", [S, Z, "u", S, Z], 0, POSITIVE),
    *scales_of(MICROSOFT + "QLinearAveragePool", ["image", S, Z, S, Z], 1,
               NOT_NEGATIVE, {"kernel_shape": [2, 2]}),
    *scales_of(MICROSOFT + "MatMulNBits",
               [zeros(2, 16), zeros(1, 1, 8, dtype="uint8"), zeros(1)], 2, FINITE,
               {"K": 16, "N": 1, "bits": 4, "block_size": 16}),
    ("QuantizeLinear", ["x", f(1, 2, 0, 3), zeros(4, dtype="int8")], {},
     "element 2 of the scale operand 1 ('w{}_1') is 0" + POSITIVE),
    ("QuantizeLinear", ["halves", numpy.array("nan", "float16")], {},
     "the scale operand 1 ('w{}_1') is nan" + POSITIVE),
    ("QLinearConv", conv(_4=f(1, 1, 1, 1, -1e-30, 1)), {},
     "element 4 of the scale operand 4 ('w{}_4') is -1e-30" + NOT_NEGATIVE),
    ("DequantizeLinear", ["u", i32(1)], {},
     "the scale operand 1 ('w{}_1') has the type i32, not one of floats"),
    # Types of zero points.
    ("DequantizeLinear", ["u", S, ZI], {},
     "the zero point operand 2 ('w{}_2') has the type i8, and operand 0 ('u') the"
     " type ui8"),
    ("QuantizeLinear", ["x", S, S], {}, "quantizes to integers only"),
    ("QuantizeLinear", ["x", S, Z], {"output_dtype": 3},
     "output_dtype is not the type of the zero point operand 2 ('w{}_2')"),
    ("ConvInteger", ["image", KERNEL, ZI], {},
     "the zero point operand 2 ('w{}_2') has the type i8, and operand 0 ('image') "
     "the type ui8"),
    ("QLinearConv", conv(_5=Z), {},
     "the zero point operand 5 ('w{}_5') has the type ui8, and operand 3 ('w{}_3') "
     "the type i8"),
    ("QLinearConv", conv(_8=zeros(6)), {},
     "operand 8 ('w{}_8') is a bias and not of i32"),
    ("QLinearMatMul", ["u", S, ZI, RIGHT, S, ZI, S, Z], {},
     "the zero point operand 2 ('w{}_2') has the type i8, and operand 0 ('u') the"
     " type ui8"),
    ("MatMulInteger", ["u", RIGHT, Z, Z], {},
     "the zero point operand 3 ('w{}_3') has the type ui8, and operand 1 ('w{}_1') "
     "the type i8"),
    (MICROSOFT + "DynamicQuantizeMatMul", ["x", RIGHT, S, Z], {},
     "the zero point operand 3 ('w{}_3') has the type ui8, and operand 1 ('w{}_1') "
     "the type i8"),
    (MICROSOFT + "MatMulIntegerToFloat", ["u", RIGHT, S, S, ZI], {},
     "the zero point operand 4 ('w{}_4') has the type i8, and operand 0 ('u') the"
     " type ui8"),
    (MICROSOFT + "QGemm", ["u", S, Z, RIGHT, S, Z], {},
     "the zero point operand 5 ('w{}_5') has the type ui8, and operand 3 ('w{}_3') "
     "the type i8"),
    (MICROSOFT + "QGemm", ["u", S, Z, RIGHT, S, ZI, zeros(5)], {},
     "operand 6 ('w{}_6') is a bias and not of i32"),
    (MICROSOFT + "QAttention",
     ["tokens", zeros(4, 12, dtype="int8"), zeros(12), S, S, "", Z, Z],
     {"num_heads": 2},
     "the zero point operand 7 ('w{}_7') has the type ui8, and operand 1 ('w{}_1') "
     "the type i8"),
    (MICROSOFT + "QLinearAdd", ["u", S, ZI, "u", S, Z, S, Z], {},
     "the zero point operand 2 ('w{}_2') has the type i8, and operand 0 ('u') the"
     " type ui8"),
    ("DynamicQuantizeLinear", ["u"], {}, "quantizes floats only"),
    (MICROSOFT + "DynamicQuantizeMatMul", ["u", RIGHT, S], {},
     "quantizes floats only"),
    (MICROSOFT + "DynamicQuantizeMatMul", ["x", zeros(4, 5), S], {},
     "takes integers of 8 bits"),
    # Numbers of scales and zero points.
    ("QuantizeLinear", ["x", f(1, 2, 3)], {},
     "operand 1 ('w{}_1') has 3 elements; dim 1 of operand 0 ('x') has 4"),
    ("QuantizeLinear", ["x", f(1, 2, 3, 4), zeros(3, dtype="uint8")], {},
     "operand 2 ('w{}_2') has 3 elements; dim 1 of operand 0 ('x') has 4"),
    ("DequantizeLinear", ["u", f(1, 2, 3, 4)], {"axis": 0},
     "operand 1 ('w{}_1') has 4 elements; dim 0 of operand 0 ('u') has 3"),
    ("DequantizeLinear", ["u", zeros(3, 4)], {},
     "operand 1 ('w{}_1') has 2 dims, not 1"),
    ("QLinearConv", conv(_1=f(1, 2)), {},
     "operand 1 ('w{}_1') has 2 elements; it must be one number for all of "
     "operand 0 ('image')"),
    ("QLinearConv", conv(_2=u8(1, 2)), {},
     "operand 2 ('w{}_2') has 2 elements; it must be one number for all of "
     "operand 0 ('image')"),
    ("QLinearConv", conv(_4=f(1, 2)), {},
     "operand 4 ('w{}_4') has 2 elements; dim 0 of operand 3 ('w{}_3') has 6"),
    ("QLinearConv", conv(_5=i8(1, 2)), {},
     "operand 5 ('w{}_5') has 2 elements; dim 0 of operand 3 ('w{}_3') has 6"),
    ("QLinearConv", conv(_6=f(1, 2)), {},
     "operand 6 ('w{}_6') has 2 elements; dim 1 of the result has 6"),
    ("QLinearConv", conv(_8=i32(1, 2)), {},
     "operand 8 ('w{}_8') has 2 elements; dim 1 of the result has 6"),
    ("ConvInteger", ["image", KERNEL, Z, i8(1, 2)], {},
     "operand 3 ('w{}_3') has 2 elements; dim 0 of operand 1 ('w{}_1') has 6"),
    ("ConvInteger", ["image", i8(1)[0], Z, i8(1, 2)], {},
     "operand 3 ('w{}_3') has 2 elements; operand 1 ('w{}_1') has no dim 0"),
    ("MatMulInteger", ["u", RIGHT, Z, zeros(4, dtype="int8")], {},
     "operand 3 ('w{}_3') has 4 elements; dim 1 of operand 1 ('w{}_1') has 5"),
    ("MatMulInteger", ["u", RIGHT, u8(1, 2)], {},
     "operand 2 ('w{}_2') has 2 elements; dim 0 of operand 0 ('u') has 3"),
    ("QLinearMatMul", ["u", zeros(3, 4), Z, RIGHT, S, ZI, S, Z], {},
     "operand 1 ('w{}_1') has 4 elements along dim 1, not 1, for operand 0 ('u')"),
    ("QLinearMatMul", ["u", S, Z, RIGHT, zeros(1, 2), ZI, S, Z], {},
     "operand 4 ('w{}_4') has 2 elements along dim 1, not 1 or 5, for operand 3 "
     "('w{}_3')"),
    ("QLinearMatMul", ["u", S, Z, RIGHT, zeros(1, 1, 5), ZI, S, Z], {},
     "operand 4 ('w{}_4') has 3 dims, not 2"),
    ("QLinearMatMul", ["u", S, Z, RIGHT[:, 0], f(1, 2, 3, 4), ZI, S, Z], {},
     "operand 4 ('w{}_4') has 4 elements; it must be one number for all of "
     "operand 3 ('w{}_3')"),
    (MICROSOFT + "DynamicQuantizeMatMul", ["x", RIGHT, f(1, 2)], {},
     "operand 2 ('w{}_2') has 2 elements; dim 1 of operand 1 ('w{}_1') has 5"),
    (MICROSOFT + "MatMulIntegerToFloat", ["u", RIGHT, S, f(1, 2)], {},
     "operand 3 ('w{}_3') has 2 elements; dim 1 of operand 1 ('w{}_1') has 5"),
    (MICROSOFT + "QGemm", ["u", S, Z, RIGHT.T, f(1, 2), ZI], {"transB": 1},
     "operand 4 ('w{}_4') has 2 elements; dim 0 of operand 3 ('w{}_3') has 5"),
    (MICROSOFT + "QGemm", ["u", f(1, 2, 3), Z, RIGHT, S, ZI], {},
     "operand 1 ('w{}_1') has 3 elements; it must be one number for all of "
     "operand 0 ('u')"),
    (MICROSOFT + "QGemm", ["tokens", S, Z, RIGHT, S, ZI], {},
     "operand 0 ('tokens') has 3 dims, not 2"),
    (MICROSOFT + "QLinearMul", ["u", S, Z, "u", f(1, 2, 3, 4), Z, S, Z], {},
     "operand 4 ('w{}_4') has 4 elements; it must be one number for all of "
     "operand 3 ('u')"),
    (MICROSOFT + "QLinearSigmoid", ["u", S, Z, f(1, 2, 3, 4), Z], {},
     "operand 3 ('w{}_3') has 4 elements; it must be one number for all of the "
     "result"),
    # Axes and blocks.
    ("QuantizeLinear", ["x", f(1, 2, 3, 4)], {"axis": 2},
     "axis 2 is not one of 2 dims"),
    ("DequantizeLinear", ["u", f(1, 2, 3, 4)], {"axis": -3},
     "axis -3 is not one of 2 dims"),
    ("QuantizeLinear", ["x", zeros(4) + 1], {"block_size": 2},
     "operand 1 ('w{}_1') has 1 dim, not 2"),
    ("QuantizeLinear", ["x", zeros(3, 2) + 1], {"block_size": -2},
     "block_size is -2, and must be positive"),
    ("DequantizeLinear", ["u", zeros(3, 2)], {"block_size": 3, "axis": 2},
     "axis 2 is not one of 2 dims"),
    ("DequantizeLinear", ["u", zeros(3, 3)], {"block_size": 3},
     "operand 1 ('w{}_1') has 3 elements along dim 1, not 2; operand 0 ('u') has 4 "
     "in blocks of 3"),
    ("DequantizeLinear", ["u", zeros(2, 2)], {"block_size": 2},
     "operand 1 ('w{}_1') has 2 elements along dim 0, not 3; operand 0 ('u') has 3"),
    ("DequantizeLinear", ["u", zeros(3, 2), zeros(3, 1, dtype="uint8")],
     {"block_size": 2},
     "operand 2 ('w{}_2') has 1 element along dim 1, not 2; operand 0 ('u') has 4 in"
     " blocks of 2"),
    # Weights of a few bits.
    *[(MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(6)], blocks(**wrong), message)
      for wrong, message in [
          ({"block_size": 15},
           "block_size is 15, and must be a power of two of at least 16"),
          ({"block_size": 8},
           "block_size is 8, and must be a power of two of at least 16"),
          ({"block_size": 48},
           "block_size is 48, and must be a power of two of at least 16"),
          ({"block_size": -16},
           "block_size is -16, and must be a power of two of at least 16"),
          ({"block_size": 1 << 62}, "block_size is 4611686018427387904, and must "
           "be a power of two of at least 16"),
          ({"bits": 3},
           "weights of 3 bits are not supported: bits must be 2, 4 or 8"),
          ({"K": 0}, "K is out of range"), ({"N": -1}, "N is out of range"),
          ({"K": 1 << 40}, "K is out of range"),
          ({"K": 24},
           "operand 0 ('w{}_0') has 20 elements along its last dim; K is 24"),
          ({"bits": 8}, "operand 1 ('w{}_1') has 48 elements, not 96"),
          ({"weight_prepacked": 1},
           "weights that are prepacked for a GPU are not supported")]],
    (MICROSOFT + "MatMulNBits", [LONG, PACKED.astype("int8"), zeros(6)], blocks(),
     "operand 1 ('w{}_1') is not of ui8"),
    (MICROSOFT + "MatMulNBits", ["u", PACKED, zeros(6)], blocks(),
     "operand 0 ('u') is not of floats of 16 or 32 bits"),
    (MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(5)], blocks(),
     "operand 2 ('w{}_2') has 5 elements, not 6"),
    (MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(6), zeros(6, dtype="uint8")],
     blocks(), "operand 3 ('w{}_3') has 6 elements, not 3"),
    (MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(6), zeros(3)], blocks(),
     "operand 3 ('w{}_3') has 3 elements, not 6"),
    (MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(6), zeros(6, dtype="int8")],
     blocks(), "operand 3 ('w{}_3') is not of ui8 or floats"),
    (MICROSOFT + "MatMulNBits",
     [LONG, PACKED, zeros(6), "", zeros(20, dtype="int32") + 2], blocks(),
     "operand 4 ('w{}_4') has a number that is not one of 2 blocks"),
    (MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(6), "", i32(0, 1)], blocks(),
     "operand 4 ('w{}_4') has 2 elements, not 20"),
    (MICROSOFT + "MatMulNBits", [LONG, PACKED, zeros(6), "", "", zeros(4)],
     blocks(), "operand 5 ('w{}_5') has 4 elements, not 3"),
]


def main():
    cases = [(op, operands, attributes, message.replace("{}", str(i)))
             for i, (op, operands, attributes, message) in enumerate(CASES)]
    check(cases, INPUTS, Tiers(*sys.argv[1:]))


if __name__ == "__main__":
    main()
