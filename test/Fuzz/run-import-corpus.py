"""Imports each input that tandem-fuzz-import has kept (import-corpus.zip): it must
be imported, or refused with a message and exit status 1.

usage: run-import-corpus.py TANDEM_OPT
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

CORPUS = pathlib.Path(__file__).parent / "import-corpus.zip"


def failure(file):
    """What is wrong; None if nothing is."""
    done = subprocess.run([sys.argv[1], file, "-o", os.devnull], timeout=120,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        return f"{file.name}: exit status {done.returncode}"
    if done.returncode == 1 and b"error:" not in done.stderr:
        return f"{file.name}: refused without a message"
    return None


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        zipfile.ZipFile(CORPUS).extractall(folder)
        files = sorted(pathlib.Path(folder).iterdir())
        failures = [text for text in pool.map(failure, files) if text]
    print("\n".join(failures))
    print(f"{len(files)} files, {len(failures)} failures")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
