//===- Folding.cpp - The folder, and the refinement of types --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static Attribute getScalar(Type type, double value) {
  Builder builder(type.getContext());
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, value);
  // Unsigned integers of 64 bits reach further than int64.
  return builder.getIntegerAttr(type, value < 0 ? int64_t(value)
                                                : int64_t(uint64_t(value)));
}

bool tandem::ir::isSplatOf(Attribute constant, double value) {
  auto elements = dyn_cast_or_null<SplatElementsAttr>(constant);
  return elements && elements.getSplatValue<Attribute>() ==
                         getScalar(elements.getElementType(), value);
}

DenseElementsAttr tandem::ir::getSplat(Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  return DenseElementsAttr::get(tensor,
                                getScalar(tensor.getElementType(), value));
}

bool tandem::ir::hasFloats(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

DenseElementsAttr tandem::ir::getConstant(Value value) {
  DenseElementsAttr constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

Value tandem::ir::asResultOf(Operation *op, Value value) {
  return value.getType() == op->getResult(0).getType() ? value : Value();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// The most elements of a folded result that is not a splat.
constexpr int64_t kMaxElements = 4096;
/// A folded result with at most this many elements may have more elements than
/// any operand.
constexpr int64_t kMaxGrownElements = 64;

/// The constant of a scalar type that is nearest to `value`; of integers, the
/// one of the same bits.
TypedAttr convertScalar(TypedAttr value, Type type) {
  if (value.getType() == type)
    return value;
  auto number = dyn_cast<FloatAttr>(value);
  if (!number)
    return IntegerAttr::get(type, cast<IntegerAttr>(value).getValue());
  APFloat converted = number.getValue();
  bool losesInfo;
  converted.convert(cast<FloatType>(type).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
  return FloatAttr::get(type, converted);
}

/// The op on one element of each operand; null where it does not fold.
/// Special values: upstream's folders of arith and math treat zeros of both
/// signs, infinities, NaN and subnormal numbers as IEEE 754 does; the result is
/// rounded to its type once.
Attribute evaluate(ElementwiseOpInterface op, ArrayRef<Attribute> elements) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  // Upstream folds a rounding to a narrower float only where it is exact.
  if (isa<CastOp>(op) && isa<FloatType>(type.getElementType()) &&
      isa<FloatAttr>(elements[0]))
    return convertScalar(cast<FloatAttr>(elements[0]), type.getElementType());
  Block block;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&block);
  SmallVector<Value> scalars;
  for (Attribute element : elements) {
    auto typed = cast<TypedAttr>(element);
    scalars.push_back(arith::ConstantOp::create(
        builder, op.getLoc(),
        convertScalar(typed, tandem::getComputeType(typed.getType()))));
  }
  TypedAttr result;
  if (!matchPattern(op.buildScalar(builder, op.getLoc(), scalars),
                    m_Constant(&result)))
    return {};
  return convertScalar(result, type.getElementType());
}

/// Reads an operand at the index that belongs to the result's `index`.
Attribute readElement(DenseElementsAttr constant, AffineMap map,
                      ArrayRef<int64_t> index) {
  if (constant.isSplat())
    return constant.getSplatValue<Attribute>();
  SmallVector<int64_t> position = map.compose(index);
  SmallVector<uint64_t> at(position.begin(), position.end());
  return constant.getValues<Attribute>()[at];
}

/// Steps `index` in row-major order.
void increment(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (int64_t i = shape.size() - 1; i >= 0; --i) {
    if (++index[i] < shape[i])
      return;
    index[i] = 0;
  }
}

/// The result's elements in row-major order, or one for a splat.
FailureOr<SmallVector<Attribute>>
computeElements(Operation *op, ArrayRef<DenseElementsAttr> operands,
                ArrayRef<int64_t> shape, int64_t count) {
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < operands.size(); ++i) {
    maps.push_back(cast<IndexingOpInterface>(op).getOperandIndexing(i));
    if (!maps.back() && !operands[i].isSplat())
      return failure();
  }
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  SmallVector<Attribute> elements, scalars(operands.size());
  SmallVector<int64_t> index(shape.size());
  for (int64_t n = 0; n < count; ++n, increment(index, shape)) {
    for (auto [scalar, operand, map] : llvm::zip(scalars, operands, maps))
      scalar = readElement(operand, map, index);
    elements.push_back(elementwise ? evaluate(elementwise, scalars)
                                   : scalars.front());
    if (!elements.back())
      return failure();
  }
  return elements;
}

/// The elements of a gather in row-major order, or one for a splat.
FailureOr<SmallVector<Attribute>> gatherElements(GatherOp gather,
                                                 DenseElementsAttr input,
                                                 DenseElementsAttr indices,
                                                 int64_t count) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(input.getType()).getShape();
  const int64_t size = shape[gather.getAxis()];
  const int64_t inner =
      llvm::product_of(shape.drop_front(gather.getAxis() + 1));
  auto elements = input.getValues<Attribute>().begin();
  auto positions = indices.getValues<APInt>().begin();
  const int64_t numPositions = indices.getNumElements();
  SmallVector<Attribute> result;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t row = n / inner;
    const int64_t position = (*(positions + row % numPositions)).getSExtValue();
    result.push_back(*(elements +
                       (row / numPositions * size +
                        std::clamp<int64_t>(position, 0, size - 1)) *
                           inner +
                       n % inner));
  }
  return result;
}

