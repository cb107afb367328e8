"""Compiles every graph of a folder to PTX and that to a cubin.

usage: graphs_to_cubin.py TANDEM_TRANSLATE PTXAS GRAPHS WORK
"""

import pathlib
import subprocess
import sys

# Of each argument; graphs that are not here have static ones.
SHAPES = {
    "axpy8": "4099,4099",
    "chain8": "1048576,1048576",
    "conv1d_relu": "7x100x1",
    "conv2d_nchw": "2x3x32x20",
    "conv2d_nhwc": "2x32x20x3",
    "batch_norm_stats": "2x4x4x8,8,8",
    "layer_norm": "5x30,30,30",
    "resnet_block": "1x56x56x64",
    "simplecnn": "2x3x32x32,32x3x3x3,32,64x32x3x3,64,512x4096,512,10x512,10",
    "simplecnn_loss": "2x3x32x32,2,32x3x3x3,32,64x32x3x3,64,512x4096,512,10x512,10",
    "softmax": "5x30",
    "transformer_block": "5x256," + "256x256,256," * 4 + "256,256,"
                         "1024x256,1024,256x1024,256,256,256",
}
ARCHITECTURES = ["sm_80", "sm_90", "sm_100"]


def accepted(translate, ptxas, graph, arch, work):
    ptx = work / f"{graph.stem}.{arch}.ptx"
    command = [translate, "--tandem-to-ptx", f"--gpu={arch}", graph, "-o", ptx]
    if graph.stem in SHAPES:
        command.append(f"--shapes={SHAPES[graph.stem]}")
    assemble = [ptxas, f"-arch={arch}", ptx, "-o", ptx.with_suffix(".cubin")]
    for step in command, assemble:
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode != 0:
            print(" ".join(map(str, step)), done.stdout, done.stderr, sep="\n")
            return False
    return True


def main():
    translate, ptxas, graphs, work = sys.argv[1:]
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    results = [
        accepted(translate, ptxas, graph, arch, work)
        for graph in sorted(pathlib.Path(graphs).glob("*.mlir"))
        for arch in ARCHITECTURES
    ]
    print(f"{sum(results)} of {len(results)} accepted")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
