#!/usr/bin/env python3
"""Measures training steps under torch eager, Inductor and Tandem.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch utils/measure/torch-training.py
  … utils/measure/torch-training.py simplecnn@32 --systems=eager,step

Systems: `eager` is torch; `inductor` and `tandem` are torch.compile of the model with the
loss, and the optimizer in torch; `step` is tandem.torch.training_step. Each system runs in
a process of its own, and the processes take turns in --rounds rounds. For each system: the
time of the first step, with tracing and compiling, and the median time of a step in the
steady state, after steps for --warm-up seconds. Times are geometric means over rounds, with
95 % intervals. The ratio is the time of torch eager over that of the system.

--results=FILE keeps the results of each network; those that the file has are not measured
again. --page=FILE writes the table between the comments "<!-- torch-training: begin -->" and
"<!-- torch-training: end -->" of a page. The exit status is 1 if a system fails, or if
Tandem's loss after 20 steps is not that of torch eager within --tolerance. (Inductor draws
other masks of dropout.)
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

from tandem._format import format_ns, markdown_table
from tandem.bench._statistics import interval

import torch_page
import training_networks

SYSTEMS = ["eager", "inductor", "tandem", "step"]
# The loss of this step is compared.
COMPARED = 20


def make_step(system, name):
    """A function that makes a step and returns the loss."""
    import torch

    network, optimizer, (x, target) = training_networks.make(name)
    loss = training_networks.loss
    if system == "step":
        import tandem.torch
        step = tandem.torch.training_step(network, loss, optimizer, fallback="error")
        return lambda: step(x, target)
    if system == "tandem":
        import tandem.torch  # noqa: F401
    options = {"options": {"fallback": "error"}} if system == "tandem" else {}

    def forward(x, target):
        return loss(network(x), target)

    if system != "eager":
        forward = torch.compile(forward, backend=system, **options)

    def step():
        optimizer.zero_grad(set_to_none=True)
        value = forward(x, target)
        value.backward()
        optimizer.step()
        return value.detach()

    return step


def serve(system, name, threads):
    """Answers lines on stdin: a number of seconds to make steps for."""
    import torch

    torch.set_num_threads(threads)
    step = make_step(system, name)
    start = time.perf_counter_ns()
    losses = [float(step())]
    print(json.dumps({"ns": time.perf_counter_ns() - start}), flush=True)
    while len(losses) < COMPARED:
        losses.append(float(step()))
    for line in sys.stdin:
        end, times = time.perf_counter() + float(line), []
        while not times or time.perf_counter() < end:
            start = time.perf_counter_ns()
            step()
            times.append(time.perf_counter_ns() - start)
        print(json.dumps({"ns": statistics.median(times), "loss": losses[-1]}), flush=True)


class Server:
    """A process that makes steps."""

    def __init__(self, system, name, threads):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, name, "--serve", system,
             f"--threads={threads}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.first = self._answer()["ns"]

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended with {self.process.wait()}")
        return json.loads(line)

    def run(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        return self._answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def measure(name, options):
    """{system: first, rounds, loss} of a network."""
    results = {}
    with contextlib.ExitStack() as stack:
        running = {}
        for system in options.systems:
            running[system] = stack.enter_context(Server(system, name, options.threads))
            results[system] = {"first": running[system].first, "rounds": []}
            running[system].run(options.warm_up)
        for number in range(options.rounds):
            for system in list(running)[::-1 if number % 2 else 1]:
                answer = running[system].run(options.seconds)
                results[system]["rounds"].append(answer["ns"])
                results[system]["loss"] = answer["loss"]
    return results


def cell(samples):
    mean, low, high = interval(samples)
    spread = f" ±{50 * (high - low) / mean:.0f} %" if low else ""
    return format_ns(mean) + spread


def row(name, results, systems):
    eager = results.get("eager", {}).get("rounds")
    ratios = [f"{interval(eager).mean / interval(results[s]['rounds']).mean:.2f}"
              if eager else "–" for s in systems if s != "eager"]
    return [name, *(format_ns(results[s]["first"]) for s in systems),
            *(cell(results[s]["rounds"]) for s in systems), *ratios]


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(training_networks.NETWORKS))
    parser.add_argument("--systems", type=lambda text: text.split(","), default=SYSTEMS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--warm-up", type=float, default=10)
    parser.add_argument("--tolerance", type=float, default=1e-2)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--serve", choices=SYSTEMS, help=argparse.SUPPRESS)
    return parser.parse_args()


def all_results(options):
    """(name, results) of each network, measured or from a file."""
    file = options.results
    known = {}
    if file and file.exists():
        known = dict(map(json.loads, file.read_text("utf-8").splitlines()))
    for name in options.cases or list(training_networks.NETWORKS):
        results = known.get(name) or measure(name, options)
        if file and name not in known:
            with file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps([name, results]) + "\n")
        yield name, results


def main():
    options = parse()
    if options.serve:
        serve(options.serve, options.cases[0], options.threads)
        return 0
    systems, rows, wrong = options.systems, [], []
    head = ["network", *(f"{s}, first" for s in systems), *(f"{s}, step" for s in systems),
            *(f"eager / {s}" for s in systems if s != "eager")]
    for name, results in all_results(options):
        rows.append(row(name, results, systems))
        print(" | ".join(rows[-1]), flush=True)
        expected = results.get("eager", {}).get("loss")
        wrong += [f"{name}: the loss of {s} is {r['loss']}, and that of torch {expected}"
                  for s, r in results.items() if expected is not None and s != "inductor"
                  and not abs(r["loss"] - expected) <= options.tolerance * abs(expected)]
    text = (f"{markdown_table(head, rows)}\n{options.threads} threads.\n"
            f"{torch_page.describe(torch_page.machine())}\n")
    print(text, *wrong, sep="\n")
    if options.page:
        torch_page.replace_part(options.page, "torch-training", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
