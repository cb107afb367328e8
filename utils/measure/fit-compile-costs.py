#!/usr/bin/env python3
"""Fits what is predicted of C, c and e before compiling (docs/Engine.md).

  utils/measure/fit-compile-costs.py measure    # on a quiet machine, about two minutes
  utils/measure/fit-compile-costs.py describe   # after a change of the features
  utils/measure/fit-compile-costs.py fit        # writes the coefficients and a picture

`measure` appends to the data what it lacks, so that it can be interrupted, and
`describe` computes the features of all its graphs. `fit` needs the packages of
utils/measure/fit-requirements.txt, and says how far predictions are off for
graphs that the coefficients were not fitted to.
"""

import argparse
import json
import pathlib
import subprocess
import time

import cost_graphs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

#===----------------------------------------------------------------------===//
# Measuring
#===----------------------------------------------------------------------===//


def short(value):
    return float(f"{value:.4g}")


def spread(summary):
    return [short(summary[key]) for key in ("median", "p10", "p90")]


def compact(name, graph, record):
    costs = {kind: record[f"compile_{kind}_ns"]
             for kind in ("cold", "warm", "cached")}
    start = [costs["cold"]["phases"][phase]["median"]
             for phase in ("import", "start compiler")]
    return {"name": name, "graph": graph, "threads": record["threads"],
            "cpu": record["cpu_model"], "verdict": record["verdict"],
            "eager": spread(record["eager_ns"]),
            "compiled": spread(record["compiled_ns"]),
            "start": short(sum(start)),
            **{kind: spread(cost["total"]) for kind, cost in costs.items()}}


def run(options, *arguments):
    command = [options.bin / "tandem-bench", *arguments, "--json=-"]
    lines = subprocess.run(command, check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return json.loads(next(line for line in lines if line.startswith("{")))


def describe(options, file, vary):
    features = run(options, "predict", file, *vary)["features"]
    return {name: short(value) for name, value in features.items() if value}


def read(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return {record["name"]: record for record in map(json.loads, lines)}


def write(path, records):
    path.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n"
                            for record in records))


def cases(options):
    for name, graph, file, dims in cost_graphs.cases(options.graphs,
                                                     options.bin):
        yield name, graph, file, [f"--vary={dims}"] if dims else []


def measure(options):
    """Measures what the data lacks, until the time is up."""
    records = read(options.data)
    end = time.monotonic() + options.limit
    for name, graph, file, vary in cases(options):
        if name in records:
            continue
        if time.monotonic() > end:
            print(f"time is up; run again to measure the rest, from {name} on")
            return
        record = run(options, "sweep", file, *vary, "--cold-runs=2",
                     f"--seconds={options.seconds}")
        records[name] = compact(name, graph, record)
        records[name]["features"] = describe(options, file, vary)
        write(options.data, records.values())


def describe_all(options):
    records = read(options.data)
    for name, _, file, vary in cases(options):
        if name in records:
            records[name]["features"] = describe(options, file, vary)
    write(options.data, records.values())


#===----------------------------------------------------------------------===//
# Fitting
#===----------------------------------------------------------------------===//

# What each figure is a sum of.
GRAPH = ["one", "ops", "kernels", "constantBytes"]
FIGURES = ["startNs", "graphNs", "kernelsNs", "compiledNs", "eagerNs"]


def features_of(names):
    """The features of each figure: of calls by their names, else of code."""
    code = [n for n in names if n not in GRAPH and
            not n.startswith(("eager", "compiled"))]
    return {"startNs": ["one", "constantBytes"], "graphNs": GRAPH,
            "kernelsNs": code,
            "compiledNs": [n for n in names if n.startswith("compiled")],
            "eagerNs": [n for n in names if n.startswith("eager")]}


class Data:
    """Features and measurements of some records, as arrays."""

    def __init__(self, records, names):
        import numpy as np
        self.records, self.names = records, names
        self.graphs = np.array([r["graph"] for r in records])
        self.features = np.array([[r["features"].get(n, 0) for n in names]
                                  for r in records])
        for key in ("cold", "warm", "cached", "eager", "compiled"):
            setattr(self, key, np.array([r[key][0] for r in records]))
        self.start = np.array([r["start"] for r in records])
        self.verdict = np.array([r["verdict"] for r in records])

    def of(self, names):
        return self.features[:, [self.names.index(n) for n in names]]

    def where(self, chosen):
        return Data([r for r, c in zip(self.records, chosen) if c], self.names)


