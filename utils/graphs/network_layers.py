"""Layers of convolutional networks in the tandem dialect."""

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
        value, dims = self.value, self.dims
        self.mean(keep=True)
        self.conv(squeezed, bias=True)
        self.relu()
        self.conv(dims[1], bias=True)
        self.hard_sigmoid()
        factor, factor_type = self.value, tensor(*self.shape)
        self.go_on_with(value, dims)
        self.binary("mul", factor, factor_type)

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

    def mean(self, keep=False):
        self.emit(f"tandem.reduce {{x}} kind = mean dims = {self.positions}"
                  + " keep_dims" * keep + " : ({type}) -> {to}",
                  self.dims[:2] + [1, 1] * keep)

    def flatten(self):
        size = math.prod(self.dims[1:])
        self.emit(f"tandem.reshape {{x}} shape = [-1, {size}]"
                  " : ({type}) -> {to}", ["?", size])

    def dense_weights(self, outputs):
        inputs = self.shape[1]
        return (self.weights([inputs, outputs], exponent_for(inputs)),
                self.weights([outputs], -3))

    def dense(self, outputs):
        inputs = self.shape[1]
        weights, bias = self.dense_weights(outputs)
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
