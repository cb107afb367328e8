//===- LoopOps.cpp - Loops with carried values ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Support/NestingDepth.h"

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

template <typename Loop> static SmallVector<Type> getArgumentTypes(Loop loop) {
  SmallVector<Type> types(loop.getCarried().getTypes());
  for (Type type : loop.getScanned().getTypes())
    types.push_back(getSliceType(type));
  llvm::append_range(types, loop.getFixed().getTypes());
  return types;
}

/// C4 to C6, and C8.
template <typename Loop> static LogicalResult verifyCounts(Loop loop) {
  if (loop->getNumResults() < loop.getCarried().size())
    return loop.emitOpError("C2: there are fewer results than carried "
                            "operands");
  if (loop->getNumResults() == 0)
    return loop.emitOpError("C8: there must be a result");
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

/// Checks C7, and C2 for the values that an iteration yields. Errors are
/// emitted at the op `at`.
template <typename Loop>
static LogicalResult verifyYielded(Loop loop, TypeRange yielded,
                                   Operation *at) {
  if (yielded.size() != loop->getNumResults())
    return at->emitOpError("C2: there must be a value for each of the ")
           << loop->getNumResults() << " results of the loop";
  const size_t numCarried = loop.getCarried().size();
  for (auto [i, type] : llvm::enumerate(yielded)) {
    Type result = loop->getResult(i).getType();
    if (i < numCarried
            ? !ir::detail::areCompatible(
                  {type, type}, {loop.getCarried()[i].getType(), result})
            : cast<RankedTensorType>(result).getRank() == 0 ||
                  !ir::detail::areCompatible(type, getSliceType(result)))
      return at->emitOpError("C2: value ")
             << i << " is " << type << ", which is not what the loop carries "
             << "or stacks as " << result;
    if (i < numCarried)
      continue;
    int64_t size = cast<RankedTensorType>(result).getDimSize(0);
    int64_t trips = loop.countTrips();
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(trips) &&
        size != trips)
      return loop.emitOpError("C7: result ")
             << i << " is " << result << ", but there are " << trips
             << " iterations";
  }
  return success();
}

LogicalResult LoopOp::verify() {
  int depth = 0;
  for (auto loop = *this; loop; loop = loop->getParentOfType<LoopOp>())
    ++depth;
  if (depth > kMaxLoopDepth)
    return emitOpError("C9: there are more than ")
           << kMaxLoopDepth << " loops within each other";
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
  YieldOp yield = getYield();
  if (failed(verifyYielded(*this, yield.getValues().getTypes(), yield)))
    return failure();
  for (Operation &op : getBody().front().without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("C3: an op in a loop must be pure");
  return success();
}

LogicalResult RunLoopOp::verify() { return verifyCounts(*this); }

/// Whether `function`, or one that its loops run, runs `loop`.
static bool runs(FunctionOpInterface function, RunLoopOp loop,
                 SymbolTableCollection &symbols,
                 llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (!seen.insert(function).second)
    return false;
  return function
      ->walk([&](RunLoopOp inner) {
        auto body = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
            inner, inner.getBodyAttr());
        const bool isFound =
            inner == loop || (body && runs(body, loop, symbols, seen));
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult RunLoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getBodyAttr());
  if (!function)
    return emitOpError("C1: ") << getBodyAttr() << " is not a function here";
  if (!detail::areCompatible(TypeRange(::getArgumentTypes(*this)),
                             function.getArgumentTypes()))
    return emitOpError("C1: the arguments of ")
           << getBodyAttr() << " must have the types of the carried operands, "
           << "of the slices, and of the fixed operands";
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (runs(function, *this, symbols, seen))
    return emitOpError("C2: ") << getBodyAttr() << " would run the loop again";
  return verifyYielded(*this, function.getResultTypes(), *this);
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// Takes constants into the body, where ops can be prepared for them, and drops
/// what the body does not read.
/// Special values: all stay, as nothing is computed.
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
/// Special values: all stay, as nothing is computed.
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
