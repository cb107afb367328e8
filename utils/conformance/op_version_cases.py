"""What each ONNX op is tried on, in every version of it.

A case gives the operands of a node by position, and everything else by name.
What is given by name becomes an attribute or an operand, as the version has it,
and is left out where the version has neither: so one case serves many versions.
"""

import dataclasses

import numpy
from onnx import TensorProto, helper, numpy_helper


@dataclasses.dataclass
class Random:
    """An input of random numbers, multiples of `step` in [low, high)."""
    shape: tuple
    low: float = -2
    high: float = 2
    step: float = 1 / 64
    dtype: str = "float32"


@dataclasses.dataclass
class Case:
    operands: tuple
    named: dict
    versions: tuple = (1, 99)
    outputs: int = 1
    domain: str = ""


def x(*shape, **more):
    return Random(shape, **more)


def integers(*shape, low=-8, high=8, dtype="int64"):
    return Random(shape, low, high, 1, dtype)


def booleans(*shape):
    return Random(shape, 0, 2, 1, "bool")


def array(values, dtype=None):
    values = numpy.asarray(values)
    kinds = {"f": numpy.float32, "i": numpy.int64}
    return values.astype(dtype or kinds.get(values.dtype.kind, values.dtype))


def case(*operands, versions=(1, 99), outputs=1, domain="", **named):
    return Case(operands, named, versions, outputs, domain)


FLOAT = TensorProto.FLOAT
POSITIVE = x(2, 5, low=0.125)
IMAGE = x(1, 4, 6, 5)
SPECIAL = array([1.5, numpy.inf, -numpy.inf, numpy.nan, 0])

CASES = {}


def of(names, *cases):
    for name in names.split():
        CASES[name] = CASES.get(name, []) + list(cases)


# Elementwise.
of("Abs Asinh Atan Ceil Cos Cosh Erf Exp Floor HardSwish Mish Neg Relu Sigmoid"
   " Sign Sin Sinh Softplus Softsign Swish Tanh", case(x(2, 5)))
of("Acos Asin Atanh", case(x(2, 5, low=-0.9375, high=0.9375)))
of("Tan", case(x(2, 5, low=-1, high=1)))
of("Acosh", case(x(2, 5, low=1, high=4)))
of("Log Reciprocal Sqrt", case(POSITIVE))
of("Round", case(x(2, 8, step=0.5)))
of("BitwiseNot", case(integers(2, 5)))
of("Not", case(booleans(2, 5)))
of("Celu Elu ThresholdedRelu LeakyRelu", case(x(2, 5), alpha=0.75))
of("Selu", case(x(2, 5), alpha=1.25, gamma=0.75))
of("HardSigmoid", case(x(2, 5), alpha=0.5, beta=0.25))
of("Swish", case(x(2, 5), alpha=0.5))
of("Gelu", case(x(2, 5)), case(x(2, 5), approximate="tanh"))
of("Shrink", case(x(2, 5), bias=0.25, lambd=0.5))
of("Add Mul Sub", case(x(2, 3, 4), x(3, 4), broadcast=1),
   case(x(2, 3, 4), x(3), broadcast=1, axis=1, versions=(1, 6)),
   case(x(2, 1, 4), x(3, 1), versions=(7, 99)))
of("Div", case(x(2, 3, 4), x(3, 4, low=1, high=4), broadcast=1),
   case(x(2, 3, 4), x(3, low=1), broadcast=1, axis=1, versions=(1, 6)))
of("Pow", case(x(2, 3, 4, low=1, high=4), x(3, 4, low=0, high=3), broadcast=1),
   case(x(2, 3, 4), integers(3, 4, low=0, high=4), versions=(12, 99)))
of("PRelu", case(x(2, 3, 4), x(2, 3, 4)),
   case(x(2, 3, 4), x(3, 1), versions=(7, 99)))
of("And Or Xor", case(booleans(2, 3), booleans(3), broadcast=1))
of("BitwiseAnd BitwiseOr BitwiseXor", case(integers(2, 3), integers(3)))
of("BitShift", case(integers(2, 3, low=0, dtype="uint32"),
                    integers(3, low=0, dtype="uint32"), direction="LEFT"),
   case(integers(2, 3, low=0, high=99, dtype="uint8"),
        integers(3, low=0, dtype="uint8"), direction="RIGHT"))
