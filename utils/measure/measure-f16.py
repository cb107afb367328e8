#!/usr/bin/env python3
#===- measure-f16.py - What f16 and f32 intermediates cost ----------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Measures graphs of f16 with f16 and with f32 intermediates (docs/Rationale.md,
"16-bit floats"): the time of a call in both tiers, in alternation, and the error of
the result beside the same graph in f64. It needs NumPy.

  utils/measure/measure-f16.py build/bin/tandem-run
  utils/measure/measure-f16.py build/bin/tandem-run --baseline=OTHER/tandem-run

The baseline is another build, whose times are measured beside.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile

import numpy

CHAIN = """func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}x{t}>) -> tensor<{n}x{t}> {{
  %one = tandem.constant dense<1.0> : tensor<{t}>
  %half = tandem.constant dense<0.5> : tensor<{t}>
  %0 = tandem.mul %x, %y : tensor<{n}x{t}>
  %1 = tandem.add %0, %one : (tensor<{n}x{t}>, tensor<{t}>) -> tensor<{n}x{t}>
  %2 = tandem.tanh %1 : tensor<{n}x{t}>
  %3 = tandem.sub %2, %y : tensor<{n}x{t}>
  %4 = tandem.relu %3 : tensor<{n}x{t}>
  %5 = tandem.mul %4, %half : (tensor<{n}x{t}>, tensor<{t}>) -> tensor<{n}x{t}>
  %6 = tandem.neg %5 : tensor<{n}x{t}>
  %7 = tandem.mul %6, %5 : tensor<{n}x{t}>
  %8 = tandem.exp %7 : tensor<{n}x{t}>
  %9 = tandem.add %8, %x : tensor<{n}x{t}>
  return %9 : tensor<{n}x{t}>
}}
"""
SUMS = """func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}x{t}>) -> tensor<{n}x{t}> {{
  %0 = tandem.mul %x, %y : tensor<{n}x{t}>
  %1 = tandem.add %0, %y : tensor<{n}x{t}>
  %2 = tandem.mul %1, %x : tensor<{n}x{t}>
  %3 = tandem.add %2, %y : tensor<{n}x{t}>
  %4 = tandem.mul %3, %x : tensor<{n}x{t}>
  %5 = tandem.add %4, %y : tensor<{n}x{t}>
  return %5 : tensor<{n}x{t}>
}}
"""
LAYER_NORM = """func.func @main(%x: tensor<512x768x{t}>, %g: tensor<768x{t}>) -> tensor<512x768x{t}> {{
  %m = tandem.reduce %x kind = mean dims = [1] keep_dims : (tensor<512x768x{t}>) -> tensor<512x1x{t}>
  %d = tandem.sub %x, %m : (tensor<512x768x{t}>, tensor<512x1x{t}>) -> tensor<512x768x{t}>
  %q = tandem.mul %d, %d : tensor<512x768x{t}>
  %v = tandem.reduce %q kind = mean dims = [1] keep_dims : (tensor<512x768x{t}>) -> tensor<512x1x{t}>
  %e = tandem.constant dense<1.0e-3> : tensor<{t}>
  %s = tandem.add %v, %e : (tensor<512x1x{t}>, tensor<{t}>) -> tensor<512x1x{t}>
  %r = tandem.rsqrt %s : tensor<512x1x{t}>
  %n = tandem.mul %d, %r : (tensor<512x768x{t}>, tensor<512x1x{t}>) -> tensor<512x768x{t}>
  %y = tandem.mul %n, %g : (tensor<512x768x{t}>, tensor<768x{t}>) -> tensor<512x768x{t}>
  return %y : tensor<512x768x{t}>
}}
"""
MLP = """func.func @main(%x: tensor<256x256x{t}>, %w: tensor<256x1024x{t}>, %b: tensor<1024x{t}>, %v: tensor<1024x256x{t}>) -> tensor<256x256x{t}> {{
  %0 = tandem.matmul %x, %w : (tensor<256x256x{t}>, tensor<256x1024x{t}>) -> tensor<256x1024x{t}>
  %1 = tandem.add %0, %b : (tensor<256x1024x{t}>, tensor<1024x{t}>) -> tensor<256x1024x{t}>
  %2 = tandem.gelu %1 : tensor<256x1024x{t}>
  %3 = tandem.matmul %2, %v : (tensor<256x1024x{t}>, tensor<1024x256x{t}>) -> tensor<256x256x{t}>
  %4 = tandem.add %3, %x : tensor<256x256x{t}>
  return %4 : tensor<256x256x{t}>
}}
"""
CONV = """func.func @main(%x: tensor<1x56x56x64x{t}>, %w: tensor<3x3x64x64x{t}>, %b: tensor<64x{t}>) -> tensor<1x56x56x64x{t}> {{
  %0 = tandem.conv %x, %w, %b layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [1, 1] pad_high = [1, 1] : (tensor<1x56x56x64x{t}>, tensor<3x3x64x64x{t}>, tensor<64x{t}>) -> tensor<1x56x56x64x{t}>
  %1 = tandem.add %0, %x : tensor<1x56x56x64x{t}>
  %2 = tandem.relu %1 : tensor<1x56x56x64x{t}>
  return %2 : tensor<1x56x56x64x{t}>
}}
"""
GRAPHS = {
    "chain8 2^10": (CHAIN, {"n": 1 << 10}),
    "chain8 2^20": (CHAIN, {"n": 1 << 20}),
    "3 fma 2^20": (SUMS, {"n": 1 << 20}),
    "3 fma 2^24": (SUMS, {"n": 1 << 24}),
    "layer norm 512x768": (LAYER_NORM, {}),
    "mlp 256x256x1024": (MLP, {}),
    "conv 56x56x64, residual": (CONV, {}),
}
UNITS = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}


