#!/usr/bin/env python3
#===- third-party-notices.py - Licenses of what a build contains ----------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Writes the copyright notices of all software that a build of Tandem contains.

usage: third-party-notices.py BUILD [--output=FILE] [--list]

The software is found, not listed by hand: the owners of all headers that the
library and the Python extension were compiled with, and of all libraries that both are
linked with. Fails if a header or a library belongs to no Debian package and to no
Python package. The C library, which is not part of a wheel, and headers of the C++
library and of Python, whose licenses ask for no notice, are left out.
"""

import argparse
import importlib.metadata
import pathlib
import re
import subprocess
import sys

INFO = pathlib.Path("/var/lib/dpkg/info")
COMMON = pathlib.Path("/usr/share/common-licenses")
# The C library is not in a wheel, and linux and Python have only headers.
NO_NOTICE = re.compile(r"glibc|linux|libxcrypt|python3\b.*")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiled_headers(build):
    """The headers outside of the project that its libraries were compiled with."""
    objects = re.compile(r"(lib|runtime|python)/.*\.o:|CMakeFiles/.*\.o:")
    headers, wanted = set(), False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            wanted = objects.match(line) is not None
        elif wanted and line.strip().startswith("/"):
            headers.add(pathlib.Path(line.strip()).resolve())
    project = pathlib.Path(__file__).resolve().parents[2]
    return {h for h in headers if not h.is_relative_to(project)
            and not h.is_relative_to(pathlib.Path(build).resolve())}


def linked_archives(build):
    """The static libraries of others in libTandem."""
    commands = run("ninja", "-C", build, "-t", "commands", "lib/libTandem.so")
    return {pathlib.Path(f).resolve() for f in re.findall(r"\s(/\S+\.a)\b", commands)}


def loaded_libraries(build):
    """The shared libraries that libTandem and the extension load."""
    binaries = [*pathlib.Path(build, "python", "tandem").glob("_tandem*.so"),
                *pathlib.Path(build, "lib").glob("libTandem.so")]
    if len(binaries) < 2:
        sys.exit(f"error: {build} has no libTandem.so or no Python extension")
    found = set()
    for binary in binaries:
        found |= set(re.findall(r"=> (/\S+)", run("ldd", str(binary))))
    return {pathlib.Path(f).resolve() for f in found if "libTandem" not in f}


def package_owners():
    """The Debian package of each installed file."""
    owners = {}
    for listing in INFO.glob("*.list"):
        package = listing.stem
        for path in listing.read_text(encoding="utf-8").splitlines():
            owners[path] = package
    return owners


def source_packages():
    """(source package, version, homepage) of each installed package."""
    rows = run("dpkg-query", "-W", "-f", "${binary:Package}\t${Package}\t"
               "${source:Package}\t${source:Upstream-Version}\t${Homepage}\n")
    sources = {}
    for row in rows.splitlines():
        full, short, *source = row.split("\t")
        sources[full] = sources[short] = tuple(source)
    return sources


def python_package(path):
    """The name of the Python package that installed a file, or None."""
    for parent in path.parents:
        infos = [*parent.parent.glob(f"{parent.name}-*.dist-info")]
        if infos:
            return infos[0]
    return None


class Notices:
    """The texts by component: (name, version, homepage) -> text."""

    def __init__(self):
        self.texts = {}
        self.unknown = []
        self.owners = package_owners()
        self.sources = source_packages()

    def add(self, path, is_header):
        # Debian links /lib to /usr/lib, and lists some files below the one, some
        # below the other.
        name = str(path)
        package = self.owners.get(name) or self.owners.get(name.removeprefix("/usr"))
        if package:
            self.add_debian(package, is_header)
        elif (info := python_package(path)) is not None:
            self.add_python(info)
        elif "include/python3" not in name and "/lib/clang/" not in name:
            self.unknown.append(name)

    def add_debian(self, package, is_header):
        source = self.sources[package]
        if NO_NOTICE.fullmatch(source[0]):
            return
        # The headers of the C++ library come under GCC's runtime exception.
        if source[0].startswith("gcc-") and is_header:
            return
        text = pathlib.Path("/usr/share/doc", package.partition(":")[0], "copyright")
        self.texts.setdefault(source, text.read_text(encoding="utf-8"))

    def add_python(self, info):
        metadata = importlib.metadata.PathDistribution(info).metadata
        licenses = sorted([*info.glob("LICENSE*"), *info.glob("licenses/**/LICENSE*")])
        if not licenses:
            self.unknown.append(f"{info}: no license")
        key = (metadata["Name"], metadata["Version"], metadata["Home-page"] or "")
        self.texts.setdefault(key, "\n\n".join(
            each.read_text(encoding="utf-8") for each in licenses))

    def add_onnx(self, build):
        """The schema of ONNX files, from which protobuf's compiler made code."""
        if any(pathlib.Path(build).rglob("onnx-ml.pb.h")):
            key = ("onnx (onnx-ml.proto)", "", "https://onnx.ai")
            self.texts[key] = ("Copyright (c) ONNX Project Contributors\n"
                               "License: Apache-2.0, /usr/share/common-licenses/Apache-2.0\n")

    def text(self):
        parts = ["A wheel of Tandem contains, or was compiled with, the software below. "
                 "Each section\nis the notice of one component. Licenses that notices "
                 "refer to by the name of a file\nare at the end.\n"]
        for (name, version, homepage), text in sorted(self.texts.items()):
            title = f"{name} {version}".strip()
            parts.append(f"{'=' * 80}\n{title}\n{homepage}\n{'=' * 80}\n\n{text}")
        whole = "\n\n".join(parts)
        for name in sorted(set(re.findall(r"common-licenses/([\w.+-]*\w)", whole))):
            text = (COMMON / name).read_text(encoding="utf-8")
            whole += f"\n\n{'=' * 80}\n/usr/share/common-licenses/{name}\n{'=' * 80}\n\n{text}"
        return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="a build folder, all of whose libraries are built")
    parser.add_argument("--output", help="the file; by default the standard output")
    parser.add_argument("--list", action="store_true", help="print names only")
    options = parser.parse_args()
    if not pathlib.Path(options.build, "build.ninja").exists():
        sys.exit(f"error: {options.build} is no build folder")
    notices = Notices()
    for header in compiled_headers(options.build):
        notices.add(header, is_header=True)
    for library in linked_archives(options.build) | loaded_libraries(options.build):
        notices.add(library, is_header=False)
    notices.add_onnx(options.build)
    if notices.unknown:
        sys.exit("error: no package has installed these:\n" + "\n".join(notices.unknown))
    if options.list:
        print("\n".join(" ".join(key[:2]) for key in sorted(notices.texts)))
    elif options.output:
        pathlib.Path(options.output).write_text(notices.text(), encoding="utf-8")
    else:
        print(notices.text())


if __name__ == "__main__":
    main()
