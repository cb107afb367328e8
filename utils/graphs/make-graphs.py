#!/usr/bin/env python3
"""Writes the graphs of test/graphs.

Constant weights come from a generator with a fixed seed, so that the files are
the same on every machine; a test compares them with this script's output.
Weights are rounded to bf16, which halves what the repository stores.
"""

import argparse
import math
import pathlib
import random
import struct

from transformer_block import transformer_block

BANNER = """\
// {summary}
// Written by utils/graphs/make-graphs.py.

"""


class Weights:
    """Reproducible constants, scaled so that activations stay near one."""

    def __init__(self, seed):
        self.stream = random.Random(seed)

    def uniform(self, low, high):
        value = low + (high - low) * self.stream.random()
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]

    def constant(self, shape, low, high):
        count = math.prod(shape)
        values = [self.uniform(low, high) for _ in range(count)]
        data = struct.pack(f"<{count}f", *values).hex().upper()
        kind = "x".join(map(str, shape)) + "xf32"
        return f'tandem.constant dense<"0x{data}"> : tensor<{kind}>'

    def kernel(self, shape, fan_in):
        bound = math.sqrt(3.0 / fan_in)
        return self.constant(shape, -bound, bound)


def conv1d_relu():
    weights = Weights(1)
    return f"""\
func.func @main(%x: tensor<?x?x1xf32> {{tandem.dims = ["N", "L", ""]}})
    -> tensor<?x?x32xf32> {{
  %kernel = {weights.kernel([3, 1, 32], 3)}
  %0 = tandem.conv %x, %kernel
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<?x?x1xf32>, tensor<3x1x32xf32>) -> tensor<?x?x32xf32>
  %1 = tandem.relu %0 : tensor<?x?x32xf32>
  return %1 : tensor<?x?x32xf32>
}}
"""


def conv2d(nchw):
    weights = Weights(2)
    names = '["N", "", "H", "W"]' if nchw else '["N", "H", "W", ""]'
    x = "tensor<?x3x?x?xf32>" if nchw else "tensor<?x?x?x3xf32>"
    y = "tensor<?x64x?x?xf32>" if nchw else "tensor<?x?x?x64xf32>"
    shape = [64, 3, 3, 3] if nchw else [3, 3, 3, 64]
    kernel = "tensor<" + "x".join(map(str, shape)) + "xf32>"
    layout = (
        'input = "NCHW", kernel = "OIHW", output = "NCHW"'
        if nchw
        else 'input = "NHWC", kernel = "HWIO", output = "NHWC"'
    )
    return f"""\
func.func @main(%x: {x} {{tandem.dims = {names}}}) -> {y} {{
  %kernel = {weights.kernel(shape, 27)}
  %0 = tandem.conv %x, %kernel
      layout = <{layout}>
      pad_low = [1, 1] pad_high = [1, 1]
      : ({x}, {kernel}) -> {y}
  return %0 : {y}
}}
"""


def chain8():
    return """\
func.func @main(%x: tensor<?xf32> {tandem.dims = ["n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> tensor<?xf32> {
  %one = tandem.constant dense<1.0> : tensor<f32>
  %half = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.mul %x, %y : tensor<?xf32>
  %1 = tandem.add %0, %one : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = tandem.tanh %1 : tensor<?xf32>
  %3 = tandem.sub %2, %y : tensor<?xf32>
  %4 = tandem.relu %3 : tensor<?xf32>
  %5 = tandem.mul %4, %half : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %6 = tandem.neg %5 : tensor<?xf32>
  %7 = tandem.mul %6, %5 : tensor<?xf32>
  %8 = tandem.exp %7 : tensor<?xf32>
  %9 = tandem.add %8, %x : tensor<?xf32>
  return %9 : tensor<?xf32>
}
"""


