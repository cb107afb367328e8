//===- Assembly.cpp - Custom directives of the assembly formats -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

void tandem::ir::printSignatureTypes(OpAsmPrinter &printer,
                                     ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    printer << types.back();
    return;
  }
  printer.printFunctionalType(types.drop_back(), types.take_back());
}

ParseResult tandem::ir::parseSignatureTypes(OpAsmParser &parser,
                                            ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *slot : types)
      *slot = type;
    return success();
  }
  if (function.getNumInputs() != types.size() - 1 ||
      function.getNumResults() != 1)
    return parser.emitError(loc, "expected ")
           << types.size() - 1 << " operand types and 1 result type";
  for (auto [slot, input] : llvm::zip(types.drop_back(), function.getInputs()))
    *slot = input;
  *types.back() = function.getResult(0);
  return success();
}

void tandem::ir::printSizes(OpAsmPrinter &printer, Operation *,
                            DenseI64ArrayAttr sizes) {
  printer << '[';
  llvm::interleaveComma(sizes.asArrayRef(), printer, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  });
  printer << ']';
}

ParseResult tandem::ir::parseSizes(OpAsmParser &parser,
                                   DenseI64ArrayAttr &sizes) {
  SmallVector<int64_t> values;
  auto parseSize = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      values.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(values.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize))
    return failure();
  sizes = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void tandem::ir::printNumbers(OpAsmPrinter &printer, Operation *,
                              DenseF64ArrayAttr numbers) {
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer, [&](double number) {
    printer.printFloat(APFloat(number));
  });
  printer << ']';
}

ParseResult tandem::ir::parseNumbers(OpAsmParser &parser,
                                     DenseF64ArrayAttr &numbers) {
  SmallVector<double> list;
  auto parseNumber = [&] { return parser.parseFloat(list.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseNumber))
    return failure();
  numbers = parser.getBuilder().getDenseF64ArrayAttr(list);
  return success();
}

void tandem::ir::printCastSignature(OpAsmPrinter &printer, Operation *,
                                    Type input, Type result, TypeAttr) {
  printSignatureTypes(printer, {input, result});
}

ParseResult tandem::ir::parseCastSignature(OpAsmParser &parser, Type &input,
                                           Type &result, TypeAttr &dtype) {
  if (parseSignatureTypes(parser, {&input, &result}))
    return failure();
  dtype = TypeAttr::get(getElementTypeOrSelf(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// An array of one integer per spatial dim: its keyword, and the integer for
/// which it goes unwritten (none: it must be written).
template <typename Attr> struct WindowArray {
  StringRef keyword;
  Attr array;
  std::optional<int64_t> defaultValue;
};
} // namespace

static void printArrays(OpAsmPrinter &printer,
                        ArrayRef<WindowArray<DenseI64ArrayAttr>> arrays,
                        size_t numSpatial) {
  for (const auto &[keyword, attr, defaultValue] : arrays) {
    ArrayRef<int64_t> values = attr.asArrayRef();
    if (defaultValue && values.size() == numSpatial &&
        llvm::all_of(values, [&](int64_t v) { return v == *defaultValue; }))
      continue;
    printer << ' ' << keyword << " = [";
    llvm::interleaveComma(values, printer);
    printer << ']';
  }
}

/// Parses `keyword = [...]` for each keyword that is there and, where `groups`
/// is given, `groups = n`; in any order, each at most once.
static ParseResult
parseArrays(OpAsmParser &parser,
            ArrayRef<WindowArray<DenseI64ArrayAttr *>> arrays,
            size_t numSpatial, std::optional<int64_t> *groups) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&keyword))) {
    if (groups && keyword == "groups") {
      if (*groups)
        return parser.emitError(loc, "'groups' is given twice");
      if (parser.parseEqual() || parser.parseInteger(groups->emplace()))
        return failure();
      loc = parser.getCurrentLocation();
      continue;
    }
    auto *found = llvm::find_if(
        arrays, [&](const auto &array) { return array.keyword == keyword; });
    if (found == arrays.end())
      return parser.emitError(loc, "unknown attribute '") << keyword << "'";
    if (*found->array)
      return parser.emitError(loc, "'") << keyword << "' is given twice";
    if (parser.parseEqual())
      return failure();
    *found->array = dyn_cast_or_null<DenseI64ArrayAttr>(
        DenseI64ArrayAttr::parse(parser, Type()));
    if (!*found->array)
      return failure();
    loc = parser.getCurrentLocation();
  }
  for (const auto &[name, array, defaultValue] : arrays) {
    if (*array)
      continue;
    if (!defaultValue)
      return parser.emitError(loc, "expected '") << name << " = [...]'";
    *array = parser.getBuilder().getDenseI64ArrayAttr(
        SmallVector<int64_t>(numSpatial, *defaultValue));
  }
  return success();
}