of("BitCast", case(x(2, 3), to=TensorProto.INT32))
of("Equal", case(integers(2, 3, low=0, high=2), integers(3, low=0, high=2),
                 broadcast=1),
   case(x(2, 3, step=1), x(3, step=1), versions=(11, 99)))
of("Greater Less GreaterOrEqual LessOrEqual",
   case(x(2, 3, step=0.5), x(3, step=0.5), broadcast=1))
of("Mod", case(integers(2, 3), array([3, -3, 5])),
   case(x(2, 3), array([0.75, -0.75, 1.5]), fmod=1))
of("Where", case(booleans(2, 3), x(3), x(2, 1)))
of("IsInf", case(SPECIAL), case(SPECIAL, detect_negative=0))
of("IsNaN", case(SPECIAL))
of("Max Min Mean Sum", case(x(2, 3), x(2, 3), x(2, 3)),
   case(x(2, 3), x(3), versions=(8, 99)))
of("Clip", case(x(2, 5), min=-0.5, max=1.0))
of("Cast", case(x(2, 5), to=TensorProto.INT32),
   case(integers(2, 3), to=FLOAT), case(x(2, 5), to=TensorProto.FLOAT16))
of("CastLike", case(x(2, 5), array([1])))

# Shapes and places.
of("Concat", case(x(2, 3), x(2, 1), axis=1))
of("Constant", case(value=numpy_helper.from_array(array([[1.5, 2], [3, 4]]))),
   case(value_float=1.5, versions=(12, 99)),
   case(value_ints=[1, -2], versions=(12, 99)))
of("ConstantOfShape",
   case(input=[2, 3], value=numpy_helper.from_array(array([7]))))
of("DepthToSpace", case(x(1, 8, 2, 3), blocksize=2),
   case(x(1, 8, 2, 3), blocksize=2, mode="CRD", versions=(11, 99)))
of("SpaceToDepth", case(x(1, 2, 4, 6), blocksize=2))
of("Dropout", case(x(2, 5), is_test=1, ratio=0.25))
of("Expand", case(x(3, 1), shape=[2, 1, 4]))
of("EyeLike", case(x(3, 4), k=1), case(x(3, 4), dtype=TensorProto.INT64))
of("Flatten", case(x(2, 3, 4), axis=2),
   case(x(2, 3, 4), axis=-1, versions=(11, 99)))
of("Identity", case(x(2, 5)))
of("Range", case(start=1.5, limit=-2.0, delta=-0.5),
   case(start=2, limit=9, delta=3))
of("Reshape", case(x(2, 3, 4), shape=[0, -1]))
of("Shape", case(x(2, 3, 4)), case(x(2, 3, 4), start=-2, end=-1,
                                   versions=(15, 99)))
of("Size", case(x(2, 3, 4)))
of("Squeeze", case(x(1, 3, 1), axes=[0]),
   case(x(1, 3, 1), axes=[-1], versions=(11, 99)))
of("Unsqueeze", case(x(3, 2), axes=[0, 2]),
   case(x(3, 2), axes=[-1], versions=(11, 99)))
of("Tile", case(x(2, 3), repeats=[2, 2]))
of("Transpose", case(x(2, 3, 4), perm=[2, 0, 1]), case(x(2, 3)))
of("CenterCropPad", case(x(3, 6), shape=[5, 4]),
   case(x(3, 6), shape=[4], axes=[1]))
of("CumSum CumProd", case(x(2, 4), axis=array(1)),
   case(x(2, 4), axis=array(0), exclusive=1, reverse=1))
of("Gather", case(x(3, 4), array([[2, 0], [1, 1]]), axis=1),
   case(x(3, 4), array([-1, 0]), versions=(11, 99)))
of("OneHot", case(array([1, -1, 3]), depth=array(4), values=[0.5, 2.0],
                  versions=(11, 99)),
   case(array([1, 0]), depth=array([3]), values=[0, 1], axis=0))
of("Pad", case(x(2, 3), pads=[1, 0, 0, 2], value=1.5, constant_value=1.5),
   case(x(4, 3), pads=[2, 1, 1, 2], mode="reflect"),
   case(x(4, 3), pads=[2, 1, 1, 2], mode="edge"),
   case(x(4, 3), pads=[1, 2], axes=[-1], versions=(18, 99)),
   case(x(4, 3), pads=[2, 1, 1, 2], mode="wrap", versions=(19, 99)))
