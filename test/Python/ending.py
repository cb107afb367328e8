# RUN: %tandem-python %s
"""The end of the interpreter, and of waits, while the background works."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import tandem
from Inputs import children
from Inputs.children import child, state_of
from Inputs.graphs import Layer, slow_to_compile

kept = []  # Lives until the interpreter ends.


def compile_something():
    """Returns a function that is being compiled, and prints the helpers' ids."""
    f = slow_to_compile()
    f.compile_ahead((4, 16))
    children.until_compiling(f)
    if os.environ.get("TANDEM_COMPILE_HELPER") != "off":
        children.wait_until(children.child_processes, "the helper starts")
    print(*children.child_processes(), flush=True)
    return f


@child
def end(how):
    f = compile_something()
    kept.append(f)
    y = f(Layer.input(3))
    kept.append(y)
    if state_of(f, "<4x16x") != "compiling":
        sys.exit("it was compiled before the process ended")
    if how == "exit":
        sys.exit(3)
    if how == "raise":
        raise ValueError("the end")
    if how == "_exit":
        os._exit(4)


@child
def end_with_daemons(what):
    """Threads that nobody joins use functions to the very end."""
    f, started = Layer.build(), threading.Semaphore(0)
    g = custom(np.negative, "test.ending.negate")

    def call(seed):
        x = Layer.input(2000, seed)
        expected = Layer.expected(x)
        while True:
            np.testing.assert_array_equal(f(x), expected)
            started.release()

    def call_python(seed):
        x = np.full(4, seed, np.float32)
        while True:
            np.testing.assert_array_equal(g(x), -x)
            started.release()

    def fail(seed):
        while True:
            try:
                f(np.zeros(1 + seed, np.float32))
            except tandem.Error:
                started.release()

    def load(seed):
        while True:
            h, x = Layer.build(), Layer.input(2, seed)
            h.compile_ahead((2, 16))
            np.testing.assert_array_equal(h(x), Layer.expected(x))
            h.wait()
            h.report()
            started.release()

    threads = 4
    for seed in range(threads):
        threading.Thread(target=locals()[what], args=(seed,), daemon=True).start()
    for _ in range(3 * threads):
        started.acquire()


def custom(body, target):
    """A function that calls `body`."""
    tandem.custom_call(target, body)
    b = tandem.Builder()
    x = b.input("float32", (4,))
    return b.build(b.custom_call(x, target=target,
                                 results=[{"dtype": "f32", "dims": [4]}]))


@child
def end_with_a_daemon_in_python(what):
    """A thread that nobody joins is in a function of Python that does not return."""
    entered = threading.Event()

    def block(x):
        entered.set()
        if what == "waits":
            threading.Event().wait()
        while True:
            pass

    f = custom(block, "test.ending.block")
    x = np.ones(4, np.float32)
    threading.Thread(target=lambda: f(x), daemon=True).start()
    entered.wait()


@child
def end_while_certifying():
    """A certificate in the background calls a function of Python."""
    entered = threading.Event()

    def negate(x):
        if threading.current_thread() is not threading.main_thread():
            entered.set()
            time.sleep(0.2)
        return -x

    f = custom(negate, "test.ending.negate")
    kept.append(f)
    f.compile_ahead((4,))
    f.wait()
    f(np.ones(4, np.float32))
    if not entered.wait(children.SECONDS):
        sys.exit("no certificate is made in the background")


@child
def interrupted(sender):
    """SIGINT ends waits; what is waited for goes on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    f, x = Layer.build(), Layer.input(4)
    f.compile_ahead((4, 16))
    for _ in range(3):
        try:
            if sender == "thread":
                threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            print("waiting", flush=True)
            f.wait()
            sys.exit("the wait has ended by itself")
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        assert state_of(f) in ("queued", "compiling"), state_of(f)
        np.testing.assert_array_equal(f(x), Layer.expected(x))
    f.cancel()
    f.wait()
    np.testing.assert_array_equal(f(x), Layer.expected(x))


class EndingTest(unittest.TestCase):
    # The exit code, and the last line of stderr.
    ENDS = {"return": (0, ""), "exit": (3, ""), "raise": (1, "ValueError: the end"),
            "_exit": (4, "")}

    def check_ends(self, **environment):
        for how, (code, last) in self.ENDS.items():
            with self.subTest(how):
                result = children.run("end", how, **environment)
                lines = result.stderr.splitlines() or [""]
                self.assertEqual((result.returncode, lines[-1]), (code, last), result.stderr)
                # Nothing but the traceback.
                self.assertTrue(how == "raise" or result.stderr == "", result.stderr)
                self.assertTrue(lines[0] in ("", "Traceback (most recent call last):"),
                                result.stderr)
                for pid in map(int, result.stdout.split()):
                    children.wait_until(lambda: not children.is_running(pid),
                                        "the helper ends")

    def test_while_a_helper_compiles(self):
        self.check_ends()

    def test_while_the_process_compiles(self):
        self.check_ends(TANDEM_COMPILE_HELPER="off")

    def test_while_a_helper_stalls(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check_ends(TANDEM_COMPILE_HELPER=children.stalled_helper(folder))

    def check_silent(self, name, *arguments):
        result = children.run(name, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_daemon_threads(self):
        for what in ("call", "call_python", "fail", "load") * 3:
            with self.subTest(what):
                self.check_silent("end_with_daemons", what)

    def test_daemon_threads_in_functions_of_python(self):
        for what in ("waits", "computes") * 2:
            with self.subTest(what):
                self.check_silent("end_with_a_daemon_in_python", what)

    def test_certificates_that_call_python(self):
        self.check_silent("end_while_certifying")


class InterruptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {"TANDEM_COMPILE_HELPER": children.stalled_helper(folder.name)}

    def test_by_a_thread(self):
        result = children.run("interrupted", "thread", **self.environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.split(), ["waiting", "interrupted"] * 3)

    def test_by_a_process(self):
        with subprocess.Popen(children.command("interrupted", "process"), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=os.environ | self.environment) as process:
            watchdog = threading.Timer(children.SECONDS, process.kill)
            watchdog.start()
            for line in process.stdout:
                if line == "waiting\n":
                    process.send_signal(signal.SIGINT)
            self.assertEqual((process.wait(), process.stderr.read()), (0, ""))
            watchdog.cancel()


if __name__ == "__main__":
    children.main()
