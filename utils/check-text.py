#!/usr/bin/env python3
"""Checks the English of comments and the layout of docs.

usage: check-text.py [--update] [FOLDER]

FOLDER: the root of a checkout; by default the one of this script. Lists, with
file and line:
  - comments whose first line is a fragment: it begins with "Of", "Which", "Those",
    "Where" or "As" and has no subject of its own. The hits in
    utils/comment-fragments.txt are known. A line there that is no longer a hit is
    an error, too, so that the file only gets shorter; --update removes such lines.
  - British spellings of words that this project spells as LLVM does (docs only:
    names in the code follow issue by issue)
  - lines of prose in docs that are longer than 110 columns. Tables, code, and links
    and images that are a line of their own are exempt.
  - files that docs name in backticks or links and that do not exist

Exit status 1 if there is any.
"""

import argparse
import collections
import pathlib
import re
import sys

COLUMNS = 110
KNOWN = "utils/comment-fragments.txt"
SOURCES = ("include", "lib", "runtime", "tools", "test")
# Also an image or a link that is a line of its own.
TABLE = re.compile(r"^\s*\||^!?\[[^\]]*\]\([^)]*\)$")
COMMENT = re.compile(r"^\s*//+\s?(.*)$")
FRAGMENT = re.compile(r"^(Of|Which|Those|Where|As)\b(?! soon as| long as| (a|an) [\w ]+,)")
# The phase "specialise" keeps its name for now.
SPELLINGS = re.compile(
    r"\b(behaviour|colour|favour|neighbour|centre|(?!specialise\b)"
    r"(?:un|re)?(?:vector|optim|normal|special|initial|serial|synchron|material|"
    r"recogn|quant|minim|maxim|summar)is"
    r"(?:e|ed|es|er|ing|ation|ations))\b", re.I)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|https?://\S+")
NAMED = re.compile(r"`([\w./-]+)`|\]\(([^)#\s]+)(?:#[^)]*)?\)")
ROOTS = ("cmake/", "docs/", "examples/", "include/", "lib/", "runtime/", "test/",
         "tools/", "utils/")
FILE = re.compile(r"^[A-Z]\w*\.(cpp|h|td|def|fbs)$")


def fragments(root):
    """(file, line, text) of comment blocks that begin with a fragment."""
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".def"):
                continue
            inside = False
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                comment = COMMENT.match(line)
                if comment and not inside and FRAGMENT.match(comment[1]):
                    yield path.relative_to(root), number, comment[1]
                inside = bool(comment)


def check_fragments(root, update):
    """New fragments, and known ones that are gone. A known one is the name of
    its file, without folders, and its text."""
    listing = root / KNOWN
    lines = listing.read_text("utf-8").splitlines() if listing.exists() else []
    known = collections.Counter(lines)
    for path, number, text in fragments(root):
        entry = f"{path.name}: {text}"
        if known[entry]:
            known[entry] -= 1
        else:
            yield f"{path}:{number}: the comment begins with a fragment: {text}"
    gone = +known
    if not update:
        yield from (f"{KNOWN}: no longer in the sources, remove it: {entry}"
                    for entry in gone.elements())
    elif gone:
        kept = []
        for entry in lines:
            if gone[entry]:
                gone[entry] -= 1
            else:
                kept.append(entry)
        listing.write_text("".join(f"{entry}\n" for entry in kept), "utf-8")


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
    sources = {path.name for folder in SOURCES
               for path in (root / folder).rglob("*") if FILE.match(path.name)}
    for page in pages(root):
        for number, line in prose(page):
            place = f"{page.relative_to(root)}:{number}"
            if len(line) > COLUMNS and not TABLE.match(line):
                yield f"{place}: {len(line)} columns of prose, more than {COLUMNS}"
            for word in SPELLINGS.findall(CODE.sub("", line)):
                yield f"{place}: '{word}' is not spelled as LLVM does"
            for code, link in NAMED.findall(line):
                if not exists(root, page, code, link, sources):
                    yield f"{place}: there is no {code or link}"


def exists(root, page, code, link, sources):
    """Whether what is named is there, if it names a file of the project."""
    if link:
        return "://" in link or link.startswith("mailto:") or (
            page.parent / link).exists()
    if code.startswith(ROOTS):
        return (root / code).exists() or any(
            root.glob(code + ".*"))  # A source and its header
    return not FILE.match(code) or code in sources


def main():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    problems = [*check_fragments(options.folder, options.update),
                *check_pages(options.folder)]
    print("".join(f"{problem}\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
