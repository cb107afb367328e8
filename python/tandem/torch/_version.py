"""The version of torch that the package was tested with."""

from __future__ import annotations

import warnings

TESTED = "2.15"


def minor_version(version: str) -> str:
    """"2.15" of "2.15.0+cpu"."""
    return ".".join(version.split(".")[:2])


def warn_of_other_version(version: str) -> None:
    """Warns if a version of torch is not the tested one: the package uses functions of
    torch that change without notice."""
    if minor_version(version) != TESTED:
        warnings.warn(f"tandem was tested with torch {TESTED}, and this is torch {version}: "
                      f"install torch {TESTED} if torch.compile fails or results differ",
                      RuntimeWarning, stacklevel=3)
