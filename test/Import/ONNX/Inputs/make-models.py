"""Writes the small models of the tests in this folder.

usage: make-models.py FOLDER
"""

import os
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weight(name, array):
    return numpy_helper.from_array(numpy.asarray(array), name)


def model(nodes, inputs, outputs, weights=(), opset=17, functions=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(weights))
    result = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)],
        functions=functions)
    result.ir_version = 8
    return result


# A "-" stands for an operand that is left out.
def node(op, inputs, outputs, name=None, **attributes):
    operands = ["" if word == "-" else word for word in inputs.split()]
    return helper.make_node(op, operands, outputs.split(),
                            name=name or op.lower() + "_" + outputs.split()[0],
                            **attributes)


def ramp(*shape):
    count = int(numpy.prod(shape))
    return (numpy.arange(count, dtype=numpy.float32) % 7 - 3).reshape(shape)


# A convolution, and the flattening of an exporter: its shape is computed.
def network():
    return model(
        [node("Conv", "x w b", "c", "stem/conv", pads=[1, 1, 1, 1]),
         node("Clip", "c zero six", "r"),
         node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
         node("Shape", "p", "s"),
         node("Gather", "s zero_i", "n", axis=0),
         node("Unsqueeze", "n axes", "n1"),
         node("Concat", "n1 minus_one", "shape", axis=0),
         node("Reshape", "p shape", "flat"),
         node("Gemm", "flat fc fcb", "y", "head/fc", transB=1)],
        [value("x", ["batch", 2, 4, 4])], [value("y", ["batch", 5])],
        [weight("w", ramp(3, 2, 3, 3)), weight("b", ramp(3)),
         weight("fc", ramp(5, 12)), weight("fcb", ramp(5)),
         weight("zero", numpy.float32(0)), weight("six", numpy.float32(6)),
         weight("zero_i", numpy.int64(0)),
         weight("axes", numpy.array([0])),
         weight("minus_one", numpy.array([-1]))])


# Parameters of an axis and of blocks, shifts, and sums that f32 does not hold.
def quantized():
    return model(
        [node("QuantizeLinear", "x axis_scale axis_zero", "q", axis=0),
         node("BitShift", "q one", "shifted", direction="RIGHT"),
         node("QuantizeLinear", "x block_scale", "blocks", axis=1, block_size=2,
              output_dtype=TensorProto.INT16),
         node("DequantizeLinear", "blocks block_scale", "back", axis=1,
              block_size=2),
         node("Expand", "byte many", "bytes"),
         node("ConvInteger", "bytes kernel", "sum")],
        [value("x", [2, 4]), value("byte", [1, 1, 1], TensorProto.UINT8)],
        [value("q", [2, 4], TensorProto.UINT8),
         value("shifted", [2, 4], TensorProto.UINT8),
         value("blocks", [2, 4], TensorProto.INT16), value("back", [2, 4]),
         value("sum", [1, 1, 1], TensorProto.INT32)],
        [weight("axis_scale", numpy.float32([0.5, 2])),
         weight("axis_zero", numpy.uint8([10, 128])),
         weight("block_scale", numpy.float32([[0.5, 4], [0.25, 1]])),
         weight("one", numpy.uint8(1)), weight("many", numpy.array([1, 301, 1])),
         weight("kernel", numpy.full([1, 301, 1], 255, numpy.uint8))],
        opset=25)


# A convolution and a pooling between integers, as a quantizer writes them.
def quantized_layers():
    def dequantize(q, name):
        return node("DequantizeLinear", f"{q} scale zero", name)

    return model(
        [node("QuantizeLinear", "x scale zero", "q0"), dequantize("q0", "x0"),
         node("DequantizeLinear", "kernel kernel_scale", "w", axis=0),
         node("Conv", "x0 w", "c", "layer/conv", pads=[1, 1, 1, 1]),
         node("Relu", "c", "r", "layer/relu"),
         node("QuantizeLinear", "r scale zero", "q1", "layer/quantize"),
         dequantize("q1", "x1"),
         node("AveragePool", "x1", "p", kernel_shape=[2, 2], strides=[2, 2]),
         node("QuantizeLinear", "p scale zero", "q2", "pool/quantize"),
         dequantize("q2", "y")],
        [value("x", ["batch", 2, 6, 6])], [value("y", ["batch", 3, 3, 3])],
        [weight("scale", numpy.float32(0.0625)), weight("zero", numpy.uint8(64)),
         weight("kernel", (numpy.arange(54) * 37 % 201 - 100).astype("int8")
                .reshape(3, 2, 3, 3)),
         weight("kernel_scale", numpy.float32([0.0021, 0.0032, 0.0043]))],
        opset=21)


