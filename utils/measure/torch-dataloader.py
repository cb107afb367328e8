#!/usr/bin/env python3
"""Measures calls of a convolutional network beside a DataLoader.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch \
    utils/measure/torch-dataloader.py [--seconds=5] [--rounds=3] [--json=FILE]

The network has the shape of ResNet-18. A process calls the network with batches of a
DataLoader without workers, and with two workers that are started by fork or by spawn.
Torch eager and torch.compile(backend="tandem") run in processes of their own, in
alternation, each with as many threads as torch chooses. A process first calls the network
until Tandem compiles nothing more, and then counts the calls of some seconds.
The table has the median of the calls per second over the rounds, for calls on batches of
the DataLoader and for calls on one batch without any DataLoader.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

BATCH = 4
LOADERS = ("none", "0", "2 fork", "2 spawn")
BACKENDS = ("torch eager", "tandem")


class Block(nn.Module):
    """Two convolutions with a residual, which is projected if the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs),
            nn.ReLU(), nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs))
        self.residual = nn.Identity() if stride == 1 and inputs == outputs else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.residual(x))


def network():
    torch.manual_seed(0)
    widths = (64, 64, 128, 256, 512)
    blocks = [block for i in range(4)
              for block in (Block(widths[i], widths[i + 1], 1 if i == 0 else 2),
                            Block(widths[i + 1], widths[i + 1], 1))]
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(512, 1000)).eval()


class Images(Dataset):
    """Pictures that a worker makes and crops, as if it had read files."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, number):
        picture = torch.full((3, 256, 256), number % 255, dtype=torch.uint8)
        top, left = number % 32, number // 32 % 32
        picture = picture[:, top:top + 224, left:left + 224].float()
        return (picture / 255 - 0.45) / 0.22


def batches(loader):
    """An endless iterator over batches."""
    if loader == "none":
        batch = torch.stack([Images()[i] for i in range(BATCH)])
        while True:
            yield batch
    count, _, start = loader.partition(" ")
    yield from DataLoader(Images(), batch_size=BATCH, num_workers=int(count),
                          multiprocessing_context=start or None)


def settle(f, x):
    """Calls until Tandem compiles nothing more."""
    import tandem.torch
    for _ in range(4):
        for _ in range(20):
            f(x)
        for function in tandem.torch.graph_functions():
            function.wait()


def measure(backend, loader, seconds):
    """The calls per second of one process, and the number of threads."""
    torch.set_grad_enabled(False)
    model, source = network(), batches(loader)
    f, x = model, next(source)
    if backend == "tandem":
        import tandem.torch
        f = torch.compile(model, backend=tandem.torch.backend, options={"fallback": "error"})
        settle(f, x)
    torch.testing.assert_close(f(x), model(x), rtol=1e-3, atol=1e-4)
    calls, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        f(next(source))
        calls += 1
    return {"per_second": calls / (time.perf_counter() - start),
            "threads": torch.get_num_threads()}


def measure_in_process(backend, loader, seconds):
    out = subprocess.run([sys.executable, __file__, f"--seconds={seconds}",
                          f"--process={backend},{loader}"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out.splitlines()[-1])


def measure_all(seconds, rounds):
    rows = []
    for loader in LOADERS:
        runs = {backend: [] for backend in BACKENDS}
        for _ in range(rounds):
            for backend in BACKENDS:
                runs[backend].append(measure_in_process(backend, loader, seconds))
        median = {backend: statistics.median(run["per_second"] for run in each)
                  for backend, each in runs.items()}
        rows.append({"loader": loader, **median, "threads": runs["tandem"][0]["threads"],
                     "runs": runs})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="a file for all measurements")
    parser.add_argument("--process", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.process:
        print(json.dumps(measure(*arguments.process.split(","), arguments.seconds)))
        return
    rows = measure_all(arguments.seconds, arguments.rounds)
    print("DataLoader's workers  threads  torch eager  tandem  tandem/eager   (calls per second)")
    for row in rows:
        eager, ours = (row[backend] for backend in BACKENDS)
        print(f"{row['loader']:<20}  {row['threads']:7}  {eager:11.2f}  {ours:6.2f}  "
              f"{ours / eager:12.2f}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
