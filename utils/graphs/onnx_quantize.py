"""Quantizes an ONNX model of images with ONNX Runtime's quantizer.

utils/graphs/onnx-networks.py --quantize imports it.
"""

import pathlib
import tempfile

import numpy

FORMS = ["qdq", "qoperator"]
CALIBRATION_IMAGES = 3


def quantize(model, target, form, size):
    """Writes a model whose activations are ui8, and whose weights are i8 with a scale for
    each output channel. The scales of activations follow from the smallest and largest
    values for a few images of random numbers."""
    from onnxruntime.quantization import (CalibrationDataReader, QuantFormat,
                                          QuantType, quantize_static)
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Images(CalibrationDataReader):
        def __init__(self):
            random = numpy.random.default_rng(0)
            self.rest = [random.standard_normal((1, 3, size, size)).astype("float32")
                         for _ in range(CALIBRATION_IMAGES)]

        def get_next(self):
            return {"image": self.rest.pop()} if self.rest else None

    with tempfile.TemporaryDirectory() as folder:
        prepared = pathlib.Path(folder) / "prepared.onnx"
        quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
        formats = {"qdq": QuantFormat.QDQ, "qoperator": QuantFormat.QOperator}
        quantize_static(str(prepared), str(target), Images(),
                        quant_format=formats[form], per_channel=True,
                        activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8)
