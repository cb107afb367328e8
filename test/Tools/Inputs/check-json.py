"""Checks result files: check-json.py KIND FILE, KIND one of KINDS."""

import json
import sys

NUMBER = (int, float)
SUMMARY = {"median": NUMBER, "p10": NUMBER, "p90": NUMBER, "samples": int}
COMMON = {
    "tool": str, "graph": str, "function": str, "inputs": list, "dtype": str,
    "device": str, "cpu_model": str, "core_kinds": (str, type(None)), "os": str, "cores": int, "threads": int,
    "memory_bytes": int, "cache_bytes": int, "command": str, "time": str,
    "versions": {"tandem": str, "llvm": str, "onednn": str, "onetbb": str,
                 "compiler": str},
}
COMPILE = {"total": SUMMARY, "wall": SUMMARY, "phases": dict,
           "rearranged_bytes": int}
KINDS = {
    "scaling": {"ops": int, "steps": int, "kernels": int, "total_ns": SUMMARY,
                "wall_ns": SUMMARY, "per_kernel_ns": NUMBER,
                "fuse_per_100_ops_ns": NUMBER, "phases_ns": dict},
    "conv": {"flops": NUMBER, "chosen_ns": SUMMARY, "chosen": str,
             "chosen_over_best": NUMBER, "predicted_generated_ns": NUMBER,
             "predicted_library_ns": NUMBER, "peak_flops_per_ns": NUMBER,
             "copy_ns": NUMBER,
             "onednn_implementation": str, "compile_ns": NUMBER},
    "tiers": {"eager_ns": SUMMARY, "compiled_ns": SUMMARY,
              "compiled_over_eager": NUMBER, "slower": bool},
    "stream": {"shapes": str, "length": NUMBER, "calls": int,
               "signatures": int, "policy": str, "compile_threads": int,
               "total_ns": SUMMARY, "first_ns": SUMMARY, "p50_ns": SUMMARY,
               "p99_ns": SUMMARY, "over_better": NUMBER, "regret": NUMBER,
               "compiled": NUMBER, "wasted": NUMBER, "over_replay": NUMBER,
               "regret_bound": NUMBER, "twice": NUMBER, "void": bool},
    "run": {"outputs": list, "tier": str, "cache": str,
                   "time_ns": SUMMARY, "peak_bytes": int},
    "sweep": {
        "dims": dict, "cache": list, "eager_ns": SUMMARY,
        "eager_dispatch_ns": SUMMARY, "compiled_ns": SUMMARY,
        "compiled_dispatch_ns": SUMMARY, "compile_cold_ns": COMPILE,
        "compile_warm_ns": COMPILE, "compile_cached_ns": COMPILE,
        "break_even_calls": (int, type(None)),
        "break_even_calls_cold": (int, type(None)), "verdict": str,
        "eager_peak_bytes": int, "compiled_peak_bytes": int,
        "planned_peak_bytes": (int, type(None)),
        "eager_steps": int, "compiled_steps": int, "compiled_kernels": int,
        "input_sets": int,
    },
}


def check(value, schema, path):
    if isinstance(schema, dict):
        assert isinstance(value, dict), f"{path} is not an object"
        for key, inner in schema.items():
            assert key in value, f"{path} has no '{key}'"
            check(value[key], inner, f"{path}.{key}")
        return
    assert isinstance(value, schema), f"{path} is {value!r}"


def check_sweep(record):
    for name in ("eager_ns", "compiled_ns"):
        summary = record[name]
        assert 0 < summary["p10"] <= summary["median"] <= summary["p90"], name
        assert summary["samples"] >= 5, name
    assert "import" in record["compile_cold_ns"]["phases"]
    costs = ("compile_cold_ns", "compile_warm_ns", "compile_cached_ns")
    rearranged = {record[name]["rearranged_bytes"] for name in costs}
    assert len(rearranged) == 1, "weights that are not new"
    for name in costs:
        cost = record[name]
        medians = {phase: figure["median"]
                   for phase, figure in cost["phases"].items()}
        assert {"fuse", "emit", "prepare", "first run"} <= medians.keys(), name
        assert all(median >= 0 for median in medians.values()), name
        # One sample is the sum of its phases.
        if cost["total"]["samples"] == 1:
            assert abs(sum(medians.values()) - cost["total"]["median"]) < 1, name
    assert record["planned_peak_bytes"] in (
        None, record["compiled_peak_bytes"]), "memory against its plan"
    assert "codegen" not in record["compile_cached_ns"]["phases"]
    saved = record["eager_ns"]["median"] - record["compiled_ns"]["median"]
    calls = record["break_even_calls"]
    assert (calls is None) == (saved <= 0), "n* against e and c"
    if calls is not None:
        cost = record["compile_warm_ns"]["total"]["median"]
        assert (calls - 1) * saved < cost, "n* is too large"
        assert calls * saved >= cost * 0.999999, "n* is too small"


def check_conv(record):
    for name in ("generated_ns", "generated_direct_ns",
                 "generated_winograd_ns", "onednn_blocked_ns",
                 "onednn_plain_ns", "onednn_own_images_ns"):
        assert name in record, name
        if record[name] is not None:
            check(record[name], SUMMARY, name)
    assert record["chosen"] in ("generated", "library")
    assert 0 < record["chosen_over_best"] <= 1
    assert record["peak_flops_per_ns"] > 0
    assert record["copy_ns"] > 0


def main():
    kind, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    assert records, "no record"
    for i, record in enumerate(records):
        check(record, {**COMMON, **KINDS[kind]}, f"record {i}")
        if kind == "sweep":
            check_sweep(record)
        if kind == "conv":
            check_conv(record)
    print(f"{len(records)} records")


main()
