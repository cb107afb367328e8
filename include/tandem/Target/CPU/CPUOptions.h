//===- CPUOptions.h - Options of the CPU's target ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CPUOPTIONS_H
#define TANDEM_TARGET_CPU_CPUOPTIONS_H

#include "tandem/Support/Choices.h"
#include "tandem/Support/TargetOptions.h"

#include <span>
#include <string>

namespace tandem {

/// How to choose between a generated kernel and the library (oneDNN) for a
/// convolution or matrix product that both can compute.
enum class Contractions {
  /// Choose whichever has the lower time, as estimated by the cost models.
  predict,
  /// Choose whichever has the lower measured time. The generated kernel and the
  /// library call are both run on random data during compilation, with the
  /// current number of threads. The process keeps each choice, keyed by the
  /// op's types and attributes.
  autotune,
  /// Choose a generated kernel if one can compute the op.
  generated,
  /// Choose the library if the library can compute the op.
  library,
};

/// When kernels compute convolutions by Winograd's method. This method needs
/// fewer multiplications than direct convolution, but its rounding error is
/// about twice as large (docs/Contractions.md).
enum class Winograd {
  /// Never use the method.
  never,
  /// Use the method if the cost model estimates that it is faster.
  automatic,
  /// Use the method for every convolution that it can compute.
  always,
};

/// When kernels multiply by the factors of constant weights, integers of 8 bits
/// and scales, instead of by the weights in f32. The integers have fewer bytes,
/// but are converted each time they are read. Results are the same.
enum class ScaledWeights {
  /// Never multiply by factors.
  never,
  /// Multiply by factors if the cost model estimates that it is faster.
  automatic,
  /// Multiply by factors in every kernel that can.
  always,
};

/// The type in which kernels sum products of integers of 8 bits with constant
/// weights. Results are the same.
enum class ByteSums {
  /// i32.
  i32,
  /// f32 if that is exact and the cost model estimates that it is faster.
  automatic,
  /// f32 wherever that is exact.
  f32,
};

template <> std::span<const Choice<Contractions>> choicesOf();
template <> std::span<const Choice<Winograd>> choicesOf();
template <> std::span<const Choice<ScaledWeights>> choicesOf();
template <> std::span<const Choice<ByteSums>> choicesOf();

inline std::string_view name(Contractions contractions) {
  return choiceName(contractions);
}
inline std::string_view name(Winograd winograd) { return choiceName(winograd); }
inline std::string_view name(ScaledWeights weights) {
  return choiceName(weights);
}
inline std::string_view name(ByteSums sums) { return choiceName(sums); }

/// The options of the target "cpu" (CompileOptions::targetOptions).
struct CPUOptions {
  /// Option "contractions": how to choose between generated kernels and the
  /// library for convolutions and matrix products.
  Contractions contractions = Contractions::predict;
  /// Option "winograd": when to use Winograd's method.
  Winograd winograd = Winograd::automatic;
  /// Option "scaled-weights": when to multiply by the factors of weights.
  ScaledWeights scaledWeights = ScaledWeights::automatic;
  /// Option "byte-sums": the type of sums of products of integers of 8 bits.
  ByteSums byteSums = ByteSums::automatic;
  /// Option "device-model": the device model for which programs are planned, as
  /// an argument of findDeviceModel. The vector widths and instructions of this
  /// processor replace those of the model. If the option is empty,
  /// hostDeviceModel() is used.
  std::string deviceModel;
};

/// Returns the descriptions of the target's options.
std::span<const TargetOptionInfo> cpuOptionInfos();

/// Parses the target's options. Returns the Error of checkTargetOptions if an
/// option or its value is invalid.
Expected<CPUOptions> parseCPUOptions(const TargetOptions &options);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CPUOPTIONS_H
