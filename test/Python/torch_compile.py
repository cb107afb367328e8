# RUN: %torch-python %s
# REQUIRES: python-torch
"""torch.compile(model, backend="tandem")."""

import contextlib
import gc
import pathlib
import tempfile
import unittest
import warnings
from unittest import mock

import tandem
import tandem.torch
import torch
from torch import nn


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1, stride=2, groups=4)
        self.linear = nn.Linear(16 * 4, 5)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.norm(self.conv1(x))), 2)
        x = nn.functional.adaptive_avg_pool2d(torch.relu(self.conv2(x)), 2)
        return self.linear(x.flatten(1)).softmax(-1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 32)
        self.first, self.second = nn.LayerNorm(32), nn.LayerNorm(32)
        self.query_key_value, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, tokens):
        x = self.embedding(tokens)
        batch, length, width = x.shape
        q, k, v = self.query_key_value(self.first(x)).view(
            batch, length, 3, 4, width // 4).permute(2, 0, 3, 1, 4).unbind(0)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.second(x))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        return x * self.calls


class Lambda(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


def compiled(model, **options):
    return torch.compile(model, backend=tandem.torch.backend, options=options or None)


@contextlib.contextmanager
def no_warnings():
    """tandem's warnings are errors."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="tandem")
        yield


class CompileTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        torch.set_grad_enabled(False)

    def close(self, actual, expected):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)

    def test_models_agree_with_torch_in_each_mode(self):
        cases = [(Convolutions().eval(), torch.randn(2, 3, 9, 9)),
                 (Attention().eval(), torch.randint(0, 50, (2, 7)))]
        for model, x in cases:
            for mode in ("eager", "compile", "auto"):
                with self.subTest(model=type(model).__name__, mode=mode), no_warnings():
                    torch._dynamo.reset()
                    f = compiled(model, fallback="error", mode=mode)
                    for _ in range(3):
                        self.close(f(x), model(x))

    def test_sizes_do_not_compile_again(self):
        model = Attention().eval()
        counter = torch._dynamo.testing.CompileCounterWithBackend(tandem.torch.backend)
        f = torch.compile(model, backend=counter)
        with no_warnings():
            for length in (7, 3, 12, 5, 9, 20, 4):
                tokens = torch.randint(0, 50, (2, length))
                self.close(f(tokens), model(tokens))
        self.assertLessEqual(counter.frame_count, 2)

    def test_functions_of_old_sizes_are_dropped(self):
        models = {"MAX_SIZES": lambda x: x.relu() * 2,
                  "MAX_FUNCTIONS": lambda x: nn.functional.adaptive_avg_pool1d(x, 2)}
        for limit, model in models.items():
            with no_warnings(), mock.patch.object(tandem.torch._compiled, limit, 3):
                f = compiled(model)
                for size in (4, 6, 8, 10, 12, 14, 6):
                    x = torch.randn(2, 3, size)
                    self.close(f(x), model(x))
            graphs = [each for each in gc.get_objects()
                      if type(each) is tandem.torch._compiled.CompiledGraph]
            self.assertEqual(max(len(graph.known.functions) for graph in graphs if graph.known),
                             3)

    def test_ops_that_tandem_lacks_are_named_and_run_in_torch(self):
        def f(x):
            return torch.i0((x + 1).relu() / 9) + 3

        x = torch.rand(4, 8)
        with self.assertWarnsRegex(RuntimeWarning, r"aten\.i0.*torch_compile\.py:\d+\)"):
            result = compiled(f)(x)
        self.close(result, f(x))
        torch._dynamo.reset()
        with self.assertRaisesRegex(Exception, r"aten\.i0"):
            compiled(f, fallback="error")(x)
        torch._dynamo.reset()
        with no_warnings():
            self.close(compiled(f, fallback="silent")(x), f(x))

    def test_changed_parameters_are_seen(self):
        model = nn.Linear(4, 4)
        f, x = compiled(model), torch.randn(2, 4)
        self.close(f(x), model(x))
        model.weight.mul_(2)
        self.close(f(x), model(x))
        model.weight = nn.Parameter(torch.randn(4, 4))
        self.close(f(x), model(x))

    def test_backend_is_found_by_its_name(self):
        x = torch.randn(3)
        self.close(torch.compile(torch.relu, backend="tandem")(x), x.relu())

    def test_buffers_are_written_to(self):
        model, reference = Counter(), Counter()
        f, x = compiled(model, fallback="error"), torch.randn(3)
        for _ in range(3):
            self.close(f(x), reference(x))
        self.close(model.calls, reference.calls)

    def test_results_have_the_strides_of_torch(self):
        def f(x):
            return (x + 1).transpose(0, 1), (x * 2).permute(2, 0, 1), x

        x = torch.randn(2, 3, 4)
        with no_warnings():
            results = compiled(f, fallback="error")(x)
        for result, expected in zip(results, f(x), strict=True):
            self.close(result, expected)
            self.assertEqual(result.stride(), expected.stride())
        self.assertEqual(results[2].data_ptr(), x.data_ptr())

    def test_results_are_not_views_of_inputs_or_parameters(self):
        weight = torch.randn(4)
        f = compiled(lambda x: (x.clone(), weight.view(2, 2)))
        x = torch.randn(4)
        before = weight.clone()
        copy, _ = f(x)
        copy.add_(1)
        self.close(f(x)[0], x)
        self.close(weight, before)

    def test_dtypes(self):
        def f(x, y):
            return x + y, x * 2, x > y, (x / y).to(torch.float32), torch.where(x > 1, x, y)

        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16,
                      torch.int64, torch.int32, torch.int8, torch.uint8):
            with self.subTest(dtype=dtype):
                x, y = torch.tensor([1, 2, 3]).to(dtype), torch.tensor([3, 2, 1]).to(dtype)
                for result, right in zip(compiled(f)(x, y), f(x, y), strict=True):
                    self.assertEqual(result.dtype, right.dtype)
                    torch.testing.assert_close(result, right)

    def test_other_devices_are_left_to_torch(self):
        x = torch.ones(3, device="meta")
        with self.assertWarnsRegex(RuntimeWarning, "tensors on meta are left to torch"):
            y = compiled(lambda x: x * 2 + 1)(x)
        self.assertEqual((y.device.type, y.shape), ("meta", (3,)))

    def test_empty_tensors(self):
        def f(x):
            return x.sum(1), x.reshape(-1), torch.cat([x, x]), x.softmax(1), x @ x.T

        for shape in ((0, 4), (3, 0), (0, 0)):
            with self.subTest(shape=shape):
                x = torch.ones(shape)
                for result, right in zip(compiled(f)(x), f(x), strict=True):
                    torch.testing.assert_close(result, right)

    def test_wrong_options_are_named(self):
        for options, message in [({"fallback": "no"}, "fallback is one of"),
                                 ({"fast": True}, "no option 'fast'"),
                                 ({"mode": "quick"}, "mode")]:
            with self.subTest(options=options), self.assertRaisesRegex(Exception, message):
                torch._dynamo.reset()
                compiled(lambda x: x + 1, **options)(torch.ones(2))
        torch._dynamo.reset()
        with self.assertRaisesRegex(Exception, "is Inductor's"):
            torch.compile(lambda x: x + 1, backend=tandem.torch.backend,
                          mode="max-autotune")(torch.ones(2))

    def test_exported_programs(self):
        model, x = Convolutions().eval(), torch.randn(2, 3, 9, 9)
        batch = torch.export.Dim("batch")
        program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.pt2")
            torch.export.save(program, path)
            loaded = tandem.torch.load(path, fallback="error")
        for f in (tandem.torch.load(program), loaded):
            for size in (2, 5):
                x = torch.randn(size, 3, 9, 9)
                self.close(f(x), model(x))

    def test_ops_after_one_that_is_refused_run_in_tandem(self):
        def f(x, y):
            z = torch._int_mm(x, y)
            return z.relu() + 1

        def refused(c, x, y):
            return c.b.matmul(x, c.b.transpose(y, permutation=[0, 1, 2]))

        x, y = torch.ones(32, 32, dtype=torch.int8), torch.ones(32, 32, dtype=torch.int8)
        with mock.patch.dict(tandem.torch._table.HANDLERS,
                             {torch.ops.aten._int_mm.default: refused}):
            coverage = tandem.torch.coverage(Lambda(f), x, y)
        self.assertEqual([each.op for each in coverage.fallbacks], ["aten._int_mm.default"])
        self.assertIn("transpose C1", coverage.fallbacks[0].reason)
        self.assertEqual(len(coverage.ops), 2)

    def test_coverage(self):
        class Inverse(nn.Module):
            def forward(self, x):
                return torch.i0(x.relu())

        coverage = tandem.torch.coverage(Inverse(), torch.rand(2, 3))
        self.assertEqual(coverage.ops, {"aten.relu.default": 1})
        self.assertIn("aten.i0", coverage.fallbacks[0].op)
        self.assertIn("torch_compile.py:", coverage.fallbacks[0].location)
        self.assertIn("<table>", coverage._repr_html_())
        self.assertIn("aten.i0", str(coverage))


if __name__ == "__main__":
    unittest.main()
