"""Files of torch.export."""

from __future__ import annotations

import json
import os
import pathlib
import typing
import zipfile

import torch

from .._errors import Error, check_type


def read_program(source: typing.Any) -> typing.Any:
    """The program of a file that torch.export.save wrote. Raises Error for other files."""
    if not hasattr(source, "read"):
        check_type("program", source, (str, os.PathLike), "an exported program or a path")
        _check(pathlib.Path(source))
    try:
        return torch.export.load(source)
    except Exception as error:  # torch raises errors of many types.
        raise Error(f"torch {torch.__version__} cannot read this program: {error}", "torch",
                    "" if hasattr(source, "read") else os.fspath(source),
                    "export the model again") from error


def _check(path: pathlib.Path) -> None:
    """Raises Error if a file is none of torch.export.save, or is of another format."""
    if not path.is_file():
        raise Error("there is no such file", "torch", str(path))
    program = _stored_program(path) if zipfile.is_zipfile(path) else None
    if program is None:
        raise Error("the file is truncated, or torch.export.save did not write it", "torch",
                    str(path), "export the model again")
    format_version, known = program["schema_version"]["major"], _known_format()
    if format_version != known:
        raise Error(f"the program was exported by torch {program.get('torch_version', '?')} in "
                    f"format {format_version}, and torch {torch.__version__} reads format "
                    f"{known}", "torch", str(path), "export the model with this torch")


def _stored_program(path: pathlib.Path) -> dict[str, typing.Any] | None:
    """The description of the program in a file."""
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            if name.endswith("models/model.json"):
                program: dict[str, typing.Any] = json.loads(file.read(name))
                return program
    return None


def _known_format() -> int:
    from torch._export.serde.schema import SCHEMA_VERSION
    return int(SCHEMA_VERSION[0])