def call_us(run, graph, inputs, tier, intermediates, repeat):
    """The median time of a call in microseconds."""
    command = [run, graph, *inputs, f"--tier={tier}", f"--repeat={repeat}"]
    if intermediates:
        command.append(f"--f16-intermediates={intermediates}")
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    value, unit = re.search(rf"^{tier}: ([\d.]+) (\S+) \(", text, re.M).groups()
    return float(value) * UNITS[unit]


def write_inputs(graph, folder):
    """Random arrays of f16 and the same numbers as f64."""
    random = numpy.random.default_rng(1)
    arguments = {"f16": [], "f64": []}
    signature = graph.splitlines()[0].split("->")[0]
    for i, shape in enumerate(re.findall(r"tensor<([\dx]+)x[a-z]\d+>", signature)):
        sizes = [int(size) for size in shape.split("x")]
        scale = 1 if i == 0 or len(sizes) == 1 else 0.05
        array = random.uniform(-scale, scale, sizes).astype(numpy.float16)
        for dtype in arguments:
            path = folder / f"{i}-{dtype}.npy"
            numpy.save(path, array.astype({"f16": "f2", "f64": "f8"}[dtype]))
            arguments[dtype].append(f"--arg={path}")
    return arguments


def error_of(run, graph, inputs, intermediates, exact, folder):
    """The root mean square of the error, as a share of the result's."""
    subprocess.run([run, graph, *inputs, "--tier=compiled", f"--out-dir={folder}",
                    f"--f16-intermediates={intermediates}"], check=True, capture_output=True)
    result = numpy.load(folder / "output0.npy").astype("f8")
    return numpy.sqrt(numpy.mean((result - exact) ** 2) / numpy.mean(exact**2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="tandem-run")
    parser.add_argument("--baseline", help="tandem-run of another build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="graphs, by a regular expression")
    options = parser.parse_args()
    ways = [("f16", options.run, "f16"), ("f32", options.run, "f32")]
    if options.baseline:
        ways.append(("baseline", options.baseline, None))
    print("intermediates:" + "".join(f"{name:>21}" for name, _, _ in ways) + "   error f16, f32")
    print(" " * 24 + "     eager   compiled" * len(ways))
    for name, (text, sizes) in GRAPHS.items():
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            graphs = {}
            for dtype in ("f16", "f64"):
                graphs[dtype] = folder / f"{dtype}.mlir"
                graphs[dtype].write_text(text.format(t=dtype, **sizes))
            inputs = write_inputs(graphs["f16"].read_text(), folder)
            times = {}
            repeat = 20 if sizes.get("n", 0) > 1 << 20 else 200
            for _ in range(options.rounds):
                for way, run, intermediates in ways:
                    for tier in ("eager", "compiled"):
                        times.setdefault((way, tier), []).append(
                            call_us(run, graphs["f16"], inputs["f16"], tier, intermediates, repeat))
            subprocess.run([options.run, graphs["f64"], *inputs["f64"], "--tier=reference",
                            f"--out-dir={folder}"], check=True, capture_output=True)
            exact = numpy.load(folder / "output0.npy")
            errors = [error_of(options.run, graphs["f16"], inputs["f16"], way, exact, folder)
                      for way in ("f16", "f32")]
            row = "".join(f"{statistics.median(times[way, tier]):9.1f}µs"
                          for way, _, _ in ways for tier in ("eager", "compiled"))
            print(f"{name:24}{row}   {errors[0]:.1e} {errors[1]:.1e}", flush=True)


if __name__ == "__main__":
    main()
