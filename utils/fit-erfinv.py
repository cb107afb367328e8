#!/usr/bin/env python3
"""Prints the coefficients of erfinv in include/tandem/Support/FunctionCoefficients.h.

usage: fit-erfinv.py            (needs mpmath)

erfinv(x) / x as a function of w = -log((1 - x) (1 + x)) is interpolated at Chebyshev
nodes, in 60 digits. The comment before an array is the largest relative error.
"""

from mpmath import chebyfit, erfinv, exp, mp, mpf, nstr, pi, polyval, sqrt

mp.dps = 60


def ratio(w):
    """erfinv(x) / x."""
    if w < mpf(10) ** -25:
        return sqrt(pi) / 2
    x = sqrt(1 - exp(-w))
    return erfinv(x) / x


def fit(name, function, low, high, degree):
    coefficients = chebyfit(function, [low, high], degree + 1)
    points = [low + (high - low) * mpf(i) / 200 for i in range(201)]
    error = max(abs(polyval(coefficients, t) / function(t) - 1) for t in points)
    print(f"// {nstr(error, 3)}")
    print(f"inline constexpr double {name}[] = {{"
          f"{', '.join(repr(float(c)) for c in coefficients)}}};")


def main():
    small, large = mpf(5), mpf(16)

    def of_w(t):
        return ratio(t + mpf("2.5"))

    def of_root(center):
        return lambda t: ratio((t + center) ** 2)

    half = small / 2
    # The largest float below 1 has w of 15.9, the largest double 36.04.
    fit("kErfinvSmallF32", of_w, -half, half, 10)
    fit("kErfinvLargeF32", of_root(3), sqrt(small) - 3, mpf("1.01"), 10)
    fit("kErfinvSmall", of_w, -half, half, 22)
    fit("kErfinvLarge", of_root(3), sqrt(small) - 3, sqrt(large) - 3, 22)
    fit("kErfinvLargest", of_root(5), sqrt(large) - 5, mpf("1.01"), 22)


if __name__ == "__main__":
    main()
