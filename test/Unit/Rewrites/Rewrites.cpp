//===- Rewrites.cpp - One rewrite of the compiler at a time ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "Dialect/Tandem/IR/Folding.h"
#include "Dialect/Tandem/Transforms/SimplifyPatterns.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::test;

static constexpr const char *kConstants = "Constants";

static MLIRContext &getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry.insert<ir::TandemDialect, func::FuncDialect>();
    auto *created = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    created->loadAllAvailableDialects();
    return created;
  }();
  return *context;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

static std::string nameOf(const ir::FoldRule &rule) {
  return (rule.op + ": " + rule.name).str();
}

/// Puts what an op folds to in the place of its result; false where it does not
/// fold.
static bool replace(Operation *op, OpFoldResult folded) {
  if (!folded || folded == OpFoldResult(op->getResult(0)))
    return static_cast<bool>(folded);
  Value value = llvm::dyn_cast<Value>(folded);
  OpBuilder builder(op);
  if (!value)
    value = op->getDialect()
                ->materializeConstant(builder, llvm::cast<Attribute>(folded),
                                      op->getResult(0).getType(), op->getLoc())
                ->getResult(0);
  op->getResult(0).replaceAllUsesWith(value);
  return true;
}

/// Calls `fold` with each op of the dialect and its constant operands.
template <typename Fold> static bool foldAll(ModuleOp module, Fold fold) {
  bool hasChanged = false;
  module.walk([&](Operation *op) {
    if (!isa<ir::TandemOpInterface>(op))
      return;
    SmallVector<Attribute> operands(op->getNumOperands());
    for (auto [operand, value] : llvm::zip(operands, op->getOperands()))
      matchPattern(value, m_Constant(&operand));
    hasChanged |= replace(op, fold(op, operands));
  });
  return hasChanged;
}

static bool applyRule(const ir::FoldRule &rule, ModuleOp module) {
  return foldAll(module, [&](Operation *op, ir::Operands operands) {
    return op->getName().getTypeID() == rule.id ? rule.apply(op, operands)
                                                : OpFoldResult();
  });
}

/// Folds the ops all of whose operands are constants.
static bool foldConstants(ModuleOp module) {
  return foldAll(module, [&](Operation *op, ir::Operands operands) {
    SmallVector<OpFoldResult> results;
    if (!llvm::all_of(operands, [](Attribute a) { return bool(a); }) ||
        failed(op->fold(operands, results)) || results.empty())
      return OpFoldResult();
    return results[0];
  });
}

//===----------------------------------------------------------------------===//
// Patterns and passes
//===----------------------------------------------------------------------===//

/// The name of the pattern's class.
static std::string nameOf(const Pattern &pattern) {
  StringRef name = pattern.getDebugName();
  const size_t colon = name.rfind(':');
  return name.substr(colon == name.npos ? 0 : colon + 1).str();
}

static FailureOr<bool> applyPattern(const std::string &name, ModuleOp module) {
  RewritePatternSet all(module.getContext()), chosen(module.getContext());
  populateSimplifyPatterns(all);
  for (std::unique_ptr<RewritePattern> &pattern : all.getNativePatterns())
    if (nameOf(*pattern) == name)
      chosen.add(std::move(pattern));
  if (chosen.getNativePatterns().empty())
    return failure();
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  bool hasChanged = false;
  if (failed(applyPatternsGreedily(module, std::move(chosen), config,
                                   &hasChanged)))
    return failure();
  return hasChanged;
}

using CreatePass = std::unique_ptr<Pass> (*)();
static const std::pair<const char *, CreatePass> kPasses[] = {
    {"tandem-decompose-conv-backward-data",
     [] { return createTandemDecomposeConvBackwardData(); }},
    {"tandem-decompose-layer-norm",
     [] { return createTandemDecomposeLayerNorm(); }},
    {"tandem-drop-stop-gradients",
     [] { return createTandemDropStopGradients(); }},
    {"tandem-decompose-resize", [] { return createTandemDecomposeResize(); }},
    {"tandem-decompose-softmax", [] { return createTandemDecomposeSoftmax(); }},
    {"tandem-split-reductions", [] { return createTandemSplitReductions(); }},
    {"tandem-materialize-padding",
     [] { return createTandemMaterializePadding(); }},
    {"tandem-evaluate-constants",
     [] { return createTandemEvaluateConstants(); }},
    {"tandem-quantize-before-moves",
     [] { return createTandemQuantizeBeforeMoves(); }},
    {"tandem-tabulate-bytes", [] { return createTandemTabulateBytes(); }},
};

static FailureOr<bool> applyPass(CreatePass create, ModuleOp module) {
  const std::string before = print(module);
  PassManager passes(module.getContext());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(create());
  if (failed(passes.run(module)))
    return failure();
  return print(module) != before;
}

static FailureOr<bool> apply(const std::string &name, ModuleOp module) {
  for (const auto &[pass, create] : kPasses)
    if (name == pass)
      return applyPass(create, module);
  for (const ir::FoldRule &rule : ir::getFoldRules())
    if (name == nameOf(rule))
      return applyRule(rule, module);
  if (name == kConstants)
    return foldConstants(module);
  return applyPattern(name, module);
}

std::vector<std::string> test::rewriteNames() {
  std::vector<std::string> names = {kConstants};
  for (const ir::FoldRule &rule : ir::getFoldRules())
    names.push_back(nameOf(rule));
  RewritePatternSet patterns(&getContext());
  populateSimplifyPatterns(patterns);
  for (const auto &pattern : patterns.getNativePatterns())
    names.push_back(nameOf(*pattern));
  for (const auto &[pass, create] : kPasses)
    names.push_back(pass);
  return names;
}

Expected<Rewritten> test::applyRewrite(const std::string &name,
                                       const std::string &text) {
  auto module = parseSourceString<ModuleOp>(text, &getContext());
  if (!module)
    return fail("parse", "the graph does not parse:\n" + text);
  FailureOr<bool> hasChanged = apply(name, *module);
  if (failed(hasChanged) || failed(verify(*module)))
    return fail("rewrite", name + " fails for:\n" + text);
  return Rewritten{print(*module), *hasChanged};
}
