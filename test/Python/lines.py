# RUN: %tandem-python %s
"""Scans and Fourier transforms in all tiers, compared with NumPy in f64."""

import unittest

import numpy as np
import tandem

TIERS = ("reference", "eager", "compiled")
SCANS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
         "log_sum_exp": np.logaddexp}
IDENTITIES = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf, "log_sum_exp": -np.inf}


def build(function, value):
    """A function of one input of the dtype and shape of `value`."""
    b = tandem.Builder()
    return b.build(function(b, b.input(value.dtype, value.shape)))


def scan(kind, value, axis, exclusive, reverse):
    lines = np.moveaxis(value, axis, -1)
    lines = lines[..., ::-1] if reverse else lines
    result = SCANS[kind].accumulate(lines, axis=-1, dtype=value.dtype)
    if exclusive:
        identity = IDENTITIES[kind]
        if np.issubdtype(value.dtype, np.integer) and np.isinf(identity):
            limits = np.iinfo(value.dtype)
            identity = limits.min if identity < 0 else limits.max
        first = np.full((*lines.shape[:-1], 1), identity, value.dtype)
        result = np.concatenate([first, result], axis=-1)[..., :lines.shape[-1]]
    return np.moveaxis(result[..., ::-1] if reverse else result, -1, axis)


def complex_of(value):
    return value[..., 0] + 1j * value[..., 1]


def parts_of(value):
    return np.stack([value.real, value.imag], axis=-1)


class LinesTest(unittest.TestCase):
    def check_scan(self, kind, value, axis, rtol):
        for exclusive in (False, True):
            for reverse in (False, True):
                f = build(lambda b, x: b.scan(x, kind=kind, axis=axis, exclusive=exclusive,
                                              reverse=reverse), value)
                wide = value if value.dtype.kind in "iu" else value.astype(np.float64)
                expected = scan(kind, wide, axis, exclusive, reverse)
                for tier in TIERS:
                    with self.subTest(kind=kind, dtype=value.dtype, tier=tier):
                        np.testing.assert_allclose(f(value, tier=tier), expected, rtol=rtol,
                                                   atol=rtol)

    def test_scans_of_floats(self):
        random = np.random.default_rng(1)
        for dtype, rtol in ((np.float16, 1e-2), (np.float32, 1e-4), (np.float64, 1e-12)):
            for shape, axis in (((7,), 0), ((3, 500), 1), ((2, 40, 5), 1), ((1, 9000), 1),
                                ((0, 3), 0), ((3, 0), 0), ((4, 1), 1)):
                value = random.random(shape).astype(dtype)
                for kind in SCANS:
                    self.check_scan(kind, value, axis, rtol)

    def test_scans_of_integers(self):
        random = np.random.default_rng(1)
        for dtype in "bhilBHIL":
            value = random.integers(-99, 99, (3, 70)).astype(dtype)
            for kind in ("sum", "prod", "max", "min"):
                self.check_scan(kind, value, 1, 0)

    def test_special_values(self):
        for special in (np.nan, np.inf, -np.inf, -0.0, 1e30):
            for position in range(4):
                value = np.array([1, -2, 0.5, 3], np.float32)
                value[position] = special
                for kind in SCANS:
                    with np.errstate(invalid="ignore"):
                        self.check_scan(kind, value, 0, 1e-6)

    def check_fft(self, kind, value, expected, axis, length=0):
        f = build(lambda b, x: b.fft(x, kind=kind, axis=axis, length=length), value)
        size = value.shape[axis]
        scale = np.sqrt((expected ** 2).mean()) + 1e-30
        bound = 3 * np.log2(4 * size + 4) * np.finfo(value.dtype).eps * scale
        for tier in TIERS if size < 20000 else TIERS[1:]:
            with self.subTest(kind=kind, size=size, tier=tier, dtype=value.dtype):
                np.testing.assert_allclose(f(value, tier=tier), expected, rtol=0, atol=bound)

    def check_all(self, shape, axis, dtype):
        random = np.random.default_rng(1)
        size = shape[axis]
        real = random.standard_normal(shape).astype(dtype)
        parts = random.standard_normal((*shape, 2)).astype(dtype)
        x, z = real.astype(np.float64), complex_of(parts.astype(np.float64))
        self.check_fft("rfft", real, parts_of(np.fft.rfft(x, axis=axis)), axis)
        self.check_fft("fft", parts, parts_of(np.fft.fft(z, axis=axis)), axis)
        self.check_fft("ifft", parts, parts_of(np.fft.ifft(z, axis=axis)), axis)
        half = np.take(parts, range(size // 2 + 1), axis)
        self.check_fft("irfft", half, np.fft.irfft(
            complex_of(half.astype(np.float64)), size, axis=axis), axis, size)

    def test_lengths(self):
        for size in [*range(1, 65), 97, 134, 1009, 1018, 16000]:
            self.check_all((2, size), 1, np.float32)
        for size in (1, 2, 3, 12, 67, 400, 1009, 3072):
            self.check_all((3, size), 1, np.float64)
            self.check_all((2, size, 5), 1, np.float32)

    def test_long_lengths(self):
        for size in (65537, 441000, 480000):
            self.check_all((1, size), 1, np.float32)

    def test_inverses(self):
        value = np.random.default_rng(1).standard_normal((3, 441)).astype(np.float32)
        f = build(lambda b, x: b.fft(b.fft(x, kind="rfft", axis=1), kind="irfft", axis=1,
                                     length=441), value)
        for tier in TIERS:
            np.testing.assert_allclose(f(value, tier=tier), value, atol=1e-5)

    def test_lines_that_are_not_finite(self):
        value = np.random.default_rng(1).standard_normal((3, 20)).astype(np.float32)
        value[1, 7] = np.inf
        f = build(lambda b, x: b.fft(x, kind="rfft", axis=1), value)
        for tier in TIERS:
            result = f(value, tier=tier)
            self.assertTrue(np.isnan(result[1]).all())
            self.assertTrue(np.isfinite(result[::2]).all())


if __name__ == "__main__":
    unittest.main()
