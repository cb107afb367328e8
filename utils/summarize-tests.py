#!/usr/bin/env python3
"""Prints a closing line for the results of check-tandem and check-tandem-unit.

usage: summarize-tests.py BUILD_DIR [--update]

Counted are lit's tests, and those of every entry of ctest: the re-runs for other
processors as well. Shards of one entry (NAME.0, NAME.1) are counted together. An
entry that left no result file (a crash) counts as one failure, as does an entry
that ran no test. An entry that ran fewer tests than utils/test-counts.json asks for
counts as one failure, too: `--update` writes there what ran, after tests were added
or moved.
"""

import collections
import json
import pathlib
import sys

COUNTS = pathlib.Path(__file__).parent / "test-counts.json"


def count_lit(path):
    counts = collections.Counter()
    if not path.exists():
        counts["failed"] += 1
        return counts
    kinds = {
        "PASS": "passed",
        "FLAKYPASS": "passed",
        "XFAIL": "passed",
        "UNSUPPORTED": "skipped",
        "SKIPPED": "skipped",
        "EXCLUDED": "skipped",
    }
    for test in json.loads(path.read_text())["tests"]:
        counts[kinds.get(test["code"], "failed")] += 1
    return counts


def count_gtest(path):
    """Tests by result; "compared": the cases that tests compared, where they say."""
    counts = collections.Counter()
    if not path.exists():
        counts["failed"] += 1
        return counts
    for suite in json.loads(path.read_text()).get("testsuites", []):
        for test in suite["testsuite"]:
            counts["compared"] += int(test.get("compared", 0))
            if test.get("failures"):
                counts["failed"] += 1
            elif test.get("result") == "COMPLETED":
                counts["passed"] += 1
            else:
                counts["skipped"] += 1
    return counts


def check_minimum(name, tests, minimum):
    """Whether so many tests ran; says so where they did not."""
    if tests >= minimum:
        return True
    print(
        f"{name}: {tests} tests ran, of at least {minimum} (utils/test-counts.json)",
        file=sys.stderr,
    )
    return False


def main():
    test = pathlib.Path(sys.argv[1]) / "test"
    results = test / "results"
    update = "--update" in sys.argv[2:]
    minimums = {} if update else json.loads(COUNTS.read_text())
    entries = (test / "unittests.txt").read_text().split()
    counts = collections.defaultdict(collections.Counter)
    counts["lit"] = count_lit(results / "lit.json")
    for entry in entries:
        counts[entry.split(".")[0]] += count_gtest(results / "unit" / f"{entry}.json")
    total = sum(counts.values(), collections.Counter())
    ran = {name: counts[name].total() - counts[name]["compared"] for name in counts}
    for name in sorted(set(minimums) | set(ran)):
        if not check_minimum(name, ran.get(name, 0), minimums.get(name, 1)):
            total["failed"] += 1
    if update:
        COUNTS.write_text(json.dumps(ran, indent=2, sort_keys=True) + "\n")
    frames = results / "frames.txt"
    if frames.exists():
        largest = max(map(int, frames.read_text().split()), default=0)
        print(f"largest frame of a kernel: {largest} bytes, of {16 << 10} allowed")
    print(
        f"{len(entries)} entries of ctest; "
        f"{total['compared']} cases compared with reference"
    )
    print(
        f"{total['passed']} passed, {total['failed']} failed, "
        f"{total['skipped']} skipped"
    )
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