def axpy8():
    return """\
func.func @main(%x: tensor<?xf32> {tandem.dims = ["n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> tensor<?xf32> {
  %0 = tandem.mul %x, %y : tensor<?xf32>
  %1 = tandem.add %0, %x : tensor<?xf32>
  %2 = tandem.max %1, %y : tensor<?xf32>
  %3 = tandem.mul %2, %x : tensor<?xf32>
  %4 = tandem.add %3, %y : tensor<?xf32>
  %5 = tandem.max %4, %x : tensor<?xf32>
  %6 = tandem.mul %5, %y : tensor<?xf32>
  %7 = tandem.add %6, %x : tensor<?xf32>
  return %7 : tensor<?xf32>
}
"""


def softmax():
    x = "tensor<?x?xf32>"
    return f"""\
func.func @main(%x: {x} {{tandem.dims = ["n", "m"]}}) -> {x} {{
  %0 = tandem.softmax %x axis = 1 : {x}
  return %0 : {x}
}}
"""


def layer_norm():
    x, row, one = "tensor<?x?xf32>", "tensor<?x1xf32>", "tensor<?xf32>"
    return f"""\
func.func @main(%x: {x} {{tandem.dims = ["n", "m"]}},
                %scale: {one} {{tandem.dims = ["m"]}},
                %offset: {one} {{tandem.dims = ["m"]}}) -> {x} {{
  %epsilon = tandem.constant dense<1.0e-05> : tensor<f32>
  %mean = tandem.reduce %x kind = mean dims = [1] keep_dims
      : ({x}) -> {row}
  %0 = tandem.sub %x, %mean : ({x}, {row}) -> {x}
  %1 = tandem.mul %0, %0 : {x}
  %variance = tandem.reduce %1 kind = mean dims = [1] keep_dims
      : ({x}) -> {row}
  %2 = tandem.add %variance, %epsilon
      : ({row}, tensor<f32>) -> {row}
  %3 = tandem.rsqrt %2 : {row}
  %4 = tandem.mul %0, %3 : ({x}, {row}) -> {x}
  %5 = tandem.mul %4, %scale : ({x}, {one}) -> {x}
  %6 = tandem.add %5, %offset : ({x}, {one}) -> {x}
  return %6 : {x}
}}
"""


def batch_norm_stats():
    x, row = "tensor<?x?x?x?xf32>", "tensor<?xf32>"
    return f"""\
func.func @main(%x: {x} {{tandem.dims = ["N", "H", "W", "C"]}},
                %scale: {row} {{tandem.dims = ["C"]}},
                %offset: {row} {{tandem.dims = ["C"]}})
    -> ({x}, {row}, {row}) {{
  %epsilon = tandem.constant dense<1.0e-05> : tensor<f32>
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %mean = tandem.reduce %x kind = mean dims = [0, 1, 2]
      : ({x}) -> {row}
  %0 = tandem.mul %x, %x : {x}
  %1 = tandem.reduce %0 kind = mean dims = [0, 1, 2]
      : ({x}) -> {row}
  %2 = tandem.mul %mean, %mean : {row}
  %3 = tandem.sub %1, %2 : {row}
  %variance = tandem.max %3, %zero
      : ({row}, tensor<f32>) -> {row}
  %4 = tandem.add %variance, %epsilon
      : ({row}, tensor<f32>) -> {row}
  %5 = tandem.rsqrt %4 : {row}
  %factor = tandem.mul %scale, %5 : {row}
  %6 = tandem.mul %mean, %factor : {row}
  %shift = tandem.sub %offset, %6 : {row}
  %7 = tandem.mul %x, %factor : ({x}, {row}) -> {x}
  %8 = tandem.add %7, %shift : ({x}, {row}) -> {x}
  return %8, %mean, %variance : {x}, {row}, {row}
}}
"""


