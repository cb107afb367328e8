#!/usr/bin/env python3
"""Runs the ```mlir examples of .md and .td files through tandem-opt.

An example is either whole functions and modules, or ops alone. Of the latter,
names that the example does not define become arguments of a function around
it, with the types that the ops give their operands; kernels that are launched
become empty kernel modules. Prints file:line of every example that tandem-opt
refuses and exits with 1.

  utils/check-mlir-examples.py tandem-opt FILE-OR-FOLDER...
"""

import argparse
import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
WHOLE = re.compile(r"^(module|func\.func|#|!|{-#)", re.MULTILINE)
NAME = re.compile(r"%[\w$.-]+")
SIGNATURE = re.compile(r":\s*(?:\(([^()]*)\)\s*->|(\S+))")


def split_types(text):
    """Splits at the commas outside of <>."""
    types, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            types.append(text[start:i].strip())
            start = i + 1
    types.append(text[start:].strip())
    return [t for t in types if t]


def statements(body):
    """The ops at the outermost level: a line that starts with a blank, a colon
    or a brace continues the one before."""
    ops = []
    for line in body.splitlines():
        if line and (line[0] in "%" or line.startswith("tandem.")) or not ops:
            ops.append(line)
        else:
            ops[-1] += "\n" + line
    return ops


def wrap(body):
    """Puts ops into a function that has what they use as arguments."""
    defined, arguments = set(), {}
    for op in statements(body):
        results, _, rest = op.partition(" = tandem.")
        head = re.split(r":\s*[(\w!]", rest or op, maxsplit=1)[0]
        # `%a = %x` in a fusion defines %a.
        inner = set(re.findall(r"(%[\w$.-]+) =", head))
        operands = [n for n in NAME.findall(head) if n not in inner]
        found = SIGNATURE.search(rest or op)
        if found and found.group(1) is not None:
            types = split_types(found.group(1))
        elif found:
            types = [found.group(2)] * len(operands)
        else:
            types = []
        for name, type_ in zip(operands, types):
            if name not in defined:
                arguments.setdefault(name, type_)
        if rest:
            defined.update(NAME.findall(results))
    kernels = "".join(
        f"module {name} attributes {{tandem.kernel}} {{}}\n"
        for name in dict.fromkeys(re.findall(r"tandem\.launch (@\w+)", body)))
    signature = ", ".join(f"{n}: {t}" for n, t in arguments.items())
    return f"{kernels}func.func @example({signature}) {{\n{body}  return\n}}\n"


def examples(path):
    text = path.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        body = textwrap.dedent(match.group(2))
        line = text.count("\n", 0, match.start()) + 1
        yield line, body if WHOLE.search(body) else wrap(body)


def files(roots):
    for root in map(pathlib.Path, roots):
        if root.is_dir():
            for pattern in ("*.md", "*.td"):
                yield from sorted(
                    p for p in root.rglob(pattern) if "generated" not in p.parts)
        else:
            yield root


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("opt", help="path of tandem-opt")
    parser.add_argument("paths", nargs="+", help=".md and .td files, or folders")
    args = parser.parse_args()
    count = failures = 0
    for path in files(args.paths):
        for line, source in examples(path):
            count += 1
            run = subprocess.run([args.opt, "-"], input=source, text=True,
                                 capture_output=True, check=False)
            if run.returncode:
                failures += 1
                print(f"{path}:{line}: this example does not verify:\n"
                      f"{run.stderr}", file=sys.stderr)
    print(f"{count} examples, {failures} refused")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
