//===- OutlineKernels.cpp - tandem-outline-kernels ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/MapVector.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMOUTLINEKERNELS
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Equal for fusions of equal content.
llvm::hash_code hashOf(ir::FusionOp fusion) {
  llvm::hash_code hash = llvm::hash_combine(
      fusion.getKind(), llvm::hash_combine_range(fusion->getOperandTypes()),
      llvm::hash_combine_range(fusion->getResultTypes()));
  for (Operation &op : fusion.getBody().front())
    hash = llvm::hash_combine(hash, op.getName().getAsOpaquePointer());
  return hash;
}

bool areEqual(ir::FusionOp a, ir::FusionOp b) {
  return a.getKind() == b.getKind() &&
         a->getOperandTypes() == b->getOperandTypes() &&
         a->getResultTypes() == b->getResultTypes() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// Fusions of equal content, in the order of the first of each.
using Classes = std::vector<SmallVector<ir::FusionOp, 1>>;

Classes classify(ModuleOp module) {
  Classes classes;
  llvm::DenseMap<size_t, SmallVector<size_t, 1>> byHash;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>([&](ir::FusionOp fusion) {
      if (fusion.getKind() == ir::FusionKind::library)
        return WalkResult::skip();
      SmallVector<size_t, 1> &candidates = byHash[hashOf(fusion)];
      auto equal = llvm::find_if(candidates, [&](size_t index) {
        return areEqual(classes[index].front(), fusion);
      });
      if (equal != candidates.end()) {
        classes[*equal].push_back(fusion);
      } else {
        candidates.push_back(classes.size());
        classes.push_back({fusion});
      }
      return WalkResult::skip();
    });
  return classes;
}

/// Makes the kernel module of `fusion`, whose body moves there.
ModuleOp outline(ir::FusionOp fusion, SymbolTable &symbols, Block::iterator at,
                 unsigned &number) {
  std::string name;
  do
    name = "kernel_" + std::to_string(number++);
  while (symbols.lookup(name));
  OpBuilder builder(fusion.getContext());
  auto kernel = ModuleOp::create(fusion.getLoc(), name);
  kernel->setAttr(ir::TandemDialect::kKernelAttrName, builder.getUnitAttr());
  if (fusion.getKind() != ir::FusionKind::loop)
    kernel->setAttr(ir::TandemDialect::kKindAttrName, fusion.getKindAttr());
  symbols.insert(kernel, at);

  builder.setInsertionPointToEnd(kernel.getBody());
  auto function =
      func::FuncOp::create(builder, fusion.getLoc(), name,
                           builder.getFunctionType(fusion->getOperandTypes(),
                                                   fusion->getResultTypes()));
  ir::YieldOp yield = fusion.getYield();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, yield.getLoc(), yield.getValues());
  yield.erase();
  function.getBody().takeBody(fusion.getBody());
  return kernel;
}

/// The location of a fusion's root, then those of its other ops. Equal fusions
/// share a kernel, whose ops are those of the first of them alone.
Location locationOfAll(ir::FusionOp fusion) {
  SmallVector<Location> locations{fusion.getLoc()};
  for (Operation &op : fusion.getBody().front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      locations.push_back(op.getLoc());
  return FusedLoc::get(fusion.getContext(), locations);
}

void launch(ir::FusionOp fusion, ModuleOp kernel, Location location) {
  OpBuilder builder(fusion);
  auto launch = ir::LaunchOp::create(
      builder, location, fusion->getResultTypes(),
      FlatSymbolRefAttr::get(kernel.getSymNameAttr()), fusion.getInputs());
  fusion->replaceAllUsesWith(launch);
  fusion->erase();
}

struct OutlineKernelsPass : impl::TandemOutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Classes classes = classify(module);
    if (classes.empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(module);
    Block::iterator at = module.getBody()->begin();
    unsigned number = 0;
    for (auto &fusions : classes) {
      auto locations = llvm::map_to_vector(fusions, locationOfAll);
      ModuleOp kernel = outline(fusions.front(), symbols, at, number);
      for (auto [fusion, location] : llvm::zip_equal(fusions, locations))
        launch(fusion, kernel, location);
    }
  }
};

} // namespace
} // namespace tandem
