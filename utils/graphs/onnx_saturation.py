#!/usr/bin/env python3
"""Tells which systems saturate sums of products of 8-bit integers on this processor.

  utils/graphs/onnx_saturation.py build/bin/tandem-run

A convolution in QDQ form and a dynamically quantized matrix product sum 64 products of
255 and 127, scaled so that the result is 64. A system that adds two products in 16 bits
returns about 32. Needs the packages of utils/requirements/networks.txt.

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
SHAPES = {"qdq": (1, CHANNELS, 8, 8), "dynamic": (8, CHANNELS)}
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


def write_model(form, path):
    shape = SHAPES[form]
    weights = numpy.full((CHANNELS, CHANNELS) + (1,) * (len(shape) - 2), 127, numpy.int8)
    constants = [numpy_helper.from_array(value, name)
                 for name, value in {**NUMBERS, "w": weights}.items()]
    graph = helper.make_graph(
        qdq_nodes() if form == "qdq" else dynamic_nodes(), form,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                              ir_version=8)
    onnx.save(model, str(path))


def is_exact(result):
    return abs(float(result.min()) - CHANNELS) < 0.5


def peer_results(form, folder):
    """The results of the peers of onnx_peers.py, by name, for one of SHAPES."""
    model = str(folder / f"{form}.onnx")
    write_model(form, model)
    options = argparse.Namespace(model=model, threads=1, dim=None)
    value = numpy.ones(SHAPES[form], numpy.float32)
    return {name: make(options, value)() for name, make in onnx_peers.PEERS.items()}


def exact_peers(form):
    """The names of the peers whose sums are exact on this processor."""
    with tempfile.TemporaryDirectory() as folder:
        results = peer_results(form, pathlib.Path(folder))
    return [name for name, result in results.items() if is_exact(result)]


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
        for form, shape in SHAPES.items():
            results = peer_results(form, folder)
            results["tandem"] = run_tandem(options.tandem_run, folder / f"{form}.onnx",
                                           numpy.ones(shape, numpy.float32), folder)
            for name, result in results.items():
                print(f"{form}\t{name}\t{float(result.min()):.1f}\t"
                      + ("exact" if is_exact(result) else "saturates"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
