# RUN: %tandem-python %s
"""Imports: what `import tandem` imports, and in which order others may."""

import importlib.util
import subprocess
import sys
import unittest

from Inputs import children
from Inputs.children import child

# Libraries of arrays, or with threads and compilers of their own.
LIBRARIES = [name for name in ("numpy", "ml_dtypes", "onnx", "onnxruntime", "torch", "jax")
             if importlib.util.find_spec(name)]


@child
def compute_after(*names):
    """Imports `names` in this order, and calls functions."""
    for name in names:
        __import__(name)
    import numpy as np
    import tandem
    for dtype in ("float32", "bfloat16"):
        b = tandem.Builder()
        x = b.input(dtype, (None,))
        f = b.build(b.exp(x))
        zeros = np.zeros(5, "float32")
        if dtype == "bfloat16":
            import ml_dtypes
            zeros = zeros.astype(ml_dtypes.bfloat16)
        for tier in ("eager", "compiled"):
            y = f(zeros, tier=tier)
            assert y.dtype == zeros.dtype and (y == 1).all(), (names, tier, y)


@child
def first_calls_of_threads():
    """Eight threads make the first calls of a process that has not imported numpy."""
    import threading

    import tandem
    b = tandem.Builder()
    f = b.build(b.neg(b.input("float32", (None,), name="x")))
    assert "numpy" not in sys.modules
    start, messages = threading.Barrier(8), []

    def work():
        start.wait()
        try:
            f([1.0])
        except TypeError as error:
            messages.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert messages == [messages[0]] * 8 and "'x' is a list" in messages[0], messages


class ImportTest(unittest.TestCase):
    def test_nothing_large_is_imported(self):
        """Programs that only load and compile need not even numpy."""
        source = ("import sys; import tandem; b = tandem.Builder();"
                  "f = b.build(b.neg(b.input('float32', (3,))));"
                  "f.compile_ahead((3,)); f.wait(); f.report();"
                  "print(*sorted({name.partition('.')[0] for name in sys.modules}))")
        out = subprocess.run([sys.executable, "-c", source], check=True, text=True,
                             capture_output=True).stdout.split()
        self.assertIn("tandem", out)
        for name in ("numpy", "ml_dtypes", "torch", "jax", "pandas", "onnx", "onnxruntime",
                     "matplotlib", "IPython"):
            self.assertNotIn(name, out)

    def test_orders(self):
        """tandem before and after each library, and at each place among all of them."""
        self.assertIn("numpy", LIBRARIES)
        orders = [order for name in LIBRARIES
                  for order in ([name, "tandem"], ["tandem", name])]
        for place in range(len(LIBRARIES) + 1):
            for names in (LIBRARIES, LIBRARIES[::-1]):
                orders.append([*names[:place], "tandem", *names[place:]])
        for order in orders:
            with self.subTest(order):
                result = children.run("compute_after", *order)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_first_calls_of_threads(self):
        for _ in range(5):
            result = children.run("first_calls_of_threads")
            self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    children.main()