def quantized_floats():
    return model([node("MatMulInteger", "x x", "y")], [value("x", [2, 2])],
                 [value("y", [2, 2], TensorProto.INT32)])


# Pads to a multiple of 4 as an exporter writes that: with remainders, and a
# list of padding from the last dim to the first, which is reversed.
def padded():
    return model(
        [node("Shape", "x", "s"), node("Gather", "s one", "width", axis=0),
         node("Mod", "width four", "rest"),
         node("Sub", "four rest", "missing"),
         node("Mod", "missing four", "pad"),
         node("Unsqueeze", "pad axes", "pad1"),
         node("Concat", "zero pad1 none", "flat", axis=0),
         node("Reshape", "flat pairs", "table"),
         node("Slice", "table from to axes step", "reversed"),
         node("Transpose", "reversed", "sides", perm=[1, 0]),
         node("Reshape", "sides minus_one", "pads"),
         node("Pad", "x pads", "y", "attention/pad")],
        [value("x", ["batch", 6])], [value("y", ["batch", 8])],
        [weight("one", numpy.int64(1)), weight("four", numpy.int64(4)),
         weight("axes", numpy.array([0])), weight("zero", numpy.array([0])),
         weight("none", numpy.array([0, 0])),
         weight("pairs", numpy.array([-1, 2])),
         weight("from", numpy.array([-1])),
         weight("to", numpy.array([-(2**63 - 1)])),
         weight("step", numpy.array([-1])),
         weight("minus_one", numpy.array([-1]))])


def shape_input():
    return model([node("Reshape", "x shape", "y")],
                 [value("x", [2, 6]), value("shape", [2], INT64)],
                 [value("y", [None, None])])


def two_free_dims():
    return model([node("Shape", "x", "s"), node("Reshape", "x s", "y", "again")],
                 [value("x", ["n", "m"])], [value("y", ["n", "m"])])


def function(nodes):
    return helper.make_function(
        "local", "Scaled", ["a"], ["b"], nodes,
        [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)],
        attributes=["slope"])


# LeakyRelu with the slope of its call, twice.
def calls():
    inner = node("LeakyRelu", "a", "b", "inner")
    reference = inner.attribute.add()
    reference.name, reference.ref_attr_name = "alpha", "slope"
    reference.type = onnx.AttributeProto.FLOAT
    return model(
        [node("Scaled", "x", "m", "half", domain="local", slope=0.5),
         node("Scaled", "m", "y", "quarter", domain="local", slope=0.25)],
        [value("x", [2])], [value("y", [2])], functions=[function([inner])])


# Clip between limits of which a call gives the second alone, through another.
def short_calls():
    def clip(name, inner):
        return helper.make_function(
            "local", name, ["a", "low", "high"], ["b"], [inner],
            [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])
    call = node("Inner", "a low high", "b", "outer", domain="local")
    functions = [clip("Inner", node("Clip", "a low high", "b", "inner")),
                 clip("Outer", call)]
    arguments = node("Outer", "x", "y", "call", domain="local")
    arguments.input[:] = ["x", "", "limit"]
    return model([arguments], [value("x", [3])], [value("y", [3])],
                 [weight("limit", numpy.float32(1))], functions=functions)


# A function's attribute in a branch of an If that the function has.
def attribute_in_branch():
    def graph(op):
        inner = node(op, "a", op)
        if op == "LeakyRelu":
            reference = inner.attribute.add()
            reference.name, reference.ref_attr_name = "alpha", "slope"
            reference.type = onnx.AttributeProto.FLOAT
        return helper.make_graph([inner], op, [], [value(op, [2])])

    body = [node("Constant", "", "yes",
                 value=numpy_helper.from_array(numpy.array(True))),
            node("If", "yes", "b", then_branch=graph("LeakyRelu"),
                 else_branch=graph("Neg"))]
    return model([node("Scaled", "x", "y", "call", domain="local", slope=0.5)],
                 [value("x", [2])], [value("y", [2])],
                 functions=[function(body)])


