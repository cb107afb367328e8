# RUN: %torch-python %s
# REQUIRES: python-torch
"""Graphs of torch.compile beside a DataLoader, and in the workers of one."""

import pathlib
import tempfile
import unittest

import tandem.torch
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Pictures that are made from their numbers."""

    def __len__(self):
        return 12

    def __getitem__(self, number):
        generator = torch.Generator().manual_seed(number)
        return torch.rand(3, 16, 16, generator=generator)


class Features(Images):
    """What a function computes of each picture, in the worker."""

    def __init__(self, function):
        self.function = function

    def __getitem__(self, number):
        with torch.no_grad():
            return self.function(super().__getitem__(number).unsqueeze(0))[0]


class Loaded:
    """A program of a file, which each process loads at its first call."""

    def __init__(self, path):
        self.path, self.function = path, None

    def __call__(self, x):
        self.function = self.function or tandem.torch.load(self.path, fallback="error")
        return self.function(x)


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
                         nn.Linear(32, 5)).eval()


def compiled(model):
    return torch.compile(model, backend=tandem.torch.backend,
                         options={"fallback": "error", "mode": "compile"})


def batches(dataset, start=None, workers=2):
    """The batches of a DataLoader with workers that are started by fork or spawn, or
    without workers."""
    return DataLoader(dataset, batch_size=4, num_workers=workers if start else 0,
                      multiprocessing_context=start)


class WorkersTest(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.set_grad_enabled(False)
        self.model = network()

    def close(self, actual, expected):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)

    def test_calls_beside_workers(self):
        expected = [self.model(x) for x in batches(Images())]
        self.assertEqual(len(expected), 3)
        f = compiled(self.model)
        for start in ("fork", "fork", "spawn"):  # The second loader starts after calls.
            self.close([f(x) for x in batches(Images(), start)], expected)

    def test_calls_in_forked_workers(self):
        """Workers call a graph that the parent has called, and one that it has not."""
        expected = list(batches(Features(self.model)))
        called, new = compiled(self.model), compiled(network())
        called(torch.rand(1, 3, 16, 16))
        for f in (called, new):
            self.close(list(batches(Features(f), "fork")), expected)
        self.close(list(batches(Features(called))), expected)

    def test_calls_in_spawned_workers(self):
        """Workers load an exported program."""
        expected = list(batches(Features(self.model)))
        program = torch.export.export(self.model, (torch.rand(1, 3, 16, 16),))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.pt2")
            torch.export.save(program, path)
            self.close(list(batches(Features(Loaded(path)), "spawn", 1)), expected)


if __name__ == "__main__":
    unittest.main()
