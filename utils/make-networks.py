#!/usr/bin/env python3
"""Writes whole convolutional networks in f32, channels first or last.

  utils/make-networks.py mobilenet_v2 --layout=nchw --output=/tmp/v2.mlir

Both layouts of a network have the same weights, in the order that frameworks
of that layout keep: (outputs, inputs, spatial) or (spatial, inputs, outputs).
Weights are random numbers from a fixed seed, scaled so that activations stay
near one. The build writes them to build/share/tandem/graphs, resnet_50, which
has 200 MB, as an outline, to which tandem-bench adds the weights.
"""

import argparse
import functools
import math

from resource_graph import ResourceGraph, exponent_for, outputs_last, tensor


class Network(ResourceGraph):
    """Layers as they are exported: a batch norm is an op of its own.

    Shapes are given and kept as (N, C, H, W) in `dims`; `at` orders them.
    """

    def __init__(self, image, channels, is_last):
        self.is_last = is_last
        self.dims = ["?", channels, image, image]
        super().__init__(self.at(self.dims))

    def at(self, dims):
        n, c, h, w = dims
        return [n, h, w, c] if self.is_last else dims

    @property
    def channels(self):
        return self.dims[1]

    @property
    def layout(self):
        return "NHWC" if self.is_last else "NCHW"

    @property
    def channel_axis(self):
        return 3 if self.is_last else 1

    @property
    def positions(self):
        return "[1, 2]" if self.is_last else "[2, 3]"

    def emit(self, text, dims):
        super().emit(text, self.at(dims) if len(dims) == 4 else dims)
        self.dims = list(dims)

    def go_on_with(self, value, dims):
        self.value, self.dims, self.shape = value, list(dims), self.at(dims)

    def scalar(self, value):
        return self.define(f"tandem.constant dense<{value}> : tensor<f32>")

    # Layers ------------------------------------------------------------------

    def kernel(self, outputs, inputs, size):
        shape = [outputs, inputs, size, size]
        reorder = None
        if self.is_last:
            shape = [size, size, inputs, outputs]
            reorder = functools.partial(outputs_last, outputs=outputs,
                                        inputs=inputs)
        exponent = exponent_for(inputs * size * size)
        return self.weights(shape, exponent, reorder=reorder), tensor(*shape)

    def conv(self, outputs, size=1, stride=1, groups=1, bias=False):
        n, channels, h, w = self.dims
        kernel, kernel_type = self.kernel(outputs, channels // groups, size)
        operands, types = kernel, kernel_type
        if bias:
            operands += ", " + self.weights([outputs], -3)
            types += ", " + tensor(outputs)
        pad = (size - 1) // 2
        name = "HWIO" if self.is_last else "OIHW"
        attributes = "".join(
            f" {key} = {value}" for key, value, usual in [
                ("strides", [stride] * 2, [1, 1]), ("pad_low", [pad] * 2, [0, 0]),
                ("pad_high", [pad] * 2, [0, 0]), ("groups", groups, 1)]
            if value != usual)
        self.emit(f'tandem.conv {{x}}, {operands} layout = <input ='
                  f' "{self.layout}", kernel = "{name}", output ='
                  f' "{self.layout}">{attributes} : ({{type}}, {types}) -> {{to}}',
                  [n, outputs, -(-h // stride), -(-w // stride)])

    def norm(self):
        channels = self.channels
        scale = self.weights([channels], -1, signed=False)
        offset = self.weights([channels], -3)
        mean = self.weights([channels], -3)
        variance = self.weights([channels], -1, signed=False)
        types = ", ".join([tensor(channels)] * 4)
        self.emit(f"tandem.batch_norm {{x}}, {scale}, {offset}, {mean},"
                  f" {variance} epsilon = 1.0e-05 axis = {self.channel_axis}"
                  f" : ({{type}}, {types}) -> {{to}}", self.dims)

    def binary(self, op, other, other_type="{type}"):
        self.emit(f"tandem.{op} {{x}}, {other} : ({{type}}, {other_type})"
                  " -> {to}", self.dims)

    def relu(self):
        self.emit("tandem.relu {x} : {type}", self.dims)

    def relu6(self):
        low, high = self.scalar(0.0), self.scalar(6.0)
        self.emit(f"tandem.clamp {{x}}, {low}, {high}"
                  " : ({type}, tensor<f32>, tensor<f32>) -> {to}", self.dims)

    def hard_sigmoid(self):
        self.binary("add", self.scalar(3.0), "tensor<f32>")
        self.relu6()
        self.binary("mul", self.scalar(1 / 6), "tensor<f32>")

    def hard_swish(self):
        before = self.value
        self.hard_sigmoid()
        self.binary("mul", before)

    def squeeze_and_excite(self, squeezed):
        value, dims, to = self.value, self.dims, tensor(*self.shape)
        self.emit(f"tandem.reduce {{x}} kind = mean dims = {self.positions}"
                  " keep_dims : ({type}) -> {to}", dims[:2] + [1, 1])
        self.conv(squeezed, bias=True)
        self.relu()
        self.conv(dims[1], bias=True)
        self.hard_sigmoid()
        factor, factor_type = self.value, tensor(*self.shape)
        self.go_on_with(value, dims)
        self.emit(f"tandem.mul {{x}}, {factor} : ({to}, {factor_type})"
                  " -> {to}", dims)

    def avg_pool(self, size):
        n, channels, h, w = self.dims
        self.emit(f'tandem.avg_pool {{x}} layout = "{self.layout}"'
                  f" window = [{size}, {size}] strides = [{size}, {size}]"
                  " : ({type}) -> {to}", [n, channels, h // size, w // size])

    def max_pool(self, size, stride, pad):
        n, channels, h, w = self.dims
        self.emit(f'tandem.max_pool {{x}} layout = "{self.layout}"'
                  f" window = [{size}, {size}] strides = [{stride}, {stride}]"
                  f" pad_low = [{pad}, {pad}] pad_high = [{pad}, {pad}]"
                  " : ({type}) -> {to}",
                  [n, channels, (h + 2 * pad - size) // stride + 1,
                   (w + 2 * pad - size) // stride + 1])

    def concat(self, others):
        """Before the value, each with its channels."""
        channels = sum(c for _, c in others) + self.channels
        shapes = [self.at(["?", c, *self.dims[2:]]) for _, c in others]
        names = ", ".join(name for name, _ in others)
        types = ", ".join(tensor(*shape) for shape in shapes)
        self.emit(f"tandem.concat {names}, {{x}} axis = {self.channel_axis}"
                  f" : ({types}, {{type}}) -> {{to}}",
                  [self.dims[0], channels, *self.dims[2:]])

    def mean(self):
        self.emit(f"tandem.reduce {{x}} kind = mean dims = {self.positions}"
                  " : ({type}) -> {to}", self.dims[:2])

    def flatten(self):
        size = math.prod(self.dims[1:])
        self.emit(f"tandem.reshape {{x}} shape = [-1, {size}]"
                  " : ({type}) -> {to}", ["?", size])

    def dense(self, outputs):
        inputs = self.shape[1]
        weights = self.weights([inputs, outputs], exponent_for(inputs))
        bias = self.weights([outputs], -3)
        self.emit(f"tandem.matmul {{x}}, {weights} : ({{type}},"
                  f" {tensor(inputs, outputs)}) -> {{to}}", ["?", outputs])
        self.binary("add", bias, tensor(outputs))

    def inverted_residual(self, expanded, outputs, size, stride, activate,
                          squeezed=0):
        value, channels = self.value, self.channels
        if expanded != channels:
            self.conv(expanded)
            self.norm()
            activate()
        self.conv(expanded, size, stride, groups=expanded)
        self.norm()
        activate()
        if squeezed:
            self.squeeze_and_excite(squeezed)
        self.conv(outputs)
        self.norm()
        if stride == 1 and outputs == channels:
            self.binary("add", value)

    def bottleneck(self, width, stride):
        value, dims = self.value, self.dims
        if stride != 1 or self.channels != 4 * width:
            self.conv(4 * width, stride=stride)
            self.norm()
        shortcut = self.value
        self.go_on_with(value, dims)
        self.conv(width)
        self.norm()
        self.relu()
        self.conv(width, 3, stride)
        self.norm()
        self.relu()
        self.conv(4 * width)
        self.norm()
        self.binary("add", shortcut)
        self.relu()


# Networks ---------------------------------------------------------------------


def mobilenet_v2(image, is_last):
    """Sandler et al., arXiv 1801.04381, table 2."""
    net = Network(image, 3, is_last)
    net.conv(32, 3, stride=2)
    net.norm()
    net.relu6()
    for factor, outputs, count, stride in [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(count):
            net.inverted_residual(factor * net.channels, outputs, 3,
                                  1 if block else stride, net.relu6)
    net.conv(1280)
    net.norm()
    net.relu6()
    net.mean()
    net.dense(1000)
    return net


def mobilenet_v3(image, is_last):
    """V3-Large: Howard et al., arXiv 1905.02244, table 1."""
    net = Network(image, 3, is_last)
    net.conv(16, 3, stride=2)
    net.norm()
    net.hard_swish()
    relu, swish = net.relu, net.hard_swish
    for size, expanded, outputs, squeezed, activate, stride in [
            (3, 16, 16, 0, relu, 1), (3, 64, 24, 0, relu, 2),
            (3, 72, 24, 0, relu, 1), (5, 72, 40, 24, relu, 2),
            (5, 120, 40, 32, relu, 1), (5, 120, 40, 32, relu, 1),
            (3, 240, 80, 0, swish, 2), (3, 200, 80, 0, swish, 1),
            (3, 184, 80, 0, swish, 1), (3, 184, 80, 0, swish, 1),
            (3, 480, 112, 120, swish, 1), (3, 672, 112, 168, swish, 1),
            (5, 672, 160, 168, swish, 2), (5, 960, 160, 240, swish, 1),
            (5, 960, 160, 240, swish, 1)]:
        net.inverted_residual(expanded, outputs, size, stride, activate,
                              squeezed)
    net.conv(960)
    net.norm()
    net.hard_swish()
    net.avg_pool(net.dims[2])
    net.flatten()
    net.dense(1280)
    net.hard_swish()
    net.dense(1000)
    return net


def densenet_stage(image, is_last):
    """The second dense block of DenseNet-121 and the transition after it
    (Huang et al., arXiv 1608.06993, table 1); an eighth of the image's size."""
    net = Network(image // 8, 128, is_last)
    growth, layers = 32, 12
    parts = [(net.value, net.channels)]
    for layer in range(layers):
        net.norm()
        net.relu()
        net.conv(4 * growth)
        net.norm()
        net.relu()
        net.conv(growth, 3)
        part = net.value, net.channels
        net.concat(parts)
        parts.append(part)
    net.norm()
    net.relu()
    net.conv(net.channels // 2)
    net.avg_pool(2)
    return net


def resnet_50(image, is_last):
    """He et al., arXiv 1512.03385, table 1; strides in the 3x3 layers, as in
    torchvision."""
    net = Network(image, 3, is_last)
    net.conv(64, 7, stride=2)
    net.norm()
    net.relu()
    net.max_pool(3, 2, 1)
    for stage, blocks in enumerate([3, 4, 6, 3]):
        for block in range(blocks):
            net.bottleneck(64 << stage, 2 if stage and not block else 1)
    net.mean()
    net.dense(1000)
    return net


NETWORKS = {make.__name__: make
            for make in [mobilenet_v2, mobilenet_v3, densenet_stage,
                         resnet_50]}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("--layout", choices=["nchw", "nhwc"], default="nhwc")
    parser.add_argument("--image", type=int, default=224,
                        help="height and width of the images")
    parser.add_argument("--outline", action="store_true",
                        help="leave the weights to who reads the file")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    network = NETWORKS[arguments.network](arguments.image,
                                          arguments.layout == "nhwc")
    with open(arguments.output, "w", encoding="ascii") as file:
        if arguments.outline:
            network.write_outline(file)
        else:
            network.write(file)


if __name__ == "__main__":
    main()
