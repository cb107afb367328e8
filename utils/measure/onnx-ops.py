#!/usr/bin/env python3
"""Measures single ONNX ops of public models, beside ONNX Runtime and OpenVINO.

  utils/measure/onnx-ops.py build/bin/tandem-run transposed-convolutions
  utils/measure/onnx-ops.py build/bin/tandem-run --filter=HiFi --rounds=5

The lists of shapes are in onnx_op_lists.py. For each shape: the largest difference from
ONNX Runtime's results in both tiers, as a multiple of their standard deviation; the
median time of a call in the eager tier, in the compiled tier and in both peers, which are
measured in turn, round by round, each in a new process; and two ratios, the time of the
faster peer over the time of each tier. `c/e` is the compiled over the eager time, with
the range of that ratio over the rounds. The time of a peer that does not run the model
is `inf`. The exit status is 1 where a model does not run,
or differs by more than a thousandth.

Needs the packages of utils/requirements/networks.txt, but for torch and torchvision.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx_op_lists import LISTS

PEERS = ["onnxruntime", "openvino"]
TIERS = ["eager", "compiled"]
PEER_SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "graphs" / "onnx_peers.py"
LARGEST_ERROR = 1e-3


class Case:
    """A model of one op: its file, its input, and whoever runs it."""

    def __init__(self, name, make, folder, options):
        self.name, self.folder, self.options = name, folder, options
        self.model, self.input = folder / "model.onnx", folder / "input.npy"
        model, value = make(numpy.random.default_rng(0))
        onnx.save(model, self.model)
        numpy.save(self.input, value)

    def run_peer(self, peer, seconds):
        """The result, and the median time of a call in ns."""
        output = self.folder / f"{peer}.npy"
        done = checked([sys.executable, PEER_SCRIPT, peer, self.model, self.input, output,
                        f"--threads={self.options.threads}", f"--seconds={seconds}"])
        return numpy.load(output), float(done.stdout)

    def run_tandem(self, tier, calls):
        report = self.folder / "time.jsonl"
        checked([self.options.tandem_run, self.model, f"--input=x={self.input}",
                 f"--tier={tier}", f"--threads={self.options.threads}",
                 f"--out-dir={self.folder / tier}", f"--json={report}",
                 f"--repeat={calls}"])
        record = json.loads(report.read_text().splitlines()[0])
        return (numpy.load(self.folder / tier / "output0.npy"),
                record["time_ns"]["median"])

    def time_of_peer(self, peer):
        """The median time of a call in ns; infinite where the peer has no such op."""
        try:
            return self.run_peer(peer, self.options.seconds)[1]
        except RuntimeError:
            return math.inf

    def errors(self):
        """The largest difference in each tier, by the spread of the results."""
        expected = self.run_peer(PEERS[0], 0)[0].astype(numpy.float64)
        spread = expected.std() or 1
        return [float(numpy.abs(self.run_tandem(tier, 1)[0] - expected).max() / spread)
                for tier in TIERS]

    def times(self):
        """For each round the times of both tiers and both peers, in ns."""
        seconds = self.options.seconds
        calls = {}
        for tier in TIERS:
            first = self.run_tandem(tier, 3)[1]
            calls[tier] = max(3, min(100000, round(seconds * 1e9 / first)))
        return [[self.run_tandem(tier, calls[tier])[1] for tier in TIERS]
                + [self.time_of_peer(peer) for peer in PEERS]
                for _ in range(self.options.rounds)]


def checked(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["?"])[-1])
    return done


def run_case(case, ratios):
    """Returns a row of the table, and whether all is well."""
    try:
        errors = case.errors()
        rounds = case.times()
    except RuntimeError as error:
        return [case.name, str(error)], False
    times = [statistics.median(column) for column in zip(*rounds)]
    of_eager, of_compiled = (min(times[2:]) / time for time in times[:2])
    shares = [compiled / eager for eager, compiled, *_ in rounds]
    ratios.append((case.name, of_eager, of_compiled))
    row = [case.name, *(f"{error:.0e}" for error in errors),
           *(f"{ns / 1e3:.1f}" for ns in times), f"{of_eager:.2f}", f"{of_compiled:.2f}",
           f"{statistics.median(shares):.2f} [{min(shares):.2f}, {max(shares):.2f}]"]
    return row, max(errors) < LARGEST_ERROR


def print_means(name, ratios):
    for column, tier in enumerate(TIERS, 1):
        of = {row[0]: row[column] for row in ratios}
        worst = min(of, key=of.get)
        print(f"{name}, {tier}: geometric mean {statistics.geometric_mean(of.values()):.2f}"
              f", least {of[worst]:.2f} ({worst})")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("lists", nargs="*", default=list(LISTS))
    parser.add_argument("--filter", default="", help="names that match this expression")
    parser.add_argument("--seconds", type=float, default=0.2,
                        help="how long to measure for each figure")
    parser.add_argument("--rounds", type=int, default=3,
                        help="figures for each time, of which it is the median")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_intermixed_args()
    print("\t".join(["op", *(f"{tier} error" for tier in TIERS),
                     *(f"{who} µs" for who in TIERS + PEERS),
                     *(f"peer/{tier}" for tier in TIERS), "c/e"]))
    good = []
    for name in options.lists:
        ratios = []
        for label, make in LISTS[name].items():
            if not re.search(options.filter, label):
                continue
            with tempfile.TemporaryDirectory() as folder:
                case = Case(label, make, pathlib.Path(folder), options)
                row, is_right = run_case(case, ratios)
            print("\t".join(row), flush=True)
            good.append(is_right)
        if ratios:
            print_means(name, ratios)
    print(f"{sum(good)} of {len(good)} run and agree")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
