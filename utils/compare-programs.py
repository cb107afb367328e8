#!/usr/bin/env python3
"""Says whether two builds compile the project's graphs to the same bytes.

usage: compare-programs.py BIN BIN

BIN is the folder of a build's tools. A change that only moves or renames code
must leave every Program as it was: its steps, its memory plan, and the objects of
its kernels for the CPU. Each graph is compiled for the device `generic` twice, the
second time with Winograd's method wherever possible. The IR of the kernels for the
CPU (after phase `llvm`) and for a GPU (after phase `emitc`, for the built-in
descriptions of GPUs) must be the same, too. Exit status 1 if anything differs, or if
nothing could be compiled.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


UNKNOWN = "32"  # What a dim of unknown size is compiled for.


def graphs():
    """Files with an @main, each with the arguments that it is compiled for."""
    for folder in ("test/graphs", "test/Execution", "docs"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            main = re.search(r"func\.func @main\((.*?)\) ->", path.read_text(), re.S)
            types = re.findall(r"%\w+: tensor<([^>]*)>", main[1]) if main else []
            if main and "?" not in main[1]:
                yield path, []
            elif main:
                shapes = [t.replace("?", UNKNOWN).rpartition("x")[0] for t in types]
                yield path, [f"--arg=random:{shape}" for shape in shapes]


def program(binaries, graph, arguments, winograd):
    """The bytes of the compiled Program; None where it is not compiled."""
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "program"
        command = [pathlib.Path(binaries) / "tandem-run", graph, "--tier=compiled"]
        command += [f"--winograd={winograd}", f"--save-program={file}", "--no-fallback"]
        command += ["--threads=1"] + arguments
        environment = dict(os.environ, TANDEM_DEVICE="generic",
                           TANDEM_DISK_CACHE="off")
        subprocess.run(command, env=environment, capture_output=True, check=False)
        return file.read_bytes() if file.exists() else None


def kernels(binaries, graph, arguments, device):
    """The text of all kernels of the graph; None where it is not compiled."""
    shapes = [argument.rpartition(":")[2] for argument in arguments]
    command = [pathlib.Path(binaries) / "tandem-opt", graph, *device]
    command += [f"--shapes={','.join(shapes)}"] if shapes else []
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


FORMS = {
    "program": lambda *of: program(*of, "auto"),
    "program, --winograd=always": lambda *of: program(*of, "always"),
    "kernels for the CPU": lambda *of: kernels(*of, ["--until=llvm"]),
} | {
    f"kernels for {gpu}": lambda *of, gpu=gpu: kernels(
        *of, ["--until=emitc", "--device=cuda", f"--device-spec={gpu}"])
    for gpu in ("sm_80", "sm_90")
}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for folder in sys.argv[1:]:
        if not (pathlib.Path(folder) / "tandem-run").is_file():
            sys.exit(f"compare-programs.py: there is no tandem-run in {folder}")
    same, different = collections.Counter(), 0
    for graph, arguments in graphs():
        for form, result in FORMS.items():
            before, after = (result(of, graph, arguments) for of in sys.argv[1:])
            same[form] += before is not None and before == after
            if before != after:
                different += 1
                print(f"{graph.relative_to(ROOT)}: {form} differs")
    for form in FORMS:
        print(f"{form}: {same[form]} are the same")
    print(f"{sum(same.values())} are the same, {different} differ")
    return 1 if different or not all(same[form] for form in FORMS) else 0


if __name__ == "__main__":
    sys.exit(main())
