#!/usr/bin/env python3
"""Draws when compiling a training step pays, from what train-step.py has measured.

  utils/measure/train-step.py --batches=1,2,4,8,16,32,64 --results=steps.json
  PYTHONPATH=build/python utils/measure/plot-train.py steps.json --folder=docs/images

train-break-even.svg shows n* by batch size. For Tandem, n* is C / (e - c) as in
docs/Measuring.md. For Inductor and JAX, it is the number of steps after which the total time
is below that of torch eager: their first step minus torch's, divided by torch's step minus
theirs. A system whose step is not faster than torch eager's has no point.
train-steps.svg shows the time of a step divided by the batch size, in both tiers of Tandem
and in the other systems. Systems may have been measured for some sizes only. With --page=FILE, the
table of both is written between the comments "<!-- train-break-even: begin -->" and
"<!-- train-break-even: end -->" of a page.
"""

import argparse
import json
import math
import pathlib

from tandem._format import format_ns, markdown_table
from tandem._plot import LEGEND, Axes, image_file
from tandem.bench._statistics import interval

import torch_page

# The systems of train-step.py, with their titles and colors.
PEERS = {"torch": ("PyTorch eager", "third"), "inductor": ("Inductor", "fourth"),
         "jax": ("JAX", "fifth")}
BREAK_EVENS = {"tandem": ("Tandem", "compiled"), "inductor": PEERS["inductor"],
               "jax": PEERS["jax"]}
STEPS = {"e": ("Tandem, eager (e)", "eager"), "c": ("Tandem, compiled (c)", "compiled"), **PEERS}


class Results:
    """The results of train-step.py."""

    def __init__(self, records):
        self.rounds = {(each["batch"], each["system"]): each["rounds"]
                       for each in records if "system" in each}
        self.costs = {each["batch"]: each for each in records if "system" not in each}
        self.batches = sorted(self.costs)

    def step(self, batch, which):
        """The mean time of a step in seconds: of a system, or e or c of Tandem; None if it
        was not measured."""
        if which in ("e", "c"):
            return self.costs[batch][which]
        rounds = self.rounds.get((batch, which))
        return rounds and interval([each["steady"] for each in rounds]).mean

    def break_even(self, batch, system):
        """n* of a system, or None."""
        if system == "tandem":
            return self.costs[batch]["n_star"]
        own, torch = self.step(batch, system), self.step(batch, "torch")
        if not own or not torch or own >= torch:
            return None
        first = [self.rounds[batch, which][0]["first"] for which in (system, "torch")]
        return max(0, first[0] - first[1]) / (torch - own)


def draw(batches, systems, value_of, title, label):
    """A picture of lines, with a point for each batch size. The vertical axis has powers of
    ten."""
    lines = {system: [(i, math.log10(value)) for i, batch in enumerate(batches)
                      if (value := value_of(batch, system))] for system in systems}
    values = [y for points in lines.values() for _, y in points]
    low, high = math.floor(min(values)), math.ceil(max(values))
    axes = Axes(760, 300, len(batches) - 1, high - low, LEGEND)
    for power in range(low, high + 1):
        axes.text(axes.x(0) - 4, axes.y(power - low) + 3, label(10.0**power), "end")
    for i, batch in enumerate(batches):
        axes.text(axes.x(i), 292, str(batch), "middle")
    row = 0
    for system, points in lines.items():
        if not points:
            continue
        name, color = systems[system]
        axes.line([(x, y - low) for x, y in points], color)
        for x, y in points:
            axes.parts.append(f"<circle cx='{axes.x(x):.1f}' cy='{axes.y(y - low):.1f}' r='3' "
                              f"style='fill:var(--{color})'/>")
        axes.text(axes.end + 12, 20 + 16 * row, name, color=color)
        row += 1
    axes.text(axes.end + 12, 292, "batch size")
    return image_file(axes.picture(title))


def table(results):
    """A row for each batch size."""
    def cell(value):
        return "–" if value is None else f"{math.ceil(value):,}"

    rows = []
    for batch in results.batches:
        cost = results.costs[batch]
        steps = [results.step(batch, system) for system in PEERS]
        rows.append([batch, *(format_ns(1e9 * cost[key]) for key in ("e", "c", "C")),
                     *(cell(results.break_even(batch, system))
                       for system in BREAK_EVENS),
                     *(format_ns(1e9 * each) if each else "–" for each in steps)])
    return markdown_table(
        ("batch", "e", "c", "C", "n\\*", "n\\* of Inductor", "n\\* of JAX",
         *(f"step, {name}" for name, _ in PEERS.values())), rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="where pictures are written")
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    results = Results(json.loads(options.results.read_text("utf-8")))
    if options.folder:
        (options.folder / "train-break-even.svg").write_text(draw(
            results.batches, BREAK_EVENS, results.break_even, "n* by batch size",
            lambda value: f"{value:,.0f}"), "utf-8")
        (options.folder / "train-steps.svg").write_text(draw(
            results.batches, STEPS,
            lambda batch, which: (time := results.step(batch, which)) and 1e9 * time / batch,
            "time of a step per image, by batch size", format_ns), "utf-8")
    text = table(results)
    print(text)
    if options.page:
        torch_page.replace_part(options.page, "train-break-even", text)


if __name__ == "__main__":
    main()
