//===- PrintKernel.cpp - Kernels in EmitC as CUDA C++ ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintKernel.h"

#include "CUDASource.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// Adds to a function the marker lines that rewriteSource goes by.
class NameMarker {
public:
  explicit NameMarker(emitc::FuncOp kernel) : kernel(kernel) {}
  void run();

private:
  void markArguments(Block &block);
  void markOp(Operation *op);
  void mark(OpBuilder &builder, Value value, StringRef kind, StringRef name);
  std::string unique(StringRef name, bool numbered);
  std::string nameOf(Operation *op);

  emitc::FuncOp kernel;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> counts;
};

/// The name that a location carries, if any.
StringRef nameIn(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = nameIn(part); !name.empty())
        return name;
  return "";
}

/// What an op without a name computes, in a word.
StringRef describe(Operation *op) {
  if (auto expression = dyn_cast<emitc::ExpressionOp>(op))
    op = expression.getRootOp();
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op)) {
    StringRef callee = call.getCallee().ltrim('_');
    // tanhf is tanh of floats.
    return callee.size() > 3 && callee.ends_with("f") && callee != "erf"
               ? callee.drop_back()
               : callee;
  }
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<emitc::AddOp>([](auto) { return "sum"; })
      .Case<emitc::SubOp>([](auto) { return "difference"; })
      .Case<emitc::MulOp>([](auto) { return "product"; })
      .Case<emitc::DivOp>([](auto) { return "quotient"; })
      .Case<emitc::RemOp>([](auto) { return "remainder"; })
      .Case<emitc::UnaryMinusOp>([](auto) { return "negated"; })
      .Case<emitc::CmpOp>([](auto) { return "compared"; })
      .Case<emitc::BitwiseAndOp, emitc::LogicalAndOp>(
          [](auto) { return "both"; })
      .Case<emitc::BitwiseOrOp, emitc::LogicalOrOp>(
          [](auto) { return "either"; })
      .Case<emitc::ConditionalOp>([](auto) { return "selected"; })
      .Case<emitc::CastOp>([](auto) { return "converted"; })
      .Case<emitc::VariableOp>([](auto) { return "result"; })
      .Default([](Operation *) { return "value"; });
}

/// Whether an operand is printed between delimiters, whatever it is.
bool isDelimited(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op))
    return call.getNumResults() == 0;
  if (isa<emitc::SubscriptOp>(op))
    return use.getOperandNumber() != 0;
  return isa<emitc::AssignOp, emitc::ForOp, emitc::IfOp>(op);
}

/// Whether the load reads a variable that is only assigned in an emitc.if
/// before the load.
bool readsSettledVariable(emitc::LoadOp load) {
  auto variable = load.getOperand().getDefiningOp<emitc::VariableOp>();
  return variable && llvm::all_of(variable->getUsers(), [&](Operation *user) {
           if (!isa<emitc::AssignOp>(user))
             return isa<emitc::LoadOp, emitc::VerbatimOp>(user);
           auto branch = dyn_cast<emitc::IfOp>(user->getParentOp());
           return branch && branch->getBlock() == load->getBlock();
         });
}

bool belongsInline(Operation *op) {
  if (auto load = dyn_cast<emitc::LoadOp>(op);
      load && readsSettledVariable(load))
    return true;
  if (!isa<emitc::ExpressionOp>(op) || !op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  return use.getOwner()->getBlock() == op->getBlock() && isDelimited(use);
}

} // namespace

std::string NameMarker::unique(StringRef name, bool numbered) {
  static constexpr StringRef reserved[] = {
      "bool",  "char", "const", "double", "else",     "float",
      "for",   "half", "if",    "int",    "long",     "return",
      "short", "void", "while", "signed", "unsigned", "auto"};
  std::string base;
  for (char c : name)
    base += llvm::isAlnum(c) ? c : '_';
  // Neither a number first nor what upstream's printer calls its variables.
  StringRef digits = StringRef(base).drop_front(base.empty() ? 0 : 1);
  if (base.empty() || llvm::isDigit(base.front()) ||
      (StringRef("vi").contains(base.front()) && !digits.empty() &&
       llvm::all_of(digits, llvm::isDigit)))
    base.insert(0, "_");
  bool bare = !numbered && !llvm::is_contained(reserved, base);
  std::string result = base;
  while (!bare || !taken.insert(result).second) {
    result = base + "_" + std::to_string(++counts[base]);
    bare = true;
  }
  return result;
}

std::string NameMarker::nameOf(Operation *op) {
  StringRef given = nameIn(op->getLoc());
  return given.empty() ? unique(describe(op), /*numbered=*/true)
                       : unique(given, /*numbered=*/isa<emitc::LoadOp>(op));
}

void NameMarker::mark(OpBuilder &builder, Value value, StringRef kind,
                      StringRef name) {
  std::string text = ("//@" + kind + " {} " + name).str();
  emitc::VerbatimOp::create(builder, kernel.getLoc(), StringRef(text).rtrim(),
                            value);
}

void NameMarker::markArguments(Block &block) {
  auto builder = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments()) {
    StringRef given = nameIn(argument.getLoc());
    mark(builder, argument, "name",
         unique(given.empty() ? "argument" : given, given.empty()));
  }
}

void NameMarker::markOp(Operation *op) {
  // What is printed in place has no name.
  if (op->getNumResults() != 1 || op->use_empty() ||
      isa<emitc::LiteralOp, emitc::SubscriptOp>(op))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  if (belongsInline(op))
    return mark(builder, op->getResult(0), "inline", "");
  StringRef kind = op->hasAttr("alignment")     ? "aligned"
                   : op->hasAttr("shared")      ? "shared"
                   : isa<emitc::VariableOp>(op) ? "name"
                                                : "const";
  mark(builder, op->getResult(0), kind, nameOf(op));
}

void NameMarker::run() {
  // A variable must not hide a function that is called below it.
  kernel.walk(
      [&](emitc::CallOpaqueOp call) { taken.insert(call.getCallee()); });
  kernel.walk<WalkOrder::PreOrder>([&](Block *block) {
    if (isa<emitc::ExpressionOp>(block->getParentOp()))
      return WalkResult::skip();
    markArguments(*block);
    return WalkResult::advance();
  });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    markOp(op);
    return isa<emitc::ExpressionOp>(op) ? WalkResult::skip()
                                        : WalkResult::advance();
  });
}

static void addLaunchComment(emitc::FuncOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>("blocks");
  auto threads = kernel->getAttrOfType<IntegerAttr>("threads");
  if (!blocks || !threads)
    return;
  OpBuilder builder(kernel);
  std::string text = "// Launched with " + std::to_string(blocks.getInt()) +
                     (blocks.getInt() == 1 ? " block of " : " blocks of ") +
                     std::to_string(threads.getInt()) + " threads.";
  emitc::VerbatimOp::create(builder, kernel.getLoc(), text, ValueRange());
}

FailureOr<std::string> tandem::printKernel(ModuleOp module) {
  module.walk([](emitc::FuncOp kernel) {
    NameMarker(kernel).run();
    addLaunchComment(kernel);
  });
  std::string printed;
  llvm::raw_string_ostream os(printed);
  if (failed(emitc::translateToCpp(module, os)))
    return failure();
  return rewriteSource(printed);
}