# An attribute that refers to that of a call, where there is none.
def attribute_of_no_function():
    result = model([node("LeakyRelu", "x", "y", "leaky")], [value("x", [2])],
                   [value("y", [2])])
    reference = result.graph.node[0].attribute.add()
    reference.name, reference.ref_attr_name = "alpha", "slope"
    reference.type = onnx.AttributeProto.FLOAT
    return result


# An input that has a default.
def defaulted_input():
    return model([node("Add", "x w", "y")], [value("x", [2]), value("w", [2])],
                 [value("y", [2])], [weight("w", ramp(2))])


def endless_calls():
    return model([node("Scaled", "x", "y", "outer", domain="local")],
                 [value("x", [2])], [value("y", [2])],
                 functions=[function([node("Scaled", "a", "b", "inner",
                                           domain="local")])])


# A branch on the rank, which is known.
def branch():
    def graph(op, name):
        return helper.make_graph([node(op, "x", name)], name, [],
                                 [value(name, [2])])
    return model([node("Shape", "x", "s"), node("Size", "s", "rank"),
                  node("Equal", "rank one", "is_vector"),
                  node("If", "is_vector", "y", "choice",
                       then_branch=graph("Neg", "negated"),
                       else_branch=graph("Abs", "absolute"))],
                 [value("x", [2])], [value("y", [2])],
                 [weight("one", numpy.int64(1))])


def graph_of(nodes, inputs, outputs):
    return helper.make_graph(nodes, "body", inputs, outputs)


def loop_body(condition, nodes=()):
    return graph_of(
        [*condition, *nodes],
        [value("i", [], INT64), value("goes_on", [], TensorProto.BOOL),
         value("before", [1])],
        [value("next", [], TensorProto.BOOL), value("after", [1]),
         value("seen", [1])])


# Adds the numbers below 2, and stops after it has looked at 2. The names of the
# body are those of each iteration.
def loop():
    body = loop_body(
        [node("Less", "i two", "next")],
        [node("Cast", "i", "number", to=FLOAT),
         node("If", "next", "after",
              then_branch=graph_of([node("Add", "before number", "sum")], [],
                                   [value("sum", [1])]),
              else_branch=graph_of([node("Identity", "before", "same")], [],
                                   [value("same", [1])])),
         node("Identity", "after", "seen")])
    return model([node("Loop", "ten - x", "y all", "sums", body=body)],
                 [value("x", [1])], [value("y", [1]), value("all", [None, 1])],
                 [weight("ten", numpy.int64(10)),
                  weight("two", numpy.int64(2))])


def endless_loop():
    body = loop_body([node("Identity", "goes_on", "next")],
                     [node("Identity", "before", "after"),
                      node("Identity", "before", "seen")])
    return model([node("Loop", "- - x", "y all", "forever", body=body)],
                 [value("x", [1])], [value("y", [1]), value("all", [None, 1])])


def unknown_loop():
    body = loop_body([node("Identity", "goes_on", "next")],
                     [node("Add", "before before", "after"),
                      node("Identity", "after", "seen")])
    return model([node("Cast", "x", "n", to=INT64), node("Squeeze", "n", "n0"),
                  node("Loop", "n0 - x", "y all", "sums", body=body)],
                 [value("x", [1])], [value("y", [1]), value("all", [None, 1])])


# Columns from the last to the first; results are put in front.
def scan(inputs=("before", "element")):
    body = graph_of([node("Add", "before element", "after"),
                     node("Identity", "after", "seen")],
                    [value(name, [2]) for name in inputs],
                    [value("after", [2]), value("seen", [2])])
    return model(
        [node("Scan", "s x", "last y", "sums", body=body, num_scan_inputs=1,
              scan_input_axes=[1], scan_input_directions=[1],
              scan_output_axes=[-1], scan_output_directions=[1])],
        [value("x", [2, 3])], [value("last", [2]), value("y", [2, 3])],
        [weight("s", numpy.zeros(2, numpy.float32))])


def short_body():
    return scan(("before",))


def regions():
    return model(
        [node("RoiAlign", "x boxes batches", "y", "crop", output_height=2,
              output_width=2)],
        [value("x", [1, 1, 4, 4]), value("boxes", [1, 4])],
        [value("y", [1, 1, 2, 2])],
        [weight("batches", numpy.zeros(1, numpy.int64))])


