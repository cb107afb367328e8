"""Kills tandem-run while it writes: no half file stays under a final name.

kill-while-writing.py FOLDER COMMAND...: the command writes FOLDER/output0.npy.
"""

import pathlib
import shutil
import subprocess
import sys
import time

folder = pathlib.Path(sys.argv[1])
command = sys.argv[2:]
result = folder / "output0.npy"

start = time.monotonic()
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
whole = time.monotonic() - start
size = result.stat().st_size

for i in range(12):
    shutil.rmtree(folder, ignore_errors=True)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(whole * (0.3 + 0.06 * i))
    process.kill()
    process.wait()
    if result.exists():
        assert result.stat().st_size == size, "a half file"
