#!/usr/bin/env python3
"""Prints one closing line for the results of check-tandem and check-tandem-unit.

usage: summarize-tests.py BUILD_DIR

A unit test that left no result file (a crash) counts as one failure.
"""

import collections
import json
import pathlib
import sys


def count_lit(path, counts):
    if not path.exists():
        counts["failed"] += 1
        return
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


def count_gtest(path, counts):
    for suite in json.loads(path.read_text()).get("testsuites", []):
        for test in suite["testsuite"]:
            if test.get("failures"):
                counts["failed"] += 1
            elif test.get("result") == "COMPLETED":
                counts["passed"] += 1
            else:
                counts["skipped"] += 1


def main():
    test = pathlib.Path(sys.argv[1]) / "test"
    results = test / "results"
    counts = collections.Counter()
    count_lit(results / "lit.json", counts)
    reports = {p.stem: p for p in (results / "unit").glob("*.json")}
    for path in reports.values():
        count_gtest(path, counts)
    expected = set((test / "unittests.txt").read_text().split())
    counts["failed"] += len(expected - set(reports))
    print(
        f"{counts['passed']} passed, {counts['failed']} failed, "
        f"{counts['skipped']} skipped"
    )
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
