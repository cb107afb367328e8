# RUN: %tandem-python %s %S/../Import/ONNX/Inputs/exported
"""What is refused: each error names the argument and says what would do."""

import ctypes
import os
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy as np
import tandem
from Inputs.graphs import Layer, unary

MODELS = pathlib.Path(sys.argv.pop(1))
MODEL = MODELS / "torchscript.onnx"
X = np.ones((2, 16), np.float32)
WORDS = (tandem.Error, TypeError)


class Array:
    """An object whose __dlpack__ returns `capsule`, or raises it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **keywords):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule


class RefusalTest(unittest.TestCase):
    def check(self, cases, error=WORDS):
        """Each case is a call and the parts of the message in their order."""
        for what, (call, pattern) in cases.items():
            with self.subTest(what), warnings.catch_warnings():
                warnings.simplefilter("error")
                with self.assertRaisesRegex(error, pattern):
                    call()

    def test_inputs(self):
        f, step = Layer.build(), np.zeros((2, 16), "float32, float32")["f1"]
        self.check({
            "dtype": (lambda: f(X.astype("f8")), "'x'.*f64.*f32"),
            "rank": (lambda: f(X[0]), "'x'"),
            "columns": (lambda: f(X[:, :7].copy()), "'x'.*16"),
            "byte order": (lambda: f(X.astype(">f4")), "'x'.*>f4"),
            "complex": (lambda: f(X.astype("c8")), "'x'.*complex64"),
            "text": (lambda: f(np.full((2, 16), "text")), "'x'.*<U4"),
            "objects": (lambda: f(np.full((2, 16), None)), "'x'.*object"),
            "dates": (lambda: f(np.zeros((2, 16), "M8[s]")), "'x'.*datetime64"),
            "records": (lambda: f(np.zeros((2, 16), "f4, f4")), "'x'.*f1"),
            "bytes": (lambda: f(bytes(128)), "'x' is a bytes, not an array"),
            "number": (lambda: f(1.0), "'x' is a float, not an array.*numpy.asarray"),
            "scalar": (lambda: f(np.float32(1)), "'x' is a .*float32, not an array"),
            "None": (lambda: f(None), "'x' is a NoneType, not an array"),
            "function": (lambda: f(f), "'x' is a .*Function, not an array"),
            "class": (lambda: f(np.ndarray), "'x' is a type, not an array"),
            "nothing": (lambda: f(), "'x' is missing"),
            "too many": (lambda: f(X, X), "has 1 input"),
            "unknown": (lambda: f(X, mode="eager"), "no input 'mode'"),
            "twice": (lambda: f(X, x=X), "'x' is given twice"),
            "tier": (lambda: f(X, tier="fast"), "'fast' is no tier.*eager.*compiled"),
            "tier's type": (lambda: f(X, tier=3), "tier is a int"),
        })
        self.assertEqual(f.copies, 0)
        self.assertEqual(step.strides, (128, 8))  # Not dense, yet whole elements.
        with self.assertWarnsRegex(RuntimeWarning, "'x'"):
            np.testing.assert_array_equal(f(step), Layer.expected(step))

    def test_strides(self):
        f = unary("float32", mode="eager")
        data = bytearray(41)
        off = np.frombuffer(data, np.float32, 10, offset=1)
        self.check({
            "odd strides": (lambda: f(np.ndarray(4, np.float32, data, strides=(6,))),
                            "'x'.*strides.*ascontiguousarray"),
            "out= off": (lambda: f(np.ones(10, np.float32), out=off), "'y'.*align"),
        })
        copied = {"transposed": np.ones((3, 1), np.float32).T[0],
                  "repeated": np.broadcast_to(np.float32(2), 5),
                  "backwards": np.arange(4, dtype=np.float32)[::-1],
                  "off": off}
        count = 0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for what, x in copied.items():
                with self.subTest(what):
                    np.testing.assert_array_equal(f(x), -x)
                    count += what != "transposed"  # Of one row, which is contiguous.
                    self.assertEqual(f.copies, count)
        self.assertEqual([each.category for each in caught], [RuntimeWarning])
        self.assertIn("'x'", str(caught[0].message))

    def test_warnings_that_are_errors(self):
        """The call has not happened, and the next one warns again."""
        f, x = unary("float32"), np.ones(4, np.float32)[::2]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                self.assertRaisesRegex(RuntimeWarning, "'x'", f, x)
        self.assertEqual(f.copies, 0)

    def test_out(self):
        f, x, y = Layer.build(), X, np.empty((2, 8), np.float32)
        double = unary("float32")
        self.check({
            "list": (lambda: f(x, out=[1, 2]), "'y' is a int"),
            "text": (lambda: f(x, out="y"), "'y' is a str, not an array"),
            "two": (lambda: f(x, out=(y, y.copy())), "1 output.*2 arrays"),
            "none": (lambda: f(x, out=()), "1 output.*0 arrays"),
            "dtype": (lambda: f(x, out=y.astype("f8")), "'y'.*f32.*f64"),
            "shape": (lambda: f(x, out=np.empty((3, 8), "f4")), "tensor<2x8xf32>.*tensor<3x8xf32>"),
            "order": (lambda: f(x, out=np.empty((2, 8), "f4", order="F")),
                      "'y' is not contiguous.*numpy.empty"),
            "bytes": (lambda: double(np.ones(4, "f4"), out=b"1234567890123456"),
                      "'y' is a bytes"),
        })
        with self.subTest("overlap"):
            whole = np.ones(8, np.float32)
            with self.assertRaisesRegex(tandem.Error, "'y'.*overlaps.*'x'"):
                double(whole[:4], out=whole[3:7])
        b = tandem.Builder()
        v = b.input("float32", (4,), name="v")
        pair = b.build([b.neg(v), b.exp(v)], names=["a", "b"])
        z = np.ones(4, np.float32)
        self.check({
            "same": (lambda: pair(z, out=(whole[:4], whole[2:6])), "'b'.*overlaps.*'a'"),
            "one of two": (lambda: pair(z, out=whole[:4]), "2 outputs.*1 tensor"),
        })

    def test_dlpack(self):
        f = unary("float32")
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p,
                                                       ctypes.c_void_p)
        kind = ctypes.create_string_buffer(b"another", 64)
        self.check({
            "None": (lambda: f(Array(None)), "'x'.*NoneType"),
            "text": (lambda: f(Array("capsule")), "'x'.*str"),
            "another": (lambda: f(Array(new(ctypes.addressof(kind), b"another", None))),
                        "'x'.*capsule"),
            "raises": (lambda: f(Array(BufferError("it needs a gradient"))),
                       "'x'.*it needs a gradient"),
            "device": (lambda: f(Array(self.on_device(12))), "'x'.*device type 12"),
            "class": (lambda: f(Array), "'x' is a type"),
        })
        used = np.ones(3, np.float32).__dlpack__()
        np.testing.assert_array_equal(f(Array(used)), [-1, -1, -1])
        self.check({"used": (lambda: f(Array(used)), "'x'.*capsule")})

    def on_device(self, device_type):
        """A capsule of an array that says that it is on a device."""
        capsule = np.ones(3, np.float32).__dlpack__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        # DLTensor is {data, {device_type, device_id}, ...}.
        address = get(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p)
        ctypes.c_int32.from_address(address).value = device_type
        return capsule

    def test_sources(self):
        data = MODEL.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            def file(name, content):
                path = pathlib.Path(folder, name)
                path.write_bytes(content)
                return path

            secret = file("secret.onnx", data)
            paths = {
                "missing": ("/no/such/file.onnx", "/no/such/file.onnx.*[Nn]o such file"),
                "folder": (folder, f"{folder}.*directory"),
                "empty onnx": (file("empty.onnx", b""), "empty.onnx"),
                "empty mlir": (file("empty.mlir", b""), "empty.mlir"),
                "text": (file("text.onnx", b"this is no model\n"), "text.onnx"),
                "binary": (file("binary.mlir", bytes(range(256))), "binary.mlir"),
                "unknown kind": (file("model.pb", b"\0\1\2"), "model.pb"),
            }
            for part in (1, 10, len(data) // 3, len(data) - 1):
                paths[f"first {part}"] = (file(f"first{part}.onnx", data[:part]),
                                          f"first{part}.onnx")
            self.check({what: (lambda path=path: tandem.load(path), pattern)
                        for what, (path, pattern) in paths.items()}, tandem.Error)
            if os.getuid() != 0:
                secret.chmod(0)
                self.check({"unreadable": (lambda: tandem.load(secret), "secret.onnx")})

    def test_bytes(self):
        data = MODEL.read_bytes()
        rng = np.random.default_rng(1)
        self.check({
            "empty": (lambda: tandem.load(b""), "<bytes>"),
            "zeros": (lambda: tandem.load(bytes(1000)), ""),
            "random": (lambda: tandem.load(rng.bytes(1000)), ""),
            "half": (lambda: tandem.load(data[:len(data) // 2]), ""),
            "text": (lambda: tandem.load(b"this is no model"), "<bytes>"),
            "sparse": (lambda: tandem.load(memoryview(data)[::2]), "source.*contiguous"),
            "number": (lambda: tandem.load(3), "source is a int"),
            "list": (lambda: tandem.load([data]), "source is a list"),
            "array": (lambda: tandem.load(X), "source is a ndarray"),
        })
        self.check({"path": (lambda: tandem.load("a\0b"), "source.*null")}, ValueError)
        for kind in (bytearray, memoryview):
            self.assertEqual(tandem.load(kind(data)).inputs, tandem.load(data).inputs)

    def test_every_truncation_is_refused_or_loaded(self):
        """No byte of a model's beginning brings the importer down."""
        data = MODEL.read_bytes()
        for end in range(0, len(data), max(1, len(data) // 200)):
            try:
                tandem.load(data[:end])
            except tandem.Error:
                pass

    def test_options(self):
        def load(**options):
            return lambda: tandem.load(MODEL, **options)

        self.check({
            "function": (load(function="other"), "other"),
            "function's type": (load(function=3), "function is a int"),
            "device": (load(device="tpu"), "'tpu'.*cpu"),
            "device's type": (load(device=0), "device is a int"),
            "mode's type": (load(mode=None), "mode is a NoneType"),
            "precision's type": (load(precision=1), "precision is a int"),
            "strict": (load(strict="yes"), "strict is a str"),
            "trace": (load(trace=None), "trace is a NoneType"),
            "cache": (load(cache=3), "cache is a int"),
            "unknown dim": (load(dims={"batches": 2}), "batches"),
            "dim of text": (load(dims={"batch": "2"}), "dims"),
            "dims of a list": (load(dims=[2]), "dims"),
            "unknown shape": (load(shapes={"w": [2]}), "'w'"),
            "shape of text": (load(shapes={"x": "ab"}), "shapes"),
            "unknown value": (load(values={"w": [2]}), "'w'"),
            "value of text": (load(values={"x": ["a"]}), "values"),
            "another": (load(modes="eager"), "modes"),
        }, (tandem.Error, TypeError))
        self.check({
            "mode": (load(mode="fast"), "mode.*eager.*'fast'"),
            "precision": (load(precision="half"), "precision.*strict.*'half'"),
        }, ValueError)

    def test_dims(self):
        f = tandem.load(MODEL)
        dim = next(d for d in f.inputs[0].shape if isinstance(d, str))
        name, shape = f.inputs[0].name, [d if isinstance(d, int) else 1
                                         for d in f.inputs[0].shape]
        self.check({
            "unknown": (lambda: tandem.load(MODEL, dims={"other": 1}), "dim 'other'"),
            "negative": (lambda: tandem.load(MODEL, dims={dim: -1}), "negative dim"),
            "huge": (lambda: tandem.load(MODEL, dims={dim: 2**62}), "larger than memory"),
            "beyond": (lambda: tandem.load(MODEL, dims={dim: 2**64}), "dims"),
            "rank": (lambda: tandem.load(MODEL, shapes={name: [1]}), name),
            "wrong": (lambda: tandem.load(MODEL, shapes={name: [n + 1 for n in shape]}),
                      name),
            "negative shape": (lambda: tandem.load(MODEL, shapes={name: [-1, *shape[1:]]}),
                               name),
        })

    def test_signatures(self):
        f = Layer.build()
        for method in (f.compile_ahead, lambda s: f.ir("fuse", s), f.explain):
            self.check({
                "rank": (lambda: method((2,)), "'x'"),
                "columns": (lambda: method((2, 17)), "'x'"),
                "negative": (lambda: method((-3, 16)), "negative"),
                "free": (lambda: method((-2**63, 16)), ""),
                "huge": (lambda: method((2**62, 16)), "too large"),
                "beyond": (lambda: method((2**70, 16)), "signature"),
                "number": (lambda: method(3), "signature"),
                "text": (lambda: method("ab"), "signature"),
                "name": (lambda: method(("n", 16)), "signature"),
                "fraction": (lambda: method((1.5, 16)), "signature"),
                "None": (lambda: method(None), "signature"),
                "two": (lambda: method([(2, 16), (2, 16)]), "signature has 1 shape"),
            })
        self.check({"phase": (lambda: f.ir(3, (2, 16)), "phase is a int")})

    def test_builders(self):
        def build(use):
            """A case that uses a new builder, as a builder keeps its first error."""
            def call():
                b = tandem.Builder()
                return use(b, b.input("float32", (2, 3), name="x"))
            return call

        cases = {
            "dtype": (lambda b, x: b.input("text", (2,)), "'text' is no element type"),
            "dtype's type": (lambda b, x: b.input(None, (2,)), "'None' is no element type"),
            "negative": (lambda b, x: b.input("float32", (-2,)), "-2"),
            "shape": (lambda b, x: b.input("float32", ("n",)), "shape is .'n'.*None"),
            "dims": (lambda b, x: b.input("float32", (2,), dims=("n", "m")), "2 names"),
            "dims' type": (lambda b, x: b.input("float32", (2,), dims=3), "dims is 3"),
            "name": (lambda b, x: b.input("float32", (2,), name=3), "name is a int"),
            "constant": (lambda b, x: b.constant([1.0]), "constant is a list"),
            "complex": (lambda b, x: b.constant(np.ones(2, "c8")), "constant.*complex64"),
            "outputs": (lambda b, x: b.build(3), "outputs is a int"),
            "names of outputs": (lambda b, x: b.build(x, names=["a", "b"]), "name"),
            "operand": (lambda b, x: b.neg(X), "neg: operands are values"),
            "operands": (lambda b, x: b.add(x), "add"),
            "attribute": (lambda b, x: b.neg(x, axis=object()), "neg: an attribute"),
            "attributes": (lambda b, x: b.softmax(x, axis={}), "softmax"),
            "foreign": (lambda b, x: b.add(x, tandem.Builder().input("float32", (2, 3))),
                        "no value of this builder"),
        }
        self.check({what: (build(use), pattern) for what, (use, pattern) in cases.items()})

    def test_values_of_builders_that_are_gone(self):
        """A new builder may have the address of an old one."""
        for _ in range(20):
            values = [tandem.Builder().input("float32", (n,)) for n in range(1, 9)]
            builders = [tandem.Builder() for _ in values]
            for value in values:
                for b in builders:
                    self.assertRaises(tandem.Error, b.neg, value)

    def test_custom_calls(self):
        self.check({
            "function": (lambda: tandem.custom_call("test.refusals", 3), "function.*int"),
            "target": (lambda: tandem.custom_call(3, len), "target is a int"),
            "error": (lambda: tandem.custom_call("test.refusals", len, relative_error="a"),
                      "relative_error"),
            "large error": (lambda: tandem.custom_call("test.refusals", len,
                                                       relative_error=0.5), "0.1"),
        })

    def test_threads(self):
        before = tandem.num_threads()
        self.check({
            "type": (lambda: tandem.set_num_threads("2"), "threads"),
            "none": (lambda: tandem.set_num_threads(0), "threads"),
        })
        self.assertEqual(tandem.num_threads(), before)


if __name__ == "__main__":
    unittest.main()
