//===- TabulateBytes.cpp - tandem-tabulate-bytes --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantized network computes, for example, x * sigmoid(x) of integers q of 8
// bits: it dequantizes q, computes in f32, quantizes, and does so again for the
// product. All of that is one function of q, which has 256 values.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseChain.h"

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/OpTable.h"
#include "tandem/Target/Program/ConstantEvaluation.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMTABULATEBYTES
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

constexpr int64_t kTableSize = 256;
/// The most ops of a function, all of which are cloned to compute its table.
/// The ops behind them begin another function.
constexpr size_t kMaxOps = 64;
/// A function with fewer operations (OpInfo::flops) takes less time than a
/// table: on AVX2, a lookup of 8 bytes takes about 32 instructions, and
/// an op of a quantized graph takes one to six.
constexpr int kLeastFlops = 16;

/// What a value is, element by element: a function of one tensor of bytes.
struct ByteFunction {
  Value argument;
  /// The ops that compute it, in order.
  llvm::SetVector<Operation *> ops;

  bool isWorthTable() const;
};

/// Finds functions of bytes, and puts tables in their places.
class Tabulation {
public:
  /// Notes what the results of `op` are. Ops must be visited in order.
  void visit(Operation *op);
  /// Replaces the functions whose results are bytes.
  void replaceAll();

private:
  bool isConstantNumber(Value value) const;
  /// The function that `value` is; the identity for other tensors of bytes.
  std::optional<ByteFunction> functionOf(Value value) const;
  std::optional<ByteFunction> compose(Operation *op) const;
  /// Clones the function, applied to all bytes.
  Value applyToAllBytes(const ByteFunction &function, Value result) const;
  /// Replaces a result by a table, or by the argument if the two are equal.
  /// Returns false if a table cannot be computed, or would be slower than the
  /// ops.
  bool replace(const ByteFunction &function, Value result) const;

  /// Values of one element that depend on constants alone.
  llvm::DenseSet<Value> numbers;
  llvm::MapVector<Value, ByteFunction> functions;
};

} // namespace

bool ByteFunction::isWorthTable() const {
  int flops = 0;
  for (Operation *op : ops)
    flops += getOpInfo(cast<ir::TandemOpInterface>(op).getOpDesc().kind).flops;
  return flops >= kLeastFlops;
}

bool Tabulation::isConstantNumber(Value value) const {
  return numbers.contains(value) ||
         (matchPattern(value, m_Constant()) && hasOneElement(value));
}

std::optional<ByteFunction> Tabulation::functionOf(Value value) const {
  if (auto it = functions.find(value); it != functions.end())
    return it->second;
  if (isByte(value) && !matchPattern(value, m_Constant()))
    return ByteFunction{value, {}};
  return std::nullopt;
}

/// The function that the result of an elementwise op is, if it is one of bytes.
std::optional<ByteFunction> Tabulation::compose(Operation *op) const {
  ByteFunction composed;
  for (Value operand : op->getOperands()) {
    if (isConstantNumber(operand))
      continue;
    std::optional<ByteFunction> function = functionOf(operand);
    if (!function ||
        (composed.argument && composed.argument != function->argument))
      return std::nullopt;
    composed.argument = function->argument;
    composed.ops.insert_range(function->ops);
  }
  if (!composed.argument || composed.ops.size() >= kMaxOps ||
      shapeOf(composed.argument) != shapeOf(op->getResult(0)))
    return std::nullopt;
  composed.ops.insert(op);
  return composed;
}

void Tabulation::visit(Operation *op) {
  if (!isa<ir::TandemOpInterface>(op) || op->getNumResults() != 1 ||
      op->getNumOperands() == 0)
    return;
  Value result = op->getResult(0);
  if (canEvaluate(op) && hasOneElement(result) &&
      llvm::all_of(op->getOperands(),
                   [&](Value operand) { return isConstantNumber(operand); }))
    numbers.insert(result);
  else if (isa<ir::ElementwiseOpInterface>(op))
    if (std::optional<ByteFunction> function = compose(op))
      functions[result] = std::move(*function);
}

Value Tabulation::applyToAllBytes(const ByteFunction &function,
                                  Value result) const {
  OpBuilder builder(result.getDefiningOp());
  const auto tableOf = [](Value value) {
    return RankedTensorType::get({kTableSize}, getElementTypeOrSelf(value));
  };
  SmallVector<char> bytes;
  for (int64_t byte = 0; byte < kTableSize; ++byte)
    bytes.push_back(static_cast<char>(byte));
  IRMapping mapping;
  mapping.map(function.argument,
              ir::ConstantOp::create(builder, result.getLoc(),
                                     DenseElementsAttr::getFromRawBuffer(
                                         tableOf(function.argument), bytes))
                  .getResult());
  return cloneForShape(builder, function.ops.getArrayRef(), mapping,
                       kTableSize);
}

/// Whether the table maps each byte to itself.
static bool isIdentity(ArrayRef<char> table) {
  return llvm::all_of(llvm::enumerate(table), [](const auto &entry) {
    return static_cast<unsigned char>(entry.value()) == entry.index();
  });
}

bool Tabulation::replace(const ByteFunction &function, Value result) const {
  constexpr double kMostBytes = 1 << 20;
  const bool hasSameType = function.argument.getType() == result.getType();
  if (!hasSameType && !function.isWorthTable())
    return false;
  Value all = applyToAllBytes(function, result);
  Expected<std::optional<Tensor>> elements = evaluateConstant(all, kMostBytes);
  if (!elements || !*elements)
    return false;
  const ArrayRef bytes((*elements)->as<char>(), kTableSize);
  if (hasSameType && isIdentity(bytes)) {
    result.replaceAllUsesWith(function.argument);
    return true;
  }
  if (!function.isWorthTable())
    return false;
  OpBuilder builder(result.getDefiningOp());
  Location loc = result.getLoc();
  Value table = ir::ConstantOp::create(
      builder, loc, DenseElementsAttr::getFromRawBuffer(typeOf(all), bytes));
  // Bytes are found by their value as unsigned numbers.
  Value index = function.argument;
  if (!isUnsigned(index))
    index = ir::BitcastOp::create(
        builder, loc, index, builder.getIntegerType(8, /*isSigned=*/false));
  index = ir::CastOp::create(builder, loc, index, builder.getI32Type());
  result.replaceAllUsesWith(
      ir::GatherOp::create(builder, loc, table, index, /*axis=*/0));
  return true;
}

void Tabulation::replaceAll() {
  // The last functions come first. Most of the others only compute these, and
  // nothing reads them once these are replaced.
  llvm::DenseSet<Operation *> dead;
  for (auto &[result, function] : llvm::reverse(functions)) {
    const bool isDead = llvm::all_of(result.getUsers(), [&](Operation *user) {
      return dead.contains(user);
    });
    if (isDead || (isByte(result) && replace(function, result)))
      dead.insert(result.getDefiningOp());
  }
}

namespace {
struct TabulateBytes : impl::TandemTabulateBytesBase<TabulateBytes> {
  void runOnOperation() override {
    Tabulation tabulation;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { tabulation.visit(op); });
    tabulation.replaceAll();
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace

} // namespace tandem
