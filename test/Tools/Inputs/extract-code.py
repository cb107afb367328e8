"""Prints the first fenced block of a language: extract-code.py FILE LANGUAGE."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    match = re.search(rf"^```{sys.argv[2]}\n(.*?)^```$", file.read(),
                      re.DOTALL | re.MULTILINE)
sys.stdout.write(match[1])
