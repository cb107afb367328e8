//===- CostFeatures.h - What compile costs are predicted from ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Features from which the costs of a signature are predicted before it is
// compiled: the compile cost C, the time c of a compiled call, and the time e
// of an eager call. Computing the features from the eager program, the shapes
// and the device model takes a few microseconds. docs/Engine.md describes the
// prediction.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_COMPILER_COSTFEATURES_H
#define TANDEM_COMPILER_COSTFEATURES_H

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Runtime/Program.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tandem {

/// The features. docs/Engine.md has them in a table.
enum class CostFeature : uint8_t {
#define TANDEM_COST_FEATURE(name) name,
#include "tandem/Compiler/CostFeatures.def"
};
inline constexpr size_t kCostFeatures = 0
#define TANDEM_COST_FEATURE(name) +1
#include "tandem/Compiler/CostFeatures.def"
    ;
inline constexpr std::string_view kCostFeatureNames[] = {
#define TANDEM_COST_FEATURE(name) #name,
#include "tandem/Compiler/CostFeatures.def"
};

/// A value for each feature. Times are in nanoseconds of the device's model.
class CostFeatures {
public:
  double &operator[](CostFeature feature) {
    return values[static_cast<size_t>(feature)];
  }
  double operator[](CostFeature feature) const {
    return values[static_cast<size_t>(feature)];
  }
  /// In the order of kCostFeatureNames.
  std::span<const double, kCostFeatures> all() const { return values; }

private:
  std::array<double, kCostFeatures> values{};
};

/// Returns the features of an eager program for inputs of these static types.
/// Assumes that no kernel of the compiled program is in a cache yet. Fails if
/// the types do not fit the program.
Expected<CostFeatures> describeCosts(const Program &program,
                                     std::span<const TensorType> inputs,
                                     const DeviceModel &device);

/// The predicted costs of a signature, in nanoseconds.
struct CostPrediction {
  /// The cost that occurs once per process: reading the graph and starting the
  /// compiler.
  double startNs = 0;
  /// `graphNs` is the compile cost C if all kernels are already compiled.
  /// `kernelsNs` is the additional cost of compiling new kernels.
  double graphNs = 0, kernelsNs = 0;
  /// The time of a compiled call (c) and of an eager call (e).
  double compiledNs = 0, eagerNs = 0;

  double warmNs() const { return graphNs + kernelsNs; }
  /// The compile cost C of the first compilation in a process, without the time
  /// to start the compiler.
  double firstNs() const;
  double coldNs() const { return startNs + firstNs(); }
};

/// Weighs the features by the coefficients of CostCoefficients.def, which
/// utils/measure/fit-compile-costs.py has fitted.
CostPrediction predictCosts(const CostFeatures &features);

} // namespace tandem

#endif // TANDEM_COMPILER_COSTFEATURES_H
