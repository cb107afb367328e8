"""Quantizes an ONNX model with ONNX Runtime's quantizers.

utils/graphs/onnx-networks.py --quantize imports it.
"""

import pathlib
import tempfile

import numpy

CALIBRATION_IMAGES = 3
BLOCK = 32  # Weights of 4 bits that share a scale.


def _quantize_images(model, target, form, size):
    """Activations become ui8, and weights i8 with a scale for each output channel. The
    scales of activations follow from the smallest and largest values for a few images of
    random numbers."""
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


def _quantize_dynamically(model, target):
    """Weights become i8 with a scale for each output channel; the scales of activations
    are computed in each call."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(str(model), str(target), weight_type=QuantType.QInt8,
                     per_channel=True)


def _quantize_weights(model, target):
    """The weights of matrix products become 4 bits with a scale for each block."""
    import onnx
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    quantizer = MatMulNBitsQuantizer(onnx.load(str(model)), bits=4, block_size=BLOCK,
                                     is_symmetric=True)
    quantizer.process()
    quantizer.model.save_model_to_file(str(target))


FORMS = {"qdq": _quantize_images, "qoperator": _quantize_images,
         "dynamic": _quantize_dynamically, "int4": _quantize_weights}


def quantize(model, target, form, size):
    """Writes the quantized model. `size` is the size of calibration images."""
    make = FORMS[form]
    make(model, target, form, size) if make is _quantize_images else make(model, target)
