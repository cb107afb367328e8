# RUN: %torch-python %s
# REQUIRES: python-torch
"""tandem.torch.training_step: whole steps as one graph."""

import copy
import functools
import pathlib
import sys
import tempfile
import unittest

import tandem.torch
import torch
from torch import nn, optim
from torch.nn import functional

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "Inputs"))
import torch_networks as networks  # noqa: E402

OPTIMIZERS = {
    "SGD": functools.partial(optim.SGD, lr=0.05),
    "momentum": functools.partial(optim.SGD, lr=0.05, momentum=0.9, weight_decay=1e-3),
    "Nesterov": functools.partial(optim.SGD, lr=0.05, momentum=0.9, nesterov=True),
    "dampening": functools.partial(optim.SGD, lr=0.05, momentum=0.9, dampening=0.2,
                                   maximize=True),
    "Adam": functools.partial(optim.Adam, lr=1e-3, weight_decay=1e-2),
    "amsgrad": functools.partial(optim.Adam, lr=1e-3, amsgrad=True, betas=(0.8, 0.9)),
    "AdamW": functools.partial(optim.AdamW, lr=1e-3),
}


def small():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)).double()


def data():
    generator = torch.Generator().manual_seed(1)
    return (torch.randn(8, 6, generator=generator, dtype=torch.float64),
            torch.randint(0, 3, (8,), generator=generator))


def eager_step(model, loss, optimizer, x, y):
    optimizer.zero_grad()
    value = loss(model(x), y)
    value.backward()
    optimizer.step()
    return value.detach()


def flat_loss(result, target):
    return functional.cross_entropy(result.flatten(0, -2), target.flatten())


