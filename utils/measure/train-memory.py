#!/usr/bin/env python3
"""Measures the peak of memory of training steps, eager and compiled.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch utils/measure/train-memory.py
  … utils/measure/train-memory.py simplecnn@32 resnet18@8

Each case is a network, "@" and a batch size. `simplecnn` is the example (examples/train) as
a tandem.training_step, and networks of training_networks.py are steps of
tandem.torch.training_step. The peak is the largest number of bytes that a call holds at any
time, without its inputs: the batch, the parameters and the moments of the optimizer. The
compiled step allocates its memory as one block that was planned, and the eager step
allocates each result, and frees it after its last use. --page=FILE writes the table between
the comments "<!-- train-memory: begin -->" and "<!-- train-memory: end -->" of a page.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
from tandem._format import format_bytes, markdown_table

import torch_page

CASES = ["simplecnn@1", "simplecnn@32", "simplecnn@64", "torch:simplecnn@32", "resnet18@8",
         "vit_tiny@8", "bert4@8", "gpt4@8"]


def function_of_example(batch):
    """The function of SimpleCNN's step, and a batch."""
    import train_peers
    step = train_peers.tandem_step(2, 0.5, 0, mode="eager").step
    return step.function((batch, 3, 32, 32), (batch,))


def function_of_network(name):
    """The function of a step of training_networks.py."""
    import tandem.torch
    import training_networks
    network, optimizer, (x, target) = training_networks.make(name)
    step = tandem.torch.training_step(network, training_networks.loss, optimizer,
                                      fallback="error", mode="eager")
    step(x, target)
    return max(tandem.torch.graph_functions(), key=lambda each: len(each.inputs))


def measure(case):
    """The bytes of all inputs and the peaks of both tiers."""
    from tandem._inputs import random_inputs
    name, _, batch = case.partition("@")
    if name == "simplecnn":
        function = function_of_example(int(batch))
    else:
        function = function_of_network(case.removeprefix("torch:"))
    inputs = random_inputs(function, {}, 0)
    peaks = {tier: function.profile(*inputs, tier=tier, runs=1).peak_bytes
             for tier in ("eager", "compiled")}
    return {"inputs": sum(np.asarray(each).nbytes for each in inputs), **peaks}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(options.worker)))
        return
    rows = []
    for case in options.cases:
        done = subprocess.run([sys.executable, "-W", "ignore", __file__, f"--worker={case}"],
                              stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        rows.append((case, *(format_bytes(found[key]) for key in ("inputs", "eager", "compiled")),
                     f"{found['compiled'] / found['eager']:.2f}"))
        print(*rows[-1], sep=" | ", flush=True)
    text = markdown_table(("step", "inputs", "eager peak", "compiled peak", "ratio"), rows)
    print(text)
    if options.page:
        torch_page.replace_part(options.page, "train-memory", text)


if __name__ == "__main__":
    main()
