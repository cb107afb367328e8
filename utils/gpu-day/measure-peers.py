#!/usr/bin/env python3
"""Measures what PyTorch and JAX take for the graphs of `tandem-bench gpu`.

  utils/gpu-day/measure-peers.py [--filter=REGEX] OUTPUT.json

Writes a file for `tandem-bench gpu --peers=…`: a time per call in microseconds
for each figure and framework, measured as tandem-bench does: 1,000 calls that
are enqueued and one wait, divided by their number, the median of seven samples;
inputs alternate where the second-level cache would hold them. f32 is computed
strictly, but for ResNet-50 in tf32. Frameworks that are not installed, and
graphs that one of them fails on, are left out (null), with the reason on
standard error.
"""

import argparse
import json
import os
import re
import statistics
import sys
import time

COLUMNS = ["torch eager", "torch.compile", "torch.compile, CUDA graphs", "jax"]
CALLS, SAMPLES, WARM_UP, BUDGET = 1000, 7, 20, 1.0


def per_call(call, wait):
    """The median time of a call in microseconds."""
    for number in range(WARM_UP):
        call(number)
    wait()
    start = time.perf_counter()
    call(0)
    wait()
    # No sample takes much longer than the budget.
    once = time.perf_counter() - start
    calls = max(20, min(CALLS, int(BUDGET / max(once, 1e-6))))
    samples = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        for number in range(calls):
            call(number)
        wait()
        samples.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(samples)


def first_results(call, wait, shapes):
    """The median time of a shape's first call in microseconds; the first of the
    shapes, which the framework itself starts with, does not count."""
    samples = []
    for shape in shapes:
        start = time.perf_counter()
        call(shape)
        wait()
        samples.append(1e6 * (time.perf_counter() - start))
    return statistics.median(samples[1:])


# Of a conv1d_relu: N and L.
NEW_SHAPES = [(10 + i, 50 + i) for i in range(5)]


class Torch:
    """The graphs as functions of tensors, in PyTorch."""

    def __init__(self):
        import torch
        import torch.nn.functional as functional
        self.torch, self.functional = torch, functional
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.manual_seed(1)

    def random(self, *shape):
        return self.torch.rand(*shape, device="cuda") * 2 - 1

    def inputs(self, make):
        """Sets of inputs that the second-level cache does not hold."""
        first = make()
        size = sum(t.numel() * t.element_size() for t in first)
        cache = self.torch.cuda.get_device_properties(0).L2_cache_size
        count = max(2, min(17, 2 * cache // max(size, 1) + 1))
        return [first] + [make() for _ in range(count - 1)]

    def cases(self):
        F, torch, random = self.functional, self.torch, self.random
        image = lambda *shape: lambda: [random(*shape)]
        matrix = image(4096, 4096)
        weights1d, weights2d = random(32, 1, 3), random(64, 3, 3, 3)
        scale, offset = random(4096), random(4096)
        yield ("conv1d_relu", lambda x: F.relu(F.conv1d(x, weights1d)),
               image(1000, 1, 100))
        yield ("conv2d", lambda x: F.conv2d(x, weights2d, padding=1),
               image(1, 3, 256, 256))
        for power in (10, 26):
            yield (f"chain8 2^{power}", self.chain8,
                   lambda: [random(2**power), random(2**power)])
        yield "softmax 4096x4096", lambda x: torch.softmax(x, 1), matrix
        yield ("layer norm 4096x4096",
               lambda x: F.layer_norm(x, [4096], scale, offset), matrix)
        yield ("transpose 4096x4096", lambda x: x.t().contiguous(), matrix)
        yield "simplecnn", self.simplecnn(), image(32, 3, 32, 32)

    @staticmethod
    def chain8(x, y):
        import torch
        z = torch.relu(torch.tanh(x * y + 1) - y) * 0.5
        return torch.exp(-z * z) + x

    def simplecnn(self):
        nn = self.torch.nn
        model = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(4096, 512), nn.ReLU(), nn.Linear(512, 10))
        return model.cuda().eval()

    def networks(self):
        """ResNet-50 in bf16 and tf32, channels last."""
        import torchvision
        torch = self.torch
        for name, dtype in [("bf16", torch.bfloat16), ("tf32", torch.float32)]:
            layout = dict(memory_format=torch.channels_last)
            model = torchvision.models.resnet50().cuda().eval().to(dtype)
            model = model.to(**layout)

            def make(dtype=dtype):
                return [self.random(32, 3, 224, 224).to(dtype).to(**layout)]

            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
            yield f"resnet_50 b32, {name}", model, make

    def tiers(self, function):
        """Eager, compiled, and compiled with CUDA graphs."""
        for mode in (None, "default", "reduce-overhead"):
            self.torch._dynamo.reset()
            yield (self.torch.compile(function, mode=mode, dynamic=False)
                   if mode else function)

    def measure(self, function, make):
        """The times of each tier."""
        sets = self.inputs(make)
        with self.torch.inference_mode():
            for tier in self.tiers(function):
                yield per_call(lambda i: tier(*sets[i % len(sets)]),
                               self.torch.cuda.synchronize)

    def measure_new_shapes(self):
        weights = self.random(32, 1, 3)
        inputs = [self.random(n, 1, l) for n, l in NEW_SHAPES]
        relu, conv1d = self.functional.relu, self.functional.conv1d
        with self.torch.inference_mode():
            for tier in self.tiers(lambda x: relu(conv1d(x, weights))):
                yield first_results(tier, self.torch.cuda.synchronize, inputs)


class Jax:
    """The same in JAX, jitted."""

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import numpy
        jax.config.update("jax_default_matmul_precision", "highest")
        self.jax, self.numpy = jax, numpy.random.default_rng(1)

    def random(self, *shape):
        values = self.numpy.uniform(-1, 1, shape).astype("float32")
        return self.jax.device_put(values)

    def functions(self):
        jax, np, lax = self.jax, self.jax.numpy, self.jax.lax
        w1, w2 = self.random(3, 1, 32), self.random(64, 3, 3, 3)
        k1, b1 = self.random(32, 3, 3, 3), self.random(32)
        k2, b2 = self.random(64, 32, 3, 3), self.random(64)
        w3, b3 = self.random(4096, 512), self.random(512)
        w4, b4 = self.random(512, 10), self.random(10)
        scale, offset = self.random(4096), self.random(4096)

        def conv(x, kernel, padding="SAME", dims=("NCHW", "OIHW", "NCHW")):
            strides = (1,) * (len(dims[0]) - 2)
            return lax.conv_general_dilated(x, kernel, strides, padding,
                                            dimension_numbers=dims)

        def pool(x):
            return lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2),
                                     (1, 1, 2, 2), "VALID")

        def chain8(x, y):
            z = jax.nn.relu(np.tanh(x * y + 1) - y) * 0.5
            return np.exp(-z * z) + x

        def simplecnn(x):
            for kernel, bias in ((k1, b1), (k2, b2)):
                x = pool(jax.nn.relu(conv(x, kernel) + bias[:, None, None]))
            x = jax.nn.relu(x.reshape(len(x), -1) @ w3 + b3)
            return x @ w4 + b4

        def layer_norm(x):
            centered = x - x.mean(1, keepdims=True)
            variance = (centered * centered).mean(1, keepdims=True)
            return centered * lax.rsqrt(variance + 1e-5) * scale + offset

        return {
            "conv1d_relu": (lambda x: jax.nn.relu(
                conv(x, w1, "VALID", ("NWC", "WIO", "NWC"))), [(1000, 100, 1)]),
            "conv2d": (lambda x: conv(x, w2), [(1, 3, 256, 256)]),
            "chain8 2^10": (chain8, [(2**10,)] * 2),
            "chain8 2^26": (chain8, [(2**26,)] * 2),
            "softmax 4096x4096": (lambda x: jax.nn.softmax(x, 1), [(4096, 4096)]),
            "layer norm 4096x4096": (layer_norm, [(4096, 4096)]),
            "transpose 4096x4096": (lambda x: x.T, [(4096, 4096)]),
            "simplecnn": (simplecnn, [(32, 3, 32, 32)]),
        }

    def measure_new_shapes(self):
        weights, jax = self.random(3, 1, 32), self.jax
        dims = ("NWC", "WIO", "NWC")
        jitted = jax.jit(lambda x: jax.nn.relu(jax.lax.conv_general_dilated(
            x, weights, (1,), "VALID", dimension_numbers=dims)))
        inputs = [self.random(n, l, 1) for n, l in NEW_SHAPES]
        return first_results(lambda x: jitted(x).block_until_ready(),
                             lambda: None, inputs)

    def measure(self, function, shapes):
        jitted = self.jax.jit(function)
        sets = [[self.random(*s) for s in shapes] for _ in range(2)]
        last = [None]

        def call(number):
            last[0] = jitted(*sets[number % 2])

        return per_call(call, lambda: last[0].block_until_ready())


