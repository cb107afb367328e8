#!/usr/bin/env python3
"""Runs torchvision's networks from ONNX files, beside ONNX Runtime.

  utils/onnx-networks.py build/bin/tandem-run resnet18 mobilenet_v2
  utils/onnx-networks.py build/bin/tandem-run --batch=1,8 --repeat=30

Weights are random numbers from a fixed seed that keep the variance of the
activations. For each network and batch: the largest difference of the logits by
ONNX Runtime's spread of them (their standard deviation), in the eager and the
compiled tier, and the median times of a call, each measured in a process of its
own. The exit status is 1 where a network does not run or differs by more than a
hundredth of the spread.

Needs torch, torchvision, onnx and onnxruntime (utils/requirements/networks.txt).
Files are written to a temporary folder, or to --folder, where they are reused.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy

NETWORKS = """resnet18 resnet50 mobilenet_v2 mobilenet_v3_large efficientnet_b0
squeezenet1_1 googlenet densenet121 inception_v3 regnet_y_400mf resnext50_32x4d
shufflenet_v2_x1_0 vgg11 convnext_tiny vit_b_16 swin_t""".split()
IMAGE = {"inception_v3": 299}
LARGEST_ERROR = 0.01  # Of the spread of the logits.

MEASURE = """
import json, sys, time, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[4])
session = onnxruntime.InferenceSession(sys.argv[1], options,
                                       providers=["CPUExecutionProvider"])
image = numpy.load(sys.argv[2])
name = session.get_inputs()[0].name
logits = session.run(None, {name: image})[0]
numpy.save(sys.argv[3], logits)
times = []
for _ in range(int(sys.argv[5])):
    start = time.perf_counter_ns()
    session.run(None, {name: image})
    times.append(time.perf_counter_ns() - start)
print(json.dumps(float(numpy.median(times)) if times else 0))
"""


def initialise(network, image):
    """Random weights; a norm's statistics become those of its input, so that the
    activations neither vanish nor grow."""
    import torch
    from torch import nn
    torch.manual_seed(0)
    for module in network.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.normal_(module.bias, std=0.1)
        elif isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias, std=0.1)
            module.momentum = 1.0
            module.train()
    with torch.no_grad():
        network(torch.cat([image, image + torch.randn_like(image)]))
    network.eval()


def export(name, path):
    import torch
    import torchvision
    # Heads for training are not exported.
    more = {"aux_logits": False, "init_weights": False} if name in (
        "googlenet", "inception_v3") else {}
    network = getattr(torchvision.models, name)(weights=None, **more).eval()
    size = IMAGE.get(name, 224)
    image = torch.randn(1, 3, size, size,
                        generator=torch.Generator().manual_seed(1))
    initialise(network, image)
    torch.onnx.export(
        network, (image,), str(path), dynamo=False, opset_version=17,
        input_names=["image"], output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}})


def run_onnxruntime(model, image, folder, options):
    output = folder / "expected.npy"
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, model, image, output,
         str(options.threads), str(options.repeat)],
        capture_output=True, text=True, check=True)
    return numpy.load(output), json.loads(done.stdout)


def run_tandem(tier, model, image, folder, options, dims):
    command = [options.tandem_run, model, f"--input=image={image}", *dims,
               f"--tier={tier}", f"--threads={options.threads}",
               f"--out-dir={folder / tier}", f"--json={folder / 'time.jsonl'}"]
    if options.repeat:
        command.append(f"--repeat={options.repeat}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["?"])[-1])
    record = json.loads((folder / "time.jsonl").read_text().splitlines()[0])
    median = record.get("time_ns", {}).get("median", 0)
    return numpy.load(folder / tier / "output0.npy"), median


def run_network(name, batch, model, options):
    """Returns a row of the table, and whether all is well."""
    size = IMAGE.get(name, 224)
    generator = numpy.random.default_rng(batch)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        image = folder / "image.npy"
        numpy.save(image, generator.standard_normal(
            (batch, 3, size, size), dtype=numpy.float32))
        expected, theirs = run_onnxruntime(model, image, folder, options)
        errors, times, note = [], [], ""
        for tier in ["eager", "compiled"]:
            for dims in [[], [f"--dim=batch={batch}"]]:
                try:
                    logits, median = run_tandem(tier, model, image, folder,
                                                options, dims)
                    note = "batch fixed" if dims else ""
                    break
                except RuntimeError as error:
                    if dims:
                        return [name, batch, str(error)], False
            errors.append(float(numpy.abs(logits - expected).max()
                                / expected.std()))
            times.append(median)
    row = [name, batch, *[f"{error:.1e}" for error in errors]]
    if options.repeat:
        row += [f"{ns / 1e6:.2f}" for ns in [*times, theirs]]
        row.append(f"{theirs / times[1]:.2f}" if times[1] else "-")
    return [*row, note], max(errors) < LARGEST_ERROR


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--batch", default="1", help="such as 1,8")
    parser.add_argument("--repeat", type=int, default=0,
                        help="calls to measure; none by default")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    header = ["network", "batch", "eager error", "compiled error"]
    if options.repeat:
        header += ["eager ms", "compiled ms", "ONNX Runtime ms", "speedup"]
    print("\t".join(header))
    good = 0
    count = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.networks:
            model = folder / (name + ".onnx")
            if not model.exists():
                export(name, model)
            for batch in map(int, options.batch.split(",")):
                row, is_right = run_network(name, batch, model, options)
                print("\t".join(map(str, row)), flush=True)
                good += is_right
                count += 1
    print(f"{good} of {count} run and agree")
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())
