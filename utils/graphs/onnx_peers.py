#!/usr/bin/env python3
"""Runs an ONNX model in ONNX Runtime or OpenVINO, and times it.

  utils/graphs/onnx_peers.py PEER MODEL.onnx INPUT.npy OUTPUT.npy --threads=2 --seconds=0.5

PEER is one of these:
  onnxruntime, openvino
  onnxruntime-exact  uses instructions that do not saturate sums of products of 8-bit
                     integers
  openvino-exact     does not round data to 8 bits for products with quantized weights

Prints the median time of a call in nanoseconds; 0 with --seconds=0. The model
has one input, whose sizes are fixed before anything is compiled, as Tandem has
them. Arithmetic is in f32.
"""

import argparse
import statistics
import time

import numpy


def onnxruntime_call(options, value, is_exact=False):
    import onnxruntime
    session_options = onnxruntime.SessionOptions()
    session_options.log_severity_level = 3
    if is_exact:
        session_options.add_session_config_entry("session.x64quantprecision", "1")
    session_options.intra_op_num_threads = options.threads
    if options.dim:
        name, size = options.dim.split("=")
        session_options.add_free_dimension_override_by_name(name, int(size))
    session = onnxruntime.InferenceSession(
        options.model, session_options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda: session.run(None, {name: value})[0]


def openvino_call(options, value, is_exact=False):
    import openvino
    model = openvino.Core().read_model(options.model)
    model.reshape(list(value.shape))
    request = openvino.compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": options.threads,
        "INFERENCE_PRECISION_HINT": "f32",
        **({"DYNAMIC_QUANTIZATION_GROUP_SIZE": 0} if is_exact else {}),
        "PERFORMANCE_HINT": "LATENCY"}).create_infer_request()
    return lambda: request.infer([value], share_inputs=True,
                                 share_outputs=True)[0]


def onnxruntime_exact_call(options, value):
    return onnxruntime_call(options, value, is_exact=True)


def openvino_exact_call(options, value):
    return openvino_call(options, value, is_exact=True)


PEERS = {"onnxruntime": onnxruntime_call, "onnxruntime-exact": onnxruntime_exact_call,
         "openvino": openvino_call, "openvino-exact": openvino_exact_call}


def peers_for(form):
    """The peers of a form of quantization (onnx_quantize.py), or of models in f32. Two of
    them matter for some forms only."""
    forms = {"onnxruntime-exact": ("qdq", "qoperator", "dynamic"), "openvino-exact": ("int4",)}
    return [peer for peer in PEERS if form in forms.get(peer, (form,))]


def sample(call, seconds):
    """Times of calls, in ns, for as long as asked, after as long a warm-up of
    at most half a second; at least three."""
    if not seconds:
        return [0]
    end = time.perf_counter() + min(seconds, 0.5)
    while time.perf_counter() < end:
        call()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return times


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("model")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--dim", help="NAME=SIZE of the model's free dim")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    call = PEERS[options.peer](options, numpy.load(options.input))
    numpy.save(options.output, call())
    print(statistics.median(sample(call, options.seconds)))


if __name__ == "__main__":
    main()
