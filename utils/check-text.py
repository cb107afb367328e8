#!/usr/bin/env python3
"""Checks the English of comments and the layout of docs.

usage: check-text.py [FOLDER]

FOLDER: the root of a checkout; by default the one of this script. Lists, with
file and line:
  - comments whose first line is a fragment: it begins with "Of", "Which", "Those",
    "Where" or "As" and has no subject of its own
  - British spellings of words that this project spells as LLVM does, in docs,
    sources and tests
  - lines of prose in docs that are longer than 110 columns. Tables, code, and links
    and images that are a line of their own are exempt.
  - files that docs name in backticks or links and that do not exist

Exit status 1 if there is any.
"""

import argparse
import pathlib
import re
import sys

COLUMNS = 110
SOURCES = ("cmake", "examples", "include", "lib", "python", "runtime", "test", "tools",
           "utils")
SUFFIXES = (".cpp", ".def", ".fbs", ".h", ".mlir", ".py", ".sh", ".td", ".test", ".txt")
# Also an image or a link that is a line of its own.
TABLE = re.compile(r"^\s*\||^!?\[[^\]]*\]\([^)]*\)$")
COMMENT = re.compile(r"^\s*//+\s?(.*)$")
FRAGMENT = re.compile(r"^(Of|Which|Those|Where|As)\b(?! soon as| long as| (a|an) [\w ]+,)")
# Also inside names.
SPELLINGS = re.compile(
    r"(?:behaviour|colour|favour|honour|neighbour|centre|"
    r"(?:vector|optim|normal|special|initial|serial|synchron|material|"
    r"recogn|quant|minim|maxim|summar|canonical)is(?:e|ing|ation|able))[a-z]*", re.I)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|https?://\S+")
NAMED = re.compile(r"`([\w./-]+)`|\]\(([^)#\s]+)(?:#[^)]*)?\)")
ROOTS = ("cmake/", "docs/", "examples/", "include/", "lib/", "python/", "runtime/", "test/",
         "tools/", "utils/")
FILE = re.compile(r"^[A-Z]\w*\.(cpp|h|td|def|fbs)$")


def sources(root):
    return (path for folder in SOURCES for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES and path.stem != "check-text")


def check_sources(root):
    for path in sources(root):
        inside = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            for word in SPELLINGS.findall(line):
                yield f"{place}: '{word}' is not spelled as LLVM does"
            comment = COMMENT.match(line)
            if comment and not inside and FRAGMENT.match(comment[1]):
                yield f"{place}: the comment begins with a fragment: {comment[1]}"
            inside = bool(comment)


def pages(root):
    return sorted((root / "docs").glob("*.md")) + [
        page for page in (root / "README.md", root / "CONTRIBUTING.md")
        if page.exists()]


def prose(page):
    """(line number, text) of what is neither code nor a comment."""
    fence = False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif not fence and not line.startswith("<!--"):
            yield number, line


def check_pages(root):
    names = {path.name for path in sources(root)}
    for page in pages(root):
        for number, line in prose(page):
            place = f"{page.relative_to(root)}:{number}"
            if len(line) > COLUMNS and not TABLE.match(line):
                yield f"{place}: {len(line)} columns of prose, more than {COLUMNS}"
            if "```" in line:
                yield f"{place}: the fence of a code block is within a line"
            for word in SPELLINGS.findall(CODE.sub("", line)):
                yield f"{place}: '{word}' is not spelled as LLVM does"
            for code, link in NAMED.findall(line):
                if not exists(root, page, code, link, names):
                    yield f"{place}: there is no {code or link}"


def exists(root, page, code, link, names):
    """Whether what is named is there, if it names a file of the project."""
    if link:
        return "://" in link or link.startswith("mailto:") or (
            page.parent / link).exists()
    if code.startswith(ROOTS):
        return (root / code).exists() or any(
            root.glob(code + ".*"))  # A source and its header
    return not FILE.match(code) or code in names


def main():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__)
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    problems = [*check_sources(options.folder), *check_pages(options.folder)]
    print("".join(f"{problem}\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
