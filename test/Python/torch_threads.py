# RUN: %torch-python %s
# REQUIRES: python-torch
"""torch and tandem in one process share one OpenMP runtime, whichever is imported
first, and both work with any number of threads. Graphs of torch.compile run on as
many threads as torch.

torch brings its own libgomp.so.1; oneDNN, which tandem uses, links the system's."""

import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest


def runtimes():
    """The OpenMP runtimes that are mapped in this process."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    names = ("libgomp", "libomp", "libiomp")
    return {line.split()[-1] for line in maps.splitlines()
            if any(f"/{name}" in line for name in names)}


def calls(*order):
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


def count_runs():
    """How often the system has run each thread of this process but the calling one."""
    runs = {}
    for task in pathlib.Path("/proc/self/task").iterdir():
        if task.name != str(threading.get_native_id()):
            runs[task.name] = int((task / "schedstat").read_text().split()[2])
    return runs


def uses_other_threads(call, expected):
    """Whether other threads run during calls. Threads may still be on their way to sleep
    at first, and may not be run at all on a busy machine, so one of many tries decides in
    which they do what is expected."""
    for attempt in range(100):
        before = count_runs()
        for _ in range(5):
            call()
        # Threads that go to sleep run for the last time in the first tries.
        if (count_runs() != before) == expected and (attempt >= 10 or not expected):
            return expected
    return not expected


def make_graph(mode):
    """A call of a graph of torch.compile that is worth several threads."""
    import tandem.torch
    import torch
    from torch import nn

    torch.set_grad_enabled(False)
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.Sigmoid())
    f = torch.compile(model, backend=tandem.torch.backend, options={"mode": mode})
    x = torch.randn(2, 3, 128, 128)
    right = model(x)
    torch.testing.assert_close(f(x), right, rtol=1e-4, atol=1e-5)
    return torch.no_grad()(lambda: f(x))  # Each thread has a mode of its own.


def follow_torch():
    """Calls after changes of torch's number, in one thread and in two."""
    calls_of_modes = [make_graph("eager"), make_graph("compile")]
    for call in calls_of_modes:
        for threads in (2, 1, 2, 1):
            change_and_call(threads, call)
            assert uses_other_threads(call, threads > 1) == (threads > 1), threads
    follow_in_threads(calls_of_modes[0])
    keep_the_chosen_number(calls_of_modes[0])


def change_and_call(threads, call):
    import tandem
    import torch
    torch.set_num_threads(threads)
    call()
    assert tandem.num_threads() == torch.get_num_threads() == threads


def follow_in_threads(call):
    """Each thread has a number of its own in torch. The last change counts, and calls of
    another thread do not change it back."""
    import tandem
    change_and_call(2, call)
    thread = threading.Thread(target=change_and_call, args=(1, call))
    thread.start()
    thread.join()
    for _ in range(3):
        call()
        assert tandem.num_threads() == 1


def keep_the_chosen_number(call):
    """What the program has chosen for Tandem counts."""
    import tandem
    import torch
    tandem.set_num_threads(2)
    call()
    torch.set_num_threads(1)
    call()
    assert tandem.num_threads() == 2


def follow_environment():
    """OMP_NUM_THREADS=1 limits torch, and so Tandem."""
    import tandem
    call = make_graph("eager")
    assert tandem.num_threads() == 1
    assert not uses_other_threads(call, False)


def leave_workers_awake():
    """Idle workers of torch wait as they do without Tandem: they spin for a while, and find
    the next op without being woken. One of many tries decides on a busy machine."""
    import torch

    torch.set_num_threads(2)
    calls_of_modes = [make_graph("eager"), make_graph("compile")]
    x = torch.randn(1 << 20)
    for _ in range(200):
        for call in calls_of_modes:
            call()
        x.mul_(1)
        before = time.process_time()
        time.sleep(0.01)
        if time.process_time() - before > 5e-4:
            return
    raise AssertionError("idle workers do not spin")


class ThreadsTest(unittest.TestCase):
    def run_child(self, function, *arguments, **environment):
        child = subprocess.run([sys.executable, __file__, function, *arguments], text=True,
                               capture_output=True, check=False,
                               env=os.environ | environment)
        self.assertEqual(child.returncode, 0, child.stderr)
        return child.stdout

    def test_torch_first(self):
        self.assertIn("torch/lib/libgomp", self.run_child("calls", "torch", "tandem"))

    def test_tandem_first(self):
        self.assertNotIn("torch/lib", self.run_child("calls", "tandem", "torch"))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_graphs_use_as_many_threads_as_torch(self):
        self.run_child("follow_torch")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_workers_of_torch_stay_awake(self):
        self.run_child("leave_workers_awake")

    def test_environment(self):
        self.run_child("follow_environment", OMP_NUM_THREADS="1")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        globals()[sys.argv[1]](*sys.argv[2:])
    else:
        unittest.main()
