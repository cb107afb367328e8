# RUN: %tandem-python %s
"""Training steps, losses, dropout and checkpoints."""

import json
import os
import pathlib
import struct
import sys
import tempfile
import unittest

import numpy as np
import tandem
from tandem import training

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples/train"))
import simplecnn  # noqa: E402


def linear(dtype="float64", mode="auto", outputs=2, features=(20, 3)):
    """The mean squared error of x @ w + b, and the prediction."""
    b = tandem.Builder()
    inputs, results = features
    x = b.input(dtype, (None, inputs), dims=("n", ""), name="x")
    y = b.input(dtype, (None, results), dims=("n", ""), name="y")
    w = b.input(dtype, (inputs, results), name="w")
    bias = b.input(dtype, (results,), name="b")
    prediction = b.add(b.matmul(x, w), bias)
    loss = training.mean_squared_error(b, prediction, y)
    return b.build([loss, prediction][:outputs], names=["loss", "prediction"][:outputs],
                   mode=mode)


def data(seed=0, rows=16, dtype=np.float64):
    random = np.random.default_rng(seed)
    return random.standard_normal((rows, 20)).astype(dtype), \
        random.standard_normal((rows, 3)).astype(dtype)


def start(seed=1):
    random = np.random.default_rng(seed)
    return {"w": random.standard_normal((20, 3)), "b": random.standard_normal(3)}


class Expected:
    """The formulas of torch.optim, in NumPy."""

    def __init__(self, optimizer, parameters, without_decay=()):
        self.o, self.without_decay = optimizer, without_decay
        self.p = {name: value.copy() for name, value in parameters.items()}
        self.m = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.v = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.t = 0

    def step(self, x, y, rate):
        o, self.t = self.o, self.t + 1
        error = x @ self.p["w"] + self.p["b"] - y
        gradients = {"w": 2 * x.T @ error / error.size, "b": 2 * error.sum(0) / error.size}
        if o.max_norm:
            norm = np.sqrt(sum((g * g).sum() for g in gradients.values()))
            factor = min(1, o.max_norm / (norm + 1e-6))
            gradients = {name: g * factor for name, g in gradients.items()}
        for name, g in gradients.items():
            decay = 0 if name in self.without_decay else o.weight_decay
            if o.decoupled:
                self.p[name] *= 1 - rate * decay
            else:
                g = g + decay * self.p[name]
            self.p[name] -= rate * self.change(name, g)
        return (error * error).mean()

    def change(self, name, g):
        o = self.o
        if o.kind == "sgd":
            self.m[name] = o.momentum * self.m[name] + g
            return g + o.momentum * self.m[name] if o.nesterov else self.m[name]
        self.m[name] = o.beta1 * self.m[name] + (1 - o.beta1) * g
        self.v[name] = o.beta2 * self.v[name] + (1 - o.beta2) * g * g
        m = self.m[name] / (1 - o.beta1 ** self.t)
        v = self.v[name] / (1 - o.beta2 ** self.t)
        return m / (np.sqrt(v) + o.epsilon)


OPTIMIZERS = [training.sgd(), training.sgd(0.9), training.sgd(0.9, nesterov=True),
              training.sgd(0.5, weight_decay=0.1), training.sgd(max_norm=0.1),
              training.adam(), training.adam((0.8, 0.99), epsilon=1e-3, weight_decay=0.1),
              training.adamw(), training.adamw(weight_decay=0.3, max_norm=0.5)]


