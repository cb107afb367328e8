#!/usr/bin/env python3
"""Measures what a call from Python costs beyond the call in C++.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch:$cache/jax \
    utils/measure/python-calls.py

A small graph of two inputs is called in C++, with numpy and, where they are
installed, with torch and jax, all in one process. Each library also adds the same
arrays itself. onnxruntime and openvino run x + y where they are installed. The calls
take turns, and the table has medians: the time of a call, and the time beyond the call
in C++.
The time to import the package is that of a new process beside numpy's.
"""

import argparse
import io
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


def time_ns(call, calls=CALLS):
    """The mean time of a call, in nanoseconds."""
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls


def medians(timers):
    """{name: median over rounds}, where each round runs every timer once."""
    rounds = {name: [] for name in timers}
    for timer in timers.values():
        timer()
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            rounds[name].append(timer())
    return {name: statistics.median(times) for name, times in rounds.items()}


def import_ms(module):
    """The median time of a new process that imports a module, less that of one
    that imports nothing."""
    def run(statement):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        return (time.perf_counter() - start) * 1e3
    return statistics.median(run(f"import {module}") - run("pass") for _ in range(9))


def calls_of_torch(f, x, y):
    """(name, call) with tensors of torch."""
    try:
        import torch
    except ImportError:
        return
    a, b, out = torch.from_numpy(x), torch.from_numpy(y), torch.empty(4)
    yield "tandem, torch", lambda: f(a, b)
    yield "tandem, torch, out=", lambda: f(a, b, out=out)
    yield "torch, x + y", lambda: a + b


def calls_of_jax(f, x, y):
    """(name, call) with arrays of jax."""
    try:
        import jax
    except ImportError:
        return
    a, b, out = jax.numpy.asarray(x), jax.numpy.asarray(y), np.empty(4, np.float32)
    add = jax.jit(lambda x, y: x + y)
    yield "tandem, jax", lambda: f(a, b)
    yield "tandem, jax, out=numpy", lambda: f(a, b, out=out)
    yield "jax.jit, x + y", lambda: add(a, b).block_until_ready()


def add_model():
    """An ONNX model that computes x + y, as bytes; None without the package onnx."""
    try:
        import onnx
    except ImportError:
        return None
    node = onnx.helper.make_node("Add", ["x", "y"], ["z"])
    info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [4])
            for n in "xyz"]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", info[:2],
                                                          info[2:]), ir_version=10)
    return model.SerializeToString()


def calls_of_onnxruntime(model, x, y):
    """(name, call) of onnxruntime."""
    try:
        import onnxruntime
    except ImportError:
        return
    session = onnxruntime.InferenceSession(model)
    yield "onnxruntime, numpy", lambda: session.run(None, {"x": x, "y": y})
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_cpu_input("y", y)
    binding.bind_output("z")
    yield "onnxruntime, io_binding", lambda: session.run_with_iobinding(binding)


def calls_of_openvino(model, x, y):
    """(name, call) of OpenVINO."""
    try:
        import openvino
    except ImportError:
        return
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(io.BytesIO(model)), "CPU")
    yield "openvino, numpy", lambda: compiled([x, y])


def main():
    argparse.ArgumentParser(description=__doc__.split("\n")[0]).parse_args()
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    out = np.empty(4, np.float32)
    f = tandem.load(GRAPH.encode(), mode="eager")
    calls = {"tandem, numpy": lambda: f(x, y),
             "tandem, numpy, out=": lambda: f(x, y, out=out),
             "numpy, x + y": lambda: x + y, **dict(calls_of_torch(f, x, y)),
             **dict(calls_of_jax(f, x, y))}
    if model := add_model():
        calls |= dict(calls_of_onnxruntime(model, x, y))
        calls |= dict(calls_of_openvino(model, x, y))
    timers = {name: (lambda call=call: time_ns(call)) for name, call in calls.items()}
    in_cpp = lambda: f._impl.time_calls(CALLS, x, y)
    times = medians({"tandem, in C++": in_cpp, **timers})
    base = times["tandem, in C++"]
    for name, ns in times.items():
        beyond = f"{(ns - base) / 1e3:+8.2f}" if name.startswith("tandem, ") else ""
        print(f"{name:24} {ns / 1e3:8.2f} µs {beyond}")
    print(f"{'import tandem':24} {import_ms('tandem'):8.1f} ms")
    print(f"{'import numpy':24} {import_ms('numpy'):8.1f} ms")


if __name__ == "__main__":
    main()
