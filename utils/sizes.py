#!/usr/bin/env python3
"""Lists the files and the functions that are longer than they should be.

usage: sizes.py [FOLDER]...

FOLDER: lib, runtime, include, tools, python and test by default. A file should have at
most 400 lines, and a C++ function at most 60 from its first line to its last.
Exit status 1 where code of the product is longer; tests are only listed.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("lib", "runtime", "include", "tools", "python", "test")
MOST_FILE_LINES, MOST_FUNCTION_LINES = 400, 60
CPP = {".cpp", ".h", ".inc"}
SOURCES = CPP | {".td", ".def", ".fbs", ".mlir", ".py"}

COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\])+'",
    re.S,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
# What may be ahead of a function without being part of it.
AHEAD = re.compile(r"(?:\s|(?:public|protected|private)\s*:)*")
NAME = re.compile(r"([\w:~]+|operator\W+)\s*\(")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def functions(text):
    """(name, first line, number of lines) of each function that is not within
    another one. Braces without parentheses ahead of them are those of a
    namespace, a class or a table."""
    text = DIRECTIVE.sub(blank, COMMENT_OR_LITERAL.sub(blank, text))
    start = depth = 0  # Of the declaration; brackets that are open within it.
    for match in re.finditer(r"[{}();]", text):
        token, end = match[0], match.end()
        if depth == 0 and (
            token in "};" or (token == "{" and "(" not in text[start:end])
        ):
            start = end
        elif token in "({":
            depth += 1
        elif token in "})":
            depth -= 1
            # A member's initializer may be in braces, too.
            if depth or token == ")" or re.match(r"\s*[,{]", text[end : end + 200]):
                continue
            first = AHEAD.match(text, start).end()
            name = NAME.search(text, first)
            lines = text.count("\n", first, end) + 1
            yield name[1], text.count("\n", 0, first) + 1, lines
            start = end


def too_long(path):
    """What is too long in a file, as lines to print."""
    text = path.read_text()
    place = os.path.relpath(path, ROOT)
    if (lines := text.count("\n")) > MOST_FILE_LINES:
        yield f"{place}: {lines} lines"
    if path.suffix in CPP:
        for name, line, lines in functions(text):
            if lines > MOST_FUNCTION_LINES:
                yield f"{place}:{line}: {name} has {lines} lines"


def main():
    folders = [ROOT / folder for folder in sys.argv[1:] or FOLDERS]
    for folder in folders:
        if not folder.is_dir():
            sys.exit(f"sizes.py: there is no folder {folder}")
    paths = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in SOURCES
    ]
    count = {"product": 0, "tests": 0}
    for path in paths:
        kind = "tests" if path.is_relative_to(ROOT / "test") else "product"
        for line in too_long(path):
            print(f"{kind}: {line}")
            count[kind] += 1
    print(
        f"{len(paths)} files read, {count['product']} things too long in the"
        f" product, {count['tests']} in tests"
    )
    return 1 if count["product"] or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