def simplecnn():
    return """\
func.func @main(
    %x: tensor<?x3x32x32xf32> {tandem.dims = ["N", "", "", ""]},
    %kernel1: tensor<32x3x3x3xf32>, %bias1: tensor<32xf32>,
    %kernel2: tensor<64x32x3x3xf32>, %bias2: tensor<64xf32>,
    %weight3: tensor<512x4096xf32>, %bias3: tensor<512xf32>,
    %weight4: tensor<10x512xf32>, %bias4: tensor<10xf32>) -> tensor<?x10xf32> {
  %0 = tandem.conv %x, %kernel1, %bias1
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x3x32x32xf32>, tensor<32x3x3x3xf32>, tensor<32xf32>)
      -> tensor<?x32x32x32xf32>
  %1 = tandem.relu %0 : tensor<?x32x32x32xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x32x32x32xf32>) -> tensor<?x32x16x16xf32>
  %3 = tandem.conv %2, %kernel2, %bias2
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x32x16x16xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>)
      -> tensor<?x64x16x16xf32>
  %4 = tandem.relu %3 : tensor<?x64x16x16xf32>
  %5 = tandem.max_pool %4 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x64x16x16xf32>) -> tensor<?x64x8x8xf32>
  %6 = tandem.reshape %5 shape = [-1, 4096]
      : (tensor<?x64x8x8xf32>) -> tensor<?x4096xf32>
  %7 = tandem.matmul %6, %weight3 transpose_rhs
      : (tensor<?x4096xf32>, tensor<512x4096xf32>) -> tensor<?x512xf32>
  %8 = tandem.add %7, %bias3
      : (tensor<?x512xf32>, tensor<512xf32>) -> tensor<?x512xf32>
  %9 = tandem.relu %8 : tensor<?x512xf32>
  %10 = tandem.matmul %9, %weight4 transpose_rhs
      : (tensor<?x512xf32>, tensor<10x512xf32>) -> tensor<?x10xf32>
  %11 = tandem.add %10, %bias4
      : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %11 : tensor<?x10xf32>
}
"""


def simplecnn_loss():
    """simplecnn, and the cross entropy of its outputs and of labels."""
    body, _ = simplecnn().split("  return ")
    body = body.replace('["N", "", "", ""]},', '["N", "", "", ""]},\n'
                        '    %labels: tensor<?xi64> {tandem.dims = ["N"]},')
    body = body.replace("-> tensor<?x10xf32> {", "-> tensor<f32> {")
    return body + """\
  %classes = tandem.iota axis = 0 : tensor<10x1xi64>
  %12 = tandem.compare %classes, %labels predicate = eq
      : (tensor<10x1xi64>, tensor<?xi64>) -> tensor<10x?xi1>
  %is_label = tandem.transpose %12 permutation = [1, 0]
      : (tensor<10x?xi1>) -> tensor<?x10xi1>
  %max = tandem.reduce %11 kind = max dims = [1] keep_dims
      : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %13 = tandem.stop_gradient %max : tensor<?x1xf32>
  %14 = tandem.sub %11, %13
      : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
  %15 = tandem.exp %14 : tensor<?x10xf32>
  %16 = tandem.reduce %15 kind = sum dims = [1] keep_dims
      : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %17 = tandem.log %16 : tensor<?x1xf32>
  %18 = tandem.sub %17, %14
      : (tensor<?x1xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %19 = tandem.select %is_label, %18, %zero
      : (tensor<?x10xi1>, tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %20 = tandem.reduce %19 kind = sum dims = [1]
      : (tensor<?x10xf32>) -> tensor<?xf32>
  %loss = tandem.reduce %20 kind = mean dims = [0]
      : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
"""


