# RUN: %torch-python %s
# REQUIRES: python-torch
"""Gradients of networks with respect to their parameters, against those of torch, and
tandem.torch.as_function, which makes the functions."""

import copy
import pathlib
import sys
import tempfile
import unittest

import tandem.torch
import torch
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "Inputs"))
import torch_networks as networks  # noqa: E402
from torch_errors import WIDE_TOLERANCE, bounds, difference, widened  # noqa: E402


def torch_step(loss, inputs):
    """The loss, the gradients and the buffers after a step, by name. The loss is copied,
    because a step changes buffers."""
    loss = copy.deepcopy(loss)
    value = loss(*inputs)
    value.backward()
    return (value.detach(), {name: p.grad for name, p in loss.named_parameters()},
            dict(loss.named_buffers()))


class NetworksTest(unittest.TestCase):
    def check_gradients(self, network, dtype, training):
        loss, inputs = networks.make(network, dtype, training)
        f = tandem.torch.as_function(torch.export.export(loss, inputs))
        value, torch_gradients, buffers = torch_step(loss, inputs)
        _, exact, _ = torch_step(copy.deepcopy(loss).double(), widened(inputs))
        names = list(exact)
        allowed = (bounds(loss, inputs, exact, torch_gradients) if dtype == torch.float32
                   else dict.fromkeys(names, WIDE_TOLERANCE))
        state = {**loss.state_dict(), "x": inputs[0], "labels": inputs[1]}
        arrays = [state[spec.name] for spec in f.inputs]
        both = f.with_gradient(arrays, wrt=names)
        for tier in ("eager", "compiled"):
            outputs = both(*arrays, tier=tier)
            torch.testing.assert_close(outputs[0], value)
            written = [spec.name for spec in f.outputs[1:]]
            self.assertEqual(bool(written), training and bool(buffers))
            for name, buffer in zip(written, outputs[1:]):
                torch.testing.assert_close(buffer, buffers[name])
            for name, gradient in zip(names, outputs[len(f.outputs):], strict=True):
                self.assertLessEqual(difference(gradient, exact[name]), allowed[name],
                                     f"{name} in tier {tier}")

    def test_networks(self):
        for network in (networks.SimpleCNN, networks.ResNet18, networks.ViT, networks.GPT):
            for dtype in (torch.float32, torch.float64):
                for training in (True, False) if network is networks.ResNet18 else (True,):
                    with self.subTest(network.__name__, dtype=dtype, training=training):
                        self.check_gradients(network, dtype, training)


class BatchNormTest(unittest.TestCase):
    """Sums over the elements of a channel are as exact as those of torch."""

    # In f32, an error is at most this share, or this multiple of torch's own error.
    SHARE, TIMES_TORCH = 2e-7, 4

    def test_errors(self):
        for order in (torch.contiguous_format, torch.channels_last):
            torch.manual_seed(0)
            norm = nn.BatchNorm2d(16, momentum=1.0)
            x = (3 + torch.randn(8, 16, 56, 56) / 2).to(memory_format=order)
            factor = (torch.rand(x.shape) + 0.5).to(memory_format=order)
            exact = self.step(copy.deepcopy(norm).double(), x.double(), factor.double())
            of_torch = self.step(copy.deepcopy(norm), x, factor)
            for mode in ("eager", "compile-now"):
                torch._dynamo.reset()
                call = torch.compile(norm, backend=tandem.torch.backend,
                                     options={"fallback": "error", "mode": mode})
                for _ in range(2):  # The first call may be run by the other tier.
                    results = self.step(norm, x, factor, call)
                for name, right in exact.items():
                    allowed = max(self.SHARE, self.TIMES_TORCH * difference(
                        of_torch[name], right))
                    self.assertLessEqual(difference(results[name], right), allowed,
                                         f"{name}, {mode}, {order}")

    def step(self, norm, x, factor, call=None):
        norm.zero_grad(set_to_none=True)
        x = x.detach().requires_grad_()
        y = (norm if call is None else call)(x)
        y.backward(factor)
        return {"y": y.detach(), "mean": norm.running_mean, "variance": norm.running_var,
                "x": x.grad, "weight": norm.weight.grad, "bias": norm.bias.grad}


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.register_buffer("scale", torch.tensor([2.0, -1.0]))
        self.register_buffer("offset", torch.tensor(0.5), persistent=False)

    def forward(self, x):
        y = self.linear(x) * self.scale + self.offset + torch.tensor([1.0, 2.0])
        return (y ** 2).mean()


class FunctionTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model, self.x = Scaled(), torch.randn(4, 3)
        self.program = torch.export.export(self.model, (self.x,))

    def test_a_step_by_names(self):
        f = tandem.torch.as_function(self.program)
        self.assertEqual([spec.name for spec in f.inputs],
                         ["linear.weight", "linear.bias", "scale", "offset", "x"])
        parameters = dict(self.model.named_parameters())
        with torch.no_grad():
            value, gradients = tandem.value_and_grad(f, wrt=list(parameters))(
                **parameters, **dict(self.model.named_buffers()), x=self.x)
        expected = self.model(self.x)
        expected.backward()
        torch.testing.assert_close(value, expected.detach())
        for gradient, parameter in zip(gradients, parameters.values()):
            torch.testing.assert_close(gradient, parameter.grad)

    def test_free_sizes_and_files(self):
        sizes = {"x": {0: torch.export.Dim("batch", min=2)}}
        program = torch.export.export(self.model, (self.x,), dynamic_shapes=sizes)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.pt2"
            torch.export.save(program, path)
            f = tandem.torch.as_function(path)
        state = [t.detach() for t in (*self.model.parameters(), *self.model.buffers())]
        gradient = tandem.grad(f, wrt="x")
        for batch in (4, 7):
            x = torch.randn(batch, 3, requires_grad=True)
            self.model(x).backward()
            torch.testing.assert_close(gradient(*state, x.detach()), x.grad)

    def test_sizes_that_must_be_numbers(self):
        class Pooled(nn.Module):
            def forward(self, x):
                return nn.functional.adaptive_avg_pool2d(x, 2).sum()

        x = torch.randn(1, 2, 6, 6)
        size = torch.export.Dim("size", min=2)
        program = torch.export.export(Pooled(), (x,), dynamic_shapes={"x": {2: size, 3: size}})
        with self.assertRaisesRegex(tandem.Error, "cannot build this program for all sizes"):
            tandem.torch.as_function(program)
        f = tandem.torch.as_function(torch.export.export(Pooled(), (x,)))
        torch.testing.assert_close(tandem.grad(f)(x), torch.full_like(x, 1 / 9))

    def test_tied_parameters_are_one_input(self):
        loss, inputs = networks.make(networks.GPT, torch.float32, True)
        f = tandem.torch.as_function(torch.export.export(loss, inputs))
        names = [spec.name for spec in f.inputs]
        self.assertIn("network.embedding.weight", names)
        self.assertNotIn("network.linear.weight", names)

    def test_programs_that_are_refused(self):
        class Writes(nn.Module):
            def forward(self, x):
                return x.add_(1).sum()

        class Lacks(nn.Module):
            def forward(self, x):
                return torch.i0(x).sum()

        class Number(nn.Module):
            def forward(self, x, n):
                return x * n

        for module, inputs, message in ((Writes(), (self.x,), "writes to its inputs x"),
                                        (Lacks(), (self.x,), r"aten\.i0"),
                                        (Number(), (self.x, 3), "no tensor")):
            with self.assertRaisesRegex(tandem.Error, message) as caught:
                tandem.torch.as_function(torch.export.export(module, inputs))
            self.assertEqual(caught.exception.phase, "torch")
        with self.assertRaisesRegex(tandem.Error, "leaves no ops to torch"):
            tandem.torch.as_function(self.program, fallback="warn")
        with self.assertRaisesRegex(TypeError, "not an exported program or a path"):
            tandem.torch.as_function(self.model)
        with self.assertRaisesRegex(tandem.Error, "no option"):
            tandem.torch.as_function(self.program, speed=1)


if __name__ == "__main__":
    unittest.main()
