#!/usr/bin/env python3
"""Makes torch from PyPI, which is built for CUDA, work on the CPU alone.

usage: make-cuda-stubs.py FOLDER

FOLDER is where torch was installed without its dependencies from NVIDIA
(pip install --no-deps --target FOLDER torch). The script makes a stub for each
library of NVIDIA that torch's libraries need. The stubs are in torch/lib, where
RPATH ($ORIGIN) finds them. torch.cuda.is_available() is then False.

A stub defines the functions that torch refers to, under the version that torch
expects. They return 100, which is cudaErrorNoDevice, or a string if their name ends
with Name or String. The stubs are compiled by clang-22, clang, gcc or cc. A second
run makes the stubs again.

The script also frees the disk space of the kernels for GPUs: 330 MB of
libtorch_cuda.so become a hole in the file, if the file system has holes.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Loaded on demand, with a CUDA device.
UNNEEDED = ("libtorch_cuda_linalg.so", "libcaffe2_nvrtc.so")
# Libraries of NVIDIA; those of a CUDA toolkit on this machine are not used.
NVIDIA = re.compile("lib(cu|nv|nccl)")
# The stub that defines the functions without a version, which are those of cuFile
# and of other libraries. The loader looks for a name in all libraries.
UNVERSIONED = "libcufile.so.0"
MARK = "tandem_cuda_stub"

NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
VERSION_FILE = re.compile(r"Version: 1  File: (\S+)")
VERSION = re.compile(r"Name: (\S+)  Flags: .*  Version: (\d+)")
SYMBOL = re.compile(r"\s*\d+: [0-9a-f]+\s+\S+ \w+\s+(\w+)\s+\w+\s+(\w+) "
                    r"([\w.]+)(?:@+(\S+)(?: \((\d+)\))?)?")
SECTION = re.compile(r"\] \.nv_fatbin +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)")


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True,
                          text=True, check=True).stdout.splitlines()


class Library:
    """The dynamic symbols of a shared library."""

    def __init__(self, path):
        self.needed, self.defined, self.undefined = set(), set(), set()
        versions, file = {}, None
        lines = readelf(path, "-d", "-V", "--dyn-syms")
        for line in lines:
            if match := NEEDED.search(line):
                self.needed.add(match[1])
            elif match := VERSION_FILE.search(line):
                file = match[1]
            elif file and (match := VERSION.search(line)):
                versions[match[2]] = file
        for line in lines:
            if match := SYMBOL.match(line):
                binding, section, name, version, index = match.groups()
                if section != "UND":
                    self.defined.add(name)
                elif binding == "GLOBAL":
                    # (name, version, the library that is to define it)
                    self.undefined.add((name, version, versions.get(index)))


def symbols_of_stubs(folder):
    """{library: {(symbol, version)}} of the stubs that are needed."""
    libraries = [Library(path) for path in sorted(folder.glob("lib*.so*"))]
    defined = set().union(*(library.defined for library in libraries))
    stubs = {name: set() for library in libraries for name in library.needed
             if NVIDIA.match(name) and not (folder / name).exists()}
    for library in libraries:
        for name, version, file in library.undefined:
            if file in stubs:
                stubs[file].add((name, version))
            elif not version and NVIDIA.match(f"lib{name}") and name not in defined:
                stubs[UNVERSIONED].add((name, None))
    return stubs


def source_of(symbols):
    lines = [f"const int {MARK} = 1;"]
    for name in sorted({name for name, _ in symbols}):
        if re.search("(Name|String)$", name):
            lines.append(f'const char *{name}(void) {{ return "no CUDA"; }}')
        else:
            lines.append(f"int {name}(void) {{ return 100; }}")
    return "\n".join(lines)


def version_script(symbols):
    lines = []
    for version in sorted({version for _, version in symbols if version}):
        names = sorted(name for name, each in symbols if each == version)
        lines.append(f"{version} {{ global: {'; '.join(names)}; }};")
    return "\n".join(lines)


def compile_stub(compiler, path, symbols):
    with tempfile.TemporaryDirectory() as scratch:
        source, script = pathlib.Path(scratch, "stub.c"), pathlib.Path(scratch, "map")
        source.write_text(source_of(symbols), encoding="utf-8")
        script.write_text(version_script(symbols), encoding="utf-8")
        command = [compiler, "-w", "-O1", "-shared", "-fPIC", f"-Wl,-soname,{path.name}",
                   str(source), "-o", f"{path}.new"]
        if script.stat().st_size > 0:
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)
    os.replace(f"{path}.new", path)


def free_kernels(path):
    """Makes the section .nv_fatbin a hole. The stubs never read it."""
    section = next(filter(None, map(SECTION.search, readelf(path, "-S"))), None)
    if section and shutil.which("fallocate"):
        offset, size = int(section[1], 16), int(section[2], 16)
        subprocess.run(["fallocate", "--punch-hole", "--offset", str(offset),
                        "--length", str(size), path],
                       stderr=subprocess.DEVNULL, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder / "torch" / "lib"
    compilers = ("clang-22", "clang", "gcc", "cc")
    compiler = next(filter(None, map(shutil.which, compilers)), None)
    if not folder.is_dir() or not compiler:
        sys.exit("no C compiler" if folder.is_dir() else f"no torch in {folder}")
    for path in list(folder.glob("lib*.so*")):
        if path.name in UNNEEDED or (NVIDIA.match(path.name) and
                                     MARK in Library(path).defined):
            path.unlink()
    for name, symbols in symbols_of_stubs(folder).items():
        compile_stub(compiler, folder / name, symbols)
    free_kernels(folder / "libtorch_cuda.so")


if __name__ == "__main__":
    main()
