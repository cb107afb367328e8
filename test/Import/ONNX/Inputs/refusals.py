"""Nodes that cannot be imported, each for one reason, which its message names.

usage: refusals.py TANDEM_RUN FOLDER
"""

import subprocess
import sys

import numpy
from onnx import TensorProto, helper

from tiers import Tiers, make_model

FLOAT = numpy.float32


def zeros(*shape, dtype=FLOAT):
    return numpy.zeros(shape, dtype)


def i64(*values):
    return numpy.array(values, "int64")


X = {f"x{rank}": zeros(*[4] * rank) for rank in range(6)}
# Op, operands, of which arrays are weights, attributes, and the message.
CASES = [
    ("Attention", ["x2", "x2", "x2"], {}, "queries have 2 dims, not 3 or 4"),
    ("Attention", ["x4", "x3", "x4"], {},
     "the operand of keys has 3 dims, not 4"),
    ("Attention", ["x3", "x3", "x3"], {"q_num_heads": 3, "kv_num_heads": 3},
     "3 heads do not divide the last dim"),
    ("Attention", ["x3", "x3", "x3"], {},
     "the number of heads is not positive"),
    ("Attention", ["x4", zeros(4, 3, 4, 4), zeros(4, 3, 4, 4)], {},
     "3 heads of keys do not divide 4 of queries"),
    ("Attention", ["x4", "x4", "x4", "", "x4"], {},
     "past keys without past values"),
    ("RotaryEmbedding", ["x4", "x3", "x3"], {"rotary_embedding_dim": 3},
     "rotary_embedding_dim 3 is odd"),
    ("RotaryEmbedding", ["x4", "x3", "x3"], {"rotary_embedding_dim": 6},
     "rotary_embedding_dim 6 is not within 1 and 4, the size of a head"),
    ("AveragePool", ["x4"], {"kernel_shape": [2, 2], "strides": [1]},
     "strides has 1 element, not 2"),
    ("AveragePool", ["x4"], {"kernel_shape": [2, 2], "strides": [1, 0]},
     "strides has a number out of range"),
    ("AveragePool", ["x4"], {"kernel_shape": [2, 2], "dilations": [0, 1]},
     "dilations has a number out of range"),
    ("AveragePool", ["x4"], {"kernel_shape": [2, 2], "pads": [1, 1]},
     "pads has 2 elements, not 4"),
    ("AveragePool", ["x3"], {"kernel_shape": [2, 2]},
     "the operand has 3 dims, not 4"),
    ("Conv", ["x4", "x4"], {"kernel_shape": [2, 2]},
     "kernel_shape is not that of the kernel"),
    ("ConvTranspose", ["x4", "x4"], {"group": 3},
     "3 groups do not divide the channels"),
    ("ConvTranspose", ["x4", "x4"], {"output_shape": [3]},
     "output_shape has 1 element, not 2"),
    ("ConvTranspose", ["x4", "x4"], {"output_padding": [0, -1]},
     "output_padding has a number out of range"),
    ("LRN", ["x2"], {"size": 3}, "needs a spatial dim"),
    ("LRN", ["x4"], {"size": 0}, "size 0 is not within 1 and 65535"),
    ("GroupNormalization", ["x4", "x1", "x1"], {"num_groups": 3},
     "3 groups do not divide 4 channels"),
    ("GatherElements", ["x4", zeros(4, dtype="int64")], {},
     "the operand of indices has 1 dim, not 4"),
    ("GatherND", ["x2", zeros(4, 3, dtype="int64")], {},
     "indices of 3 dims; the operand has 2"),
    ("GatherND", ["x2", zeros(4, 0, dtype="int64")], {},
     "indices without elements in their last dim"),
    ("GatherND", ["x4", zeros(4, 1, dtype="int64")], {"batch_dims": 2},
     "batch_dims 2 is not within 0 and 1"),
    ("ScatterElements", ["x2", zeros(5, 4, dtype="int64"), zeros(5, 4)],
     {"axis": 1}, "dim 0 of the indices is longer than that of the operand"),
    ("ScatterND", ["x1", zeros(4, 2, dtype="int64"), "x1"], {},
     "indices of 2 dims; the operand has 1"),
    ("ReverseSequence", ["x2", i64(4, 4, 4, 4)],
     {"batch_axis": 2, "time_axis": 0}, "batch_axis 2 is not 0 or 1"),
    ("ReverseSequence", ["x2", i64(4, 4, 4, 4)],
     {"batch_axis": 1, "time_axis": 1}, "time_axis 1 is not 0"),
    ("MaxUnpool", ["x4", zeros(4, 4, 4, 3, dtype="int64")],
     {"kernel_shape": [2, 2]}, "indices of another shape than the operand's"),
    ("MaxUnpool", ["x4", zeros(4, 4, 4, 4, dtype="int64")],
     {"kernel_shape": [2, 2], "strides": [2, 0]},
     "strides has a number out of range"),
    ("MaxUnpool", ["x4", zeros(4, 4, 4, 4, dtype="int64"), i64(4, 4)],
     {"kernel_shape": [2, 2]}, "output_shape has 2 elements, not 4"),
    ("TensorScatter", ["x4", "x3"], {}, "the update has 3 dims, not 4"),
    ("TensorScatter", ["x4", "x4"], {"axis": 0}, "axis 0 is that of the batch"),
    ("TopK", ["x1", i64(1, 2)], {}, "k has 2 elements, not 1"),
    ("Slice", ["x1", i64(0), i64(1, 2)], {}, "ends has 2 elements, not 1"),
    ("Slice", ["x1", i64(0), i64(1), i64(0, 0)], {},
     "axes has 2 elements, not 1"),
    ("Slice", ["x1", i64(0), i64(1), i64(0), i64(0)], {}, "a step of 0"),
    ("Trilu", ["x1"], {}, "needs two dims or more"),
    ("Trilu", ["x2", i64(1, 2)], {}, "k has 2 elements, not 1"),
    ("Split", ["x1"], {"num_outputs": 2},
     "num_outputs is 2, but it has 1 results"),
    ("Pad", ["x2", i64(1, 1)], {}, "pads has 2 elements, not 4"),
    ("CenterCropPad", ["x2", i64(1, -1)], {}, "a size of -1 is out of range"),
    ("DepthToSpace", ["x3"], {"blocksize": 2}, "the operand has 3 dims, not 4"),
    ("DepthToSpace", ["x4"], {"blocksize": 0},
     "a blocksize of 0 is out of range"),
    ("DepthToSpace", ["x4"], {"blocksize": 3},
     "a dim of size 4 is no multiple of 9"),
    ("SpaceToDepth", ["x4"], {"blocksize": 3},
     "a dim of size 4 is no multiple of 3"),
    ("Range", [i64(0)[0], i64(9)[0], i64(0)[0]], {}, "a delta of 0"),
    ("Range", [FLOAT("nan"), FLOAT(1), FLOAT(1)], {},
     "a start, limit or delta that is not a finite number"),
    ("Range", [i64(0)[0], i64(10**10)[0], i64(1)[0]], {},
     "more than a billion numbers"),
    ("Tile", ["x2", i64(2)], {}, "repeats has 1 element, not 2"),
    ("Tile", ["x2", i64(2, -1)], {}, "a negative number of repeats"),
    ("Tile", ["x2", i64(2, 5000)], {},
     "5000 repeats; at most 4096 are supported"),
    ("Dropout", ["x2", FLOAT(.5), "yes"], {},
     "a training_mode that is not known"),
    ("Dropout", ["x2", FLOAT(.5), numpy.array(True)], {},
     "training is not supported"),
    ("HannWindow", [i64(-1)[0]], {}, "a negative size"),
    ("HannWindow", [i64(1, 2)], {}, "size has 2 elements, not 1"),
    ("DFT", ["x3", i64(16000)[0]], {},
     "needs a last dim of one or two parts of numbers"),
    ("DFT", [zeros(1, 9, 1), i64(1 << 31)[0]], {"onesided": 1},
     "a length of 2147483648, which is over 1073741824"),
    ("DFT", [zeros(1, 9, 1), i64(-1)[0]], {},
     "a length of -1, which is not positive"),
    ("DFT", ["x3", "", i64(0, 1)], {}, "axis has 2 elements, not 1"),
    ("STFT", [zeros(1, 9, 1), i64(0)[0], "", i64(4)[0]], {},
     "frame_step is not positive"),
    ("STFT", [zeros(1, 9, 1), i64(1)[0], "", i64(10)[0]], {},
     "frames of 10 elements; the signal has 9"),
    ("MelWeightMatrix", [i64(4)[0], i64(32)[0], i64(0)[0], FLOAT(1), FLOAT(9)],
     {}, "sample_rate is not positive"),
    ("MelWeightMatrix", [i64(4)[0], i64(-32)[0], i64(9)[0], FLOAT(1), FLOAT(9)],
     {}, "dft_length is out of range"),
    ("GridSample", ["x4", zeros(4, 2, 2, 3)], {},
     "the grid needs 2 coordinates for each point, not 3"),
    ("GridSample", ["x4", zeros(3, 2, 2, 2)], {},
     "the grid is of another batch than the operand"),
    ("AffineGrid", [zeros(1, 2, 2), i64(1, 1, 2, 3)], {},
     "needs matrices of 2 by 3 numbers"),
    ("AffineGrid", [zeros(1, 2, 3), i64(1, 2, 3)], {},
     "a size of 3 numbers, not (N, C, H, W) or (N, C, D, H, W)"),
    ("RoiAlign", ["x4", zeros(2, 5), i64(0, 0)], {"sampling_ratio": 1},
     "rois needs 4 numbers for each region"),
    ("RoiAlign", ["x4", zeros(2, 4), i64(0, 0)],
     {"sampling_ratio": 1, "output_height": 0},
     "output_height is 0, and must be within 1 and 4096"),
    ("DeformConv", ["x4", zeros(4, 2, 1, 1), zeros(4, 2, 4, 4)], {},
     "dim 1 of the kernel is 2, not 4"),
    ("DeformConv", ["x4", zeros(4, 4, 1, 1), zeros(4, 3, 4, 4)], {},
     "the number of offsets for a point and a group is 3, not 2"),
    ("DeformConv", ["x4", zeros(4, 4, 1, 1), zeros(4, 2, 4, 4)], {"group": 3},
     "3 groups do not divide 4 channels of the operand"),
    ("Col2Im", ["x2", i64(5, 5), i64(1, 5)], {},
     "the operand of blocks has 2 dims, not 3"),
    ("Col2Im", ["x3", i64(5, 5), i64(1, 5)], {},
     "blocks of 5 elements do not divide dim 1, of size 4"),
    ("Col2Im", ["x3", i64(5, 5), i64(2, 2)], {},
     "the operand has 4 blocks; the image has 16"),
    ("Col2Im", ["x3", i64(5, 5), i64(2)], {},
     "block_shape has 1 element, not 2"),
    ("Det", ["x1"], {}, "needs two dims or more"),
    ("Det", [zeros(2, 3)], {}, "needs square matrices"),
    ("Det", [zeros(0, 0)], {}, "matrices without rows are not supported"),
    ("NegativeLogLikelihoodLoss", ["x3", zeros(4, dtype="int64")], {},
     "the target has 1 dim, not 2"),
    ("Einsum", ["x2"], {"equation": "ij->ii"},
     "an index that is twice in the result"),
    ("Einsum", ["x2"], {"equation": "ij->ik"},
     "an index of the result that is in no operand"),
    ("Resize", ["x2", "", numpy.ones(2, FLOAT), i64(4, 4)], {},
     "takes scales or sizes, not both"),
    ("Resize", ["x2", "", numpy.ones(3, FLOAT)], {},
     "needs a scale or a size for each axis"),
    ("Loop", ["", "yes", "x1"], {"body": None}, "attribute 'body' is missing"),
    ("Loop", ["", "", "x1"], {"body": 1}, "attribute 'body' is not a graph"),
    ("If", ["yes"], {"then_branch": 1, "else_branch": 1},
     "a condition that is not known"),
]


