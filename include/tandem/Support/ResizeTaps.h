//===- ResizeTaps.h - The elements that resize reads ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of resize along one dim: the position in the operand of each
// element of the result, and the taps, which are elements of the operand with
// their weights. Tables for CPUs (Resize.h) and the kernel for GPUs are made of
// these functions. This file is therefore also part of the CUDA source of that
// kernel, and it uses no header there. All functions compute in f64 without
// fused multiply-adds, so that hosts and GPUs find equal taps.
//
// The formulas of positions are those of the ONNX operator Resize, the weights
// of cubic interpolation those of Keys (Cubic convolution interpolation for
// digital image processing, IEEE Trans. ASSP 29 (1981)).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_RESIZETAPS_H
#define TANDEM_SUPPORT_RESIZETAPS_H

#ifndef TANDEM_RESIZE_FUNCTION
#include <cmath>
#define TANDEM_RESIZE_FUNCTION inline
#endif

namespace tandem {

// The values of these enums are those of the enums in Op.fbs.
enum ResizeDimMode { kNearest, kLinear, kCubic };
enum ResizeDimCoordinates {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kCropAndResize
};
enum ResizeDimRounding { kPreferFloor, kPreferCeil, kFloor, kCeil };

/// How one dim is resized. All members have 8 bytes, and kernels for GPUs take
/// the struct by value.
struct ResizeDim {
  /// The sizes of the operand and of the result. `length` is the size of the
  /// result before it is rounded to an integer.
  double from = 1, to = 1, length = 1;
  double scale = 1;
  /// The part of the operand that tf_crop_and_resize takes.
  double start = 0, end = 1;
  double cubic = -0.75;
  long long mode = kNearest, coordinates = kHalfPixel, rounding = kPreferFloor;
  long long antialias = 0, excludeOutside = 0;
};

/// Returns the position in the operand, in elements, of element `i` of the
/// result.
TANDEM_RESIZE_FUNCTION double sourceOf(const ResizeDim &dim, double i) {
  switch (dim.coordinates) {
  case kAlignCorners:
    return dim.length == 1 ? 0 : i * (dim.from - 1) / (dim.length - 1);
  case kAsymmetric:
    return i / dim.scale;
  case kCropAndResize:
    return dim.length > 1 ? dim.start * (dim.from - 1) +
                                i * (dim.end - dim.start) * (dim.from - 1) /
                                    (dim.length - 1)
                          : 0.5 * (dim.start + dim.end) * (dim.from - 1);
  case kPytorchHalfPixel:
    return dim.length > 1 ? (i + 0.5) / dim.scale - 0.5 : 0;
  case kHalfPixelSymmetric:
    return (i + 0.5) / dim.scale - 0.5 +
           dim.from / 2 * (1 - dim.to / dim.length);
  default:
    return (i + 0.5) / dim.scale - 0.5;
  }
}

/// Returns true if element `i` of the result is the extrapolation value because
/// its position is outside of the operand.
TANDEM_RESIZE_FUNCTION bool isExtrapolated(const ResizeDim &dim, double i) {
  if (dim.coordinates != kCropAndResize)
    return false;
  const double place = sourceOf(dim, i);
  return !(place >= 0 && place <= dim.from - 1);
}

/// Returns `j`, clamped to the indices of the operand.
TANDEM_RESIZE_FUNCTION double clampToDim(const ResizeDim &dim, double j) {
  return j > dim.from - 1 ? dim.from - 1 : j > 0 ? j : 0;
}

/// Returns the element of the operand that is nearest to a position.
TANDEM_RESIZE_FUNCTION double nearestOf(const ResizeDim &dim, double place) {
  double nearest = ceil(place - 0.5);
  if (dim.rounding == kPreferCeil)
    nearest = floor(place + 0.5);
  else if (dim.rounding == kFloor)
    nearest = floor(place);
  else if (dim.rounding == kCeil)
    nearest = ceil(place);
  return clampToDim(dim, nearest);
}

/// Returns the factor by which distances are multiplied. The factor is 1, or
/// less than 1 if the filter is stretched to avoid aliasing.
TANDEM_RESIZE_FUNCTION double narrowingOf(const ResizeDim &dim) {
  return dim.antialias && dim.scale < 1 ? dim.scale : 1;
}

/// Returns the largest distance of an element whose weight is not 0.
TANDEM_RESIZE_FUNCTION double reachOf(const ResizeDim &dim) {
  return (dim.mode == kLinear ? 1 : 2) / narrowingOf(dim);
}

/// Returns the weight of an element at a distance that narrowingOf has been
/// applied to.
TANDEM_RESIZE_FUNCTION double weightAt(const ResizeDim &dim, double distance) {
  const double d = fabs(distance), a = dim.cubic;
  if (dim.mode == kLinear)
    return d < 1 ? 1 - d : 0;
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// Calls visit(index, weight) for the taps of element `i` of the result, in
/// increasing order of their indices, each once. Elements beyond an edge of the
/// operand count as the element at the edge or, with `excludeOutside`, do not
/// count. Elements whose weight is 0, apart from rounding errors of their
/// distance, are not taps, because 0 times infinity would be NaN. The weights
/// of all elements are divided by their sum. There may be no tap if elements
/// outside are excluded.
template <typename Visit>
TANDEM_RESIZE_FUNCTION void forEachTap(const ResizeDim &dim, double i,
                                       Visit &&visit) {
  const double reach = reachOf(dim), last = dim.from - 1;
  double place = sourceOf(dim, i);
  if (dim.mode == kNearest) {
    visit(static_cast<long long>(nearestOf(dim, place)), 1.0);
    return;
  }
  // Limit `place`: beyond these limits, all elements within reach are outside
  // of the operand in any case.
  place = place > last + reach + 2 ? last + reach + 2
          : place > -reach - 2     ? place
                                   : -reach - 2;
  const double narrowing = narrowingOf(dim), most = 0x1p-50 * dim.from;
  const double begin = ceil(place - reach), end = place + reach;
  double sum = 0, weight = 0, index = -1;
  for (double j = begin; j <= end; ++j)
    if (!dim.excludeOutside || (j >= 0 && j <= last))
      sum += weightAt(dim, (place - j) * narrowing);
  const auto finish = [&] {
    if (index >= 0 && fabs(weight) > most)
      visit(static_cast<long long>(index), sum != 0 ? weight / sum : weight);
    weight = 0;
  };
  for (double j = begin; j <= end; ++j) {
    if (dim.excludeOutside && (j < 0 || j > last))
      continue;
    if (clampToDim(dim, j) != index)
      finish();
    index = clampToDim(dim, j);
    weight += weightAt(dim, (place - j) * narrowing);
  }
  finish();
}

/// Returns the largest number of taps that an element of the result may have.
TANDEM_RESIZE_FUNCTION double maxTapsOf(const ResizeDim &dim) {
  if (dim.mode == kNearest)
    return 1;
  const double most =
      narrowingOf(dim) < 1 ? floor(2 * reachOf(dim)) + 1 : 2 * reachOf(dim);
  return most < dim.from ? most : dim.from;
}

/// Integers are interpolated in f64 and rounded once. A sum is first rounded to
/// a multiple of 1 / gridOf(bytes of an element): rounding errors of f64 then
/// neither take 1 from a result that is an integer, nor move a result away from
/// the middle of two integers. For elements of 64 bits, this holds for results
/// below 2^32.
TANDEM_RESIZE_FUNCTION double gridOf(long long bytes) {
  return bytes <= 2 ? 0x1p32 : 0x1p18;
}

/// Returns a sum as an integer, which may be too large for the type of the
/// result: rounded toward zero if `truncates`, and half to even otherwise.
TANDEM_RESIZE_FUNCTION double roundResized(double sum, double grid,
                                           bool truncates) {
  const double rounded = rint(sum * grid) / grid;
  return truncates ? trunc(rounded) : rint(rounded);
}

} // namespace tandem

#endif // TANDEM_SUPPORT_RESIZETAPS_H
