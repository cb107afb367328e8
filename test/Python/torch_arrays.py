# RUN: %torch-python %s
# REQUIRES: python-torch
"""Tensors of torch: what goes in, what comes out, and what is refused."""

import gc
import sys
import unittest
import warnings
import weakref

import numpy as np
import tandem
import torch
import torch.nn.functional as F
from Inputs.graphs import convnet, elementwise

DTYPES = {"float32": torch.float32, "float64": torch.float64,
          "float16": torch.float16, "bfloat16": torch.bfloat16,
          "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
          "int64": torch.int64, "uint8": torch.uint8}


class TorchTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.neg = elementwise("neg", "float32")

    def check(self, actual, expected):
        """Equal bit for bit, with the dtype and strides of dense tensors."""
        self.assertIs(type(actual), torch.Tensor)
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertTrue(actual.is_contiguous())
        self.assertTrue(torch.equal(actual, expected))

    def test_dtypes(self):
        for name, dtype in DTYPES.items():
            x = torch.tensor([0, 1, 5, 100], dtype=dtype)
            self.check(elementwise("neg", name)(x), -x)
        x = torch.tensor([True, False])
        self.check(elementwise("logical_not", "bool")(x), ~x)

    def test_special_values(self):
        x = torch.tensor([float("inf"), float("nan"), 1e-40, -0.0])
        for tier in ("eager", "compiled"):
            self.check(self.neg(x, tier=tier).view(torch.int32),
                       (-x).view(torch.int32))

    def test_layouts(self):
        base = torch.randn(6, 8)
        cases = [base, base.T, base[1:4, ::3], base[:, 2:3], base.flip(1),
                 base[:1].expand(5, 8), base[:0], torch.empty(0, 3),
                 base.unfold(1, 3, 2)[:, :, 1], base.to_mkldnn().to_dense()]
        f = elementwise("neg", "float32", rank=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            for x in cases:
                for tier in ("eager", "compiled"):
                    self.check(f(x, tier=tier), -x.contiguous())
        x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
        with self.assertWarns(RuntimeWarning):
            self.check(elementwise("neg", "float32", rank=4)(x), -x.contiguous())
        self.check(elementwise("neg", "float32", rank=0)(torch.tensor(2.0)),
                   torch.tensor(-2.0))

    def test_copies_are_counted(self):
        f = elementwise("neg", "float32", rank=2)
        f(torch.ones(3, 4))
        self.assertEqual(f.copies, 0)
        with self.assertWarnsRegex(RuntimeWarning, "input 'x' is not contiguous"):
            f(torch.ones(4, 3).T)
        self.assertEqual(f.copies, 1)

    def test_a_network(self):
        filters, weights = torch.randn(8, 3, 3, 3), torch.randn(8, 10)
        f, x = convnet(filters, weights), torch.randn(2, 3, 16, 16)
        y = F.softmax(F.relu(F.conv2d(x, filters)).mean((2, 3)) @ weights, 1)
        for tier in ("reference", "eager", "compiled"):
            torch.testing.assert_close(f(x, tier=tier), y, rtol=1e-4, atol=1e-6)

    def test_several_inputs(self):
        f = elementwise("add", "float32", "float32")
        x, y = torch.randn(100), torch.randn(100)
        self.check(f(x, y), x + y)
        self.check(f(y=y, x=x), x + y)
        # The first array decides.
        self.check(f(x, y.numpy()), x + y)
        self.assertIsInstance(f(x.numpy(), y), np.ndarray)

    def test_results_are_the_callers(self):
        b = tandem.Builder()
        x = b.input("float32", (None,), name="x")
        f = b.build([x, b.constant(np.zeros(3, np.float32))])
        x = torch.ones(3)
        for _ in range(2):
            same, zeros = f(x)
            self.check(same, x)
            self.check(zeros, torch.zeros(3))
            same.add_(1)
            zeros.add_(1)
        self.check(x, torch.ones(3))
        same.requires_grad_().sum().backward()
        self.check(same.grad, torch.ones(3))

    def test_results_live_on(self):
        f, x = elementwise("neg", "float32"), torch.randn(1000)
        y = f(x)[10:]
        del f
        gc.collect()
        self.check(y, -x[10:])

    def test_memory_is_released(self):
        x, out = torch.ones(100), torch.empty(100)
        self.neg(x, out=out)
        before = sys.getrefcount(x), sys.getrefcount(out)
        for _ in range(1000):
            self.neg(x)
            self.neg(x, out=out)
        self.assertEqual((sys.getrefcount(x), sys.getrefcount(out)), before)
        references = weakref.ref(x), weakref.ref(out), weakref.ref(self.neg(x))
        del x, out
        self.assertEqual([reference() for reference in references], [None] * 3)


class OutTest(unittest.TestCase):
    def setUp(self):
        self.neg = elementwise("neg", "float32")

    def test_out(self):
        x, out = torch.arange(4.0), torch.empty(4)
        self.assertIs(self.neg(x, out=out), out)
        self.assertTrue(torch.equal(out, -x))
        base = torch.zeros(3, 4)
        self.neg(x, out=base[1])
        self.assertTrue(torch.equal(base.sum(0), -x))
        self.assertTrue(torch.equal(base[1], -x))
        array = np.empty(4, np.float32)
        self.neg(x, out=array)
        np.testing.assert_array_equal(array, -x.numpy())

    def test_out_that_does_not_fit(self):
        x = torch.arange(4.0)
        for out, message in [(x, "overlaps"), (torch.empty(8)[::2], "not contiguous"),
                             (torch.empty(1).expand(4), "not contiguous"),
                             (torch.empty(4).double(), "output 0"),
                             (torch.empty(5), "the tensor for it is")]:
            with self.assertRaisesRegex(tandem.Error, message):
                self.neg(x, out=out)
        with self.assertRaisesRegex(TypeError, "output 'result' needs a gradient"):
            self.neg(x, out=torch.empty(4, requires_grad=True))

    def test_autograd_sees_writes(self):
        w, out = torch.ones(4, requires_grad=True), torch.ones(4)
        product = w * out  # Keeps `out` for the gradient.
        self.neg(torch.arange(4.0), out=out)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            product.sum().backward()

    def test_inference_tensors(self):
        with torch.inference_mode():
            x, out = torch.arange(4.0), torch.empty(4)
            self.assertTrue(torch.equal(self.neg(x), -x))
        self.assertTrue(torch.equal(self.neg(x), -x))
        with torch.inference_mode():
            self.assertTrue(torch.equal(self.neg(x, out=out), -x))


class Labelled(torch.Tensor):
    """A subclass without behavior of its own."""


class Wrapper(torch.Tensor):
    """A subclass whose elements are elsewhere."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    @classmethod
    def __torch_dispatch__(cls, op, types, args=(), kwargs=None):
        raise NotImplementedError(op)


class UnusualTest(unittest.TestCase):
    """Tensors whose memory is not what a program sees, or that have none."""

    def setUp(self):
        self.neg = elementwise("neg", "float32")

    def refuses(self, x, message, function=None):
        with self.assertRaisesRegex(TypeError, f"input 'x'.*{message}"):
            (function or self.neg)(x)

    def test_gradients(self):
        x = torch.ones(3, requires_grad=True)
        for each in (x, torch.nn.Parameter(torch.ones(3)), x * 2):
            self.refuses(each, r"needs a gradient.*detach\(\).*no_grad\(\)")
            self.assertTrue(torch.equal(self.neg(each.detach()), -each))
            for mode in (torch.no_grad(), torch.inference_mode()):
                with mode:
                    y = self.neg(each)
                self.assertTrue(torch.equal(y, -each))
                self.assertFalse(y.requires_grad)

    def test_subclasses(self):
        x = torch.randn(3)
        self.assertTrue(torch.equal(self.neg(x.as_subclass(Labelled)), -x))
        self.refuses(Wrapper(x), "Wrapper")
        # What is known of a type is kept for the last types.
        for _ in range(2):
            for i in range(12):
                each = x.as_subclass(type(f"Labelled{i}", (torch.Tensor,), {}))
                self.assertTrue(torch.equal(self.neg(each), -x))
                self.refuses(Wrapper(x), "Wrapper")

    def test_bits(self):
        z = torch.randn(1, 4, dtype=torch.complex64).conj()
        negated = z.imag
        self.assertTrue(negated.is_neg())
        f = elementwise("neg", "float32", rank=2)
        self.refuses(negated, r"resolve_neg\(\)", f)
        self.refuses(negated[:, :1], r"resolve_neg\(\)", f)
        self.assertTrue(torch.equal(f(negated.resolve_neg()), -negated))
        self.refuses(z[0], "")
        self.refuses(z[0].resolve_conj(), "")

    def test_without_memory(self):
        for x in (torch.ones(3, device="meta"), torch.ones(3).to_sparse(),
                  torch.ones(3, 3).to_sparse_csr(),
                  torch._efficientzerotensor(3), torch.ones(3).to_mkldnn(),
                  torch.nested.nested_tensor([torch.ones(3)]),
                  torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
                  torch.ones(3, dtype=torch.complex64),
                  torch.ones(3).to(torch.float8_e4m3fn)):
            self.refuses(x, "")

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode() as mode:
            self.refuses(torch.ones(3), "FakeTensor")
        self.refuses(mode.from_tensor(torch.ones(3)), "FakeTensor")

    def test_transforms(self):
        with self.assertRaisesRegex(TypeError, "input 'x'"):
            torch.vmap(self.neg)(torch.ones(2, 3))
        with self.assertRaisesRegex(TypeError, "input 'x'"):
            torch.func.grad(lambda x: self.neg(x).sum())(torch.ones(3))
        with self.assertRaisesRegex(TypeError, "input 'x'"):
            torch.func.functionalize(self.neg)(torch.ones(3))

    def test_compiled_programs_may_call(self):
        @torch.compile(backend="eager")
        def program(x):
            return self.neg(x + 1) * 2

        x = torch.ones(3)
        self.assertTrue(torch.equal(program(x), -(x + 1) * 2))


if __name__ == "__main__":
    unittest.main()
