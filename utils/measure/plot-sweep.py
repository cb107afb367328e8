#!/usr/bin/env python3
"""Draws when compiling pays, from what tandem-bench sweep has measured.

  build/bin/tandem-bench sweep resnet50.onnx --vary 'batch=1,2,4,8' --json=resnet50.jsonl
  utils/measure/plot-sweep.py resnet50.jsonl --output=resnet50.png

On the left the total time of n calls by size: eager, n times e, and compiled,
C (warm) and n times c. They meet at n*, which is marked. On the right the time
of a call, with the 10th and the 90th percentile.

Needs the packages of utils/measure/fit-requirements.txt.
"""

import argparse
import json
import sys

EAGER, COMPILED = "eager_ns", "compiled_ns"


def read(path):
    """The records of a sweep, and the name of the dim that is varied."""
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.strip()]
    records = [record for record in records if record.get("dims")]
    varied = {tuple(record["dims"]) for record in records}
    if len(varied) != 1 or len(next(iter(varied))) != 1:
        raise ValueError(f"{path}: not a sweep over the sizes of one dim")
    return records, next(iter(varied))[0]


def draw_break_even(axis, record, label, color):
    from numpy import geomspace
    eager, compiled = record[EAGER]["median"], record[COMPILED]["median"]
    cost = record["compile_warm_ns"]["total"]["median"]
    crossing = record["break_even_calls"]
    calls = geomspace(1, 10 * crossing if crossing else 1000, 200)
    axis.loglog(calls, calls * eager / 1e9, "--", color=color, lw=1)
    axis.loglog(calls, (cost + calls * compiled) / 1e9, color=color, lw=1.5,
                label=label + (f": n* = {crossing}" if crossing else ": never"))
    if crossing:
        axis.plot([crossing], [crossing * eager / 1e9], "o", color=color, ms=5)


def draw_times(axis, records, dim):
    from matplotlib.ticker import ScalarFormatter
    sizes = [str(record["dims"][dim]) for record in records]
    for key, label, style in [(EAGER, "eager, e", "o--"),
                              (COMPILED, "compiled, c", "o-")]:
        median = [record[key]["median"] / 1e6 for record in records]
        spread = [[abs(record[key][end] - record[key]["median"]) / 1e6
                   for record in records] for end in ("p10", "p90")]
        axis.errorbar(sizes, median, yerr=spread, fmt=style, capsize=3,
                      label=label)
    axis.set(xlabel=dim, ylabel="ms per call", yscale="log")
    axis.yaxis.set_major_formatter(ScalarFormatter())
    axis.yaxis.set_minor_formatter(ScalarFormatter())
    axis.legend()


def draw(records, dim, title, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(11, 4.2), layout="constrained",
        gridspec_kw={"width_ratios": [3, 2]})
    for i, record in enumerate(records):
        draw_break_even(left, record, f"{dim} {record['dims'][dim]}", f"C{i}")
    left.set(xlabel="calls", ylabel="seconds in all",
             title=f"{title}: eager (dashed), compiled")
    left.legend()
    draw_times(right, records, dim)
    right.set_title(f"{records[0]['cpu_model']}, {records[0]['threads']} threads")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", help="what --json of the sweep has written")
    parser.add_argument("--output", required=True, help="a .png or .svg file")
    parser.add_argument("--title", help="default: the graph's file")
    options = parser.parse_args()
    try:
        records, dim = read(options.results)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    title = options.title or records[0]["graph"].rsplit("/", 1)[-1]
    draw(records, dim, title, options.output)


if __name__ == "__main__":
    main()
