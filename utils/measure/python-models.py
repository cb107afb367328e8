#!/usr/bin/env python3
"""Runs ONNX files through the Python package, beside ONNX Runtime and tandem-run.

  PYTHONPATH=build/python utils/measure/python-models.py [MODEL.onnx ...]

Without arguments, the models are those with convolutions or matrix products that the
package onnx brings along: networks of the ONNX model zoo and modules of PyTorch. onnx,
onnxruntime and numpy must be installed.

The error is the largest |tandem - onnxruntime| of all elements of all outputs of the
compiled tier, as a multiple of the root mean square of the output. Networks of the zoo
are in the package without weights; they are given random ones, because all elements of
their outputs would be equal. Times are medians of single calls with the same inputs, with
the number of threads that both find. `beyond` is what a compiled call from Python takes
longer than tandem-run measures for it.
"""

import argparse
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
import tandem
from tandem._inputs import free_dims, random_inputs
from tandem.bench._statistics import relative_error

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
HEAVY = ("Conv", "ConvTranspose", "Gemm", "MatMul", "LSTM", "GRU")


def default_models():
    """Files of models, each at least one heavy op."""
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    files = [*sorted(data.glob("light/*.onnx")),
             *sorted(data.glob("pytorch-converted/*/model.onnx"))]
    return [file for file in files
            if any(node.op_type in HEAVY for node in onnx.load(file).graph.node)]


def with_weights(model):
    """The model as bytes, with random weights in place of constant ones: normal numbers
    that keep the variance of activations (He et al., Delving Deep into Rectifiers, 2015).
    """
    graph = onnx.load(model).graph
    shapes = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    random = np.random.default_rng(0)
    for node in list(graph.node):
        shape = shapes.get(node.input[0]) if node.op_type == "ConstantOfShape" else None
        if shape is None or len(shape) < 2:
            continue
        scale = math.sqrt(2 / math.prod(shape[1:]))
        values = scale * random.standard_normal(shape, np.float32)
        graph.node.remove(node)
        graph.initializer.append(onnx.numpy_helper.from_array(values, node.output[0]))
    whole = onnx.load(model)
    whole.graph.CopyFrom(graph)
    return whole.SerializeToString()


def median_ns(call, seconds=0.3):
    call()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times), len(times)


def time_of_tandem_run(tool, model, function, inputs, calls, folder):
    """The median that tandem-run prints for the compiled tier, in nanoseconds."""
    arguments = []
    for index, (spec, array) in enumerate(zip(function.inputs, inputs)):
        np.save(folder / f"{index}.npy", array)
        arguments.append(f"--input={spec.name}={folder / f'{index}.npy'}")
    output = subprocess.run([tool, model, "--tier=compiled", f"--repeat={calls}", *arguments],
                            check=True, capture_output=True, text=True).stdout
    value, unit = re.search(r"^compiled: ([\d.]+) (\w+)", output, re.M).groups()
    return float(value) * UNITS[unit]


def measure(model, tool, folder):
    """(error, eager, compiled, tandem-run, onnxruntime) of a model."""
    if model.name.startswith("light_"):
        (folder / model.name).write_bytes(with_weights(model))
        model = folder / model.name
    function = tandem.load(model)
    inputs = random_inputs(function, dict.fromkeys(free_dims(function), 1))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options,
                                           providers=["CPUExecutionProvider"])
    feed = {spec.name: array for spec, array in zip(function.inputs, inputs)}
    results = function(*inputs, tier="compiled")
    results = results if isinstance(results, tuple) else (results,)
    error = relative_error(results, session.run(None, feed))
    eager, _ = median_ns(lambda: function(*inputs, tier="eager"))
    compiled, calls = median_ns(lambda: function(*inputs, tier="compiled"))
    peer, _ = median_ns(lambda: session.run(None, feed))
    run = time_of_tandem_run(tool, model, function, inputs, calls, folder)
    return error, eager, compiled, run, peer


def name_of(model):
    return model.parent.name if model.stem == "model" else model.stem


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--tandem-run", default=ROOT / "build/bin/tandem-run")
    options = parser.parse_args()
    models = options.models or default_models()
    print(f"{'model':44} {'error':>8} {'eager µs':>10} {'compiled':>10} "
          f"{'tandem-run':>10} {'beyond':>7} {'onnxruntime':>11}")
    beyond, failed = [], 0
    for model in models:
        try:
            with tempfile.TemporaryDirectory() as folder:
                error, *times = measure(model, options.tandem_run, pathlib.Path(folder))
        except (tandem.Error, subprocess.CalledProcessError) as problem:
            print(f"{name_of(model):44} {problem}", flush=True)
            failed += 1
            continue
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            print(f"{name_of(model):44} onnxruntime has no kernel for it", flush=True)
            continue
        eager, compiled, run, peer = (ns / 1e3 for ns in times)
        beyond.append(compiled - run)
        failed += error > 1e-3
        print(f"{name_of(model):44.44} {error:8.1e} {eager:10.1f} {compiled:10.1f} "
              f"{run:10.1f} {compiled - run:7.1f} {peer:11.1f}", flush=True)
    print(f"{len(beyond)} models run, {failed} failed or wrong; beyond tandem-run: median "
          f"{statistics.median(beyond):.1f} µs")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
