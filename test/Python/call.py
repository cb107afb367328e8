# RUN: %tandem-python %s
"""Calls with arrays: what goes in, what comes out, and what is refused."""

import gc
import unittest
import warnings

import ml_dtypes
import numpy as np
import tandem
from Inputs.arrays import DLPackArray
from Inputs.graphs import unary

GRAPH = b"""
func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["n", ""]},
                %y: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = tandem.add %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %1 = tandem.relu %0 : tensor<?x4xf32>
  return %1, %x : tensor<?x4xf32>, tensor<?x4xf32>
}
"""


class CallTest(unittest.TestCase):
    def setUp(self):
        self.f = tandem.load(GRAPH)
        self.x = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
        self.y = np.ones(4, np.float32)

    def test_results_are_those_of_numpy(self):
        for tier in ("eager", "compiled", "reference", None):
            z, x = self.f(self.x, self.y, tier=tier)
            np.testing.assert_array_equal(z, np.maximum(self.x + self.y, 0))
            np.testing.assert_array_equal(x, self.x)

    def test_results_do_not_share_memory(self):
        z, x = self.f(self.x, self.y)
        self.assertFalse(np.shares_memory(x, self.x))
        x[:] = 7  # Writable, and nobody else's.
        z[:] = 7
        self.assertEqual(self.x[0, 0], -3)

    def test_results_live_on(self):
        z, _ = self.f(self.x, self.y)
        expected = z.copy()
        del self.f
        gc.collect()
        np.testing.assert_array_equal(z, expected)

    def test_all_dtypes(self):
        for dtype in ("float32", "float64", "float16", "int8", "int16", "int32",
                      "int64", "uint8", "uint16", "uint32", "uint64"):
            x = np.array([0, 1, 5], dtype)
            y = unary(dtype)(x)
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(y, -x)
        x = np.array([0, 1, -2.5, np.inf], ml_dtypes.bfloat16)
        y = unary("bfloat16")(x)
        self.assertEqual(y.dtype, x.dtype)
        np.testing.assert_array_equal(y, -x)
        x = np.array([True, False])
        np.testing.assert_array_equal(unary("bool", "logical_not")(x), ~x)

    def test_special_values(self):
        x = np.array([np.inf, -np.inf, np.nan, 1e30, 1e-40, -0.0, 0.0], np.float32)
        for tier in ("eager", "compiled"):
            y = unary("float32")(x, tier=tier)
            np.testing.assert_array_equal(y.view(np.uint32) ^ np.uint32(1 << 31),
                                          x.view(np.uint32))

    def test_empty_arrays(self):
        y = unary("float32")(np.zeros(0, np.float32))
        self.assertEqual(y.shape, (0,))

    def test_out(self):
        z, x = np.empty((2, 4), np.float32), np.empty((2, 4), np.float32)
        result = self.f(self.x, self.y, out=(z, x))
        self.assertIs(result[0], z)
        np.testing.assert_array_equal(z, np.maximum(self.x + self.y, 0))
        y = np.empty(3, np.float32)
        self.assertIs(unary("float32")(np.ones(3, np.float32), out=y), y)
        np.testing.assert_array_equal(y, [-1, -1, -1])

    def test_out_that_does_not_fit(self):
        f, x = unary("float32"), np.ones(4, np.float32)
        with self.assertRaisesRegex(tandem.Error, r"output 0 \('y'\) overlaps"):
            f(x, out=x)
        with self.assertRaisesRegex(tandem.Error, "output 0"):
            f(x, out=np.empty(4, np.float64))
        for tier in ("eager", "compiled"):
            with self.assertRaisesRegex(tandem.Error, "the tensor for it is"):
                f(x, out=np.empty(5, np.float32), tier=tier)
        with self.assertRaisesRegex(tandem.Error, "not contiguous"):
            f(x, out=np.empty(8, np.float32)[::2])
        frozen = np.empty(4, np.float32)
        frozen.flags.writeable = False
        with self.assertRaisesRegex(tandem.Error, "'y' is read-only"):
            f(x, out=frozen)

    def test_keywords(self):
        f = unary("float32")
        np.testing.assert_array_equal(f(x=np.ones(2, np.float32)), [-1, -1])
        with self.assertRaisesRegex(TypeError, "no input 'z'"):
            f(np.ones(2, np.float32), z=1)
        with self.assertRaisesRegex(TypeError, "'x' is given twice"):
            f(np.ones(2, np.float32), x=np.ones(2, np.float32))
        with self.assertRaisesRegex(TypeError, "input 'x' is missing"):
            f()
        with self.assertRaisesRegex(TypeError, "2 are given"):
            f(np.ones(2, np.float32), np.ones(2, np.float32))

    def test_what_is_no_array(self):
        with self.assertRaisesRegex(TypeError, "input 'x' is a list"):
            unary("float32")([1.0, 2.0])
        with self.assertRaisesRegex(TypeError, "input 'x'.*complex64"):
            unary("float32")(np.ones(2, np.complex64))
        with self.assertRaisesRegex(TypeError, "input 'x'.*mask"):
            unary("float32")(np.ma.array(np.ones(2, np.float32), mask=[0, 1]))
        with self.assertRaisesRegex(TypeError, "object"):
            unary("float32")(np.array([None, 1]))

    def test_wrong_types(self):
        with self.assertRaisesRegex(tandem.Error, "f64") as caught:
            self.f(self.x.astype(np.float64), self.y)
        self.assertEqual(caught.exception.phase, "input")
        with self.assertRaises(tandem.Error):
            self.f(self.x, np.ones(3, np.float32))

    def test_copies_are_counted_and_told_once(self):
        f = unary("float32")
        x = np.arange(8, dtype=np.float32)
        f(x)
        self.assertEqual(f.copies, 0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            np.testing.assert_array_equal(f(x[::2]), -x[::2])
            np.testing.assert_array_equal(f(x[::-1]), -x[::-1])
        self.assertEqual(f.copies, 2)
        self.assertEqual(len(caught), 1)
        self.assertIn("input 'x' is not contiguous", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)

    def test_read_only_inputs(self):
        x = np.ones(3, np.float32)
        x.flags.writeable = False
        np.testing.assert_array_equal(unary("float32")(x), [-1, -1, -1])

    def test_dlpack(self):
        y = unary("float32")(DLPackArray(np.ones(3, np.float32)))
        np.testing.assert_array_equal(np.asarray(y), [-1, -1, -1])

    def test_too_many_dims(self):
        b = tandem.Builder()
        f = b.build(b.neg(b.input("float32", (1,), name="x")))
        x = np.ones((1,) * 12, np.float32)

        for array in (x, DLPackArray(x)):
            with self.assertRaisesRegex((TypeError, tandem.Error), "12 dims"):
                f(array)


if __name__ == "__main__":
    unittest.main()
