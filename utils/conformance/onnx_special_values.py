#!/usr/bin/env python3
"""Runs ONNX ops on infinities and NaN, in every tier.

  utils/conformance/onnx_special_values.py build/bin/tandem-run
  utils/conformance/onnx_special_values.py build/bin/tandem-run --part=0/10
  utils/conformance/onnx_special_values.py build/bin/tandem-run --filter='^Resize'
  … --values       # computes the expected values; needs onnxruntime
  … --update       # runs, and rewrites the verdicts

special_value_cases.py says what is run: each case of an op, with an infinity or
NaN in one element of one operand. onnx-special-values.txt has a line for each:
a name, a verdict, and which elements of the results ONNX Runtime computes to
something else than without the special value. special_value_rules.py names what
ONNX Runtime has wrong, and what ONNX leaves open. A verdict is

  pass               every tier agrees: the same elements are NaN, inf and -inf,
                     and the others are equal within the tolerance of the case;
  open: REASON       the tiers differ in what ONNX leaves open;
  refused: MESSAGE   a message instead of a result;
  none: REASON       there is no value to compare with;
  wrong: TIER: WHAT  the rest.

The exit status is 1 where a verdict is neither `pass` nor the one that is listed,
and where all is run, if a rule of special_value_rules.py explains nothing.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import sys
import warnings
import zlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
# Not this folder's onnx.py, which has the package's name.
sys.path = [p for p in sys.path if pathlib.Path(p or ".").resolve() != HERE]
import onnx  # noqa: E402,F401
sys.path.append(str(HERE))
import onnx_cases  # noqa: E402
from run_model import run_model  # noqa: E402
import special_value_cases  # noqa: E402
import special_value_results  # noqa: E402
import special_value_rules  # noqa: E402

TIERS = ["reference", "eager", "compiled"]
LIST = HERE / "onnx-special-values.txt"
# Variants that run as one model.
AT_ONCE = 48


# The list -----------------------------------------------------------------------


def read_list():
    """{name: (verdict, expected changes)}."""
    if not LIST.exists():
        return {}
    rows = [line.split("\t") for line
            in LIST.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")]
    return {name: (verdict, text) for name, verdict, text in rows}


def write_list(rows, order):
    text = ("# An infinity or NaN in one element of an operand: the verdict, and"
            " what it changes. Written by\n# onnx_special_values.py.\n")
    for name in order:
        if name in rows:
            text += "\t".join([name, *rows[name]]) + "\n"
    LIST.write_text(text, encoding="utf-8")


# Running ------------------------------------------------------------------------


def run_models(tandem_run, variants, tier):
    """The outputs of each of some variants that run as one model, or a
    message."""
    model, inputs = special_value_cases.merge(
        [variant.instance() for variant in variants])
    inputs = {key: onnx_cases.storable(value) for key, value in inputs.items()}
    results = run_model(tandem_run, model, inputs, tier)
    if isinstance(results, str):
        return re.sub(r"^.*?error: ", "", results)[:160]
    values = iter(results)
    return [[onnx_cases.stored(next(values)) for _ in variant.case.outputs]
            for variant in variants]


def run(tandem_run, variants, tier):
    """{name: outputs or a message}. Where all do not run as one model, each
    half does."""
    results = run_models(tandem_run, variants, tier)
    if not isinstance(results, str):
        return dict(zip((variant.name for variant in variants), results))
    if len(variants) == 1:
        return {variants[0].name: results}
    half = len(variants) // 2
    return {**run(tandem_run, variants[:half], tier),
            **run(tandem_run, variants[half:], tier)}


def groups_of(variants):
    """Variants that can be parts of one model."""
    groups = collections.defaultdict(list)
    for variant in variants:
        groups[special_value_cases.domains_of(variant.case.model)].append(
            variant)
    for group in groups.values():
        for i in range(0, len(group), AT_ONCE):
            yield group[i:i + AT_ONCE]


def verdict(variant, expected, results):
    """`results` are outputs or a message by tier."""
    outputs = special_value_results.expected_outputs(variant.case, expected)
    rules = set()
    for tier, result in results.items():
        if isinstance(result, str):
            return ("refused: " + result if tier == TIERS[0]
                    else f"wrong: {tier}: {result}"), rules
        why, used = special_value_results.difference(variant, result, outputs)
        rules |= used
        if why:
            return f"wrong: {tier}: {why}", rules
    return ("open: " + "; ".join(sorted(rule.reason for rule in rules))
            if rules else "pass"), rules


def check_group(options, variants, expected):
    """{name: (verdict, rules)}."""
    results = {tier: run(options.tandem_run, variants, tier)
               for tier in options.tiers.split(",")}
    return {variant.name: verdict(
        variant, expected[variant.name],
        {tier: found[variant.name] for tier, found in results.items()})
            for variant in variants}


def check(options, variants, known):
    """Returns the verdicts and the rules that were needed."""
    expected = {name: text for name, (_, text) in known.items()}
    verdicts, rules = {}, set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(
                lambda group: check_group(options, group, expected),
                groups_of(variant for variant in variants if not
                          known[variant.name][0].startswith("none:"))):
            for name, (text, used) in found.items():
                verdicts[name] = text
                rules |= used
    return verdicts, rules


def add_values(options, variants, known):
    """Computes the expected values of the variants."""
    for variant in variants:
        text = special_value_results.expected_text(variant)
        if text.startswith("none:"):
            known[variant.name] = (text, "")
        else:
            known[variant.name] = (known.get(variant.name, ("new",))[0], text)


def select(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = special_value_cases.cases()
    variants = [variant for case in cases
                for variant in special_value_cases.variants_of(case)]
    order = [variant.name for variant in variants]
    part, parts = map(int, options.part.split("/"))
    return [variant for variant in variants
            if re.search(options.filter, variant.name)
            and zlib.crc32(variant.case.name.encode()) % parts == part], order


def print_counts(variants, verdicts):
    counts = collections.Counter(text.split(":")[0]
                                 for text in verdicts.values())
    cases = {variant.case.name for variant in variants}
    operands = {(variant.case.name, variant.operand) for variant in variants}
    print(f"{len(variants)} special values in {len(operands)} operands of"
          f" {len(cases)} cases:",
          ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("--filter", default="",
                        help="a regular expression of names")
    parser.add_argument("--part", metavar="I/N", default="0/1",
                        help="the I-th of N parts, from 0")
    parser.add_argument("--tiers", default=",".join(TIERS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    variants, order = select(options)
    known = read_list()
    if options.values:
        add_values(options, variants, known)
        write_list(known, order)
        return 0
    unlisted = [v.name for v in variants if v.name not in known]
    if unlisted:
        print(f"error: not in {LIST.name} (--values): {', '.join(unlisted)}")
        return 1
    verdicts, rules = check(options, variants, known)
    print_counts(variants, {v.name: verdicts.get(v.name, known[v.name][0])
                            for v in variants})
    if options.update:
        for name, text in verdicts.items():
            known[name] = (text, known[name][1])
        write_list(known, order)
    lost = [name for name, text in verdicts.items()
            if special_value_rules.certain(text) not in (
                "pass", special_value_rules.certain(known[name][0]))]
    for name in lost:
        print(f"error: {name}: {verdicts[name]}; listed: {known[name][0]}")
    is_full = len(variants) == len(order) and options.tiers == ",".join(TIERS)
    unused = set(special_value_rules.OPEN) - rules if is_full else set()
    for rule in unused:
        print(f"error: no difference is explained by: {rule.reason}")
    return 1 if lost or unused else 0


if __name__ == "__main__":
    sys.exit(main())
