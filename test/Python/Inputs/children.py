"""Functions of a test that run in processes of their own, which may hang or crash
without the test."""

import os
import pathlib
import subprocess
import sys
import time
import unittest

# A process that takes longer hangs.
SECONDS = 300

_functions = {}


def child(function):
    """Makes `function` one that `run` can call by its name, with text."""
    _functions[function.__name__] = function
    return function


def command(name, *arguments):
    """The command line of a process that calls the function `name`."""
    return [sys.executable, "-X", "faulthandler", sys.modules["__main__"].__file__,
            "--child", name, *map(str, arguments)]


def run(name, *arguments, **environment):
    """Calls the function `name` in a process, which must end by itself."""
    return subprocess.run(command(name, *arguments), capture_output=True, text=True,
                          env=os.environ | environment, timeout=SECONDS)


def main():
    """Runs the tests, or the function that `run` has named."""
    if sys.argv[1:2] == ["--child"]:
        _functions[sys.argv[2]](*sys.argv[3:])
    else:
        unittest.main()


def wait_until(condition, what):
    """Waits for a condition; fails if it does not become true."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.002)


def _stat(pid):
    """The state and the parent of a process; None if there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return state, int(parent)


def is_running(pid):
    stat = _stat(pid)
    return stat is not None and stat[0] not in "ZX"


def child_processes():
    """The processes that this process has started and that run."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids
            if (stat := _stat(pid)) and stat[1] == os.getpid() and stat[0] not in "ZX"]


def state_of(function, text=""):
    """The state of the only signature of a function that has `text` in its inputs."""
    (signature,) = (each for each in function.report().signatures
                    if text in each.inputs[0])
    return signature.state


def until_compiling(function, text=""):
    wait_until(lambda: state_of(function, text) == "compiling", "a compilation begins")


def stalled_helper(folder):
    """A program in place of the compile helper that reads its socket and never answers,
    so that a compilation runs until it is stopped."""
    path = pathlib.Path(folder, "stalled-helper")
    path.write_text("#!/bin/sh\nexec cat <&3 >/dev/null\n")
    path.chmod(0o755)
    return str(path)
