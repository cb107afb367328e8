"""Processes that run a model in one system."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import types
import typing

from .._errors import Error

# The new interpreter finds modules where this one does.
_START = ("import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
          "from tandem.bench._worker import main; main()")


class Failure(Exception):
    """A system that cannot run the model, with the reason."""


class Process:
    """A new interpreter, which loads a model and answers commands (`_worker`).

    Caches are in `cache`, or in a new folder that is deleted at the end, so that no
    process uses what another has compiled.
    """

    def __init__(self, job: dict[str, typing.Any], cache: str | None = None,
                 timeout: float | None = None) -> None:
        self._timeout = timeout
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(
                prefix="tandem-bench-", ignore_cleanup_errors=True))
            self._log = pathlib.Path(folder, "log")
            cache = cache or str(pathlib.Path(folder, "cache"))
            self._process = stack.enter_context(_start(cache, self._log))
            stack.callback(self._kill)
            self._resources = stack.pop_all()
        self.threads: int = 0
        try:
            self.threads = self.ask("load", **job, cache=cache)["threads"]
        except BaseException:
            self.close()
            raise

    def ask(self, command: str, **arguments: typing.Any) -> dict[str, typing.Any]:
        """The answer to a command. Raises Failure if the system fails, and Error if the
        model cannot be loaded."""
        assert self._process.stdin and self._process.stdout
        late = threading.Event()
        timer = threading.Timer(self._timeout or 0, self._end_late, [late])
        if self._timeout:
            timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps([command, arguments]) + "\n")
                self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise Failure(f"no answer within {self._timeout:g} s" if late.is_set()
                          else self._end())
        reply: dict[str, typing.Any] = json.loads(line)
        if "invalid" in reply:
            raise Error(reply["invalid"], "bench", hint=reply["hint"])
        if "error" in reply:
            raise Failure(reply["error"])
        return reply

    def _end_late(self, late: threading.Event) -> None:
        late.set()
        self._kill()

    def _end(self) -> str:
        """How the process has ended, and the last line of its messages."""
        code = self._process.wait()
        if code < 0:
            return f"the process was ended by {signal.Signals(-code).name}"
        lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        return f"the process has ended with status {code}: {(lines or [''])[-1]}"

    def _kill(self) -> None:
        """Ends the process and those that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ends the process and deletes its folder."""
        self._resources.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()


def _start(cache: str, log: pathlib.Path) -> subprocess.Popen[str]:
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": cache + "/inductor",
                                "TRITON_CACHE_DIR": cache + "/triton"}
    paths = [os.path.abspath(path) for path in sys.path]
    with open(log, "w", encoding="utf-8") as messages:
        return subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(paths)], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages,
            start_new_session=True)
