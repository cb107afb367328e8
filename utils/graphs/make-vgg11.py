#!/usr/bin/env python3
"""Writes VGG-11 in f32, as a graph with its 531 MB of weights as resources.

The weights are random numbers from a fixed seed, scaled so that activations
stay near one. For measuring what large constants cost:

  utils/graphs/make-vgg11.py /tmp/vgg11.mlir
  build/bin/tandem-run /tmp/vgg11.mlir --tier=compiled --arg=random:1x224x224x3
"""

import argparse
import math

from resource_graph import ResourceGraph, exponent_for, tensor

CONVS = [64, "pool", 128, "pool", 256, 256, "pool", 512, 512, "pool", 512, 512,
         "pool"]
DENSE = [4096, 4096, 1000]


class Network(ResourceGraph):
    def add_bias(self, channels):
        bias = self.weights([channels], exponent_for(channels))
        self.emit(f"tandem.add {{x}}, {bias}"
                  f" : ({{type}}, {tensor(channels)}) -> {{to}}", self.shape)

    def relu(self):
        self.emit("tandem.relu {x} : {type}", self.shape)

    def conv(self, outputs):
        n, h, w, inputs = self.shape
        shape = [3, 3, inputs, outputs]
        kernel = self.weights(shape, exponent_for(9 * inputs))
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
        weights = self.weights(shape, exponent_for(shape[0]))
        self.emit(f"tandem.matmul {{x}}, {weights}"
                  f" : ({{type}}, {tensor(*shape)}) -> {{to}}", ["?", outputs])
        self.add_bias(outputs)


def build(image, divisor):
    network = Network(["?", image, image, 3])
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
        network.write(file)


if __name__ == "__main__":
    main()
