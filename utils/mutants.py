#!/usr/bin/env python3
"""Spoils kernels, one fault at a time, and says which checks notice.

usage: mutants.py BUILD [--tenth] [--only=REGEX] [--by=check,tests,fuzz,certificate]

A mutant is FORM:DTYPE:FAULT[@PLACE] (tandem-cpu-mutate-kernel). Each that changes a
kernel at all must be noticed by all three of

  check   tandem-run --check on a graph of its form
  tests   the unit tests of its form
  fuzz    tandem-fuzz, within 2,000 random graphs: of these the mutant runs
          those that have a place for it. Roundings are left out: random graphs
          seldom overflow f16 in one op and not in the next

but for those in EQUIVALENT, which change no result, each with its reason.
`--by=certificate` is the certificate (docs/Engine.md) on the graph of check, and
`--by=auto` a run of that graph in `--tier=auto --strict`, which the engine must
refuse to promote. BUILD needs TANDEM_MUTANTS. `--tenth` takes each tenth mutant. Only results that differ
count: a check that fails otherwise (a kernel that does not compile, a crash) is
BROKEN. Exit status 1 where a mutant went unnoticed or a check was broken.
"""

import argparse
import collections
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "graphs"))
from npy import write_npy

FAULTS = (
    "zero-results",
    "zero-last-store",
    "reverse-lanes",
    "drop-task",
    "drop-step",
    "drop-row",
    "drop-product",
    "shift-load",
    "close-mask",
    "narrow-mask",
    "narrow-mask@1",
)

# Of results of 16 bits, on graphs and data whose results overflow or are
# subnormal.
ROUNDING_FAULTS = (
    "skip-rounding",
    "saturate",
    "overflow-early",
    "flush-subnormals",
    "round-coarsely",
)

# Of Winograd's kernels: their products' loop, and rows that are transformed.
WINOGRAD_FAULTS = ("drop-step@1", "drop-row@1", "drop-row@2", "drop-row@3")

Form = collections.namedtuple(
    "Form", "dtypes graph tests fuzz faults", defaults=("", ())
)


def function(arguments, body, result):
    return f"func.func @main({arguments}) -> {result} {{\n{body}  return %r : {result}\n}}\n"


def unary(op, shape):
    return lambda t: function(
        f"%x: tensor<{shape}x{t}>",
        f"  %r = tandem.{op} %x : tensor<{shape}x{t}>\n",
        f"tensor<{shape}x{t}>",
    )


def chain(shape):
    """sqrt(x x) + x: where the square overflows f16, the root is infinite."""
    return lambda t: function(
        f"%x: tensor<{shape}x{t}>", root_of_square("x", "s", shape, t)
        + f"  %r = tandem.add %s, %x : tensor<{shape}x{t}>\n",
        f"tensor<{shape}x{t}>",
    )


def root_of_square(value, result, shape, t):
    return (
        f"  %{result}0 = tandem.mul %{value}, %{value} : tensor<{shape}x{t}>\n"
        f"  %{result} = tandem.sqrt %{result}0 : tensor<{shape}x{t}>\n"
    )


def root_then_sum(axis):
    """The sum of sqrt(x x) along a dim."""
    kept = 85 if axis == 0 else 37
    return lambda t: function(
        f"%x: tensor<37x85x{t}>",
        root_of_square("x", "s", "37x85", t)
        + f"  %r = tandem.reduce %s kind = sum dims = [{axis}] : (tensor<37x85x{t}>) -> tensor<{kept}x{t}>\n",
        f"tensor<{kept}x{t}>",
    )


def matmul_then_root(rows, inner, columns, flags=""):
    rhs = f"{columns}x{inner}" if "transpose_rhs" in flags else f"{inner}x{columns}"
    return lambda t: function(
        f"%x: tensor<{rows}x{inner}x{t}>, %w: tensor<{rhs}x{t}>",
        f"  %m = tandem.matmul %x, %w {flags}: (tensor<{rows}x{inner}x{t}>, tensor<{rhs}x{t}>) -> tensor<{rows}x{columns}x{t}>\n"
        + root_of_square("m", "s", f"{rows}x{columns}", t)
        + f"  %r = tandem.add %s, %m : tensor<{rows}x{columns}x{t}>\n",
        f"tensor<{rows}x{columns}x{t}>",
    )


def transpose(t):
    return function(
        f"%x: tensor<131x77x{t}>",
        f"  %r = tandem.transpose %x permutation = [1, 0] : (tensor<131x77x{t}>) -> tensor<77x131x{t}>\n",
        f"tensor<77x131x{t}>",
    )


