#!/usr/bin/env python3
"""Measures a training step of SimpleCNN with Adam and dropout beside PyTorch and JAX.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch:$cache/jax \\
    utils/measure/train-step.py --batches=1,8,32,64

Systems: `tandem` is tandem.training_step in mode auto, in the steady state; `torch` is
PyTorch eager; `inductor` compiles the model, and the optimizer is eager; `jax` jits the whole
step. Each system and batch size runs in a process of its own, and the processes take turns in
--rounds rounds. Times are geometric means over rounds with 95 % intervals. `first` is the time
of the first step, in which Inductor and JAX compile; Inductor's cache on the disk is empty
in the first round. For Tandem, the table also has e, c, C
and n*, the number of steps after which compiling pays (tandem.sweep).
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import train_peers
from tandem._format import format_ns, markdown_table
from tandem.bench._statistics import interval

STEPS = {"tandem": train_peers.tandem_step, "torch": train_peers.torch_step,
         "jax": train_peers.jax_step,
         "inductor": lambda *options: train_peers.torch_step(*options, backend="inductor")}


def measure(system, batch, options):
    """Runs in a process of its own: the times of the first step and of later ones."""
    random = np.random.default_rng(0)
    images = random.standard_normal((batch, 3, 32, 32)).astype(np.float32)
    labels = random.integers(0, 10, batch)
    step = STEPS[system](options.threads, options.dropout, 0)
    times, end = [], None
    while end is None or time.perf_counter() < end or len(times) < 20:
        start = time.perf_counter()
        step(images, labels)
        times.append(time.perf_counter() - start)
        if end is None:
            end = time.perf_counter() + options.warm_up + options.seconds
    steady = times[len(times) // 2:]
    result = {"first": times[0], "steady": statistics.median(steady)}
    if system == "tandem":
        result["tier"] = step.step.report().signatures[0].tier
    print(json.dumps(result))


def run(system, batch, options, cache):
    """Measures in a new process. `cache` is the folder of Inductor's cache."""
    command = [sys.executable, __file__, f"--worker={system}", f"--batches={batch}",
               f"--threads={options.threads}", f"--dropout={options.dropout}",
               f"--warm-up={options.warm_up}", f"--seconds={options.seconds}"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=os.environ | {"TORCHINDUCTOR_CACHE_DIR": cache})
    if done.returncode:
        raise SystemExit(f"{system}, batch {batch}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def sweep(batches, options):
    """e, c, C and n* of each batch size."""
    import tandem
    step = train_peers.tandem_step(options.threads, options.dropout, 0).step
    rows = tandem.sweep(step, n=batches, seconds=options.seconds)
    rows = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
    return {row["n"]: row for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", default="tandem,torch,inductor,jax")
    parser.add_argument("--batches", default="1,8,32,64")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=float, default=4)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--results", type=pathlib.Path, help="write the results as JSON")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    batches = [int(batch) for batch in options.batches.split(",")]
    if options.worker:
        return measure(options.worker, batches[0], options)
    systems = options.systems.split(",")
    costs = sweep(batches, options) if "tandem" in systems else {}
    results, rows = {}, []
    cache = tempfile.mkdtemp()
    for batch in batches:
        for _ in range(options.rounds):
            for system in systems:
                results.setdefault((batch, system), []).append(
                    run(system, batch, options, cache))
        for system in systems:
            rows.append(describe(batch, system, results, costs))
            print(*rows[-1], sep=" | ", flush=True)
    print(markdown_table(("batch", "system", "first step", "step", "95 % interval",
                          "of torch's", "tier, e, c, C, n*"), rows))
    shutil.rmtree(cache)
    if options.results:
        options.results.write_text(json.dumps(
            [{"batch": batch, "system": system, "rounds": each}
             for (batch, system), each in results.items()]
            + [{"batch": batch, **row} for batch, row in costs.items()]))
    return None


def describe(batch, system, results, costs):
    rounds = results[batch, system]
    time_of = interval([each["steady"] for each in rounds])
    cells = [batch, system, format_ns(1e9 * rounds[0]["first"]),
             format_ns(1e9 * time_of.mean),
             f"{format_ns(1e9 * time_of.low)}–{format_ns(1e9 * time_of.high)}"]
    ratios = [each["steady"] / other["steady"]
              for each, other in zip(rounds, results.get((batch, "torch"), []))]
    cells.append(f"{interval(ratios).mean:.2f}" if ratios else "")
    if system != "tandem":
        return [*cells, ""]
    row = costs[batch]
    n_star = "–" if row["n_star"] is None else f"{row['n_star']:,.0f} steps"
    return [*cells, f"{rounds[-1]['tier']}; {format_ns(1e9 * row['e'])}, "
            f"{format_ns(1e9 * row['c'])}, {format_ns(1e9 * row['C'])}, {n_star}"]


if __name__ == "__main__":
    main()
