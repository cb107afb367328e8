# RUN: %torch-python %s
# REQUIRES: python-torch
"""DistributedDataParallel with gloo: two processes with compiled graphs."""

import datetime
import os
import pathlib
import tempfile
import unittest

import tandem.torch
import torch
import torch.distributed as dist
from torch import multiprocessing, nn
from torch.nn import functional

STEPS, BATCH = 20, 8
# A rank that dies must be an error in this time, in seconds.
LIMIT = 30
EXIT_CODE = 7


class Network(nn.Module):
    """A class of its own, because Dynamo compiles no module of torch that is the module of a
    DistributedDataParallel, such as an nn.Sequential."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(8 * 16, 1024), nn.Tanh(), nn.Linear(1024, 256), nn.Tanh(),
            nn.Linear(256, 4))

    def forward(self, x):
        return self.layers(x)


def make():
    torch.manual_seed(0)
    return Network().double()


def batch(number):
    generator = torch.Generator().manual_seed(number)
    return (torch.randn(2 * BATCH, 3, 8, 8, generator=generator, dtype=torch.float64),
            torch.randint(0, 4, (2 * BATCH,), generator=generator))


def train(model, part, steps=STEPS):
    """The loss of each step on a part of the batch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for number in range(steps):
        x, y = (t[part] for t in batch(number))
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def start(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank,
                            world_size=2, timeout=datetime.timedelta(seconds=LIMIT))
    # Buckets of 1 MiB, so that there are several. torch cuts graphs where a bucket ends.
    model = nn.parallel.DistributedDataParallel(make(), bucket_cap_mb=1)
    return torch.compile(model, backend=tandem.torch.backend, options={"fallback": "error"})


def run_rank(rank, folder):
    model = start(rank, folder)
    losses = train(model, slice(rank * BATCH, (rank + 1) * BATCH))
    dist.all_reduce(losses)
    state = {name.rpartition("module.")[2]: t for name, t in model.state_dict().items()}
    numbers = [len(graph.functions) for graph in tandem.torch.report().graphs]
    torch.save((losses / 2, state, numbers), f"{folder}/rank{rank}.pt")
    dist.destroy_process_group()


def run_rank_that_dies(rank, folder):
    model = start(rank, folder)
    train(model, slice(0, BATCH), steps=2)
    if rank == 1:
        os._exit(EXIT_CODE)
    train(model, slice(0, BATCH))


class ProcessesTest(unittest.TestCase):
    def test_ranks_have_equal_parameters(self):
        with tempfile.TemporaryDirectory() as folder:
            multiprocessing.spawn(run_rank, (folder,), nprocs=2)
            (losses, first, functions), (_, second, _) = (
                torch.load(pathlib.Path(folder, f"rank{rank}.pt")) for rank in (0, 1))
        # A graph for each bucket, with a forward and a backward function.
        self.assertGreater(len(functions), 1)
        self.assertEqual(set(functions), {2})
        for name, value in first.items():
            torch.testing.assert_close(value, second[name], rtol=0, atol=0)
        model = make()
        expected = train(model, slice(None))
        torch.testing.assert_close(losses, expected, rtol=1e-9, atol=0)
        for name, value in model.state_dict().items():
            torch.testing.assert_close(first[name], value, rtol=1e-9, atol=1e-12)

    def test_a_rank_that_dies_is_an_error_of_the_other(self):
        context = multiprocessing.get_context("spawn")
        with tempfile.TemporaryDirectory() as folder:
            ranks = [context.Process(target=run_rank_that_dies, args=(rank, folder))
                     for rank in (0, 1)]
            for each in ranks:
                each.start()
            ranks[1].join()
            self.assertEqual(ranks[1].exitcode, EXIT_CODE)
            ranks[0].join(LIMIT)
            self.assertFalse(ranks[0].is_alive(), "rank 0 waits for rank 1")
            self.assertNotEqual(ranks[0].exitcode, 0)


if __name__ == "__main__":
    unittest.main()