of("Slice", case(x(4, 6), starts=[1, -3], ends=[3, 99], axes=[0, 1]),
   case(x(4, 6), starts=[-1, 5], ends=[-99, 0], axes=[0, 1], steps=[-2, -2],
        versions=(10, 99)))
of("Split", case(x(2, 5), split=[2, 3], axis=1, outputs=2),
   case(x(2, 5), num_outputs=2, axis=1, outputs=2, versions=(18, 99)))
of("Trilu", case(x(3, 4)), case(x(2, 4, 3), k=array(-1), upper=0))
of("GatherElements", case(x(3, 4), array([[2, 0], [-1, 1]]), axis=0))
of("GatherND", case(x(2, 3, 4), array([[0, 1], [1, -1]])),
   case(x(2, 3, 4), array([[2], [0]]), batch_dims=1, versions=(12, 99)))
of("ReverseSequence", case(x(4, 3, 2), array([4, 1, 2])),
   case(x(3, 4), array([0, 4, 3]), batch_axis=0, time_axis=1))
of("MaxUnpool", case(x(1, 1, 2, 2), array([[[[5, 2], [8, 15]]]]),
                     kernel_shape=[2, 2], strides=[2, 2]))
SCATTER = x(3, 4), array([[1, 0, 2, 1], [0, 2, 1, -1]]), x(2, 4)
UNIQUE = x(3, 4), array([[1, 0, 2, 1], [0, 2, 1, -3]]), x(2, 4)
of("Scatter", case(x(3, 4), array([[1, 0, 2, 1], [0, 2, 1, 2]]), x(2, 4)))
of("ScatterElements", case(*UNIQUE), case(*SCATTER, reduction="add",
                                          versions=(16, 99)),
   case(*SCATTER, reduction="max", versions=(18, 99)))
of("ScatterND", case(x(4, 3), array([[2], [-4]]), x(2, 3)),
   case(x(4, 3), array([[2], [2]]), x(2, 3), reduction="mul",
        versions=(16, 99)),
   case(x(4, 3), array([[2], [2]]), x(2, 3), reduction="min",
        versions=(18, 99)))
of("TensorScatter", case(x(2, 1, 4, 3), x(2, 1, 2, 3), array([1, 2])))
of("TopK", case(x(3, 5), k=3, K=[3], outputs=2),
   case(x(5, 2), k=2, K=[2], axis=0, largest=0, outputs=2))
of("Col2Im", case(x(1, 8, 4), image_shape=[3, 3], block_shape=[2, 2]))
of("Det", case(x(2, 3, 3)))

# Control flow.


def graph(nodes, inputs, outputs):
    def values(text):
        return [helper.make_tensor_value_info(*item) for item in text]
    return helper.make_graph(nodes, "body", values(inputs), values(outputs))


BOOL, INT64 = TensorProto.BOOL, TensorProto.INT64
DOUBLED = graph([helper.make_node("Sum", ["i_a", "i_a"], ["t_y"])], [],
                [("t_y", FLOAT, [2])])
SAME = graph([helper.make_node("Identity", ["i_a"], ["e_y"])], [],
             [("e_y", FLOAT, [2])])
LOOP = graph(
    [helper.make_node("Identity", ["l_c"], ["l_n"]),
     helper.make_node("Sum", ["l_v", "l_v"], ["l_w"]),
     helper.make_node("Neg", ["l_w"], ["l_s"])],
    [("l_i", INT64, []), ("l_c", BOOL, []), ("l_v", FLOAT, [2])],
    [("l_n", BOOL, []), ("l_w", FLOAT, [2]), ("l_s", FLOAT, [2])])
SCAN = graph(
    [helper.make_node("Sum", ["s_v", "s_e"], ["s_w"]),
     helper.make_node("Neg", ["s_w"], ["s_s"])],
    [("s_v", FLOAT, [2]), ("s_e", FLOAT, [2])],
    [("s_w", FLOAT, [2]), ("s_s", FLOAT, [2])])
