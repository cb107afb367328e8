#!/usr/bin/env python3
"""Measures what a call from Python costs beyond the call in C++.

  PYTHONPATH=build/python utils/measure/python-calls.py

A small graph of two inputs is called with numpy and, where it is installed, torch,
and in C++ in the same process. onnxruntime runs x + y where it is installed. The time to
import the package is that of a new process beside numpy's. Times are medians.
"""

import argparse
import statistics
import subprocess
import sys
import time

import numpy as np
import tandem

GRAPH = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
CALLS, ROUNDS = 20000, 7


def median_ns(call):
    """The median over rounds of the time of a call, in nanoseconds."""
    for _ in range(1000):
        call()
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter_ns() - start) / CALLS)
    return statistics.median(rounds)


def import_ms(module):
    """The median time of a new process that imports a module, less that of one
    that imports nothing."""
    def run(statement):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        return (time.perf_counter() - start) * 1e3
    return statistics.median(run(f"import {module}") - run("pass") for _ in range(9))


def peers(x, y):
    """(name, call) of the other libraries that are installed."""
    try:
        import onnx
        import onnxruntime
    except ImportError:
        return
    node = onnx.helper.make_node("Add", ["x", "y"], ["z"])
    info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [4])
            for n in "xyz"]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", info[:2],
                                                          info[2:]), ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    yield "onnxruntime, numpy", lambda: session.run(None, {"x": x, "y": y})


def main():
    argparse.ArgumentParser(description=__doc__.split("\n")[0]).parse_args()
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    out = np.empty(4, np.float32)
    f = tandem.load(GRAPH.encode(), mode="eager")
    calls = [("tandem, in C++", None), ("tandem, numpy", lambda: f(x, y)),
             ("tandem, numpy, out=", lambda: f(x, y, out=out))]
    try:
        import torch
        a, b = torch.ones(4), torch.ones(4)
        calls.append(("tandem, torch", lambda: f(a, b)))
        calls.append(("torch, eager", lambda: a + b))
    except ImportError:
        print("torch is not installed")
    calls += peers(x, y)
    for name, call in calls:
        ns = median_ns(call) if call else statistics.median(
            f._impl.time_calls(CALLS, x, y) for _ in range(ROUNDS))
        print(f"{name:24} {ns / 1e3:8.2f} µs")
    print(f"{'import tandem':24} {import_ms('tandem'):8.1f} ms")
    print(f"{'import numpy':24} {import_ms('numpy'):8.1f} ms")


if __name__ == "__main__":
    main()
