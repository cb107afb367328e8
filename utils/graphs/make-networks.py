#!/usr/bin/env python3
"""Writes whole convolutional networks in f32, channels first or last.

  utils/graphs/make-networks.py mobilenet_v2 --layout=nchw --output=/tmp/v2.mlir
  utils/graphs/make-networks.py resnet_50 --output=resnet50.onnx

What is called .onnx is an ONNX model, channels first; that needs the package
onnx, which utils/setup.sh installs in ~/.cache/tandem/onnx-tests.

Both layouts of a network have the same weights, in the order that frameworks
of that layout keep: (outputs, inputs, spatial) or (spatial, inputs, outputs).
Weights are random numbers from a fixed seed, scaled so that activations stay
near one. The build writes them to build/share/tandem/graphs, resnet_50, which
has 200 MB, as an outline, to which tandem-bench adds the weights.
"""

import argparse
import functools

from network_layers import Network


# Networks ---------------------------------------------------------------------


def mobilenet_v2(new, image):
    """Sandler et al., arXiv 1801.04381, table 2."""
    net = new(image, 3)
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


def mobilenet_v3(new, image):
    """V3-Large: Howard et al., arXiv 1905.02244, table 1."""
    net = new(image, 3)
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


def densenet_stage(new, image):
    """The second dense block of DenseNet-121 and the transition after it
    (Huang et al., arXiv 1608.06993, table 1); an eighth of the image's size."""
    net = new(image // 8, 128)
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


def resnet_50(new, image):
    """He et al., arXiv 1512.03385, table 1; strides in the 3x3 layers, as in
    torchvision."""
    net = new(image, 3)
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
    parser.add_argument("--layout", choices=["nchw", "nhwc"],
                        help="default: nchw for ONNX, otherwise nhwc")
    parser.add_argument("--image", type=int, default=224,
                        help="height and width of the images")
    parser.add_argument("--outline", action="store_true",
                        help="leave the weights to who reads the file")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    if arguments.output.endswith(".onnx"):
        if arguments.outline or arguments.layout == "nhwc":
            parser.error("ONNX models have weights, and channels first")
        from onnx_layers import ONNXNetwork
        NETWORKS[arguments.network](
            ONNXNetwork, arguments.image).write(arguments.output)
        return
    new = functools.partial(Network, is_last=arguments.layout != "nchw")
    network = NETWORKS[arguments.network](new, arguments.image)
    with open(arguments.output, "w", encoding="ascii") as file:
        if arguments.outline:
            network.write_outline(file)
        else:
            network.write(file)


if __name__ == "__main__":
    main()
