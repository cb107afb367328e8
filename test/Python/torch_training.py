# RUN: %torch-python %s
# REQUIRES: python-torch
"""Training through torch.compile(model, backend="tandem"): the gradients of steps."""

import copy
import functools
import pathlib
import sys
import unittest
import warnings

import tandem.torch
import torch
from torch import nn
from torch.nn import functional

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "Inputs"))
import torch_networks as networks  # noqa: E402
from torch_errors import TOLERANCE, WIDE_TOLERANCE, bounds, difference, widened  # noqa: E402

STEPS = 30
# At these steps, gradients are compared.
POINTS = (0, 9, 29)

NETWORKS = {"SimpleCNN": functools.partial(networks.SimpleCNN, dropout=0.5),
            "ResNet18": networks.ResNet18, "ViT": networks.ViT, "BERT": networks.BERT,
            "GPT": networks.GPT}


def make(name, dtype):
    """A network with its loss, and the inputs of a call."""
    loss, inputs = networks.make(getattr(networks, name), dtype, True)
    loss.network = NETWORKS[name]().to(dtype)
    return loss, inputs


def compiled(model, **options):
    return torch.compile(model, backend=tandem.torch.backend,
                         options={"fallback": "error"} | options)


def step_of(model, call, inputs, seed):
    """The loss and the gradients of a step, by name."""
    model.zero_grad(set_to_none=True)
    torch.manual_seed(seed)
    value = call(*inputs)
    value.backward()
    return value.detach(), {name: p.grad for name, p in model.named_parameters()}


class NetworksTest(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def exact_gradients(self, model, inputs, seed, masks_are_drawn):
        """The gradients in f64; None if the masks of dropout depend on the dtype."""
        if masks_are_drawn:
            return None
        wide = copy.deepcopy(model).double()
        return step_of(wide, wide, widened(inputs), seed)[1]

    def check_gradients(self, model, mine, call, inputs, seed):
        state = copy.deepcopy(model.state_dict())
        drops = any(isinstance(m, nn.Dropout) and m.p for m in model.modules())
        exact = self.exact_gradients(model, inputs, seed, drops)
        value, expected = step_of(model, model, inputs, seed)
        buffers = {name: b.clone() for name, b in model.named_buffers()}
        mine.load_state_dict(state)
        result, actual = step_of(mine, call, inputs, seed)
        torch.testing.assert_close(result, value)
        right = expected if exact is None else exact
        if value.dtype == torch.float64:
            allowed = dict.fromkeys(right, WIDE_TOLERANCE)
        elif exact is None:
            allowed = dict.fromkeys(right, 10 * TOLERANCE)
        else:
            allowed = bounds(model, inputs, exact, expected)
        for name, gradient in actual.items():
            # Gradients that are zero but for rounding have no largest element.
            if float(right[name].abs().max()) > 1e-6:
                self.assertLessEqual(difference(gradient, right[name]), allowed[name], name)
        for name, buffer in mine.named_buffers():
            torch.testing.assert_close(buffer, buffers[name])

    def check(self, name, dtype):
        torch._dynamo.reset()
        model, inputs = make(name, dtype)
        mine = copy.deepcopy(model)
        call = compiled(mine)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for number in range(STEPS):
            if number in POINTS:
                with self.subTest(name, dtype=dtype, step=number):
                    self.check_gradients(model, mine, call, inputs, number)
            else:
                step_of(model, model, inputs, number)
            optimizer.step()

    def test_networks(self):
        for name in NETWORKS:
            for dtype in (torch.float32, torch.float64):
                self.check(name, dtype)

    def test_losses_of_a_run(self):
        """20 steps in f64, with the masks of torch eager."""
        model, inputs = make("SimpleCNN", torch.float64)
        losses = []
        for is_compiled in (False, True):
            mine = copy.deepcopy(model)
            call = compiled(mine) if is_compiled else mine
            optimizer = torch.optim.Adam(mine.parameters(), lr=1e-3)
            losses.append([])
            for number in range(20):
                losses[-1].append(float(step_of(mine, call, inputs, number)[0]))
                optimizer.step()
        torch.testing.assert_close(*map(torch.tensor, losses), rtol=1e-9, atol=0)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)
        self.first.requires_grad_(False)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


