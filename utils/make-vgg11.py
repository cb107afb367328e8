#!/usr/bin/env python3
"""Writes VGG-11 in f32, as a graph with its 531 MB of weights as resources.

The weights are random numbers from a fixed seed, scaled so that activations
stay near one. For measuring what large constants cost:

  utils/make-vgg11.py /tmp/vgg11.mlir
  build/bin/tandem-run /tmp/vgg11.mlir --tier=compiled --arg=random:1x224x224x3
"""

import argparse
import math
import random

CONVS = [64, "pool", 128, "pool", 256, 256, "pool", 512, 512, "pool", 512, 512,
         "pool"]
DENSE = [4096, 4096, 1000]
# As Tandem's tensors are.
ALIGNMENT = (64).to_bytes(4, "little").hex()
# Sign and mantissa of a float are random, its exponent is not.
RANDOM_BITS = 0x807FFFFF
CHUNK = 1 << 20


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Network:
    def __init__(self, image):
        self.lines, self.resources = [], []
        self.shape = ["?", image, image, 3]
        self.value = "%x"

    def emit(self, text, shape):
        before = tensor(*self.shape)
        self.lines.append(f"  %{len(self.lines)} = "
                          + text.format(x=self.value, type=before,
                                        to=tensor(*shape)))
        self.value = f"%{len(self.lines) - 1}"
        self.shape = shape

    def weights(self, shape, fan_in):
        name = f"w{len(self.resources)}"
        self.resources.append((name, math.prod(shape), fan_in))
        self.lines.append(f"  %{len(self.lines)} = tandem.constant"
                          f" dense_resource<{name}> : {tensor(*shape)}")
        return f"%{len(self.lines) - 1}"

    def add_bias(self, channels):
        bias = self.weights([channels], channels)
        self.emit(f"tandem.add {{x}}, {bias}"
                  f" : ({{type}}, {tensor(channels)}) -> {{to}}", self.shape)

    def relu(self):
        self.emit("tandem.relu {x} : {type}", self.shape)

    def conv(self, outputs):
        n, h, w, inputs = self.shape
        shape = [3, 3, inputs, outputs]
        kernel = self.weights(shape, 9 * inputs)
        self.emit(f'tandem.conv {{x}}, {kernel} layout = <input = "NHWC",'
                  ' kernel = "HWIO", output = "NHWC"> pad_low = [1, 1]'
                  f" pad_high = [1, 1] : ({{type}}, {tensor(*shape)}) -> {{to}}",
                  [n, h, w, outputs])
        self.add_bias(outputs)
        self.relu()

    def pool(self):
        n, h, w, channels = self.shape
        self.emit('tandem.max_pool {x} layout = "NHWC" window = [2, 2]'
                  " strides = [2, 2] : ({type}) -> {to}",
                  [n, h // 2, w // 2, channels])

    def flatten(self):
        size = math.prod(self.shape[1:])
        self.emit(f"tandem.reshape {{x}} shape = [-1, {size}]"
                  " : ({type}) -> {to}", ["?", size])

    def dense(self, outputs):
        shape = [self.shape[1], outputs]
        weights = self.weights(shape, shape[0])
        self.emit(f"tandem.matmul {{x}}, {weights}"
                  f" : ({{type}}, {tensor(*shape)}) -> {{to}}", ["?", outputs])
        self.add_bias(outputs)


def build(image, divisor):
    network = Network(image)
    for step in CONVS:
        if step == "pool":
            network.pool()
        else:
            network.conv(step // divisor)
    network.flatten()
    for outputs in DENSE:
        network.dense(outputs // divisor)
        if outputs != DENSE[-1]:
            network.relu()
    return network


def repeat(word, count):
    return int.from_bytes(word.to_bytes(4, "little") * count, "little")


def write_floats(stream, file, count, fan_in):
    """Numbers of either sign around sqrt(1 / fan_in)."""
    exponent = round(127 - math.log2(fan_in) / 2)
    for first in range(0, count, CHUNK):
        part = min(CHUNK, count - first)
        bits = int.from_bytes(stream.randbytes(4 * part), "little")
        bits = bits & repeat(RANDOM_BITS, part) | repeat(exponent << 23, part)
        file.write(bits.to_bytes(4 * part, "little").hex())


def write(network, image, file):
    body = "\n".join(network.lines)
    file.write(f"func.func @main(%x: {tensor('?', image, image, 3)}"
               ' {tandem.dims = ["N", "", "", ""]})'
               f" -> {tensor(*network.shape)} {{\n{body}\n"
               f"  return {network.value} : {tensor(*network.shape)}\n}}\n")
    file.write("{-# dialect_resources: { builtin: {\n")
    stream = random.Random(1)
    for index, (name, count, fan_in) in enumerate(network.resources):
        file.write(f'  {name}: "0x{ALIGNMENT}')
        write_floats(stream, file, count, fan_in)
        last = index + 1 == len(network.resources)
        file.write('"\n' if last else '",\n')
    file.write("} } #-}\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--image", type=int, default=224,
                        help="height and width of the images")
    parser.add_argument("--divide", type=int, default=1, metavar="N",
                        help="one Nth of the channels of every layer")
    arguments = parser.parse_args()
    network = build(arguments.image, arguments.divide)
    with open(arguments.output, "w", encoding="ascii") as file:
        write(network, arguments.image, file)


if __name__ == "__main__":
    main()
