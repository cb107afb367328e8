# REQUIRES: strace
# RUN: %tandem-python %s
"""A process that is killed while it writes a checkpoint leaves the old one or the new one."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import save_checkpoint

CHILD = save_checkpoint.__file__
# What AtomicFile calls. strace kills the process at the beginning of a call.
CALLS = "openat,write,fsync,close,rename"


def trace(path, *options):
    """Runs the child under strace, and returns the lines of its calls."""
    log = pathlib.Path(f"{path}.log")
    subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", f"trace={CALLS}", *options,
                    sys.executable, CHILD, path], check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return log.read_text().splitlines()


class CheckpointsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.step = save_checkpoint.make_step()
        self.state = save_checkpoint.make_state(self.step)
        self.old = self.folder / "old"
        self.state.save(self.old, step="0")

    def find_moments(self):
        """(call, number of the call in the process) from the opening of the temporary file
        to its renaming."""
        path = self.folder / "traced"
        shutil.copy(self.old, path)
        counts, moments, is_saving = dict.fromkeys(CALLS.split(","), 0), [], False
        for line in trace(path):
            called = re.match(r"\d+ +(\w+)\(", line)
            if not called:
                continue
            counts[called[1]] += 1
            is_saving |= "traced.tmp." in line
            if is_saving:
                moments.append((called[1], counts[called[1]]))
            if called[1] == "rename":
                return moments
        self.fail("no checkpoint was written")

    def kill_at(self, moment):
        call, number = moment
        path = self.folder / f"{call}{number}"
        shutil.copy(self.old, path)
        trace(path, "-e", f"inject={call}:signal=SIGKILL:when={number}")
        return path

    def test_kill_at_every_call(self):
        moments = self.find_moments()
        self.assertGreaterEqual(len(moments), 90)
        before = {name: array.copy() for name, array in self.state.tensors().items()}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for path in pool.map(self.kill_at, moments):
                self.assertEqual(self.state.load(path), {"step": "0"})
                for name, array in self.state.tensors().items():
                    np.testing.assert_array_equal(array, before[name])
        # The process that was not killed has written the new one.
        self.assertEqual(self.state.load(self.folder / "traced"), {"step": "1"})
        self.step(self.state, rate=0)
        self.assertEqual(self.state.steps, 2)


if __name__ == "__main__":
    unittest.main()
