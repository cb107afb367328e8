#!/usr/bin/env python3
"""Runs the tests of the onnx package in every tier: those of nodes, and the
suites of models that onnx_cases.py lists.

  utils/conformance/onnx.py build/bin/tandem-run             # all
  utils/conformance/onnx.py build/bin/tandem-run --part=0/10 # a tenth
  utils/conformance/onnx.py build/bin/tandem-run --filter=conv

Each test's outputs are compared with those of the package, with its tolerances
but for those that onnx_cases.py names.
onnx-node-tests.txt says for each test in scope (onnx_cases.py) in which tiers it
passes, or why it is refused; the exit status is 1 where a test passes no longer.
--update writes what is found to that file. --by-op prints a table per op, and in
how many tests a tier leaves a node to the reference. --certify makes the engine's
certificate of each test that passes in all tiers instead, and lists the tests whose
signature would stay eager.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy

# Not this file, which has its name.
sys.path = [p for p in sys.path
            if pathlib.Path(p or ".").resolve() != pathlib.Path(
                __file__).resolve().parent]
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import onnx_cases  # noqa: E402

TIERS = ["reference", "eager", "compiled"]
LIST = pathlib.Path(__file__).with_name("onnx-node-tests.txt")
SECONDS = 120


def write_model(case, folder):
    """Returns the arguments that give the inputs."""
    path = folder / "model.onnx"
    path.write_bytes(case.model.SerializeToString())
    inputs, _ = case.data_sets[0]
    weights = {weight.name for weight in case.model.graph.initializer}
    names = [value.name for value in case.model.graph.input
             if value.name not in weights]
    arguments = []
    for i, (name, value) in enumerate(zip(names, inputs)):
        file = folder / f"input{i}.npy"
        array = onnx_cases.as_array(value)
        numpy.save(file, onnx_cases.storable(array))
        arguments.append(f"--input={name}={file}")
    return [str(path), *arguments]


def differs(case, folder):
    """Why the outputs in a folder are not the expected ones; None if they are."""
    _, outputs = case.data_sets[0]
    for i, value in enumerate(outputs):
        expected = onnx_cases.as_array(value)
        actual = onnx_cases.stored(numpy.load(folder / f"output{i}.npy"))
        if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
            return (f"output {i} is {actual.dtype}{list(actual.shape)}, not"
                    f" {expected.dtype}{list(expected.shape)}")
        rtol, atol = onnx_cases.tolerances(case, actual.dtype)
        try:
            numpy.testing.assert_allclose(
                onnx_cases.comparable(actual), onnx_cases.comparable(expected),
                rtol=rtol, atol=atol)
        except AssertionError:
            return f"output {i} is wrong"
    return None


def reason_of(text):
    """The message of an error, without files, in one line."""
    lines = [line for line in text.splitlines() if "error:" in line]
    message = (lines or text.splitlines() or ["no message"])[-1]
    message = re.sub(r"^.*?error: ", "", message)
    return re.sub(r"\S*/(?=input\d+\.npy)", "", message)[:160]


def run_tier(tandem_run, case, tier, arguments, folder):
    out = folder / tier
    try:
        done = subprocess.run(
            [tandem_run, *arguments, "--tier", tier, "--no-fallback",
             "--threads=1", f"--out-dir={out}"],
            capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "takes too long"
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    if done.returncode:
        return "refused: " + reason_of(done.stderr)
    return differs(case, out)


def uses_reference(tandem_run, tier, arguments):
    """Whether a tier leaves a node to the reference."""
    done = subprocess.run(
        [tandem_run, *arguments, "--tier", tier, "--coverage"],
        capture_output=True, text=True, timeout=SECONDS, check=False)
    lines = done.stdout.splitlines()
    if not lines:
        return False
    end = lines[0].index("reference") + len("reference")
    return any(line[end - 5:end].strip().isdigit() for line in lines[2:])


def count_references(tandem_run, cases, jobs):
    """By tier, how many tests have a node that only the reference runs."""
    def ask(case):
        with tempfile.TemporaryDirectory() as name:
            arguments = write_model(case, pathlib.Path(name))
            return [uses_reference(tandem_run, tier, arguments)
                    for tier in TIERS[1:]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        counts = map(sum, zip(*pool.map(ask, cases)))
    return dict(zip(TIERS[1:], counts))


def run_case(tandem_run, case):
    """What a line of the list says: tiers that pass, or a reason."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments = write_model(case, folder)
        passed, reason = [], ""
        for tier in TIERS:
            failure = run_tier(tandem_run, case, tier, arguments, folder)
            if failure is None:
                passed.append(tier)
            else:
                reason = reason or f"{tier}: {failure}"
                if failure.startswith("refused") and tier == TIERS[0]:
                    return failure
        return "pass" if passed == TIERS else (
            f"pass {' '.join(passed)}; " if passed else "") + reason


