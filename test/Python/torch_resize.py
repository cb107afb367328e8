# RUN: %torch-python %s
# REQUIRES: python-torch
"""torch.nn.functional.interpolate: each mode by sizes and by factors, and the ops of the
table that tracing must not decompose."""

import itertools
import unittest

import tandem.torch
import torch
from tandem.torch._table import HANDLERS
from torch.nn import functional

SHAPES = {("nearest", "nearest-exact", "linear"): (2, 3, 17),
          ("nearest", "nearest-exact", "bilinear", "bicubic"): (2, 3, 9, 11),
          ("nearest", "nearest-exact", "trilinear"): (1, 2, 5, 6, 7)}


def ways(mode, shape):
    """The arguments of interpolate."""
    spatial = shape[2:]
    sizes = [{"size": tuple(size * 2 for size in spatial)},
             {"size": tuple(size + 41 for size in spatial)},
             {"size": tuple(max(1, size // 2 - 1) for size in spatial)},
             {"scale_factor": 2.0}, {"scale_factor": 1.7}, {"scale_factor": 0.55},
             {"scale_factor": 1.7, "recompute_scale_factor": True}]
    corners = [{}] if "nearest" in mode else [{"align_corners": is_aligned}
                                              for is_aligned in (False, True)]
    filters = [{"antialias": is_on} for is_on in (False, True)]
    for each in itertools.product(sizes, corners,
                                  filters if mode in ("bilinear", "bicubic") else [{}]):
        yield {"mode": mode} | each[0] | each[1] | each[2]


class ResizeTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch.set_grad_enabled(False)

    def check(self, x, tolerance=2e-5, dynamic=False, **way):
        def resize(t):
            return functional.interpolate(t, **way)
        torch._dynamo.reset()
        for mode in ("eager", "compile"):
            compiled = torch.compile(resize, backend=tandem.torch.backend, dynamic=dynamic,
                                     options={"fallback": "error", "mode": mode})
            with self.subTest(**way, tier=mode, dtype=x.dtype):
                torch.testing.assert_close(compiled(x), resize(x), rtol=tolerance,
                                           atol=tolerance)

    def test_modes(self):
        for modes, shape in SHAPES.items():
            x = torch.randn(shape)
            for mode in modes:
                for way in ways(mode, shape):
                    self.check(x, **way)

    def test_rounding_to_float(self):
        # 41 * (2 / 82) is less than 1 in float32, as torch computes it.
        self.check(torch.randn(1, 1, 2), size=82)
        self.check(torch.randn(1, 1, 7, 3), size=(49 * 7, 41), mode="nearest-exact")

    def test_dtypes(self):
        x = torch.randn(2, 3, 9, 11)
        self.check(x.double(), 1e-5, scale_factor=2.3, mode="bicubic")
        self.check(x.half(), 2e-3, scale_factor=2, mode="bilinear")
        self.check(x.bfloat16(), 2e-2, scale_factor=2, mode="bicubic")
        integers = (x * 50).abs().to(torch.uint8)
        self.check(integers, 0, scale_factor=2)
        # Torch rounds weights of uint8 to 16 bits.
        self.check(integers, 1, scale_factor=2, mode="bilinear")

    def test_free_sizes(self):
        for size in (5, 9):
            self.check(torch.randn(1, 3, size, size + 1), dynamic=True, scale_factor=2,
                       mode="bilinear")

    def test_ops_stay_whole(self):
        """Tracing keeps each op, and torch's own decompositions are back afterwards."""
        kernels = {op: dict(op.py_kernels) for op in HANDLERS if "upsample" in str(op)}
        seen = []

        def record(graph, _):
            seen.extend(str(node.target) for node in graph.graph.nodes
                        if node.op == "call_function")
            return graph.forward

        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
            seen.clear()
            torch._dynamo.reset()
            with tandem.torch._backend.keep_whole():
                torch.compile(lambda t, mode=mode: functional.interpolate(
                    t, scale_factor=2, mode=mode), backend=torch._dynamo.backends.common
                    .aot_autograd(fw_compiler=record, inference_compiler=record))(
                        torch.randn(1, 2, 4, 4))
            self.assertEqual(len(seen), 1, seen)
            self.assertIn("upsample", seen[0])
        for op, before in kernels.items():
            self.assertEqual(op.py_kernels, before)


if __name__ == "__main__":
    unittest.main()
