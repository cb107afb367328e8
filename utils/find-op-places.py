#!/usr/bin/env python3
"""Lists the switches that a new op of the op table misses (docs/AddingAnOp.md).

usage: find-op-places.py BUILD

BUILD is a build folder with compile_commands.json. The script adds a made-up op to copies
of Op.fbs and Ops.def, once as an elementwise function and once as an op of another kind,
and checks the syntax of all files that have a switch over ops. As -Wswitch is an error, the
compiler names each switch that has no case for the op. Switches with a `default` are not
found, so they must not decide what an op does. Without a row in Ops.def, the compiler
names the table itself.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLATC = ["flatc", "--cpp", "--cpp-std", "c++17", "--scoped-enums", "--gen-object-api",
         "--gen-compare"]
SWITCH = re.compile(r"case (?:fb::)?(?:OpKind|UnaryKind|BinaryKind)::")
MISSING = re.compile(r"(\S+?):\d+:\d+: .*error: .*['‘]made_up['’] not handled in switch")
# The rows of the made-up op.
ROWS = {
    "no row": "",
    "function": "TANDEM_UNARY(made_up, NONE, floating, function, any, steep, never, large)",
    "other op": "TANDEM_OP(made_up, shape, 1, 1, AxisAttrs, inferSoftmax, one, exact, any, "
                "never, one, 0)",
}


def files_with_switches():
    for folder in ("lib", "runtime"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            if SWITCH.search(path.read_text()):
                yield path.relative_to(ROOT)


def find_command(entries, file):
    """The command that compiles a file, by itself or as a part of a unity file."""
    for entry in entries:
        source = pathlib.Path(entry["file"])
        if source == ROOT / file or ("/unity/" in entry["file"] and source.exists()
                                     and f'"{file}"' in source.read_text()):
            return entry
    sys.exit(f"find-op-places.py: {file} is not compiled in this build")


def check(entry, file, overlay):
    """The files with a switch that has no case for the made-up op."""
    command = shlex.split(entry["command"])
    command = command[:command.index("-o")]
    done = subprocess.run(
        [command[0], f"-I{overlay}", *command[1:], "-fno-color-diagnostics",
         "-ferror-limit=0", "-fsyntax-only", str(ROOT / file)],
        cwd=entry["directory"], capture_output=True, text=True, check=False)
    places = set()
    for place in MISSING.findall(done.stderr):
        path = pathlib.Path(entry["directory"], place).resolve()
        places.add(f"include/{path.relative_to(overlay)}" if path.is_relative_to(overlay)
                   else str(path.relative_to(ROOT)))
    if done.returncode != 0 and not places:
        sys.exit(f"find-op-places.py: {file} has other errors:\n{done.stderr}")
    return places


def write_overlay(folder, row):
    """Copies of the headers with the table of ops, with a made-up op."""
    support = folder / "tandem/Support"
    support.mkdir(parents=True)
    for header in (ROOT / "include/tandem/Support").glob("*.h"):
        (support / header.name).write_text(header.read_text())
    table = (ROOT / "include/tandem/Support/Ops.def").read_text()
    macro = row.partition("(")[0]
    if row:  # Before the first row of its kind.
        table = re.sub(rf"^(?={macro}\()", row + "\n", table, count=1, flags=re.M)
    (support / "Ops.def").write_text(table)
    schema = (ROOT / "include/tandem/Support/Op.fbs").read_text()
    schema = re.sub(r"(enum OpKind.*?)(\n})", r"\1, made_up\2", schema, count=1, flags=re.S)
    (support / "Op.fbs").write_text(schema)
    subprocess.run([*FLATC, "-o", support, support / "Op.fbs"], check=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    commands = pathlib.Path(sys.argv[1]) / "compile_commands.json"
    if not commands.is_file():
        sys.exit(f"find-op-places.py: there is no {commands}")
    entries = json.loads(commands.read_text())
    files = list(files_with_switches())
    commands = [find_command(entries, file) for file in files]
    for name, row in ROWS.items():
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            overlay = pathlib.Path(folder)
            write_overlay(overlay, row)
            found = pool.map(check, commands, files, [overlay] * len(files))
            places = set().union(*found)
        for place in sorted(places):
            print(f"{name}: {place}")


if __name__ == "__main__":
    main()