# An exporter of PyTorch turns pairs for each dim, from the last one, into a
# padding: reversed as the rows of a matrix, which is then transposed.
def padding_pairs():
    def constant(name, *values):
        return weight(name, numpy.array(values, numpy.int64))
    return model(
        [node("Reshape", "pairs rows", "matrix"),
         node("Slice", "matrix last first axis step", "reversed"),
         node("Transpose", "reversed", "columns", perm=[1, 0]),
         node("Reshape", "columns all", "list"),
         node("Cast", "list", "pads", to=INT64), node("Pad", "x pads", "y")],
        [value("x", ["n", 3])], [value("y", [None, None])],
        [constant("pairs", 1, 2, 0, 3), constant("rows", -1, 2),
         constant("last", -1), constant("first", -(1 << 63)),
         constant("axis", 0), constant("step", -1), constant("all", -1)])


# Free dims as an exporter of PaddlePaddle writes them.
def paddle_dims():
    return model([node("Relu", "x", "y")], [value("x", [-1, 3, "?", "?"])],
                 [value("y", [-1, 3, "?", "?"])])


# Mirroring is by a list of indices.
def long_padding():
    return model([node("Pad", "x pads", "y", "mirror", mode="reflect")],
                 [value("x", [4])], [value("y", [None])],
                 [weight("pads", numpy.array([1 << 30, 0]))])


def integer_softmax():
    return model([node("LogSoftmax", "x", "y", "logits")],
                 [value("x", [4], INT64)], [value("y", [4], INT64)])


def large_det():
    return model([node("Det", "x", "y", "det")], [value("x", [7, 7])],
                 [value("y", [])])


def no_outputs():
    return model([node("Constant", "", "", "nothing",
                       value=numpy_helper.from_array(ramp(3))),
                  node("Relu", "x", "y")],
                 [value("x", [2])], [value("y", [2])])


# Of rows that have no element.
def empty_softmax():
    return model([node("LogSoftmax", "x", "y"), node("Hardmax", "y", "z")],
                 [value("x", [2, 0])], [value("z", [2, 0])])


# Exact, where x - y * trunc(x / y) is not.
def remainders():
    return model([node("Mod", "x y", "z", fmod=1)],
                 [value("x", [4]), value("y", [4])], [value("z", [4])])


# 5 times 1.4 is 7 in f32 alone.
def resized():
    return model([node("Resize", "x - scales", "y")], [value("x", [1, 2, 5, 5])],
                 [value("y", [1, 2, 7, 7])],
                 [weight("scales", numpy.array([1, 1, 1.4, 1.4], "float32"))])


def gemm_of_product_alone():
    return model([node("Gemm", "x x c", "y", beta=0.0)], [value("x", [2, 2])],
                 [value("y", [2, 2])],
                 [weight("c", numpy.full(2, numpy.nan, "float32"))])


def dynamic_scale():
    return model([node("DynamicQuantizeLinear", "x", "y scale zero")],
                 [value("x", [3])], [value("scale", [])])


# Backwards from before the first element, which is where it begins then: of a
# tensor, and of its shape.
def slices():
    return model([node("Slice", "x before least axis down", "y"),
                  node("Shape", "x", "s"),
                  node("Slice", "s before least axis down", "rows"),
                  node("Concat", "rows rest", "shape", axis=0),
                  node("Reshape", "x shape", "z")],
                 [value("x", [2, 3])], [value("y", [1, 3]), value("z", None)],
                 [weight("before", numpy.array([-100])),
                  weight("least", numpy.array([-2 ** 63])),
                  weight("axis", numpy.array([0])),
                  weight("down", numpy.array([-3])),
                  weight("rest", numpy.array([-1]))])


# Sums beyond i32; half of a product of integers; a mask of floats wider than
# the scores; statistics of f64, which are f32.
def narrow_types():
    kinds = {"i": TensorProto.INT32, "h": TensorProto.FLOAT16,
             "d": TensorProto.DOUBLE}
    heads = [1, 1, 2, 2]
    return model([node("ReduceMean", "i", "mean", keepdims=0),
                  node("Gemm", "i i", "half", alpha=0.5),
                  node("Attention", "h h h mask", "attended"),
                  node("LayerNormalization", "d scale", "normal m inverse")],
                 [value("i", [2, 2], kinds["i"]), value("h", heads, kinds["h"]),
                  value("mask", [2, 2]), value("d", [2, 2], kinds["d"]),
                  value("scale", [2], kinds["d"])],
                 [value("mean", [], kinds["i"]),
                  value("half", [2, 2], kinds["i"]),
                  value("attended", heads, kinds["h"]),
                  value("m", [2, 1])], opset=23)


