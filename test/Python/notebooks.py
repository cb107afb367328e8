# RUN: %notebook-python %s %src/docs/notebooks
# REQUIRES: notebook
"""The notebooks of the documentation run, and show what they are stored with."""

import pathlib
import sys
import unittest

import nbclient
import nbformat

FOLDER = pathlib.Path(sys.argv.pop(1))


def kinds(cell):
    """The kinds of a cell's outputs: streams, and types of data."""
    return [sorted(output["data"]) if "data" in output else output["name"]
            for output in cell.get("outputs", [])]


class NotebookTest(unittest.TestCase):
    def test_notebooks_run(self):
        files = sorted(FOLDER.glob("*.ipynb"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(notebook=file.name):
                stored = nbformat.read(file, as_version=4)
                again = nbformat.read(file, as_version=4)
                # Raises the error of a cell.
                nbclient.NotebookClient(again, timeout=300).execute()
                for before, after in zip(stored.cells, again.cells, strict=True):
                    self.assertEqual(kinds(before), kinds(after), before.source)


if __name__ == "__main__":
    unittest.main()
