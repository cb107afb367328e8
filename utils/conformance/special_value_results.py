"""Results of special values: computed by ONNX Runtime or the onnx package's
evaluator, written as what they change, and compared with those of a tier."""

import re

import numpy
import onnx

import special_value_cases
import special_value_rules

CLASSES = numpy.array(["finite", "nan", "inf", "-inf"])


def wide(array):
    """Floats of 16 bits as floats that NumPy's functions know."""
    is_float = array.dtype.name in special_value_cases.FLOATS
    return array.astype(numpy.float64) if is_float else array


def classes(array):
    """The class of each element, as an index of CLASSES."""
    array = wide(array)
    if array.dtype.kind != "f":
        return numpy.zeros(array.shape, int)
    return numpy.where(numpy.isnan(array), 1, numpy.where(
        numpy.isposinf(array), 2, numpy.where(numpy.isneginf(array), 3, 0)))


def are_close(actual, expected, rtol, atol):
    """For each element, whether it is equal or both are of one class that is
    not finite."""
    if wide(expected).dtype.kind != "f":
        return actual == expected
    actual, expected = wide(actual), wide(expected)
    with numpy.errstate(all="ignore"):
        return numpy.isclose(actual, expected, rtol, atol, equal_nan=True)


# As text -----------------------------------------------------------------------


def number_text(value):
    return str(int(value)) if isinstance(value, (int, bool)) else f"{value:.7g}"


def runs(values):
    """Equal neighbors as "value*count"."""
    words, count = [], 0
    for i, value in enumerate(values):
        count += 1
        if i + 1 == len(values) or values[i + 1] != value:
            words.append(value if count == 1 else f"{value}*{count}")
            count = 0
    return ",".join(words)


def changes_text(case, outputs, without):
    """Which elements of the outputs differ from those without the special value:
    OUTPUT[FIRST]= and the values from there on."""
    fields = []
    for i, (array, base) in enumerate(zip(outputs, without)):
        rtol, atol = case.tolerances(array.dtype)
        same = are_close(array, base, rtol / 2, atol / 2).reshape(-1)
        places = numpy.flatnonzero(~same)
        values = wide(array).reshape(-1).tolist()
        for part in numpy.split(places,
                                numpy.flatnonzero(numpy.diff(places) > 1) + 1):
            if part.size:
                words = [number_text(values[place]) for place in part]
                fields.append(f"{i}[{part[0]}]={runs(words)}")
    return " ".join(fields) or "same"


def changed(case, text):
    """The case's outputs with the changes of a line."""
    outputs = [array.copy() for array in case.outputs]
    for field in text.split() if text != "same" else []:
        output, place, words = re.fullmatch(r"(\d+)\[(\d+)\]=(.*)",
                                            field).groups()
        array = outputs[int(output)].reshape(-1)
        place = int(place)
        for word in words.split(","):
            value, _, count = word.partition("*")
            number = (float(value) if array.dtype.kind not in "iub"
                      else int(value))
            array[place:place + int(count or 1)] = number
            place += int(count or 1)
    return outputs


# Computing ---------------------------------------------------------------------


def in_onnxruntime(model, inputs):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def in_older_version(model, inputs):
    """As `in_onnxruntime`, of ops whose last version only knows more types, and
    has no kernel there."""
    older = onnx.ModelProto()
    older.CopyFrom(model)
    for domain in older.opset_import:
        if domain.domain == "":
            domain.version = min(domain.version, 21)
    return in_onnxruntime(older, inputs)


def in_evaluator(model, inputs):
    from onnx import reference
    return [numpy.asarray(value) for value in
            reference.ReferenceEvaluator(model).run(None, inputs)]


def linear_response(variant, compute, without):
    """The results of an op that is linear in the operand: those of two finite
    numbers in the place tell which elements read it, and with which sign."""
    value = special_value_cases.VALUES[variant.value]
    low, high = (compute(*variant.instance(number)) for number in (-64, 64))
    results = []
    for base, a, b in zip(without, low, high):
        step = wide(b) - wide(a)
        reads = numpy.abs(step) > 1e-4
        results.append(numpy.where(reads, numpy.sign(step) * value,
                                   wide(base)).astype(base.dtype))
    return results


def fits(case, outputs):
    return len(outputs) == len(case.outputs) and all(
        (a.shape, a.dtype) == (b.shape, b.dtype)
        for a, b in zip(outputs, case.outputs))


def expected_text(variant):
    """The changes that a variant's line expects, or "none: " and why there is
    no value. Values that are not ONNX Runtime's name their source."""
    reason = ""
    is_linear = special_value_rules.is_linear(variant)
    sources = [("", in_onnxruntime), ("", in_older_version),
               ("onnx", in_evaluator)]
    if special_value_rules.is_wrong(variant):
        sources.reverse()
    for source, compute in sources:
        try:
            with numpy.errstate(all="ignore"):
                without = compute(variant.case.model, variant.case.inputs)
                outputs = (linear_response(variant, compute, without)
                           if is_linear else compute(*variant.instance()))
        except Exception as error:  # pylint: disable=broad-except
            if not reason or "NOT_IMPLEMENTED" in reason:
                reason = " ".join(str(error).split())
            continue
        if fits(variant.case, outputs):
            words = [source, "linear" if is_linear else "",
                     changes_text(variant.case, outputs, without)]
            return " ".join(filter(None, words))
        reason = reason or "results of other types"
    reason = re.sub(r"^\[ONNXRuntimeError\] : \d+ : ", "", reason)
    return "none: " + reason[:100]


def expected_outputs(case, text):
    return changed(case, re.sub(r"^((linear|onnx) )+", "", text))


# Comparing ---------------------------------------------------------------------


def difference(variant, actual, expected):
    """Why outputs are not the expected ones, and the rules that explain the
    rest."""
    reasons, rules = [], set()
    for i, (array, wanted) in enumerate(zip(actual, expected)):
        if (array.shape, array.dtype) != (wanted.shape, wanted.dtype):
            return (f"output {i} is {array.dtype}{list(array.shape)}, not"
                    f" {wanted.dtype}{list(wanted.shape)}"), rules
        rtol, atol = variant.case.tolerances(wanted.dtype)
        wrong = ~are_close(array, wanted, rtol, atol)
        pairs = (CLASSES[classes(wanted)], CLASSES[classes(array)])
        for rule in special_value_rules.rules_of(variant):
            explained = wrong & numpy.vectorize(
                lambda a, b, rule=rule: (a, b) in rule.pairs,
                otypes=[bool])(*pairs)
            if explained.any():
                rules.add(rule)
                wrong &= ~explained
        if wrong.any():
            place = numpy.flatnonzero(wrong)[0]
            reasons.append(
                f"output {i}, {wrong.sum()} of {wrong.size}: element {place} is"
                f" {number_text(wide(array).reshape(-1)[place].item())} for"
                f" {number_text(wide(wanted).reshape(-1)[place].item())}")
    return (reasons[0] if reasons else None), rules
