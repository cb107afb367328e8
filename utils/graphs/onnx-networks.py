#!/usr/bin/env python3
"""Runs networks from ONNX files, beside ONNX Runtime and OpenVINO.

  utils/graphs/onnx-networks.py build/bin/tandem-run resnet18 mobilenet_v2
  utils/graphs/onnx-networks.py build/bin/tandem-run --batch=1,8 --seconds=0.5
  utils/graphs/onnx-networks.py build/bin/tandem-run resnet50 --quantize=qdq --seconds=1
  utils/graphs/onnx-networks.py build/bin/tandem-run decoder --quantize=int4 --seconds=1

The networks are those of torchvision and of utils/graphs/onnx_export.py. Weights are
random numbers from a fixed seed. The table has a row for each network and batch.

- The error of the eager and of the compiled tier: the largest absolute difference from
  ONNX Runtime's result, divided by the standard deviation of that result.
- With --seconds, the median time of a call in the compiled tier, in ONNX Runtime and in
  OpenVINO. The systems take turns, and each turn is a new process.
- With --seconds, the ratio: the shortest time of ONNX Runtime and OpenVINO, divided by
  the time of the compiled tier.

The exit status is 1 if a network does not run, or has an error of more than 0.01.

With --quantize, ONNX Runtime's quantizer first quantizes the network:
  qdq, qoperator  weights and activations to 8 bits, with fixed scales
  dynamic         weights and activations to 8 bits; each call computes the scales of
                  the activations
  int4            the weights of matrix products to 4 bits
Errors are then printed but not checked, because a result may differ by a few steps of its
quantization. The time of a system that cannot run the model is inf. A system whose results
are not exact by default is measured a second time with an option that makes them exact
(onnx_peers.py). There are two ratios: "ratio to exact" compares with the systems that are
exact on this processor (onnx_exactness.py), and "ratio to all" with all systems. The
geometric means at the end are those of "ratio to exact". They leave out networks that none
of these systems can run.

Needs the packages of utils/requirements/networks.txt. Files are written to a
temporary folder, or to --folder, where they are reused.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import warnings

import numpy

import onnx_exactness
import onnx_export
import onnx_peers
import onnx_quantize

NETWORKS = """resnet18 resnet50 mobilenet_v2 mobilenet_v3_large
mobilenet_v3_small efficientnet_b0 squeezenet1_1 googlenet densenet121
inception_v3 regnet_y_400mf resnext50_32x4d shufflenet_v2_x1_0 vgg11 convnext_tiny vit_b_16 swin_t""".split()
MORE = ["yolo", *onnx_export.TOKENS]
TRANSFORMERS = ["vit_b_16", "swin_t", *onnx_export.TOKENS]
LARGEST_ERROR = 0.01


class Case:
    """A network at a batch: its input, and whoever runs it."""

    def __init__(self, name, batch, model, folder, options):
        self.name, self.batch, self.model = name, batch, model
        self.folder, self.options = folder, options
        self.input = folder / "input.npy"
        numpy.save(self.input, onnx_export.make_input(name, batch))

    def peers(self):
        return onnx_peers.peers_for(self.options.quantize)

    def run_peer(self, peer, seconds):
        """The result, and the median time of a call in ns."""
        output = self.folder / f"{peer}.npy"
        done = subprocess.run(
            [sys.executable, pathlib.Path(__file__).parent / "onnx_peers.py",
             peer, self.model, self.input, output, f"--dim=batch={self.batch}",
             f"--threads={self.options.threads}", f"--seconds={seconds}"],
            capture_output=True, text=True, check=False)
        raise_if_failed(done)
        return numpy.load(output), float(done.stdout)

    def time_peer(self, peer, seconds):
        try:
            return self.run_peer(peer, seconds)[1]
        except RuntimeError:
            if not self.options.quantize:
                raise
            return math.inf

    def run_tandem(self, tier, calls=0):
        report = self.folder / "time.jsonl"
        command = [self.options.tandem_run, self.model,
                   f"--input={onnx_export.input_name(self.name)}={self.input}",
                   f"--dim=batch={self.batch}",
                   f"--tier={tier}", f"--threads={self.options.threads}",
                   f"--out-dir={self.folder / tier}", f"--json={report}"]
        if calls:
            command.append(f"--repeat={calls}")
        raise_if_failed(subprocess.run(command, capture_output=True, text=True,
                                       check=False))
        record = json.loads(report.read_text().splitlines()[0])
        result = numpy.load(self.folder / tier / "output0.npy")
        return result, record.get("time_ns", {}).get("median", 0)

    def errors(self):
        """For each tier, the largest difference from ONNX Runtime's result, divided by the
        standard deviation of that result."""
        expected, _ = self.run_peer("onnxruntime", 0)
        return [float(numpy.abs(self.run_tandem(tier)[0] - expected).max()
                      / expected.std()) for tier in ["eager", "compiled"]]

    def times(self):
        """The median times of the compiled tier and the peers, in ns. All are
        measured in turn, round by round, each in a new process."""
        seconds = self.options.seconds
        _, first = self.run_tandem("compiled", 3)
        calls = max(3, round(seconds * 1e9 / first))
        samples = []
        for _ in range(self.options.rounds):
            samples.append([self.run_tandem("compiled", calls)[1]] + [
                self.time_peer(peer, seconds) for peer in self.peers()])
        return [statistics.median(column) for column in zip(*samples)]


def find_exact_peers(form):
    return onnx_exactness.exact_peers("qdq" if form == "qoperator" else form) if form \
        else onnx_peers.peers_for(form)


def ratio_names(form):
    return ["ratio to exact", "ratio to all"] if form else ["ratio"]


def ratios_of(case, times):
    """The shortest time of the exact peers, divided by Tandem's; the same for all peers."""
    of = dict(zip(case.peers(), times[1:]))
    return [min([ns for peer, ns in of.items() if peer in peers], default=math.inf)
            / times[0] for peers in (case.options.exact_peers, of)]


