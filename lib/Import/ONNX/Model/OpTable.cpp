//===- OpTable.cpp - The ONNX ops that can be imported --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/OpTable.h"

#include "Model/Ops.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// A bit for each operand that determines shapes.
constexpr uint32_t operandBits(std::initializer_list<int> operands) {
  uint32_t bits = 0;
  for (int operand : operands)
    bits |= uint32_t(1) << operand;
  return bits;
}

template <typename Op> void convertUnary(Node &node) {
  node.result(0, node.emit<Op>(node.operand(0)));
}

template <typename Op> void convertBinary(Node &node) {
  node.result(0, node.emit<Op>(alignedOperands(node)));
}

template <ir::ComparePredicate predicate> void convertCompare(Node &node) {
  auto operands = alignedOperands(node);
  node.result(0, node.compare(predicate, operands[0], operands[1]));
}

constexpr OpRow kDefaultDomain[] = {
#define ONNX_UNARY(name, op) {#name, convertUnary<ir::op>, 0},
#define ONNX_BINARY(name, op) {#name, convertBinary<ir::op>, 0},
#define ONNX_COMPARE(name, predicate)                                          \
  {#name, convertCompare<ir::ComparePredicate::predicate>, 0},
#define ONNX_OP(name, ...) {#name, convert##name, operandBits({__VA_ARGS__})},
#define ONNX_WIDE_OP(name, ...)                                                \
  {#name, convert##name, operandBits({__VA_ARGS__}), /*isWide=*/true},
#include "Model/Ops.def"
};

constexpr OpRow kMicrosoftDomain[] = {
#define MICROSOFT_OP(name) {#name, convertMicrosoft##name, 0},
#include "Model/Ops.def"
};

llvm::StringMap<const OpRow *> index(ArrayRef<OpRow> rows) {
  llvm::StringMap<const OpRow *> byName;
  for (const OpRow &row : rows)
    byName[row.name] = &row;
  return byName;
}

} // namespace

std::string opName(const proto::NodeProto &node) {
  return isDefaultDomain(node.domain()) ? node.op_type()
                                        : node.domain() + "." + node.op_type();
}

const OpRow *findOp(StringRef domain, StringRef name) {
  using Index = llvm::StringMap<const OpRow *>;
  static const auto &ours = *new Index(index(kDefaultDomain));
  static const auto &microsoft = *new Index(index(kMicrosoftDomain));
  if (isDefaultDomain(domain))
    return ours.lookup(name);
  return domain == "com.microsoft" ? microsoft.lookup(name) : nullptr;
}

} // namespace tandem::onnx