of("If", case(array(True), then_branch=DOUBLED, else_branch=SAME),
   case(array(False), then_branch=DOUBLED, else_branch=SAME))
of("Loop", case(array(3), array(True), x(2), body=LOOP, outputs=2))
of("Scan", case("", x(1, 2), x(1, 3, 2), body=SCAN, num_scan_inputs=1,
                outputs=2, versions=(8, 8)),
   case(x(2), x(3, 2), body=SCAN, num_scan_inputs=1, outputs=2,
        versions=(9, 99)),
   case(x(2), x(2, 3), body=SCAN, num_scan_inputs=1, scan_input_axes=[1],
        scan_output_directions=[1], outputs=2, versions=(9, 99)))

# Recurrent layers.
SEQUENCE = x(3, 2, 4)


def recurrent(gates, **more):
    rows = gates * 3
    return (x(1, rows, 4, low=-0.5, high=0.5), x(1, rows, 3, low=-0.5, high=0.5),
            x(1, 2 * rows, low=-0.5, high=0.5))


of("RNN", case(SEQUENCE, *recurrent(1), hidden_size=3, outputs=2))
of("GRU", case(SEQUENCE, *recurrent(3), hidden_size=3, outputs=2),
   case(SEQUENCE, *recurrent(3), hidden_size=3, linear_before_reset=1,
        direction="reverse", outputs=2, versions=(3, 99)))
of("LSTM", case(SEQUENCE, *recurrent(4), hidden_size=3, outputs=3),
   case(SEQUENCE, *recurrent(4), array([3, 2], "int32"), x(1, 2, 3),
        x(1, 2, 3), hidden_size=3, outputs=3))

# Reductions.
of("ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
   " ReduceSumSquare ReduceLogSumExp",
   case(x(2, 3, 4), axes=[1]), case(x(2, 3, 4), keepdims=0),
   case(x(2, 3, 4), axes=[-1], keepdims=0, versions=(11, 99)))
of("ReduceLogSum", case(x(2, 3, 4, low=0.125), axes=[1]),
   case(x(2, 3, 4, low=0.125), keepdims=0))
of("ReduceLogSum ReduceLogSumExp",
   case(integers(2, 3, low=1, high=9, dtype="int32"), axes=[1]))
of("ReduceMax ReduceMin",
   *(case(numpy.zeros((2, 0), dtype), array([1], "int64"), versions=(18, 99))
     for dtype in ("int32", "int64", "uint8", "float32")))
of("ArgMax ArgMin", case(x(3, 4, step=1), axis=1),
   case(x(3, 4, step=1), axis=0, keepdims=0),
   case(x(3, 8, step=1), axis=-1, select_last_index=1, versions=(12, 99)))
of("Hardmax LogSoftmax Softmax", case(x(2, 3, 4)), case(x(2, 3, 4), axis=1))
of("LogSoftmax Softmax",
   case(array([[numpy.inf, 1, 2], [1, -numpy.inf, 2],
               3 * [-numpy.inf]])))

# Contractions.
of("MatMul", case(x(2, 3, 4), x(4, 5)), case(x(4), x(2, 4, 3)))
of("Gemm", case(x(3, 2), x(4, 3), x(4), alpha=0.5, beta=1.5, transA=1, transB=1,
                broadcast=1),
   case(x(2, 3), x(3, 4), versions=(11, 99)))
of("Einsum", case(x(2, 3, 4), x(2, 5, 4), equation="bij,bkj->bik"),
   case(x(3, 3), equation="...ii"))
of("Conv", case(IMAGE, x(6, 2, 3, 3), x(6), group=2, pads=[1, 0, 1, 2],
                strides=[2, 1]),
   case(IMAGE, x(2, 4, 2, 3), auto_pad="SAME_UPPER", strides=[2, 2]))
of("ConvTranspose", case(IMAGE, x(4, 3, 3, 2), x(3), strides=[2, 2],
                         pads=[1, 0, 0, 1], output_padding=[1, 0]),
   case(x(1, 4, 5), x(4, 1, 3), group=2))
of("DeformConv", case(x(1, 2, 4, 4), x(2, 2, 2, 2), x(1, 8, 3, 3, step=0.25)))

