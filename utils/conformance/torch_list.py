"""The list of samples of op_db, and counts of verdicts (torch_samples.py)."""

import collections
import re

TIERS = ("eager", "compile")
HEAD = """\
# The samples of torch.testing's op_db that Tandem runs, of torch {version}: each op with
# the number of its samples in each dtype. All pass in both tiers but those in the lines
# below the op: dtype, numbers, verdict (torch_samples.py). Written by torch_ops.py
# --update.
"""


def tiers_passed(verdict):
    """The tiers in which a sample passes."""
    if verdict == "pass":
        return set(TIERS)
    return {tier for tier in TIERS if f"pass {tier}" in verdict.split("; ")}


def is_covered(verdicts):
    """Whether Tandem covers an op: it has all ATen ops in the graphs of at least half of
    the samples that count."""
    kinds = [v.startswith("other: ") for v in verdicts.values() if not v.startswith("never: ")]
    return bool(kinds) and 2 * sum(kinds) <= len(kinds)


def brief(verdict):
    """A verdict without what differs between machines."""
    verdict = re.sub(r"(wrong|[A-Za-z]+Error): .*?(?=; (?:eager|compile): |$)", r"\1", verdict)
    return " ".join(verdict.split())[:160]


def count(verdicts):
    """Counter with the number of samples that pass by tier, and of those that are always
    left to torch ("never"), left to torch ("left") and not right ("wrong")."""
    counts = collections.Counter()
    for verdict in verdicts.values():
        passed = tiers_passed(verdict)
        counts.update(passed)
        if verdict.startswith("never: "):
            counts["never"] += 1
        elif verdict.startswith(("left: ", "other: ")):
            counts["left"] += 1
        elif len(passed) < len(TIERS):
            counts["wrong"] += 1
    counts["judged"] = len(verdicts) - counts["never"]
    return counts


def ranges(numbers):
    """3,5-7 for 3, 5, 6, 7."""
    parts = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{a}-{b}" if a < b else f"{a}" for a, b in parts)


def numbers_of(text):
    """The numbers that `ranges` wrote."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read(path):
    """{(op, dtype): (the number of samples, {number: verdict unless it is pass})}"""
    listed, name = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        first, *rest = line.split("\t")
        if first:
            name = first
            for each in rest:
                dtype, total = each.split()
                listed[name, dtype] = int(total), {}
        else:
            dtype, numbers, verdict = rest
            listed[name, dtype][1].update(dict.fromkeys(numbers_of(numbers), verdict))
    return listed


def write(path, listed, version):
    """Writes what `read` reads."""
    lines = [HEAD.format(version=version)]
    names = dict.fromkeys(name for name, _ in sorted(listed))
    for name in names:
        dtypes = {d: listed[n, d] for n, d in sorted(listed) if n == name}
        totals = [f"{dtype} {total}" for dtype, (total, _) in dtypes.items()]
        lines.append("\t".join([name, *totals]) + "\n")
        for dtype, (_, verdicts) in dtypes.items():
            lines += _exceptions(dtype, verdicts)
    path.write_text("".join(lines), encoding="utf-8")


def _exceptions(dtype, verdicts):
    by_verdict = collections.defaultdict(list)
    for number, verdict in verdicts.items():
        if verdict != "pass":
            by_verdict[brief(verdict)].append(number)
    return [f"\t{dtype}\t{ranges(numbers)}\t{verdict}\n"
            for verdict, numbers in sorted(by_verdict.items())]
