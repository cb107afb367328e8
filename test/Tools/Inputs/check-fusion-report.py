#!/usr/bin/env python3
"""Reads a fusion report and fails if something in it is missing or adds up to
nothing: every refusal has a reason and a text, every kernel has ops, and the
totals are those of the decisions."""

import json
import sys

report = json.load(open(sys.argv[1]))
assert report["device"], "no device"
assert report["functions"], "no functions"
for function in report["functions"]:
    decisions, totals = function["decisions"], function["totals"]
    for decision in decisions:
        assert decision["question"] and decision["producer"]["op"], decision
        assert decision["producer"]["location"], decision
        if not decision["taken"]:
            assert decision["reason"] not in ("", "None"), decision
            assert decision["text"], decision
    taken = [d for d in decisions if d["taken"]]
    assert totals["asked"] == len(decisions)
    assert totals["taken"] == len(taken)
    assert totals["refused"] == sum(totals["refusals"].values())
    assert totals["bytes_saved"] == sum(d["bytes_saved"] for d in taken)
    for kernel in function["kernels"]:
        assert kernel["kind"] and kernel["ops"] and kernel["results"], kernel
        assert kernel["estimated_ns"] > 0, kernel
    print(function["name"], "kernels:", len(function["kernels"]),
          "kinds:", ",".join(sorted({k["kind"] for k in function["kernels"]})),
          "op steps:", len(function["op_steps"]))
