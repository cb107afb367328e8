# RUN: %tandem-python %s
"""Functions in several processes: spawn and fork."""

import multiprocessing
import os
import pathlib
import sys
import tempfile
import threading
import unittest

import numpy as np
import tandem
from Inputs import children
from Inputs.children import child, state_of
from Inputs.graphs import Layer, slow_to_compile, unary

MODEL = pathlib.Path(__file__).parent / "../Import/ONNX/Inputs/exported/torchscript.onnx"


def model_input(f, rows):
    (spec,) = f.inputs
    shape = [rows if isinstance(dim, str) else dim for dim in spec.shape]
    return np.random.default_rng(rows).standard_normal(shape, np.float32)


def call(f, x):
    """What a worker does."""
    return os.getpid(), f(x, tier="eager")


def fork(body):
    """Calls `body` in a child of fork, and returns whether that has worked."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    try:
        body()
        os._exit(0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def check_calls(f, compute, inputs):
    for x in inputs:
        np.testing.assert_array_equal(f(x), compute(x))


@child
def fork_while_idle():
    """The child calls what the parent has called, and what it has not."""
    f, g, inputs = Layer.build(), unary("float32"), [Layer.input(n) for n in (1, 4, 9)]
    check_calls(f, Layer.expected, inputs)
    f.wait()

    def body():
        check_calls(f, Layer.expected, [*inputs, Layer.input(5)])
        check_calls(g, np.negative, [np.ones(3, np.float32)])
        check_calls(Layer.build(), Layer.expected, inputs)

    assert fork(body)
    check_calls(f, Layer.expected, inputs)


@child
def fork_while_compiling():
    """The parent's compilation goes on, and the child compiles for itself."""
    f, x = slow_to_compile(), Layer.input(2)
    expected = f(x, tier="eager")
    f.compile_ahead((3, 16))
    children.until_compiling(f)

    def body():
        np.testing.assert_array_equal(f(x, tier="eager"), expected)
        g = Layer.build()
        g.compile_ahead((4, 16))
        g.wait()
        assert state_of(g) in ("compiled", "promoted"), state_of(g)
        check_calls(g, Layer.expected, [Layer.input(4)])

    assert fork(body)
    np.testing.assert_array_equal(f(x, tier="eager"), expected)
    f.wait()
    assert state_of(f) in ("compiled", "promoted"), state_of(f)
    print("interrupted" if "a fork has interrupted it" in str(f.report()) else "waited")


@child
def fork_while_helper_stalls():
    """The child has nothing of the parent's helper, which the fork has ended."""
    f, x = Layer.build(), Layer.input(2)
    f.compile_ahead((2, 16))
    children.until_compiling(f)
    children.wait_until(children.child_processes, "the helper starts")
    assert fork(lambda: check_calls(f, Layer.expected, [x]))
    check_calls(f, Layer.expected, [x])
    f.cancel()
    f.wait()
    assert not children.child_processes()


@child
def fork_while_python_is_called():
    """A certificate in the background calls a function of Python, which needs the
    GIL, and the fork waits for the certificate."""
    entered, calls = threading.Event(), []

    @tandem.custom_call("test.processes.negate")
    def negate(x):
        calls.append(threading.current_thread())
        if threading.current_thread() is not threading.main_thread():
            entered.set()
            threading.Event().wait(0.1)  # The main thread forks meanwhile.
        return -x

    b = tandem.Builder()
    x = b.input("float32", (4,))
    f = b.build(b.custom_call(x, target="test.processes.negate",
                              results=[{"dtype": "f32", "dims": [4]}]))
    x = np.ones(4, np.float32)
    f.compile_ahead((4,))
    f.wait()
    np.testing.assert_array_equal(f(x), -x)
    assert entered.wait(children.SECONDS), "no certificate is made in the background"
    assert fork(lambda: np.testing.assert_array_equal(f(x), -x))
    f.wait()
    np.testing.assert_array_equal(f(x), -x)
    assert state_of(f) in ("compiled", "provisional", "promoted"), state_of(f)


loaded = None  # The function that workers of a pool of forks inherit.


def work(rows):
    """What a loader's worker does: it makes a batch, with the parent's function."""
    return rows, loaded(Layer.input(rows))


@child
def pool_of_forks():
    """As a DataLoader has one: workers make batches while the parent computes."""
    global loaded
    loaded = Layer.build()
    check_calls(loaded, Layer.expected, [Layer.input(rows) for rows in range(1, 9)])
    loaded.compile_ahead((64, 16))  # May run when the workers start.
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for rows, y in pool.imap(work, [1 + i % 40 for i in range(200)], chunksize=4):
            np.testing.assert_array_equal(y, Layer.expected(Layer.input(rows)))
            check_calls(loaded, Layer.expected, [y.repeat(2, axis=1)])
        pool.close()
        pool.join()
    loaded.wait()


class ProcessesTest(unittest.TestCase):
    def run_child(self, name, **environment):
        result = children.run(name, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""), name)
        return result.stdout.split()

    def test_spawn(self):
        """Two workers load what they are sent and compute the same."""
        functions = [tandem.load(MODEL), tandem.load(MODEL.read_bytes(), mode="eager"),
                     tandem.load(MODEL, dims={tandem.load(MODEL).inputs[0].shape[0]: 2})]
        spawn = multiprocessing.get_context("spawn")
        with spawn.Pool(1) as one, spawn.Pool(1) as other:
            for f in functions:
                x = model_input(f, 2)
                expected = f(x, tier="eager")
                pids = {os.getpid()}
                for pool in (one, other):
                    pid, y = pool.apply(call, (f, x))
                    np.testing.assert_array_equal(y, expected)
                    pids.add(pid)
                self.assertEqual(len(pids), 3)

    def test_pickles_have_the_options(self):
        import pickle
        f = pickle.loads(pickle.dumps(tandem.load(MODEL, mode="eager", dims={
            tandem.load(MODEL).inputs[0].shape[0]: 2})))
        self.assertEqual(f.inputs[0].shape[0], 2)
        self.assertEqual(f.report().data["mode"], "eager")
        with self.assertRaisesRegex(TypeError, "Builder cannot be pickled"):
            pickle.dumps(unary("float32"))

    def test_fork(self):
        self.run_child("fork_while_idle")

    def test_fork_while_a_helper_compiles(self):
        self.assertEqual(self.run_child("fork_while_compiling"), ["interrupted"])

    def test_fork_while_the_process_compiles(self):
        self.assertEqual(self.run_child("fork_while_compiling",
                                        TANDEM_COMPILE_HELPER="off"), ["waited"])

    def test_fork_while_a_helper_stalls(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_child("fork_while_helper_stalls",
                           TANDEM_COMPILE_HELPER=children.stalled_helper(folder))

    def test_fork_while_python_is_called(self):
        self.run_child("fork_while_python_is_called")

    def test_pool_of_forks(self):
        self.run_child("pool_of_forks")


if __name__ == "__main__":
    children.main()
