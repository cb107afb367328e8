"""Tables of text and of HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of cells that are aligned to the right."""
    lines = [head, *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths))
                     for line in lines)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>"
                                for cell in cells) + "</tr>"
    body = "".join(line(cells, "td") for cells in rows)
    return f"<table>{line(head, 'th')}{body}</table>"
