//===- Fallback.cpp - Kernels back to the ops they were made of -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Fallback.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tandem {

/// The location of a kernel's op where `launch` is. Equal fusions share a
/// kernel, whose ops have the locations of the first fusion. The ops of another
/// fusion get all locations of its launch.
static Location locationAt(ir::LaunchOp launch, Operation &op) {
  auto all = dyn_cast<FusedLoc>(launch.getLoc());
  const bool isOwn = all ? llvm::is_contained(all.getLocations(), op.getLoc())
                         : launch.getLoc() == op.getLoc();
  return isOwn ? op.getLoc() : launch.getLoc();
}

static void inlineAt(ir::LaunchOp launch, func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  OpBuilder builder(launch);
  IRMapping map;
  map.map(body.getArguments(), launch.getInputs());
  for (Operation &op : body.without_terminator())
    builder.clone(op, map)->setLoc(locationAt(launch, op));
  for (auto [result, value] : llvm::zip_equal(
           launch.getOutputs(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(map.lookup(value));
  launch.erase();
}

/// Replaces the ops of a target's dialect, which the runtime cannot execute.
static void replaceTargetOps(ModuleOp module) {
  module.walk([](Operation *op) {
    Value value;
    OpBuilder builder(op);
    if (auto identity = dyn_cast<ir::IdentityOpInterface>(op))
      value = identity.getSource();
    else if (auto weights = dyn_cast<ir::ScaledWeightsOpInterface>(op))
      value = weights.expand(builder);
    else if (auto integers = dyn_cast<ir::UnpackedIntegersOpInterface>(op))
      value = integers.expand(builder);
    else
      return;
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
  });
}

void inlineKernels(ModuleOp program, ArrayRef<ModuleOp> kernels) {
  llvm::StringMap<func::FuncOp> functions;
  for (ModuleOp kernel : kernels)
    functions[*kernel.getSymName()] =
        kernel.lookupSymbol<func::FuncOp>(*kernel.getSymName());
  for (auto function : program.getOps<func::FuncOp>())
    function.walk([&](ir::LaunchOp launch) {
      auto kernel = functions.find(launch.getKernel());
      if (kernel != functions.end())
        inlineAt(launch, kernel->second);
    });
  replaceTargetOps(program);
}

Expected<Program> emitOps(ModuleOp kernel) {
  OwningOpRef<ModuleOp> copy = kernel.clone();
  replaceTargetOps(*copy);
  FailureOr<Program> program =
      emitProgram(copy->lookupSymbol<func::FuncOp>(*kernel.getSymName()));
  if (failed(program))
    return fail("emit", "the ops of a kernel cannot be emitted");
  return std::move(*program);
}

} // namespace tandem
