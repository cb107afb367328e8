"""Sums of products against numpy.einsum, in every tier.

usage: einsum-values.py TANDEM_RUN FOLDER
"""

import pathlib
import subprocess
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper

RUN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
# Equations with the shapes of their operands.
CASES = [
    ("ij->ji", (3, 4)), ("ij->i", (3, 4)), ("ij->", (3, 4)), ("ba", (3, 4)),
    ("ii->i", (4, 4)), ("ii", (4, 4)), ("...ii->...i", (2, 3, 3)),
    ("iji->j", (3, 2, 3)), ("iii->i", (2, 2, 2)), ("iijj->ij", (2, 2, 3, 3)),
    ("i,i->", (5,), (5,)), ("i,j->ij", (3,), (4,)), (",ij->ij", (), (2, 3)),
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,kj->ki", (2, 3), (4, 3)),
    ("bij, bjk -> bik", (2, 3, 4), (2, 4, 5)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...ij,...jk", (2, 3, 4), (2, 4, 2)),
    ("abcd,cdef->abef", (2, 3, 2, 2), (2, 2, 3, 2)),
    ("ij,ij->i", (3, 4), (3, 4)), ("ij,j->i", (3, 4), (4,)),
    ("ij,ij->ij", (3, 4), (1, 4)), ("ij,jk->ik", (2, 1), (3, 4)),
    ("ij,jk->i", (2, 3), (3, 4)), ("ii,ij->j", (3, 3), (3, 2)),
    ("i,ij,j->", (3,), (3, 4), (4,)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("Ab,bC->AC", (2, 3), (3, 2)), ("ij,jk->ik", (0, 3), (3, 2)),
    ("ij,jk->ik", (2, 0), (0, 2)), ("a...,a->...", (3, 2, 2), (3,)),
    ("ab,cd->", (2, 3), (2, 2)), ("bi,bj,bk->bijk", (2, 2), (2, 3), (2, 2)),
]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(1)
    nodes, weights, outputs, expected = [], [], [], []
    for i, (equation, *shapes) in enumerate(CASES):
        arrays = [random.standard_normal(shape).astype("float32")
                  for shape in shapes]
        names = [f"x{i}_{j}" for j in range(len(arrays))]
        weights += [numpy_helper.from_array(numpy.asarray(array), name)
                    for array, name in zip(arrays, names)]
        # The factor keeps it from being folded.
        nodes.append(helper.make_node("Mul", [names[0], "one"], [f"f{i}"]))
        nodes.append(helper.make_node("Einsum", [f"f{i}", *names[1:]], [f"y{i}"],
                                      name=equation, equation=equation))
        outputs.append(helper.make_tensor_value_info(
            f"y{i}", TensorProto.FLOAT, None))
        expected.append(numpy.einsum(
            equation, *[array.astype("float64") for array in arrays]))
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(
            "one", TensorProto.FLOAT, [])], outputs, weights)
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    (FOLDER / "model.onnx").write_bytes(model.SerializeToString())
    numpy.save(FOLDER / "one.npy", numpy.float32(1))
    for tier in ["reference", "eager", "compiled"]:
        subprocess.run([RUN, FOLDER / "model.onnx", f"--input=one={FOLDER}/one.npy",
                        f"--tier={tier}", f"--out-dir={FOLDER / tier}"],
                       check=True, stdout=subprocess.DEVNULL)
        for i, values in enumerate(expected):
            actual = numpy.load(FOLDER / tier / f"output{i}.npy")
            if (actual.shape != values.shape
                    or not numpy.allclose(actual, values, 1e-5, 1e-5)):
                sys.exit(f"{CASES[i]}, {tier}: {actual}\nis not\n{values}")
    print(len(CASES), "equations in three tiers: all values are right")


if __name__ == "__main__":
    main()
