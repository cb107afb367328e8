#!/usr/bin/env python3
"""Measures networks under torch eager, Inductor, OpenVINO and Tandem.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch:$cache/torch-peers \\
    utils/measure/torch-models.py                       # all networks, all systems
  … utils/measure/torch-models.py bert resnet18@8 --peers=eager,tandem

CASE is a network of utils/graphs/torch_networks.py, and @ with a batch other than one.
Each system runs in a process of its own with empty caches on disk. For each system: the
time of the first result, with tracing and compiling, in --processes processes; then, after
a warm-up, the median time of calls for --seconds, in --rounds rounds in which the systems
take turns. Numbers are geometric means over processes or rounds, with 95 % intervals if
there are at least three. The ratio is the time of the faster of torch eager and Inductor
over Tandem's. The error is the largest difference from torch eager, as a multiple of the
root mean square of the result.

Results are written to --folder, a file for each case. With --continue, cases that have a
file are not measured again; --table only prints the table of all files. --page=FILE
writes the table between the comments "<!-- torch-models: begin -->" and
"<!-- torch-models: end -->" of a page. The exit status is 1 if Tandem fails on a case, or
if its error is more than --tolerance.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import sys

from tandem._format import format_ns, markdown_table, text_table
from tandem.bench._peers import PEERS
from tandem.bench._process import Failure, Process
from tandem.bench._result import fallbacks
from tandem.bench._statistics import interval

import torch_page
from torch_page import ratio_cell

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORKS = ROOT / "utils/graphs/torch_networks.py"
# The ratio compares Tandem with the faster of these.
BEST = ["eager", "inductor"]
BATCHES = ["resnet18@8", "efficientnet_b0@8", "deit_tiny_patch16_224@8", "bert@8"]


def default_cases():
    sys.path.insert(0, str(NETWORKS.parent))
    import torch_networks
    return [*torch_networks.NETWORKS, *BATCHES]


class Case:
    """A network at a batch in several systems."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        network, _, batch = name.partition("@")
        self.job = {"model": {"factory": f"{NETWORKS}:make",
                              "arguments": [network, int(batch or 1)]},
                    "threads": options.threads, "inputs": None, "seed": 0}
        self.results = {peer: {"first": [], "rounds": [], "relative_error": 0.0}
                        for peer in options.peers}

    def attempt(self, peer, command, process, **arguments):
        """The answer of a process; None after an error, which becomes the result."""
        result = self.results[peer]
        try:
            answer = process.ask(command, **arguments)
        except Failure as failure:
            result["error"] = str(failure)
            return None
        result["relative_error"] = max(result["relative_error"],
                                       answer.get("relative_error", 0.0))
        result["counts"] = answer.get("counts", result.get("counts"))
        return answer

    def start(self, peer):
        """A process that has made its first call; None after an error."""
        try:
            process = Process(self.job | {"peer": peer}, timeout=self.options.timeout)
        except Failure as failure:
            self.results[peer]["error"] = str(failure)
            return None
        answer = self.attempt(peer, "first", process)
        if answer is None:
            process.close()
            return None
        self.results[peer]["first"].append(answer["ns"])
        return process

    def measure(self):
        """Measures all systems, and returns what is written to the file."""
        for _ in range(self.options.processes - 1):
            for peer in self.options.peers:
                if process := self.start(peer):
                    process.close()
        with contextlib.ExitStack() as stack:
            running = {}
            for peer in self.options.peers:
                if process := self.start(peer):
                    running[peer] = stack.enter_context(process)
            self.measure_calls(running)
        return {"case": self.name, "machine": torch_page.machine(),
                "threads": self.options.threads, "systems": self.results}

    def measure_calls(self, running):
        """The steady state of systems that have made their first calls."""
        running = {peer: process for peer, process in running.items()
                   if self.attempt(peer, "warm_up", process, seconds=self.options.warm_up)}
        for number in range(self.options.rounds):
            # Neither of two neighbors always runs first.
            order = list(running)[::-1 if number % 2 else 1]
            for peer in order:
                answer = self.attempt(peer, "block", running[peer],
                                      seconds=self.options.seconds)
                if answer is None:
                    del running[peer]
                else:
                    self.results[peer]["rounds"].append(statistics.median(answer["times"]))


