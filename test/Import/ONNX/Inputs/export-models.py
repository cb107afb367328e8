#!/usr/bin/env python3
"""Writes the exported models of test/Import/ONNX/exported.test, each as an
exporter of PyTorch or ONNX Runtime's quantizer writes it, and their results.

usage: export-models.py [FOLDER]

Needs torch, onnxscript and onnxruntime (utils/requirements/networks.txt). FOLDER
is that of the tests by default. The networks are made of layers that people use,
with few channels, and random weights from a fixed seed:

  torchscript.onnx  a convolutional network by the TorchScript exporter
  half.onnx         the same in f16
  qdq.onnx          the same, quantized: 8 bits with scales for each channel
  dynamo.onnx       a transformer by torch.export
  external.onnx     a convolutional network by torch.export, weights in
                    external.onnx.data

MODEL.npz has the input and ONNX Runtime's result, as run-model.py wants them.
"""

import pathlib
import sys
import warnings

import numpy
import onnx
import onnxruntime
import torch
from onnxruntime import quantization
from torch import nn

FOLDER = pathlib.Path(__file__).resolve().parent / "exported"
BATCH = 2


class SqueezeExcitation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 4, 1), nn.ReLU(),
            nn.Conv2d(4, channels, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.gate(x)


class ConvolutionalNetwork(nn.Module):
    """An inverted residual block with squeeze and excitation, and a pyramid of
    two scales."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1),
                                  nn.BatchNorm2d(8), nn.Hardswish())
        self.block = nn.Sequential(
            nn.Conv2d(8, 16, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU6(),
            nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False),
            nn.BatchNorm2d(16), nn.SiLU(), SqueezeExcitation(16),
            nn.Conv2d(16, 8, 1, bias=False), nn.BatchNorm2d(8))
        self.down = nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.head = nn.Linear(16, 10)

    def forward(self, image):
        x = self.stem(image)
        x = x + self.block(x)
        coarse = nn.functional.interpolate(self.down(x), scale_factor=2.0,
                                           mode="bilinear")
        x = torch.cat([nn.functional.max_pool2d(x, 2),
                       nn.functional.avg_pool2d(coarse, 2)], dim=1)
        return self.head(x.mean(dim=(2, 3)).flatten(1)).softmax(dim=-1)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32, 16)
        self.layer = nn.TransformerEncoderLayer(
            16, nhead=2, dim_feedforward=32, activation="gelu",
            batch_first=True)
        self.head = nn.Linear(16, 8)

    def forward(self, tokens):
        x = self.embedding(tokens)
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = x + torch.sin(positions.to(x.dtype)[:, None] / 7)
        return self.head(self.layer(x)).log_softmax(dim=-1)


def initialized(network):
    """In evaluation, with statistics that are not those of no data."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_var, 0.5, 1.5)
            nn.init.normal_(module.running_mean, std=0.1)
    return network.eval()


def export(network, example, path, **options):
    name = "tokens" if example.dtype == torch.int64 else "image"
    dims = ({"dynamic_shapes": ({0: torch.export.Dim("batch")},)}
            if options["dynamo"] else
            {"dynamic_axes": {name: {0: "batch"}, "result": {0: "batch"}}})
    torch.onnx.export(network, (example,), str(path), input_names=[name],
                      output_names=["result"], **dims, **options)


class Calibration(quantization.CalibrationDataReader):
    def __init__(self, images):
        self.feeds = iter([{"image": image} for image in images])

    def get_next(self):
        return next(self.feeds, None)


def quantize(path, to, images):
    quantization.quantize_static(
        str(path), str(to), Calibration(images), per_channel=True,
        quant_format=quantization.QuantFormat.QDQ,
        weight_type=quantization.QuantType.QInt8)


def write_values(path, value):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(str(path), options,
                                           providers=["CPUExecutionProvider"])
    given = {session.get_inputs()[0].name: value}
    result, = session.run(None, given)
    numpy.savez_compressed(path.with_suffix(".npz"), output0=result, **given)


def strip(path):
    """Without the traces of the exporter, which name its files."""
    model = onnx.load(path, load_external_data=False)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in [*model.graph.value_info, *model.graph.input,
                  *model.graph.output, *model.graph.initializer]:
        del value.metadata_props[:]
    path.write_bytes(model.SerializeToString())


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    network = initialized(ConvolutionalNetwork())
    image = torch.randn(BATCH, 3, 16, 16)
    tokens = torch.randint(0, 32, (BATCH, 6))
    paths = {name: folder / f"{name}.onnx" for name in
             ["torchscript", "half", "qdq", "dynamo", "external"]}
    export(network, image, paths["torchscript"], dynamo=False, opset_version=17)
    quantize(paths["torchscript"], paths["qdq"],
             [torch.randn(BATCH, 3, 16, 16).numpy() for _ in range(8)])
    export(initialized(Transformer()), tokens, paths["dynamo"], dynamo=True,
           external_data=False)
    export(network, image, paths["external"], dynamo=True, external_data=True)
    export(network.half(), image.half(), paths["half"], dynamo=False,
           opset_version=17)
    for name, path in paths.items():
        strip(path)
        write_values(path, (tokens if name == "dynamo" else image.half()
                            if name == "half" else image).numpy())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
