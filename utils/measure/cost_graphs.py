"""The graphs on which compile costs are measured (fit-compile-costs.py)."""

import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "test/graphs"

# The repository's own graphs, each on a small and a large shape.
KEPT = {
    "axpy8": ["n=1024", "n=262144"],
    "chain8": ["n=1024", "n=262144"],
    "batch_norm_stats": ["N=1;H=16;W=16;C=32", "N=8;H=56;W=56;C=64"],
    "layer_norm": ["n=16;m=128", "n=512;m=768"],
    "softmax": ["n=16;m=100", "n=1024;m=512"],
    "conv1d_relu": ["N=8;L=50", "N=500;L=100"],
    "conv2d_nchw": ["N=1;H=32;W=32", "N=1;H=128;W=128"],
    "conv2d_nhwc": ["N=1;H=32;W=32", "N=1;H=128;W=128"],
    "resnet_block": ["N=1", "N=4"],
    "simplecnn": ["N=1", "N=8"],
}

# Input, kernel and result channels first; batch, channels, size; outputs,
# window, stride, groups.
CONVS = {
    "resnet_conv1": ((1, 3, 112, 112), (64, 7, 2, 1)),
    "resnet_3x3": ((1, 64, 56, 56), (64, 3, 1, 1)),
    "resnet_1x1": ((1, 256, 28, 28), (128, 1, 1, 1)),
    "vgg_3x3": ((1, 128, 28, 28), (256, 3, 1, 1)),
    "mobilenet_depthwise": ((1, 96, 56, 56), (96, 3, 1, 96)),
    "mobilenet_pointwise": ((1, 24, 56, 56), (144, 1, 1, 1)),
    "unet_first": ((1, 1, 128, 128), (16, 3, 1, 1)),
    "grouped": ((1, 64, 28, 28), (64, 3, 1, 4)),
    "wave_1d": ((4, 32, 1000), (32, 3, 1, 1)),
    "one_channel_1d": ((32, 1, 200), (8, 5, 1, 1)),
    "tiny_3x3": ((1, 4, 8, 8), (8, 3, 1, 1)),
}

NETWORKS = {
    "mobilenet_v2": ["mobilenet_v2", "--layout=nchw", "--image=96"],
    "mobilenet_v3": ["mobilenet_v3", "--layout=nhwc", "--image=64"],
    "densenet_stage": ["densenet_stage", "--layout=nchw", "--image=64"],
}

FUZZED = range(1, 61)


class Builder:
    """Writes a function, op by op, in the dialect's generic form."""

    def __init__(self):
        self.arguments, self.lines = [], []

    def input(self, *shape, dtype="f32"):
        type = f"tensor<{'x'.join(map(str, [*shape, dtype]))}>"
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {type}")
        return name, shape, dtype

    def op(self, name, operands, shape, attributes="", dtype=None):
        dtype = dtype or operands[0][2]
        types = [f"tensor<{'x'.join(map(str, [*s, d]))}>"
                 for _, s, d in (*operands, (None, shape, dtype))]
        result = f"%{len(self.lines)}"
        self.lines.append(
            f'  {result} = "tandem.{name}"({", ".join(o[0] for o in operands)})'
            f' {attributes and f"<{{{attributes}}}>"} : '
            f'({", ".join(types[:-1])}) -> {types[-1]}\n')
        return result, shape, dtype

    def __getattr__(self, name):
        """An elementwise op, of the shape of its largest operand."""
        return lambda *operands: self.op(
            name, operands, max((o[1] for o in operands), key=math.prod))

    def matmul(self, lhs, rhs, transpose=False):
        columns = rhs[1][-2 if transpose else -1]
        return self.op("matmul", [lhs, rhs], (*lhs[1][:-1], columns),
                       "transpose_rhs" if transpose else "")

    def reduce(self, kind, value, dim):
        shape = tuple(1 if i == dim else n for i, n in enumerate(value[1]))
        return self.op("reduce", [value], shape,
                       f"kind = #tandem<reduce_kind {kind}>, "
                       f"dims = array<i64: {dim}>, keep_dims")

    def softmax(self, value):
        return self.op("softmax", [value], value[1],
                       f"axis = {len(value[1]) - 1} : i64")

    def transpose(self, value, order):
        return self.op("transpose", [value],
                       tuple(value[1][i] for i in order),
                       f"permutation = array<i64: {', '.join(map(str, order))}>")

    def text(self, *results):
        type = [f"tensor<{'x'.join(map(str, [*r[1], r[2]]))}>" for r in results]
        return (f"func.func @main({', '.join(self.arguments)}) -> "
                f"({', '.join(type)}) {{\n{''.join(self.lines)}"
                f"  return {', '.join(r[0] for r in results)} : "
                f"{', '.join(type)}\n}}\n")