def certify(tandem_run, case):
    """The verdict of the certificate (docs/Engine.md), and what it says."""
    with tempfile.TemporaryDirectory() as name:
        arguments = write_model(case, pathlib.Path(name))
        done = subprocess.run(
            [tandem_run, *arguments, "--certify", "--threads=1"],
            capture_output=True, text=True, timeout=SECONDS, check=False)
        found = re.findall(r"^(?:certificate|by error bounds:) ((\w+).*)",
                           done.stdout, re.MULTILINE)
        return found[-1][::-1] if found else ("none", reason_of(done.stderr))


def print_certificates(tandem_run, cases, jobs):
    """Returns whether all certificates of right programs let them be promoted,
    but for one in a hundred."""
    known = read_list()
    cases = [case for case in cases if known.get(case.name) == "pass"]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda case: certify(tandem_run, case), cases))
    counts = collections.Counter(verdict for verdict, _ in found)
    lost = [(case.name, text) for case, (verdict, text) in zip(cases, found)
            if verdict not in ("passed", "provisional")]
    for name, text in lost:
        print(f"{name}: {text}")
    print(f"{len(cases)} certificates: " + ", ".join(
        f"{count} {verdict}" for verdict, count in counts.most_common()))
    print(f"{len(lost)} of {len(cases)} signatures would stay eager"
          f" ({100 * len(lost) / max(len(cases), 1):.2f} %)")
    return 100 * len(lost) <= len(cases)


def read_list():
    if not LIST.exists():
        return {}
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines
                if line and not line.startswith("#"))


def write_list(results):
    text = ("# Tests of onnx 1.23.2: `pass` in all tiers, or why not. Written by"
            " onnx.py --update.\n")
    for name, result in sorted(results.items()):
        text += f"{name}\t{result}\n"
    LIST.write_text(text, encoding="utf-8")


def tiers_passed(result):
    if result == "pass":
        return set(TIERS)
    words = result.split(";")[0].split()
    return set(words[1:]) if words[:1] == ["pass"] else set()


def op_of(case):
    return case.model.graph.node[-1].op_type


def print_table(cases, results, by_op):
    ops = collections.defaultdict(list)
    for case in cases:
        ops[op_of(case)].append(results[case.name])
    if by_op:
        print(f"{'last op of the test':32}{'tests':>6}" +
              "".join(f"{tier:>11}" for tier in TIERS))
        for op, found in sorted(ops.items()):
            counts = [sum(tier in tiers_passed(r) for r in found)
                      for tier in TIERS]
            print(f"{op:32}{len(found):6}" +
                  "".join(f"{count:11}" for count in counts))
    for suite in ["node", *onnx_cases.SUITES]:
        names = [case.name for case in cases if case.kind == suite]
        for tier in TIERS if names else []:
            count = sum(tier in tiers_passed(results[name]) for name in names)
            print(f"{suite}, {tier}: {count} of {len(names)} tests pass"
                  f" ({100 * count / len(names):.1f} %)")


def select(cases, options):
    if options.filter:
        cases = [c for c in cases if re.search(options.filter, c.name)]
    if options.part:
        part, parts = map(int, options.part.split("/"))
        cases = [c for c in cases
                 if zlib.crc32(c.name.encode()) % parts == part]
    return cases


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("--filter", help="a regular expression of names")
    parser.add_argument("--part", metavar="I/N",
                        help="the I-th of N parts, from 0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--by-op", action="store_true")
    parser.add_argument("--certify", action="store_true")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = select(onnx_cases.cases_in_scope(), options)
    if options.certify:
        return 0 if print_certificates(
            options.tandem_run, cases, options.jobs) else 1
    known = read_list()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda case: run_case(options.tandem_run, case), cases)
        results = dict(zip((case.name for case in cases), found))
    print_table(cases, results, options.by_op)
    if options.by_op:
        counts = count_references(options.tandem_run, cases, options.jobs)
        for tier, count in counts.items():
            print(f"{tier}: {count} of {len(cases)} tests use the reference")
    lost = [name for name, result in results.items()
            if not tiers_passed(known.get(name, "")) <= tiers_passed(result)]
    if options.update:
        write_list({**known, **results})
        return 0
    for name in lost:
        print(f"error: {name} passes no longer: {results[name]}",
              file=sys.stderr)
    unlisted = [name for name in results if name not in known]
    if unlisted:
        print(f"error: not in {LIST.name} (--update): {', '.join(unlisted)}",
              file=sys.stderr)
    return 1 if lost or unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
