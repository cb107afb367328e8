//===- LoopOps.cpp - Loops with carried values ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// Both forms
//===----------------------------------------------------------------------===//

template <typename Loop> static int64_t tripsOf(Loop loop) {
  if (loop.getTrips())
    return *loop.getTrips();
  for (Value scanned : loop.getScanned())
    if (auto type = cast<RankedTensorType>(scanned.getType());
        type.getRank() > 0 && !type.isDynamicDim(0))
      return type.getDimSize(0);
  return ShapedType::kDynamic;
}

template <typename Loop> static SmallVector<bool> directionsOf(Loop loop) {
  if (std::optional<ArrayRef<bool>> given = loop.getReversed())
    return SmallVector<bool>(*given);
  return SmallVector<bool>(loop.getScanned().size() + loop->getNumResults() -
                           loop.getCarried().size());
}

int64_t LoopOp::countTrips() { return tripsOf(*this); }
int64_t RunLoopOp::countTrips() { return tripsOf(*this); }
SmallVector<bool> LoopOp::getDirections() { return directionsOf(*this); }
SmallVector<bool> RunLoopOp::getDirections() { return directionsOf(*this); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

YieldOp LoopOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

/// keyword `(` %arg = %operand, … `)`, for each kind of operand that there is.
void LoopOp::print(OpAsmPrinter &printer) {
  ArrayRef<BlockArgument> arguments = getBody().getArguments();
  auto printGroup = [&](StringRef keyword, OperandRange values) {
    if (values.empty())
      return;
    printer << ' ' << keyword;
    printRegionOperands(printer, arguments.take_front(values.size()), values);
    arguments = arguments.drop_front(values.size());
  };
  printGroup("carried", getCarried());
  printGroup("scanned", getScanned());
  printGroup("fixed", getFixed());
  printTypesAndRegion(printer, *this, {getOperandSegmentSizesAttrName()});
}

/// The type of a slice along dim 0; that of a scalar as it is.
static Type getSliceType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return type;
  return RankedTensorType::get(tensor.getShape().drop_front(),
                               tensor.getElementType());
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  RegionOperands given;
  SmallVector<int32_t> segments;
  for (StringRef keyword : {"carried", "scanned", "fixed"}) {
    size_t before = given.operands.size();
    if (succeeded(parser.parseOptionalKeyword(keyword)) && given.parse(parser))
      return failure();
    segments.push_back(given.operands.size() - before);
  }
  auto typeOf = [&](size_t i, Type type) {
    const auto number = static_cast<int32_t>(i) - segments[0];
    return number >= 0 && number < segments[1] ? getSliceType(type) : type;
  };
  if (given.parseTypesAndRegion(parser, result, typeOf))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      segments[0], segments[1], segments[2]};
  ensureTerminator(*result.regions.front(), parser.getBuilder(),
                   result.location);
  return success();
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static SmallVector<Type> getArgumentTypes(LoopOp loop) {
  SmallVector<Type> types(loop.getCarried().getTypes());
  for (Type type : loop.getScanned().getTypes())
    types.push_back(getSliceType(type));
  llvm::append_range(types, loop.getFixed().getTypes());
  return types;
}

/// C4 to C6.
static LogicalResult verifyCounts(LoopOp loop) {
  const int64_t trips = loop.countTrips();
  for (Type type : loop.getScanned().getTypes()) {
    auto scanned = cast<RankedTensorType>(type);
    if (scanned.getRank() == 0 ||
        (!scanned.isDynamicDim(0) && scanned.getDimSize(0) != trips))
      return loop.emitOpError("C4: ")
             << type << " cannot be scanned in " << trips << " iterations";
  }
  if (loop.getTrips().has_value() != loop.getScanned().empty() ||
      (loop.getTripsAttr() && loop.getTripsAttr().getInt() < 0))
    return loop.emitOpError("C5: there must be a number of iterations or "
                            "scanned operands, and not both");
  const size_t count = loop.getScanned().size() + loop->getNumResults() -
                       loop.getCarried().size();
  if (loop.getReversed() && loop.getReversed()->size() != count)
    return loop.emitOpError("C6: 'reversed' has ")
           << loop.getReversed()->size() << " elements, but " << count
           << " values are scanned or stacked";
  return success();
}