class ResNetBlock:
    """Emits convolutions followed by batch norms, NHWC."""

    def __init__(self, seed):
        self.weights = Weights(seed)
        self.lines = []

    def emit(self, text):
        self.lines.append("  " + text)

    def conv_norm(self, source, name, size, cin, cout):
        x = f"tensor<?x56x56x{cin}xf32>"
        y = f"tensor<?x56x56x{cout}xf32>"
        kernel = self.weights.kernel([size, size, cin, cout], size * size * cin)
        self.emit(f"%{name}_kernel = {kernel}")
        for part, low, high in [("mean", -0.2, 0.2), ("variance", 0.5, 1.5),
                                ("scale", 0.5, 1.5), ("offset", -0.2, 0.2)]:
            self.emit(f"%{name}_{part} = "
                      f"{self.weights.constant([cout], low, high)}")
        pad = " pad_low = [1, 1] pad_high = [1, 1]" if size == 3 else ""
        self.emit(
            f"%{name}_conv = tandem.conv {source}, %{name}_kernel\n"
            '      layout = <input = "NHWC", kernel = "HWIO",'
            f' output = "NHWC">{pad}\n'
            f"      : ({x}, tensor<{size}x{size}x{cin}x{cout}xf32>) -> {y}")
        self.emit(
            f"%{name} = tandem.batch_norm %{name}_conv, %{name}_scale,"
            f" %{name}_offset,\n"
            f"      %{name}_mean, %{name}_variance epsilon = 1.0e-05 axis = 3\n"
            f"      : ({y}, tensor<{cout}xf32>, tensor<{cout}xf32>,\n"
            f"      tensor<{cout}xf32>, tensor<{cout}xf32>) -> {y}")
        return f"%{name}"

    def relu(self, source, name, channels):
        self.emit(f"%{name} = tandem.relu {source}"
                  f" : tensor<?x56x56x{channels}xf32>")
        return f"%{name}"


def resnet_block():
    block = ResNetBlock(3)
    a = block.conv_norm("%x", "reduce", 1, 64, 64)
    a = block.relu(a, "relu1", 64)
    a = block.conv_norm(a, "middle", 3, 64, 64)
    a = block.relu(a, "relu2", 64)
    a = block.conv_norm(a, "expand", 1, 64, 256)
    shortcut = block.conv_norm("%x", "shortcut", 1, 64, 256)
    body = "\n".join(block.lines)
    return f"""\
func.func @main(
    %x: tensor<?x56x56x64xf32> {{tandem.dims = ["N", "", "", ""]}})
    -> tensor<?x56x56x256xf32> {{
{body}
  %sum = tandem.add {a}, {shortcut} : tensor<?x56x56x256xf32>
  %out = tandem.relu %sum : tensor<?x56x56x256xf32>
  return %out : tensor<?x56x56x256xf32>
}}
"""


GRAPHS = {
    "conv1d_relu": (conv1d_relu, "Conv1D (N, L, 1) -> 32 channels, width 3,"
                    " valid; then ReLU."),
    "conv2d_nchw": (lambda: conv2d(True), "Conv2D (N, 3, H, W) -> 64 channels,"
                    " 3x3, padded by 1; NCHW."),
    "conv2d_nhwc": (lambda: conv2d(False), "Conv2D (N, H, W, 3) -> 64 channels,"
                    " 3x3, padded by 1; NHWC."),
    "chain8": (chain8, "z = x*y + 1; z = tanh(z) - y; z = relu(z) * 0.5;"
               " exp(-z*z) + x."),
    "axpy8": (axpy8, "Eight multiplies, adds and maxima of x and y: bound by"
              " memory."),
    "softmax": (softmax, "Softmax along the rows of a matrix."),
    "layer_norm": (layer_norm, "Layer norm of the rows of a matrix: mean,"
                   " variance of the distances, scale and offset."),
    "batch_norm_stats": (batch_norm_stats, "Batch norm in training: statistics"
                         " over N, H and W in one pass, then normalize."),
    "simplecnn": (simplecnn, "Two convolutions with pooling and two linear"
                  " layers; weights are arguments."),
    "simplecnn_loss": (simplecnn_loss, "The loss of simplecnn: the mean cross"
                       " entropy of its outputs and of labels."),
    "transformer_block": (transformer_block, "An encoder block of BERT's form:"
                          " attention with 4 heads of 64 features, and two"
                          " linear layers; weights are arguments."),
    "resnet_block": (resnet_block, "The first bottleneck of ResNet-50:"
                     " 1x1, 3x3, 1x1 and a 1x1 shortcut, with batch norms."),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--out-dir", type=pathlib.Path,
                        default=root / "test" / "graphs")
    arguments = parser.parse_args()
    arguments.out_dir.mkdir(parents=True, exist_ok=True)
    for name, (make, summary) in GRAPHS.items():
        text = BANNER.format(summary=summary) + make()
        (arguments.out_dir / f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
