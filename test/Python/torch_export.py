# RUN: %torch-python %s
# REQUIRES: python-torch
"""tandem.torch.load: programs of torch.export, from files of other processes, and what
wrong files and inputs get."""

import functools
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import tandem
import tandem.torch
import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.linear = nn.Embedding(20, 8), nn.Linear(8, 4)
        self.register_buffer("scale", torch.linspace(0.5, 2, 4))

    def forward(self, tokens, mask, bias=None):
        x = self.linear(self.embedding(tokens)) * self.scale
        x = x.masked_fill(~mask.unsqueeze(-1), 0)
        return {"all": x if bias is None else x + bias, "mean": x.mean(1)}


class Inverse(nn.Module):
    def forward(self, x):
        return torch.i0(x.tanh())  # left to torch


def inputs(batch, length):
    torch.manual_seed(batch * length)
    return torch.randint(0, 20, (batch, length)), torch.rand(batch, length) > 0.3


@functools.cache
def exported():
    """A model and its program."""
    torch.manual_seed(0)
    model = Model().eval()
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", min=3)
    sizes = {0: batch, 1: length}
    return model, torch.export.export(model, inputs(2, 3),
                                      dynamic_shapes={"tokens": sizes, "mask": sizes})


def run_saved(folder):
    """In a new process: runs the program of a folder with the inputs of the folder, in
    which no model is traced."""
    folder = pathlib.Path(folder)
    f = tandem.torch.load(folder / "model.pt2", fallback="error")
    for tokens, mask, expected in torch.load(folder / "calls.pt"):
        torch.testing.assert_close(f(tokens, mask), expected)
    assert not torch._dynamo.utils.get_compilation_metrics()


class FileTest(unittest.TestCase):
    def setUp(self):
        torch.set_grad_enabled(False)
        # torch logs a traceback for some of the files; the error has the reason.
        logging.getLogger("torch.export").setLevel(logging.ERROR)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def save(self, program, name="model.pt2"):
        torch.export.save(program, self.folder / name)
        return self.folder / name

    def test_a_new_process_runs_a_saved_program_with_any_batch(self):
        model, program = exported()
        self.save(program)
        calls = [(*inputs(*sizes), model(*inputs(*sizes))) for sizes in ((2, 3), (5, 7), (1, 4))]
        torch.save(calls, self.folder / "calls.pt")
        child = subprocess.run([sys.executable, "-W", "error:tandem", HERE, self.folder],
                               text=True, capture_output=True, check=False)
        self.assertEqual(child.returncode, 0, child.stderr)

    def change(self, edit):
        """A copy of a saved program whose description was edited."""
        path, changed = self.save(exported()[1]), self.folder / "changed.pt2"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
            for name in old.namelist():
                data = old.read(name)
                if name.endswith("models/model.json"):
                    description = json.loads(data)
                    edit(description)
                    data = json.dumps(description)
                new.writestr(name, data)
        return changed

    def refused(self, program, message):
        with self.assertRaisesRegex(tandem.Error, message) as caught:
            tandem.torch.load(program)
        self.assertEqual(caught.exception.phase, "torch")
        return caught.exception

    def test_programs_of_a_newer_version_are_refused(self):
        def edit(description):
            description["schema_version"]["major"] += 1
            description["torch_version"] = "9.8.7"

        path = self.change(edit)
        error = self.refused(path, r"exported by torch 9\.8\.7 in format \d+, and torch 2\.")
        self.assertEqual(error.location, str(path))
        self.assertIn("export the model", error.hint)

    def test_programs_with_unknown_ops_are_refused(self):
        def edit(description):
            for node in description["graph_module"]["graph"]["nodes"]:
                node["target"] = node["target"].replace("aten.linear", "aten.linear_of_later")

        self.refused(self.change(edit), "cannot read this program")

    def test_other_files_are_refused(self):
        saved = self.save(exported()[1])
        truncated, text, weights = (self.folder / name for name in ("cut.pt2", "a.txt", "w.pt"))
        truncated.write_bytes(saved.read_bytes()[:-1000])
        text.write_text("no program")
        torch.save(Model().state_dict(), weights)
        for path, message in ((truncated, "truncated"), (text, "did not write it"),
                              (weights, "did not write it"),
                              (self.folder / "missing.pt2", "no such file"),
                              (self.folder, "no such file")):
            with self.subTest(path.name):
                self.assertEqual(self.refused(path, message).location, str(path))
        for source in (3, None, Model()):
            with self.assertRaisesRegex(TypeError, "not an exported program or a path"):
                tandem.torch.load(source)

    def test_files_that_are_open(self):
        with open(self.save(exported()[1]), "rb") as file:
            self.assertEqual(tandem.torch.load(file)(*inputs(2, 3))["mean"].shape, (2, 4))

    def test_errors_of_fallbacks_have_the_line_of_the_model(self):
        path = self.save(torch.export.export(Inverse(), (torch.randn(3),)))
        lines = HERE.read_text(encoding="utf-8").splitlines()
        (number,) = (i for i, line in enumerate(lines, 1) if line.endswith("# left to torch"))
        for program in (path, torch.export.load(path)):
            with self.assertRaisesRegex(tandem.Error, r"aten\.i0") as caught:
                tandem.torch.load(program, fallback="error")
            self.assertEqual(caught.exception.location, f"{HERE}:{number}")
        with self.assertRaises(torch._dynamo.exc.BackendCompilerFailed) as caught:
            torch.compile(Inverse(), backend=tandem.torch.backend,
                          options={"fallback": "error"})(torch.randn(3))
        self.assertIn(f"{HERE}:{number}", str(caught.exception))


