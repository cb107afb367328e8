#!/usr/bin/env python3
"""Says what compiling kernels with NVRTC costs, as multiples of an empty one.

usage: nvrtc-times.py [--bin=BIN] [--arch=sm_90] [--rounds=15] [--check]

Prints the median time to a cubin of: an empty kernel; one simple loop; chain8
(test/graphs); and eight kernels like it in one program. All are compiled in
alternation in this process, as Tandem compiles them. --check fails where the
simple loop takes more than 1.8 times as long as the empty kernel, or the eight
kernels more than 5.5 times. Needs NVRTC (CUDAToolkit_ROOT).
"""

import argparse
import ctypes
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLKIT = pathlib.Path(os.environ.get("CUDAToolkit_ROOT", "/usr/local/cuda"))
MOST = {"one simple loop": 1.8, "eight kernels": 5.5}

SIMPLE = """func.func @main(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>)
    -> tensor<1048576xf32> {
  %0 = tandem.mul %x, %y : tensor<1048576xf32>
  %1 = tandem.add %0, %y : tensor<1048576xf32>
  return %1 : tensor<1048576xf32>
}
"""


def emit(tool, *arguments):
    command = [str(tool), "--tandem-to-cuda", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sources(tool):
    chain = emit(tool, ROOT / "test/graphs/chain8.mlir", "--shapes=1048576,1048576")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as graph:
        graph.write(SIMPLE)
        graph.flush()
        simple = emit(tool, graph.name)
    # What comes ahead of the kernel is declared once.
    ahead, kernel = re.split(r"(?=// Launched with)", chain)
    eight = [re.sub(r"\bkernel_0\b", f"kernel_{i}", kernel) for i in range(8)]
    return {
        "empty kernel": 'extern "C" __global__ void kernel_0() {}\n',
        "one simple loop": simple,
        "chain8": chain,
        "eight kernels": ahead + "".join(eight),
    }


class NVRTC:
    def __init__(self, arch):
        self.library = ctypes.CDLL(str(TOOLKIT / "lib64/libnvrtc.so"))
        options = [f"--gpu-architecture={arch}", "--std=c++17", "--minimal", "--no-cache"]
        self.options = (ctypes.c_char_p * len(options))(
            *(option.encode() for option in options)
        )

    def check(self, result, what):
        if result != 0:
            sys.exit(f"{what}: NVRTC error {result}")

    def milliseconds(self, source):
        """The time to a cubin."""
        program = ctypes.c_void_p()
        begin = time.perf_counter()
        self.check(
            self.library.nvrtcCreateProgram(
                ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None
            ),
            "nvrtcCreateProgram",
        )
        self.check(
            self.library.nvrtcCompileProgram(program, len(self.options), self.options),
            "nvrtcCompileProgram",
        )
        size = ctypes.c_size_t()
        self.library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        self.check(self.library.nvrtcGetCUBIN(program, image), "nvrtcGetCUBIN")
        result = (time.perf_counter() - begin) * 1e3
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    nvrtc = NVRTC(options.arch)
    programs = sources(options.bin / "tandem-translate")
    times = {name: [] for name in programs}
    for turn in range(options.rounds + 1):
        for name, source in programs.items():
            spent = nvrtc.milliseconds(source)
            if turn > 0:  # The first of a process starts the compiler, too.
                times[name].append(spent)
    empty = statistics.median(times["empty kernel"])
    good = True
    for name, spent in times.items():
        median = statistics.median(spent)
        low, *_, high = statistics.quantiles(spent, n=10)
        most = MOST.get(name)
        good &= most is None or median <= most * empty
        print(
            f"{name:16} {median:7.1f} ms (p10 {low:.1f}, p90 {high:.1f}), "
            f"{median / empty:.2f} of an empty kernel's"
            + (f"; at most {most}" if most else "")
        )
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
