# RUN: %tandem-python %s
"""Every op of the op table can be built by its name."""

import gc
import unittest

import numpy as np
import tandem


class BuilderTest(unittest.TestCase):
    def test_network(self):
        rng = np.random.default_rng(1)
        weights = rng.standard_normal((64, 10), dtype=np.float32)
        b = tandem.Builder()
        x = b.input("float32", (None, 64), dims=("n", ""), name="x")
        self.assertEqual(b.type(x), ("float32", (None, 64)))
        f = b.build(b.softmax(b.matmul(x, b.constant(weights)), axis=1))
        del b
        gc.collect()
        value = rng.standard_normal((3, 64), dtype=np.float32)
        e = np.exp(value @ weights - (value @ weights).max(1, keepdims=True))
        for tier in ("eager", "compiled"):
            np.testing.assert_allclose(f(value, tier=tier),
                                       e / e.sum(1, keepdims=True), rtol=1e-4)

    def test_sizes_that_depend_on_inputs(self):
        b = tandem.Builder()
        x = b.input("float32", (None, None, 6), dims=("n", "length", ""))
        y = b.reshape(x, shape=["n * 3", "length", np.int64(2)])
        self.assertEqual(b.type(y), ("float32", (None, None, 2)))
        positions = b.iota(axis=0, type={"dtype": "i64", "dims": ["length floordiv 2"]})
        half = b.slice(x, starts=[0, "length ceildiv 2", 0], limits=["n", "length", 6],
                       strides=[1, 1, 1])
        f = b.build([y, positions, half])
        for n, length in ((2, 4), (3, 5), (1, 1), (0, 2)):
            value = np.random.default_rng(1).random((n, length, 6), dtype=np.float32)
            for tier in ("eager", "compiled"):
                y, positions, half = f(value, tier=tier)
                np.testing.assert_array_equal(y, value.reshape(3 * n, length, 2))
                np.testing.assert_array_equal(positions, np.arange(length // 2))
                np.testing.assert_array_equal(half, value[:, (length + 1) // 2:])

    def test_ops_with_two_results(self):
        b = tandem.Builder()
        x = b.input("float32", (None, 5), dims=("n", ""))
        largest, places = b.topk(x, k=2, axis=1)
        ordered, order = b.sort(x, axis=1, descending=True)
        smallest = b.results("topk", x, k=1, axis=0, ascending=True)[0]
        self.assertEqual(b.type(places), ("int64", (None, 2)))
        f = b.build([largest, places, ordered, order, smallest])
        value = np.random.default_rng(1).random((3, 5), dtype=np.float32)
        expected = np.argsort(-value, axis=1, kind="stable")
        for tier in ("eager", "compiled"):
            results = f(value, tier=tier)
            np.testing.assert_array_equal(results[1], expected[:, :2])
            np.testing.assert_array_equal(results[3], expected)
            np.testing.assert_array_equal(results[0], -np.sort(-value)[:, :2])
            np.testing.assert_array_equal(results[2], -np.sort(-value))
            np.testing.assert_array_equal(results[4], value.min(axis=0, keepdims=True))
        with self.assertRaisesRegex(tandem.Error, "topk has 2 results"):
            b.op("topk", x, k=1, axis=1)
        with self.assertRaisesRegex(tandem.Error, "topk C3"):
            b.topk(x, k=6, axis=1)

    def test_builder_can_be_used_after_an_error(self):
        b = tandem.Builder()
        x = b.input("float32", (2, 3))
        for _ in range(2):
            with self.assertRaisesRegex(tandem.Error, "matmul C"):
                b.matmul(x, x)
        with self.assertRaisesRegex(tandem.Error, "no value of"):
            b.splat("int8", (), 300)
        with self.assertRaisesRegex(tandem.Error, "softmax C"):
            b.loop(lambda row: b.softmax(row, axis=5), scanned=[x])
        f = b.build(b.relu(x))
        value = np.array([[-1, 0, 1]] * 2, np.float32)
        np.testing.assert_array_equal(f(value), np.maximum(value, 0))

    def test_sizes_are_checked(self):
        for shape, message in ((["m", 2], "undeclared identifier"),
                               (["n +", 2], "no list of expressions"),
                               (["n, n", 2], "do not fit")):
            b = tandem.Builder()
            x = b.input("float32", (None,), dims=("n",))
            b.set_location("layer 1")
            y = b.reshape(x, shape=shape)
            with self.assertRaisesRegex(tandem.Error, message) as raised:
                b.build(y)
            self.assertIn("layer 1", str(raised.exception))

    def test_convolution_with_attributes(self):
        b = tandem.Builder()
        x = b.input("float32", (1, 5, 5, 1))
        w = b.constant(np.ones((3, 3, 1, 1), np.float32))
        y = b.conv(x, w, pad_low=[1, 1], pad_high=[1, 1], input_layout="NHWC",
                   kernel_layout="HWIO")
        self.assertEqual(b.type(y), ("float32", (1, 5, 5, 1)))
        z = b.mul(b.reduce(y, kind="sum", dims=[0, 1, 2, 3]),
                  b.splat("float32", (), 2))
        f = b.build([y, z])
        y, z = f(np.ones((1, 5, 5, 1), np.float32))
        self.assertEqual(y[0, 2, 2, 0], 9)
        self.assertEqual(z, 2 * (9 * 9 + 12 * 6 + 4 * 4))

    def test_functions_of_python(self):
        @tandem.custom_call("test.sort")
        def sort(x, config):
            return np.sort(x) * np.float32(config)

        def build(shape):
            b = tandem.Builder()
            x = b.input("float32", (5,), name="x")
            y = b.custom_call(b.neg(x), target="test.sort", config="2",
                              results=[{"dtype": "f32", "dims": shape}])
            return b.build(b.relu(y))

        f, x = build([5]), np.array([3, -1, 2, -4, 0], np.float32)
        for tier in ("reference", "eager", "compiled"):
            np.testing.assert_array_equal(f(x, tier=tier), [0, 0, 0, 2, 8])
        with self.assertRaisesRegex(tandem.Error, "test.sort.*returned"):
            build([4])(x)

        @tandem.custom_call("test.wrong")
        def wrong(x):
            raise ValueError("not today")

        b = tandem.Builder()
        x = b.input("float32", (5,))
        f = b.build(b.custom_call(x, target="test.wrong",
                                  results=[{"dtype": "f32", "dims": [5]}]))
        with self.assertRaisesRegex(tandem.Error, "test.wrong.*not today"):
            f(np.zeros(5, np.float32))
        with self.assertRaisesRegex(tandem.Error, "already"):
            tandem.custom_call("test.sort", sort)

    def test_names_of_outputs_do_not_prevent_a_certificate(self):
        b = tandem.Builder()
        x = b.input("float32", (64,), name="x")
        y = b.input("float32", (64,), name="y")
        # The certificate looks at the operands of a comparison, too.
        z = b.select(b.compare(b.mul(x, y), b.add(x, y), predicate="lt"), x, y)
        f = b.build([z], names=["z"], mode="compile-now")
        random = np.random.default_rng(0)
        f(random.random(64, np.float32), random.random(64, np.float32))
        self.assertEqual(f.report().signatures[0].state, "promoted")

    def test_every_op_is_there(self):
        self.assertIn("conv", tandem.ops())
        self.assertIn("groups", tandem.ops()["conv"])
        for name in tandem.ops():
            self.assertTrue(callable(getattr(tandem.Builder(), name)))
            self.assertIn(name, dir(tandem.Builder()))

    def test_errors_name_the_op(self):
        b = tandem.Builder()
        x = b.input("float32", (2, 3))
        with self.assertRaisesRegex(tandem.Error, "add"):
            b.add(x, b.input("float32", (4, 5)))
        b = tandem.Builder()
        x = b.input("float32", (2, 3))
        with self.assertRaisesRegex(tandem.Error, "softmax.*axes"):
            b.softmax(x, axes=1)
        with self.assertRaisesRegex(tandem.Error, 'softmax.*"axis": "one"'):
            b.softmax(x, axis="one")
        self.assertEqual(b.type(b.softmax(x, axis=np.int64(1)))[1], (2, 3))
        with self.assertRaisesRegex(AttributeError, "no op 'einsum'"):
            b.einsum(x)
        with self.assertRaisesRegex(tandem.Error, "no op 'einsum'"):
            b.op("einsum", x)
        with self.assertRaisesRegex(TypeError, "add: operands are values"):
            b.add(x, 1.0)
        with self.assertRaisesRegex(tandem.Error, "input 'x' has 9 dims, more than 8"):
            b.input("float32", (1,) * 9, name="x")
        with self.assertRaisesRegex(tandem.Error, "300.* is no value of tensor<i8>"):
            tandem.Builder().splat("int8", (), 300)
        with self.assertRaisesRegex(TypeError, "'complex64' is no element type"):
            b.input("complex64", (2,))


if __name__ == "__main__":
    unittest.main()
