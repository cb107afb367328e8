//===- InterfacesTest.cpp - What passes ask of ops ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class InterfacesTest : public testing::Test {
protected:
  InterfacesTest() { context.loadDialect<TandemDialect, func::FuncDialect>(); }

  /// The first op of the dialect in a function of these arguments and body.
  Operation *parse(const std::string &arguments, const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn }", &context);
    EXPECT_TRUE(module) << body;
    return &module->lookupSymbol<func::FuncOp>("f").front().front();
  }

  std::string indexing(Operation *op, unsigned operand = 0) {
    AffineMap map = cast<IndexingOpInterface>(op).getOperandIndexing(operand);
    std::string text;
    llvm::raw_string_ostream(text) << map;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Calls `visit` with every index of a shape, in row-major order.
void forEachIndex(ArrayRef<int64_t> shape,
                  function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size());
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    for (int64_t i = shape.size() - 1; i >= 0; --i) {
      index[i] = rest % shape[i];
      rest /= shape[i];
    }
    visit(index);
  }
}

int64_t linearise(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip(index, shape)) {
    EXPECT_GE(i, 0);
    EXPECT_LT(i, size);
    position = position * size + i;
  }
  return position;
}

std::string typeText(ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

TEST_F(InterfacesTest, ElementwiseIndexing) {
  Operation *op =
      parse("%a: tensor<4x1x8xf32>, %b: tensor<5x8xf32>, %c: tensor<f32>",
            "%p = tandem.iota axis = 0 : tensor<1xi32>\n"
            "%0 = tandem.clamp %a, %b, %c : (tensor<4x1x8xf32>, "
            "tensor<5x8xf32>, tensor<f32>) -> tensor<4x5x8xf32>")
          ->getNextNode();
  EXPECT_EQ(indexing(op, 0), "(d0, d1, d2) -> (d0, 0, d2)");
  EXPECT_EQ(indexing(op, 1), "(d0, d1, d2) -> (d1, d2)");
  EXPECT_EQ(indexing(op, 2), "(d0, d1, d2) -> ()");
}

TEST_F(InterfacesTest, ElementwiseIndexingOfDynamicDims) {
  // The only operand has nothing to broadcast with.
  EXPECT_EQ(indexing(parse("%a: tensor<?x4xf32>",
                           "%0 = tandem.exp %a : tensor<?x4xf32>")),
            "(d0, d1) -> (d0, d1)");
  // Whether ? is 1 is not known.
  Operation *op =
      parse("%a: tensor<?xf32>, %b: tensor<1xf32>",
            "%0 = tandem.add %a, %b : (tensor<?xf32>, tensor<1xf32>) -> "
            "tensor<?xf32>");
  auto add = cast<IndexingOpInterface>(op);
  EXPECT_FALSE(add.getOperandIndexing(0));
  EXPECT_EQ(indexing(op, 1), "(d0) -> (0)");
}

TEST_F(InterfacesTest, ShapeOpIndexing) {
  EXPECT_EQ(indexing(parse("%a: tensor<?x4x8xf32>",
                           "%0 = tandem.transpose %a permutation = [2, 0, 1] "
                           ": (tensor<?x4x8xf32>) -> tensor<8x?x4xf32>")),
            "(d0, d1, d2) -> (d1, d2, d0)");
  EXPECT_EQ(indexing(parse("%a: tensor<4x1xf32>",
                           "%0 = tandem.broadcast %a shape = [2, 8, 4] "
                           "dims = [2, 1] : (tensor<4x1xf32>) -> "
                           "tensor<2x8x4xf32>")),
            "(d0, d1, d2) -> (d2, 0)");
  EXPECT_EQ(indexing(parse("%a: tensor<10x10xf32>",
                           "%0 = tandem.slice %a starts = [-4, 1] limits = "
                           "[10, 8] strides = [1, 3] : (tensor<10x10xf32>) -> "
                           "tensor<4x3xf32>")),
            "(d0, d1) -> (d0 + 6, d1 * 3 + 1)");
}

/// Elements keep their row-major positions.
TEST_F(InterfacesTest, ReshapeIndexing) {
  using Dims = SmallVector<int64_t>;
  std::pair<Dims, Dims> cases[] = {{{6}, {2, 3}},
                                   {{2, 3}, {6}},
                                   {{2, 6}, {3, 4}},
                                   {{4, 1, 3}, {4, 3}},
                                   {{4, 3}, {1, 4, 1, 3}},
                                   {{2, 3, 4, 5}, {6, 20}},
                                   {{1, 1}, {}},
                                   {{}, {1, 1}},
                                   {{2, 3, 5}, {5, 3, 2}},
                                   {{7, 1}, {7}},
                                   {{2, 2, 3, 2}, {2, 6, 2}}};
  for (const auto &[from, to] : cases) {
    std::string shape;
    for (int64_t size : to)
      shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    Operation *op = parse("%a: " + typeText(from),
                          "%0 = tandem.reshape %a shape = [" + shape + "] : (" +
                              typeText(from) + ") -> " + typeText(to));
    AffineMap map = cast<IndexingOpInterface>(op).getOperandIndexing(0);
    ASSERT_TRUE(map);
    forEachIndex(to, [&, from = from, to = to](ArrayRef<int64_t> index) {
      EXPECT_EQ(linearise(map.compose(index), from), linearise(index, to));
    });
  }
  // Dims that stay cost no divisions.
  EXPECT_EQ(indexing(parse("%a: tensor<2x3x4xf32>",
                           "%0 = tandem.reshape %a shape = [2, 1, 12] : "
                           "(tensor<2x3x4xf32>) -> tensor<2x1x12xf32>")),
            "(d0, d1, d2) -> (d0, d2 floordiv 4, d2 mod 4)");
}

TEST_F(InterfacesTest, Cost) {
  auto add = cast<TandemOpInterface>(
      parse("%a: tensor<4x8xf32>", "%0 = tandem.add %a, %a : tensor<4x8xf32>"));
  FailureOr<OpCost> cost = add.getCost();
  ASSERT_TRUE(succeeded(cost));
  EXPECT_EQ(cost->flops, 32);
  EXPECT_EQ(cost->bytes, 3 * 32 * 4);

  auto dynamic = cast<TandemOpInterface>(
      parse("%a: tensor<?xf32>", "%0 = tandem.add %a, %a : tensor<?xf32>"));
  EXPECT_TRUE(failed(dynamic.getCost()));
}

TEST_F(InterfacesTest, OpDescHoldsEveryAttribute) {
  Operation *op = parse(
      "%x: tensor<1x8x9x4xf32>, %w: tensor<3x2x2x6xf32>",
      "%0 = tandem.conv %x, %w layout = <input = \"NHWC\", kernel = \"HWIO\", "
      "output = \"NCHW\"> strides = [1, 2] pad_low = [3, 4] pad_high = [5, 6] "
      "dilations = [2, 1] groups = 2 : (tensor<1x8x9x4xf32>, "
      "tensor<3x2x2x6xf32>) -> tensor<1x6x12x9xf32>");
  OpDesc desc = cast<TandemOpInterface>(op).getOpDesc();
  EXPECT_EQ(desc.kind, OpKind::conv);
  const fb::ConvAttrsT &attrs = *desc.attrs.AsConvAttrs();
  EXPECT_THAT(attrs.strides, ElementsAre(1, 2));
  EXPECT_THAT(attrs.pad_low, ElementsAre(3, 4));
  EXPECT_THAT(attrs.pad_high, ElementsAre(5, 6));
  EXPECT_THAT(attrs.dilations, ElementsAre(2, 1));
  EXPECT_EQ(attrs.groups, 2);
  EXPECT_EQ(attrs.input_layout, "NHWC");
  EXPECT_EQ(attrs.kernel_layout, "HWIO");
  EXPECT_EQ(attrs.output_layout, "NCHW");
}

TEST_F(InterfacesTest, OpDescOfWrittenTypes) {
  OpDesc iota = cast<TandemOpInterface>(
                    parse("", "%0 = tandem.iota axis = 1 : tensor<2x3xi64>"))
                    .getOpDesc();
  const fb::IotaAttrsT &attrs = *iota.attrs.AsIotaAttrs();
  EXPECT_EQ(attrs.axis, 1);
  EXPECT_EQ(attrs.type->dtype, DType::i64);
  EXPECT_THAT(attrs.type->dims, ElementsAre(2, 3));

  OpDesc call = cast<TandemOpInterface>(
                    parse("", "%0:2 = tandem.custom_call \"f\"() config = "
                              "\"c\" : () -> (tensor<4xf32>, tensor<i1>)"))
                    .getOpDesc();
  const fb::CustomCallAttrsT &custom = *call.attrs.AsCustomCallAttrs();
  EXPECT_EQ(custom.target, "f");
  EXPECT_EQ(custom.config, "c");
  ASSERT_EQ(custom.results.size(), 2u);
  EXPECT_THAT(custom.results[0]->dims, ElementsAre(4));
  EXPECT_THAT(custom.results[1]->dims, IsEmpty());
}

TEST_F(InterfacesTest, BuildersInferTypes) {
  Operation *op = parse("%a: tensor<4x1xf32>, %b: tensor<?xf32>",
                        "%0 = tandem.neg %a : tensor<4x1xf32>");
  OpBuilder builder(op);
  Block &entry = *op->getBlock();
  Value a = entry.getArgument(0), b = entry.getArgument(1);
  auto add = AddOp::create(builder, op->getLoc(), a, b);
  EXPECT_EQ(toTandemType(add.getType()).str(), "tensor<4x?xf32>");
  auto compare =
      CompareOp::create(builder, op->getLoc(), add, b, ComparePredicate::lt);
  EXPECT_EQ(toTandemType(compare.getType()).str(), "tensor<4x?xi1>");
  auto cast = CastOp::create(builder, op->getLoc(), a, builder.getI8Type());
  EXPECT_EQ(toTandemType(cast.getType()).str(), "tensor<4x1xi8>");
}

TEST_F(InterfacesTest, TypesRoundTrip) {
  for (DType dtype : fb::EnumValuesDType()) {
    tandem::TensorType type{dtype, {2, kDynamic, 3}};
    RankedTensorType converted = toMlirType(&context, type);
    EXPECT_TRUE(isTandemTensor(converted));
    EXPECT_EQ(toTandemType(converted), type);
  }
  EXPECT_FALSE(isTandemTensor(
      RankedTensorType::get({2}, IntegerType::get(&context, 4))));
  EXPECT_FALSE(isTandemTensor(RankedTensorType::get(
      {2}, IntegerType::get(&context, 8, IntegerType::Signed))));
}

} // namespace
