"""Processes that judge samples of op_db. A sample may crash its process or take too
long; another process then goes on with the next sample."""

import multiprocessing
import zlib

# A sample that takes longer is given up.
SECONDS = 120

_spawn = multiprocessing.get_context("spawn")


def is_in_part(part, name, dtype, number):
    """Whether a sample belongs to part (i, n), the i-th of n parts from 0."""
    index, count = part
    return zlib.crc32(f"{name} {dtype} {number}".encode()) % count == index


def serve(connection, threads, gradients):
    """Answers requests (op, dtype, part, first): judges the samples of a part from the
    number `first` on. Replies ("total", the number of all samples), then (number, None)
    before and (number, verdict) after each sample, then None."""
    import torch
    import torch_samples
    torch_samples.quiet()
    torch.set_num_threads(threads)
    while True:
        try:
            name, dtype, part, first = connection.recv()
        except EOFError:
            return
        samples = torch_samples.samples_of(name, dtype, gradients)
        connection.send(("total", len(samples)))
        for number, sample in enumerate(samples):
            if number >= first and is_in_part(part, name, dtype, number):
                connection.send((number, None))
                connection.send((number, torch_samples.judge(name, sample,
                                                               gradients)))
        connection.send(None)


class Request:
    """The samples of an op in a dtype, and what is known about them.

    Attributes:
      total: the number of samples of all parts; None before they are made.
      verdicts: from the number of a sample to its verdict.
      current: the number of the sample that runs.
    """

    def __init__(self, name, dtype, part):
        self.name, self.dtype, self.part = name, dtype, part
        self.total, self.verdicts, self.current = None, {}, 0

    def take(self, reply):
        """Adds a reply of a worker."""
        what, value = reply
        if what == "total":
            self.total = value
        elif value is None:
            self.current = what
        else:
            self.verdicts[what] = value


class Worker:
    """A process that judges samples, and is replaced when it ends."""

    def __init__(self, threads, gradients):
        self.threads, self.gradients = threads, gradients
        self.process = None

    def start(self):
        self.connection, other = _spawn.Pipe()
        self.process = _spawn.Process(target=serve, args=(other, self.threads, self.gradients),
                                      daemon=True)
        self.process.start()
        other.close()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None

    def judge(self, name, dtype, part):
        """A Request with a verdict on each sample of a part."""
        request, first = Request(name, dtype, part), 0
        while True:
            failure = self._follow(request, first)
            if not failure:
                return request
            self.stop()
            if request.total is None:
                raise RuntimeError(f"{name} {dtype}: samples cannot be made: {failure}")
            request.verdicts[request.current] = f"eager: {failure}; compile: {failure}"
            first = request.current + 1

    def _follow(self, request, first):
        """Asks the process and reads its replies. Returns why the process did not
        finish, or ""."""
        if not self.process:
            self.start()
        try:
            self.connection.send((request.name, request.dtype, request.part, first))
            while True:
                if not self.connection.poll(SECONDS):
                    return f"takes more than {SECONDS} s"
                reply = self.connection.recv()
                if reply is None:
                    return ""
                request.take(reply)
        except (EOFError, ConnectionError):
            self.process.join()
            return f"the process ends with {self.process.exitcode}"