NEW_SHAPE = "new conv1d_relu shape"


def torch_figures():
    """A name and a function that gives the times of each tier."""
    torch = Torch()
    for name, function, make in torch.cases():
        yield name, lambda: torch.measure(function, make)
    yield NEW_SHAPE, torch.measure_new_shapes
    for name, function, make in torch.networks():
        yield name, lambda: torch.measure(function, make)


def jax_figures():
    jax = Jax()
    for name, (function, shapes) in jax.functions().items():
        yield name, lambda: [jax.measure(function, shapes)]
    yield NEW_SHAPE, lambda: [jax.measure_new_shapes()]


def measure(framework, figures, column, wanted, done):
    """Puts what a framework takes into figures, from a column on."""
    try:
        for name, times in figures():
            if not wanted(name):
                continue
            row = done.setdefault(name, [None] * len(COLUMNS))
            try:
                for offset, us in enumerate(times()):
                    row[column + offset] = us
            except Exception as error:
                print(f"{framework}, {name}: {error}", file=sys.stderr)
            yield name
    except ImportError as error:
        print(f"{framework}: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--filter", default="")
    parser.add_argument("output")
    options = parser.parse_args()
    try:
        wanted = re.compile(options.filter).search
    except re.error as error:
        parser.error(f"--filter is no regular expression: {error}")
    if not os.access(os.path.dirname(options.output) or ".", os.W_OK):
        parser.error(f"{options.output} cannot be written")
    done = {}
    for framework, figures, column in (("torch", torch_figures, 0),
                                       ("jax", jax_figures, len(COLUMNS) - 1)):
        for name in measure(framework, figures, column, wanted, done):
            print(name, done[name], flush=True)
            # What is measured is kept if what follows is stopped.
            with open(options.output, "w", encoding="utf-8") as file:
                json.dump({"columns": COLUMNS, **done}, file, indent=2)
    if not done:
        sys.exit("nothing was measured")


if __name__ == "__main__":
    main()
