//===- FusionDecision.cpp - May A fuse into B, and why not ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/FusionDecision.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tandem;

namespace {

struct RefusalText {
  llvm::StringLiteral name;
  /// {0} and {1} are the decision's numbers.
  const char *format;
};

/// In the order of FusionRefusal.
const RefusalText kTexts[] = {
    {"None", "it may"},
    {"DynamicShape", "a shape is not static"},
    {"NoElements", "the result has no elements"},
    {"NotAnOp", "it is no op of the table with one result"},
    {"NotElementwise", "its elements cannot be computed one at a time"},
    {"TooManyReads", "it reads {0} elements per result, more than {1}"},
    {"NoSimpleIndexing", "its indexing needs divisions"},
    {"ConsumerNotFusible", "no consumer of it is a kernel"},
    {"NeededOutside", "the value is needed outside as well"},
    {"BodyTooLarge", "the kernel would read {0} elements per result, more "
                     "than {1}"},
    {"TooManyResults", "the kernel would have {0} results, more than {1}"},
    {"RecomputeCostsMore", "computing it again costs {0} ns, storing and "
                           "loading it {1} ns"},
    {"DifferentIterationSpace", "the loops run over different spaces"},
    {"WouldCycle", "the kernel would depend on its own result"},
    {"OutOfFuel", "the fusion fuel is spent"},
};
static_assert(std::size(kTexts) == kNumFusionRefusals);

const RefusalText &text(FusionRefusal refusal) {
  return kTexts[static_cast<unsigned>(refusal)];
}

} // namespace

std::string FusionDecision::str() const {
  return llvm::formatv(false, text(refusal).format, actual, limit).str();
}

llvm::StringRef tandem::name(FusionRefusal refusal) {
  return text(refusal).name;
}
