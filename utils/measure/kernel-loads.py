#!/usr/bin/env python3
"""Says how often a graph's CUDA kernels load, for each multiply-add.

usage: kernel-loads.py [--bin=BIN] [--most=LOADS] GRAPH.mlir[:DIMS,...] ...

Runs the graph on the fake driver, which counts the loads of its kernels as they
are executed, of up to 16 bytes each, and divides them by half of the kernels'
floating-point operations. DIMS are those of the inputs (1x256x256x3). Exit
status 1 where there are more than LOADS. Needs clang, but no GPU.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = "TANDEM_LIBCUDA", "TANDEM_NVRTC", "TANDEM_CUDNN", "TANDEM_CUBLASLT"


def run(folder, graph):
    """What tandem-run prints: the program, and behind it the loads."""
    path, _, dims = graph.partition(":")
    fake = folder.parent / "lib/libTandemFakeCUDA.so"
    command = [folder / "tandem-run", path, "--device=cuda", "--tier=compiled"]
    command += ["--program"] + [f"--arg=random:{d}" for d in dims.split(",") if d]
    environment = dict(os.environ, FAKE_CUDA_LOADS="1")
    environment.update(dict.fromkeys(LIBRARIES, str(fake)))
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return done.stdout, done.stderr


def loads_of(counts):
    """Loads from global and from shared memory, of all kernels."""
    found = re.findall(r"loads (\d+) times from global and (\d+) times", counts)
    if not found:
        sys.exit(f"no loads were counted\n{counts}")
    return [sum(map(int, column)) for column in zip(*found)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--most", type=float)
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    good = True
    print(f"{'graph':24} {'global':>12} {'shared':>12} a multiply-add")
    for graph in options.graphs:
        program, counts = run(options.bin, graph)
        flops = sum(map(int, re.findall(r"^  kernel .* (\d+) flops", program, re.M)))
        read, shared = loads_of(counts)
        ratio = (read + shared) * 2 / max(flops, 1)
        good &= options.most is None or ratio <= options.most
        name = pathlib.Path(graph.partition(":")[0]).stem
        print(f"{name:24} {read:12} {shared:12} {ratio:14.3f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