/// Spatial dims of a layout; any number if it is ill-formed (the verifier's
/// business).
static size_t numSpatialDims(StringRef layout) {
  return layout.size() < 2 ? 0 : layout.size() - 2;
}

/// Prints the attributes of a convolution. `arrays` are those that it has.
static void printConvArrays(OpAsmPrinter &printer, ConvLayoutAttr layout,
                            ArrayRef<WindowArray<DenseI64ArrayAttr>> arrays,
                            IntegerAttr groups) {
  printer << "layout = ";
  printer.printStrippedAttrOrType(layout);
  printArrays(printer, arrays, numSpatialDims(layout.getInput()));
  if (groups.getInt() != 1)
    printer << " groups = " << groups.getInt();
}

static ParseResult
parseConvArrays(OpAsmParser &parser, ConvLayoutAttr &layout,
                ArrayRef<WindowArray<DenseI64ArrayAttr *>> arrays,
                IntegerAttr &groups) {
  if (parser.parseKeyword("layout") || parser.parseEqual() ||
      parser.parseCustomAttributeWithFallback(layout))
    return failure();
  std::optional<int64_t> groupCount;
  if (parseArrays(parser, arrays, numSpatialDims(layout.getInput()),
                  &groupCount))
    return failure();
  groups = parser.getBuilder().getI64IntegerAttr(groupCount.value_or(1));
  return success();
}

void tandem::ir::printConvAttributes(OpAsmPrinter &printer, Operation *,
                                     ConvLayoutAttr layout,
                                     DenseI64ArrayAttr strides,
                                     DenseI64ArrayAttr padLow,
                                     DenseI64ArrayAttr padHigh,
                                     DenseI64ArrayAttr dilations,
                                     IntegerAttr groups) {
  printConvArrays(printer, layout,
                  {{"strides", strides, 1},
                   {"pad_low", padLow, 0},
                   {"pad_high", padHigh, 0},
                   {"dilations", dilations, 1}},
                  groups);
}

ParseResult tandem::ir::parseConvAttributes(
    OpAsmParser &parser, ConvLayoutAttr &layout, DenseI64ArrayAttr &strides,
    DenseI64ArrayAttr &padLow, DenseI64ArrayAttr &padHigh,
    DenseI64ArrayAttr &dilations, IntegerAttr &groups) {
  return parseConvArrays(parser, layout,
                         {{"strides", &strides, 1},
                          {"pad_low", &padLow, 0},
                          {"pad_high", &padHigh, 0},
                          {"dilations", &dilations, 1}},
                         groups);
}

void tandem::ir::printConvBackwardAttributes(
    OpAsmPrinter &printer, Operation *, ConvLayoutAttr layout,
    DenseI64ArrayAttr strides, DenseI64ArrayAttr padLow,
    DenseI64ArrayAttr padHigh, DenseI64ArrayAttr dilations,
    DenseI64ArrayAttr outputPadding, IntegerAttr groups) {
  printConvArrays(printer, layout,
                  {{"strides", strides, 1},
                   {"pad_low", padLow, 0},
                   {"pad_high", padHigh, 0},
                   {"dilations", dilations, 1},
                   {"output_padding", outputPadding, 0}},
                  groups);
}

ParseResult tandem::ir::parseConvBackwardAttributes(
    OpAsmParser &parser, ConvLayoutAttr &layout, DenseI64ArrayAttr &strides,
    DenseI64ArrayAttr &padLow, DenseI64ArrayAttr &padHigh,
    DenseI64ArrayAttr &dilations, DenseI64ArrayAttr &outputPadding,
    IntegerAttr &groups) {
  return parseConvArrays(parser, layout,
                         {{"strides", &strides, 1},
                          {"pad_low", &padLow, 0},
                          {"pad_high", &padHigh, 0},
                          {"dilations", &dilations, 1},
                          {"output_padding", &outputPadding, 0}},
                         groups);
}

