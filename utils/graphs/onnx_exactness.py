#!/usr/bin/env python3
"""Tells which systems compute quantized products exactly on this processor.

  utils/graphs/onnx_exactness.py build/bin/tandem-run

- A convolution in QDQ form (qdq) and a dynamically quantized matrix product (dynamic) sum
  64 products of 255 and 127, scaled so that the result is 64. A system that adds two
  products in 16 bits returns about 32, because the sums saturate.
- A product with weights of 4 bits (int4) sums one 1 and 31 numbers of 1/512 in each block.
  A system that rounds the data of a block to 8 bits loses the small numbers.

Needs the packages of utils/requirements/networks.txt.

utils/graphs/onnx-networks.py imports `exact_peers`.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnx_peers

CHANNELS = 64
BLOCK = 32  # Weights of 4 bits that share a scale.
SHAPES = {"qdq": (1, CHANNELS, 8, 8), "dynamic": (8, CHANNELS), "int4": (8, CHANNELS)}
SMALL = 1 / 512  # Of the largest data: less than half of 1/127.
NUMBERS = {"input_scale": numpy.float32(1 / 255), "input_zero": numpy.uint8(0),
           "weight_scale": numpy.float32(1 / 127), "weight_zero": numpy.int8(0),
           "result_scale": numpy.float32(1 / 3), "result_zero": numpy.uint8(0)}


def qdq_nodes():
    node = helper.make_node
    return [node("QuantizeLinear", ["x", "input_scale", "input_zero"], ["q"]),
            node("DequantizeLinear", ["q", "input_scale", "input_zero"], ["d"]),
            node("DequantizeLinear", ["w", "weight_scale", "weight_zero"], ["v"]),
            node("Conv", ["d", "v"], ["c"]),
            node("QuantizeLinear", ["c", "result_scale", "result_zero"], ["r"]),
            node("DequantizeLinear", ["r", "result_scale", "result_zero"], ["y"])]


def dynamic_nodes():
    node = helper.make_node
    return [node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
            node("MatMulInteger", ["q", "w", "zero"], ["i"]),
            node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
            node("Mul", ["f", "scale"], ["g"]), node("Mul", ["g", "weight_scale"], ["y"])]


def int4_nodes():
    return [helper.make_node("MatMulNBits", ["x", "w", "scales"], ["y"], domain="com.microsoft",
                             K=CHANNELS, N=CHANNELS, bits=4, block_size=BLOCK)]


NODES = {"qdq": qdq_nodes, "dynamic": dynamic_nodes, "int4": int4_nodes}


def make_constants(form):
    if form == "int4":  # Each weight is 9, less its zero point of 8.
        blocks = CHANNELS // BLOCK
        return {"w": numpy.full((CHANNELS, blocks, BLOCK // 2), 0x99, numpy.uint8),
                "scales": numpy.ones(CHANNELS * blocks, numpy.float32)}
    ones = (1,) * (len(SHAPES[form]) - 2)
    return {**NUMBERS, "w": numpy.full((CHANNELS, CHANNELS) + ones, 127, numpy.int8)}


def make_data(form):
    data = numpy.ones(SHAPES[form], numpy.float32)
    if form == "int4":
        data *= SMALL
        data[:, ::BLOCK] = 1
    return data


def write_model(form, path):
    shape = SHAPES[form]
    constants = [numpy_helper.from_array(value, name)
                 for name, value in make_constants(form).items()]
    graph = helper.make_graph(
        NODES[form](), form,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], constants)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17),
                              helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    onnx.save(model, str(path))


def is_exact(form, result):
    """Whether the result differs from the right one by less than a rounding to 8 bits."""
    expected = make_data(form)[0].reshape(CHANNELS, -1)[:, 0].sum()
    return abs(float(result.min()) / expected - 1) < 1 / 128


def peer_results(form, folder):
    """The results of the peers of onnx_peers.py, by name, for one of SHAPES."""
    model = str(folder / f"{form}.onnx")
    write_model(form, model)
    options = argparse.Namespace(model=model, threads=1, dim=None)
    return {name: onnx_peers.PEERS[name](options, make_data(form))()
            for name in onnx_peers.peers_for(form)}


def exact_peers(form):
    """The names of the peers that compute exactly on this processor."""
    with tempfile.TemporaryDirectory() as folder:
        results = peer_results(form, pathlib.Path(folder))
    return [name for name, result in results.items() if is_exact(form, result)]


def run_tandem(tandem_run, model, value, folder):
    numpy.save(folder / "x.npy", value)
    subprocess.run([tandem_run, model, f"--input=x={folder / 'x.npy'}", "--tier=compiled",
                    f"--out-dir={folder}"], check=True, stdout=subprocess.DEVNULL)
    return numpy.load(folder / "output0.npy")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    options = parser.parse_args()
    print("form\tsystem\tresult\t")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for form in SHAPES:
            results = peer_results(form, folder)
            results["tandem"] = run_tandem(options.tandem_run, folder / f"{form}.onnx",
                                           make_data(form), folder)
            for name, result in results.items():
                print(f"{form}\t{name}\t{float(result.min()):.3f}\t"
                      + ("exact" if is_exact(form, result) else "not exact"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
