#!/usr/bin/env python3
"""Measures convolutions and their two gradients, beside torch.

  PYTHONPATH=$cache/onnx-tests:$cache/torch utils/measure/conv-gradients.py build/bin/tandem-run
  … utils/measure/conv-gradients.py build/bin/tandem-run --layouts=nhwc --ops=weights --batch=4

The shapes are the distinct convolutions of ResNet-50 (test/shapes/conv), in f32. For each
shape, layout and op (forward, data: the gradient of the input, weights: the gradient of
the kernel), a row with median times in µs of: the eager tier; the compiled tier; kernels
alone and the library (oneDNN) alone, each in a compiled program; and torch eager, in a
process of its own. All are measured in turn, round by round, each round in new processes.
The smallest median counts, because other work on the machine only adds time. At the end,
geometric means for each layout and op:

  eager         time of torch over time of the eager tier
  chosen/best   the faster of kernels and library over the compiled tier
  generated     time of the library over time of kernels
  Gflop/s       of kernels, and of the library

--json=FILE also writes the rows as JSON lines. NHWC kernels are HWIO; those of torch are
channels_last. Strides, padding and sizes are those of the list, with another batch.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "test/shapes/conv/shapes_resnet_50"
OPS = ["forward", "data", "weights"]
WAYS = {"eager": ["--tier=eager"],
        "compiled": ["--tier=compiled"],
        "generated": ["--tier=compiled", "--target-option=contractions=generated"],
        "library": ["--tier=compiled", "--target-option=contractions=library"]}


class Shape:
    """A square convolution of the list: sizes, and times of its rows."""

    def __init__(self, line, batch):
        number = {key: int(value) for key, value in re.findall(r"([a-z]+)(\d+)", line)}
        self.batch, self.inputs, self.outputs = batch, number["ic"], number["oc"]
        self.size, self.result = number["ih"], number["oh"]
        self.window, self.pad = number["kh"], number["ph"]
        self.stride = number.get("sh", 1)
        self.name = (f"{self.inputs}x{self.size} {self.outputs} "
                     f"k{self.window} s{self.stride}")

    def flops(self):
        return (2 * self.batch * self.result ** 2 * self.outputs * self.inputs *
                self.window ** 2)

    def module(self, op, layout):
        """The text of a function of the op."""
        last = layout == "nhwc"
        window = f"{self.window}x{self.window}"
        kernel = (f"{window}x{self.inputs}x{self.outputs}" if last else
                  f"{self.outputs}x{self.inputs}x{window}")

        def image(channels, size):
            return (f"tensor<{self.batch}x{size}x{size}x{channels}xf32>" if last else
                    f"tensor<{self.batch}x{channels}x{size}x{size}xf32>")

        x, y = image(self.inputs, self.size), image(self.outputs, self.result)
        k = f"tensor<{kernel}xf32>"
        types = {"forward": (x, k, y), "data": (y, k, x), "weights": (x, y, k)}[op]
        name = {"forward": "conv", "data": "conv_backward_data",
                "weights": "conv_backward_weights"}[op]
        attributes = (f"strides = [{self.stride}, {self.stride}] "
                      f"pad_low = [{self.pad}, {self.pad}] "
                      f"pad_high = [{self.pad}, {self.pad}]")
        if op == "weights":
            attributes += f" window = [{self.window}, {self.window}]"
        if op == "data":
            more = ((self.size + 2 * self.pad - self.window) % self.stride)
            attributes += f" output_padding = [{more}, {more}]"
        order, weights = (("NHWC", "HWIO") if last else ("NCHW", "OIHW"))
        return (f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
                f"  %0 = tandem.{name} %a, %b layout = <input = \"{order}\", "
                f"kernel = \"{weights}\", output = \"{order}\"> {attributes} "
                f": ({types[0]}, {types[1]}) -> {types[2]}\n"
                f"  return %0 : {types[2]}\n}}\n")


def read_shapes(batch):
    shapes = {}
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            shape = Shape(line.split('"')[0].replace("kh", " kh"), batch)
            shapes.setdefault(shape.name, shape)
    return list(shapes.values())


def time_tandem(options, module, way):
    """The median time of a call in µs; infinite where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file, report = pathlib.Path(folder) / "conv.mlir", pathlib.Path(folder) / "time"
        file.write_text(module)
        done = subprocess.run(
            [options.tandem_run, file, *WAYS[way], f"--repeat={options.calls}",
             f"--threads={options.threads}", "--disk-cache=off", f"--json={report}"],
            capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
            return math.inf
        return json.loads(report.read_text().splitlines()[0])["time_ns"]["median"] / 1e3


def time_torch(options, op, layout):
    """The median times of a call in µs, of all shapes, in one process."""
    done = subprocess.run(
        [sys.executable, __file__, "--torch", f"--ops={op}", f"--layouts={layout}",
         f"--batch={options.batch}", f"--threads={options.threads}",
         f"--calls={options.calls}", f"--filter={options.filter}"],
        capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def run_torch(options, shapes):
    """Prints the times of torch's own convolutions."""
    import time

    import torch
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    times = {}
    for shape in shapes:
        def image(*sizes):
            tensor = torch.randn(*sizes)
            last = options.layouts == ["nhwc"]
            return tensor.contiguous(memory_format=torch.channels_last) if last else tensor

        x = image(shape.batch, shape.inputs, shape.size, shape.size)
        k = image(shape.outputs, shape.inputs, shape.window, shape.window)
        y = image(shape.batch, shape.outputs, shape.result, shape.result)
        stride, pad = [shape.stride] * 2, [shape.pad] * 2
        mask = [options.ops == ["data"], options.ops == ["weights"], False]

        def call():
            if options.ops == ["forward"]:
                return torch.nn.functional.conv2d(x, k, None, stride, pad)
            return torch.ops.aten.convolution_backward(
                y, x, k, None, stride, pad, [1, 1], False, [0, 0], 1, mask)

        call()
        samples = []
        for _ in range(options.calls):
            begin = time.perf_counter_ns()
            call()
            samples.append(time.perf_counter_ns() - begin)
        times[shape.name] = statistics.median(samples) / 1e3
    print(json.dumps(times))


def geometric_mean(values):
    values = [value for value in values if 0 < value < math.inf]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def measure(options, shapes, op, layout):
    """The rows of one op and layout: dicts of the smallest median over the rounds."""
    rounds = []
    for _ in range(options.rounds):
        torch_times = {} if options.no_torch else time_torch(options, op, layout)
        for shape in shapes:
            times = {way: time_tandem(options, shape.module(op, layout), way)
                     for way in WAYS}
            rounds.append((shape.name, {**times,
                                        "torch": torch_times.get(shape.name, math.inf)}))
    rows = []
    for shape in shapes:
        times = [row for name, row in rounds if name == shape.name]
        rows.append({"shape": shape.name, "op": op, "layout": layout,
                     "flops": shape.flops(),
                     **{way: min(row[way] for row in times)
                        for way in times[0]}})
    return rows


def print_rows(rows):
    columns = [*WAYS, "torch"]
    for row in rows:
        print(f"{row['op']:8}{row['layout']:5}{row['shape']:24}" +
              "".join(f"{row[column]:11.1f}" for column in columns), flush=True)


def summarize(rows):
    def mean(numerator, denominator):
        return geometric_mean([numerator(row) / denominator(row) for row in rows])

    def best(row):
        return min(row["generated"], row["library"])

    print(f"{rows[0]['op']:8}{rows[0]['layout']:5}"
          f"eager {mean(lambda r: r['torch'], lambda r: r['eager']):.2f}  "
          f"chosen/best {mean(best, lambda r: r['compiled']):.2f}  "
          f"generated {mean(lambda r: r['library'], lambda r: r['generated']):.2f}  "
          f"Gflop/s {mean(lambda r: r['flops'] / 1e3, lambda r: r['generated']):.0f} and "
          f"{mean(lambda r: r['flops'] / 1e3, lambda r: r['library']):.0f}", flush=True)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem_run", nargs="?")
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--no-torch", action="store_true", help="measure Tandem alone")
    for name, choices in (("ops", OPS), ("layouts", ["nhwc", "nchw"])):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","),
                            default=choices)
    parser.add_argument("--filter", default="", help="part of a shape's name")
    for name, default in (("batch", 4), ("threads", 2), ("rounds", 3), ("calls", 30)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = parse_options()
    shapes = [shape for shape in read_shapes(options.batch)
              if options.filter in shape.name]
    if options.torch:
        run_torch(options, shapes)
        return
    print(f"{'op':8}{'':5}{'shape':24}" +
          "".join(f"{column:>11}" for column in [*WAYS, "torch"]))
    summaries = []
    for layout in options.layouts:
        for op in options.ops:
            rows = measure(options, shapes, op, layout)
            print_rows(rows)
            summaries.append(rows)
            if options.json:
                with options.json.open("a") as file:
                    file.writelines(json.dumps(row) + "\n" for row in rows)
    for rows in summaries:
        summarize(rows)


if __name__ == "__main__":
    main()
