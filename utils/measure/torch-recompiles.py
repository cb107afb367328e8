#!/usr/bin/env python3
"""Measures what a new batch size costs: recompiles of Dynamo, and the first result.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch:$cache/torch-peers \\
    utils/measure/torch-recompiles.py

ResNet-18 is called twice with each of 20 batch sizes, under torch eager, under Tandem, and
under Tandem with `torch._dynamo.decorators.mark_unbacked(x, 0, min=1)`, each in --repeats
processes, in turn. Without the minimum, Dynamo breaks the graph at each batch norm. The
ratio is the time of the first call with a size over that in torch eager, as a geometric
mean over processes. Its median is that of the sizes whose first call traces nothing: all
but the first two.
"""

import argparse
import pathlib
import statistics
import sys

from tandem._format import text_table
from tandem.bench import stream
from tandem.bench._statistics import interval

import torch_page

NETWORKS = pathlib.Path(__file__).resolve().parents[1] / "graphs/torch_networks.py"
PEERS = ("eager", "tandem", "tandem-unbacked")


def ratios(row, eager, call):
    """For each process, the time of a call over that in torch eager."""
    return [mine[call] / other[call] for mine, other in zip(row.times, eager.times)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")],
                        default=list(range(1, 21)))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path, help="write all times to a file")
    options = parser.parse_args()
    result = stream(f"{NETWORKS}:make_resnet18",
                    [(n, 3, 224, 224) for n in options.sizes for _ in range(2)],
                    peers=PEERS, repeats=options.repeats, threads=options.threads)
    print(result, end="\n\n")
    if options.json:
        result.save(options.json)
    if not all(row.times for row in result.rows):
        return 1
    eager, *others = result.rows
    of = [[ratios(row, eager, 2 * number) for number in range(len(options.sizes))]
          for row in others]
    print(text_table(["batch", *(row.title for row in others)],
                     [[size, *map(torch_page.ratio_cell, each)]
                      for size, each in zip(options.sizes, zip(*of))]))
    for row, each in zip(others, of):
        print(f"{row.title}: {max(c['recompiles'] for c in row.counts)} recompiles; first "
              f"result of a new size over torch eager's, median "
              f"{statistics.median(interval(r).mean for r in each[2:]):.2f}")
    return 0 if all(row.agrees for row in result.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