class StepTest(unittest.TestCase):
    def test_optimizers(self):
        for mode in ("eager", "compile-now"):
            loss = linear(mode=mode)
            for optimizer in OPTIMIZERS:
                for fixed in ((), ("b",)):
                    step = tandem.training_step(loss, optimizer, parameters=["w", "b"],
                                                without_decay=fixed)
                    state, expected = step.init(start()), Expected(optimizer, start(), fixed)
                    with self.subTest(mode=mode, optimizer=optimizer, fixed=fixed):
                        for number in range(6):
                            x, y = data(number)
                            value, _ = step(state, x, y, rate=0.1 / (number + 1))
                            wanted = expected.step(x, y, 0.1 / (number + 1))
                            self.assertAlmostEqual(float(value), wanted, delta=1e-12 * wanted)
                        for name, values in expected.p.items():
                            np.testing.assert_allclose(state.parameters[name], values,
                                                       rtol=1e-11)
                        self.assertEqual(state.steps, 6)

    def test_float32_and_several_groups(self):
        b = tandem.Builder()
        x = b.input("float32", (4,), name="x")
        p = b.input("float32", (4,), name="p")
        q = b.input("float64", (5,), name="q")
        r = b.input("float32", (1,), name="r")
        total = b.add(b.cast(b.reduce(b.mul(b.mul(x, p), r), kind="sum", dims=[0]),
                             dtype="f64"), b.reduce(b.mul(q, q), kind="sum", dims=[0]))
        step = tandem.training_step(b.build([total]), training.sgd(),
                                    parameters=["p", "q", "r"], without_decay=["r"])
        state = step.init({"p": np.arange(4), "q": np.ones(5), "r": [2]})
        step(state, np.ones(4, np.float32), rate=0.5)
        np.testing.assert_array_equal(state.parameters["p"], np.arange(4) - 1)
        np.testing.assert_array_equal(state.parameters["q"], np.zeros(5))
        np.testing.assert_array_equal(state.parameters["r"], [-1])

    def test_buffers(self):
        b = tandem.Builder()
        x = b.input("float32", (None,), dims=("n",), name="x")
        w = b.input("float32", (), name="w")
        mean = b.input("float32", (), name="mean")
        scaled = b.mul(x, w)
        now = b.reduce(scaled, kind="mean", dims=[0])
        new = b.add(b.mul(mean, b.splat("float32", (), 0.5)),
                    b.mul(now, b.splat("float32", (), 0.5)))
        loss = b.reduce(b.mul(scaled, scaled), kind="mean", dims=[0])
        f = b.build([new, loss], names=["new mean", "loss"])
        step = tandem.training_step(f, training.sgd(), parameters=["w"],
                                    buffers={"mean": "new mean"}, output="loss")
        state = step.init({"w": 1}, {"mean": 4})
        value = step(state, np.full(3, 2, np.float32), rate=0)
        self.assertEqual(value, 4)
        self.assertEqual(state.buffers["mean"], 3)

    def test_signatures_have_functions_of_their_own(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        state = step.init(start())
        for rows in (16, 16, 5, 16):
            step(state, *data(rows=rows), rate=0.1)
        step.wait()
        self.assertEqual(len(step.functions), 2)
        report = step.report()
        self.assertEqual([each.calls for each in report.signatures], [1, 3])
        self.assertEqual(state.steps, 4)

    def test_equal_runs_have_equal_bits(self):
        for mode in ("eager", "compile"):
            runs = []
            for _ in range(2):
                step = tandem.training_step(linear("float32", mode), training.adam(),
                                            parameters=["w", "b"])
                state = step.init(start())
                for number in range(20):
                    step(state, *data(number, dtype=np.float32), rate=0.01)
                runs.append(state.tensors())
            for name, array in runs[0].items():
                np.testing.assert_array_equal(array, runs[1][name])

    def test_replay_of_a_run_in_mode_auto(self):
        """The parameters of a run in which Tandem has changed tiers, and of its replay."""
        parameters = simplecnn.initial(0)
        loss = simplecnn.build(simplecnn.random_dropout(0.5, 0))

        def make():
            step = tandem.training_step(loss, training.adam(), parameters=list(parameters),
                                        steps_input="steps")
            return step, step.init(parameters)

        def run(step, state, number):
            random = np.random.default_rng(number)
            rows = 3 if number % 50 == 49 else 4  # The last batch of an epoch is smaller.
            step(state, random.standard_normal((rows, 3, 32, 32)).astype(np.float32),
                 random.integers(0, 10, rows), rate=1e-3)

        step, state = make()
        count, compiled = 0, 0
        while compiled < 5 and count < 2000:
            run(step, state, count)
            count += 1
            if count % 50 == 0:
                step.wait()  # Otherwise, a busy machine may compile for a long time.
            compiled = max(each.compiled_calls for each in step.report().signatures)
        log = json.loads(json.dumps(step.tier_log()))
        first = next(each for each in log if each["shapes"][0][0] == 4)
        self.assertTrue(first["compiles"])
        self.assertGreater(first["eager_calls"], 0)

        other, again = make()
        other.replay(log)
        for number in range(count):
            run(other, again, number)
        for name, array in state.tensors().items():
            np.testing.assert_array_equal(array, again.tensors()[name], name)
        with self.assertRaisesRegex(tandem.Error, "no call with the shapes"):
            other(again, np.zeros((7, 3, 32, 32), np.float32), np.zeros(7, np.int64), rate=0)
        with self.assertRaisesRegex(tandem.Error, "has been called"):
            step.replay(log)

    def test_forced_tiers(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        state = step.init(start())
        for tier in ("eager", "compiled", "reference"):
            step(state, *data(), rate=0.1, tier=tier)
        self.assertEqual(state.steps, 3)
        with self.assertRaisesRegex(TypeError, "'fast' is no tier"):
            step(state, *data(), rate=0.1, tier="fast")

    def test_phases_apart(self):
        """No kernel has ops of several phases, and the results are the same."""
        loss, states = linear("float32", mode="compile"), []
        for phases in ("together", "apart"):
            step = tandem.training_step(loss, training.adam(), parameters=["w", "b"],
                                        phases=phases)
            state = step.init(start())
            times = step.profile(state, *data(dtype=np.float32), rate=0.1, runs=3).phases()
            if phases == "apart":
                self.assertEqual(list(times), ["forward", "backward", "update"])
            for number in range(5):
                step(state, *data(number, dtype=np.float32), rate=0.1)
            states.append(state.tensors())
        for name, array in states[0].items():
            np.testing.assert_allclose(states[1][name], array, rtol=1e-5, atol=1e-6)
        with self.assertRaisesRegex(tandem.Error, "phases is 'close'"):
            tandem.training_step(loss, training.adam(), parameters=["w", "b"], phases="close")

    def test_peak_of_memory(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        state, inputs = step.init(start()), data(rows=1000)
        peaks = [step.profile(state, *inputs, rate=0.1, tier=tier, runs=1).peak_bytes
                 for tier in ("eager", "compiled")]
        # The error and its gradient, of 1000 x 3 f64 elements.
        self.assertGreater(min(peaks), 1000 * 3 * 8)
        self.assertLess(max(peaks), 10 * 1000 * 3 * 8)

    def test_phases(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        state = step.init(start())
        before = state.parameters["w"].copy()
        phases = step.profile(state, *data(), rate=0.1, tier="eager").phases()
        self.assertEqual(list(phases), ["forward", "backward", "update"])
        self.assertTrue(all(time > 0 for time in phases.values()))
        np.testing.assert_array_equal(state.parameters["w"], before)

    def test_sweep(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        rows = tandem.sweep(step, n=[1, 4], seconds=0.01)
        rows = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
        self.assertEqual([row["n"] for row in rows], [1, 4])
        for row in rows:
            self.assertGreater(min(row["e"], row["c"], row["C"], row["differentiate"]), 0)

    def test_refusals(self):
        loss = linear()
        for wrong, message in (
                ({"parameters": []}, "no parameters"),
                ({"parameters": ["w", "w"]}, "exactly once"),
                ({"parameters": [7]}, "no input 7"),
                ({"parameters": ["x"]}, "shape of a parameter must be static"),
                ({"parameters": ["w"], "without_decay": ["b"]}, "exactly once"),
                ({"parameters": ["w"], "buffers": {"w": 1}}, "trained"),
                ({"parameters": ["w"], "buffers": {"b": 0}}, "the loss"),
                ({"parameters": ["w"], "steps_input": "b"}, "number of steps")):
            with self.assertRaisesRegex(tandem.Error, message):
                tandem.training_step(loss, training.adam(), **wrong)
        with self.assertRaisesRegex(TypeError, "no input 'v'"):
            tandem.training_step(loss, training.adam(), parameters=["v"])
        for optimizer, message in ((training.sgd(-1), "momentum"),
                                   (training.adam((1, 0.9)), "beta1"),
                                   (training.adam(epsilon=np.nan), "epsilon"),
                                   (training.sgd(nesterov=True), "Nesterov")):
            with self.assertRaisesRegex(tandem.Error, message):
                tandem.training_step(loss, optimizer, parameters=["w"])
        step = tandem.training_step(loss, training.adam(), parameters=["w", "b"], output=1)
        with self.assertRaisesRegex(tandem.Error, "one element"):
            step(step.init(start()), *data(), rate=0.1)

    def test_refused_arguments_of_calls(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        with self.assertRaisesRegex(tandem.Error, "'b' is missing"):
            step.init({"w": start()["w"]})
        with self.assertRaisesRegex(tandem.Error, "no parameter 'c'"):
            step.init(start() | {"c": np.zeros(1)})
        with self.assertRaisesRegex(tandem.Error, r"shape \[4\], not \[3\]"):
            step.init(start() | {"b": np.zeros(4)})
        state, (x, y) = step.init(start()), data()
        for inputs, named, message in (((x,), {}, "'y' is missing"),
                                       ((x, y, y), {}, "no input 2"),
                                       ((x,), {"z": y}, "'y' is missing"),
                                       ((x, 3), {}, "no array"),
                                       ((x, y), {"y": y}, "given twice")):
            with self.assertRaisesRegex(TypeError, message):
                step(state, *inputs, rate=0.1, **named)
        with self.assertRaisesRegex(tandem.Error, "'y' must be|input 1"):
            step(state, x, y.astype(np.float32), rate=0.1)
        self.assertEqual(state.steps, 0)

    def test_states_and_rates_that_would_destroy_parameters(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        state, (x, y) = step.init(start()), data()
        before = {name: array.copy() for name, array in state.tensors().items()}
        for other in (tandem.training_step(linear(), training.adam(), parameters=["b", "w"]),
                      tandem.training_step(linear(), training.sgd(), parameters=["w", "b"])):
            with self.assertRaisesRegex(tandem.Error, "belongs to another training step"):
                other(state, x, y, rate=0.1)
        # A step that was made in the same way may go on with the state.
        tandem.training_step(linear(), training.adam(), parameters=["w", "b"])(
            step.init(start()), x, y, rate=0.1)
        for rate in (np.nan, np.inf, np.array([0.1])):
            with self.assertRaisesRegex(tandem.Error, "the rate is"):
                step(state, x, y, rate=rate)
        with self.assertRaises(ValueError):
            step(state, x, y, rate="fast")
        for name, array in state.tensors().items():
            np.testing.assert_array_equal(array, before[name])

    def test_loss_that_is_not_finite(self):
        step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        state, (x, y) = step.init(start()), data()
        step(state, x, y, rate=0.1)
        x[0, 0] = np.inf
        with self.assertRaisesRegex(tandem.Error, "loss of step 2 is (inf|nan).*no checkpoint"):
            step(state, x, y, rate=0.1)


class ReportTest(unittest.TestCase):
    def test_many_inputs(self):
        """Texts have the number of inputs, and JSON has all of them."""
        b = tandem.Builder()
        total, *rest = (b.input("float32", (4,)) for _ in range(20))
        for each in rest:
            total = b.add(total, each)
        f = b.build([total])
        f(*(np.ones(4, np.float32) for _ in range(20)))
        for text in (str(f.report()), str(tandem.report()), repr(f.report().signatures[0])):
            self.assertRegex(text, r"20 inputs, 320 (B|bytes): (tensor<4xf32>, ){3}")
            self.assertNotIn("tensor<4xf32>, " * 4, text)
        self.assertEqual(f.report().signatures[0].inputs, ["tensor<4xf32>"] * 20)


class LossTest(unittest.TestCase):
    def cross_entropy(self, dtype, label_dtype, classes=7):
        b = tandem.Builder()
        x = b.input(dtype, (None, classes), dims=("n", ""), name="x")
        y = b.input(label_dtype, (None,), dims=("n",), name="y")
        return b.build([training.cross_entropy(b, x, y)])

    def test_cross_entropy(self):
        random = np.random.default_rng(0)
        for scale in (1, 100, 1e4):
            x = random.standard_normal((9, 7)) * scale
            y = random.integers(0, 7, 9)
            shifted = x - x.max(1, keepdims=True)
            logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
            wanted = -logs[np.arange(9), y].mean()
            for labels in ("uint8", "int32", "int64", "uint64"):
                f = self.cross_entropy("float64", labels)
                for tier in ("reference", "eager", "compiled"):
                    self.assertAlmostEqual(float(f(x, y.astype(labels), tier=tier)), wanted,
                                           delta=1e-12 * wanted)

    def test_labels_out_of_range(self):
        f, x = self.cross_entropy("float32", "int64"), np.zeros((2, 7), np.float32)
        for label in (-1, 7, 2**40, -2**63):
            for tier in ("reference", "eager", "compiled"):
                self.assertTrue(np.isnan(f(x, np.array([0, label]), tier=tier)))

    def test_empty_batch(self):
        f = self.cross_entropy("float32", "int64")
        self.assertTrue(np.isnan(f(np.zeros((0, 7), np.float32), np.zeros(0, np.int64))))

    def dropout(self, probability, site=0, rows=None):
        b = tandem.Builder()
        x = b.input("float32", (rows, 1000), dims=("n", ""), name="x")
        key, count = b.input("uint64", (), name="key"), b.input("uint64", (), name="step")
        return b.build([training.dropout(b, x, probability, key=key, step=count, site=site,
                                         shape=("n", 1000))])

    def test_dropout(self):
        x = np.ones((50, 1000), np.float32)
        key, count = np.array(2**63 + 5, np.uint64), np.array(3, np.uint64)
        for probability in (0.0, 0.1, 0.5, 0.9):
            f = self.dropout(probability)
            y = f(x, key, count, tier="eager")
            for tier in ("reference", "compiled"):
                np.testing.assert_array_equal(f(x, key, count, tier=tier), y)
            kept = np.float32(1) / np.float32(1 - probability)
            self.assertTrue(np.isin(y, [0, kept]).all())
            deviation = (probability * (1 - probability) / x.size) ** 0.5
            self.assertLessEqual(abs((y == 0).mean() - probability), 5 * deviation)

    def test_draws_depend_on_step_key_and_site(self):
        x, f = np.ones((4, 1000), np.float32), self.dropout(0.5)
        draws = [f(x, np.array(key, np.uint64), np.array(count, np.uint64))
                 for key in (0, 1) for count in (0, 1)]
        draws.append(self.dropout(0.5, site=1)(x, np.array(0, np.uint64), np.array(0, np.uint64)))
        for i, one in enumerate(draws):
            for other in draws[:i]:
                self.assertLess(abs((one == other).mean() - 0.5), 0.05)
        # A smaller batch draws the first rows of a larger one.
        np.testing.assert_array_equal(
            f(x[:2], np.array(0, np.uint64), np.array(0, np.uint64)), draws[0][:2])

    def test_refusals(self):
        b = tandem.Builder()
        x = b.input("float32", (None, 4), dims=("n", ""))
        n = b.input("uint64", ())
        for wrong in ({"probability": 1.0}, {"probability": -0.1}, {"probability": np.nan},
                      {"probability": 0.5, "site": 65536}, {"probability": 0.5}):
            with self.assertRaisesRegex(tandem.Error, "dropout"):
                training.dropout(b, x, key=n, step=n, **wrong)
        with self.assertRaisesRegex(tandem.Error, "cross entropy"):
            training.cross_entropy(b, x, x)
        with self.assertRaisesRegex(tandem.Error, "mean squared error"):
            training.mean_squared_error(b, x, n)


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "run.safetensors"
        self.step = tandem.training_step(linear(), training.adam(), parameters=["w", "b"])
        self.state = self.step.init(start())
        for number in range(3):
            self.step(self.state, *data(number), rate=0.1)

    def copies(self):
        return {name: array.copy() for name, array in self.state.tensors().items()}

    def test_resumed_run_has_equal_bits(self):
        self.state.save(self.path, epoch="3")
        for number in range(3, 6):
            self.step(self.state, *data(number), rate=0.1)
        other = self.step.init(start(9))
        self.assertEqual(other.load(self.path), {"epoch": "3"})
        self.assertEqual(other.steps, 3)
        for number in range(3, 6):
            self.step(other, *data(number), rate=0.1)
        for name, array in self.state.tensors().items():
            np.testing.assert_array_equal(other.tensors()[name], array)

    def test_format(self):
        """A reader that follows the description of the format."""
        self.state.save(self.path)
        content = self.path.read_bytes()
        (length,) = struct.unpack("<Q", content[:8])
        header, body = json.loads(content[8:8 + length]), content[8 + length:]
        self.assertEqual(header.pop("__metadata__"), {"tandem.training": "1"})
        self.assertEqual(set(header), set(self.state.tensors()))
        dtypes = {"F64": np.float64, "U64": np.uint64}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            array = np.frombuffer(body[begin:end], dtypes[entry["dtype"]])
            np.testing.assert_array_equal(array.reshape(entry["shape"]),
                                          self.state.tensors()[name])

    def test_damaged_files_change_nothing(self):
        self.state.save(self.path)
        content, before = self.path.read_bytes(), self.copies()
        (length,) = struct.unpack("<Q", content[:8])
        header = content[8:8 + length]
        damaged = [content[:size] for size in range(0, len(content), 97)]
        damaged += [content + b"x", struct.pack("<Q", 2**63) + content[8:], b"[]",
                    struct.pack("<Q", 2) + b"[]"]
        for old, new in ((b'"F64"', b'"F65"'), (b"[20,3]", b"[20,4]"), (b'"shape"', b'"shapf"'),
                         (b"[20,3]", b"[-20,-3]"), (b'"1"}', b'123}'),
                         (b'"data_offsets":[', b'"data_offsets":[8')):
            self.assertIn(old, header)
            text = header.replace(old, new, 1)
            damaged.append(struct.pack("<Q", len(text)) + text + content[8 + length:])
        for number, each in enumerate(damaged):
            self.path.write_bytes(each)
            with self.assertRaisesRegex(tandem.Error, "run.safetensors", msg=str(number)):
                self.state.load(self.path)
        for name, array in self.state.tensors().items():
            np.testing.assert_array_equal(array, before[name])

    def test_checkpoints_of_other_runs(self):
        self.state.save(self.path)
        other = tandem.training_step(linear(), training.sgd(0.9), parameters=["w", "b"])
        with self.assertRaisesRegex(tandem.Error, "lacks.*'second_moments"):
            other.init(start()).load(self.path)
        adam = tandem.training_step(linear(features=(20, 4)), training.adam(),
                                    parameters=["w", "b"])
        with self.assertRaisesRegex(tandem.Error, r"'\w+.b' is float64\[3\]"):
            adam.init({"w": np.zeros((20, 4)), "b": np.zeros(4)}).load(self.path)
        with self.assertRaisesRegex(tandem.Error, "No such file"):
            self.state.load(self.path.with_name("missing"))
        with self.assertRaisesRegex(tandem.Error, "No such file"):
            self.state.save(self.path.with_name("missing") / "a")
        os.mkdir(self.path.with_name("folder"))
        with self.assertRaisesRegex(tandem.Error, "directory"):
            self.state.save(self.path.with_name("folder"))

    def test_error_names_the_last_checkpoint(self):
        self.state.save(self.path)
        x, y = data()
        with self.assertRaisesRegex(tandem.Error, "loss of step 4 is nan.*run.safetensors"):
            self.step(self.state, x * np.nan, y, rate=0.1)
        self.state.load(self.path)
        self.assertEqual(self.state.steps, 3)


if __name__ == "__main__":
    unittest.main()
