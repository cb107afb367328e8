#!/usr/bin/env python3
"""Measures a process that runs one compiled graph, from exec to its end.

  TANDEM_PRESET=release utils/setup.sh
  ninja -C build-release tandem-run
  utils/measure/measure-start.py build-release/bin/tandem-run

The process parses the graph, finds the compiled program on disk (all bytes are
checked), runs it twice, prints the results' types and times, and ends. The
files are in the page cache. For each graph: the median time in milliseconds
with the 10th and 90th percentile, compiled and in the eager tier, and the limit
for the former; then where the compiled one's time goes. Limits are for the
static build. Exits with 1 where a program was not found on disk, and never for
a time.

Graphs are two of the repository, and two with 100 MB of weights that this
writes as ONNX files: of one row, which reads the weights where they are in that
file, and of 64, for which they are packed, and kept with the program. The
latter need the packages of utils/requirements/onnx-tests.txt, which
utils/setup.sh has put in the user's cache.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
WIDTHS = [2048, 4096, 2048, 4096]  # 100 MB between them.


def write_layers(path, rows):
    import numpy
    from onnx import TensorProto, helper, numpy_helper, save
    random = numpy.random.default_rng(1)
    nodes, weights, value = [], [], "x"
    for i, (inputs, outputs) in enumerate(zip(WIDTHS, WIDTHS[1:])):
        numbers = random.standard_normal((inputs, outputs)) / inputs**0.5
        weights.append(numpy_helper.from_array(
            numbers.astype(numpy.float32), f"w{i}"))
        nodes.append(helper.make_node("MatMul", [value, f"w{i}"], [f"m{i}"]))
        nodes.append(helper.make_node("Relu", [f"m{i}"], [f"y{i}"]))
        value = f"y{i}"
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, n])]
            for name, n in (("x", WIDTHS[0]), (value, WIDTHS[-1]))]
    save(helper.make_model(helper.make_graph(nodes, "layers", *ends, weights),
                           ir_version=8,
                           opset_imports=[helper.make_opsetid("", 17)]), path)


def cases(folder):
    """Name, file and arguments, limit in milliseconds."""
    graphs = ROOT / "test/graphs"
    yield "conv1d_relu", [graphs / "conv1d_relu.mlir",
                          "--arg=random:8x100x1"], 20
    yield "simplecnn", [graphs / "simplecnn.mlir",
                        "--arg=random:1x3x32x32"], 20
    sys.path.insert(0, f"{CACHE}/tandem/onnx-tests")
    try:
        for rows in (1, 64):
            path = folder / f"layers{rows}.onnx"
            write_layers(path, rows)
            yield f"100 MB, {rows} rows", [path], 100
    except ImportError as error:
        print(f"without large graphs: {error}", file=sys.stderr)


def run(command, environment):
    """What it prints, and how long it took, in milliseconds."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout, (time.perf_counter() - start) * 1e3


def spread(times):
    low, *_, high = statistics.quantiles(times, n=10)
    return f"{statistics.median(times):.1f} ({low:.1f}-{high:.1f})"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", help="the tandem-run to measure")
    parser.add_argument("--samples", type=int, default=51,
                        help="processes of each kind (51)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "TANDEM_CACHE_DIR": name,
                       "TANDEM_DISK_CACHE": "on"}
        print(f"{'ms':18}{'compiled':>22}{'limit':>8}{'eager':>22}")
        for title, arguments, limit in list(cases(folder)):
            command = [options.run, *map(str, arguments), "--repeat=1"]
            compiled = [*command, "--tier=compiled"]
            run(compiled, environment)  # Fills the cache.
            times = {"compiled": [], "eager": []}
            for _ in range(max(options.samples, 2)):
                for tier, all_times in times.items():
                    text, ms = run([*command, f"--tier={tier}"], environment)
                    all_times.append(ms)
            text = run(compiled, environment)[0]
            where = re.search(r"(read cache [^;]*; load [^;]*); 0 kernels "
                              "compiled, 0 known", text)
            if not where:
                sys.exit(f"{title}: not found on disk:\n{text}")
            print(f"{title:18}{spread(times['compiled']):>22}{limit:8}"
                  f"{spread(times['eager']):>22}   {where[1]}", flush=True)


if __name__ == "__main__":
    main()