# Windows.
of("AveragePool", case(IMAGE, kernel_shape=[3, 2], strides=[2, 1],
                       pads=[1, 0, 1, 1]),
   case(IMAGE, kernel_shape=[3, 2], pads=[1, 1, 1, 1], count_include_pad=1),
   case(IMAGE, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1,
        versions=(10, 99)),
   case(IMAGE, kernel_shape=[2, 2], dilations=[2, 1], versions=(19, 99)))
of("MaxPool", case(IMAGE, kernel_shape=[3, 2], strides=[2, 1],
                   pads=[1, 0, 1, 1]),
   case(IMAGE, kernel_shape=[2, 2], strides=[2, 2], outputs=2,
        versions=(8, 99)),
   case(IMAGE, kernel_shape=[2, 2], dilations=[2, 1], ceil_mode=1,
        strides=[2, 2], versions=(10, 99)))
of("LpPool", case(IMAGE, kernel_shape=[2, 3], p=3),
   case(IMAGE, kernel_shape=[2, 2], dilations=[2, 1], versions=(18, 99)))
of("GlobalAveragePool GlobalMaxPool", case(IMAGE))
of("GlobalLpPool", case(IMAGE, p=3))
of("LRN", case(IMAGE, size=3, alpha=0.5, beta=0.75, bias=2.0))

# Norms.
NORM = x(4), x(4), x(4), x(4, low=0.5)
of("BatchNormalization", case(IMAGE, *NORM, is_test=1, epsilon=0.01))
of("InstanceNormalization", case(IMAGE, x(4), x(4), epsilon=0.01))
of("GroupNormalization",
   case(IMAGE, x(2), x(2), num_groups=2, versions=(18, 20)),
   case(IMAGE, x(4), x(4), num_groups=2, versions=(21, 99)))
of("LayerNormalization", case(x(2, 3, 4), x(4), x(4), epsilon=0.01),
   case(x(2, 3, 4), x(3, 4), axis=1))
of("RMSNormalization", case(x(2, 3, 4), x(4), epsilon=0.01))
of("LpNormalization", case(x(2, 5)), case(x(2, 5), p=1, axis=0))
of("MeanVarianceNormalization", case(IMAGE), case(IMAGE, axes=[2, 3]))

# Sampling and spectra.
of("Upsample", case(x(1, 1, 2, 3), height_scale=2.0, width_scale=2.0,
                    scales=[1.0, 1.0, 2.0, 2.0]),
   case(x(1, 1, 2, 3), height_scale=2.0, width_scale=2.0, mode="linear",
        scales=[1.0, 1.0, 2.0, 2.0], versions=(7, 9)))
of("Resize", case(x(1, 1, 2, 3), roi=array([], "float32"),
                  scales=[1.0, 1.0, 2.0, 1.5]),
   case(x(1, 1, 2, 3), roi=array([], "float32"), mode="linear",
        scales=[1.0, 1.0, 2.0, 2.0]),
   case(x(1, 1, 4, 4), roi=array([], "float32"), mode="cubic",
        scales=[1.0, 1.0, 1.5, 1.5], versions=(11, 99)),
   case(x(1, 1, 4, 4), mode="linear", sizes=[3, 6], axes=[2, 3], antialias=1,
        versions=(18, 99)))
of("AffineGrid", case(x(1, 2, 3), size=[1, 1, 3, 4]))
of("GridSample", case(x(1, 2, 4, 4), x(1, 3, 3, 2, low=-1, high=1),
                      align_corners=1, padding_mode="border"))
of("RoiAlign", case(x(1, 2, 8, 8), array([[1, 1, 6, 5.0]]), array([0]),
                    output_height=2, output_width=3, sampling_ratio=2))
of("BlackmanWindow HammingWindow HannWindow", case(size=array(8)),
   case(size=array(8), periodic=0))
of("DFT", case(x(1, 6, 1), axis=1),
   case(x(1, 6, 2), axis=1, inverse=1), case(x(1, 6, 1), axis=1, onesided=1))
of("STFT", case(x(1, 16, 1), frame_step=array(4), frame_length=array(8)),
   case(x(2, 16), frame_step=array(4), frame_length=array(8)))
of("MelWeightMatrix", case(
    num_mel_bins=array(4), dft_length=array(16), sample_rate=array(8000),
    lower_edge_hertz=0.0, upper_edge_hertz=4000.0))

