# RUN: %tandem-python %s 20000
"""The memory of calls, functions, arguments and results. The argument is the number
of calls of which the memory must not grow."""

import gc
import pathlib
import sys
import threading
import time
import unittest
import weakref

import numpy as np
import tandem
from Inputs.arrays import DLPackArray
from Inputs.graphs import Layer, unary

CALLS = int(sys.argv.pop(1))
WINDOWS = 10


def resident():
    """The bytes of memory of this process."""
    gc.collect()
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def growth(body):
    """What calls of `body` add to the memory, in bytes and in blocks of Python, after
    a first window of them has filled caches. Each window calls it as often."""
    body()
    blocks, before = [], resident()
    for _ in range(WINDOWS):
        body()
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    return resident() - before, blocks[-1] - blocks[0]


class CallTest(unittest.TestCase):
    def check_calls(self, call, calls=CALLS):
        """`call` leaks neither memory nor objects."""
        def window():
            for _ in range(calls // WINDOWS):
                call()

        size, blocks = growth(window)
        # An object is larger, so that a leak of one for each call exceeds this.
        self.assertLess(size, calls * sys.getsizeof(object()))
        self.assertLess(blocks, calls // 10)

    def check_function(self, f, *inputs):
        """Its calls neither leak nor keep references to arguments."""
        out = np.empty_like(f(*inputs))
        wrong = np.ones(3, np.complex64)
        counted = (*inputs, out, wrong, f)
        before = [sys.getrefcount(each) for each in counted]

        def fail(*arguments, **keywords):
            with self.assertRaises((tandem.Error, TypeError)):
                f(*arguments, **keywords)

        for call in (lambda: f(*inputs), lambda: f(x=inputs[0]),
                     lambda: f(*inputs, out=out), lambda: f(*inputs, out=(out,)),
                     lambda: fail(), lambda: fail(wrong), lambda: fail(*inputs, z=out),
                     lambda: fail(*inputs, out=wrong), lambda: fail(out[0]),
                     lambda: fail(*inputs, tier="none"), lambda: f.inputs[0].name):
            self.check_calls(call)
        self.assertEqual([sys.getrefcount(each) for each in counted], before)

    def test_eager_calls(self):
        self.check_function(Layer.build(mode="eager"), Layer.input(4))

    def test_compiled_calls(self):
        self.check_function(Layer.build(mode="compile"), Layer.input(4))

    def test_arrays_that_are_copied(self):
        f, x = unary("float32", mode="eager"), np.ones(1000, np.float32)[::2]
        with self.assertWarns(RuntimeWarning):
            f(x)
        self.check_calls(lambda: f(x))
        self.assertEqual(f.copies, 1 + (WINDOWS + 1) * (CALLS // WINDOWS))

    def test_arrays_of_dlpack(self):
        f, x = unary("float32", mode="eager"), DLPackArray(np.ones(100, np.float32))
        before = sys.getrefcount(x.array)
        self.check_calls(lambda: f(x))
        self.assertEqual(sys.getrefcount(x.array), before)

    def test_events_and_reports(self):
        f = Layer.build(mode="eager")
        f(Layer.input(4))
        self.check_calls(lambda: (f.report(), repr(f)))

    def test_results_dropped_by_other_threads(self):
        f, x, results = unary("float32", mode="eager"), np.ones(1000, np.float32), []

        def window():
            def drop():
                while not done.is_set() or results:
                    if results:
                        results.pop()

            done = threading.Event()
            thread = threading.Thread(target=drop)
            thread.start()
            for _ in range(CALLS // WINDOWS):
                results.append(f(x))
                while len(results) > 100:  # The other thread may get no core.
                    time.sleep(0)
            done.set()
            thread.join()

        size, blocks = growth(window)
        self.assertLess(size, CALLS * x.nbytes // 10)
        self.assertLess(blocks, CALLS // 100)


class ResultTest(unittest.TestCase):
    TIERS = ("eager", "compiled", "reference")

    def test_results_outlive_their_function(self):
        for tier in self.TIERS:
            f, x = Layer.build(), Layer.input(300)
            y = f(x, tier=tier)
            row, freed = y[7], weakref.ref(f)
            del f, y
            gc.collect()
            self.assertIsNone(freed())
            # What would be given out again.
            others = [Layer.build()(np.full((300, 16), 9, np.float32), tier=tier)
                      for _ in range(10)]
            np.testing.assert_array_equal(row, Layer.expected(x)[7])
            self.assertEqual(len(others), 10)

    def test_results_have_memory_of_their_own(self):
        """An input, views of it, a constant, and a value twice."""
        constant = np.arange(12, dtype=np.float32).reshape(3, 4)
        b = tandem.Builder()
        x = b.input("float32", (3, 4), name="x")
        c = b.constant(constant)
        flat = {"shape": [12]}
        y = b.relu(x)
        outputs = [x, x, b.reshape(x, **flat), c, c, b.reshape(c, **flat), y, y,
                   b.reshape(y, **flat)]
        f = b.build(outputs)
        given = constant - 5
        expected = [given, given, given.ravel(), constant, constant, constant.ravel(),
                    *[np.maximum(given, 0)] * 2, np.maximum(given, 0).ravel()]
        for tier in (*self.TIERS, None):
            for _ in range(3):
                x = given.copy()
                results = f(x, tier=tier)
                for i, (result, right) in enumerate(zip(results, expected, strict=True)):
                    np.testing.assert_array_equal(result, right)
                    self.assertTrue(result.flags.writeable)
                    result[...] = -100 - i  # The next ones have not changed.
                np.testing.assert_array_equal(x, given)
                np.testing.assert_array_equal(constant, expected[3])

    def test_results_are_not_reused(self):
        """A result that is kept is not written by later calls."""
        f = unary("float32")
        kept = [(f(np.full(64, i, np.float32)), -i) for i in range(500)]
        for y, value in kept:
            np.testing.assert_array_equal(y, np.full(64, value, np.float32))


class FunctionTest(unittest.TestCase):
    ROUNDS, SIZE = 20, 4096  # Weights of 64 MB.

    def check_rounds(self, make):
        """Functions free their weights: not even two stay."""
        weights = np.ones((self.SIZE, self.SIZE), np.float32)
        x = np.ones((1, self.SIZE), np.float32)
        make(weights, x)
        before = resident()
        for _ in range(self.ROUNDS):
            freed = weakref.ref(make(weights, x))
            gc.collect()
            self.assertIsNone(freed())
            self.assertLess(resident() - before, weights.nbytes)

    def build(self, weights, x, tier):
        b = tandem.Builder()
        value = b.input("float32", x.shape, name="x")
        mine = weights.copy()
        freed = weakref.ref(mine)
        f = b.build(b.matmul(value, b.constant(mine)))
        del b, mine
        self.assertIsNotNone(freed())
        self.assertEqual(f(x, tier=tier)[0, 0], self.SIZE)
        self.weights.append(freed)
        return f

    def test_built_functions(self):
        for tier in ("eager", "compiled"):
            self.weights = []
            self.check_rounds(lambda weights, x: self.build(weights, x, tier))
            self.assertEqual([each() for each in self.weights], [None] * 21)

    def test_functions_of_bytes(self):
        """They keep the bytes, which cannot be resized meanwhile, and free them."""
        from onnx import TensorProto, helper, numpy_helper

        def model(weights):
            graph = helper.make_graph(
                [helper.make_node("MatMul", ["x", "w"], ["y"])], "main",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, self.SIZE])],
                [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, self.SIZE])],
                [numpy_helper.from_array(weights, "w")])
            return helper.make_model(
                graph, ir_version=8,
                opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()

        data = bytearray(model(np.ones((self.SIZE, self.SIZE), np.float32)))

        def load(weights, x):
            f = tandem.load(data)
            self.assertEqual(f(x, tier="compiled")[0, 0], self.SIZE)
            with self.assertRaises(BufferError):
                data.append(0)
            return f

        self.check_rounds(load)
        data.append(0)  # Nobody has them any more.

    def test_cycles_are_collected(self):
        f = unary("float32")
        f(np.ones(3, np.float32))
        f.itself = f
        freed = weakref.ref(f)
        del f
        gc.collect()
        self.assertIsNone(freed())


if __name__ == "__main__":
    unittest.main()