LogicalResult LoopOp::verify() {
  if (getNumResults() < getCarried().size())
    return emitOpError("C2: there are fewer results than carried operands");
  if (failed(verifyCounts(*this)))
    return failure();
  if (!detail::areCompatible(TypeRange(::getArgumentTypes(*this)),
                             getBody().getArgumentTypes()))
    return emitOpError("C1: the region's arguments must have the types of the "
                       "carried operands, of the slices, and of the fixed "
                       "operands");
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  TypeRange yielded = getYield().getValues().getTypes();
  if (yielded.size() != getNumResults())
    return getYield().emitOpError("C2: there must be a value for each of the ")
           << getNumResults() << " results of the loop";
  const size_t numCarried = getCarried().size();
  for (auto [i, type] : llvm::enumerate(yielded)) {
    Type result = getResult(i).getType();
    if (i < numCarried ? !detail::areCompatible(
                             {type, type}, {getCarried()[i].getType(), result})
                       : cast<RankedTensorType>(result).getRank() == 0 ||
                             !detail::areCompatible(type, getSliceType(result)))
      return getYield().emitOpError("C2: value ")
             << i << " is " << type << ", which is not what the loop carries "
             << "or stacks as " << result;
    if (i < numCarried)
      continue;
    int64_t size = cast<RankedTensorType>(result).getDimSize(0);
    int64_t trips = countTrips();
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(trips) &&
        size != trips)
      return emitOpError("C7: result ")
             << i << " is " << result << ", but there are " << trips
             << " iterations";
  }
  for (Operation &op : getBody().front().without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("C3: an op in a loop must be pure");
  return success();
}

LogicalResult RunLoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getBodyAttr());
  if (!function || function.getNumArguments() != getNumOperands() ||
      function.getNumResults() != getNumResults())
    return emitOpError("C1: ")
           << getBodyAttr() << " is not a function with an argument for each "
           << "operand and a result for each result";
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

namespace {

/// Takes constants into the body, where ops can be prepared for them, and drops
/// what the body does not read.
struct SinkConstants : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp loop,
                                PatternRewriter &rewriter) const override {
    Block &body = loop.getBody().front();
    const unsigned first = loop.getCarried().size() + loop.getScanned().size();
    for (unsigned i = 0; i < loop.getFixed().size(); ++i) {
      BlockArgument argument = body.getArgument(first + i);
      Operation *constant = loop.getFixed()[i].getDefiningOp();
      const bool isConstant =
          constant && constant->hasTrait<OpTrait::ConstantLike>();
      if (!isConstant && !argument.use_empty())
        continue;
      rewriter.modifyOpInPlace(loop, [&] {
        if (!argument.use_empty()) {
          rewriter.setInsertionPointToStart(&body);
          Operation *inside = rewriter.clone(*constant);
          rewriter.replaceAllUsesWith(argument, inside->getResult(0));
        }
        body.eraseArgument(first + i);
        loop.getFixedMutable().erase(i);
      });
      return success();
    }
    return failure();
  }
};

/// A loop of no iterations leaves what it carries as it is.
struct DropEmptyLoop : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp loop,
                                PatternRewriter &rewriter) const override {
    if (loop.countTrips() != 0)
      return failure();
    SmallVector<Value> results(loop.getCarried());
    for (Value result :
         loop.getResults().drop_front(loop.getCarried().size())) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!type.hasStaticShape() || type.getNumElements() != 0)
        return failure();
      results.push_back(ConstantOp::create(
          rewriter, loop.getLoc(), type,
          DenseElementsAttr::get(type, ArrayRef<Attribute>())));
    }
    for (auto [value, result] : llvm::zip(results, loop.getResults()))
      if (value.getType() != result.getType())
        return failure();
    rewriter.replaceOp(loop, results);
    return success();
  }
};

} // namespace

void LoopOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<SinkConstants, DropEmptyLoop>(context);
}