# Losses and attention.
of("NegativeLogLikelihoodLoss",
   case(x(3, 4, 2), array([[1, 0], [3, 2], [2, 1]]), x(4, low=0.5)),
   case(x(3, 4), array([1, 3, 0]), reduction="none", ignore_index=3))
of("SoftmaxCrossEntropyLoss",
   case(x(3, 4, 2), array([[1, 0], [3, 2], [2, 1]]), x(4, low=0.5), outputs=2),
   case(x(3, 4), array([1, 3, 0]), reduction="sum"))
HEADS = x(1, 2, 3, 4), x(1, 2, 5, 4), x(1, 2, 5, 4)
of("Attention", case(*HEADS), case(*HEADS, is_causal=1, scale=0.25),
   case(*HEADS, x(3, 5), softcap=2.0))
of("RotaryEmbedding", case(x(1, 2, 3, 4), x(5, 2), x(5, 2),
                           array([[0, 2, 4]])))

# Quantized numbers.
BYTES = integers(2, 3, 4, low=0, high=255, dtype="uint8")
SCALE, ZERO = array(0.25), array(100, "uint8")
of("DequantizeLinear", case(BYTES, SCALE, ZERO),
   case(BYTES, array([0.25, 0.5, 1]), array([1, 2, 3], "uint8"), axis=1,
        versions=(13, 99)),
   case(BYTES, x(2, 3, 2, low=0.5), axis=-1, block_size=2, versions=(21, 99)))
of("QuantizeLinear", case(x(2, 3, 4, low=-40, high=40), SCALE, ZERO),
   case(x(2, 3, 4), array([0.25, 0.5, 1]), array([1, 2, 3], "int8"), axis=1,
        versions=(13, 99)),
   case(x(2, 3, 4), x(2, 3, 2, low=0.5), axis=-1, block_size=2,
        output_dtype=TensorProto.INT8, versions=(21, 99)))
of("DynamicQuantizeLinear", case(x(2, 5), outputs=3))
of("MatMulInteger", case(integers(2, 3, low=0, high=255, dtype="uint8"),
                         integers(3, 4, dtype="int8"), array(7, "uint8")))
of("ConvInteger", case(
    integers(1, 2, 4, 4, low=0, high=255, dtype="uint8"),
    integers(3, 2, 2, 2, low=0, high=255, dtype="uint8"), array(7, "uint8"),
    array(99, "uint8"), pads=[1, 1, 0, 0]))
of("QLinearMatMul", case(
    integers(2, 3, low=0, high=255, dtype="uint8"), SCALE, ZERO,
    integers(3, 4, low=0, high=255, dtype="uint8"), SCALE, ZERO,
    array(8.0), ZERO))
of("QLinearConv", case(
    integers(1, 2, 4, 4, low=0, high=255, dtype="uint8"), SCALE, ZERO,
    integers(3, 2, 2, 2, low=0, high=255, dtype="uint8"), SCALE, ZERO,
    array(16.0), ZERO, array([8, -8, 64], "int32")))

# The domain com.microsoft.
MICROSOFT = "com.microsoft"


def microsoft(*operands, **more):
    return case(*operands, domain=MICROSOFT, **more)


def tokens(*shape, below):
    return integers(*shape, low=0, high=below, dtype="int32")


def octets(*shape):
    return integers(*shape, low=0, high=255, dtype="uint8")


SMALL, MIDDLE = array(0.0625), array(120, "uint8")

of("BiasGelu", microsoft(x(2, 5), x(5)))
of("FastGelu", microsoft(x(2, 5), x(5)))
of("MicrosoftGelu", microsoft(x(2, 5)))
of("QuickGelu", microsoft(x(2, 5)), microsoft(x(2, 5), alpha=0.5))
of("FusedConv",
   microsoft(x(1, 2, 4, 4), x(4, 1, 3, 3), x(4), x(1, 4, 4, 4), group=2,
             pads=[1, 1, 1, 1], kernel_shape=[3, 3], activation="Relu"),
   microsoft(x(1, 2, 5), x(3, 2, 2), activation="LeakyRelu",
             activation_params=[0.25], kernel_shape=[2]),
   microsoft(x(1, 2, 4, 4), x(4, 2, 1, 1), x(4), activation="Clip",
             activation_params=[-0.5, 1.5], kernel_shape=[1, 1]),
   microsoft(x(1, 2, 4, 4), x(4, 2, 1, 1), activation="HardSigmoid",
             activation_params=[0.125, 0.25], kernel_shape=[1, 1]),
   microsoft(x(1, 2, 4, 4), x(4, 2, 1, 1), activation="Tanh"))
