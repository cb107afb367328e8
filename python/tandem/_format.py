"""Times and tables, as text and as HTML."""

from __future__ import annotations

import html
import math
import os
import pathlib
import re
import typing
from collections.abc import Iterable, Sequence


def format_ns(ns: float | None) -> str:
    """A time for people: "12.3 µs"."""
    if ns is None:
        return "–"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        text = f"{ns / size:.3g}"
        if float(text) >= 1:  # 999.9 µs are 1 ms.
            return f"{text} {unit}"
    return f"{ns:.3g} ns"


def format_bytes(count: int) -> str:
    """A number of bytes for people: "12.3 KiB"."""
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if float(f"{value:.3g}") < 1000:
            break
        value, unit = value / 1024, larger
    return f"{value:.3g} {unit}"


# If a signature has more inputs than this, only the first ones are shown.
_MOST_INPUTS, _FIRST_INPUTS = 12, 3


def describe_inputs(types: Sequence[str]) -> str:
    """The types of the inputs of a signature, such as "tensor<8x64xf32>". If there are
    many, the text has their number, their bytes and the first types."""
    if len(types) <= _MOST_INPUTS:
        return ", ".join(types)
    total = format_bytes(sum(_bytes_of(each) for each in types))
    return (f"{len(types)} inputs, {total}: {', '.join(types[:_FIRST_INPUTS])}, … "
            "(json() lists all)")


def _bytes_of(text: str) -> int:
    """The bytes of a tensor, from the text of its static type."""
    *sizes, dtype = text.removeprefix("tensor<").rstrip(">").split("x")
    bits = re.search("[0-9]+", dtype)
    return math.prod(map(int, sizes)) * -(-int(bits[0]) // 8) if bits else 0


def text_table(head: Sequence[str], rows: Iterable[Sequence[object]],
               left: bool = False) -> str:
    """Lines of cells that are aligned to the right, or to the left."""
    lines = [[str(cell) for cell in line] for line in (head, *rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    align = str.ljust if left else str.rjust
    return "\n".join("  ".join(align(cell, width) for cell, width in zip(line, widths)).rstrip()
                     for line in lines)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown, with a line break at the end."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in line)} |\n"
                   for line in lines)


STYLE = """<style>
.tandem { --eager: #c0392b; --compiled: #1f77b4; --third: #2e8b57; --fourth: #b8860b;
  --fifth: #8e44ad; --sixth: #16a085; --seventh: #7f8c8d; --line: #8886; font-size: 13px }
@media (prefers-color-scheme: dark) {
  .tandem { --eager: #ff8a75; --compiled: #6db8f2; --third: #7bd39b; --fourth: #e6c15c;
    --fifth: #c39be0; --sixth: #5fd0bd; --seventh: #b3bcbd } }
.tandem section { display: flex; flex-wrap: wrap; gap: 18px; margin: 12px 0 }
.tandem table { border-collapse: collapse }
.tandem td, .tandem th { padding: 2px 10px 2px 0; text-align: left;
  border-bottom: 1px solid var(--line); background: none; color: inherit }
.tandem text { font-size: 10px; fill: currentColor }
</style>"""


def html_page_part(content: str, text: str = "") -> str:
    """A part of a page with the style of reports, and a line of text below."""
    line = f"<p>{html.escape(text)}</p>" if text else ""
    return f"{STYLE}<div class='tandem'>{content}{line}</div>"


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of texts and numbers."""
    def row(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>"
                                for cell in cells) + "</tr>"
    body = "".join(row(cells, "td") for cells in rows)
    return f"<table>{row(head, 'th')}{body}</table>"


def save_page(path: str | os.PathLike[str], content: str) -> None:
    """Writes an HTML page with this content."""
    page = ("<!DOCTYPE html><meta charset='utf-8'><title>Tandem</title>"
            "<body style='background: Canvas; color: CanvasText; "
            "color-scheme: light dark; font-family: sans-serif'>"
            f"{content}</body>")
    pathlib.Path(path).write_text(page, encoding="utf-8")


class Table(typing.NamedTuple):
    """A table with a title. Rows are texts and numbers."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class Tables:
    """A report that consists of tables. In a notebook it is HTML; `str` is text."""

    def tables(self) -> list[Table]:
        """The tables of the report."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n\n".join(f"{table.title}\n{text_table(table.head, table.rows, left=True)}"
                           if table.rows else f"{table.title}: none"
                           for table in self.tables())

    def _repr_html_(self) -> str:
        return html_page_part("".join(
            f"<h4>{html.escape(table.title)}</h4>"
            + (html_table(table.head, table.rows) if table.rows else "<p>none</p>")
            for table in self.tables()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an HTML page."""
        save_page(path, self._repr_html_())
