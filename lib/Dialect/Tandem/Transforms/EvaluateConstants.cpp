//===- EvaluateConstants.cpp - tandem-evaluate-constants ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Integers/ScaledWeights.h"

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/SharedConstants.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/WeightFactors.h"
#include "tandem/Runtime/DiskCache.h"
#include "tandem/Support/ConstantMemory.h"
#include "tandem/Target/Program/ConstantEvaluation.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>

namespace tandem {
#define GEN_PASS_DEF_TANDEMEVALUATECONSTANTS
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Bytes of a value of static type; those of one element where a constant
/// repeats it.
int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    type = RankedTensorType::get({}, type.getElementType());
  return ir::toTandemType(type).bytes();
}

/// The largest intermediate result, in bytes, that may be computed for a
/// constant, unless the constants that it depends on have at least a quarter of
/// its bytes. A fused kernel might never store such a result.
constexpr int64_t kMaxBytes = int64_t(1) << 28;

/// The ops of a function that depend on constants alone, and which of their
/// results are constants to be.
class ConstantOps {
public:
  explicit ConstantOps(Block &block);

  /// In order, those that other ops or the caller read.
  SmallVector<Value> findResults() const;
  /// All that `value` is computed by, constants included, in order.
  SmallVector<Operation *> opsOf(Value value) const;

private:
  /// What is known of an op's result.
  struct Info {
    /// Whether the result becomes a constant wherever it is read, and whether
    /// it does where a contraction reads it as weights.
    bool isKept, isKeptAsWeights;
    /// If the result does not become a constant: the values that it is computed
    /// from, and the cost of computing it (savedBytes).
    llvm::SmallSetVector<Value, 4> sources;
    double saved;
    /// Bytes of the largest result on the way, its own included.
    int64_t largest;
  };

  bool dependsOnConstants(Operation *op) const;
  Info describe(Value result) const;

  Block &block;
  llvm::DenseMap<Value, Info> infos;
};

ConstantOps::ConstantOps(Block &block) : block(block) {
  for (Operation &op : block.without_terminator())
    if (dependsOnConstants(&op))
      for (Value result : op.getResults())
        infos.try_emplace(result, describe(result));
}

bool ConstantOps::dependsOnConstants(Operation *op) const {
  auto isConstant = [&](Value value) {
    return infos.contains(value) || matchPattern(value, m_Constant());
  };
  return canEvaluate(op) && llvm::all_of(op->getOperands(), isConstant);
}

ConstantOps::Info ConstantOps::describe(Value result) const {
  auto op = cast<ir::TandemOpInterface>(result.getDefiningOp());
  const int64_t bytes = bytesOf(result);
  Info info{false, false, {}, 0, bytes};
  for (Value operand : op->getOperands()) {
    auto known = infos.find(operand);
    if (known == infos.end() || known->second.isKept) {
      info.sources.insert(operand);
      continue;
    }
    info.sources.insert_range(known->second.sources);
    info.saved += known->second.saved;
    info.largest = std::max(info.largest, known->second.largest);
  }
  if (FailureOr<OpCost> cost = op.getCost(); succeeded(cost))
    info.saved += savedBytes(*cost);
  int64_t read = 0;
  for (Value source : info.sources)
    read += bytesOf(source);
  info.isKeptAsWeights = info.largest <= std::max(kMaxBytes, 4 * read) &&
                         isWorthKeeping(info.saved, bytes);
  // Kernels compute such ops where they are read, unless the result has no more
  // bytes than its sources. Weights come from memory.
  info.isKept = isa<ir::IndexingOpInterface, ir::IotaOp>(op.getOperation())
                    ? bytes <= read
                    : info.isKeptAsWeights;
  return info;
}

SmallVector<Value> ConstantOps::findResults() const {
  llvm::SetVector<Value> results;
  for (Operation &op : block) {
    if (op.getNumResults() > 0 && infos.contains(op.getResult(0)))
      continue;
    SmallVector<Value> open(op.getOperands());
    if (auto contraction = dyn_cast<ir::ContractionOpInterface>(op)) {
      auto weights = infos.find(contraction.getWeights());
      if (weights != infos.end() && weights->second.isKeptAsWeights)
        results.insert(weights->first);
    }
    while (!open.empty()) {
      auto known = infos.find(open.pop_back_val());
      if (known == infos.end())
        continue;
      if (known->second.isKept)
        results.insert(known->first);
      else
        llvm::append_range(open, known->second.sources);
    }
  }
  return results.takeVector();
}

SmallVector<Operation *> ConstantOps::opsOf(Value value) const {
  llvm::SetVector<Operation *> ops;
  SmallVector<Operation *> open{value.getDefiningOp()};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!ops.insert(op))
      continue;
    for (Value operand : op->getOperands())
      open.push_back(operand.getDefiningOp());
  }
  SmallVector<Operation *> inOrder = ops.takeVector();
  llvm::sort(inOrder, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return inOrder;
}

