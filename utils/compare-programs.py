#!/usr/bin/env python3
"""Stores and compares everything that a build compiles the project's graphs to.

  utils/compare-programs.py BEFORE AFTER [--diff]
  utils/compare-programs.py --store=FOLDER BIN

BEFORE and AFTER are folders with the tools of a build (tandem-run, tandem-opt), or
folders that --store has written. --store keeps the results of a build for later, when
the build no longer exists.

A change that only moves or renames code must leave every result as it was. The graphs
are all files below test/ and docs/ with a function @main. They are compiled for the
device `generic`. Dims of unknown size are compiled for size 32. The results are:

  eager.txt            the Program of the eager tier: its slots and steps
  compiled.txt         the Program of the compiled tier
  program.bin          the same with constants and the objects of its kernels
  winograd.bin         the same with Winograd's method wherever possible
  llvm.mlir            the IR of all kernels for the CPU, after phase `llvm`
  sm_80.mlir, …        the kernels for GPUs as C++, after phase `emitc`

--diff prints the differences between texts. The exit status is 1 if anything differs,
or if nothing was compiled.
"""

import argparse
import collections
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNKNOWN = "32"  # The size that dims of unknown size are compiled for.
MAX_LINES = 40  # The most lines of a difference that are printed.


def graphs():
    """Files with an @main, each with the shapes of its arguments; no shapes if static.
    The paths are relative, because Programs contain them."""
    for folder in ("test", "docs"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            main = re.search(r"func\.func @main\((.*?)\) ->", path.read_text(), re.S)
            types = re.findall(r"%\w+: tensor<([^>]*)>", main[1]) if main else []
            graph = path.relative_to(ROOT)
            if main and "?" not in main[1]:
                yield graph, []
            elif main:
                yield graph, [t.replace("?", UNKNOWN).rpartition("x")[0] for t in types]


def execute(command):
    """The standard output of a command; None after a failure."""
    environment = dict(os.environ, TANDEM_DEVICE="generic", TANDEM_DISK_CACHE="off")
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True,
                          check=False)
    return done.stdout if done.returncode == 0 else None


def run(binaries, graph, shapes, *options):
    return execute([binaries / "tandem-run", graph, "--threads=1", *options,
                    *(f"--arg=random:{shape}" for shape in shapes)])


def program_text(binaries, graph, shapes, *options):
    """The Program that a tier runs, without what the call returns."""
    text = run(binaries, graph, shapes, "--program", *options)
    found = text and re.search(rb"^program @.*?^(?=\S)|^program @.*\Z", text, re.S | re.M)
    return found and found[0]


def program(binaries, graph, shapes, winograd):
    """The bytes of the compiled Program."""
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "program"
        # The old spelling of --target-option, so that older builds can be compared.
        run(binaries, graph, shapes, "--tier=compiled", "--no-fallback",
            f"--winograd={winograd}", f"--save-program={file}")
        return file.read_bytes() if file.exists() else None


def kernels(binaries, graph, shapes, *options):
    """The text of all kernels of the graph."""
    return execute([binaries / "tandem-opt", graph, *options,
                    *([f"--shapes={','.join(shapes)}"] if shapes else [])])


FORMS = {
    "eager.txt": lambda *of: program_text(*of, "--tier=eager"),
    "compiled.txt": lambda *of: program_text(*of, "--tier=compiled", "--no-fallback"),
    "program.bin": lambda *of: program(*of, "auto"),
    "winograd.bin": lambda *of: program(*of, "always"),
    "llvm.mlir": lambda *of: kernels(*of, "--until=llvm"),
} | {
    f"{gpu}.mlir": lambda *of, gpu=gpu: kernels(*of, "--until=emitc", "--device=cuda",
                                                f"--device-spec={gpu}")
    for gpu in ("sm_80", "sm_90", "sm_100")
}


class Build:
    """The results of a build: of its tools, or as they were stored."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        self.is_stored = not (self.folder / "tandem-run").is_file()
        if self.is_stored and not any(self.folder.rglob("llvm.mlir")):
            sys.exit(f"compare-programs.py: neither tools nor stored results in {folder}")

    def result(self, graph, shapes, form):
        """The bytes of a result; None if there is none."""
        if not self.is_stored:
            return FORMS[form](self.folder, graph, shapes)
        file = self.folder / graph / form
        return file.read_bytes() if file.exists() else None


def for_each_result(visit):
    """Calls visit(graph, shapes, form) for all results, and yields the answers."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda job: visit(*job), [
            (graph, shapes, form) for graph, shapes in graphs() for form in FORMS])


def store(build, folder):
    def write(graph, shapes, form):
        data = build.result(graph, shapes, form)
        file = folder / graph / form
        file.parent.mkdir(parents=True, exist_ok=True)
        if data is not None:
            file.write_bytes(data)
        return data is not None

    stored = sum(for_each_result(write))
    print(f"{stored} results stored in {folder}")
    return 0 if stored else 1


def print_difference(before, after):
    texts = [(data or b"").decode(errors="replace").splitlines() for data in (before, after)]
    lines = list(difflib.unified_diff(*texts, "before", "after", lineterm="", n=1))
    print("\n".join(lines[:MAX_LINES]))
    if len(lines) > MAX_LINES:
        print(f"… {len(lines) - MAX_LINES} more lines")


def compare(before, after, prints_differences):
    def both(*job):
        return *job, before.result(*job), after.result(*job)

    same, different = collections.Counter(), collections.Counter()
    for graph, _, form, old, new in for_each_result(both):
        same[form] += old is not None and old == new
        if old == new:
            continue
        different[form] += 1
        print(f"{graph}: {form} differs", flush=True)
        if prints_differences and not form.endswith(".bin"):
            print_difference(old, new)
    for form in FORMS:
        print(f"{form}: {same[form]} are the same, {different[form]} differ")
    return 1 if different.total() or not all(same[form] for form in FORMS) else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    parser.add_argument("--store", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--diff", action="store_true")
    options = parser.parse_args()
    if len(options.builds) != (1 if options.store else 2):
        parser.error("two builds to compare, or one to --store")
    builds = [Build(folder) for folder in options.builds]
    if options.store:
        return store(builds[0], options.store)
    return compare(*builds, options.diff)


if __name__ == "__main__":
    sys.exit(main())
