#!/usr/bin/env python3
"""Measures what a call of a graph of torch.compile costs beside the work of the graph.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch utils/measure/torch-calls.py

The graph is x * y + x of 4 elements. `no-op` is a backend of AOTAutograd that returns
tensors that it made before, so its calls cost what Dynamo and AOTAutograd cost.
`function` is a Function of Tandem with the same ops, called from Python, and `C++` the
same from C++. All are timed in turn. `beyond` is what the backend adds to the no-op
backend and the C++ call.
"""

import argparse
import time

import tandem.torch
import torch
from tandem.bench._statistics import quantile
from torch._dynamo.backends.common import aot_autograd


def no_op(module, _):
    """A compiled graph that computes nothing."""
    (output,) = (node for node in module.graph.nodes if node.op == "output")
    results = [torch.empty(tuple(each.meta["val"].shape)) for each in output.args[0]]

    def run(arguments):
        arguments.clear()
        return list(results)

    run._boxed_call = True
    return run


def make_function():
    b = tandem.Builder()
    x, y = b.input("float32", (4,)), b.input("float32", (4,))
    return b.build(b.add(b.mul(x, y), x), mode="eager")


def nanoseconds_per_call(f, x, y, calls):
    begin = time.perf_counter_ns()
    for _ in range(calls):
        f(x, y)
    return (time.perf_counter_ns() - begin) / calls


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=5000, help="calls of one sample")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    torch.set_grad_enabled(False)
    x, y = torch.ones(4), torch.ones(4)
    function = make_function()
    # Two functions, because torch keeps what it compiled by the code of a function.
    systems = {
        "no-op": torch.compile(lambda x, y: x * y + x,
                               backend=aot_autograd(fw_compiler=no_op)),
        "backend": torch.compile(lambda x, y: x * y + x, backend=tandem.torch.backend,
                                 options={"mode": "eager"}),
        "function": function,
    }
    samples = {name: [] for name in [*systems, "C++"]}
    for round_number in range(options.rounds + 1):
        for name, f in systems.items():
            samples[name].append(nanoseconds_per_call(f, x, y, options.calls))
        samples["C++"].append(function._impl.time_calls(options.calls, x, y))
        if round_number == 0:  # To warm up.
            for each in samples.values():
                each.clear()
    samples["beyond"] = [backend - noop - cpp for backend, noop, cpp in
                         zip(samples["backend"], samples["no-op"], samples["C++"])]
    print("µs per call     median  quartiles")
    for name, each in samples.items():
        low, middle, high = (quantile(each, part) / 1e3 for part in (0.25, 0.5, 0.75))
        print(f"{name:15} {middle:6.2f}  {low:.2f} … {high:.2f}")


if __name__ == "__main__":
    main()
