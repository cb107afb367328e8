//===- CanonicalKernel.cpp - A kernel apart from any context --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/CanonicalKernel.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tandem {

/// An op's location, and those of its blocks' arguments.
static void stripLocations(Operation *op, Location unknown) {
  op->setLoc(unknown);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setLoc(unknown);
}

static OwningOpRef<ModuleOp> cloneWithoutLocations(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  Location unknown = UnknownLoc::get(module.getContext());
  copy->walk([&](Operation *op) { stripLocations(op, unknown); });
  return copy;
}

static FailureOr<std::string> write(ModuleOp module, bool withResources) {
  BytecodeWriterConfig config;
  config.setElideResourceDataFlag(!withResources);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(module, stream, config)))
    return failure();
  return bytes;
}

FailureOr<std::string> writeCanonical(ModuleOp kernel) {
  OwningOpRef<ModuleOp> copy = cloneWithoutLocations(kernel);
  if (auto name = kernel.getSymName())
    if (auto function = copy->lookupSymbol<func::FuncOp>(*name))
      function.setName(kKernelSymbol);
  copy->setSymName(kKernelSymbol);
  return write(*copy, /*withResources=*/true);
}

FailureOr<std::string> writeStructure(ModuleOp graph) {
  return write(*cloneWithoutLocations(graph), /*withResources=*/false);
}

} // namespace tandem
