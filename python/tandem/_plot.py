"""Pictures of lines as SVG, for HTML pages and for files."""

from __future__ import annotations

import html
import typing
from collections.abc import Callable, Iterable, Sequence

from ._format import STYLE

# Sizes of the texts around the lines: on the left, below, above, and on the right.
LEFT, BELOW, ABOVE, RIGHT = 54, 22, 12, 8
# The width of a legend.
LEGEND = 210


class Axes:
    """Axes from zero to the largest values, and the parts of their picture. `beside` is
    the width that is left free on the right."""

    def __init__(self, width: int, height: int, most_x: float, most_y: float,
                 beside: int = RIGHT) -> None:
        self.width, self.height, self.end = width, height, width - beside
        self.most_x, self.most_y = most_x, most_y
        self.parts: list[str] = []

    def x(self, value: float) -> float:
        return LEFT + (self.end - LEFT) * value / self.most_x

    def y(self, value: float) -> float:
        bottom = self.height - BELOW
        return bottom - (bottom - ABOVE) * value / self.most_y

    def line(self, points: Iterable[tuple[float, float]], color: str) -> None:
        path = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
        self.parts.append(f"<path d='M{path}' stroke='var(--{color})' stroke-width='2' "
                          "fill='none'/>")

    def text(self, x: float, y: float, text: str, anchor: str = "start",
             color: str = "") -> None:
        """Text at a place of the picture."""
        style = f" style='fill:var(--{color})'" if color else ""
        self.parts.append(f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{style}>"
                          f"{html.escape(text)}</text>")

    def vertical(self, value: float, label: str, dash: str) -> None:
        """A dashed line at a value, with a label that is inside the picture."""
        shift, anchor = (-3, "end") if 2 * value > self.most_x else (3, "start")
        self.parts.append(f"<path d='M{self.x(value):.1f} 10V{self.height - BELOW}' "
                          f"stroke='currentColor' stroke-dasharray='{dash}'/>")
        self.text(self.x(value) + shift, self.height - 26, label, anchor)

    def svg(self, title: str, label_x: str, label_y: str) -> str:
        """The picture. The labels are those of the largest values."""
        self.text(LEFT, self.height - 8, "0")
        self.text(self.end, self.height - 8, label_x, "end")
        self.text(LEFT - 3, 16, label_y, "end")
        return self.picture(title)

    def picture(self, title: str) -> str:
        """The picture without labels."""
        bottom = self.height - BELOW
        frame = f"<path d='M{LEFT} 10V{bottom}H{self.end}' stroke='var(--line)' fill='none'/>"
        return (f"<svg width='{self.width}' height='{self.height}' role='img' "
                f"aria-label='{html.escape(title)}'>{frame}{''.join(self.parts)}</svg>")


class Line(typing.NamedTuple):
    """A line with its values at 0, 1, 2, … The color is a variable of STYLE."""

    title: str
    values: Sequence[float]
    color: str


def draw_lines(lines: Sequence[Line], title: str, unit_x: str,
               format_y: Callable[[float], str]) -> str:
    """A picture of lines, with their last values on the right."""
    most_x = max((len(line.values) - 1 for line in lines), default=1)
    most_y = max((max(line.values) for line in lines), default=1) or 1
    axes = Axes(760, 300, most_x, most_y, LEGEND)
    for number, line in enumerate(lines):
        axes.line(enumerate(line.values), line.color)
        axes.text(axes.end + 12, 20 + 16 * number,
                  f"{line.title}: {format_y(line.values[-1])}", color=line.color)
    return axes.svg(title, f"{most_x:,} {unit_x}", format_y(most_y))


def image_file(svg: str) -> str:
    """A picture as a file of its own, for light and dark pages."""
    size, rest = svg.removeprefix("<svg ").split(" role", 1)
    start, body = rest.split(">", 1)
    return (f"<svg xmlns='http://www.w3.org/2000/svg' class='tandem' {size} role{start}>"
            f"{STYLE}<style>svg {{ color: #222; font-family: sans-serif }} "
            "@media (prefers-color-scheme: dark) { svg { color: #ddd } }</style>"
            f"{body}\n")
