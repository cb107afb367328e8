#!/usr/bin/env python3
"""Measures what importing ONNX files costs: time, and anonymous memory.

  utils/measure/import-costs.py build/bin/tandem-run                  # two models of 1 GB
  utils/measure/import-costs.py build/bin/tandem-run resnet50.onnx

Without a file, models of 16 matrices of 64 MiB are made, with the weights in the
file itself (raw_data) and in a file beside it (external data). tandem-run is
asked for an input that no model has, which it refuses right after importing. The
time is the least of several processes' (--runs), less that of one that imports
nothing; the memory is the most that was anonymous (RssAnon), less the same.

Needs numpy and onnx (utils/requirements/onnx-tests.txt).
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

MISSING = "no such input"
SIDE, COUNT = 4096, 16


def make_model(path, side, count, is_external):
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    generator = numpy.random.default_rng(0)
    weights = [numpy_helper.from_array(
        generator.standard_normal((side, side), dtype=numpy.float32), f"w{i}")
        for i in range(count)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"])
             for i in range(count)]
    ends = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT,
                                          ["batch", side]) for i in (0, count)]
    model = helper.make_model(
        helper.make_graph(nodes, "matrices", ends[:1], ends[1:], weights),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save(model, str(path), save_as_external_data=is_external,
              location=path.name + ".data")


def read_anonymous_bytes(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if "RssAnon" in line]
    return int(lines[0].split()[1]) * 1024 if lines else 0


def measure(command, expected):
    """Seconds, and the most anonymous bytes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    most = 0
    while process.poll() is None:
        most = max(most, read_anonymous_bytes(process.pid))
        time.sleep(0.0005)
    seconds = time.perf_counter() - start
    output = process.stdout.read()
    if expected not in output:
        raise SystemExit(output)
    return seconds, most


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = options.models
        if not models:
            models = [pathlib.Path(folder) / "raw.onnx",
                      pathlib.Path(folder) / "external.onnx"]
            make_model(models[0], SIDE, COUNT, is_external=False)
            make_model(models[1], SIDE, COUNT, is_external=True)
        print("model\tms\tanonymous MB")
        empty = [measure([options.tandem_run, "--help"], "Usage")
                 for _ in range(options.runs)]
        for model in models:
            runs = [measure([options.tandem_run, model,
                             f"--input={MISSING}=random"], MISSING)
                    for _ in range(options.runs)]
            seconds, most = (
                min(run[i] for run in runs) - min(run[i] for run in empty)
                for i in (0, 1))
            print(f"{model.name}\t{seconds * 1e3:.1f}\t{most / 1e6:.1f}")


if __name__ == "__main__":
    main()
