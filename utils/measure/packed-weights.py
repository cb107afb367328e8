#!/usr/bin/env python3
#===- packed-weights.py - Products by weights of a few bits ---------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Measures matrix products by weights of a few bits (MatMulNBits), with kernels that
multiply by integers and scales, with kernels that multiply by f32, with the kernels that
the cost model chooses, and in ONNX Runtime if that is installed.

  utils/measure/packed-weights.py build/bin/tandem-run
  utils/measure/packed-weights.py build/bin/tandem-run --rows=1,64 --inputs=11008 --bits=8

For each number of rows and each of these: the least time and the median time of a call
over all rounds, and the bytes of weights that a kernel reads in a nanosecond at the least
time (GB/s; for ONNX Runtime, the bytes of the file). `f32/` is the least time with f32
divided by that time. The rounds alternate between the variants, each in a new process. It
needs NumPy and the onnx package.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

UNITS = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}
VARIANTS = {"integers": "always", "f32": "never", "chosen": "auto"}


def make_model(rows, args):
    """A product by random weights, without zero points."""
    random = numpy.random.default_rng(1)
    blocks = -(-args.inputs // args.block)
    weights = random.integers(
        0, 256, (args.outputs, blocks, args.block * args.bits // 8), "uint8")
    scales = random.uniform(0.001, 0.01, args.outputs * blocks).astype("float32")
    node = helper.make_node(
        "MatMulNBits", ["x", "w", "scales"], ["y"], domain="com.microsoft",
        K=args.inputs, N=args.outputs, bits=args.bits, block_size=args.block)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, args.inputs])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, args.outputs])],
        [numpy_helper.from_array(weights, "w"),
         numpy_helper.from_array(scales, "scales")])
    return helper.make_model(
        graph, ir_version=10,
        opset_imports=[helper.make_opsetid("", 21),
                       helper.make_opsetid("com.microsoft", 1)])


def time_tandem(model, choice, args):
    """The 10th percentile and the median of a call, in microseconds."""
    text = subprocess.run(
        [args.tandem_run, model, "--tier=compiled", f"--threads={args.threads}",
         f"--repeat={args.calls}", f"--target-option=scaled-weights={choice}"],
        check=True, text=True, capture_output=True).stdout
    times = re.search(r"compiled: ([\d.]+) (\S+) \(p10–p90 ([\d.]+) (\S+?)–", text)
    median, median_unit, least, least_unit = times.groups()
    return float(least) * UNITS[least_unit], float(median) * UNITS[median_unit]


ONNXRUNTIME = """
import sys, time, numpy, onnxruntime
path, threads, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
x = session.get_inputs()[0]
data = numpy.random.default_rng(2).random(x.shape, "float32")
times = []
for _ in range(calls):
    begin = time.perf_counter()
    session.run(None, {"x": data})
    times.append((time.perf_counter() - begin) * 1e6)
times.sort()
print(times[len(times) // 10], times[len(times) // 2])
"""


def time_onnxruntime(model, args):
    done = subprocess.run(
        [sys.executable, "-c", ONNXRUNTIME, model, str(args.threads), str(args.calls)],
        text=True, capture_output=True)
    return tuple(map(float, done.stdout.split())) if done.returncode == 0 else None


def count_bytes(args):
    """The bytes of weights and scales as f32, as integers of 8 bits, and as a file
    has them."""
    weights = args.inputs * args.outputs
    scales = 4 * args.outputs * -(-args.inputs // args.block)
    return {"f32": 4 * weights, "integers": weights + scales,
            "onnxruntime": weights * args.bits // 8 + scales}


def measure(rows, args, folder):
    model = str(folder / "model.onnx")
    onnx.save(make_model(rows, args), model)
    samples = {}
    for _ in range(args.rounds):
        for name, choice in VARIANTS.items():
            samples.setdefault(name, []).append(time_tandem(model, choice, args))
        if other := time_onnxruntime(model, args):
            samples.setdefault("onnxruntime", []).append(other)
    least = {name: min(first for first, _ in times) for name, times in samples.items()}
    bytes_of = count_bytes(args)
    for name, times in samples.items():
        median = statistics.median(second for _, second in times)
        speed = (f"{bytes_of[name] / least[name] / 1e3:8.1f}" if name in bytes_of
                 else " " * 8)
        print(f"{rows:4} {name:12}{least[name]:10.1f}{median:10.1f}{speed}"
              f"{least['f32'] / least[name]:7.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem_run")
    parser.add_argument("--rows", default="1,2,4,8,64")
    for name, value in {"inputs": 4096, "outputs": 4096, "block": 32, "bits": 4,
                        "threads": 2, "rounds": 3, "calls": 100}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    args = parser.parse_args()
    print("rows variant      least µs median µs    GB/s   f32/")
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, args.rows.split(",")):
            measure(rows, args, pathlib.Path(folder))


if __name__ == "__main__":
    main()