/// All that the result depends on, except the program's constants.
std::string describe(const Program &program) {
  fb::ProgramT steps = program;
  for (auto &step : steps.steps) {
    step->location.clear();
    step->sources.clear();
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Program::Pack(builder, &steps));
  return digestOf(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

/// Writes the bytes of a constant that are made of a computed tensor; false if
/// it cannot be done.
using StoreConstant =
    llvm::function_ref<bool(const Tensor &, MutableArrayRef<char>)>;

/// The constant of `type` that `store` makes of `value`; null if it cannot be
/// computed. `form` names the conversion that `store` does.
/// Special values: all are what eager computes at run time, bit for bit.
ElementsAttr evaluate(Value value, ArrayRef<Operation *> ops,
                      RankedTensorType type, StringRef form,
                      StoreConstant store) {
  FailureOr<Program> program = makeConstantProgram(value, ops);
  if (failed(program))
    return {};
  SmallVector<ElementsAttr> sources;
  for (Operation *op : ops)
    if (ElementsAttr elements; matchPattern(op, m_Constant(&elements)))
      sources.push_back(elements);
  const std::string text = describe(*program) + form.str();
  return ir::getComputed(sources, type, text, [&](MutableArrayRef<char> bytes) {
    Expected<Tensor> result = runConstantProgram(std::move(*program));
    return result && store(*result, bytes);
  });
}

/// Copies a tensor.
bool copy(const Tensor &tensor, MutableArrayRef<char> bytes) {
  if (tensor.bytes() != static_cast<int64_t>(bytes.size()))
    return false;
  llvm::copy(ArrayRef(tensor.as<char>(), bytes.size()), bytes.begin());
  return true;
}

/// Converts a tensor in f32 whose elements all are integers of 8 bits. A
/// negative zero is none.
bool narrow(const Tensor &tensor, MutableArrayRef<char> bytes) {
  const ArrayRef numbers(tensor.as<float>(), bytes.size());
  for (auto [number, byte] : llvm::zip_equal(numbers, bytes)) {
    const float inRange = std::clamp(number, -128.0f, 127.0f);
    const auto integer = std::isnan(number) ? int8_t(0) : int8_t(inRange);
    if (llvm::bit_cast<uint32_t>(float(integer)) !=
        llvm::bit_cast<uint32_t>(number))
      return false;
    byte = static_cast<char>(integer);
  }
  return true;
}

/// `scales` as a constant of `type`, to which they broadcast.
ElementsAttr broadcast(ElementsAttr scales, RankedTensorType type) {
  auto given = cast<RankedTensorType>(scales.getType());
  if (given == type)
    return scales;
  ir::StridedBox box;
  box.sizes.assign(type.getShape().begin(), type.getShape().end());
  box.resultStrides = ir::getStrides(type.getShape());
  box.sourceStrides.assign(type.getRank() - given.getRank(), 0);
  for (auto [size, stride] :
       llvm::zip_equal(given.getShape(), ir::getStrides(given.getShape())))
    box.sourceStrides.push_back(size == 1 ? 0 : stride);
  return ir::rearrange(scales, type, box);
}

struct EvaluateConstantsPass
    : impl::TandemEvaluateConstantsBase<EvaluateConstantsPass> {
  using TandemEvaluateConstantsBase::TandemEvaluateConstantsBase;

  void runOnOperation() override;

private:
  /// A value, the constant that it is, and its factors if it has some.
  struct Result {
    Value value;
    ElementsAttr elements;
    std::optional<ir::WeightFactors> factors;
  };

  ElementsAttr evaluateAs(Value value, RankedTensorType type, StringRef form,
                          StoreConstant store) const {
    return evaluate(value, constantOps->opsOf(value), type, form, store);
  }
  /// The constant that `value` is.
  ElementsAttr findConstant(Value value) const {
    ElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)))
      return elements;
    return evaluateAs(value, cast<RankedTensorType>(value.getType()),
                      /*form=*/"", copy);
  }
  /// The factors of weights if they have some.
  std::optional<ir::WeightFactors> findFactors(Value weights) const;

  std::optional<ConstantOps> constantOps;
};

std::optional<ir::WeightFactors>
EvaluateConstantsPass::findFactors(Value weights) const {
  std::optional<ScaledWeights> scaled = matchScaledWeights(weights);
  if (!scaled)
    return std::nullopt;
  auto type = cast<RankedTensorType>(weights.getType());
  auto bytes = RankedTensorType::get(type.getShape(),
                                     IntegerType::get(weights.getContext(), 8));
  ir::WeightFactors factors;
  factors.inputsPerScale = scaled->inputsPerScale;
  factors.values = evaluateAs(scaled->numbers, bytes, "narrow", narrow);
  if (!factors.values)
    return std::nullopt;
  if (ElementsAttr scales = findConstant(scaled->scales))
    factors.scales = broadcast(scales, scaled->scalesType);
  return factors.scales ? std::optional(factors) : std::nullopt;
}

void EvaluateConstantsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function.getBody().hasOneBlock())
    return;
  constantOps.emplace(function.getBody().front());
  SmallVector<Result> results;
  for (Value value : constantOps->findResults())
    if (ElementsAttr elements = findConstant(value))
      results.push_back(
          {value, elements, keepFactors ? findFactors(value) : std::nullopt});
  constantOps.reset();
  if (results.empty())
    return;
  for (Result &result : results) {
    OpBuilder builder(result.value.getDefiningOp());
    auto constant =
        ir::ConstantOp::create(builder, result.value.getLoc(),
                               result.elements.getType(), result.elements);
    if (result.factors)
      ir::setWeightFactors(constant, *result.factors);
    result.value.replaceAllUsesWith(constant.getResult());
  }
  // What is dead now goes, and views of constants become constants.
  (void)applyPatternsGreedily(function, FrozenRewritePatternSet());
}

} // namespace
} // namespace tandem
