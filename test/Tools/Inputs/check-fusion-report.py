#!/usr/bin/env python3
"""Reads a fusion report and fails if something in it is missing or adds up to
nothing: every refusal has a reason and a text, every kernel has ops, and the
totals are those of the decisions. Prints the choices."""

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
    for choice in function["contractions"]:
        better = min(choice["generated_ns"], choice["library_ns"])
        assert better > 0 or choice["chosen"] == "library", choice
        print("contraction", choice["op"], "at", choice["location"] + ":",
              choice["chosen"])
    layouts = function.get("layouts", {})
    for conv in layouts.get("convolutions", []):
        assert conv["ns"] > 0 and conv["as_given_ns"] > 0, conv
        assert conv["channels_last_ns"] > 0, conv
        print("convolution at", conv["location"], "reads", conv["reads"],
              "writes", conv["writes"])
    for action in "inserted", "cancelled":
        for conversion in layouts.get(action, []):
            assert conversion["ns"] > 0 and conversion["type"], conversion
            print(action, "at", conversion["location"], "to", conversion["to"])
    print(function["name"], "kernels:", len(function["kernels"]),
          "kinds:", ",".join(sorted({k["kind"] for k in function["kernels"]})),
          "op steps:", len(function["op_steps"]))
