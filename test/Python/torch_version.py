# RUN: %torch-python %s %src
# REQUIRES: python-torch
"""A version of torch that was not tested is named once. The argument is the folder of
the sources."""

import pathlib
import subprocess
import sys
import unittest
import warnings

SOURCES = pathlib.Path(sys.argv.pop(1))


def warnings_of(version):
    """The warnings of a new process that imports and uses tandem.torch with a version of
    torch."""
    source = f"""
import warnings
import torch
torch.__version__ = {version!r}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import tandem.torch
    import tandem.torch
    for size in (2, 3):
        f = torch.compile(lambda x: x + 1, backend=tandem.torch.backend, dynamic=False)
        with torch.no_grad():
            f(torch.ones(size))
print(*(w.message for w in caught if "tandem" in str(w.message)), sep="\\n")
"""
    child = subprocess.run([sys.executable, "-c", source], text=True, capture_output=True,
                           check=True)
    return child.stdout.split("\n")[:-1]


class VersionTest(unittest.TestCase):
    def test_another_minor_version_is_named_once(self):
        (warning,) = warnings_of("2.99.1+cpu")
        self.assertIn("tested with torch 2.15, and this is torch 2.99.1+cpu", warning)

    def test_patches_of_the_tested_version_are_not_named(self):
        self.assertEqual(warnings_of("2.15.7"), [""])

    def test_the_tested_version_is_the_pinned_one(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            from tandem.torch._version import TESTED
        pins = (SOURCES / "utils/requirements/torch-tests.txt").read_text(encoding="utf-8")
        self.assertRegex(pins, rf"(?m)^torch=={TESTED}\.\d+ ")
        page = (SOURCES / "docs/Torch.md").read_text(encoding="utf-8")
        self.assertIn(f"The tested version of torch is {TESTED}.", page)


if __name__ == "__main__":
    unittest.main()