class InputTest(unittest.TestCase):
    def setUp(self):
        torch.set_grad_enabled(False)
        self.f = tandem.torch.load(exported()[1])
        self.tokens, self.mask = inputs(2, 3)

    def refused(self, message, *given, **named):
        with self.assertRaisesRegex(tandem.Error, message) as caught:
            self.f(*given, **named)
        self.assertEqual(caught.exception.phase, "input")

    def test_wrong_types_are_named(self):
        f, tokens, mask = self.refused, self.tokens, self.mask
        f(r"'tokens' is float32\[2, 3\], not int64\[\w+, \w+\]", tokens.float(), mask)
        f(r"'mask' is bool\[2, 3, 1\], not bool\[\w+, \w+\]", tokens, mask.unsqueeze(-1))
        f("'mask' is on the device meta, not on cpu", tokens, mask.to("meta"))
        f("number of inputs", tokens, mask.tolist())
        f("'mask' is a str, not a tensor", tokens, "mask")

    def test_wrong_sizes_are_named(self):
        f = tandem.torch.load(torch.export.export(nn.Linear(4, 2), (torch.randn(3, 4),)))
        with self.assertRaisesRegex(tandem.Error, r"'input' is float32\[3, 5\], not "
                                    r"float32\[3, 4\]"):
            f(torch.randn(3, 5))
        self.refused("length|mask|shape", self.tokens, self.mask[:1])
        self.refused("shape", self.tokens[:, :2], self.mask[:, :2])

    def test_wrong_numbers_of_inputs(self):
        self.refused("number of inputs", self.tokens)
        self.refused("number of inputs", self.tokens, self.mask, self.mask)
        self.refused("keyword", self.tokens, masks=self.mask)

    def test_calls_after_an_error(self):
        self.refused("'tokens'", self.tokens.float(), self.mask)
        expected = self.f.program.module()(self.tokens, self.mask)
        torch.testing.assert_close(self.f(self.tokens, self.mask), expected)


if __name__ == "__main__":
    if len(sys.argv) == 2 and pathlib.Path(sys.argv[1]).is_dir():
        torch.set_grad_enabled(False)
        run_saved(sys.argv[1])
    else:
        unittest.main()
