# RUN: %torch-python %s
# REQUIRES: python-torch
"""Infinities, NaN, huge and subnormal numbers in ops of torch."""

import math
import unittest

import tandem.torch  # noqa: F401
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional

from tandem.torch._backend import build_with, check_options, decompositions
from tandem.torch._compiled import CompiledGraph
from tandem.torch._importer import find_fallbacks

VALUES = [math.inf, -math.inf, math.nan, 1e30, -1e30, 1e-40, -1e-40, 0.0, -0.0, 1.0, -2.5,
          3.0, 65504.0, -65504.0, 0.5, 1.5]

# gelu is not here: torch's result at infinity is inf or NaN, depending on the dtype and the
# number of elements.
ELEMENTWISE = {
    "relu": functional.relu, "sigmoid": torch.sigmoid, "silu": functional.silu,
    "hardswish": functional.hardswish, "elu": functional.elu, "mish": functional.mish,
    "softplus": functional.softplus, "trunc": torch.trunc, "round": torch.round,
    "sign": torch.sign, "reciprocal": torch.reciprocal, "rsqrt": torch.rsqrt,
    "exp2": torch.exp2, "expm1": torch.expm1, "tanh": torch.tanh, "erf": torch.erf,
    "isnan": torch.isnan, "isinf": torch.isinf, "to bool": lambda x: x.to(torch.bool),
    "leaky_relu": lambda x: functional.leaky_relu(x, 0.1),
    "clamp": lambda x: x.clamp(-1, 2), "clamp_min": lambda x: x.clamp(min=0),
    "square": lambda x: x ** 2, "cube": lambda x: x ** 3, "root": lambda x: x ** 0.5,
    "inverse": lambda x: x ** -1, "remainder": lambda x: torch.remainder(x, 2.5),
    "fmod": lambda x: torch.fmod(x, -2.5), "where": lambda x: torch.where(x > 0, x, -x),
    "maximum": lambda x: torch.maximum(x, x.flip(0)),
    "minimum": lambda x: torch.minimum(x, x.flip(0)), "div": lambda x: x / x.flip(0),
    "floor division": lambda x: torch.div(x, 2.5, rounding_mode="floor"),
    "floor division of wholes": lambda x: torch.div(x, 0.1, rounding_mode="floor"),
    "floor division by zero": lambda x: torch.div(x, x * 0, rounding_mode="floor"),
    "truncating division": lambda x: torch.div(x, 2.5, rounding_mode="trunc"),
    "comparisons": lambda x: (x < x.flip(0), x == x, x != x),
}
ALONG_ROWS = {
    "amax": lambda x: x.amax(1), "max": lambda x: x.max(1), "argmax": lambda x: x.argmax(1),
    "sort": lambda x: x.sort().values, "topk": lambda x: x.topk(3).values,
    "cumsum": lambda x: x.cumsum(1), "sum": lambda x: x.sum(1), "mean": lambda x: x.mean(1),
    "softmax": lambda x: x.softmax(1), "log_softmax": lambda x: x.log_softmax(1),
    "min": lambda x: x.min(1), "argmin": lambda x: x.argmin(1), "amin": lambda x: x.amin(1),
    "var": lambda x: x.var(1), "any": lambda x: x.any(1), "prod": lambda x: x.prod(1),
    "max_pool2d": lambda x: functional.max_pool2d(x[None, None], 2),
    "avg_pool2d": lambda x: functional.avg_pool2d(x[None, None], 2),
    "avg_pool2d with a divisor": lambda x: functional.avg_pool2d(x[None, None], 2,
                                                                 divisor_override=3),
    "avg_pool2d with ceil_mode": lambda x: functional.avg_pool2d(x[None, None], 3,
                                                                 ceil_mode=True),
    "max_pool2d with indices": lambda x: functional.max_pool2d(
        x[None, None], 3, 1, 1, return_indices=True),
    "adaptive_avg_pool2d": lambda x: functional.adaptive_avg_pool2d(x[None, None], 3),
    "adaptive_max_pool2d": lambda x: functional.adaptive_max_pool2d(
        x[None, None], 3, return_indices=True),
    "pad": lambda x: functional.pad(x, (1, -2, 0, 1), value=-math.inf),
    "cdist": lambda x: torch.cdist(x.float(), x.flip(0).float()),
}
LEAST, MOST = -2 ** 63, 2 ** 63 - 1
INTEGERS = [LEAST, LEAST + 1, -7, -2, -1, 1, 2, 5, MOST - 1, MOST, 3, -3]
OF_INTEGERS = {
    "floor division": lambda x: torch.div(x, 2, rounding_mode="floor"),
    "floor division by negatives": lambda x: x // -3,
    "floor division by the least": lambda x: x // LEAST,
    "truncating division": lambda x: torch.div(x, -2, rounding_mode="trunc"),
    "floor division of two": lambda x: torch.div(x[1:], x.flip(0)[1:] * 2 + 1,
                                                 rounding_mode="floor"),
    "remainder": lambda x: torch.remainder(x, -5), "fmod": lambda x: torch.fmod(x, -5),
    "power": lambda x: x ** 5, "power of two": lambda x: torch.pow(x, x.clamp(0, 4)),
    "negative power": lambda x: torch.pow(x, -x.abs().clamp(1, 3)),
    "sort": lambda x: x.sort(), "topk": lambda x: x.topk(3, largest=False),
    "min": lambda x: x.min(0), "argmin": lambda x: x.argmin(), "argmax": lambda x: x.argmax(),
    "pad": lambda x: torch.constant_pad_nd(x, (1, 2), MOST),
    "sum with a large number": lambda x: x + (2 ** 53 + 1),
    "comparison with a large number": lambda x: x > MOST - 1,
    "matmul": lambda x: x.view(3, 4) @ x.view(4, 3),
    "conv1d": lambda x: functional.conv1d(x.view(1, 2, 6), x[:8].view(2, 2, 2), padding=1),
    "conv_transpose1d": lambda x: functional.conv_transpose1d(
        x.view(1, 2, 6), x[:8].view(2, 2, 2), stride=2, padding=2),
    "max_pool1d": lambda x: functional.max_pool1d(x.view(1, 2, 6), 2, return_indices=True),
    "avg_pool1d": lambda x: functional.avg_pool1d(x.view(1, 2, 6) // 8, 3, 2, 1),
    "cumsum": lambda x: x.cumsum(0), "prod": lambda x: x.prod(),
    "scatter": lambda x: x.scatter(0, x.abs() % 3, 5, reduce="multiply"),
    "scatter_reduce": lambda x: x.scatter_reduce(0, x.clamp(0, 3), x, "amin",
                                                 include_self=False),
}
OF_BOOLS = {
    "maximum": lambda x: torch.maximum(x, x.flip(0)), "amin": lambda x: x.amin(),
    "max": lambda x: x.view(2, 2).max(1), "sort": lambda x: x.sort(stable=True),
    "clamp": lambda x: x.clamp(min=~x), "pad": lambda x: functional.pad(x, (1, 1), value=True),
    "add without effect": lambda x: torch.add(x, ~x, alpha=False),
    "masked write": lambda x: torch.zeros(4).masked_fill(x, 2.0).index_put((x,),
                                                                          torch.tensor(3.0)),
}
OF_SCALARS = {
    "transpose": lambda x: x.transpose(0, -1), "sum": lambda x: x.sum(0),
    "amax": lambda x: x.amax(-1), "sort": lambda x: x.sort(0), "softmax": lambda x: x.softmax(0),
    "log_softmax": lambda x: x.log_softmax(0), "cumsum": lambda x: x.cumsum(0),
    "index_select": lambda x: x.index_select(0, torch.tensor([0])),
    "scatter_add": lambda x: x.scatter_add(0, torch.tensor(0), torch.tensor(1.5)),
}
OF_EMPTIES = {
    "sum": lambda x: x.sum(0), "mean": lambda x: x.mean(0), "prod": lambda x: x.prod(0),
    "sort": lambda x: x.sort(0), "topk": lambda x: x.topk(2), "any": lambda x: x.any(0),
    "cat": lambda x: torch.cat([x, x + 1, torch.zeros(2, 3)]), "flip": lambda x: x.flip(0),
    "index": lambda x: x[torch.zeros(0, dtype=torch.int64)], "cumsum": lambda x: x.cumsum(0),
    "matmul": lambda x: x.t() @ x, "softmax": lambda x: x.softmax(1), "var": lambda x: x.var(0),
}


class SpecialValuesTest(unittest.TestCase):
    def check(self, function, x):
        torch.set_grad_enabled(False)
        expected = function(x)
        expected = expected if isinstance(expected, tuple) else (expected,)
        graph = make_fx(lambda x: list(torch.utils._pytree.tree_leaves(function(x))),
                        decomposition_table=decompositions())(x)
        graph.graph.eliminate_dead_code()
        self.assertEqual(list(find_fallbacks(graph.graph).values()), [])
        for mode in ("eager", "compile"):
            f = CompiledGraph(graph, [], build_with(check_options({"mode": mode})))
            for result, right in zip(f([x]), expected, strict=True):
                epsilon = (torch.finfo(right.dtype).eps if right.is_floating_point() else 0)
                units = 16 if right.dtype == torch.float32 else 4
                torch.testing.assert_close(result, right, rtol=units * epsilon,
                                           atol=epsilon, equal_nan=True)

    def test_elementwise(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for name, function in ELEMENTWISE.items():
                with self.subTest(op=name, dtype=dtype):
                    self.check(function, torch.tensor(VALUES).to(dtype))

    def test_along_rows(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for name, function in ALONG_ROWS.items():
                with self.subTest(op=name, dtype=dtype):
                    self.check(function, torch.tensor(VALUES).view(4, 4).to(dtype))

    def test_integers(self):
        for name, function in OF_INTEGERS.items():
            with self.subTest(op=name):
                self.check(function, torch.tensor(INTEGERS))

    def test_bools(self):
        for name, function in OF_BOOLS.items():
            with self.subTest(op=name):
                self.check(function, torch.tensor([True, False, True, True]))

    def test_scalars(self):
        for name, function in OF_SCALARS.items():
            with self.subTest(op=name):
                self.check(function, torch.tensor(2.5))

    def test_empty(self):
        for name, function in OF_EMPTIES.items():
            with self.subTest(op=name):
                self.check(function, torch.zeros(0, 3))


if __name__ == "__main__":
    unittest.main()
