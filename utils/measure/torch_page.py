"""Parts of pages that scripts write, and where the numbers were measured."""

import datetime
import importlib.metadata
import pathlib
import re

from tandem.bench._statistics import interval

PACKAGES = ("torch", "torchvision", "timm", "transformers", "openvino")


def machine():
    """The processor, the date, and the versions of packages."""
    names = re.findall(r"^model name\s*: (.*)$",
                       pathlib.Path("/proc/cpuinfo").read_text("utf-8"), re.M)
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"cpu": names[0] if names else "unknown",
            "date": datetime.date.today().isoformat(), "versions": versions}


def describe(where):
    """`machine()` as a sentence."""
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    return f"Measured on {where['date']}: {where['cpu']},\n{versions}."


def ratio_cell(samples):
    """The geometric mean of ratios, with its interval if it has one."""
    if not samples:
        return "–"
    mean, low, high = interval(samples)
    return f"{mean:.2f} [{low:.2f}, {high:.2f}]" if low else f"{mean:.2f}"


def replace_part(page, name, text):
    """Replaces the text between the comments `<!-- NAME: begin … -->` and
    `<!-- NAME: end -->` of a page."""
    old = page.read_text("utf-8")
    part = re.compile(rf"(<!-- {re.escape(name)}: begin[^\n]*-->\n).*?(<!-- {re.escape(name)}: "
                      r"end -->)", re.S)
    if not part.search(old):
        raise SystemExit(f"error: {page} has no part '{name}'")
    page.write_text(part.sub(lambda match: match[1] + text + match[2], old), "utf-8")
