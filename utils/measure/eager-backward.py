#!/usr/bin/env python3
"""Measures the eager tier's forward and backward passes of single layers, beside torch.

  PYTHONPATH=$cache/torch utils/measure/eager-backward.py build/bin/tandem-run
  … utils/measure/eager-backward.py build/bin/tandem-run --filter=softmax --steps

Most layers have about 2^21 elements of f32. A call computes the layer's result and, from a
gradient of the result, the gradients of the layer's operands. Prints a row for each layer:
median times in µs of a call of Tandem's eager tier and of torch eager, and the ratio of the
two. Both are measured in turn, round by round, each round in a new process. The smallest
median counts, because other work on the machine only adds time. The geometric mean of all
ratios comes last.

--steps also prints the time of each step of Tandem's program. tandem-opt lies beside
tandem-run and differentiates the layers.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ELEMENTWISE = ["relu", "tanh", "sigmoid", "gelu", "exp", "softplus"]
ROWS = [2048, 1024]


def tensor(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


class Layer:
    """A layer of one result: its operands' shapes, and its ops in both libraries."""

    def __init__(self, name, shapes, ops, call, channels_last=False):
        self.name, self.shapes, self.ops, self.call = name, shapes, ops, call
        self.channels_last = channels_last

    def module(self):
        arguments = ", ".join(f"%{i}: {tensor(shape)}" for i, shape in enumerate(self.shapes))
        result = tensor(self.shapes[0])
        return (f"func.func @main({arguments}) -> {result} {{\n{self.ops}"
                f"  return %y : {result}\n}}\n")


def elementwise(name):
    kind = tensor(ROWS)
    ops = f"  %y = tandem.{name} %0 : {kind}\n"
    if name == "gelu":
        ops = f"  %y = tandem.gelu %0 : {kind}\n"

    def call(torch, x):
        functions = torch.nn.functional
        return getattr(torch if hasattr(torch, name) else functions, name)(x)

    return Layer(name, [ROWS], ops, call)


def softmax(shape, axis):
    name = "softmax " + "x".join(map(str, shape)) + f" axis {axis}"
    return Layer(name, [shape], f"  %y = tandem.softmax %0 axis = {axis} : {tensor(shape)}\n",
                 lambda torch, x: torch.softmax(x, axis))


def moments(shape, dims):
    kept = tensor([size for i, size in enumerate(shape) if i not in dims])
    return (f"  %mean, %variance = tandem.moments %0 dims = {dims} : ({tensor(shape)}) -> "
            f"({kept}, {kept})\n")


def layer_norm(shape):
    kind, row, kept = tensor(shape), tensor(shape[-1:]), tensor([*shape[:-1], 1])
    ops = (f"  %y, %mean, %s = tandem.layer_norm %0, %1, %2 epsilon = 1.0e-5 : "
           f"({kind}, {row}, {row}) -> ({kind}, {kept}, {kept})\n")
    return Layer("layer norm " + "x".join(map(str, shape)), [shape, shape[-1:], shape[-1:]], ops,
                 lambda torch, x, w, b: torch.nn.functional.layer_norm(x, shape[-1:], w, b))


def batch_norm(shape, last):
    """Batch norm in training, of an NCHW shape, which Tandem has as NHWC if `last`."""
    n, c, h, w = shape
    own = [n, h, w, c] if last else shape
    axis = 3 if last else 1
    text = moments(own, [i for i in range(4) if i != axis])
    row = tensor([c])
    ops = (f"{text}"
           f"  %y = tandem.batch_norm %0, %1, %2, %mean, %variance epsilon = 1.0e-5 "
           f"axis = {axis} : ({tensor(own)}, {row}, {row}, {row}, {row}) -> {tensor(own)}\n")

    def call(torch, x, w, b):
        return torch.nn.functional.batch_norm(x, None, None, w, b, training=True)

    layer = Layer(f"batch norm {'NHWC' if last else 'NCHW'} " + "x".join(map(str, shape)),
                  [own, [c], [c]], ops, call, channels_last=last)
    layer.torch_shapes = [shape, [c], [c]]
    return layer


LAYERS = [*map(elementwise, ELEMENTWISE), softmax(ROWS, 1), softmax([16, 1024, 128], 2),
          softmax([32, 64, 1024], 1),
          *map(layer_norm, [ROWS, [8, 256, 768], [64, 197, 768], [4096, 4096]]),
          *[batch_norm(shape, last) for shape in ([32, 64, 56, 56], [8, 256, 14, 14])
            for last in (False, True)]]


def differentiated(options, layer, folder):
    """A file of the layer with its gradients."""
    forward, step = folder / "forward.mlir", folder / "step.mlir"
    forward.write_text(layer.module())
    subprocess.run([options.tandem_run.parent / "tandem-opt", forward, "--tandem-specialize",
                    "--tandem-differentiate=seed=true", "-o", step],
                   check=True)
    return step


def time_tandem(options, layer):
    """The median time of a call in µs."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        step, report = differentiated(options, layer, folder), folder / "time"
        command = [options.tandem_run, step, "--tier=eager", f"--repeat={options.calls}",
                   f"--threads={options.threads}", "--disk-cache=off", f"--json={report}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return json.loads(report.read_text().splitlines()[0])["time_ns"]["median"] / 1e3


def print_steps(options, layer):
    with tempfile.TemporaryDirectory() as name:
        step = differentiated(options, layer, pathlib.Path(name))
        subprocess.run([options.tandem_run, step, "--tier=eager", "--profile",
                        f"--threads={options.threads}", "--disk-cache=off"], check=True)


def time_torch(options, layer):
    """The median time of a call in µs, in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, options.tandem_run, f"--torch={layer.name}",
         f"--threads={options.threads}", f"--calls={options.calls}"],
        capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def run_torch(options):
    """Prints the median time of torch's own calls."""
    import time

    import torch
    torch.set_num_threads(options.threads)
    layer = next(layer for layer in LAYERS if layer.name == options.torch)
    operands = [torch.randn(*shape) for shape in getattr(layer, "torch_shapes", layer.shapes)]
    gradient = torch.randn(*operands[0].shape)
    if layer.channels_last:
        operands[0], gradient = (x.contiguous(memory_format=torch.channels_last)
                                 for x in (operands[0], gradient))
    operands = [x.requires_grad_() for x in operands]
    samples = []
    for _ in range(options.calls + 1):
        begin = time.perf_counter_ns()
        torch.autograd.grad(layer.call(torch, *operands), operands, gradient)
        samples.append(time.perf_counter_ns() - begin)
    print(json.dumps(statistics.median(samples[1:]) / 1e3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem_run", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--filter", default="", help="Only layers whose names contain this.")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--torch", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.torch:
        return run_torch(options)
    ratios = []
    print(f"{'layer':34}{'tandem':>10}{'torch':>10}{'ratio':>8}")
    for layer in LAYERS:
        if options.filter not in layer.name:
            continue
        pairs = [(time_tandem(options, layer), time_torch(options, layer))
                 for _ in range(options.rounds)]
        own, other = map(min, zip(*pairs))
        ratios.append(own / other)
        print(f"{layer.name:34}{own:10.0f}{other:10.0f}{ratios[-1]:8.2f}", flush=True)
        if options.steps:
            print_steps(options, layer)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{'geometric mean':54}{mean:8.2f}")


if __name__ == "__main__":
    main()