def softmax(axis):
    return lambda t: function(
        f"%x: tensor<37x85x{t}>",
        f"  %r = tandem.softmax %x axis = {axis} : tensor<37x85x{t}>\n",
        f"tensor<37x85x{t}>",
    )


def matmul(rows, inner, columns, flags="", before="", data="x"):
    rhs = f"{columns}x{inner}" if "transpose_rhs" in flags else f"{inner}x{columns}"
    return lambda t: function(
        f"%x: tensor<{rows}x{inner}x{t}>, %w: tensor<{rhs}x{t}>",
        before.format(t=f"tensor<{rows}x{inner}x{t}>")
        + f"  %r = tandem.matmul %{data}, %w {flags}: (tensor<{rows}x{inner}x{t}>, tensor<{rhs}x{t}>) -> tensor<{rows}x{columns}x{t}>\n",
        f"tensor<{rows}x{columns}x{t}>",
    )


def conv(
    inputs,
    outputs,
    image=(1, 19, 22),
    groups=1,
    first=False,
    constant=False,
    before="",
    pool=False,
):
    """A 3x3 convolution with padding; weights are an argument, or constant and
    random."""
    batch, height, width = image
    data = f"{batch}x{height}x{width}x{inputs}"
    result = f"{batch}x{height}x{width}x{outputs}"
    if first:
        data = f"{batch}x{inputs}x{height}x{width}"
        result = f"{batch}x{outputs}x{height}x{width}"
    kernel = (
        f"{outputs}x{inputs // groups}x3x3"
        if first
        else f"3x3x{inputs // groups}x{outputs}"
    )
    images, order = ("NCHW", "OIHW") if first else ("NHWC", "HWIO")

    def graph(t):
        arguments = f"%x: tensor<{data}x{t}>"
        body = ""
        if constant:
            body += f"  %w = tandem.constant {random_weights(kernel)} : tensor<{kernel}x{t}>\n"
        else:
            arguments += f", %w: tensor<{kernel}x{t}>"
        body += before.format(t=f"tensor<{data}x{t}>")
        name = "c" if pool else "r"
        body += (
            f'  %{name} = tandem.conv %{"a" if before else "x"}, %w layout = <input = "{images}", kernel = "{order}", output = "{images}">'
            f" pad_low = [1, 1] pad_high = [1, 1] groups = {groups} : (tensor<{data}x{t}>, tensor<{kernel}x{t}>) -> tensor<{result}x{t}>\n"
        )
        if not pool:
            return function(arguments, body, f"tensor<{result}x{t}>")
        pooled = f"tensor<{batch}x{height // 2}x{width // 2}x{outputs}x{t}>"
        body += f'  %r = tandem.max_pool %c layout = "NHWC" window = [2, 2] strides = [2, 2] : (tensor<{result}x{t}>) -> {pooled}\n'
        return function(arguments, body, pooled)

    return graph


def random_weights(shape):
    stream = random.Random(3)
    count = math.prod(int(size) for size in shape.split("x"))
    values = [stream.uniform(-1, 1) for _ in range(count)]
    return f'dense<"0x{struct.pack(f"<{count}f", *values).hex()}">'


def byte_weights(shape, least=-128, most=127):
    """A constant %w of i8 with numbers from `least` to `most`."""
    stream = random.Random(3)
    count = math.prod(int(size) for size in shape.split("x"))
    values = bytes(stream.randrange(least, most + 1) % 256 for _ in range(count))
    return f'  %w = tandem.constant dense<"0x{values.hex()}"> : tensor<{shape}xi8>\n'


def byte_matmul(rows, inner, columns):
    types = f"(tensor<{rows}x{inner}xui8>, tensor<{inner}x{columns}xi8>)"
    return lambda t: function(
        f"%x: tensor<{rows}x{inner}xui8>",
        byte_weights(f"{inner}x{columns}")
        + f"  %r = tandem.matmul %x, %w widen : {types} -> tensor<{rows}x{columns}x{t}>\n",
        f"tensor<{rows}x{columns}x{t}>",
    )


def scaled_matmul(rows, inner, columns, least=-128, most=127):
    """Weights of integers from `least` to `most`, and one scale for each output."""
    integers, weights = f"tensor<{inner}x{columns}xi8>", f"tensor<{inner}x{columns}xf32>"
    scales = f"tensor<1x{columns}xf32>"
    return lambda t: function(
        f"%x: tensor<{rows}x{inner}x{t}>",
        byte_weights(f"{inner}x{columns}", least, most)
        + f"  %f = tandem.cast %w : ({integers}) -> {weights}\n"
        f"  %s = tandem.constant {random_weights(f'1x{columns}')} : {scales}\n"
        f"  %v = tandem.mul %f, %s : ({weights}, {scales}) -> {weights}\n"
        f"  %r = tandem.matmul %x, %v : (tensor<{rows}x{inner}x{t}>, {weights}) -> tensor<{rows}x{columns}x{t}>\n",
        f"tensor<{rows}x{columns}x{t}>",
    )


