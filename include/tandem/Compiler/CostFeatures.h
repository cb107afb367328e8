//===- CostFeatures.h - What compile costs are predicted from ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers from which C, c and e of a signature are predicted before it is
// compiled. They come from the eager program, the shapes and the model of the
// device, in some microseconds; docs/Engine.md says how they are weighed.
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

/// The features of an eager program for inputs of these static types, all of
/// whose kernels are new. Fails where the types do not fit the program.
Expected<CostFeatures> describeCosts(const Program &program,
                                     std::span<const TensorType> inputs,
                                     const DeviceModel &device);

/// What a signature costs, in nanoseconds.
struct CostPrediction {
  /// What only a new process pays: reading the graph, starting the compiler.
  double startNs = 0;
  /// C where all kernels are known, and what compiling new ones takes besides.
  double graphNs = 0, kernelsNs = 0;
  /// c and e, per call.
  double compiledNs = 0, eagerNs = 0;

  double warmNs() const { return graphNs + kernelsNs; }
  /// C of the first compilation of a process whose compiler has been started.
  double firstNs() const;
  double coldNs() const { return startNs + firstNs(); }
};

/// Weighs the features by the coefficients of CostCoefficients.def, which
/// utils/measure/fit-compile-costs.py has fitted.
CostPrediction predictCosts(const CostFeatures &features);

} // namespace tandem

#endif // TANDEM_COMPILER_COSTFEATURES_H
