#!/usr/bin/env python3
"""Fits the predictions of C, c and e to measurements."""

import argparse
import json
import pathlib
import subprocess
import sys
import time

import cost_graphs

UTILS = pathlib.Path(__file__).resolve().parent


def short(value):
    return float(f"{value:.4g}")


def spread(summary):
    return [short(summary[key]) for key in ("median", "p10", "p90")]


def cost(record):
    return {"total": spread(record["total"]),
            "phases": {name: short(phase["median"])
                       for name, phase in record["phases"].items()}}


def compact(name, graph, record):
    return {"name": name, "graph": graph, "inputs": record["inputs"],
            "dims": record["dims"], "threads": record["threads"],
            "eager": spread(record["eager_ns"]),
            "compiled": spread(record["compiled_ns"]),
            "verdict": record["verdict"],
            "kernels": record["compiled_kernels"],
            "steps": record["compiled_steps"],
            **{kind: cost(record[f"compile_{kind}_ns"])
               for kind in ("cold", "warm", "cached")}}


def sweep(options, file, dims):
    """The record of `tandem-bench sweep` for one shape."""
    command = [options.bin / "tandem-bench", "sweep", file, "--json=-",
               f"--seconds={options.seconds}", "--cold-runs=2"]
    command += [f"--vary={dims}"] if dims else []
    command += [f"--threads={options.threads}"] if options.threads else []
    lines = subprocess.run(command, check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return json.loads(next(line for line in lines if line.startswith("{")))


def measure(options):
    """Measures what the data lacks, until the time is up."""
    start = time.monotonic()
    known = set()
    if options.data.exists():
        known = {(record["name"], record["threads"]) for record in
                 map(json.loads, options.data.read_text().splitlines())}
    names = {name for name, threads in known
             if not options.threads or threads == options.threads}
    for name, graph, file, dims in cost_graphs.cases(options.graphs,
                                                     options.bin):
        if name in names:
            continue
        if time.monotonic() - start > options.limit:
            print(f"time is up; run again to measure the rest, from {name} on")
            return
        record = sweep(options, file, dims)
        with options.data.open("a") as out:
            out.write(json.dumps(compact(name, graph, record)) + "\n")
        print(name, f"{time.monotonic() - start:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["measure"])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=UTILS.parent / "build/bin")
    parser.add_argument("--graphs", type=pathlib.Path,
                        default=UTILS.parent / "build/compile-cost-graphs")
    parser.add_argument("--data", type=pathlib.Path,
                        default=UTILS / "compile-costs.jsonl")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--limit", type=float, default=1e9)
    options = parser.parse_args()
    measure(options)


if __name__ == "__main__":
    main()
