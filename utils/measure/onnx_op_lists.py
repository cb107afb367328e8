"""Single ONNX ops with the shapes and attributes that they have in public models.

Each list maps a label to a function that takes a random generator and returns the model
and the value of its input `x`.
"""

import numpy
from onnx import TensorProto, helper, numpy_helper

OPSET = 19


def model_of(node, value, constants, result_rank, element=TensorProto.FLOAT):
    """A model of one node whose input is `x`, and the value of `x`."""
    inputs = [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(value.dtype),
                                            value.shape)]
    outputs = [helper.make_tensor_value_info("y", element, [None] * result_rank)]
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


def resize(shape, sizes, mode="linear", dtype=numpy.float32, **attributes):
    """A Resize of the last dims to sizes."""
    def make(random):
        node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode=mode,
                                **attributes)
        value = (random.integers(0, 256, shape).astype(dtype) if dtype == numpy.uint8
                 else random.standard_normal(shape, dtype=dtype))
        full = numpy.array([*shape[:len(shape) - len(sizes)], *sizes])
        return model_of(node, value, {"sizes": full}, len(shape),
                        helper.np_dtype_to_tensor_dtype(value.dtype))
    return make


NEAREST = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric",
           "nearest_mode": "floor"}

def cumsum(shape, axis=-1, dtype="float32", exclusive=0, reverse=0):
    """A CumSum. Numbers are small, so that sums of integers do not wrap."""
    def make(random):
        node = helper.make_node("CumSum", ["x", "axis"], ["y"], exclusive=exclusive,
                                reverse=reverse)
        value = random.integers(0, 2, shape) if dtype == "int64" else random.random(shape)
        return model_of(node, value.astype(dtype), {"axis": numpy.array(axis)}, len(shape),
                        helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)))
    return make


def dft(shape, axis=1, onesided=0, inverse=0):
    """A DFT of numbers whose parts are the last dim."""
    def make(random):
        node = helper.make_node("DFT", ["x"], ["y"], axis=axis, onesided=onesided,
                                inverse=inverse)
        value = random.standard_normal(shape, dtype=numpy.float32)
        return model_of(node, value, {}, len(shape))
    return make


def stft(samples, length, step):
    """The one-sided STFT of a real signal with a Hann window."""
    def make(random):
        node = helper.make_node("STFT", ["x", "step", "window"], ["y"], onesided=1)
        value = random.standard_normal((1, samples, 1), dtype=numpy.float32)
        return model_of(node, value, {
            "step": numpy.array(step),
            "window": numpy.hanning(length + 1)[:-1].astype(numpy.float32)}, 4)
    return make


def layer_norm(*shape):
    """A LayerNormalization of the last dim, with a scale and an offset."""
    def make(random):
        node = helper.make_node("LayerNormalization", ["x", "scale", "offset"], ["y"])
        value, scale, offset = (random.standard_normal(size, dtype=numpy.float32)
                                for size in (shape, shape[-1:], shape[-1:]))
        return model_of(node, value, {"scale": scale, "offset": offset}, len(shape))
    return make


LISTS = {
    "layer-norms": {
        "BERT base": layer_norm(1, 384, 768),
        "BERT large, batch 8": layer_norm(8, 384, 1024),
        "GPT-2": layer_norm(1, 1024, 768),
        "GPT-2, one token": layer_norm(1, 1, 768),
        "ViT-B/16, batch 64": layer_norm(64, 197, 768),
        "Swin-T, stage 1": layer_norm(1, 3136, 96),
        "ConvNeXt-T, stage 1": layer_norm(1, 56, 56, 96),
        "Whisper tiny encoder": layer_norm(1, 1500, 384),
    },
    "resizes": {
        "DeepLabV3 head": resize((1, 21, 33, 33), (513, 513)),
        "DeepLabV3 head, 65 to 520": resize((1, 21, 65, 65), (520, 520)),
        "SegFormer head": resize((1, 150, 128, 128), (512, 512)),
        "DPT fusion, aligned corners": resize(
            (1, 256, 96, 96), (192, 192), coordinate_transformation_mode="align_corners"),
        "U-Net decoder": resize((1, 128, 64, 64), (128, 128)),
        "YOLOv5 neck": resize((1, 256, 40, 40), (80, 80), **NEAREST),
        "FPN": resize((1, 256, 100, 136), (200, 272), **NEAREST),
        "super-resolution, bicubic x4": resize((1, 3, 180, 320), (720, 1280), "cubic"),
        "1080p x2": resize((1, 3, 1080, 1920), (2160, 3840)),
        "vocoder, linear": resize((1, 80, 4096), (8192,)),
        "vocoder, nearest": resize((1, 256, 2048), (8192,), **NEAREST),
        "u8 1080p to letterbox": resize((1, 3, 1080, 1920), (360, 640), dtype=numpy.uint8),
        "u8 720p to 512": resize((1, 3, 720, 1280), (288, 512), dtype=numpy.uint8),
        "u8 1080p to letterbox, nearest": resize(
            (1, 3, 1080, 1920), (360, 640), dtype=numpy.uint8, **NEAREST),
        "image 1024 to 224, antialiased": resize(
            (1, 3, 1024, 1024), (224, 224), antialias=1),
        "image 1024 to 224, antialiased bicubic": resize(
            (1, 3, 1024, 1024), (224, 224), "cubic", antialias=1),
        "3-D U-Net decoder": resize((1, 64, 16, 32, 32), (32, 64, 64)),
        "ViT position embedding": resize((1, 768, 14, 14), (16, 16), "cubic"),
    },
    "scans": {
        "one dim of 1,000,000 i64": cumsum((1000000,), 0, "int64"),
        "Mamba, states over time": cumsum((1, 2048, 1536), 1),
        "top-p sampling, GPT-2": cumsum((1, 50257)),
        "top-p sampling, Llama 3": cumsum((1, 128256)),
        "position ids of BERT": cumsum((8, 512), 1, "int64"),
        "DETR mask, rows": cumsum((1, 50, 50), 1),
        "DETR mask, columns": cumsum((1, 50, 50), 2),
        "NSF phases of harmonics": cumsum((1, 160000, 9), 1),
        "batch of lines": cumsum((32, 4096), 1),
        "exclusive, from the end": cumsum((32, 4096), 1, exclusive=1, reverse=1),
        "NeRF transmittance": cumsum((4096, 192), 1),
    },
    "dfts": {
        "Whisper STFT": stft(480000, 400, 160),
        "vocoder STFT of 2048": stft(220500, 2048, 512),
        "16000 real samples": dft((1, 16000, 1), onesided=1),
        "image rows of 512": dft((1, 512, 512, 2), axis=2),
        "image columns of 512": dft((1, 512, 512, 2), axis=1),
        "batch of 1024": dft((128, 1024, 2)),
        "4096": dft((1, 4096, 2)),
        "prime length 1009": dft((16, 1009, 2)),
        "441000 real samples": dft((1, 441000, 1), onesided=1),
        "inverse of 1024": dft((128, 1024, 2), inverse=1),
        "FNet tokens": dft((8, 512, 768, 1), axis=1),
    },
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
