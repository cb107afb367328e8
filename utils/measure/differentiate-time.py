#!/usr/bin/env python3
"""Measures the pass tandem-differentiate on ResNet-50 with respect to all weights.

  utils/measure/differentiate-time.py build

The graph is build/share/tandem/graphs/resnet_50_nhwc.outline.mlir, with its constants as
arguments, for a batch of 32. Prints the ops before and after the pass, and the smallest
time of several runs, without the verifier of MLIR.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

CONSTANT = re.compile(r"^ *(%\w+) = tandem\.constant dense_resource<\w+> : (tensor<[^>]*>)\n", re.M)
TIME = re.compile(r"^ *([0-9.]+) .*TandemDifferentiate", re.M)
RUNS = 7


def with_arguments(text):
    """The graph for a batch of 32, whose weights are arguments."""
    weights = "".join(f", {name}: {kind}" for name, kind in CONSTANT.findall(text))
    text = CONSTANT.sub("", text).replace("?", "32").split("{-#")[0]
    return re.sub(r"\{tandem\.dims = [^}]*\}\)", weights + ")", text, count=1)


def run(opt, path, *options):
    done = subprocess.run([opt, path, *options], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def count_ops(text):
    return len(re.findall(r"\btandem\.\w+ ", text))


def main():
    (build,) = map(pathlib.Path, sys.argv[1:])
    opt = build / "bin/tandem-opt"
    graph = build / "share/tandem/graphs/resnet_50_nhwc.outline.mlir"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "step.mlir"
        path.write_text(with_arguments(graph.read_text()))
        before, _ = run(opt, path)
        options = ["--tandem-differentiate=seed=true", "--verify-each=0"]
        after, _ = run(opt, path, *options)
        times = [float(TIME.search(run(opt, path, *options, "--mlir-timing",
                                       "--mlir-timing-display=list", "-o", "/dev/null")[1])[1])
                 for _ in range(RUNS)]
    print(f"{count_ops(before)} ops, {count_ops(after)} with the gradients; tandem-differentiate "
          f"takes {1000 * min(times):.1f} ms")


if __name__ == "__main__":
    main()