def fit_sum(columns, measured, known=0):
    """Coefficients, none negative, of columns whose sum, with what is known, is
    near what was measured: by their ratio, outliers counting less."""
    import numpy as np
    from scipy.optimize import least_squares
    used = columns.max(axis=0) > 0
    scale = np.where(used, columns.max(axis=0), 1)
    scaled, count = columns / scale, columns.shape[1]
    # A prior of zero, so small that it decides only where nothing else does.
    ridge = 1e-3 / np.median(measured)

    def residuals(weights):
        total = scaled @ weights + known + 1e-9
        return np.concatenate([np.log(total / measured), ridge * weights])

    def jacobian(weights):
        total = scaled @ weights + known + 1e-9
        return np.vstack([scaled / total[:, None], ridge * np.eye(count)])

    first = np.full(count, np.median(measured) / count)
    result = least_squares(residuals, first, jacobian, bounds=(0, np.inf),
                           loss="soft_l1", f_scale=0.3, x_scale=first,
                           max_nfev=400)
    weights = np.where(used, result.x / scale, 0)
    # What adds nothing anywhere is left out.
    return np.where((columns * weights).max(axis=0) > 1e-3 * measured.min(),
                    weights, 0)


class Model:
    def __init__(self, data):
        import numpy as np
        self.columns = features_of(data.names)
        of = lambda figure: data.of(self.columns[figure])
        w = self.weights = {}
        w["startNs"] = fit_sum(of("startNs"), data.start)
        w["graphNs"] = fit_sum(of("graphNs"), data.cached)
        w["kernelsNs"] = fit_sum(of("kernelsNs"), data.warm,
                                 of("graphNs") @ w["graphNs"])
        w["compiledNs"] = fit_sum(of("compiledNs"), data.compiled)
        w["eagerNs"] = fit_sum(of("eagerNs"), data.eager)
        warm = self.predict(data)["warm"]
        self.once, self.factor = fit_sum(
            np.stack([np.ones_like(warm), warm], axis=1),
            data.cold - data.start)

    def predict(self, data):
        import numpy as np
        p = {figure: data.of(self.columns[figure]) @ self.weights[figure]
             for figure in FIGURES}
        warm = p["graphNs"] + p["kernelsNs"]
        result = {"cached": p["graphNs"], "warm": warm, "eager": p["eagerNs"],
                  "compiled": p["compiledNs"] *
                              np.sqrt(data.eager / p["eagerNs"])}
        if hasattr(self, "once"):
            result["cold"] = p["startNs"] + self.once + self.factor * warm
        return result


def leave_one_out(data):
    """Each graph as the model predicts it that was fitted to all others."""
    import numpy as np
    result = {key: np.zeros(len(data.records))
              for key in ("cold", "warm", "cached", "compiled", "eager")}
    for graph in dict.fromkeys(data.graphs):
        held = data.graphs == graph
        predicted = Model(data.where(~held)).predict(data.where(held))
        for key, values in result.items():
            values[held] = predicted[key]
    return result


def summary(errors):
    import numpy as np
    return (f"median x{np.exp(np.median(errors)):.2f}, "
            f"90 % x{np.exp(np.quantile(errors, 0.9)):.2f}")


def break_even(data, predicted):
    """n* as measured and as predicted, where both tiers differ beyond their
    spreads; and how many verdicts are wrong."""
    import numpy as np
    pays = data.verdict == "compile"
    says = predicted["compiled"] < data.eager
    wrong = (pays & ~says) | ((data.verdict == "eager") & says)
    result = {}
    for kind in ("cold", "warm", "cached"):
        measured = getattr(data, kind) / (data.eager - data.compiled)
        with np.errstate(divide="ignore"):
            expected = np.where(says, predicted[kind] / np.maximum(
                data.eager - predicted["compiled"], 1e-9), np.inf)
        result[kind] = measured[pays], expected[pays]
    return result, wrong, (data.verdict != "close").sum()


