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
  /// {0} and {1} are the decision's numbers, {2} its text.
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
    {"TooManyOperands", "it joins {0} operands, more than {1}"},
    {"WrittenInPlace", "its operands can be computed in place of its result"},
    {"ViewOfArgument", "it is a view of an argument"},
    {"NoSimpleIndexing", "its indexing needs divisions"},
    {"ConsumerNotFusible", "no consumer of it is a kernel"},
    {"NeededOutside", "the value is needed outside as well"},
    {"SeveralResults", "its kernel has several results"},
    {"BodyTooLarge", "the kernel would read {0} elements per result, more "
                     "than {1}"},
    {"TooManyResults", "the kernel would have {0} results, more than {1}"},
    {"RecomputeCostsMore", "computing it there costs {0} ns, in a kernel of "
                           "its own {1} ns"},
    {"DifferentIterationSpace", "the loops run over different spaces"},
    {"WouldCycle", "the kernel would depend on its own result"},
    {"NotGenerated", "no kernel can be generated around it: it {2}"},
    {"LoopCostsLess", "as part of a loop it costs {0} ns, as a kernel of its "
                      "own {1} ns"},
    {"LibraryCostsLess", "a library takes {0} ns, a kernel {1} ns"},
    {"NotElementwiseOp", "it is not elementwise"},
    {"AcrossTiles", "it reads what several tasks of the kernel compute: it "
                    "{2}"},
    {"PartTooLarge", "each task would have to keep {0} bytes for it, more than "
                     "{1}"},
    {"NotFromMemory", "the kernel reads it as weights or bias as well, which "
                      "come from memory"},
    {"NotStaged", "no task of the kernel can compute the data that it reads: "
                  "the contraction {2}"},
    {"DifferentShape", "its shape is not one that the kernel works on"},
    {"NotReadInPlace", "it reads what the kernel computes at another index"},
    {"Taken", "another kernel has it"},
    {"SmallReduction", "it reduces {0} elements, no more than the {1} that a "
                       "loop takes, and gives nothing back to them"},
    {"ViewAtEdge", "it is a view of the kernel's result"},
    {"LeftToReaders", "it only makes the result larger, and those who read it "
                      "can compute it"},
    {"FewRows", "the kernel's few rows leave cores idle: there it costs {0} "
                "ns, in a kernel of its own {1} ns"},
    {"NotInLibraryCall", "no call of a library computes it with the "
                         "contraction: it {2}"},
    {"UpdateNotInPlace", "the kernel could not update its input in place"},
    {"OtherPhase", "it belongs to another phase of the training step"},
    {"OutOfFuel", "the fusion fuel is spent"},
};
static_assert(std::size(kTexts) == kNumFusionRefusals);

const RefusalText &getText(FusionRefusal refusal) {
  return kTexts[static_cast<unsigned>(refusal)];
}

} // namespace

std::string FusionDecision::str() const {
  return llvm::formatv(false, getText(refusal).format, actual, limit, text)
      .str();
}

llvm::StringRef tandem::name(FusionRefusal refusal) {
  return getText(refusal).name;
}

llvm::StringRef tandem::name(FusionQuestion question) {
  switch (question) {
  case FusionQuestion::ProducerConsumer:
    return "ProducerConsumer";
  case FusionQuestion::MultiOutput:
    return "MultiOutput";
  case FusionQuestion::Siblings:
    return "Siblings";
  case FusionQuestion::Hero:
    return "Hero";
  case FusionQuestion::PrologueOrEpilogue:
    return "PrologueOrEpilogue";
  }
  return "";
}
