#!/usr/bin/env python3
"""Says what each CUDA kernel of a graph takes of a multiprocessor.

usage: kernel-occupancy.py [--bin=BIN] [--gpu=SPEC] [--least=PERCENT]
                           GRAPH.mlir[:SHAPES] ...

For each kernel that tandem-translate emits: registers, shared memory and
spills, as ptxas tells them, and the theoretical occupancy, which is the share
of a multiprocessor's threads that can be resident. SHAPES are as
tandem-translate's --shapes takes them. SPEC is a name in utils/gpu-specs
(sm_90_h200). Exit status 1 where a kernel spills or is below PERCENT. Needs
NVRTC and ptxas (CUDAToolkit_ROOT).
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLKIT = pathlib.Path(os.environ.get("CUDAToolkit_ROOT", "/usr/local/cuda"))

# Of compute capabilities 8.0 to 10.0 (CUDA C++ Programming Guide).
REGISTERS = 65536
REGISTERS_AT_ONCE = 256  # allocated for a warp
BLOCKS = 32  # resident on a multiprocessor
SHARED_OF_SYSTEM = 1024  # bytes of each block


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def translate(tool, graph, gpu, form):
    path, _, shapes = graph.partition(":")
    command = [tool, f"--tandem-to-{form}", f"--gpu={gpu}", path]
    return run(*command, *([f"--shapes={shapes}"] if shapes else []))


def threads_of(source):
    """Threads of a block, by kernel."""
    pattern = r"of (\d+) threads\.\n[^(]*?(?:\([\d, ]+\)[^(]*)?void (\w+)\("
    return {name: int(count) for count, name in re.findall(pattern, source)}


def resources_of(ptx, arch):
    """Registers, bytes of shared memory and bytes of spills, by kernel."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.ptx"
        path.write_text(ptx)
        log = run(TOOLKIT / "bin/ptxas", "-v", f"-arch={arch}", path, "-o", path)
    result = {}
    for part in log.split("Compiling entry function '")[1:]:
        shared = re.search(r"(\d+) bytes smem", part)
        result[part.split("'")[0]] = (
            int(re.search(r"Used (\d+) registers", part)[1]),
            int(shared[1]) if shared else 0,
            sum(map(int, re.findall(r"(\d+) bytes spill", part))),
        )
    return result


def occupancy(spec, threads, registers, shared):
    warps = -(-threads // 32)
    of_warp = -(-registers * 32 // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
    memory = spec["shared_memory_per_multiprocessor_bytes"]
    blocks = min(
        BLOCKS,
        spec["max_threads_per_multiprocessor"] // (warps * 32),
        REGISTERS // of_warp // warps,
        memory // (shared + SHARED_OF_SYSTEM),
    )
    return 100 * blocks * warps * 32 // spec["max_threads_per_multiprocessor"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--gpu", default="sm_90_h200")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    specs = {path.stem: path for path in (ROOT / "utils/gpu-specs").glob("*.json")}
    if options.gpu not in specs:
        parser.error(f"--gpu: no '{options.gpu}' (there are {', '.join(sorted(specs))})")
    spec = json.loads(specs[options.gpu].read_text())
    tool = options.bin / "tandem-translate"
    good = True
    print(f"{'kernel':40} threads registers shared spills occupancy")
    for graph in options.graphs:
        threads = threads_of(translate(tool, graph, options.gpu, "cuda"))
        ptx = translate(tool, graph, options.gpu, "ptx")
        for name, (registers, shared, spills) in resources_of(
            ptx, spec["arch"]
        ).items():
            share = occupancy(spec, threads[name], registers, shared)
            good &= spills == 0 and share >= options.least
            title = f"{pathlib.Path(graph.partition(':')[0]).stem} {name}"
            print(
                f"{title:40} {threads[name]:7} {registers:9} {shared:6} "
                f"{spills:6} {share:7} %"
            )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