def make_nodes(cases):
    """A node for each case, and the weights of all. The op may follow its domain."""
    nodes, weights = [], {}
    for i, (op, operands, attributes, _) in enumerate(cases):
        names = []
        for j, operand in enumerate(operands):
            is_name = isinstance(operand, str)
            names.append(operand if is_name else f"w{i}_{j}")
            if not is_name:
                weights[names[-1]] = operand
        domain, _, name = op.rpartition(".")
        nodes.append(helper.make_node(
            name, names, [f"y{i}"], name=f"node{i}", domain=domain,
            **{key: value for key, value in attributes.items()
               if value is not None}))
    return nodes, weights


def check(cases, inputs, tiers):
    """Fails unless each case is refused with its message, which follows the name of
    the op."""
    nodes, weights = make_nodes(cases)
    nodes.append(helper.make_node("Identity", [next(iter(inputs))], ["y"]))
    model = make_model(nodes, inputs, {"y": next(iter(inputs.values())).dtype},
                       weights, opset=24)
    done = subprocess.run(tiers.command(model, {}, "--coverage"), text=True,
                          capture_output=True)
    if done.returncode != 1:
        sys.exit(f"exit status {done.returncode}\n{done.stderr}")
    # Nodes with the same message are named together.
    refused = [line for line in done.stdout.splitlines() if "refused: " in line]
    for i, (op, _, _, message) in enumerate(cases):
        told = [line for line in refused if f"'node{i}'" in line]
        name = op.rpartition(".")[2]
        if not any(line.endswith(f"{name}: {message}") for line in told):
            sys.exit(f"{op}: {message}\nis not what node{i} gets: {told}")
    print(len(cases), "nodes are refused for one reason each")


if __name__ == "__main__":
    check(CASES, {**X, "yes": numpy.array(True)}, Tiers(*sys.argv[1:]))
