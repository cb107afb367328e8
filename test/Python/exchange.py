# RUN: %tandem-python %s
"""Arrays of types that have DLPack's exchange API, as torch's have; here a type
that is made with ctypes, after the struct of DLPack 1.3."""

import ctypes
import unittest

import numpy as np
import tandem
from Inputs.graphs import elementwise


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


READ = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))


class API(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("previous", ctypes.c_void_p), ("allocator", ctypes.c_void_p),
                ("from_object", ctypes.c_void_p), ("to_object", ctypes.c_void_p),
                ("read", READ), ("stream", ctypes.c_void_p)]


class Array:
    """float32, described by the exchange API alone."""

    reads = 0

    def __init__(self, array):
        self.array = array
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(
            *(stride // array.itemsize for stride in array.strides))

    def __array_namespace__(self):
        return np


@READ
def read(array, out):
    Array.reads += 1
    tensor = out.contents
    tensor.data, tensor.byte_offset = array.array.ctypes.data, 0
    tensor.device_type, tensor.device_id = 1, 0
    tensor.ndim, tensor.shape, tensor.strides = (array.array.ndim, array.shape,
                                                 array.strides)
    tensor.code, tensor.bits, tensor.lanes = 2, 8 * array.array.itemsize, 1
    return 0


api = API(1, 3, None, None, None, None, read, None)
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
name = ctypes.c_char_p(b"dlpack_exchange_api")
Array.__dlpack_c_exchange_api__ = ctypes.pythonapi.PyCapsule_New(
    ctypes.c_void_p(ctypes.addressof(api)), name, None)


def negate(rank=1):
    return elementwise("neg", "float32", rank=rank)


class ExchangeTest(unittest.TestCase):
    def test_elements_are_read_in_place(self):
        f, x = negate(2), np.arange(6, dtype=np.float32).reshape(2, 3)
        before = Array.reads
        np.testing.assert_array_equal(np.asarray(f(Array(x))), -x)
        self.assertEqual(Array.reads, before + 1)
        self.assertEqual(f.copies, 0)

    def test_strided_elements_are_copied(self):
        f, x = negate(2), np.arange(6, dtype=np.float32).reshape(2, 3).T
        with self.assertWarns(RuntimeWarning):
            np.testing.assert_array_equal(np.asarray(f(Array(x))), -x)
        self.assertEqual(f.copies, 1)

    def test_out(self):
        x, y = np.ones(4, np.float32), Array(np.zeros(4, np.float32))
        self.assertIs(negate()(Array(x), out=y), y)
        np.testing.assert_array_equal(y.array, -x)

    def test_what_cannot_be_read(self):
        with self.assertRaisesRegex(TypeError, "input 'x'.*12 dims"):
            negate()(Array(np.ones((1,) * 12, np.float32)))
        with self.assertRaisesRegex(TypeError, "input 'x'.*code 2 of 128 bits"):
            negate()(Array(np.ones(2, np.longdouble)))


if __name__ == "__main__":
    unittest.main()
