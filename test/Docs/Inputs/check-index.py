"""Checks the index of the documentation and its picture.

usage: check-index.py DOCS

DOCS: the folder docs. Prints each page below DOCS that README.md does not link,
and whether images/architecture.svg was drawn from another architecture.dot than
the present one (draw-architecture.sh). Exit status 1 if there is any.
"""

import hashlib
import pathlib
import re
import sys

INDEX = "README.md"


def missing_pages(docs):
    links = re.findall(r"\]\(([^)#]+)", (docs / INDEX).read_text())
    pages = [path.relative_to(docs).as_posix() for path in docs.rglob("*.md")]
    for page in sorted(set(pages) - set(links) - {INDEX}):
        yield f"{INDEX} does not link {page}"


def outdated_picture(docs):
    source, picture = (docs / "images" / f"architecture.{end}" for end in ("dot", "svg"))
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    if picture.read_text().splitlines()[0] != f"<!-- {digest} -->":
        yield f"{picture.name} is older than {source.name}: run ninja tandem-docs"


def main():
    docs = pathlib.Path(sys.argv[1])
    findings = [*missing_pages(docs), *outdated_picture(docs)]
    print(*findings, sep="\n")
    return 1 if findings else 0


sys.exit(main())