def report(data, predicted):
    import numpy as np
    lines = [f"{len(set(data.graphs))} graphs, {len(data.records)} shapes; "
             "each predicted by a fit to the other graphs"]
    for key in ("cold", "warm", "cached", "compiled", "eager"):
        errors = np.abs(np.log(predicted[key] / getattr(data, key)))
        lines.append(f"{key:9} {summary(errors)}")
    pairs, wrong, decided = break_even(data, predicted)
    for kind, (measured, expected) in pairs.items():
        errors = np.abs(np.log(expected / measured))
        lines.append(f"n* {kind:6} {summary(errors)} ({len(errors)} shapes)")
    names = [r["name"] for r, w in zip(data.records, wrong) if w]
    lines.append(f"wrong verdicts: {len(names)} of {decided} "
                 f"({', '.join(names) or 'none'})")
    return "\n".join(lines)


BANNER = """\
//===- CostCoefficients.def - Fitted coefficients of costs -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written by utils/measure/fit-compile-costs.py, from measurements on
// {cpu}.
//
//   TANDEM_COST_COEFFICIENT(figure, feature, value)
//       What a feature adds to a figure of CostPrediction.
//   TANDEM_COST_FACTOR(name, value)
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_COST_COEFFICIENT
#define TANDEM_COST_COEFFICIENT(figure, feature, value)
#endif
#ifndef TANDEM_COST_FACTOR
#define TANDEM_COST_FACTOR(name, value)
#endif

"""


def write_coefficients(path, model, cpu):
    text = BANNER.format(cpu=cpu)
    for figure in FIGURES:
        for name, value in zip(model.columns[figure], model.weights[figure]):
            if value > 0:
                text += (f"TANDEM_COST_COEFFICIENT({figure}, {name}, "
                         f"{value:.4g})\n")
    text += (f"\nTANDEM_COST_FACTOR(firstOnceNs, {model.once:.4g})\n"
             f"TANDEM_COST_FACTOR(firstFactor, {model.factor:.4g})\n\n"
             "#undef TANDEM_COST_COEFFICIENT\n#undef TANDEM_COST_FACTOR\n")
    path.write_text(text)


def draw(path, data, predicted):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pairs, _, _ = break_even(data, predicted)
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 4), sharex=True,
                                   sharey=True, layout="constrained")
    for axis, (kind, (measured, expected)) in zip(axes, pairs.items()):
        ends = [measured.min() / 2, measured.max() * 2]
        for factor, style in ((3, ":"), (1.5, "--"), (1, "-")):
            for way in {factor, 1 / factor}:
                axis.plot(ends, [end * way for end in ends], style, lw=0.8,
                          color="0.6")
        axis.loglog(measured, expected, "o", ms=4, alpha=0.7, color="#2a6f97")
        axis.set_title({"cold": "a new process", "warm": "new kernels",
                        "cached": "known kernels"}[kind])
        axis.set_xlabel("n* measured, calls")
    axes[0].set_ylabel("n* predicted, calls")
    figure.savefig(path, dpi=110)


def fit(options):
    records = list(read(options.data).values())
    header = (ROOT / "include/tandem/Compiler/CostFeatures.def").read_text()
    names = [line.split("(")[1].rstrip(")") for line in header.splitlines()
             if line.startswith("TANDEM_COST_FEATURE(")]
    data = Data(records, names)
    predicted = leave_one_out(data)
    print(report(data, predicted))
    write_coefficients(ROOT / "lib/Compiler/Prediction/CostCoefficients.def", Model(data),
                       records[0]["cpu"])
    draw(ROOT / "docs/images/predicted-break-even.png", data, predicted)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure", "describe", "fit"])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--graphs", type=pathlib.Path,
                        default=ROOT / "build/compile-cost-graphs",
                        help="directory of the graphs, written where missing")
    parser.add_argument("--data", type=pathlib.Path,
                        default=HERE / "compile-costs.jsonl")
    parser.add_argument("--seconds", type=float, default=0.2,
                        help="time for the calls of one shape")
    parser.add_argument("--limit", type=float, default=float("inf"),
                        help="seconds after which no other shape is begun")
    options = parser.parse_args()
    {"measure": measure, "describe": describe_all,
     "fit": fit}[options.command](options)


if __name__ == "__main__":
    main()
