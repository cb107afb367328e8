//===- CUDAContractionModel.cpp - Contractions that are generated ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDAContractionModel.h"

#include "tandem/Analysis/Contraction/Contraction.h"
#include "tandem/Target/CUDA/KernelPasses.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tandem {
namespace {

/// Generates kernels for small convolutions and small products of bytes, whose
/// data is staged in shared memory. Larger contractions are left to the
/// libraries or to prebuilt kernels.
class CUDAContractionModel final : public ContractionModel {
public:
  StringRef name() const override { return "cuda"; }

  Status checkGenerated(Operation *hero,
                        const Contraction &contraction) const override {
    // A constant whose elements are all equal is not an operand of a kernel.
    for (Value operand : hero->getOperands())
      if (SplatElementsAttr splat; matchPattern(operand, m_Constant(&splat)))
        return fail("codegen", "reads a constant of one value");
    return codegen::checkSmallContraction(hero, contraction);
  }
  /// Each product takes a fused multiply-add and a quarter of a load. Four
  /// products of bytes take an integer multiply-add, of which there are half as
  /// many per clock ("Arithmetic Instructions", CUDA C++ Programming Guide).
  double getEfficiency(const DeviceModel &,
                       const Contraction &contraction) const override {
    constexpr double kShare = 0.8, kIntegerShare = 0.5;
    if (!contraction.areBytesWidened())
      return kShare;
    const double inputs = double(contraction.inputChannels);
    return kShare * kIntegerShare * inputs / std::ceil(inputs / 4);
  }

  Status checkPrologue(const Contraction &) const override {
    return fail("codegen", "loads its data into shared memory as it is");
  }
  double getPrologueRuns(const DeviceModel &,
                         const Contraction &) const override {
    return 1;
  }
  /// What is computed again takes no launch.
  WindowCosts getWindowCosts(const DeviceModel &device,
                             const Contraction &contraction,
                             const ContractionWindow &window,
                             int64_t elementBytes, double ns) const override {
    codegen::BlockPart part =
        codegen::getBlockPart(contraction, window, elementBytes);
    double work = std::max(ns - device.launchNs, 0.0) / std::max(ns, 1.0);
    return {.partBytes = part.bytes,
            .mostPartBytes = part.mostBytes,
            .repeatedShare = part.repeatedShare * work};
  }
};

} // namespace

const ContractionModel &cudaContractionModel() {
  static const CUDAContractionModel model;
  return model;
}

} // namespace tandem
