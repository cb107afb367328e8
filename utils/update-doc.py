#!/usr/bin/env python3
"""Runs the commands of a document and puts their output below them.

A document says what to show in a comment, followed by a fenced block:

    <!-- run: tandem-opt test/graphs/chain8.mlir --until=fuse -->
    ```mlir
    ...
    ```

Commands run in the source folder, with the tools of --bin first on the PATH.
`<!-- run: COMMAND | lines A-B -->` keeps those lines of the output, counted
from one; `-` ends are open. With --check nothing is written: the exit code is 1
where a block is out of date.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(<!-- run: (?P<command>.*?)(?: \| lines (?P<first>\d*)-(?P<last>\d*))?"
    r" -->\n```(?P<language>[\w+]*)\n)(?P<body>.*?)(^```$)",
    re.DOTALL | re.MULTILINE)


def output_of(match, environment):
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", match["command"]], cwd=ROOT,
        env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{match['command']}\n{result.stderr}")
    lines = result.stdout.strip("\n").split("\n")
    first = int(match["first"] or 1) - 1
    last = int(match["last"] or len(lines))
    return "\n".join(line.rstrip() for line in lines[first:last]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build" / "bin")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    environment = dict(os.environ)
    environment["PATH"] = f"{arguments.bin}:{environment['PATH']}"
    text = arguments.document.read_text(encoding="utf-8")
    fresh = BLOCK.sub(
        lambda match: match[1] + output_of(match, environment) + match[7], text)
    if not arguments.check:
        arguments.document.write_text(fresh, encoding="utf-8")
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        text.splitlines(True), fresh.splitlines(True),
        str(arguments.document), "what the tools print now"))
    return int(fresh != text)


if __name__ == "__main__":
    sys.exit(main())