def raise_if_failed(done):
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["?"])[-1])


def run_case(case, ratios):
    """Returns a row of the table, and whether all is well."""
    row = [case.name, case.batch]
    try:
        errors = [] if case.options.only_times else case.errors()
        row += [f"{error:.1e}" for error in errors]
        if case.options.seconds:
            times = case.times()
            found = ratios_of(case, times)[:len(ratio_names(case.options.quantize))]
            if math.isfinite(found[0]):
                ratios.setdefault(case.batch, {})[case.name] = found[0]
            row += [f"{ns / 1e6:.2f}" for ns in times]
            row += [f"{ratio:.2f}" for ratio in found]
    except RuntimeError as error:
        return [*row, str(error)], False
    return row, case.options.quantize or max(errors, default=0) < LARGEST_ERROR


def print_ratios(ratios):
    for batch, of in ratios.items():
        kinds = {"CNNs": [n for n in of if n not in TRANSFORMERS],
                 "transformers": [n for n in of if n in TRANSFORMERS]}
        for kind, names in kinds.items():
            if names:
                worst = min(names, key=of.get)
                mean = statistics.geometric_mean(of[name] for name in names)
                print(f"batch {batch}, {kind}: geometric mean {mean:.2f}, "
                      f"least {of[worst]:.2f} ({worst})")


def find_model(name, folder, form):
    """The file of the network, which is made unless it is there."""
    model = folder / (name + ".onnx")
    if not model.exists():
        onnx_export.export(name, model)
    if not form:
        return model
    quantized = folder / f"{name}.{form}.onnx"
    if not quantized.exists():
        onnx_quantize.quantize(model, quantized, form,
                               onnx_export.IMAGE.get(name, 224))
    return quantized


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("networks", nargs="*", default=NETWORKS,
                        help="names of networks of torchvision, and of "
                        + ", ".join(MORE))
    parser.add_argument("--batch", default="1,8")
    parser.add_argument("--seconds", type=float, default=0,
                        help="how long to measure for each figure; 0: not")
    parser.add_argument("--rounds", type=int, default=3,
                        help="figures for each time, of which it is the median")
    parser.add_argument("--only-times", action="store_true",
                        help="leave out the errors")
    parser.add_argument("--quantize", choices=onnx_quantize.FORMS,
                        help="quantize the networks first")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    if options.quantize in ("qdq", "qoperator"):
        texts = [name for name in options.networks if onnx_export.is_text(name)]
        if texts:
            parser.error(f"--quantize={options.quantize} calibrates with images, which "
                         f"{texts[0]} does not take: use dynamic or int4")
    warnings.simplefilter("ignore")
    header = ["network", "batch"]
    if not options.only_times:
        header += ["eager error", "compiled error"]
    if options.seconds:
        header += ["compiled ms",
                   *[f"{peer} ms" for peer in onnx_peers.peers_for(options.quantize)],
                   *ratio_names(options.quantize)]
        options.exact_peers = find_exact_peers(options.quantize)
    print("\t".join(header))
    good, ratios = [], {}
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        folder = options.folder or temporary
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.networks:
            model = find_model(name, folder, options.quantize)
            for batch in map(int, options.batch.split(",")):
                case = Case(name, batch, model, temporary, options)
                row, is_right = run_case(case, ratios)
                print("\t".join(map(str, row)), flush=True)
                good.append(is_right)
    print_ratios(ratios)
    print(f"{sum(map(bool, good))} of {len(good)} run" +
          ("" if options.only_times or options.quantize else " and agree"))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
