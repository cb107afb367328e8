"""Single ONNX ops with the shapes and attributes that they have in public models.

Each list maps a label to a function that takes a random generator and returns the model
and the value of its input `x`.
"""

import numpy
from onnx import TensorProto, helper, numpy_helper

OPSET = 19


def model_of(node, value, constants, result_rank):
    """A model of one node whose input is `x`, and the value of `x`."""
    inputs = [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(value.dtype),
                                            value.shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * result_rank)]
    graph = helper.make_graph([node], "op", inputs, outputs, [
        numpy_helper.from_array(constant, name) for name, constant in constants.items()])
    return helper.make_model(graph, ir_version=9,
                             opset_imports=[helper.make_opsetid("", OPSET)]), value


def transposed_conv(shape, outputs, window, stride, pad=0, output_padding=0, groups=1):
    """A ConvTranspose with a bias and cubic windows."""
    def make(random):
        rank = len(shape) - 2
        kernel = random.standard_normal((shape[1], outputs // groups, *[window] * rank),
                                        dtype=numpy.float32)
        node = helper.make_node(
            "ConvTranspose", ["x", "w", "b"], ["y"], strides=[stride] * rank,
            pads=[pad] * 2 * rank, output_padding=[output_padding] * rank, group=groups)
        value = random.standard_normal(shape, dtype=numpy.float32)
        return model_of(node, value, {"w": kernel, "b": random.standard_normal(
            outputs, dtype=numpy.float32)}, len(shape))
    return make


def depthwise(channels, size, window):
    """A depthwise Conv over a square image, with padding that keeps the size."""
    def make(random):
        node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[window // 2] * 4,
                                group=channels)
        kernel = random.standard_normal((channels, 1, window, window), dtype=numpy.float32)
        value = random.standard_normal((1, channels, size, size), dtype=numpy.float32)
        return model_of(node, value, {"w": kernel}, 4)
    return make


def topk(shape, k, axis=-1):
    """A TopK of the largest elements, in order."""
    def make(random):
        node = helper.make_node("TopK", ["x", "k"], ["y", "indices"], axis=axis)
        value = random.standard_normal(shape, dtype=numpy.float32)
        return model_of(node, value, {"k": numpy.array([k])}, len(shape))
    return make


LISTS = {
    "depthwise": {
        "RepLKNet stage 1": depthwise(128, 56, 31),
        "RepLKNet stage 2": depthwise(256, 28, 29),
        "RepLKNet stage 3": depthwise(512, 14, 27),
        "RepLKNet stage 4": depthwise(1024, 7, 13),
        "ConvNeXt stage 1": depthwise(96, 56, 7),
        "SLaK 51 taps": depthwise(64, 56, 51),
    },
    "topk": {
        "sampling, Llama 2": topk((1, 32000), 50),
        "sampling, Llama 3": topk((1, 128256), 40),
        "beam search, GPT-2": topk((4, 50257), 8),
        "router of experts": topk((256, 64), 8),
        "ImageNet top 5": topk((64, 1000), 5),
        "YOLO boxes": topk((1, 8400), 300),
        "Mask R-CNN proposals": topk((1, 182400), 1000),
        "DETR queries": topk((1, 27300), 300),
        "retrieval": topk((16, 100000), 100),
        "along the first dim": topk((1000, 64), 10, axis=0),
    },
    "transposed-convolutions": {
        "inverse STFT 1026→1": transposed_conv((1, 1026, 64), 1, 1024, 256),
        "HiFi-GAN up 1": transposed_conv((1, 512, 32), 256, 16, 8, 4),
        "HiFi-GAN up 2": transposed_conv((1, 256, 256), 128, 16, 8, 4),
        "HiFi-GAN up 3": transposed_conv((1, 128, 2048), 64, 4, 2, 1),
        "HiFi-GAN up 4": transposed_conv((1, 64, 4096), 32, 4, 2, 1),
        "EnCodec up 1": transposed_conv((1, 512, 75), 256, 16, 8),
        "EnCodec up 2": transposed_conv((1, 256, 600), 128, 10, 5),
        "U-Net up 1": transposed_conv((1, 1024, 32, 32), 512, 2, 2),
        "U-Net up 4": transposed_conv((1, 128, 128, 128), 64, 2, 2),
        "DCGAN up 1": transposed_conv((8, 100, 1, 1), 512, 4, 1),
        "DCGAN up 2": transposed_conv((8, 512, 4, 4), 256, 4, 2, 1),
        "DCGAN up 5": transposed_conv((8, 64, 32, 32), 3, 4, 2, 1),
        "CycleGAN up 1": transposed_conv((1, 256, 64, 64), 128, 3, 2, 1, 1),
        "CycleGAN up 2": transposed_conv((1, 128, 128, 128), 64, 3, 2, 1, 1),
        "pix2pix up": transposed_conv((1, 1024, 16, 16), 256, 4, 2, 1),
        "FCN-8s up": transposed_conv((1, 21, 34, 34), 21, 16, 8),
        "FSRCNN": transposed_conv((1, 56, 96, 96), 1, 9, 2, 4, 1),
        "SimpleBaseline up 1": transposed_conv((1, 2048, 8, 6), 256, 4, 2, 1),
        "SimpleBaseline up 2": transposed_conv((1, 256, 16, 12), 256, 4, 2, 1),
        "CenterNet bilinear": transposed_conv((1, 64, 64, 64), 64, 4, 2, 1, groups=64),
        "V-Net up": transposed_conv((1, 256, 8, 8, 8), 128, 2, 2),
        "3-D U-Net up": transposed_conv((1, 64, 16, 16, 16), 32, 3, 2, 1, 1),
    },
}