of("FusedGemm",
   microsoft(x(2, 3), x(4, 3), x(4), transB=1, alpha=0.5, beta=2.0,
             activation="Relu"),
   microsoft(x(3, 2), x(3, 4), transA=1, activation="LeakyRelu",
             activation_alpha=0.25))
of("FusedMatMul",
   microsoft(x(3, 2), x(4, 3), transA=1, transB=1, alpha=0.5),
   microsoft(x(2, 3, 4), x(3, 2, 4), transBatchA=1, transBatchB=0, transA=0,
             transB=1),
   microsoft(x(2, 5, 3, 4), x(6, 5, 3, 2), transBatchA=1, transBatchB=1,
             transA=1, transB=1),
   microsoft(x(3), x(3, 4), transA=1))
of("SkipLayerNormalization", microsoft(x(1, 3, 4), x(1, 3, 4), x(4), x(4), x(4),
                                       epsilon=0.01))
of("SkipSimplifiedLayerNormalization",
   microsoft(x(1, 3, 4), x(1, 3, 4), x(4), x(4), epsilon=0.01),
   microsoft(x(1, 3, 4), x(1, 3, 4), x(4)))
of("EmbedLayerNormalization",
   microsoft(tokens(2, 3, below=5), tokens(2, 3, below=2), x(5, 4), x(6, 4),
             x(2, 4), x(4), x(4), tokens(2, 3, below=2), outputs=3),
   microsoft(tokens(2, 3, below=5), tokens(2, 3, below=2), x(5, 4), x(6, 4),
             x(2, 4), x(4), x(4), tokens(2, 3, below=2),
             tokens(2, 3, below=6), epsilon=0.125, outputs=3))
MASK = array([[1, 1, 0], [1, 1, 1]], "int32")
of("MicrosoftAttention",
   microsoft(x(2, 3, 4), x(4, 12), x(12), num_heads=2),
   microsoft(x(2, 3, 4), x(4, 12), x(12), MASK, num_heads=2),
   microsoft(x(2, 3, 4), x(4, 12), x(12), array([2, 3], "int32"), num_heads=2,
             scale=0.25),
   microsoft(x(2, 3, 4), x(4, 12), x(12), array([2, 3, 0, 1], "int32"),
             num_heads=2),
   microsoft(x(2, 3, 4), x(4, 14), x(14), "", "", x(2, 2, 3, 3),
             num_heads=2, qkv_hidden_sizes=[4, 4, 6]),
   microsoft(x(2, 3, 4), x(4, 12), x(12), "", x(2, 2, 2, 5, 2), num_heads=2,
             unidirectional=1, outputs=2))
of("MultiHeadAttention",
   microsoft(x(2, 3, 4), x(2, 5, 4), x(2, 5, 6), num_heads=2),
   microsoft(x(2, 3, 4), x(2, 3, 4), x(2, 3, 4), x(12), MASK, num_heads=2),
   microsoft(x(2, 3, 4), x(2, 3, 4), x(2, 3, 4), "", "", x(1, 2, 3, 3),
             num_heads=2, scale=0.25),
   microsoft(x(2, 3, 4), x(2, 3, 4), x(2, 3, 4), "", "", "",
             x(2, 2, 5, 2), x(2, 2, 5, 2), num_heads=2, unidirectional=1,
             outputs=3),
   microsoft(x(2, 3, 4), x(2, 2, 5, 2), x(2, 2, 5, 2), num_heads=2))
of("MicrosoftQuantizeLinear", microsoft(x(2, 5), SCALE, ZERO))
of("MicrosoftDequantizeLinear", microsoft(octets(2, 5), SCALE, ZERO))
of("DynamicQuantizeMatMul",
   microsoft(x(2, 3), octets(3, 4), array([0.5, 0.25, 1.0, 2.0]),
             array([10, 20, 30, 40], "uint8"), x(4)),
   microsoft(x(2, 3), integers(3, 4, low=-100, high=100, dtype="int8"),
             array(0.5)))