void tandem::ir::printConvWeightsAttributes(
    OpAsmPrinter &printer, Operation *, ConvLayoutAttr layout,
    DenseI64ArrayAttr window, DenseI64ArrayAttr strides,
    DenseI64ArrayAttr padLow, DenseI64ArrayAttr padHigh,
    DenseI64ArrayAttr dilations, IntegerAttr groups) {
  printConvArrays(printer, layout,
                  {{"window", window, std::nullopt},
                   {"strides", strides, 1},
                   {"pad_low", padLow, 0},
                   {"pad_high", padHigh, 0},
                   {"dilations", dilations, 1}},
                  groups);
}

ParseResult tandem::ir::parseConvWeightsAttributes(
    OpAsmParser &parser, ConvLayoutAttr &layout, DenseI64ArrayAttr &window,
    DenseI64ArrayAttr &strides, DenseI64ArrayAttr &padLow,
    DenseI64ArrayAttr &padHigh, DenseI64ArrayAttr &dilations,
    IntegerAttr &groups) {
  return parseConvArrays(parser, layout,
                         {{"window", &window, std::nullopt},
                          {"strides", &strides, 1},
                          {"pad_low", &padLow, 0},
                          {"pad_high", &padHigh, 0},
                          {"dilations", &dilations, 1}},
                         groups);
}

void tandem::ir::printPoolAttributes(OpAsmPrinter &printer, Operation *,
                                     StringAttr layout,
                                     DenseI64ArrayAttr window,
                                     DenseI64ArrayAttr strides,
                                     DenseI64ArrayAttr padLow,
                                     DenseI64ArrayAttr padHigh,
                                     DenseI64ArrayAttr dilations) {
  printer << "layout = " << layout;
  printArrays(printer,
              {{"window", window, std::nullopt},
               {"strides", strides, 1},
               {"pad_low", padLow, 0},
               {"pad_high", padHigh, 0},
               {"dilations", dilations, 1}},
              numSpatialDims(layout));
}

ParseResult tandem::ir::parsePoolAttributes(
    OpAsmParser &parser, StringAttr &layout, DenseI64ArrayAttr &window,
    DenseI64ArrayAttr &strides, DenseI64ArrayAttr &padLow,
    DenseI64ArrayAttr &padHigh, DenseI64ArrayAttr &dilations) {
  std::string letters;
  if (parser.parseKeyword("layout") || parser.parseEqual() ||
      parser.parseString(&letters))
    return failure();
  layout = parser.getBuilder().getStringAttr(letters);
  return parseArrays(parser,
                     {{"window", &window, std::nullopt},
                      {"strides", &strides, 1},
                      {"pad_low", &padLow, 0},
                      {"pad_high", &padHigh, 0},
                      {"dilations", &dilations, 1}},
                     numSpatialDims(layout), /*groups=*/nullptr);
}

ParseResult RegionOperands::parse(OpAsmParser &parser) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        return failure(parser.parseArgument(arguments.emplace_back()) ||
                       parser.parseEqual() ||
                       parser.parseOperand(operands.emplace_back()));
      });
}

ParseResult
RegionOperands::parseTypesAndRegion(OpAsmParser &parser, OperationState &result,
                                    function_ref<Type(size_t, Type)> typeOf) {
  FunctionType type;
  SMLoc loc;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&loc) || parser.parseType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc, "expected ")
           << operands.size() << " operand types";
  for (auto [i, argument] : llvm::enumerate(arguments))
    argument.type = typeOf(i, type.getInput(i));
  result.addTypes(type.getResults());
  Region *body = result.addRegion();
  return failure(parser.resolveOperands(operands, type.getInputs(), loc,
                                        result.operands) ||
                 parser.parseRegion(*body, arguments));
}

void tandem::ir::printRegionOperands(OpAsmPrinter &printer,
                                     ValueRange arguments,
                                     ValueRange operands) {
  printer << " (";
  llvm::interleaveComma(
      llvm::zip(arguments, operands), printer, [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ')';
}

void tandem::ir::printTypesAndRegion(OpAsmPrinter &printer, Operation *op,
                                     ArrayRef<StringRef> elided) {
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(op);
  printer << ' ';
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}