def byte_depthwise(channels):
    data, kernel = f"1x14x14x{channels}", f"3x3x1x{channels}"
    return lambda t: function(
        f"%x: tensor<{data}xui8>",
        byte_weights(kernel)
        + '  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">'
        f" pad_low = [1, 1] pad_high = [1, 1] groups = {channels} :"
        f" (tensor<{data}xui8>, tensor<{kernel}xi8>) -> tensor<{data}x{t}>\n",
        f"tensor<{data}x{t}>",
    )


RELU = "  %a = tandem.relu %x : {t}\n"
NEG = "  %a = tandem.neg %x : {t}\n"
FLOATS = ("f32", "f64", "f16", "bf16")
# What contractions are generated of.
CONTRACTED = ("f32", "f16", "bf16")
INTEGERS = ("i8", "i32", "i64")
RANDOM = "*Random*Kernel*:*OddSizes*:CPUTarget*"
CONTRACTIONS = "ContractionKernel*:Convolution*:*F16*:*HalfContraction*:*Random*Kernel*"

FORMS = {
    "loop": Form(FLOATS + INTEGERS, unary("abs", "100003"), RANDOM),
    "transpose": Form(FLOATS + INTEGERS, transpose, RANDOM),
    "rows": Form(FLOATS, softmax(1), "Softmax*:*Reductions*:*Random*Kernel*"),
    "columns": Form(FLOATS, softmax(0), "Softmax*:*Reductions*:*Random*Kernel*"),
    "outputs": Form(CONTRACTED, matmul(67, 83, 75), CONTRACTIONS),
    "gaxpy": Form(
        CONTRACTED, matmul(2, 131, 4133), CONTRACTIONS, "--slow-memory"
    ),
    "inputs": Form(
        CONTRACTED, matmul(9, 131, 21, "transpose_rhs "), CONTRACTIONS
    ),
    "positions": Form(("f32",), conv(3, 7, first=True), CONTRACTIONS),
    "groups": Form(("f32",), conv(512, 512, (1, 14, 14), groups=512, constant=True), CONTRACTIONS),
    "outputs-scaled": Form(
        ("f32",),
        scaled_matmul(3, 83, 75),
        "",
        "--quantized=100 --scaled-weights",
        ("swap-sign",),
    ),
    "outputs-paired": Form(
        ("f32",), scaled_matmul(3, 83, 75, -8, 7), "", "--quantized=100 --scaled-weights"
    ),
    "outputs-prologue": Form(
        CONTRACTED, matmul(1030, 96, 40, before=RELU, data="a"), "Prologue*"
    ),
    "outputs-pooling": Form(
        ("f32",), conv(16, 33, (2, 31, 46), constant=True, pool=True), "PooledContraction*"
    ),
    "winograd": Form(
        ("f32",), conv(24, 40, constant=True), "WinogradKernel*", "--winograd", WINOGRAD_FAULTS
    ),
    "winograd-prologue": Form(
        ("f32",),
        conv(16, 16, (8, 128, 128), constant=True, before=NEG),
        "WinogradFusion*",
        "--winograd --slow-memory",
    ),
    "winograd-pooling": Form(
        ("f32",),
        conv(16, 33, (2, 31, 46), constant=True, pool=True),
        "WinogradFusion*",
        "--winograd --slow-memory",
    ),
}

BYTE_FAULTS = ("saturate-products", "swap-sign", "swap-sign@1", "swap-sign@2")

# Sums of i32 of products of bytes. The data are ui8, and the weights i8.
BYTE_FORMS = {
    "outputs": Form(
        ("i32",), byte_matmul(67, 83, 75), "*ByteContraction*", "--quantized=100", BYTE_FAULTS
    ),
    "groups": Form(
        ("i32",), byte_depthwise(37), "*ByteContraction*Groups*", "--quantized=100", BYTE_FAULTS
    ),
    # On a processor with AMX. The number of inputs must be a multiple of 4.
    "matrix-unit": Form(
        ("i32",), byte_matmul(67, 84, 75), "*ByteContraction*", "--quantized=100", ("swap-sign",)
    ),
}