of("MatMulIntegerToFloat",
   microsoft(octets(2, 3), octets(3, 4), array(0.25),
             array([0.5, 0.25, 1.0, 2.0]), array(100, "uint8"),
             array([10, 20, 30, 40], "uint8"), x(4)),
   microsoft(octets(2, 3),
             integers(3, 4, low=-100, high=100, dtype="int8"), array(0.25),
             array(0.5)))
of("QGemm",
   microsoft(octets(2, 3), SMALL, MIDDLE, octets(4, 3), SMALL, MIDDLE,
             tokens(4, below=50), array(2.0), MIDDLE, transB=1),
   microsoft(octets(3, 2), SMALL, MIDDLE, octets(3, 4), SMALL, MIDDLE,
             transA=1, alpha=0.5))
of("QLinearAdd", microsoft(octets(2, 5), SMALL, MIDDLE, octets(5),
                           array(0.125), ZERO, array(0.25), MIDDLE))
of("QLinearMul", microsoft(octets(2, 5), SMALL, MIDDLE, octets(5),
                           array(0.125), ZERO, array(1.0), MIDDLE))
of("QLinearWhere", microsoft(
    booleans(2, 5), octets(2, 5), SMALL, MIDDLE, octets(2, 5),
    array(0.125), ZERO, array(0.125), MIDDLE))
of("QLinearConcat", microsoft(
    array(0.125), MIDDLE, octets(2, 3), SMALL, MIDDLE, octets(2, 4),
    array(0.25), ZERO, axis=1))
of("QLinearGlobalAveragePool",
   microsoft(octets(1, 3, 4, 5), SMALL, MIDDLE, array(0.03125), MIDDLE),
   microsoft(octets(1, 4, 5, 3), SMALL, MIDDLE, array(0.03125), MIDDLE,
             channels_last=1))
of("QLinearAveragePool",
   microsoft(octets(1, 3, 4, 5), SMALL, MIDDLE, array(0.03125), MIDDLE,
             kernel_shape=[2, 3], pads=[0, 1, 0, 1], strides=[2, 1]),
   microsoft(octets(1, 4, 5, 3), SMALL, MIDDLE, array(0.03125), MIDDLE,
             kernel_shape=[2, 2], channels_last=1))
of("QLinearLeakyRelu",
   microsoft(octets(2, 5), SMALL, MIDDLE, SMALL, MIDDLE, alpha=0.25))
of("QLinearSigmoid",
   microsoft(octets(2, 5), SMALL, MIDDLE, array(1 / 256), array(0, "uint8")))
of("QLinearSoftmax",
   microsoft(octets(2, 3, 4), SMALL, MIDDLE, array(1 / 256),
             array(0, "uint8"), axis=1, opset=13),
   microsoft(octets(2, 3, 4), SMALL, MIDDLE, array(1 / 256),
             array(0, "uint8"), axis=1, opset=12))
of("QAttention",
   microsoft(octets(2, 3, 4), octets(4, 12), x(12), SMALL, SMALL, "", MIDDLE,
             MIDDLE, num_heads=2),
   microsoft(octets(2, 3, 4),
             integers(4, 12, low=-100, high=100, dtype="int8"), x(12), SMALL,
             array([0.0625, 0.125, 0.25] * 4), array([2, 3], "int32"), MIDDLE,
             num_heads=2, scale=0.25),
   microsoft(octets(2, 3, 4), octets(4, 12), x(12), SMALL, SMALL, "", MIDDLE,
             MIDDLE, x(2, 2, 2, 5, 2), num_heads=2, unidirectional=1,
             outputs=2))
of("MatMulNBits",
   microsoft(x(2, 32), octets(3, 2, 8), x(6), K=32, N=3, bits=4,
             block_size=16),
   microsoft(x(2, 3, 20), octets(3, 2, 8), x(6), octets(3), "", x(3), K=20, N=3,
             bits=4, block_size=16),
   microsoft(x(2, 40), octets(3, 3, 8), x(9), x(9), K=40, N=3, bits=4,
             block_size=16),
   microsoft(x(1, 50), octets(3, 2, 32), x(6), octets(6), K=50, N=3, bits=8,
             block_size=32))
