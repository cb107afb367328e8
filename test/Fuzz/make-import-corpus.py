"""Writes libFuzzer's first inputs for tandem-fuzz-import, and a dictionary.

usage: make-import-corpus.py FOLDER

FOLDER/corpus gets the models of the onnx package's node tests, and those of the
importer's tests, that take at most 4 KiB; FOLDER/onnx.dict the names of ops and
attributes. It needs the onnx package.
"""

import pathlib
import subprocess
import sys
import warnings

from onnx import defs
from onnx.backend.test.case.node import collect_testcases

MOST_BYTES = 4096
MODELS = (pathlib.Path(__file__).parents[1]
          / "Import" / "ONNX" / "Inputs" / "make-models.py")


def write_corpus(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        data = case.model.SerializeToString()
        if len(data) <= MOST_BYTES:
            (folder / case.name).write_bytes(data)
    subprocess.run([sys.executable, str(MODELS), str(folder)], check=True)


def write_dictionary(path):
    words = set()
    for schema in defs.get_all_schemas_with_history():
        words |= {schema.name, *schema.attributes}
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)),
                    encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1])
    write_corpus(folder / "corpus")
    write_dictionary(folder / "onnx.dict")


if __name__ == "__main__":
    main()
