# RUN: %torch-python %s
# REQUIRES: python-torch
"""torch and tandem in one process share one OpenMP runtime, whichever is imported
first, and both work with any number of threads.

torch brings its own libgomp.so.1; oneDNN, which tandem uses, links the system's."""

import pathlib
import subprocess
import sys
import unittest


def runtimes():
    """The OpenMP runtimes that are mapped in this process."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    names = ("libgomp", "libomp", "libiomp")
    return {line.split()[-1] for line in maps.splitlines()
            if any(f"/{name}" in line for name in names)}


def calls(order):
    """Imports both in this order, and calls both in turns by 1, 2 and 4 threads."""
    for name in order:
        __import__(name)
    import tandem
    import torch
    import torch.nn.functional as F

    from Inputs.graphs import convnet

    torch.manual_seed(0)
    filters, weights = torch.randn(32, 3, 3, 3), torch.randn(32, 10)
    f, x = convnet(filters, weights), torch.randn(4, 3, 64, 64)

    def expected():
        y = F.relu(F.conv2d(x, filters)).mean((2, 3))
        return F.softmax(y @ weights, 1)

    right = expected()
    for threads in (1, 2, 4, 1, 4):
        torch.set_num_threads(threads)
        tandem.set_num_threads(threads)
        assert torch.get_num_threads() == tandem.num_threads() == threads
        for tier in ("eager", "compiled"):
            torch.testing.assert_close(f(x, tier=tier), right, rtol=1e-4, atol=1e-6)
            torch.testing.assert_close(expected(), right, rtol=1e-4, atol=1e-6)
    found = runtimes()
    assert len(found) == 1, found
    print(*found)


class ThreadsTest(unittest.TestCase):
    def run_child(self, *order):
        child = subprocess.run([sys.executable, __file__, *order], text=True,
                               capture_output=True, check=False)
        self.assertEqual(child.returncode, 0, child.stderr)
        return child.stdout

    def test_torch_first(self):
        self.assertIn("torch/lib/libgomp", self.run_child("torch", "tandem"))

    def test_tandem_first(self):
        self.assertNotIn("torch/lib", self.run_child("tandem", "torch"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        calls(sys.argv[1:])
    else:
        unittest.main()