def shrunk_bytes():
    return model([node("Shrink", "x", "y", lambd=1.0)],
                 [value("x", [4], TensorProto.UINT8)],
                 [value("y", [4], TensorProto.UINT8)])


def reshaped_shape():
    return model([node("Shape", "x", "s"),
                  node("Reshape", "s seven", "t", "longer"),
                  node("Reshape", "x t", "y")],
                 [value("x", [3, 3])], [value("y", [None, None])],
                 [weight("seven", numpy.array([7]))])


def einsum():
    return model([node("Einsum", "x x", "y", "product", equation="ij,jk->iz")],
                 [value("x", [3, 3])], [value("y", [None, None])])


# No f64 is equal to the value.
def wide_padding():
    return model([node("Pad", "x pads one", "y")], [value("x", [2], INT64)],
                 [value("y", [4], INT64)],
                 [weight("pads", numpy.array([1, 1])),
                  weight("one", numpy.int64(2 ** 53 + 1))])


def cropping_padding():
    return model([node("Pad", "x pads", "y", "crop")], [value("x", [3, 4])],
                 [value("y", [None, None])],
                 [weight("pads", numpy.array([-2, 0, -2, 0]))])


# A branch and a body may have weights for results, a body no node at all, and
# a loop no iteration: then the type of what it stacks is the declared one.
def bare_regions():
    def weights(name, number):
        graph = graph_of([], [], [value(name, [2])])
        graph.initializer.append(
            weight(name, numpy.full(2, number, numpy.float32)))
        return graph
    body = graph_of([], [value("i", [], INT64),
                         value("goes_on", [], TensorProto.BOOL),
                         value("a", [2]), value("b", [2])],
                    [value("goes_on", [], TensorProto.BOOL), value("b", [2]),
                     value("a", [2]), value("b", [2])])
    return model(
        [node("If", "no", "chosen", then_branch=weights("then", 1),
              else_branch=weights("else", 2)),
         node("Loop", "three - x chosen", "p q all", "swap", body=body),
         node("Loop", "none - x chosen", "r s nothing", "idle", body=body)],
        [value("x", [2])],
        [value(name, [2]) for name in "pqrs"] + [value("all", [3, 2]),
                                                 value("nothing", [0, 2])],
        [weight("no", numpy.array(False)), weight("three", numpy.int64(3)),
         weight("none", numpy.int64(0))])


def unknown_ops():
    return model([node("Relu", "x", "a"), node("NonZero", "a", "b", "first"),
                  node("Frobnicate", "b", "c", "second"),
                  node("Frobnicate", "c", "y", "third")],
                 [value("x", [2])], [value("y", [2])])


# The type of what the unknown op computes is told.
def partly_known():
    result = model([node("Relu", "x", "a"), node("Frobnicate", "a", "b"),
                    node("Softplus", "b", "c"), node("Frobnicate", "c", "d"),
                    node("Neg", "d", "y")],
                   [value("x", [2])], [value("y", [2])])
    result.graph.value_info.append(value("b", [2]))
    return result


def cycle():
    return model([node("Add", "x b", "a", "head"), node("Relu", "a", "b")],
                 [value("x", [2])], [value("b", [2])])


def twice():
    return model([node("Relu", "x", "y"), node("Abs", "x", "y", "second")],
                 [value("x", [2])], [value("y", [2])])


def undefined():
    return model([node("Add", "x nothing", "y", "sum")], [value("x", [2])],
                 [value("y", [2])])


def shapes():
    return model([node("MatMul", "x w", "y", "product")],
                 [value("x", [2, 3])], [value("y", [2, 4])],
                 [weight("w", ramp(4, 4))])


def old_opset():
    return model([node("Relu", "x", "y")], [value("x", [2])], [value("y", [2])],
                 opset=5)


def type_of_input():
    return model([node("Identity", "x", "y")],
                 [value("x", [2], TensorProto.COMPLEX64)],
                 [value("y", [2], TensorProto.COMPLEX64)])


# What would take more than memory, or has numbers that overflow.
def large_input():
    return model([node("GatherElements", "x i", "y")],
                 [value("x", [0, 1 << 40, 1 << 40]), value("i", [1], INT64)],
                 [value("y", [1])])


