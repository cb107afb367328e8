# RUN: %torch-python %s
# REQUIRES: python-torch
"""Random ops draw the values that torch eager draws with a seed."""

import unittest

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

    def test_draws_from_elements_are_named(self):
        f = torch.compile(lambda x: torch.multinomial(x.abs() + 0.1, 2) + 1,
                          backend=tandem.torch.backend)
        with self.assertWarnsRegex(RuntimeWarning, r"aten\.multinomial"):
            f(torch.rand(4, 4))

    def test_draws_of_shapes_do_not_split_the_graph(self):
        dropouts = Dropouts().train()
        for options in ({}, {"rng": "tandem"}):
            torch._dynamo.reset()
            f = torch.compile(dropouts, backend=tandem.torch.backend,
                              options={"fallback": "error"} | options)
            f(torch.randn(8, 16))

    def test_masks_that_tandem_draws(self):
        f = torch.compile(lambda x: (nn.functional.dropout(x, 0.3),
                                     nn.functional.dropout(x, 0.3)),
                          backend=tandem.torch.backend,
                          options={"fallback": "error", "rng": "tandem"})
        x = torch.ones(100, 1000)
        torch.manual_seed(3)
        first, second = f(x), f(x)
        torch.manual_seed(3)
        torch.testing.assert_close(f(x), first, rtol=0, atol=0)
        masks = [y != 0 for y in (*first, *second)]
        for mask in masks:
            self.assertAlmostEqual(float(mask.float().mean()), 0.7, delta=0.01)
            self.assertAlmostEqual(float(mask.float().mean(1).std()), 0.0145, delta=0.003)
        for i, mask in enumerate(masks):
            for other in masks[:i]:
                # Independent masks are equal with the probability 0.7^2 + 0.3^2.
                self.assertAlmostEqual(float((mask == other).float().mean()), 0.58, delta=0.01)
        torch.testing.assert_close(first[0][masks[0]], torch.full_like(
            first[0][masks[0]], 1 / 0.7))

    def test_masks_of_the_backward_pass_are_those_of_the_forward_pass(self):
        for rng in ("torch", "tandem"):
            torch._dynamo.reset()
            f = torch.compile(lambda x: nn.functional.dropout(x, 0.5).square().sum(),
                              backend=tandem.torch.backend, options={"rng": rng})
            with torch.enable_grad():
                x = torch.ones(64, 64, requires_grad=True)
                value = f(x)
                value.backward()
            # The sum of 4 for each kept element, and the gradient 2 · 2 · 2.
            self.assertEqual(float(value.detach()), float(x.grad.sum()) / 2)
            self.assertEqual(set(x.grad.unique().tolist()), {0.0, 8.0})

    def test_unusual_shares(self):
        for share in (0.0, 1.0):
            self.check(lambda x: nn.functional.dropout(x, share), torch.randn(5, 6))
        self.check(lambda x: nn.functional.dropout(x, 0.5), torch.randn(5, 6).t())
        self.check(lambda x: nn.functional.dropout(x, 0.5), torch.randn(0, 6))

    def test_wrong_generators_are_named(self):
        with self.assertRaisesRegex(Exception, "rng is one of torch, tandem"):
            torch.compile(torch.relu, backend=tandem.torch.backend,
                          options={"rng": "mine"})(torch.ones(2))


if __name__ == "__main__":
    unittest.main()
