"""Gradients of samples of op_db."""

import torch

# An error of a gradient is at most this share of its largest element, or this multiple of
# the error that torch itself makes in f32, or as many units in the last place of 1. The
# last is for gradients that are 0 but for rounding.
TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-9}
TIMES_TORCH = 8
UNITS = 50


class Gradients:
    """A function of tensors that also returns gradients.

    Args:
      function: from tensors to a list of tensors.
      required: for each tensor, whether its gradient is computed.
      inputs: tensors to call the function with, which determine the results.

    Attributes:
      wanted: the numbers of the tensors whose gradients are computed.
      seeds: gradients of the results, which `run` takes after the tensors.
      count: the number of gradients that `run` returns, after the results.
    """

    def __init__(self, function, required, inputs):
        self.function = function
        self.wanted = [i for i, each in enumerate(required) if each]
        results = function(*self._leaves(inputs))
        generator = torch.Generator().manual_seed(0)
        self.seeds = [torch.randn(r.shape, generator=generator, dtype=torch.float64).to(r.dtype)
                      for r in results if r.requires_grad]
        if not self.seeds:
            self.wanted = []
        self.count = 0

    def _leaves(self, tensors):
        return [t.detach().requires_grad_(i in self.wanted) for i, t in enumerate(tensors)]

    def run(self, *arguments):
        count = len(arguments) - len(self.seeds)
        with torch.enable_grad():
            leaves = self._leaves(arguments[:count])
            results = self.function(*leaves)
            gradients = torch.autograd.grad(
                [r for r in results if r.requires_grad], [leaves[i] for i in self.wanted],
                arguments[count:], allow_unused=True)
        gradients = [g for g in gradients if g is not None]
        self.count = len(gradients)
        return [*(r.detach() for r in results), *(g.detach() for g in gradients)]

    def check(self, gradients, expected, inputs):
        """Raises AssertionError if gradients are not those of torch."""
        exact = None
        for number, (gradient, right) in enumerate(zip(gradients, expected, strict=True)):
            limit = max(TOLERANCES[right.dtype] * _largest(right),
                        UNITS * torch.finfo(right.dtype).eps)
            if right.dtype == torch.float32 and not _is_close(gradient, right, limit):
                exact = exact or self._exact(inputs)
                error = (right.double() - exact[number]).abs()
                limit = max(limit, TIMES_TORCH * _largest(error))
            torch.testing.assert_close(gradient, right, equal_nan=True, check_stride=False,
                                       rtol=0, atol=limit)

    def _exact(self, inputs):
        """The gradients in f64."""
        wide = [t.double() if t.dtype == torch.float32 else t for t in inputs]
        return self.run(*wide)[-self.count:]


def _largest(tensor):
    finite = tensor[tensor.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _is_close(first, second, limit):
    return first.shape == second.shape and torch.allclose(first, second, 0, limit, True)