# Graphs of a form that round several times.
ROUNDING = {
    "loop": chain("100003"),
    "rows": root_then_sum(1),
    "columns": root_then_sum(0),
    "outputs": matmul_then_root(67, 83, 75),
    "inputs": matmul_then_root(9, 131, 21, "transpose_rhs "),
    "outputs-prologue": lambda t: matmul(
        1030, 96, 40, before=root_of_square("x", "a", "1030x96", t), data="a"
    )(t),
}

# The place of the square's rounding, where that is not the first.
SQUARE = {"outputs": "@1", "inputs": "@1"}

# Mutants that change no result, by regular expression, and why.
EQUIVALENT = {
    "(rows|columns):.*:shift-load": "what is loaded first is for softmax's largest "
    "element, of which any will do",
    "winograd.*:drop-row": "the last of the magnitudes that are reset is of a "
    "position that nobody asks for",
}


def form_of(mutant):
    form, dtype, _ = mutant.split(":")
    forms = BYTE_FORMS if form in BYTE_FORMS and dtype == "i32" else FORMS
    return forms[form]


def all_mutants():
    return [
        f"{form}:{dtype}:{fault}"
        for form, of in [*FORMS.items(), *BYTE_FORMS.items()]
        for dtype in of.dtypes
        for fault in FAULTS + of.faults
    ] + [
        f"{form}:{dtype}:{fault}{SQUARE.get(form, '')}"
        for form in ROUNDING
        for dtype in ("f16", "bf16")
        for fault in ROUNDING_FAULTS
        if dtype == "f16" or fault == "round-coarsely"
    ]


# Random graphs that run in one process.
SEEDS = 10

NOTICED, UNNOTICED, BROKEN, ABSENT = "noticed", "UNNOTICED", "BROKEN", "-"

# What a check prints of results that differ. A kernel that does not compile, a
# crash or a time limit says nothing of what is compared.
DIFFERS = re.compile(
    r"\d+ +FAIL: |difference\.agrees\(\)|whose element #\d+ doesn't match|"
    r"The difference between .* exceeds|"
    r"Expected equality of these values:\n\s*(valuesOf|copy)|"
    r"// seed .*: error: check: (compiled|eager)|^certificate failed|"
    r"computes something else than eager|could not be certified",
    re.MULTILINE,
)


