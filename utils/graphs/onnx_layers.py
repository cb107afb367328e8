"""The layers of networks as nodes of ONNX, with the same weights."""

import random

import onnx
from onnx import TensorProto, helper

from network_layers import Network


class ONNXNetwork(Network):
    """Channels first; each layer is one node."""

    def __init__(self, image, channels):
        self.nodes, self.shapes = [], []
        super().__init__(image, channels, is_last=False)
        self.value = "image"

    def node(self, op, dims, *operands, **attributes):
        """An op on the value, which it becomes."""
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(
            op, [self.value, *operands], [name], name=name, **attributes))
        self.go_on_with(name, dims)

    def at(self, dims):
        return list(dims)

    def weights(self, shape, exponent, signed=True, reorder=None):
        self.shapes.append(shape)
        super().weights(shape, exponent, signed, reorder)
        return self.resources[-1].name

    # Layers ------------------------------------------------------------------

    def conv(self, outputs, size=1, stride=1, groups=1, bias=False):
        n, channels, h, w = self.dims
        operands = [self.kernel(outputs, channels // groups, size)[0]]
        if bias:
            operands.append(self.weights([outputs], -3))
        self.node("Conv", [n, outputs, -(-h // stride), -(-w // stride)],
                  *operands, kernel_shape=[size] * 2, strides=[stride] * 2,
                  pads=[(size - 1) // 2] * 4, group=groups)

    def norm(self):
        exponents = [(-1, False), (-3, True), (-3, True), (-1, False)]
        self.node("BatchNormalization", self.dims, *[
            self.weights([self.channels], exponent, signed)
            for exponent, signed in exponents], epsilon=1e-5)

    def binary(self, op, other, other_type=None):
        self.node(op.capitalize(), self.dims, other)

    def relu(self):
        self.node("Relu", self.dims)

    def relu6(self):
        self.node("Clip", self.dims, "zero", "six")

    def hard_sigmoid(self):
        self.node("HardSigmoid", self.dims, alpha=1 / 6, beta=0.5)

    def hard_swish(self):
        self.node("HardSwish", self.dims)

    def pool(self, op, size, stride, pad):
        n, channels, h, w = self.dims
        self.node(op, [n, channels, (h + 2 * pad - size) // stride + 1,
                       (w + 2 * pad - size) // stride + 1],
                  kernel_shape=[size] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def avg_pool(self, size):
        self.pool("AveragePool", size, size, 0)

    def max_pool(self, size, stride, pad):
        self.pool("MaxPool", size, stride, pad)

    def concat(self, others):
        channels = sum(c for _, c in others) + self.channels
        last, self.value = self.value, others[0][0]
        self.node("Concat", [self.dims[0], channels, *self.dims[2:]],
                  *[name for name, _ in others[1:]], last, axis=1)

    def mean(self, keep=False):
        self.node("GlobalAveragePool", self.dims[:2] + [1, 1])
        if not keep:
            self.flatten()

    def flatten(self):
        n, *rest = self.dims
        size = 1
        for dim in rest:
            size *= dim
        self.node("Flatten", [n, size])

    def dense(self, outputs):
        weights, bias = self.dense_weights(outputs)
        self.node("Gemm", [self.dims[0], outputs], weights, bias)

    # The file ----------------------------------------------------------------

    def initializers(self, seed):
        stream = random.Random(seed)
        for weights, shape in zip(self.resources, self.shapes):
            yield helper.make_tensor(
                weights.name, TensorProto.FLOAT, shape,
                b"".join(weights.chunks(stream)), raw=True)
        for name, number in [("zero", 0.0), ("six", 6.0)]:
            yield helper.make_tensor(name, TensorProto.FLOAT, [], [number])

    def write(self, path, seed=1):
        self.nodes[-1].output[0] = "result"
        used = {name for node in self.nodes for name in node.input}
        batch = ["batch"]
        graph = helper.make_graph(
            self.nodes, "network",
            [helper.make_tensor_value_info("image", TensorProto.FLOAT,
                                           batch + self.argument[1:])],
            [helper.make_tensor_value_info("result", TensorProto.FLOAT,
                                           batch + self.dims[1:])],
            [tensor for tensor in self.initializers(seed)
             if tensor.name in used])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)
