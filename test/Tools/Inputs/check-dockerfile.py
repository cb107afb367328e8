"""Checks the paths in the Dockerfile without Docker.

usage: check-dockerfile.py ROOT

ROOT: the root of a checkout. Prints each path below /tandem in ROOT/Dockerfile
that neither exists in ROOT nor is the build folder of the preset that the
Dockerfile sets. Exit status 1 if there is any.
"""

import json
import pathlib
import re
import sys


def build_folder(root, preset):
    presets = json.loads((root / "CMakePresets.json").read_text())
    folders = {p["name"]: p.get("binaryDir") for p in presets["configurePresets"]}
    return pathlib.PurePath(folders[preset]).name


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "Dockerfile").read_text()
    build = build_folder(root, re.search(r"TANDEM_PRESET=(\S+)", text)[1])
    paths = set(re.findall(r"(?<!\w)/tandem/([\w./-]+)", text))
    missing = [p for p in sorted(paths) if p != build and not (root / p).exists()]
    for path in missing:
        print(f"Dockerfile: there is no {path}")
    return 1 if missing or build not in paths else 0


sys.exit(main())