class Checks:
    """Run one check of one mutant. The result is one of the words above:
    ABSENT where the mutant had no kernel to spoil, BROKEN where the check failed
    otherwise than by a comparison."""

    def __init__(self, build, directory):
        self.build, self.directory = pathlib.Path(build), pathlib.Path(directory)
        self.mutants = {}

    @staticmethod
    def start(mutant, command, timeout):
        return subprocess.run(
            [str(word) for word in command],
            # A program from the cache would not say that the mutant is at work.
            env=dict(os.environ, TANDEM_MUTATE=mutant, TANDEM_DISK_CACHE="off"),
            capture_output=True,
            text=True,
            timeout=timeout,
            errors="replace",
        )

    def run(self, mutant, command, timeout):
        try:
            done = self.start(mutant, command, timeout)
        except subprocess.TimeoutExpired:
            return BROKEN
        if f"mutant {mutant} is at work" not in done.stderr:
            return ABSENT if done.returncode == 0 else BROKEN
        if done.returncode == 0:
            return UNNOTICED
        return NOTICED if DIFFERS.search(done.stdout + done.stderr) else BROKEN

    def check(self, mutant):
        return self.compare(mutant, "--check")

    def certificate(self, mutant):
        return self.compare(mutant, "--certify")

    def auto(self, mutant):
        """The engine, end to end: it must refuse the compiled program."""
        how = "--tier=auto --compile-ahead --compile-in=thread --strict --repeat=3"
        return self.compare(mutant, *how.split())

    def compare(self, mutant, *how):
        form, dtype, fault = mutant.split(":")
        is_rounding = fault.split("@")[0] in ROUNDING_FAULTS
        graph = self.directory / f"{form}-{dtype}{'-rounding' if is_rounding else ''}.mlir"
        if not graph.exists():
            graph.write_text((ROUNDING[form] if is_rounding else form_of(mutant).graph)(dtype))
        command = [self.build / "bin/tandem-run", graph, *how, "--target-option=contractions=generated"]
        if "--tier=auto" not in how:
            command += ["--no-fallback"]
        method = "always" if form.startswith("winograd") else "never"
        command += [f"--target-option=winograd={method}", "--target-option=scaled-weights=always"]
        inputs = [[]]
        if form.startswith("winograd"):
            inputs.append([self.write_outlier(graph)])
        if is_rounding:
            inputs = [self.write_scaled(graph, scale) for scale in (300, 200, 2**-10)]
        for arguments in inputs:
            found = self.run(mutant, command + [f"--arg={path}" for path in arguments], 120)
            if found != UNNOTICED:
                break
        return found

    def write_scaled(self, graph, scale):
        """Random data, and of data that weights are multiplied with so much less
        that sums of products are of this size, too."""
        paths = []
        for name, shape, dtype in re.findall(r"%(\w): tensor<([0-9x]+)x(\w+)>", graph.read_text().splitlines()[0]):
            dims = [int(size) for size in shape.split("x")]
            stream = random.Random(f"{name}{scale}")
            most = scale if name == "x" else 0.2
            values = [stream.uniform(-most, most) for _ in range(math.prod(dims))]
            paths.append(graph.with_name(f"{graph.stem}-{scale}-{name}.npy"))
            write_npy(paths[-1], dims, values, dtype)
        return paths

    def write_outlier(self, graph):
        """Data with a pixel out of proportion, around which Winograd's method
        is not used."""
        shape = re.search(r"%x: tensor<([0-9x]+)xf32>", graph.read_text())[1]
        dims = [int(size) for size in shape.split("x")]
        stream = random.Random(5)
        values = [stream.uniform(-1, 1) for _ in range(math.prod(dims))]
        middle = (dims[1] // 2 * dims[2] + dims[2] // 2) * dims[3]
        for i in range(middle, middle + dims[3]):
            values[i] *= 1e6
        path = graph.with_suffix(".npy")
        write_npy(path, dims, values)
        return path

    def tests(self, mutant):
        fault = mutant.split(":")[2]
        tests = "F16Results*" if fault.split("@")[0] in ROUNDING_FAULTS else form_of(mutant).tests
        command = [
            self.build / "test/Unit/CPUTargetTests",
            "--gtest_brief=1",
            "--gtest_fail_fast",
            f"--gtest_filter={tests}",
        ]
        if mutant not in self.mutants_of(command):
            return ABSENT
        return self.run(mutant, command, 600)

    def fuzz(self, mutant):
        result = ABSENT
        if mutant.split(":")[2].split("@")[0] in ROUNDING_FAULTS:
            return result
        for seed in range(1, 2001, SEEDS):
            command = [self.build / "bin/tandem-fuzz", f"--seed={seed}"]
            command += [f"--count={SEEDS}", "--first", "--fallback"]
            command += form_of(mutant).fuzz.split()
            if mutant not in self.mutants_of(command):
                continue
            found = self.run(mutant, command, 600)
            if found in (NOTICED, BROKEN):
                return found
            result = UNNOTICED if found == UNNOTICED else result
        return result

    def mutants_of(self, command):
        """Those that the kernels which the command compiles have a place for."""
        key = " ".join(map(str, command))
        if key not in self.mutants:
            said = self.start("list", command, 1200).stderr
            found = re.findall(r"^mutant (\S+)$", said, re.MULTILINE)
            self.mutants[key] = set(found)
        return self.mutants[key]


def reason_for(mutant):
    for pattern, reason in EQUIVALENT.items():
        if re.fullmatch(pattern, mutant):
            return reason
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--tenth", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--by",
        default="check,tests,fuzz",
        help="also: certificate, the comparison with eager on random inputs; auto, "
        "the engine end to end",
    )
    options = parser.parse_args()
    mutants = [m for m in all_mutants() if re.search(options.only, m)]
    if options.tenth:
        mutants = mutants[::10]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        checks = Checks(options.build, directory)
        for mutant in mutants:
            reason = reason_for(mutant)
            results = {}
            for name in options.by.split(","):
                # What nothing before had a place for, 2,000 random graphs do not
                # have either, and take minutes to say so.
                is_absent = results and set(results.values()) == {ABSENT}
                results[name] = (
                    ABSENT
                    if name == "fuzz" and is_absent
                    else getattr(checks, name)(mutant)
                )
            line = "  ".join(f"{n} {word}" for n, word in results.items())
            if all(word == ABSENT for word in results.values()):
                counts["without a place"] += 1
            elif reason:
                counts["equivalent"] += 1
                line = f"equivalent: {reason}"
            else:
                counts["mutants"] += 1
                for name, word in results.items():
                    counts[f"noticed by {name}"] += word == NOTICED
                for wrong in (UNNOTICED, BROKEN):
                    counts[wrong.lower()] += wrong in results.values()
            print(f"{mutant:40} {line}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    failed = counts["unnoticed"] or counts["broken"]
    return 1 if failed or not counts["mutants"] else 0


if __name__ == "__main__":
    sys.exit(main())
