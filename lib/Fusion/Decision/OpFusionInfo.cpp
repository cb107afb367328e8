//===- OpFusionInfo.cpp - What fusion asks of one op ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/OpFusionInfo.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/IR/Views.h"
#include "tandem/Fusion/BackendChoice.h"
#include "tandem/Runtime/Tensor.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
namespace {

/// Whether the element that is read is found with additions and
/// multiplications alone.
bool isSimple(AffineMap map) {
  return map && llvm::none_of(map.getResults(), [](AffineExpr result) {
           return result
               .walk([](AffineExpr expr) {
                 bool divides = expr.getKind() == AffineExprKind::FloorDiv ||
                                expr.getKind() == AffineExprKind::CeilDiv ||
                                expr.getKind() == AffineExprKind::Mod;
                 return divides ? WalkResult::interrupt()
                                : WalkResult::advance();
               })
               .wasInterrupted();
         });
}

FusionDecision checkTypes(Operation *op) {
  if (!hasStaticTypes(op))
    return FusionDecision::refuse(FusionRefusal::DynamicShape);
  if (cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() == 0)
    return FusionDecision::refuse(FusionRefusal::NoElements);
  return FusionDecision::allow();
}

FusionDecision checkReads(Operation *op, int64_t reads, int64_t limit) {
  // Loops have no code for the phases of a transposed convolution, for the taps
  // of an interpolation, and for the windows that an element lies in. A loop
  // would compute a block of four random words for each word: 8,000,000 words
  // took 32 ms instead of 4 ms.
  if (reads == kSharedWork ||
      isa<ir::ConvBackwardDataOp, ir::ConvBackwardWeightsOp, ir::ResizeOp,
          ir::MaxPoolBackwardOp, ir::AvgPoolBackwardOp, ir::RandomOp>(op))
    return FusionDecision::refuse(FusionRefusal::NotElementwise);
  if (reads > limit)
    return FusionDecision::refuse(FusionRefusal::TooManyReads, reads, limit);
  return FusionDecision::allow();
}

/// Limits the number of operands of a concat. The code of an element has a read
/// of each operand, so its size, and on an innermost axis the time of an
/// element, grow with the operands; the op step copies each as it is.
FusionDecision checkConcat(Operation *op, int64_t limit) {
  int64_t operands = op->getNumOperands();
  if (isa<ir::ConcatOp>(op) && operands > limit)
    return FusionDecision::refuse(FusionRefusal::TooManyOperands, operands,
                                  limit);
  return FusionDecision::allow();
}

FusionDecision checkInPlace(ir::ConcatOp concat, const FusionOptions &options,
                            int depth);

/// Whether a step of its own writes the value to memory, whatever reads it: the
/// result of a contraction, or of another op that cannot be part of a loop, of
/// elementwise ops on such a result, which are its epilogue, or a view of such
/// a value. Looks through `depth` concats.
bool isWrittenToMemory(Value value, const FusionOptions &options,
                       int depth = 2) {
  constexpr int maxOps = 8; // An epilogue has few ops.
  for (int i = 0; i < maxOps; ++i) {
    Operation *op = ir::findViewRoot(value).getDefiningOp();
    if (!op || op->hasTrait<OpTrait::ConstantLike>() || isa<ir::SliceOp>(op))
      return false;
    if (auto concat = dyn_cast<ir::ConcatOp>(op))
      return depth > 0 && !checkInPlace(concat, options, depth - 1);
    if (!isa<ir::ElementwiseOpInterface>(op))
      return isa<ir::ContractionOpInterface>(op) ||
             !getFusionInfo(op, options).inLoop;
    auto largest = llvm::max_element(op->getOperands(), [](Value a, Value b) {
      return getBytes(a) < getBytes(b);
    });
    if ((i > 0 && !op->hasOneUse()) || largest == op->getOperands().end())
      return false;
    value = *largest;
  }
  return false;
}

/// A concat remains an op step if this step need not copy most of the bytes,
/// because other steps compute the operands at their places in the result. In a
/// loop, each element would choose among the operands: Adam over 6,300,000
/// parameters, whose gradients are the concat, took 44 ms instead of 7 ms.
FusionDecision checkInPlace(ir::ConcatOp concat, const FusionOptions &options,
                            int depth) {
  constexpr int64_t alignment = Allocator::kAlignment;
  const std::vector<int64_t> offsets = ir::findConcatOffsets(concat);
  int64_t inPlace = 0, copied = 0;
  for (auto [operand, offset] : llvm::zip(concat->getOperands(), offsets)) {
    const bool isInPlace =
        offset % alignment == 0 && isWrittenToMemory(operand, options, depth);
    (isInPlace ? inPlace : copied) += getBytes(operand);
  }
  return inPlace > copied
             ? FusionDecision::refuse(FusionRefusal::WrittenInPlace)
             : FusionDecision::allow();
}

/// Whether a step can make the result a view of a value that is in memory
/// anyway.
bool isFreeSlice(Operation *op, const FusionOptions &options) {
  auto slice = dyn_cast<ir::SliceOp>(op);
  return slice && (ir::isViewOfArgument(slice) ||
                   (ir::findViewOffset(slice) &&
                    isWrittenToMemory(slice.getInput(), options)));
}

/// Refuses ops that copy nothing as a step.
FusionDecision checkParts(Operation *op, const FusionOptions &options) {
  if (auto slice = dyn_cast<ir::SliceOp>(op);
      slice && ir::isViewOfArgument(slice))
    return FusionDecision::refuse(FusionRefusal::ViewOfArgument);
  if (auto concat = dyn_cast<ir::ConcatOp>(op))
    return checkInPlace(concat, options, /*depth=*/2);
  return FusionDecision::allow();
}

FusionDecision refuseForLibrary(const BackendCosts &costs) {
  return FusionDecision::refuse(FusionRefusal::LibraryCostsLess,
                                costs.libraryNs, costs.generatedNs);
}

/// What a step of dim `position` adds to `expr`, which has no divisions.
int64_t getCoefficient(AffineExpr expr, unsigned position) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == position;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 0;
  int64_t left = getCoefficient(binary.getLHS(), position);
  if (expr.getKind() == AffineExprKind::Add)
    return left + getCoefficient(binary.getRHS(), position);
  // MLIR keeps what a dim is multiplied by on the right.
  return left * cast<AffineConstantExpr>(binary.getRHS()).getValue();
}

