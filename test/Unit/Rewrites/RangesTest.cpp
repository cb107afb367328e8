//===- RangesTest.cpp - The table's ranges, measured ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpInfo::range of every elementwise function, of all values of f16 and bf16
// and of a million of f32, in every tier. An entry fails that claims too much,
// and one that claims less than the table can say and all results have.
//
//===----------------------------------------------------------------------===//

#include "../MakeOp.h"
#include "RewriteCases.h"

#include "tandem/Support/OpTable.h"
#include "tandem/Support/ShapeRules.h"
#include "tandem/Tandem.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

using namespace tandem;
using namespace tandem::test;

namespace tandem {
static void PrintTo(Range range, std::ostream *os) {
  const char *const names[] = {"any",        "nonNegative", "unit",
                               "signedUnit", "keepsSign",   "keepsSignUnit"};
  *os << names[static_cast<size_t>(range)];
}
} // namespace tandem

namespace {

/// What results of one op have been seen to be.
struct Seen {
  /// The sign bit is set, at all and though no operand has it set.
  bool isNegative = false, losesSign = false;
  bool isBeyondOne = false;
  int64_t results = 0;

  /// `inputs` are the operands, among them conditions.
  void add(const Tensor &result, const std::vector<Tensor> &inputs) {
    for (int64_t i = 0; i < result.shape().numElements(); ++i) {
      const double value = valueOf(result.dtype(), getElement(result, i));
      if (std::isnan(value))
        continue;
      ++results;
      isNegative |= std::signbit(value);
      isBeyondOne |= std::fabs(value) > 1;
      losesSign |= std::signbit(value) &&
                   std::none_of(inputs.begin(), inputs.end(), [&](auto &x) {
                     return std::signbit(valueOf(x.dtype(), getElement(x, i)));
                   });
    }
  }
  Range range() const {
    if (!isNegative)
      return isBeyondOne ? Range::nonNegative : Range::unit;
    if (!losesSign)
      return isBeyondOne ? Range::keepsSign : Range::keepsSignUnit;
    return isBeyondOne ? Range::any : Range::signedUnit;
  }
};

/// All values of a type of 16 bits; a million of another, with all special
/// ones.
std::vector<Bits> manyValues(DType dtype) {
  std::vector<Bits> values = specialValues(dtype);
  const int bits = 8 * static_cast<int>(byteWidth(dtype));
  const Bits stride = bits == 16 ? 1 : (Bits(1) << (bits - 20)) - 1;
  for (Bits i = 0; i < Bits(1) << std::min(bits, 20); ++i)
    values.push_back(i * stride);
  return values;
}

/// An op as it is measured.
struct Measured {
  OpKind kind;
  Variant variant;
};

void measure(DType dtype, const std::vector<Measured> &ops,
             const std::vector<Bits> &values, std::map<OpKind, Seen> &seen) {
  std::vector<Variant> variants;
  for (const Measured &op : ops)
    variants.push_back(op.variant);
  const TestGraph graph(dtype, variants, values);
  auto parsed = Graph::parseString(graph.text);
  ASSERT_TRUE(parsed) << parsed.error().str() << "\n" << graph.text;
  const SharedProgram program = (*parsed)->eagerProgram();
  for (const auto &outputs :
       {runReference(program, graph.inputs), runEager(program, graph.inputs),
        runCompiled(graph, "cpu")}) {
    ASSERT_TRUE(outputs) << outputs.error().str();
    for (size_t k = 0; k < ops.size(); ++k)
      seen[ops[k].kind].add((*outputs)[k], graph.inputs);
  }
}

std::string textOf(OpKind kind, const std::string &operands) {
  return "%r = tandem." + std::string(name(kind)) + " " + operands + " : {V}";
}

/// Functions of one operand.
std::vector<Measured> unaryOps() {
  std::vector<Measured> ops = {
      {OpKind::gelu, {"%r = tandem.gelu %x approximate_tanh : {V}"}},
      {OpKind::gelu_derivative,
       {"%r = tandem.gelu_derivative %x approximate_tanh : {V}"}}};
  for (OpKind kind : kUnaryKinds)
    if (hasFloats(kind))
      ops.push_back({kind, {textOf(kind, "%x")}});
  for (DType to : fb::EnumValuesDType())
    if (isFloat(to)) {
      const std::string type = "tensor<{N}x" + std::string(name(to)) + ">";
      ops.push_back(
          {OpKind::cast, {"%r = tandem.cast %x : ({V}) -> " + type, type}});
    }
  return ops;
}

/// %a, whose rows are x and y.
const std::string kRows =
    "%b = tandem.reshape %x shape = [1, {N}] : ({V}) -> tensor<1x{N}x{T}>\n"
    "%c = tandem.reshape %y shape = [1, {N}] : ({V}) -> tensor<1x{N}x{T}>\n"
    "%a = tandem.concat %b, %c axis = 0 : (tensor<1x{N}x{T}>, "
    "tensor<1x{N}x{T}>) -> tensor<2x{N}x{T}>\n";

/// What combines elements, and what moves them: each element of a result is
/// computed from those of the operands with its index.
std::vector<Measured> combiningOps() {
  const std::string rows = "tensor<2x{N}x{T}>";
  std::vector<Measured> ops = {
      {OpKind::softmax,
       {kRows + "%d = tandem.softmax %a axis = 0 : " + rows +
        "\n%e = tandem.slice %d starts = [0, 0] limits = [1, {N}] strides = "
        "[1, 1] : (tensor<2x{N}x{T}>) -> tensor<1x{N}x{T}>\n"
        "%r = tandem.reshape %e shape = [{N}] : (tensor<1x{N}x{T}>) -> {V}"}},
      {OpKind::avg_pool,
       {kRows + "%d = tandem.reshape %a shape = [1, 2, {N}] : (" + rows +
        ") -> tensor<1x2x{N}x{T}>\n"
        "%e = tandem.avg_pool %d layout = \"NWC\" window = [2] : "
        "(tensor<1x2x{N}x{T}>) -> tensor<1x1x{N}x{T}>\n"
        "%r = tandem.reshape %e shape = [{N}] : (tensor<1x1x{N}x{T}>) -> "
        "{V}"}},
      {OpKind::matmul,
       {"%b = tandem.reshape %x shape = [{N}, 1, 1] : ({V}) -> "
        "tensor<{N}x1x1x{T}>\n"
        "%c = tandem.reshape %y shape = [{N}, 1, 1] : ({V}) -> "
        "tensor<{N}x1x1x{T}>\n"
        "%d = tandem.matmul %b, %c : (tensor<{N}x1x1x{T}>, "
        "tensor<{N}x1x1x{T}>) -> tensor<{N}x1x1x{T}>\n"
        "%r = tandem.reshape %d shape = [{N}] : (tensor<{N}x1x1x{T}>) -> "
        "{V}"}},
      {OpKind::iota, {"%r = tandem.iota axis = 0 : {V}"}}};
  for (const char *kind : {"sum", "prod", "max", "min", "mean"})
    ops.push_back({OpKind::reduce,
                   {kRows + "%r = tandem.reduce %a kind = " + kind +
                    " dims = [0] : (" + rows + ") -> {V}"}});
  return ops;
}

std::vector<Measured> otherOps() {
  std::vector<Measured> ops = combiningOps();
  for (OpKind kind : kBinaryKinds)
    if (hasFloats(kind))
      ops.push_back({kind, {textOf(kind, "%x, %y")}});
  ops.push_back({OpKind::select,
                 {"%r = tandem.select %p, %x, %y : ({P}, {V}, {V}) -> {V}"}});
  ops.push_back({OpKind::clamp,
                 {"%r = tandem.clamp %x, %y, %y : ({V}, {V}, {V}) -> {V}"}});
  return ops;
}

/// What moves elements, or keeps what it is given beside them.
bool isMoving(OpKind kind) {
  return getOpInfo(kind).family == OpFamily::shape ||
         getOpInfo(kind).family == OpFamily::indexing;
}

class Ranges : public testing::Test {
protected:
  static void SetUpTestSuite() {
    for (DType dtype : floatTypes()) {
      measure(dtype, unaryOps(), manyValues(dtype), seen);
      measure(dtype, otherOps(), {}, seen);
    }
  }
  static std::map<OpKind, Seen> seen;
};
std::map<OpKind, Seen> Ranges::seen;

TEST_F(Ranges, AreThoseThatResultsHave) {
  for (const auto &[kind, results] : seen)
    EXPECT_EQ(getOpInfo(kind).range, results.range()) << name(kind);
}

/// Whatever else claims something moves elements.
TEST_F(Ranges, AreMeasured) {
  for (OpKind kind : fb::EnumValuesOpKind())
    if (getOpInfo(kind).range != Range::any && !isMoving(kind))
      EXPECT_TRUE(seen.count(kind)) << name(kind);
  int64_t results = 0;
  for (const auto &[kind, all] : seen)
    results += all.results;
  std::printf("ranges of %zu ops in %lld results\n", seen.size(),
              static_cast<long long>(results));
}

} // namespace
