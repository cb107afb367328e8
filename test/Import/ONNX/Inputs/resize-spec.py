"""Resize against NumPy that is written from the text of ONNX's specification.

usage: resize-spec.py TANDEM_RUN FOLDER

Every mode with every rule of coordinates, with and without antialiasing and excluded
elements, by scales and by sizes; and infinities and NaN at every position of a small
input, which reach only the results that read them.
"""

import itertools
import sys

import numpy
from onnx import helper

from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(17)
COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
               "align_corners", "asymmetric", "tf_crop_and_resize"]
ROUNDING = {"round_prefer_floor": lambda x: numpy.ceil(x - 0.5),
            "round_prefer_ceil": lambda x: numpy.floor(x + 0.5),
            "floor": numpy.floor, "ceil": numpy.ceil}
OUTSIDE = 7.5


def original(x, rule, scale, length, resized_length, region):
    """The coordinate in the input of coordinate `x` of the output, as the
    specification has it. `resized_length` is not rounded."""
    if rule == "half_pixel":
        return (x + 0.5) / scale - 0.5
    if rule == "half_pixel_symmetric":
        adjustment = int(resized_length) / resized_length
        center = length / 2
        return center * (1 - adjustment) + (x + 0.5) / scale - 0.5
    if rule == "pytorch_half_pixel":
        return (x + 0.5) / scale - 0.5 if resized_length > 1 else 0
    if rule == "align_corners":
        return x * (length - 1) / (resized_length - 1) if resized_length != 1 else 0
    if rule == "asymmetric":
        return x / scale
    start, end = region
    if resized_length > 1:
        return (start * (length - 1)
                + x * (end - start) * (length - 1) / (resized_length - 1))
    return 0.5 * (start + end) * (length - 1)


