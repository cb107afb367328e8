#!/usr/bin/env python3
"""Runs the samples of PyTorch's own op tests (`op_db` of torch.testing) in each tier.

  PYTHONPATH=build/python:~/.cache/tandem/torch:~/.cache/tandem/onnx-tests \\
      utils/conformance/torch_ops.py                   # all listed ops
  utils/conformance/torch_ops.py --part=0/20           # one sample in twenty
  utils/conformance/torch_ops.py --all --update        # all ops; writes the list
  utils/conformance/torch_ops.py --gradients           # gradients, too

A sample is traced to a graph of ATen ops. If Tandem runs the whole graph, the results of
each tier are compared with those of torch. An op of op_db is covered in a dtype if the
table (python/tandem/torch/_table.py) has all ATen ops in the graphs of at least half of its
samples.
torch-ops.txt lists the covered ops and the samples that do not pass, with reasons. The
exit status is 1 if a sample passes no longer. Ops of which fewer than 95 % of the samples
pass are printed. Samples on complex, sparse or quantized tensors, with random numbers, or
with a size that the data decides are not counted.

With --gradients, samples run in float32 and float64, gradients with respect to all inputs
are compared, too, and the list is torch-gradients.txt.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import sys

import torch_list
from torch_list import TIERS
from torch_workers import Worker

# An op is printed if fewer than these per cent of its samples pass.
BOUND = 95


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also ops that are not listed")
    parser.add_argument("--gradients", action="store_true", help="compare gradients, too")
    parser.add_argument("--list", type=pathlib.Path)
    parser.add_argument("--ops", default="", help="a regular expression of names")
    parser.add_argument("--dtype", default="", help="one dtype, such as float32")
    parser.add_argument("--part", metavar="I/N", default="0/1",
                        help="the I-th of N parts of the samples, from 0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--threads", type=int, default=1, help="of torch, in each process")
    parser.add_argument("--results", type=pathlib.Path, help="append verdicts to this file; "
                        "ops whose verdicts the file has are not run again")
    parser.add_argument("--by-op", action="store_true", help="print a table of all ops")
    parser.add_argument("--reasons", type=int, default=0, metavar="N", help="print the N "
                        "most frequent reasons why samples do not pass")
    parser.add_argument("--update", action="store_true", help="write the list")
    options = parser.parse_args()
    name = "torch-gradients.txt" if options.gradients else "torch-ops.txt"
    options.list = options.list or pathlib.Path(__file__).with_name(name)
    options.part = tuple(map(int, options.part.split("/")))
    if options.update and options.part[1] != 1:
        parser.error("--update needs all samples: drop --part")
    return options


def selected(options, listed):
    """The (op, dtype) to run."""
    pairs = list(listed)
    if options.all:
        import torch_samples
        pairs = [(name, dtype) for name, op in torch_samples.OPS.items()
                 for dtype in torch_samples.dtypes_of(op, options.gradients)]
    return [(name, dtype) for name, dtype in pairs
            if re.search(options.ops, name) and options.dtype in ("", dtype)]


def read_results(path):
    """{(op, dtype): (total, {number: verdict})} of an earlier run."""
    if not path or not path.exists():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, dtype, total, verdicts = json.loads(line)
        found[name, dtype] = total, {int(number): v for number, v in verdicts.items()}
    return found


def run(pairs, options):
    """Adds the verdicts on samples of `pairs` to those of an earlier run."""
    found = read_results(options.results)
    file = options.results.open("a", encoding="utf-8") if options.results else None
    workers = queue.SimpleQueue()
    for _ in range(options.jobs):
        workers.put(Worker(options.threads, options.gradients))

    def judge(pair):
        worker = workers.get()
        try:
            return worker.judge(*pair, options.part)
        finally:
            workers.put(worker)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        missing = [pair for pair in pairs if pair not in found]
        for done in concurrent.futures.as_completed(
                pool.submit(judge, pair) for pair in missing):
            request = done.result()
            found[request.name, request.dtype] = request.total, request.verdicts
            if file:
                file.write(json.dumps([request.name, request.dtype, request.total,
                                       request.verdicts]) + "\n")
                file.flush()
    for _ in range(options.jobs):
        workers.get().stop()
    return {pair: found[pair] for pair in pairs}


def percent(passed, judged):
    return f"{100 * passed / judged:.1f} %" if judged else "-"


def print_table(covered, every):
    """A row for each op and dtype; without `every`, only for those below the bound."""
    rows = []
    for (name, dtype), (_, verdicts) in sorted(covered.items()):
        counts = torch_list.count(verdicts)
        below = any(100 * counts[tier] < BOUND * counts["judged"] for tier in TIERS)
        if every or below:
            rows.append((name, dtype, counts, verdicts))
    if rows:
        print(f"{'op':44}{'dtype':>9}{'samples':>9}{'eager':>8}{'compile':>9}"
              f"{'left':>6}{'wrong':>7}{'never':>7}")
    for name, dtype, counts, verdicts in rows:
        print(f"{name:44}{dtype:>9}{counts['judged']:9}{counts['eager']:8}"
              f"{counts['compile']:9}{counts['left']:6}{counts['wrong']:7}"
              f"{counts['never']:7}")
        print_reasons([verdicts], 3 if not every else 0, "    ")


def print_reasons(verdicts, most, indent=""):
    reasons = collections.Counter(
        torch_list.brief(v) for each in verdicts for v in each.values()
        if len(torch_list.tiers_passed(v)) < len(TIERS) and not v.startswith("never: "))
    for reason, number in reasons.most_common(most):
        print(f"{indent}{number:6} {reason}")


def print_totals(covered):
    total = collections.Counter()
    for _, verdicts in covered.values():
        total += torch_list.count(verdicts)
    names = {name for name, _ in covered}
    print(f"{len(names)} ops, {len(covered)} with their dtypes")
    for tier in TIERS:
        print(f"{tier}: {total[tier]} of {total['judged']} samples pass "
              f"({percent(total[tier], total['judged'])})")
    print(f"{total['left']} left to torch, {total['wrong']} wrong, {total['never']} not "
          "counted")


def lost(listed, found):
    """Lines about samples that pass no longer."""
    for pair, (total, verdicts) in found.items():
        if pair not in listed:
            continue
        was_total, was = listed[pair]
        if total != was_total:
            yield f"{' '.join(pair)} has {total} samples, not {was_total}"
        for number, verdict in verdicts.items():
            before = torch_list.tiers_passed(was.get(number, "pass"))
            if not before <= torch_list.tiers_passed(verdict):
                yield f"{' '.join(pair)} sample {number} passes no longer: {verdict[:400]}"


def update(path, listed, found):
    """Writes the list with what is found."""
    import torch
    made = {pair: each for pair, each in found.items() if torch_list.is_covered(each[1])}
    kept = {pair: each for pair, each in listed.items() if pair not in found}
    torch_list.write(path, {**kept, **made}, torch.__version__.partition("+")[0])


def main():
    options = parse_arguments()
    listed = torch_list.read(options.list)
    pairs = selected(options, listed)
    found = run(pairs, options)
    covered = {pair: each for pair, each in found.items()
               if pair in listed or torch_list.is_covered(each[1])}
    print_table(covered, options.by_op)
    print_reasons([verdicts for _, verdicts in covered.values()], options.reasons)
    print_totals(covered)
    if options.update:
        update(options.list, listed, found)
        return 0
    errors = list(lost(listed, found))
    errors += [f"{' '.join(pair)} is not in {options.list.name} (--update)"
               for pair in covered if pair not in listed]
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