def conv(shape, kernel):
    outputs, window, stride, groups = kernel
    batch, channels, *image = shape
    pad = window // 2
    spatial = {1: "W", 2: "HW"}[len(image)]
    numbers = lambda value: f"array<i64: {', '.join([str(value)] * len(image))}>"
    b = Builder()
    x = b.input(*shape)
    w = b.input(outputs, channels // groups, *[window] * len(image))
    bias = b.input(outputs)
    result = (batch, outputs,
              *[(n + 2 * pad - window) // stride + 1 for n in image])
    y = b.op("conv", [x, w, bias], result,
             f'layout = #tandem.conv_layout<input = "NC{spatial}", '
             f'kernel = "OI{spatial}", output = "NC{spatial}">, '
             f"strides = {numbers(stride)}, pad_low = {numbers(pad)}, "
             f"pad_high = {numbers(pad)}, dilations = {numbers(1)}, "
             f"groups = {groups} : i64")
    return b.text(b.relu(y))


def mlp(rows, sizes, activation, dtype="f32"):
    b = Builder()
    x = b.input(rows, sizes[0], dtype=dtype)
    for before, after in zip(sizes, sizes[1:]):
        w = b.input(before, after, dtype=dtype)
        x = getattr(b, activation)(
            b.add(b.matmul(x, w), b.input(after, dtype=dtype)))
    return b.text(x)


def attention(heads, length, width):
    b = Builder()
    q, k, v = (b.input(heads, length, width) for _ in range(3))
    scores = b.mul(b.matmul(q, k, transpose=True), b.input())
    return b.text(b.matmul(b.softmax(scores), v))


def rms_norm(rows, width, dtype="f32"):
    b = Builder()
    x, scale = b.input(rows, width, dtype=dtype), b.input(width, dtype=dtype)
    mean = b.reduce("mean", b.mul(x, x), 1)
    inverse = b.rsqrt(b.add(mean, b.input(dtype=dtype)))
    return b.text(b.mul(b.mul(x, inverse), scale))


def chain(size, ops, dtype="f32"):
    b = Builder()
    x = b.input(size, dtype=dtype)
    for op in ops:
        x = getattr(b, op)(x)
    return b.text(x)


def binary(lhs, rhs, ops):
    b = Builder()
    x, y = b.input(*lhs), b.input(*rhs)
    for op in ops:
        x = getattr(b, op)(x, y)
    return b.text(x)


def transposed(shape, order):
    b = Builder()
    return b.text(b.exp(b.transpose(b.input(*shape), order)))


def reduced(shape, dim, kind):
    b = Builder()
    return b.text(b.reduce(kind, b.abs(b.input(*shape)), dim))


def lstm_cell(rows, width):
    b = Builder()
    x, h, c = b.input(rows, width), b.input(rows, width), b.input(rows, width)
    gates = [b.add(b.add(b.matmul(x, b.input(width, width)),
                         b.matmul(h, b.input(width, width))), b.input(width))
             for _ in range(4)]
    i, f, o = (b.sigmoid(gate) for gate in gates[:3])
    c = b.add(b.mul(f, c), b.mul(i, b.tanh(gates[3])))
    return b.text(b.mul(o, b.tanh(c)), c)


WRITTEN = {
    "mlp_small": lambda: mlp(8, [64, 64, 64], "relu"),
    "mlp_wide": lambda: mlp(32, [512, 1024, 512], "gelu"),
    "mlp_bf16": lambda: mlp(32, [256, 256], "gelu", "bf16"),
    "mlp_deep": lambda: mlp(4, [32] * 9, "tanh"),
    "attention_small": lambda: attention(2, 32, 16),
    "attention": lambda: attention(8, 128, 64),
    "rms_norm": lambda: rms_norm(256, 1024),
    "rms_norm_f16": lambda: rms_norm(64, 512, "f16"),
    "lstm_cell": lambda: lstm_cell(16, 128),
    "chain_cheap": lambda: chain(65536, ["neg", "abs", "relu", "sign"]),
    "chain_f64": lambda: chain(16384, ["tanh", "exp", "sqrt"], "f64"),
    "chain_bf16": lambda: chain(65536, ["sigmoid", "neg", "exp"], "bf16"),
    "chain_long": lambda: chain(4096, ["tanh", "sin", "erf", "cos"] * 6),
    "one_exp": lambda: chain(1048576, ["exp"]),
    "one_relu": lambda: chain(1048576, ["relu"]),
    "one_small_tanh": lambda: chain(64, ["tanh"]),
    "rows": lambda: binary((512, 512), (512,), ["add", "mul", "max"]),
    "columns": lambda: binary((512, 512), (512, 1), ["sub", "div"]),
    "transpose": lambda: transposed((512, 300), (1, 0)),
    "transpose_4d": lambda: transposed((4, 32, 28, 28), (0, 2, 3, 1)),
    "sum_rows": lambda: reduced((1024, 512), 1, "sum"),
    "max_columns": lambda: reduced((1024, 512), 0, "max"),
    "one_matmul": lambda: mlp(128, [512, 512], "abs"),
}


def fuzzed(bin, seed, large):
    command = [bin / "tandem-fuzz", f"--seed={seed}", "--count=1", "--print",
               "--dynamic=0", "--special=0", f"--large={100 if large else 0}"]
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def network(arguments):
    with tempfile.NamedTemporaryFile(suffix=".mlir") as file:
        subprocess.run([sys.executable, ROOT / "utils/graphs/make-networks.py", *arguments,
                        f"--output={file.name}"], check=True)
        return pathlib.Path(file.name).read_text()


def cases(directory, bin):
    """Yields (name, graph, file, varied dims); writes files that lack."""
    directory.mkdir(parents=True, exist_ok=True)

    def case(name, make):
        path = directory / f"{name}.mlir"
        if not path.exists():
            path.write_text(make())
        return name, name, path, ""

    for name, shapes in KEPT.items():
        for shape in shapes:
            yield f"{name} {shape}", name, GRAPHS / f"{name}.mlir", shape
    for name, sizes in CONVS.items():
        yield case(name, lambda: conv(*sizes))
    for name, make in WRITTEN.items():
        yield case(name, make)
    for seed in FUZZED:
        # Every fourth has tensors beyond the grain of kernels.
        yield case(f"random_{seed}", lambda: fuzzed(bin, seed, seed % 4 == 0))
    for name, arguments in NETWORKS.items():
        yield *case(name, lambda: network(arguments))[:3], "N=1"