/// By dim of `map`, which has no divisions; where several dims of the operand
/// follow one, the outer.
void followMap(AffineMap map, OperandAccess &access) {
  access.strides.resize(map.getNumDims());
  for (auto [dim, stride] : llvm::enumerate(access.strides))
    for (auto [at, expr] : llvm::enumerate(map.getResults()))
      if (int64_t step = getCoefficient(expr, dim); step && stride.dim < 0)
        stride = {static_cast<int64_t>(at), step};
}

/// Whether it is the data of a convolution that sums nothing but a window, and
/// leaves the dims where they are.
bool isDataOfDepthwise(OpOperand &operand) {
  auto conv = dyn_cast<ir::ConvOp>(operand.getOwner());
  if (!conv || operand.getOperandNumber() != 0)
    return false;
  StringRef layout = conv.getLayout().getInput();
  return layout == conv.getLayout().getOutput() &&
         shapeOf(operand.get())[layout.find('C')] ==
             static_cast<int64_t>(conv.getGroups());
}

/// Adds the strides of an operand of an op without simple indexing. Windows,
/// pads and the like keep their dims; other contractions and reductions read
/// whole lines.
void followDims(OpOperand &operand, OperandAccess &access) {
  ArrayRef<int64_t> from = shapeOf(operand.getOwner()->getResult(0)),
                    to = shapeOf(operand.get());
  bool keepsDims = isDataOfDepthwise(operand) ||
                   (from.size() == to.size() &&
                    !isa<ir::ContractionOpInterface>(operand.getOwner()));
  for (int64_t dim = 0; dim < static_cast<int64_t>(from.size()); ++dim)
    access.strides.push_back(keepsDims ? AccessStride{dim, 1}
                                       : AccessStride::innermost(to));
}

/// The access of an op that reads one element of each operand; nothing if
/// finding the element takes divisions.
std::optional<OperandAccess> getIndexedAccess(ir::IndexingOpInterface op,
                                              OpOperand &operand) {
  OperandAccess access;
  // The usual case, for which no map need be made.
  access.identity = isa<ir::ElementwiseOpInterface>(*op) &&
                    shapeOf(operand.get()) == shapeOf(op->getResult(0));
  if (access.identity)
    return access;
  AffineMap map = op.getOperandIndexing(operand.getOperandNumber());
  if (!isSimple(map))
    return std::nullopt;
  access.identity = map.isIdentity();
  if (!access.identity)
    followMap(map, access);
  return access;
}