class BackendTest(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)

    def test_frozen_parameters_and_gradients_of_inputs(self):
        model = Frozen()
        x = torch.randn(3, 4, requires_grad=True)
        expected = torch.autograd.grad(model(x).sum(), [x, model.second.weight])
        actual = torch.autograd.grad(compiled(model)(x).sum(), [x, model.second.weight])
        torch.testing.assert_close(actual, expected)

    def test_ops_that_tandem_lacks_run_in_torch(self):
        def f(x):
            return (torch.i0(x.relu()) * x).sum()

        x = torch.rand(4, 8, requires_grad=True)
        with self.assertWarnsRegex(RuntimeWarning, r"aten\.i0.*torch_training\.py:\d+\)"):
            value = torch.compile(f, backend=tandem.torch.backend)(x)
        value.backward()
        (expected,) = torch.autograd.grad(f(x), x)
        torch.testing.assert_close(x.grad, expected)

    def test_sizes(self):
        model = networks.SimpleCNN()
        counter = torch._dynamo.testing.CompileCounterWithBackend(tandem.torch.backend)
        call = torch.compile(model, backend=counter)
        for batch in (4, 2, 7, 3, 4):
            x = torch.randn(batch, 3, 32, 32)
            _, expected = step_of(model, lambda x: model(x).square().mean(), [x], 0)
            _, actual = step_of(model, lambda x: call(x).square().mean(), [x], 0)
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
        self.assertLessEqual(counter.frame_count, 2)

    def test_positions_of_maxima_that_are_used(self):
        def f(x):
            y, index = functional.max_pool2d(x, 3, 2, 1, return_indices=True)
            return functional.max_unpool2d(y, index, 3, 2, 1, x.shape[-2:]).square().sum()

        x = torch.randn(2, 3, 9, 9, requires_grad=True)
        (expected,) = torch.autograd.grad(f(x), x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (actual,) = torch.autograd.grad(
                torch.compile(f, backend=tandem.torch.backend)(x), x)
        torch.testing.assert_close(actual, expected)

    def test_results_have_the_strides_of_torch(self):
        def f(x):
            return (x * 2).transpose(0, 1), (x + 1).permute(2, 0, 1)

        x = torch.randn(2, 3, 4, requires_grad=True)
        for result, expected in zip(compiled(f)(x), f(x), strict=True):
            torch.testing.assert_close(result, expected)
            self.assertEqual(result.stride(), expected.stride())

    def test_16_bit_floats(self):
        model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 4))
        model.bfloat16()
        x = torch.randn(5, 8, dtype=torch.bfloat16)
        _, expected = step_of(model, lambda x: model(x).float().square().mean(), [x], 0)
        call = compiled(model)
        _, actual = step_of(model, lambda x: call(x).float().square().mean(), [x], 0)
        for name, gradient in actual.items():
            self.assertEqual(gradient.dtype, torch.bfloat16)
            self.assertLessEqual(difference(gradient, expected[name]), 0.03, name)

    def test_wrong_inputs(self):
        model = nn.Linear(4, 3)
        call = compiled(lambda x, y: functional.cross_entropy(model(x), y))
        x, y = torch.randn(2, 4), torch.tensor([0, 2])
        call(x, y).backward()
        for label in (3, -1):
            with self.assertRaisesRegex(IndexError, f"Target {label} is out of bounds"):
                call(x, torch.tensor([0, label]))
        call(x, torch.tensor([0, -100])).backward()
        with self.assertRaisesRegex(Exception, "matmul C2: f64 and f32"):
            call(x.double(), y)
        model.weight.grad = None
        call(x * float("nan"), y).backward()
        self.assertTrue(model.weight.grad.isnan().all())
        embedding = nn.Embedding(5, 2)
        call = compiled(embedding)
        call(torch.tensor([4])).sum().backward()
        with self.assertRaisesRegex(IndexError, "index out of range in self"):
            call(torch.tensor([5]))


if __name__ == "__main__":
    unittest.main()
