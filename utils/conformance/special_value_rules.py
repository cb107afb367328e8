"""Where ONNX Runtime's results of special values are not what ONNX says, and
what ONNX leaves open."""

import dataclasses
import re

# Operands of which results are weighted sums. What such a result is follows from
# the sign of the element's weight; an element of weight 0 is not read. ONNX
# Runtime multiplies by some weights of 0, of which an infinity makes NaN.
LINEAR = (r"^(Resize|Upsample|GridSample|DeformConv|RoiAlign)-\S+ x0\["
          r"|^test_(resize|upsample|gridsample)\w* X\["
          r"|^test_\w*deform_conv\w* X\[|^test_roialign_aligned_\w+ X\[")

# What ONNX Runtime has wrong, and the onnx package's evaluator, where it has
# results, has not.
EVALUATOR = [
    # ONNX Runtime's activations make numbers of NaN. The evaluator knows no
    # lengths of sequences, which some cases have.
    r"^(RNN|GRU)-|^LSTM-(?!22\.1 )",
    r"^test_(simple_rnn|rnn|gru|lstm)_(?!seq_length|\w+_seq_length)",
    # Its indices are those of another shape.
    r"^test_maxunpool_export_with_output_shape",
    # Points at infinity are read anywhere.
    r"^GridSample-\S+ x1|^test_gridsample\S* Grid",
    # It rounds the size of the result before it aligns the corners.
    r"^test_resize_downsample_scales_\w+_align_corners",
]


@dataclasses.dataclass(frozen=True)
class Rule:
    """In variants whose name matches, elements may be of another class than is
    expected: `pairs` are (expected, actual). Whether they are may depend on the
    kernels, which differ by processor."""
    pattern: str
    pairs: frozenset
    reason: str
    depends_on_kernels: bool


def rule(pattern, pairs, reason, depends_on_kernels=False):
    """`pairs` is like "nan:inf nan:finite"."""
    return Rule(pattern, frozenset(tuple(pair.split(":"))
                                   for pair in pairs.split()), reason,
                depends_on_kernels)


NOT_FINITE = "nan:inf nan:-inf inf:nan -inf:nan inf:-inf -inf:inf"
OPEN = [
    rule(r"^Cast|^test_pow_types_int", "finite:finite",
         "what is no integer of the type saturates, and NaN is 0"),
    rule(r"^(Clip-|test_clip).* (min|max)\[.*=nan", "finite:nan",
         "a limit that is NaN"),
    rule(r"^test_clip_default", "finite:inf finite:-inf",
         "no limit is an infinite one, as in the evaluator and NumPy, and not the"
         " largest number"),
    rule(r"^(ReduceM(ax|in)|Global)\S+ \S+=nan|^test_(global)?maxpool\S* \S+=nan"
         r"|^(MaxPool|Scatter)\S+ \S+=nan|^test_scatter\w+_(max|min)\w* \S+=nan"
         r"|^test_reduce_m(ax|in)\w+ \S+=nan",
         "finite:nan", "NaN is the largest and the smallest, as in NumPy"),
    rule(r"^(Global)?MaxPool-\S+ \S+=-inf|^test_(global)?maxpool\S* \S+=-inf",
         "finite:-inf", "ONNX Runtime's largest of -inf is a number"),
    rule(r"^(ArgM|Hardmax-|test_arg|test_hardmax)\S+ \S+=nan", "finite:finite",
         "NaN is the largest and the smallest, as in NumPy"),
    rule(r"^(RNN|GRU|LSTM)-\S+ x[1-3]|^test_(simple_rnn|rnn|gru|lstm)\S+ [WRB]",
         "nan:finite", "a state of zeros that is not given is not multiplied"),
    rule(r"^LSTM-22\.1 |^test_(gru|rnn|lstm)_\w*seq_length", "finite:nan",
         "ONNX Runtime's activations make numbers of NaN"),
    rule(r"^DeformConv-\S+ x0", "inf:nan -inf:nan",
         "an infinity that is read twice, with weights of both signs"),
    rule(r"^test_resize_downsample_scales_cubic_antialias X",
         "finite:inf finite:-inf",
         "a weight of 1e-8, which ONNX Runtime rounds to 0"),
    rule(r"^test_roialign_mode_max X", "-inf:finite",
         "0 is larger than -inf, as the product of an element of weight 0"),
    rule(r"^Det-", "inf:nan -inf:nan", "determinants of infinities"),
    rule(r"^GridSample-\S+ x1|^test_gridsample\S* Grid",
         "finite:finite finite:nan",
         "coordinates that are not finite: beyond the edge, or NaN"),
    rule(r"^(Conv-|com.microsoft.FusedConv-)\S+ x1|^test_\w*conv_with\S+ W",
         "nan:finite nan:inf nan:-inf", "padding is not multiplied",
         depends_on_kernels=True),
    rule(r"^ConvTranspose-\S+ x1|^test_convtranspose\S* W",
         "finite:nan inf:nan -inf:nan", "weights multiply the zeros between"
         " elements, of which a convolution is made", depends_on_kernels=True),
    rule(r"^(DFT|STFT)-|^test_(dft|stft)", NOT_FINITE,
         "which parts of a transform of infinities are NaN",
         depends_on_kernels=True),
    rule(r"^(DynamicQuantize|com.microsoft.DynamicQuantize)|^test_dynamicquant",
         "finite:finite finite:nan inf:nan -inf:nan",
         "quantization of a range that is not finite"),
    rule(r"^(com.microsoft.)?Q(uantizeLinear|Linear\w+)-|^test_q(uantize)?linear",
         "finite:finite", "quantization of, or by, what is not finite"),
    rule(r"^LRN-", "nan:finite",
         "ONNX Runtime subtracts what leaves a window from its sum"),
    rule(r"^(Batch|Instance)Norm\S+ x1|^test_(batch|instance)norm_\S+ s",
         "nan:inf nan:-inf", "ONNX Runtime multiplies the mean by the scale"),
    rule(r"^test_layer_norm\S+ X", "nan:inf nan:-inf",
         "ONNX Runtime's mean of infinities is NaN"),
    rule(r"^test_attention\S+ [QK]", "finite:nan",
         "a softmax of scores that are all -inf without a mask"),
]


def rules_of(variant):
    return [rule for rule in OPEN if re.search(rule.pattern, variant.name)]


def certain(verdict):
    """A verdict without the reasons that may depend on the kernels."""
    if not verdict.startswith("open: "):
        return verdict
    uncertain = {rule.reason for rule in OPEN if rule.depends_on_kernels}
    reasons = [reason for reason in verdict.removeprefix("open: ").split("; ")
               if reason not in uncertain]
    return "open: " + "; ".join(reasons) if reasons else "pass"


def is_linear(variant):
    return re.search(LINEAR, variant.name) is not None


def is_wrong(variant):
    """Whether ONNX Runtime's results are."""
    return any(re.search(pattern, variant.name) for pattern in EVALUATOR)
