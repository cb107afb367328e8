#!/usr/bin/env python3
"""Says whether two builds compile the project's graphs to the same bytes.

usage: compare-programs.py BIN BIN

BIN is the folder of a build's tools. A change that only moves or renames code
must leave every Program as it was: steps, memory plan and the objects of its
kernels. Compiled for the device `generic`, and with Winograd wherever it is
possible, too. Exit status 1 where one differs, or where none could be compiled.
"""

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
        environment = dict(os.environ, TANDEM_DEVICE="generic")
        subprocess.run(command, env=environment, capture_output=True, check=False)
        return file.read_bytes() if file.exists() else None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for folder in sys.argv[1:]:
        if not (pathlib.Path(folder) / "tandem-run").is_file():
            sys.exit(f"compare-programs.py: there is no tandem-run in {folder}")
    same = different = 0
    for graph, arguments in graphs():
        for winograd in ("auto", "always"):
            before, after = (
                program(of, graph, arguments, winograd) for of in sys.argv[1:]
            )
            if before == after:
                same += before is not None
                continue
            different += 1
            print(f"{graph.relative_to(ROOT)} --winograd={winograd} differs")
    print(f"{same} programs are the same, {different} differ")
    return 1 if different or not same else 0


if __name__ == "__main__":
    sys.exit(main())
