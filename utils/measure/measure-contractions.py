#!/usr/bin/env python3
"""Measures what is chosen for lists of convolutions, in several processes.

  utils/measure/measure-contractions.py --output=/tmp/contractions
  utils/measure/measure-contractions.py --lists 1d vgg_19 --layouts nchw --threads 1 --relu --output=/tmp/relu
  utils/measure/measure-contractions.py --data=cache --threads 1 --processes 1 --output=/tmp/model

One file of JSON lines per process, list, layout and number of threads, by
tandem-bench conv with a description of this machine that is measured first
(device.json); a file that is there already is not measured again. Then tables:
geometric means per list, the shapes that every process found badly chosen or
slower than eager (docs/Measuring.md says by how much), and how far predictions
are off.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = ["resnet_50", "mobilenet", "depthwise", "1d", "1d_wavenet", "vgg_19",
         "unet", "alexnet", "dilated"]
# What counts as a wrong choice, and as slower than eager.
WORST_CHOICE, SLOWER_THAN_EAGER, LEAST_DIFFERENCE_NS = 0.85, 1.05, 1000
# Predictions of smaller programs are not checked.
LEAST_FLOPS = 1e6


def median(record, name):
    return record[name]["median"] if record.get(name) else None


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def generated_over_library(record):
    generated, library = (median(record, name) for name in
                          ("generated_ns", "onednn_blocked_ns"))
    return library / generated if generated and library else None


def is_badly_chosen(record):
    ratio = record["chosen_over_best"]
    return (ratio < WORST_CHOICE and
            (1 - ratio) * median(record, "chosen_ns") > LEAST_DIFFERENCE_NS)


def is_slower_than_eager(record):
    ratio = record["chosen_over_eager"]
    return (ratio > SLOWER_THAN_EAGER and (ratio - 1) *
            median(record, "eager_ns") > LEAST_DIFFERENCE_NS)


def describe_device(bench, output):
    """The file with the description of this machine, measured if it is not there."""
    path = output / "device.json"
    if not path.exists():
        text = subprocess.run([bench, "device", "--no-store"], check=True,
                              capture_output=True, text=True).stdout
        path.write_text(text, encoding="utf-8")
    return path


def measure(options, name, layout, threads, process):
    """The records of one list, from one process of tandem-bench."""
    shapes = pathlib.Path(name)
    path = options.output / f"{shapes.name}-{layout}-{threads}-{process}.jsonl"
    if not path.exists():
        print(f"{name} {layout} {threads} thread(s), process {process}",
              file=sys.stderr)
        command = [options.bench, "conv", f"--threads={threads}", "--mb=1",
                   f"--seconds={options.seconds}", f"--layout={layout}",
                   f"--data={options.data}", f"--json={path}", "--shapes",
                   shapes if shapes.exists() else
                   ROOT / "test/shapes/conv" / f"shapes_{name}"]
        command += ["--relu"] if options.relu else []
        device = describe_device(options.bench, options.output)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TANDEM_DEVICE": str(device)})
    with open(path, encoding="utf-8") as file:
        return [record for record in map(json.loads, file)
                if "error" not in record]


def table_of(measured, options):
    """Per list: generated over oneDNN, chosen over the better, the worst."""
    columns = [(layout, threads) for threads in options.threads
               for layout in options.layouts]
    lines = ["| list | " + " | ".join(f"{layout}, {threads}" for layout, threads
                                      in columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    for name in options.lists:
        cells = []
        for column in columns:
            records = sum(measured[name, *column], [])
            chosen = [record["chosen_over_best"] for record in records]
            over = geometric_mean(map(generated_over_library, records))
            cells.append(f"{over:.2f} / {geometric_mean(chosen):.3f} "
                         f"({min(chosen, default=0):.2f})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def in_all_processes(measured, title, is_bad, ratio_name):
    """The shapes for which every process agrees, with each one's ratio."""
    found, count = [], 0
    for (_, layout, threads), processes in measured.items():
        for records in zip(*processes):
            count += 1
            if all(map(is_bad, records)):
                ratios = " ".join(f"{r[ratio_name]:.2f}" for r in records)
                found.append(f"  {records[0]['graph']} {layout} {threads}: "
                             f"{ratios}")
    return "\n".join([f"{title}: {len(found)} of {count}"] + sorted(found))


def predictions(measured, who, predicted, measured_name, bound):
    """How many predictions are within a factor, by layout and threads."""
    ratios = {}
    for (_, layout, threads), processes in measured.items():
        for record in sum(processes, []):
            time = median(record, measured_name)
            if time and record.get(predicted) and record["flops"] > LEAST_FLOPS:
                ratios.setdefault((layout, threads), []).append(
                    record[predicted] / time)
    return "\n".join(
        f"predicted over measured, {who}, {layout}, {threads} thread(s): "
        f"{geometric_mean(values):.2f} in the mean, within {bound} for "
        f"{sum(1 / bound <= v <= bound for v in values) / len(values):.0%} "
        f"of {len(values)}"
        for (layout, threads), values in ratios.items())


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True,
                        help="folder of the measurements")
    parser.add_argument("--bench", default=ROOT / "build/bin/tandem-bench")
    parser.add_argument("--lists", nargs="+", default=LISTS,
                        help="files, or names of files in test/shapes/conv")
    parser.add_argument("--layouts", nargs="+", default=["nhwc", "nchw"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.03,
                        help="per shape and way to compute it")
    parser.add_argument("--data", choices=["memory", "cache"],
                        default="memory")
    parser.add_argument("--relu", action="store_true")
    return parser.parse_args()


def main():
    options = parse_arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    measured = {}
    for process in range(1, options.processes + 1):
        for threads in options.threads:
            for layout in options.layouts:
                for name in options.lists:
                    measured.setdefault((name, layout, threads), []).append(
                        measure(options, name, layout, threads, process))
    print("generated over oneDNN / chosen over the better (the worst)")
    print(table_of(measured, options))
    print(in_all_processes(measured, "badly chosen in every process",
                           is_badly_chosen, "chosen_over_best"))
    print(in_all_processes(measured, "slower than eager in every process",
                           is_slower_than_eager, "chosen_over_eager"))
    if options.data == "cache":
        print(predictions(measured, "generated", "predicted_generated_ns",
                          "generated_ns", 1.3))
        print(predictions(measured, "library", "predicted_library_ns",
                          "onednn_blocked_ns", 1.5))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr or error.returncode)