def coefficient(mode, a, distance):
    d = abs(distance)
    if mode == "linear":
        return max(0.0, 1 - d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


class Way:
    """One way to resize."""

    def __init__(self, mode, rule, antialias=0, exclude=0, a=-0.75,
                 nearest="round_prefer_floor"):
        self.mode, self.rule, self.antialias, self.exclude = mode, rule, antialias, exclude
        self.a, self.nearest = a, nearest

    def attributes(self):
        return {"mode": self.mode, "coordinate_transformation_mode": self.rule,
                "antialias": self.antialias, "exclude_outside": self.exclude,
                "cubic_coeff_a": self.a, "nearest_mode": self.nearest,
                "extrapolation_value": OUTSIDE}

    def row(self, place, size, scale):
        """The weight of each element of the input."""
        weights = numpy.zeros(size)
        if self.mode == "nearest":
            weights[int(numpy.clip(ROUNDING[self.nearest](place), 0, size - 1))] = 1
            return weights
        narrowing = min(scale, 1) if self.antialias else 1
        reach = (1 if self.mode == "linear" else 2) / narrowing
        for j in range(int(numpy.floor(place - reach)), int(numpy.ceil(place + reach)) + 1):
            if self.exclude and not 0 <= j < size:
                continue
            weights[min(max(j, 0), size - 1)] += coefficient(
                self.mode, self.a, (place - j) * narrowing)
        return weights / weights.sum() if weights.sum() else weights

    def matrix(self, size, count, scale, length, region):
        """The rows of all results along a dim, and which ones are outside."""
        places = [original(i, self.rule, scale, size, length, region)
                  for i in range(count)]
        outside = [self.rule == "tf_crop_and_resize" and not 0 <= place <= size - 1
                   for place in places]
        return (numpy.array([self.row(place, size, scale) for place in places]),
                numpy.array(outside))


def weighted(row, x):
    """The sum over the last dim of what a row has weights for."""
    used = abs(row) > 1e-9
    return (row[used] * x[..., used]).sum(-1)


def resized(way, x, counts, scales, lengths, region):
    """The last dims, one after another."""
    y, dims = x.astype("float64"), len(counts)
    outside = numpy.zeros([1] * y.ndim, bool)
    for i in range(dims):
        axis = y.ndim - dims + i
        matrix, is_outside = way.matrix(y.shape[axis], counts[i], scales[i], lengths[i],
                                        (region[i], region[dims + i]))
        moved = numpy.moveaxis(y, axis, -1)
        y = numpy.moveaxis(numpy.stack([weighted(row, moved) for row in matrix], -1),
                           -1, axis)
        outside = outside | is_outside.reshape([-1 if d == axis else 1
                                                for d in range(y.ndim)])
    return numpy.where(outside, OUTSIDE, y).astype(x.dtype)


def model(ways, x, scales, sizes, region):
    weights = {"roi": numpy.array(region, "float32")}
    nodes = []
    if scales is not None:
        weights["scales"] = numpy.array(scales, "float32")
    else:
        weights["sizes"] = numpy.array(sizes)
    operands = ["x", "roi", "scales" if scales is not None else "",
                "" if scales is not None else "sizes"]
    axes = list(range(x.ndim - len(scales or sizes), x.ndim))
    for i, way in enumerate(ways):
        nodes.append(helper.make_node("Resize", operands, [f"y{i}"], name=f"resize{i}",
                                      axes=axes, **way.attributes()))
    return make_model(nodes, {"x": x}, {f"y{i}": x.dtype for i in range(len(ways))},
                      weights, 19)


def all_ways():
    for rule in COORDINATES:
        for nearest in ROUNDING:
            yield Way("nearest", rule, nearest=nearest)
        for mode, antialias, exclude in itertools.product(["linear", "cubic"], [0, 1],
                                                          [0, 1]):
            yield Way(mode, rule, antialias, exclude)
        yield Way("cubic", rule, a=-0.5)


def check(tiers, what, x, scales=None, sizes=None, ways=None, error=1e-5):
    ways = ways or list(all_ways())
    last = x.shape[x.ndim - len(scales or sizes):]
    region = [0.1] * len(last) + [1.2] * len(last)
    region = [float(numpy.float32(number)) for number in region]
    if scales is not None:
        scales = [float(numpy.float32(scale)) for scale in scales]
        lengths = [scale * size for scale, size in zip(scales, last)]
        counts = [int(length) for length in lengths]
        factors = scales
    else:
        counts, lengths = sizes, sizes
        factors = [count / size for count, size in zip(sizes, last)]
    with numpy.errstate(invalid="ignore", over="ignore"):
        expected = [resized(way, x, counts, factors, lengths, region) for way in ways]
    tiers.check(what, model(ways, x, scales, sizes, region), {"x": x}, expected,
                rtol=error, atol=error)
    return len(ways)


def main():
    tiers = Tiers(*sys.argv[1:3])
    image = RANDOM.uniform(-2, 2, (2, 3, 7, 9))
    count = 0
    for dtype, error in [("float32", 1e-5), ("float64", 1e-12), ("float16", 3e-3)]:
        x = image.astype(dtype)
        count += check(tiers, f"scales, {dtype}", x, scales=[1.75, 2.5], error=error)
        count += check(tiers, f"smaller, {dtype}", x, scales=[0.45, 0.6], error=error)
        count += check(tiers, f"sizes, {dtype}", x, sizes=[14, 4], error=error)
    row, volume = image.astype("float32")[0, 0], image.reshape(1, 2, 3, 7, 9)
    count += check(tiers, "one dim", row, sizes=[31])
    count += check(tiers, "three dims", volume.astype("float32"), sizes=[5, 4, 20])
    # One position of the result, and a scale that is its own.
    count += check(tiers, "one", row, scales=[0.15])
    count += check(tiers, "the same", row, scales=[1])
    # Many elements behind the resized dims.
    last = numpy.moveaxis(RANDOM.uniform(-2, 2, (1, 40, 5, 6)), 1, 3).astype("float32")
    for ways in [[Way("linear", "half_pixel")], [Way("cubic", "asymmetric")]]:
        count += check_last(tiers, last, ways)
    special(tiers)
    print(count, "ways to resize in three tiers")


def check_last(tiers, x, ways):
    """The two dims before the last one."""
    scales = [1, 2.5, 0.75, 1]
    y = resized(ways[0], x, [12, 4, x.shape[3]], [2.5, 0.75 * 6 / 6, 1],
                [12.5, 4.5, x.shape[3]], [0] * 3 + [1] * 3)
    nodes = [helper.make_node("Resize", ["x", "", "scales"], ["y0"], name="resize",
                              **ways[0].attributes())]
    tiers.check("channels last", make_model(
        nodes, {"x": x}, {"y0": x.dtype}, {"scales": numpy.array(scales, "float32")}, 19),
        {"x": x}, [y], rtol=1e-5, atol=1e-5)
    return len(ways)


def special(tiers):
    """Infinities, NaN and large numbers at every position of a row."""
    ways = [Way(mode, rule, antialias) for mode in ["nearest", "linear", "cubic"]
            for rule in ["half_pixel", "align_corners", "asymmetric"]
            for antialias in [0, 1]]
    for value in [numpy.inf, -numpy.inf, numpy.nan, 1e30, 1e-42]:
        # Row i has the value at position i.
        x = numpy.where(numpy.eye(6, dtype=bool), value, 1).astype("float32")
        for sizes in [[12], [11], [4]]:
            check(tiers, f"{value} to {sizes}", x, sizes=sizes, ways=ways)
            square = numpy.broadcast_to(x[:, :, None], (6, 6, 6)).copy()
            check(tiers, f"{value} to {sizes} twice", square, sizes=sizes * 2, ways=ways)


if __name__ == "__main__":
    main()
