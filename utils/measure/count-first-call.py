#!/usr/bin/env python3
#===- count-first-call.py - Count what a first call starts -----------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Counts the processes, MLIR contexts, parses and disk look-ups of the calls
of a graph until it runs compiled. Several folders of programs can be compared:

    utils/measure/count-first-call.py build/bin [OTHER/bin ...]
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GRAPHS = HERE.parents[1] / "test" / "graphs"
CASES = {
    "conv1d_relu": "random:{}x100x1",
    "simplecnn": "random:{}x3x32x32",
}
# What is run one after another with the same cache: the first size of the
# batch, and the tier.
RUNS = {
    "eager": (4, "eager"),
    "compiled, no cache yet": (4, "auto"),
    "compiled, other entries in the cache": (5, "auto"),
    "from the cache": (5, "auto"),
}
EVENTS = ("process", "context", "graph parsed", "kernel parsed",
          "program looked up", "kernel looked up", "profile looked up")


def build_counter(folder):
    library = folder / "count-first-call.so"
    subprocess.run(["c++", "-O1", "-shared", "-fPIC", "-o", library,
                    HERE / "count-first-call.cpp", "-ldl"], check=True)
    return library


def count(programs, arguments, library, folder):
    """The events of a run, summed over its processes."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    environment = {
        **os.environ, "LD_PRELOAD": str(library), "TANDEM_COUNT_LOG": str(log),
        "TANDEM_CACHE_DIR": str(folder / "cache"), "TANDEM_DEVICE": "generic",
        "TANDEM_COMPILE_HELPER": str(programs / "tandem-compile-helper"),
        "LD_LIBRARY_PATH": str(programs.parent / "lib")
    }
    environment.pop("TANDEM_DISK_CACHE", None)
    subprocess.run([programs / "tandem-run", *arguments], check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    lines = log.read_text().splitlines()
    return collections.Counter(line.split(" ", 1)[1] for line in lines)


def count_runs(programs, graph, argument, library, folder):
    return [count(programs, [GRAPHS / f"{graph}.mlir",
                             f"--arg={argument.format(batch)}",
                             f"--tier={tier}", "--repeat=20000"],
                  library, folder) for batch, tier in RUNS.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("programs", nargs="+", type=pathlib.Path,
                        help="folder of tandem-run")
    arguments = parser.parse_args()
    width = max(map(len, EVENTS))
    with tempfile.TemporaryDirectory() as name:
        library = build_counter(pathlib.Path(name))
        for graph, argument in CASES.items():
            counts = [count_runs(programs.resolve(), graph, argument, library,
                                 pathlib.Path(tempfile.mkdtemp(dir=name)))
                      for programs in arguments.programs]
            for i, run in enumerate(RUNS):
                print(f"{graph}, {run}")
                for event in EVENTS:
                    print(f"  {event:{width}}",
                          *(f"{one[i][event]:4}" for one in counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
