# RUN: %torch-python %s
# REQUIRES: python-torch
"""Random ops run in torch, and draw the values that torch eager draws with a seed."""

import unittest
import warnings

import tandem.torch
import torch
from torch import nn


class Dropouts(nn.Module):
    """Dropouts in branches that do not depend on each other."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)
        self.whole = nn.Dropout1d(0.5)

    def forward(self, x):
        y = nn.functional.dropout(self.first(x).relu(), 0.3)
        z = nn.functional.alpha_dropout(self.second(x).tanh(), 0.4, training=True)
        return self.whole((y + z).unsqueeze(0)), y, z


def draws(x):
    """One of each random op, in an order that no data dependency fixes."""
    later = x.relu() + 1
    noise = torch.rand(3, 4)
    integers = torch.randint(0, 100, (7,))
    coins = torch.bernoulli(x.sigmoid())
    normal = torch.randn_like(later) * later
    chosen = torch.multinomial(x.abs() + 0.1, 2)
    order = torch.randperm(9)
    return noise * 2, integers + 1, coins - 1, normal, chosen, order


def with_unused_draw(x):
    """torch.compile removes draws whose numbers are not used, with any backend."""
    torch.rand(5)
    y = x * 2
    torch.randint(0, 9, (3,))
    return y + torch.rand_like(y)


def in_place(x):
    noise = torch.empty(4, 4).uniform_(-1, 1)
    mask = torch.empty(4, 4).bernoulli_(0.5)
    return noise * 2 + mask, x.clone().normal_(0, 3), torch.normal(x, 0.5 + x.abs())


class RandomTest(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.set_grad_enabled(False)

    def check(self, model, *inputs, reference=None):
        """Two calls with a seed return what `reference`, or else the model, returns, and
        leave the generator in the same state."""
        reference = reference or model
        f = torch.compile(model, backend=tandem.torch.backend, options={"fallback": "silent"})
        reference(*inputs), f(*inputs)  # Both compile.
        for seed in (1, 2):
            torch.manual_seed(seed)
            expected = [reference(*inputs), reference(*inputs), torch.rand(3)]
            torch.manual_seed(seed)
            actual = [f(*inputs), f(*inputs), torch.rand(3)]
            torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)

    def test_dropout_in_training_mode(self):
        self.check(Dropouts().train(), torch.randn(8, 16))

    def test_each_random_op(self):
        self.check(draws, torch.randn(4, 6))

    def test_draws_that_are_not_used(self):
        self.check(with_unused_draw, torch.randn(4),
                   reference=torch.compile(with_unused_draw, backend="aot_eager"))

    def test_draws_in_place(self):
        self.check(in_place, torch.randn(4, 4))

    def test_random_ops_are_named(self):
        f = torch.compile(nn.Dropout(0.5).train(), backend=tandem.torch.backend)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f(torch.randn(4, 4))
        (warning,) = [w for w in caught if "tandem leaves" in str(w.message)]
        self.assertRegex(str(warning.message), r"aten\.(rand|bernoulli|native_dropout)")


if __name__ == "__main__":
    unittest.main()
