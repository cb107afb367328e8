# RUN: %jax-python %s
# REQUIRES: python-jax
"""Arrays of jax: what goes in, what comes out, and what is refused."""

import gc
import sys
import unittest
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import tandem
from Inputs.graphs import convnet, elementwise

DTYPES = ("float32", "float16", "bfloat16", "int8", "int16", "int32", "uint8",
          "uint16", "uint32")


class JaxTest(unittest.TestCase):
    def setUp(self):
        self.neg = elementwise("neg", "float32")

    def check(self, actual, expected):
        """Equal bit for bit, with the dtype."""
        self.assertIsInstance(actual, jax.Array)
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.shape, expected.shape)
        self.assertTrue(jnp.array_equal(actual, expected))

    def test_dtypes(self):
        for dtype in DTYPES:
            x = jnp.array([0, 1, 5, 100], dtype)
            self.check(elementwise("neg", dtype)(x), -x)
        x = jnp.array([True, False])
        self.check(elementwise("logical_not", "bool")(x), ~x)

    def test_wide_dtypes(self):
        with jax.enable_x64(True):
            for dtype in ("float64", "int64", "uint64"):
                x = jnp.array([0, 1, 5], dtype)
                self.check(elementwise("neg", dtype)(x), -x)

    def test_wide_results_without_x64(self):
        b = tandem.Builder()
        x = b.input("float32", (None,), name="x")
        f = b.build(b.cast(x, dtype="f64"))
        self.assertEqual(np.asarray(f(jnp.ones(3))).tolist(), [1, 1, 1])

    def test_shapes(self):
        for shape in ((), (0,), (2, 0, 3), (3, 4), (1, 2, 3, 4)):
            x = jax.random.normal(jax.random.key(0), shape)
            f = elementwise("neg", "float32", rank=len(shape))
            for y in (x, x.T):
                self.check(f(y), -y)
            self.assertEqual(f.copies, 0)

    def test_a_network(self):
        keys = jax.random.split(jax.random.key(0), 3)
        filters = jax.random.normal(keys[0], (8, 3, 3, 3))
        weights = jax.random.normal(keys[1], (8, 10))
        x = jax.random.normal(keys[2], (2, 3, 16, 16))
        y = jax.lax.conv(x, filters, (1, 1), "VALID")
        y = jax.nn.softmax(jax.nn.relu(y).mean((2, 3)) @ weights)
        f = convnet(filters, weights)
        for tier in ("reference", "eager", "compiled"):
            np.testing.assert_allclose(f(x, tier=tier), y, rtol=1e-4, atol=1e-6)

    def test_several_inputs(self):
        f = elementwise("add", "float32", "float32")
        x, y = jnp.arange(4.0), jnp.ones(4)
        self.check(f(x, y), x + y)
        self.check(f(y=y, x=x), x + y)
        self.check(f(x, np.asarray(y)), x + y)
        self.assertIsInstance(f(np.asarray(x), y), np.ndarray)

    def test_committed_and_computed_arrays(self):
        x = jax.device_put(jnp.arange(4.0), jax.devices("cpu")[0])
        self.check(self.neg(x), -x)
        y = jax.jit(lambda x: x * 2)(x)  # May not be computed yet.
        self.check(self.neg(y), -y)
        self.check(jax.jit(lambda x: x + 1)(self.neg(x)), 1 - x)

    def test_results_live_on(self):
        f, x = elementwise("neg", "float32"), jnp.arange(1000.0)
        y = f(x)
        del f
        gc.collect()
        self.check(y, -x)
        self.check(y.at[0].set(5)[:1], jnp.array([5.0]))

    def test_memory_is_released(self):
        x = jnp.arange(100.0)
        self.neg(x)
        before = sys.getrefcount(x)
        for _ in range(1000):
            self.neg(x)
        self.assertEqual(sys.getrefcount(x), before)

    def test_arrays_are_never_written(self):
        for dtype in ("float32", "bfloat16"):
            x, out = jnp.ones(4, dtype), jnp.zeros(4, dtype)
            with self.assertRaisesRegex(tandem.Error, "output 'result' is read-only"):
                elementwise("neg", dtype)(x, out=out)
            self.check(out, jnp.zeros(4, dtype))
        out = np.empty(4, np.float32)
        self.assertIs(self.neg(jnp.ones(4), out=out), out)
        np.testing.assert_array_equal(out, [-1] * 4)

    def test_tracers(self):
        x = jnp.ones(4)
        for transform in (jax.jit, jax.grad, jax.vmap, jax.make_jaxpr):
            with self.assertRaisesRegex(TypeError, "input 'x'.*pure_callback"):
                transform(lambda x: self.neg(x).sum())(x)

    def test_callbacks(self):
        @jax.jit
        def program(x):
            y = jax.pure_callback(self.neg, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
            return y * 2

        x = jnp.arange(4.0)
        self.check(program(x), -x * 2)

    def test_what_is_no_array(self):
        x = jnp.ones(3)
        x.delete()
        with self.assertRaisesRegex(TypeError, "input 'x'.*deleted"):
            self.neg(x)
        for each in (jnp.ones(3, jnp.complex64), jnp.ones(3, jnp.float8_e4m3fn),
                     jnp.ones(3, jnp.int4), jax.random.key(0),
                     jax.ShapeDtypeStruct((3,), jnp.float32)):
            with self.assertRaisesRegex(TypeError, "input 'x'"):
                self.neg(each)


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
