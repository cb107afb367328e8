//===- SymbolicSizes.cpp - Expressions of dims of arguments ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/SymbolicSizes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tandem::ir;

static bool isIdentifier(StringRef name) {
  auto isPart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, isPart);
}

SmallVector<NamedDim> tandem::ir::namedDims(FunctionOpInterface function) {
  SmallVector<NamedDim> dims;
  llvm::StringSet<> known;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto names =
        function.getArgAttrOfType<ArrayAttr>(i, TandemDialect::kDimsAttrName);
    for (auto [dim, name] :
         llvm::enumerate(names ? names.getValue() : ArrayRef<Attribute>()))
      if (auto text = dyn_cast<StringAttr>(name);
          text && isIdentifier(text) && known.insert(text).second)
        dims.push_back({text, i, unsigned(dim)});
  }
  return dims;
}

// The attributes that Program.fbs lists.
static constexpr StringRef kSizeAttributes[] = {
    "shape", "starts", "limits", "low", "high", TandemDialect::kResultSizesKey};

/// The entries of an attribute or of the shape of the result; nothing if the op
/// has no such attribute.
static std::optional<SmallVector<int64_t>> entriesOf(Operation *op,
                                                     StringRef attribute) {
  if (attribute == TandemDialect::kResultSizesKey) {
    auto iota = dyn_cast<IotaOp>(op);
    return iota ? std::optional(llvm::to_vector(iota.getType().getShape()))
                : std::nullopt;
  }
  if (!isa<ReshapeOp, BroadcastOp, RandomOp, SliceOp, PadOp>(op) ||
      !llvm::is_contained(kSizeAttributes, attribute))
    return std::nullopt;
  auto entries = op->getAttrOfType<DenseI64ArrayAttr>(attribute);
  return entries ? std::optional(llvm::to_vector(entries.asArrayRef()))
                 : std::nullopt;
}

/// Parses expressions with MLIR's own parser of affine maps. `error` is what
/// the parser says about a text that it rejects.
static AffineMap parseMap(StringRef text, ArrayRef<NamedDim> dims,
                          MLIRContext *context, std::string &error) {
  std::string names = llvm::join(
      llvm::map_range(dims, [](const NamedDim &dim) { return dim.name.str(); }),
      ", ");
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  Attribute parsed = parseAttribute(
      "affine_map<()[" + names + "] -> (" + text.str() + ")>", context);
  auto map = dyn_cast_or_null<AffineMapAttr>(parsed);
  return map ? map.getValue() : AffineMap();
}

/// Checks that each unknown entry has an expression, and that the others are
/// equal to theirs.
static bool fits(AffineMap map, ArrayRef<int64_t> entries) {
  if (map.getNumResults() != entries.size())
    return false;
  return llvm::all_of(llvm::zip(map.getResults(), entries), [](auto each) {
    auto constant = dyn_cast<AffineConstantExpr>(std::get<0>(each));
    return ShapedType::isDynamic(std::get<1>(each)) ||
           (constant && constant.getValue() == std::get<1>(each));
  });
}

FailureOr<SmallVector<SymbolicSizes>>
tandem::ir::parseSymbolicSizes(Operation *op) {
  SmallVector<SymbolicSizes> result;
  Attribute attribute = op->getAttr(TandemDialect::kSizesAttrName);
  if (!attribute)
    return result;
  auto sizes = dyn_cast<DictionaryAttr>(attribute);
  auto function = dyn_cast_or_null<FunctionOpInterface>(op->getParentOp());
  if (!sizes || !function)
    return op->emitError()
           << "'" << TandemDialect::kSizesAttrName
           << "' is a dictionary of strings on an op in the body of a function";
  const SmallVector<NamedDim> dims = namedDims(function);
  for (NamedAttribute each : sizes) {
    auto text = dyn_cast<StringAttr>(each.getValue());
    auto entries = entriesOf(op, each.getName());
    if (!text || !entries)
      return op->emitOpError("has no attribute ")
             << each.getName() << " with sizes that may be unknown";
    std::string error;
    AffineMap map = parseMap(text, dims, op->getContext(), error);
    if (!map)
      return op->emitOpError()
             << each.getName().getValue() << ": " << text
             << " is no list of expressions of named dims: " << error;
    if (!fits(map, *entries))
      return op->emitOpError()
             << each.getName().getValue() << ": the expressions " << text
             << " do not fit the entries, of which unknown ones are '?'";
    result.push_back({each.getName(), std::move(*entries), map});
  }
  return result;
}

LogicalResult tandem::ir::verifyUnknownSizes(Operation *op) {
  if (!isa<ReshapeOp, BroadcastOp, RandomOp, SliceOp, PadOp, IotaOp>(op))
    return success();
  auto sizes = op->getAttrOfType<DictionaryAttr>(TandemDialect::kSizesAttrName);
  for (StringRef attribute : kSizeAttributes) {
    auto entries = entriesOf(op, attribute);
    if (entries && llvm::any_of(*entries, ShapedType::isDynamic) &&
        (!sizes || !sizes.contains(attribute)))
      return op->emitOpError("has an unknown size in ")
             << attribute << ", for which '" << TandemDialect::kSizesAttrName
             << "' has no expression";
  }
  return success();
}

/// The values of a map; nothing if one overflows, or a divisor is not positive.
static std::optional<SmallVector<int64_t>>
evaluate(AffineMap map, ArrayRef<int64_t> symbols, MLIRContext *context) {
  SmallVector<Attribute> operands, results;
  Builder builder(context);
  for (int64_t symbol : symbols)
    operands.push_back(builder.getI64IntegerAttr(symbol));
  bool hasPoison = false;
  if (failed(map.constantFold(operands, results, &hasPoison)) || hasPoison)
    return std::nullopt;
  return llvm::map_to_vector(
      results, [](Attribute each) { return cast<IntegerAttr>(each).getInt(); });
}

LogicalResult tandem::ir::resolveSymbolicSizes(Operation *op,
                                               ArrayRef<int64_t> symbols) {
  FailureOr<SmallVector<SymbolicSizes>> sizes = parseSymbolicSizes(op);
  if (failed(sizes))
    return failure();
  for (const SymbolicSizes &each : *sizes) {
    auto values = evaluate(each.map, symbols, op->getContext());
    const bool isShape = each.attribute == TandemDialect::kResultSizesKey;
    if (!values ||
        (isShape && llvm::any_of(*values, [](int64_t v) { return v < 0; })))
      return op->emitOpError("has no ")
             << each.attribute << " for these sizes of the arguments";
    if (isShape)
      op->getResult(0).setType(cast<IotaOp>(op).getType().clone(*values));
    else
      op->setAttr(each.attribute,
                  DenseI64ArrayAttr::get(op->getContext(), *values));
  }
  op->removeAttr(TandemDialect::kSizesAttrName);
  return success();
}
