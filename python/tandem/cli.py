"""The command `tandem`: runs and measures a model from the shell."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from collections.abc import Sequence

import tandem

from ._format import format_ns
from ._inputs import free_dims, random_inputs
from .sweep import measure_rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (tandem.Error, OSError) as error:
        print(f"tandem: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tandem", description=__doc__)
    parser.add_argument("--version", action="version",
                        version=f"tandem {tandem.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="call a model with random inputs or arrays")
    run.set_defaults(run=_run)
    _add_model(run)
    run.add_argument("--input", action="append", default=[], type=_pair, metavar="NAME=FILE",
                     help="read an input, given by name or number from 0, from a .npy "
                     "file; the others are random")
    run.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                     help="write each output as a .npy file")
    run.add_argument("--calls", type=int, default=1, help="the number of calls")

    report = commands.add_parser(
        "report", help="call a model for some seconds, and report when compiling pays")
    report.set_defaults(run=_report)
    _add_model(report)
    report.add_argument("--seconds", type=float, default=5)
    report.add_argument("--html", metavar="FILE", help="also write an HTML page")

    sweep = commands.add_parser(
        "sweep", help="measure eager and compiled calls over sizes of free dims")
    sweep.set_defaults(run=_sweep)
    _add_model(sweep, with_dims=False)
    sweep.add_argument("sizes", nargs="+", type=_sizes, metavar="NAME=SIZE,...",
                       help="the sizes of a free dim, such as batch=1,2,4,8")
    sweep.add_argument("--json", action="store_true", help="print JSON")

    devices = commands.add_parser("devices", help="list the devices")
    devices.set_defaults(run=_devices)
    return parser


def _add_model(parser: argparse.ArgumentParser, with_dims: bool = True) -> None:
    parser.add_argument("model", help="an ONNX model or an MLIR file")
    parser.add_argument("--device", help="a name that `tandem devices` lists")
    if with_dims:
        parser.add_argument("--dim", action="append", default=[], type=_size,
                            metavar="NAME=SIZE", help="the size of a free dim")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"'{text}' has not the form NAME=VALUE")
    return name, value


def _size(text: str) -> tuple[str, int]:
    name, value = _pair(text)
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"'{value}' is no size")
    return name, int(value)


def _sizes(text: str) -> tuple[str, list[int]]:
    name, values = _pair(text)
    return name, [_size(f"{name}={value}")[1] for value in values.split(",")]


def _load(options: argparse.Namespace) -> tandem.Function:
    return tandem.load(options.model, device=options.device)


def _dims(function: tandem.Function, options: argparse.Namespace) -> dict[str, int]:
    """The sizes of all free dims: 1, unless an option has another."""
    given = dict(options.dim)
    free = free_dims(function)
    for name in given:
        if name not in free:
            raise tandem.Error(f"the model has no free dim '{name}'", "input",
                               hint=f"free dims: {', '.join(free) or 'none'}")
    return dict.fromkeys(free, 1) | given


def _run(options: argparse.Namespace) -> None:
    import numpy as np
    if options.calls < 1:
        raise tandem.Error("there must be at least one call", "input")
    start = time.perf_counter_ns()
    function = _load(options)
    print(f"loaded in {format_ns(time.perf_counter_ns() - start)}")
    names = [spec.name or str(index) for index, spec in enumerate(function.inputs)]
    inputs = random_inputs(function, _dims(function, options))
    for name, file in options.input:
        if name not in names:
            raise tandem.Error(f"the model has no input '{name}'", "input",
                               hint=f"inputs: {', '.join(names)}")
        inputs[names.index(name)] = np.load(file)
    for spec, array in zip(function.inputs, inputs):
        print(f"input  {spec.name or '_'}: {array.dtype}{list(array.shape)}")
    for call in range(options.calls):
        start = time.perf_counter_ns()
        results = function(*inputs)
        elapsed = time.perf_counter_ns() - start
        if call in (0, options.calls - 1):
            print(f"call {call + 1}: {format_ns(elapsed)}")
    if not isinstance(results, tuple):
        results = (results,)
    for index, (spec, array) in enumerate(zip(function.outputs, results)):
        print(f"output {spec.name or '_'}: {array.dtype}{list(array.shape)}")
        if options.output:
            options.output.mkdir(parents=True, exist_ok=True)
            np.save(options.output / f"output_{index}.npy", array)


def _report(options: argparse.Namespace) -> None:
    function = _load(options)
    inputs = random_inputs(function, _dims(function, options))
    end = time.monotonic() + options.seconds
    function(*inputs)
    while time.monotonic() < end:
        function(*inputs)
    report = function.report()
    print(report)
    if options.html:
        report.save(options.html)


def _sweep(options: argparse.Namespace) -> None:
    function = _load(options)
    rows = measure_rows(function, dict(options.sizes))
    print(json.dumps(rows) if options.json else rows)


def _devices(options: argparse.Namespace) -> None:
    for name, description in tandem.devices():
        print(f"{name}: {description}")


if __name__ == "__main__":
    sys.exit(main())