std::optional<OperandAccess> getAccess(OpOperand &operand, int64_t reads) {
  std::optional<OperandAccess> access;
  if (auto indexing = dyn_cast<ir::IndexingOpInterface>(operand.getOwner())) {
    access = getIndexedAccess(indexing, operand);
  } else if (ir::isLookup(operand.getOwner()) &&
             operand.getOperandNumber() == 1) {
    access = OperandAccess();
    access->identity = true;
  } else {
    access.emplace();
    // A contraction reads its two operands alike; a bias follows, read once.
    access->reads = operand.getOperandNumber() < 2 ? reads : 1;
    access->isGuarded = isa<ir::PadOp, ir::ConcatOp>(operand.getOwner());
    followDims(operand, *access);
  }
  DenseElementsAttr constant;
  if (access)
    access->isSplat = matchPattern(operand.get(), m_Constant(&constant)) &&
                      constant.isSplat();
  return access;
}

/// Sets `info.accesses`, or the reason why the op cannot be in a loop.
void addAccesses(Operation *op, OpFusionInfo &info) {
  info.accesses.reserve(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<OperandAccess> access = getAccess(operand, info.reads);
    if (!access) {
      info.accesses.clear();
      info.inLoop = FusionDecision::refuse(FusionRefusal::NoSimpleIndexing);
      return;
    }
    info.accesses.push_back(std::move(*access));
  }
}

/// What choosing between elements costs (pad, concat, gather), in the currency
/// of flops.
constexpr double kChoiceFlops = 4;

} // namespace

int64_t AccessStride::distance(ArrayRef<int64_t> shape) const {
  return dim < 0 ? 0
                 : std::abs(step) * llvm::product_of(shape.drop_front(dim + 1));
}

AccessStride AccessStride::innermost(ArrayRef<int64_t> shape) {
  for (int64_t dim = shape.size(); dim-- > 0;)
    if (shape[dim] != 1)
      return {dim, 1};
  return {};
}

AccessStride OperandAccess::follow(const AccessStride &result) const {
  if (identity || result.dim < 0)
    return result;
  AccessStride stride = strides[result.dim];
  return {stride.dim, stride.step * result.step, isGuarded || result.isGuarded};
}

int64_t getElementBytes(Value value) {
  Type type = cast<RankedTensorType>(value.getType()).getElementType();
  return byteWidth(*ir::toDType(type));
}

int64_t getBytes(Value value) {
  return getElementBytes(value) * llvm::product_of(shapeOf(value));
}

OpFusionInfo getFusionInfo(Operation *op, const FusionOptions &options) {
  OpFusionInfo info;
  auto tableOp = dyn_cast<ir::TandemOpInterface>(op);
  if (!tableOp || op->getNumResults() != 1) {
    info.inLoop = FusionDecision::refuse(FusionRefusal::NotAnOp);
    return info;
  }
  info.isView = isa<ir::ReshapeOp>(op);
  info.inLoop = checkTypes(op);
  if (!info.inLoop)
    return info;
  info.isView |= isFreeSlice(op, options);
  OpCost cost = *tableOp.getCost();
  info.reads = cost.reads;
  info.bodyReads = isa<ir::ConcatOp>(op) ? op->getNumOperands() : cost.reads;
  info.elements =
      cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  info.flopsPerElement = double(cost.flops) / double(info.elements);
  info.resultBytes = getBytes(op->getResult(0));
  info.elementBytes = info.resultBytes / info.elements;
  for (Value operand : op->getOperands())
    info.operandBytes += getBytes(operand);
  info.inLoop = checkReads(op, cost.reads, options.maxReads);
  if (info.inLoop)
    info.inLoop = checkConcat(op, options.maxConcatOperands);
  if (info.inLoop)
    info.inLoop = checkParts(op, options);
  if (std::optional<BackendCosts> costs = getBackendChoice(op))
    info.inLoop = refuseForLibrary(*costs);
  if (!isa<ir::IndexingOpInterface>(op) && info.reads == 1)
    info.flopsPerElement += kChoiceFlops;
  if (info.inLoop)
    addAccesses(op, info);
  return info;
}

} // namespace tandem