class StepTest(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def close(self, actual, expected, tolerance=1e-9):
        """Compares tensors relative to the largest element."""
        scale = float(expected.detach().abs().max()) if expected.numel() else 0
        torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance * max(scale, 1e-9))

    def check_states(self, mine, theirs, tolerance=1e-9):
        """Compares what two optimizers would write to checkpoints."""
        mine, theirs = mine.state_dict(), theirs.state_dict()
        self.assertEqual(mine["param_groups"], theirs["param_groups"])
        self.assertEqual(mine["state"].keys(), theirs["state"].keys())
        for number, state in theirs["state"].items():
            self.assertEqual(mine["state"][number].keys(), state.keys())
            for name, value in state.items():
                if value is not None:
                    self.close(mine["state"][number][name], value, tolerance)

    def check(self, model, loss, make, batches, tolerance=1e-9):
        mine, theirs = model, copy.deepcopy(model)
        pair = make(mine.parameters()), make(theirs.parameters())
        step = tandem.torch.training_step(mine, loss, pair[0], fallback="error")
        for number, (x, y) in enumerate(batches):
            torch.manual_seed(number)
            value = step(x, y)
            self.assertFalse(value.requires_grad)
            torch.manual_seed(number)
            self.close(value, eager_step(theirs, loss, pair[1], x, y), tolerance)
        for a, b in zip(mine.state_dict().values(), theirs.state_dict().values(), strict=True):
            self.close(a, b, tolerance)
        self.check_states(*pair, tolerance)

    def test_optimizers(self):
        for name, make in OPTIMIZERS.items():
            with self.subTest(name):
                torch._dynamo.reset()
                self.check(small(), functional.cross_entropy, make, [data()] * 6)

    def test_networks(self):
        sgd = OPTIMIZERS["momentum"]
        torch.manual_seed(0)
        for network, loss, batch in (
                (networks.SimpleCNN(0.5), functional.cross_entropy,
                 (torch.randn(4, 3, 32, 32).double(), torch.randint(0, 10, (4,)))),
                (networks.ResNet18(), functional.cross_entropy,
                 (torch.randn(4, 3, 32, 32).double(), torch.randint(0, 10, (4,)))),
                (networks.GPT(), flat_loss, (torch.randint(0, 64, (2, 16)),
                                             torch.randint(0, 64, (2, 16))))):
            with self.subTest(type(network).__name__):
                torch._dynamo.reset()
                self.check(network.double(), loss, sgd, [batch] * 4, 1e-7)

    def test_updates_are_in_place(self):
        model = small()
        optimizer = optim.Adam(model.parameters())
        step = tandem.torch.training_step(model, functional.mse_loss, optimizer)
        x = data()[0]
        step(x, torch.zeros(8, 3).double())
        tensors = [*model.parameters(), *(t for s in optimizer.state.values()
                                          for t in s.values())]
        before = [(t.data_ptr(), t._version) for t in tensors]
        step(x, torch.zeros(8, 3).double())
        for (place, version), t in zip(before, tensors):
            self.assertEqual(t.data_ptr(), place)
            self.assertGreater(t._version, version)

    def test_rates_and_other_settings_of_each_call(self):
        mine, theirs = small(), small()
        pair = [optim.Adam([{"params": m[0].parameters()},
                            {"params": m[2].parameters(), "lr": 1e-2}]) for m in (mine, theirs)]
        schedules = [optim.lr_scheduler.ExponentialLR(each, 0.7) for each in pair]
        step = tandem.torch.training_step(mine, functional.cross_entropy, pair[0])
        x, y = data()
        for number in range(6):
            if number == 3:
                for each in pair:
                    each.param_groups[1]["weight_decay"] = 0.1
            step(x, y)
            eager_step(theirs, functional.cross_entropy, pair[1], x, y)
            for schedule in schedules:
                schedule.step()
        self.check_states(*pair)

    def test_checkpoints_of_torch(self):
        """Steps of both kinds may follow each other, with a checkpoint between them."""
        model, x, y = small(), *data()
        optimizer = optim.AdamW(model.parameters())
        step = tandem.torch.training_step(model, functional.cross_entropy, optimizer)
        theirs = small()
        other = optim.AdamW(theirs.parameters())
        for _ in range(3):
            step(x, y)
            eager_step(theirs, functional.cross_entropy, other, x, y)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "state.pt"
            torch.save([model.state_dict(), optimizer.state_dict()], path)
            state = torch.load(path)
        resumed = small()
        again = optim.AdamW(resumed.parameters())
        resumed.load_state_dict(state[0])
        again.load_state_dict(state[1])
        step = tandem.torch.training_step(resumed, functional.cross_entropy, again)
        for _ in range(2):
            step(x, y)
            eager_step(resumed, functional.cross_entropy, again, x, y)
            for _ in range(2):
                eager_step(theirs, functional.cross_entropy, other, x, y)
        self.check_states(again, other)

    def test_a_last_batch_of_another_size(self):
        x, y = data()
        batches = [(x, y), (x, y), (x[:3], y[:3]), (x, y), (x[:5], y[:5])]
        self.check(small(), functional.cross_entropy, OPTIMIZERS["momentum"], batches)

    def test_unused_and_frozen_parameters(self):
        class Partly(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.frozen, self.unused = (nn.Linear(6, 6) for _ in range(3))
                self.frozen.requires_grad_(False)

            def forward(self, x):
                return self.frozen(self.used(x))

        torch.manual_seed(0)
        model = Partly().double()
        before = copy.deepcopy(model.state_dict())
        step = tandem.torch.training_step(model, functional.mse_loss,
                                          optim.SGD(model.parameters(), lr=0.1))
        x = data()[0]
        step(x, x)
        for name, value in model.state_dict().items():
            self.assertEqual(torch.equal(value, before[name]), not name.startswith("used"))
        model.used.requires_grad_(False)
        model.frozen.requires_grad_(True)
        before = copy.deepcopy(model.state_dict())
        step(x, x)
        for name, value in model.state_dict().items():
            self.assertEqual(torch.equal(value, before[name]), not name.startswith("frozen"))

    def test_modes_of_the_model(self):
        model = nn.Sequential(nn.Linear(6, 3), nn.BatchNorm1d(3)).double()
        step = tandem.torch.training_step(model, functional.cross_entropy,
                                          optim.SGD(model.parameters(), lr=0.1))
        x, y = data()
        step(x, y)
        self.assertEqual(int(model[1].num_batches_tracked), 1)
        model.eval()
        step(x, y)
        self.assertEqual(int(model[1].num_batches_tracked), 1)

    def test_16_bit_parameters(self):
        model = small().bfloat16()
        x, y = data()
        optimizer = optim.Adam(model.parameters(), lr=1e-2)
        step = tandem.torch.training_step(
            model, lambda r, y: functional.cross_entropy(r.float(), y), optimizer)
        losses = [float(step(x.bfloat16(), y)) for _ in range(30)]
        self.assertLess(losses[-1], 0.7 * losses[0])

    def test_what_is_refused(self):
        model, (x, y) = small(), data()
        for make, message in ((optim.RMSprop, "no rule for RMSprop"),
                              (functools.partial(optim.Adam, fused=True), "fused=True")):
            with self.assertRaisesRegex(tandem.Error, message):
                tandem.torch.training_step(model, functional.cross_entropy,
                                           make(model.parameters()))
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        with self.assertRaisesRegex(tandem.Error, "no option 'speed'"):
            tandem.torch.training_step(model, None, optimizer, speed=1)
        step = tandem.torch.training_step(model, functional.cross_entropy, optimizer)
        step(x, y)
        before = copy.deepcopy(model.state_dict())
        with self.assertRaisesRegex(IndexError, "Target 9 is out of bounds"):
            step(x, torch.full((8,), 9))
        for name, value in model.state_dict().items():
            torch.testing.assert_close(value, before[name], rtol=0, atol=0)
        model.requires_grad_(False)
        with self.assertRaisesRegex(tandem.Error, "no parameter that requires gradients"):
            step(x, y)


if __name__ == "__main__":
    unittest.main()