/// Folds elementwise ops, index ops and gathers whose operands are constants.
/// Returns null if the op does not fold: also if the constant would be much
/// larger, or take long to compute.
Attribute foldConstants(Operation *op, Operands operands) {
  if (!isa<IndexingOpInterface, GatherOp>(op))
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape())
    return {};
  int64_t largest = kMaxGrownElements;
  bool isSplat = true;
  SmallVector<DenseElementsAttr> constants;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant || constant.empty())
      return {};
    isSplat &= constant.isSplat();
    largest = std::max(largest, constant.getNumElements());
    constants.push_back(constant);
  }
  int64_t count = isSplat ? 1 : type.getNumElements();
  if (count > std::min(largest, kMaxElements))
    return {};
  auto gather = dyn_cast<GatherOp>(op);
  auto elements =
      gather ? gatherElements(gather, constants[0], constants[1], count)
             : computeElements(op, constants, type.getShape(), count);
  if (failed(elements))
    return {};
  return DenseElementsAttr::get(type, *elements);
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// What MLIR asks about ops that have no folder of their own, as is every op of
/// the dialect but `constant`.
struct Folder : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, Operands operands,
                     SmallVectorImpl<OpFoldResult> &results) const final {
    for (const FoldRule &rule : getFoldRules()) {
      if (rule.id != op->getName().getTypeID())
        continue;
      OpFoldResult result = rule.apply(op, operands);
      if (!result)
        continue;
      // An op that was changed in place keeps its result.
      if (result != OpFoldResult(op->getResult(0)))
        results.push_back(result);
      return success();
    }
    Attribute constant = foldConstants(op, operands);
    if (!constant)
      return failure();
    results.push_back(constant);
    return success();
  }
};

} // namespace

ArrayRef<FoldRule> tandem::ir::getFoldRules() {
  static const FoldRule rules[] = {
#define TANDEM_FOLD(OP, RULE) {#OP, #RULE, TypeID::get<OP>(), folds::RULE},
#include "Folds.def"
  };
  return rules;
}

void tandem::ir::addFolder(Dialect &dialect) {
  dialect.addInterface(std::make_unique<Folder>(&dialect));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// Replaces declared dims that are dynamic by inferred dims that are static.
/// All users must accept the new type, which all ops of the table do.
/// Special values: all stay, as types change and no elements do.
struct RefineResultType : OpInterfaceRewritePattern<TandemOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(TandemOpInterface op,
                                PatternRewriter &rewriter) const final {
    auto inferrable = dyn_cast<InferTypeOpInterface>(op.getOperation());
    if (!inferrable)
      return failure();
    auto isStatic = [](Type type) {
      return cast<RankedTensorType>(type).hasStaticShape();
    };
    if (llvm::all_of(op->getResultTypes(), isStatic) ||
        !llvm::all_of(op->getUsers(), llvm::IsaPred<TandemOpInterface>))
      return failure();
    SmallVector<Type> inferred;
    if (failed(inferrable.inferReturnTypes(
            op.getContext(), std::nullopt, op->getOperands(),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), inferred)))
      return failure();
    SmallVector<Type> refined;
    for (auto [declared, known] :
         llvm::zip_equal(op->getResultTypes(), inferred))
      refined.push_back(refine(declared, known));
    if (llvm::equal(refined, op->getResultTypes()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [result, type] : llvm::zip_equal(op->getResults(), refined))
        result.setType(type);
    });
    return success();
  }

private:
  /// The declared type, with the dims that only the inferred one knows.
  static Type refine(Type declared, Type inferred) {
    auto type = cast<RankedTensorType>(declared);
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] :
         llvm::zip(shape, cast<RankedTensorType>(inferred).getShape()))
      if (ShapedType::isDynamic(dim))
        dim = size;
    return type.clone(shape);
  }
};

} // namespace

void tandem::ir::populateRefineResultTypes(RewritePatternSet &patterns) {
  patterns.add<RefineResultType>(patterns.getContext());
}
