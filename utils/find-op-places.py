#!/usr/bin/env python3
"""Lists the places that a new op of the op table, or a new element type, misses
(docs/AddingAnOp.md).

usage: find-op-places.py BUILD

BUILD is a build folder with compile_commands.json. The script adds a made-up op to copies
of Op.fbs and Ops.def, once as an elementwise function and once as an op of another kind,
and checks the syntax of all files that have a switch over ops. As -Wswitch is an error, the
compiler names each switch that has no case for the op. Switches with a `default` are not
found, so they must not decide what an op does. Without a row in Ops.def, the compiler
names the table itself. In the same way, the script adds a made-up float of 8 bits to copies
of Op.fbs and DTypes.def.
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
SWITCH = re.compile(r"case (?:fb::)?(?:OpKind|UnaryKind|BinaryKind|DType)::|DTypes\.def")
MISSING = re.compile(r"(\S+?):\d+:\d+: .*error: .*['‘]made_up['’] not handled in switch")
ERROR = re.compile(r"^(\S+?):\d+:\d+: (?:fatal )?error: ", re.M)
DEFAULT = re.compile(r"switch \([^{]*\{(?:[^{}]|\{[^{}]*\})*?case (?:fb::)?(?:OpKind|DType)::"
                     r"(?:[^{}]|\{[^{}]*\})*?\bdefault:")
# The rows of the made-up op.
ROWS = {
    "no row": "",
    "function": "TANDEM_UNARY(made_up, NONE, floating, function, any, steep, never, large, rule)",
    "other op": "TANDEM_OP(made_up, shape, 1, 1, AxisAttrs, inferSoftmax, one, exact, any, "
                "relative, never, one, 0, rule)",
    "8-bit float": "TANDEM_FLOAT(made_up, floating, 1, F8)",
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


def check(entry, file, overlay, pattern):
    """The files with an error of `pattern` after the row was added."""
    command = shlex.split(entry["command"])
    command = command[:command.index("-o")]
    done = subprocess.run(
        [command[0], f"-I{overlay}", *command[1:], "-fno-color-diagnostics",
         "-ferror-limit=0", "-fsyntax-only", str(ROOT / file)],
        cwd=entry["directory"], capture_output=True, text=True, check=False)
    places = set()
    for place in pattern.findall(done.stderr):
        path = pathlib.Path(entry["directory"], place).resolve()
        if not path.is_relative_to(overlay):
            places.add(str(path.relative_to(ROOT)))
        elif pattern is MISSING:  # Otherwise the made-up row is what fails.
            places.add(f"include/{path.relative_to(overlay)}")
    if done.returncode != 0 and not places:
        sys.exit(f"find-op-places.py: {file} has other errors:\n{done.stderr}")
    return places


def write_overlay(folder, row):
    """Copies of the headers with the table of ops, with a made-up op."""
    support = folder / "tandem/Support"
    support.mkdir(parents=True)
    for header in (ROOT / "include/tandem/Support").glob("*.h"):
        (support / header.name).write_text(header.read_text())
    macro = row.partition("(")[0]
    isType = macro == "TANDEM_FLOAT"
    name = "DTypes.def" if isType else "Ops.def"
    table = (ROOT / "include/tandem/Support" / name).read_text()
    if isType:  # After all others, as the enumeration has it.
        table = table.replace("// clang-format on", row + "\n// clang-format on")
    elif row:  # Before the first row of its kind.
        table = re.sub(rf"^(?={macro}\()", row + "\n", table, count=1, flags=re.M)
    for table_name in ("DTypes.def", "Ops.def"):
        other = (ROOT / "include/tandem/Support" / table_name).read_text()
        (support / table_name).write_text(table if table_name == name else other)
    enum = "DType" if isType else "OpKind"
    schema = (ROOT / "include/tandem/Support/Op.fbs").read_text()
    schema = re.sub(rf"(enum {enum} .*?)(\n}})", r"\1, made_up\2", schema, count=1, flags=re.S)
    (support / "Op.fbs").write_text(schema)
    write_float(folder)
    subprocess.run([*FLATC, "-o", support, support / "Op.fbs"], check=True)


def write_float(folder):
    """A copy of Float16.h that also has a type for the made-up element type."""
    header = "tandem/Runtime/Float16.h"
    text = (ROOT / "runtime/include" / header).read_text()
    (folder / header).parent.mkdir(parents=True)
    (folder / header).write_text(text.replace("using BF16 =",
                                              "using F8 = SmallFloat<5, 2>;\nusing BF16 ="))


def check_defaults():
    """Fails for a switch over ops or element types with a default."""
    for folder in ("include", "lib", "runtime", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                text = path.read_text()
                for found in DEFAULT.finditer(text):
                    line = text.count("\n", 0, found.start()) + 1
                    print(f"{path.relative_to(ROOT)}:{line}: a switch with a default")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    commands = pathlib.Path(sys.argv[1]) / "compile_commands.json"
    if not commands.is_file():
        sys.exit(f"find-op-places.py: there is no {commands}")
    check_defaults()
    entries = json.loads(commands.read_text())
    files = list(files_with_switches())
    commands = [find_command(entries, file) for file in files]
    for name, row in ROWS.items():
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            overlay = pathlib.Path(folder)
            write_overlay(overlay, row)
            # A type that is not handled may fail anywhere, not in switches alone.
            pattern = ERROR if "FLOAT" in row else MISSING
            found = pool.map(check, commands, files, [overlay] * len(files),
                             [pattern] * len(files))
            places = set().union(*found)
        for place in sorted(places):
            print(f"{name}: {place}")


if __name__ == "__main__":
    main()
