#!/usr/bin/env python3
"""Compares the error bounds of random graphs before and after a change.

usage: tandem-fuzz --bounds --count=20000 > before.txt
       tandem-fuzz --bounds --count=20000 > after.txt
       compare-bounds.py before.txt after.txt

For the tolerance of certificates and for the sampled error bounds, counts the
outputs whose bounds are equal, tighter, looser, and both. Outputs are looser if
a number (a factor of the tolerance, or a quantile of the bounds) is larger than
before by more than rounding. Prints the first outputs that are looser. Exit
status 1 if there are any, or if the two files have different outputs.
"""

import argparse
import collections
import sys

RELATIVE = 1e-9
TOLERANCE = ("elementwise", "normwise", "influenced", "near")


def read(path):
    """The fields of each line, by seed, output and type."""
    outputs = {}
    with open(path) as lines:
        for line in lines:
            fields = dict(field.split("=", 1) for field in line.split() if "=" in field)
            key = fields["seed"], fields.get("output"), fields.get("type")
            outputs[key] = fields
    return outputs


def numbers(fields, model):
    if model == "tolerance":
        return [float(fields.get(name, 0)) for name in TOLERANCE]
    # No bounds at all means that all of them are 0.
    return [float(x) for x in fields.get("quantiles", "0,0,0,0,0").split(",")]


def classify(before, after, model):
    if model == "sampled" and before.get("hash") == after.get("hash"):
        return "equal"
    pairs = list(zip(numbers(before, model), numbers(after, model)))
    looser = any(b > a and b > a * (1 + RELATIVE) for a, b in pairs)
    tighter = any(a > b and a > b * (1 + RELATIVE) for a, b in pairs)
    if looser:
        return "both" if tighter else "looser"
    return "tighter" if tighter else "equal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--show", type=int, default=5, help="looser outputs to print")
    args = parser.parse_args()
    before, after = read(args.before), read(args.after)
    isWorse = before.keys() != after.keys()
    if isWorse:
        print(len(before.keys() ^ after.keys()), "outputs are in one file only")
    for model in ("tolerance", "sampled"):
        counts, shown = collections.Counter(), 0
        for key in before.keys() & after.keys():
            result = classify(before[key], after[key], model)
            counts[result] += 1
            if result in ("looser", "both") and shown < args.show:
                shown += 1
                print(f"{model} {key}:", *numbers(before[key], model))
                print("  now:", *numbers(after[key], model))
        isWorse |= counts["looser"] + counts["both"] > 0
        print(f"{model}:", ", ".join(
            f"{counts[name]} {name}" for name in ("equal", "tighter", "looser", "both")))
    return 1 if isWorse else 0


if __name__ == "__main__":
    sys.exit(main())