def time_cell(samples):
    """A time, with half the width of its interval in percent."""
    if not samples:
        return "–"
    mean, low, high = interval(samples)
    spread = f" ±{50 * (high - low) / mean:.0f} %" if low else ""
    return format_ns(mean) + spread


def speedups(systems, peers):
    """For each round, the time of the fastest of `peers` over Tandem's; empty if one of
    them has not been measured."""
    rounds = {peer: systems.get(peer, {}).get("rounds", []) for peer in [*peers, "tandem"]}
    others = [rounds[peer] for peer in peers if rounds[peer]]
    if not others or not rounds["tandem"]:
        return []
    best = min(others, key=lambda samples: interval(samples).mean)
    return [theirs / mine for theirs, mine in zip(best, rounds["tandem"])]


def remarks(systems):
    """Errors and fallbacks of all systems."""
    for peer, result in systems.items():
        if "error" in result:
            yield f"{PEERS[peer].title}: {result['error']}"
        elif result.get("counts"):
            yield from (f"{PEERS[peer].title} {text}" for text in fallbacks(result["counts"]))


def row(record, peers):
    """The cells of a case."""
    systems = record["systems"]

    def times(key):
        return [time_cell(systems.get(peer, {}).get(key, [])) for peer in peers]

    error = systems.get("tandem", {}).get("relative_error")
    return [record["case"], *times("first"), *times("rounds"),
            ratio_cell(speedups(systems, BEST)), ratio_cell(speedups(systems, ["eager"])),
            "–" if error is None else f"{error:.1e}", "; ".join(remarks(systems))]


def summary(records):
    """The geometric mean of all cases, and those that Tandem makes slower."""
    best = [ratios for each in records if (ratios := speedups(each["systems"], BEST))]
    slower = [each["case"] for each in records
              if (ratios := speedups(each["systems"], ["eager"])) and interval(ratios).mean < 1]
    text = f"Slower than torch eager: {', '.join(slower) or 'none'}."
    if best:
        means = [statistics.geometric_mean(column) for column in zip(*best)]
        text = f"Geometric mean of the ratios of {len(best)} cases: {ratio_cell(means)}. {text}"
    if records:
        last = records[-1]
        text += f" {last['threads']} threads.\n{torch_page.describe(last['machine'])}"
    return text


def table(files):
    """The head and the rows of the table of files, and sentences below the table."""
    records = [json.loads(file.read_text("utf-8")) for file in files]
    peers = [peer for peer in PEERS if any(peer in each["systems"] for each in records)]
    titles = [PEERS[peer].title for peer in peers]
    head = ["network", *(f"{title}, first" for title in titles),
            *(f"{title}, call" for title in titles), "ratio", "eager / Tandem", "error",
            "fallbacks and failures"]
    return head, [row(each, peers) for each in records], summary(records)


def is_right(file, tolerance):
    result = json.loads(file.read_text("utf-8"))["systems"].get("tandem", {})
    return "error" not in result and result.get("relative_error", 0.0) <= tolerance


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--peers", type=lambda text: text.split(","),
                        default=["eager", "inductor", "openvino", "tandem"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--warm-up", type=float, default=5)
    parser.add_argument("--timeout", type=float, default=1800)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("torch-models"))
    parser.add_argument("--continue", action="store_true", dest="is_continued")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    for peer in options.peers:
        if peer not in PEERS:
            parser.error(f"there is no system '{peer}': {', '.join(PEERS)}")
    return options


def main():
    options = parse()
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = options.cases or default_cases()
    for name in cases:
        file = options.folder / f"{name}.json"
        if options.table or (options.is_continued and file.exists()):
            continue
        record = Case(name, options).measure()
        # A file is whole, also if the script is stopped.
        draft = file.with_suffix(".part")
        draft.write_text(json.dumps(record) + "\n", "utf-8")
        draft.replace(file)
        print(text_table(*table([file])[:2], left=True), flush=True)
    files = [file for name in cases if (file := options.folder / f"{name}.json").exists()]
    head, rows, below = table(files)
    text = f"{markdown_table(head, rows)}\n{below}\n"
    print(text)
    if options.page:
        torch_page.replace_part(options.page, "torch-models", text)
    return 0 if all(is_right(file, options.tolerance) for file in files) else 1


if __name__ == "__main__":
    sys.exit(main())
