# RUN: %torch-python %s
# REQUIRES: python-torch
"""Graphs with symbolic sizes: one function for all sizes, or one for each."""

import unittest
from unittest import mock

import tandem
import tandem.torch
import torch
from tandem.torch import _backend
from tandem.torch._table import HANDLERS, Unsupported
from torch import nn
from torch_compile import Attention, Convolutions


class SizesTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch.set_grad_enabled(False)
        self.graphs = []
        original = _backend.CompiledGraph

        def record(*arguments):
            self.graphs.append(original(*arguments))
            return self.graphs[-1]

        patch = mock.patch.object(_backend, "CompiledGraph", record)
        patch.start()
        self.addCleanup(patch.stop)

    def check(self, f, inputs, functions=1, mode="auto", dynamic=True):
        """Calls f with each of `inputs`. There must be one graph then, with so many
        functions."""
        torch._dynamo.reset()
        self.graphs.clear()
        compiled = torch.compile(f, backend=tandem.torch.backend, dynamic=dynamic,
                                 options={"fallback": "error", "mode": mode})
        for x in inputs:
            torch.testing.assert_close(compiled(*x), f(*x), rtol=1e-4, atol=1e-5)
        self.assertEqual([len(graph.functions()) for graph in self.graphs], [functions])

    def test_convolutions(self):
        inputs = [(torch.randn(n, 3, 9, 9),) for n in (2, 3, 7)]
        for (x,) in inputs:
            torch._dynamo.mark_dynamic(x, 0)
        for mode in ("eager", "compile"):
            self.check(Convolutions().eval(), inputs, mode=mode, dynamic=None)

    def test_attention_of_any_batch_and_length(self):
        for mode in ("eager", "compile"):
            self.check(Attention().eval(), [(torch.randint(0, 50, size),)
                                            for size in ((2, 5), (3, 4), (7, 16))], mode=mode)

    def test_attention_with_grouped_queries(self):
        def f(x):
            q = x.unflatten(-1, (4, 8)).transpose(1, 2)
            k, v = x.unflatten(-1, (2, 2, 8)).permute(2, 0, 3, 1, 4)
            return nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

        self.check(f, [(torch.randn(2, n, 32),) for n in (3, 5)])

    def test_views(self):
        def f(x):
            n, m = x.shape
            return (x[-1], x[:, -2:], x[1:-1], x[n // 2:], x.view(-1), x.t().reshape(m * n),
                    x.unsqueeze(1).expand(n, 3, m), torch.cat([x, x[:1]]), x.flatten(),
                    nn.functional.pad(x, (1, 2)), torch.stack([x, x]), x.flip(0),
                    x.repeat(2, 3), x.chunk(1, 0)[0])

        self.check(f, [(torch.randn(n, m),) for n, m in ((4, 3), (5, 8), (7, 6))])

    def test_results_that_are_views_of_inputs(self):
        def f(x):
            return x + 1, x[1:], x[:, ::2], x.t(), x[:, None].expand(x.shape[0], 3, x.shape[1])

        for dynamic in (False, True):
            torch._dynamo.reset()
            compiled = torch.compile(f, backend=tandem.torch.backend, dynamic=dynamic)
            for size in ((4, 6), (5, 8)):
                x = torch.randn(size)
                for actual, expected in zip(compiled(x), f(x)):
                    self.assertTrue(torch.equal(actual, expected))
                    self.assertEqual(actual.stride(), expected.stride())
                    self.assertEqual(actual.storage_offset(), expected.storage_offset())

    def test_sizes_as_numbers_of_elements(self):
        def f(x):
            n = x.shape[0]
            mask = torch.arange(n)[:, None] >= torch.arange(n)[None]
            return (x * n, x / n, torch.full((n, 2), 3.0), torch.zeros(n), x.mean(0),
                    x.var(0), mask, torch.where(mask, 1.0, -torch.inf).softmax(-1),
                    torch.arange(n, 2 * n), x.new_ones(n, n))

        self.check(f, [(torch.randn(n, 3),) for n in (4, 5, 9)])

    def test_sizes_that_ops_need_as_numbers(self):
        def f(x):
            return nn.functional.adaptive_avg_pool2d(x, 2)

        self.check(f, [(torch.randn(1, 2, 2 * n, 2 * n),) for n in (2, 3, 5)], functions=3)

    def test_sizes_that_an_op_does_not_support(self):
        relu = torch.ops.aten.relu.default
        original = HANDLERS[relu]

        def only_even(c, x):
            if c.shape(x)[0] % 2:
                raise Unsupported("an odd size")
            return original(c, x)

        x = {n: torch.randn(n) for n in (4, 5, 6)}
        with mock.patch.dict(HANDLERS, {relu: only_even}):
            f = torch.compile(torch.relu, backend=tandem.torch.backend, dynamic=True)
            torch.testing.assert_close(f(x[4]), x[4].relu())
            with self.assertWarnsRegex(RuntimeWarning, "an odd size for sizes of this call"):
                torch.testing.assert_close(f(x[5]), x[5].relu())
            torch.testing.assert_close(f(x[6]), x[6].relu())
            torch._dynamo.reset()
            strict = torch.compile(torch.relu, backend=tandem.torch.backend, dynamic=True,
                                   options={"fallback": "error"})
            torch.testing.assert_close(strict(x[4]), x[4].relu())
            with self.assertRaisesRegex(tandem.Error, "an odd size"):
                strict(x[5])

    def test_results_that_are_sizes(self):
        def f(x):
            torch._dynamo.graph_break()
            y = x.reshape(-1) + 1
            return y, y.shape[0]

        self.check(f, [(torch.randn(n, 3),) for n in (2, 4)])

    def test_constant_graph_is_called_twice(self):
        def f():
            return torch.ones(3) * 2

        self.check(f, [(), ()])

    def test_buffers_that_are_written_to_are_no_constants(self):
        class Cache(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)
                self.register_buffer("rows", torch.zeros(5, 4))

            def forward(self, x, i):
                self.rows.index_copy_(0, i, self.linear(x))
                return self.rows.sum(0)

        model, inputs = Cache().eval(), [(torch.randn(1, 4), torch.tensor([i]))
                                         for i in range(5)]
        self.check(model, inputs, dynamic=False)
        (graph,) = self.graphs
        self.assertEqual(len(graph.split.constants), 2)
        self.assertEqual(graph.functions()[0].report().signatures[0].calls, 5)

    def test_buffers_that_change_between_calls_become_inputs(self):
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)
                self.register_buffer("scale", torch.ones(4))

            def forward(self, x):
                return self.linear(x) * self.scale

        model, x = Scale().eval(), torch.randn(2, 4)
        torch._dynamo.reset()
        self.graphs.clear()
        compiled = torch.compile(model, backend=tandem.torch.backend, dynamic=False,
                                 options={"fallback": "error"})
        for _ in range(8):
            model.scale.add_(0.5)
            torch.testing.assert_close(compiled(x), model(x))
        (graph,) = self.graphs
        self.assertEqual(len(graph.split.constants), 2)
        self.assertGreater(graph.functions()[0].report().signatures[0].calls, 2)

    def recompiles(self, f, sizes, prepare):
        torch._dynamo.reset()
        self.graphs.clear()
        torch._dynamo.utils.counters.clear()
        compiled = torch.compile(f, backend=tandem.torch.backend,
                                 options={"fallback": "error"})
        for n in sizes:
            x = torch.randn(n, 3, 9, 9)
            prepare(x)
            torch.testing.assert_close(compiled(x), f(x), rtol=1e-4, atol=1e-5)
        return torch._dynamo.utils.counters["stats"]["unique_graphs"] - 1

    def test_batch_sizes_are_not_traced_again(self):
        model, sizes = Convolutions().eval(), range(1, 21)
        self.assertLessEqual(self.recompiles(model, sizes, lambda x: None), 2)
        # Without a minimum, torch's batch normalization asks whether x is empty.
        self.assertEqual(self.recompiles(
            model, sizes,
            lambda x: torch._dynamo.decorators.mark_unbacked(x, 0, min=1)), 0)
        self.assertEqual(len(self.graphs[0].functions()), 1)


if __name__ == "__main__":
    unittest.main()