def large_windows():
    return model([node("LpPool", "x", "y", kernel_shape=[1 << 29] * 3)],
                 [value("x", [1, 1, 2, 2, 2])], [value("y", None)])


def large_split():
    return model([node("Split", "x sizes", "a b")], [value("x", [4])],
                 [value("a", None)],
                 [weight("sizes", numpy.array([3, (1 << 63) - 1]))])


# Operands of too few dims, and one that is left out.
def short_kernel():
    return model([node("ConvInteger", "x w", "y")],
                 [value("x", [1, 1, 3], TensorProto.UINT8),
                  value("w", [], TensorProto.UINT8)], [value("y", None)])


def stateless_loop():
    body = helper.make_graph(
        [node("Identity", "go", "on"), node("Add", "v v", "twice")], "body",
        [value("i", [], INT64), value("go", [], TensorProto.BOOL),
         value("v", [2])],
        [value("on", [], TensorProto.BOOL), value("twice", [2])])
    return model([node("Loop", "trips - -", "y", body=body)], [],
                 [value("y", [2])], [weight("trips", numpy.int64(2))])


# Results of iterations that have fewer and fewer dims.
def shrinking_scan():
    body = helper.make_graph(
        [node("Squeeze", "s axis", "next"), node("Identity", "s", "out")],
        "body", [value("s", None), value("e", [])],
        [value("next", None), value("out", None)])
    return model([node("Scan", "x elements", "last y", body=body,
                       num_scan_inputs=1, scan_output_axes=[3])],
                 [value("x", [1, 1, 1]), value("elements", [3])],
                 [value("y", None)], [weight("axis", numpy.array([0]))])


def short_weight():
    result = model([node("Add", "x w", "y")], [value("x", [100])],
                   [value("y", [100])], [weight("w", ramp(100))])
    del result.graph.initializer[0].dims[:]
    result.graph.initializer[0].dims.append(1 << 40)
    return result


def write_external(folder, name, location, offset=0, length=400):
    result = model([node("Add", "x w", "y")], [value("x", [100])],
                   [value("y", [100])], [weight("w", ramp(100))])
    tensor = result.graph.initializer[0]
    (folder / "weights.bin").write_bytes(bytes(64) + tensor.raw_data)
    (folder / "more.bin").write_bytes(tensor.raw_data + bytes(8))
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in [("location", location), ("offset", offset),
                      ("length", length)]:
        if text is None:
            continue
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(text)
    (folder / name).write_bytes(result.SerializeToString())


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in [network, padded, quantized, quantized_layers, quantized_floats, shape_input,
                 two_free_dims, calls, short_calls, attribute_in_branch, attribute_of_no_function, defaulted_input, endless_calls, branch, loop,
                 endless_loop, unknown_loop, scan, short_body, regions,
                 padding_pairs, paddle_dims,
                 long_padding, remainders, reshaped_shape, einsum, narrow_types, resized, slices, shrunk_bytes, gemm_of_product_alone,
                 dynamic_scale, wide_padding, cropping_padding,
                 bare_regions, no_outputs, empty_softmax, integer_softmax, large_det, unknown_ops,
                 partly_known, cycle, twice, undefined, shapes, old_opset,
                 type_of_input, large_input, large_windows, large_split,
                 short_kernel, stateless_loop, shrinking_scan, short_weight]:
        (folder / (make.__name__ + ".onnx")).write_bytes(
            make().SerializeToString())
    onnx.checker.check_model(str(folder / "network.onnx"))
    whole = (folder / "network.onnx").read_bytes()
    (folder / "truncated.onnx").write_bytes(whole[: len(whole) // 2])
    (folder / "empty.onnx").write_bytes(b"")
    (folder / "long_field.onnx").write_bytes(
        b"\x08\x08\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f")
    write_external(folder, "external.onnx", "weights.bin", offset=64)
    write_external(folder, "external_open.onnx", "more.bin", length=None)
    os.mkfifo(folder / "pipe")
    write_external(folder, "external_pipe.onnx", "pipe")
    write_external(folder, "external_outside.onnx", "../weights.bin")
    write_external(folder, "external_absolute.onnx", "/etc/passwd")
    write_external(folder, "external_short.onnx", "weights.bin", offset=128)


if __name__ == "__main__":
    main()
