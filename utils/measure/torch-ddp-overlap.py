#!/usr/bin/env python3
"""Measures how much communication DistributedDataParallel overlaps with the backward pass.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch utils/measure/torch-ddp-overlap.py

Two processes with one thread each train an MLP of 8 MB, and communicate through gloo. A comm hook records
when the all-reduce of each bucket starts and ends. The backward pass has computed all gradients when the
last bucket starts. The table shows, as medians over all steps of rank 0:

  step        the time of a step: forward, backward and SGD
  backward    from the call of backward() until all gradients are computed
  all-reduce  the time in which at least one all-reduce is in progress
  overlapped  the share of that time before all gradients are computed
  starts      when each bucket starts, as a share of the time of the backward pass

Systems: torch eager; the backends inductor and tandem; and tandem without the cuts that
Dynamo makes in the graph where a bucket ends (optimize_ddp = False).
"""

import argparse
import statistics
import tempfile
import time

import tandem.torch
import torch
import torch.distributed as dist
from torch import multiprocessing, nn

RANKS, LAYERS, WIDTH, WARM_UP = 2, 8, 512, 10
SYSTEMS = ("eager", "inductor", "tandem", "tandem, uncut")


class MLP(nn.Module):
    """Not an nn.Sequential, because Dynamo compiles none in a DistributedDataParallel."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))

    def forward(self, x):
        for layer in self.layers:
            x = nn.functional.gelu(layer(x))
        return x


class Steps:
    """The bucket hook, and the figures of each step."""

    def __init__(self, model):
        self.figures, self.spans = [], []
        model.register_comm_hook(None, self.reduce)

    def reduce(self, _, bucket):
        number, start = len(self.spans), time.perf_counter()
        self.spans.append([start, start])

        def end(future):
            self.spans[number][1] = time.perf_counter()
            return future.value()[0].div_(RANKS)

        return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(end)

    def run(self, model, optimizer, x):
        self.spans = []
        begin = time.perf_counter()
        optimizer.zero_grad()
        loss = model(x).square().mean()
        backward = time.perf_counter()
        loss.backward()
        optimizer.step()
        step = time.perf_counter() - begin
        computed = max(start for start, _ in self.spans)
        total, overlapped = self.busy(float("inf")), self.busy(computed)
        self.figures.append({
            "step": step * 1e3, "backward": (computed - backward) * 1e3,
            "all-reduce": total * 1e3, "overlapped": overlapped / total,
            "starts": [(start - backward) / (computed - backward)
                       for start, _ in self.spans]})

    def busy(self, limit):
        """The time before `limit` in which at least one all-reduce is in progress."""
        total = last = 0
        for start, end in sorted(self.spans):
            end = min(end, limit)
            total += max(0, end - max(start, last))
            last = max(last, end)
        return total

    def medians(self):
        result = {name: statistics.median(each[name] for each in self.figures)
                  for name in self.figures[0] if name != "starts"}
        columns = zip(*(each["starts"] for each in self.figures))
        return {**result, "starts": [statistics.median(column) for column in columns]}


def compiled(model, system):
    torch._dynamo.config.optimize_ddp = system != "tandem, uncut"
    if system in ("eager", "inductor"):
        return model if system == "eager" else torch.compile(model)
    return torch.compile(model, backend=tandem.torch.backend,
                         options={"fallback": "error", "mode": "compile-now"})


def run_rank(rank, system, folder, options):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank,
                            world_size=RANKS)
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(MLP(), bucket_cap_mb=options.bucket_mb)
    steps = Steps(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model = compiled(model, system)
    x = torch.randn(options.batch, WIDTH)
    for _ in range(WARM_UP):
        steps.run(model, optimizer, x)
    steps.figures.clear()
    for _ in range(options.steps):
        dist.barrier()
        steps.run(model, optimizer, x)
    if rank == 0:
        torch.save(steps.medians(), f"{folder}/figures.pt")
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--bucket-mb", type=float, default=2)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="the systems take turns")
    options = parser.parse_args()
    print("system\tstep ms\tbackward ms\tall-reduce ms\toverlapped\tstarts")
    for _ in range(options.rounds):
        for system in options.systems:
            with tempfile.TemporaryDirectory() as folder:
                multiprocessing.spawn(run_rank, (system, folder, options), nprocs=RANKS)
                found = torch.load(f"{folder}/figures.pt")
            print(system, *(f"{found[name]:.2f}" for name in list(found)[:-1]),
                  " ".join(f"{start:.2f}" for start in found["starts"]), sep="\t", flush=True)


if __name__ == "__main__":
    main()
