//===- KernelProviderTest.cpp - The GPU's own kernels against reference ---===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op on every type, on the fake driver.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDA/FakeCUDA.h"
#include "Providers/Cases.h"

#include "eager/cuda/ElementwiseFunctions.h"
#include "eager/cuda/KernelProvider.h"

#include "tandem/Runtime/CUDADevice.h"

#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::test;
using cuda::ElementwiseFunction;
using cuda::KernelProvider;

namespace {

/// The context in which providers of this test find kernels: the device's own
/// is nobody else's to see.
cuda::Context &context() {
  static cuda::Context &context = []() -> cuda::Context & {
    fakeCUDA().collect();
    return **cuda::Context::create(0);
  }();
  return context;
}

Stream &stream() { return (*cudaDevice())->defaultStream(); }

/// Runs an op of a provider of the GPU on tensors of the host.
class StagedOp final : public PreparedOp {
public:
  /// `shift`: bytes by which tensors are not aligned.
  StagedOp(std::unique_ptr<PreparedOp> op, size_t shift)
      : op(std::move(op)), shift(shift) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const MemoryScope copies; // Not the op's.
    std::vector<Tensor> there, out;
    for (const Tensor &operand : operands) {
      TANDEM_ASSIGN_OR_RETURN(Tensor copy, allocate(operand.type()));
      TANDEM_RETURN_IF_ERROR(stream().copy(operand, copy));
      there.push_back(copy);
    }
    for (const Tensor &result : results) {
      TANDEM_ASSIGN_OR_RETURN(out.emplace_back(), allocate(result.type()));
    }
    {
      const MemoryScope own;
      TANDEM_RETURN_IF_ERROR(op->run({stream(), {}, "test"}, there, out));
      EXPECT_EQ(own.peakBytes(), 0);
    }
    for (size_t i = 0; i < out.size(); ++i)
      TANDEM_RETURN_IF_ERROR(stream().copy(out[i], results[i]));
    return stream().synchronize();
  }

private:
  Expected<Tensor> allocate(const TensorType &type) const {
    const auto bytes = static_cast<int64_t>(shift);
    TANDEM_ASSIGN_OR_RETURN(
        Tensor block, Tensor::allocate({DType::i8, {type.bytes() + bytes}},
                                       stream().allocator()));
    return Tensor::share(
        type, std::shared_ptr<void>(block.owner(), block.as<char>() + shift),
        block.device());
  }

  std::unique_ptr<PreparedOp> op;
  const size_t shift;
};

class StagedProvider final : public Provider {
public:
  explicit StagedProvider(bool isWide, size_t shift = 0)
      : kernels(context(), isWide), shift(shift) {}

  std::string_view name() const override { return kernels.name(); }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    TANDEM_ASSIGN_OR_RETURN(auto op, kernels.prepare(signature));
    if (!op)
      return nullptr;
    return std::make_unique<StagedOp>(std::move(op), shift);
  }

private:
  KernelProvider kernels;
  const size_t shift;
};

const Provider &narrow() {
  static const StagedProvider provider(false);
  return provider;
}
const Provider &wide() {
  static const StagedProvider provider(true);
  return provider;
}

/// The same as checkAgainstReference, but every op must be there.
void check(const Provider &provider, const Case &c) {
  ASSERT_TRUE(supports(provider, c.op, c.operands)) << c.describe();
  checkAgainstReference(provider, c);
}

class CUDAKernels : public testing::TestWithParam<OpKind> {
protected:
  ~CUDAKernels() override { EXPECT_STREQ(fakeCUDA().collect(), ""); }
};
using OwnKernels = CUDAKernels;

std::vector<OpKind> executedKinds() {
  std::vector<OpKind> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (getOpInfo(kind).family != OpFamily::structure)
      kinds.push_back(kind);
  return kinds;
}

std::string nameOf(const testing::TestParamInfo<OpKind> &info) {
  return std::string(name(info.param));
}

Tensor random(DType dtype, const Shape &shape) {
  Tensor tensor = emptyTensor({dtype, shape});
  fillRandom(tensor, 7);
  return tensor;
}

} // namespace

TEST_P(CUDAKernels, AgreeWithReference) {
  const OpKind kind = GetParam();
  int made = 0;
  constexpr int numTypes = int(DType::MAX) + 1;
  for (int i = 0; i < 6 * numTypes; ++i) {
    SCOPED_TRACE(i);
    std::mt19937_64 rng(1000 * i + int(kind));
    const std::optional<Case> c = randomCase(kind, kDTypes[i % numTypes], rng);
    if (!c)
      continue;
    ++made;
    // Each type is checked with both widths of indices.
    check(i / numTypes % 3 == 2 ? wide() : narrow(), *c);
  }
  EXPECT_GT(made, 0) << "no random case is well formed";
}

INSTANTIATE_TEST_SUITE_P(Kinds, CUDAKernels, testing::ValuesIn(executedKinds()),
                         nameOf);

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

namespace {

std::vector<double> specialValues(DType dtype) {
  std::vector<double> values = {0, 1, -1, 2, -2, 3, 7, -7, 100, -100};
  const double inf = std::numeric_limits<double>::infinity();
  if (isFloat(dtype))
    for (double x : {-0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.999, 30., -30., 0x1p-20,
                     0x1p-140, 60000., -60000., 3e9, -1e30, 1e38, inf, -inf,
                     std::numeric_limits<double>::quiet_NaN()})
      values.push_back(x);
  else
    values.insert(values.end(), {-128, 127});
  return values;
}

/// Special values with one another: rows, columns, and one value.
std::vector<Tensor> specialOperands(const ElementwiseFunction &function) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < function.operands.size(); ++i) {
    const std::vector<double> values = specialValues(function.operands[i]);
    const auto size = static_cast<int64_t>(values.size());
    if (function.operands[i] != function.operands.back())
      operands.push_back(tensorOf(DType::i1, {}, {1}));
    else
      operands.push_back(tensorOf(
          function.operands[i], i % 2 ? Shape{size, 1} : Shape{size}, values));
  }
  return operands;
}

} // namespace

TEST_F(OwnKernels, SpecialValues) {
  int functions = 0;
  for (cuda::FunctionGroup group : cuda::kFunctionGroups)
    for (DType dtype : kDTypes) {
      if (group == cuda::FunctionGroup::conversions)
        continue;
      for (const ElementwiseFunction &function :
           cuda::elementwiseFunctions(group, dtype)) {
        SCOPED_TRACE(function.name);
        check(narrow(), {function.op, specialOperands(function)});
        ++functions;
      }
    }
  EXPECT_GT(functions, 250);
}

TEST_F(OwnKernels, OperandsOfAllShapes) {
  const Shape matrix{70, 50};
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::i8}) {
    const Tensor x = random(dtype, matrix);
    for (const Shape &shape : {matrix, Shape{50}, Shape{70, 1}, Shape{1, 1},
                               Shape{}, Shape{1, 50}}) {
      check(narrow(), {makeOp(OpKind::add), {x, random(dtype, shape)}});
      check(wide(), {makeOp(OpKind::add), {random(dtype, shape), x}});
    }
    check(narrow(), {makeOp(OpKind::add),
                     {random(dtype, {3, 1, 5, 1}), random(dtype, {4, 1, 6})}});
  }
}

/// Sizes around those of vectors and of blocks.
TEST_F(OwnKernels, SizesOfAllRemainders) {
  for (int64_t size : {1, 3, 4, 5, 15, 16, 17, 1023, 1024, 1025, 4097})
    for (DType dtype : {DType::f32, DType::f16, DType::i8})
      check(narrow(), {makeOp(OpKind::add),
                       {random(dtype, {size}), random(dtype, {size})}});
}

TEST_F(OwnKernels, TensorsThatAreNotAligned) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const StagedProvider shifted(false, size_t(byteWidth(dtype)));
    check(shifted, {makeOp(OpKind::mul),
                    {random(dtype, {1000}), random(dtype, {1000})}});
    check(shifted, {makeOp(OpKind::reduce,
                           fb::ReduceAttrsT{{}, fb::ReduceKind::sum, {0}}),
                    {random(dtype, {1000})}});
  }
}

//===----------------------------------------------------------------------===//
// Other families
//===----------------------------------------------------------------------===//

TEST_F(OwnKernels, Transpositions) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i8}) {
    const Tensor x = random(dtype, {3, 45, 17, 40});
    for (const std::vector<int64_t> &order : std::vector<std::vector<int64_t>>{
             {0, 3, 1, 2}, {0, 2, 3, 1}, {3, 2, 1, 0}, {1, 0, 2, 3}})
      check(dtype == DType::f64 ? wide() : narrow(),
            {makeOp(OpKind::transpose, fb::TransposeAttrsT{{}, order}), {x}});
  }
}

TEST_F(OwnKernels, ReductionsOverAllDims) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32}) {
    const Tensor x = random(dtype, {3, 50, 7, 40});
    for (const std::vector<int64_t> &dims : std::vector<std::vector<int64_t>>{
             {0, 1, 2, 3}, {0, 2}, {1, 3}, {0, 1, 2}, {3}, {0}, {1}, {}})
      for (fb::ReduceKind kind : fb::EnumValuesReduceKind()) {
        const Case c{makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, kind, dims}),
                     {x}};
        if (inferType(c.op, std::array{x.type()}))
          check(dims.size() == 1 ? wide() : narrow(), c);
      }
  }
}

/// Rounding errors of equal terms add up where they are added one by one.
TEST_F(OwnKernels, SumsOfEqualTerms) {
  const auto checkSum = [](DType dtype, const Shape &shape) {
    const Tensor x =
        tensorOf(dtype, shape, std::vector<double>(shape.numElements(), 0.1));
    check(narrow(), {makeOp(OpKind::reduce,
                            fb::ReduceAttrsT{{}, fb::ReduceKind::sum, {0}}),
                     {x}});
  };
  for (DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    checkSum(dtype, {100000});
    checkSum(dtype, {20000, 3});
  }
}

/// In larger tensors than these, sums of f64 would err by more than they may if
/// they did not keep what is rounded off: they are as good as the reference's.
TEST_F(OwnKernels, SumsOfDoublesKeepTheirRoundingErrors) {
  const Tensor x =
      tensorOf(DType::f64, {300000}, std::vector<double>(300000, 0.1));
  const OpDesc sum =
      makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, fb::ReduceKind::sum, {0}});
  EXPECT_EQ(valuesOf(*run(narrow(), sum, {x})), referenceValues(sum, {x}));
}

/// The first of equal elements, and a NaN before all; wherever threads begin.
TEST_F(OwnKernels, LargestPositions) {
  const OpDesc argmax =
      makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, fb::ReduceKind::argmax, {0}});
  std::vector<double> values(3000, 1);
  check(narrow(), {argmax, {tensorOf(DType::f32, {3000}, values)}});
  // The largest elements are one of the last thread, then one of the first.
  values[255] = values[256] = 5;
  check(narrow(), {argmax, {tensorOf(DType::f32, {3000}, values)}});
  values[2900] = values[2800] = std::numeric_limits<double>::quiet_NaN();
  check(narrow(), {argmax, {tensorOf(DType::f32, {3000}, values)}});
  check(
      narrow(),
      {argmax, {tensorOf(DType::i8, {3000}, std::vector<double>(3000, -128))}});
}

TEST_F(OwnKernels, SoftmaxOfLinesOfAllSizes) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16})
    for (const Shape &shape : {Shape{3, 1}, Shape{2, 700}, Shape{700, 2},
                               Shape{5, 33, 9}, Shape{1, 4}})
      for (int64_t axis = 0; axis < shape.rank(); ++axis) {
        const fb::AxisAttrsT attrs{{}, axis};
        check(axis ? narrow() : wide(),
              {makeOp(OpKind::softmax, attrs), {random(dtype, shape)}});
        check(axis ? narrow() : wide(),
              {makeOp(OpKind::softmax_backward, attrs),
               {random(dtype, shape), random(dtype, shape)}});
      }
}

/// Lines as long as several blocks of threads or shorter than one, and without
/// elements.
TEST_F(OwnKernels, LayerNormsOfAllSizes) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (const Shape &shape :
         {Shape{3, 1}, Shape{2, 700}, Shape{700, 2}, Shape{5, 33, 9},
          Shape{1, 4}, Shape{0, 4}, Shape{4, 0}})
      for (int count = 1; count <= shape.rank(); ++count) {
        const Shape last(shape.span().last(count));
        const TensorType statistics = statisticsType({dtype, shape}, count);
        const Tensor x = random(dtype, shape), scale = random(dtype, last);
        const Provider &provider = count == 1 ? narrow() : wide();
        check(provider,
              {makeOp(OpKind::layer_norm, fb::LayerNormAttrsT{{}, 1e-5}),
               {x, scale, random(dtype, last)}});
        check(provider, {makeOp(OpKind::layer_norm_backward),
                         {random(dtype, shape), x, scale,
                          random(statistics.dtype, statistics.shape),
                          random(statistics.dtype, statistics.shape)}});
      }
}

TEST_F(OwnKernels, ProductsOfSeveralTiles) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32})
    for (bool transpose : {false, true}) {
      const Tensor left =
          random(dtype, transpose ? Shape{2, 70, 67} : Shape{2, 67, 70});
      const Tensor right =
          random(dtype, transpose ? Shape{1, 130, 70} : Shape{1, 70, 130});
      check(transpose ? wide() : narrow(),
            {makeOp(OpKind::matmul, fb::MatmulAttrsT{{}, transpose, transpose}),
             {left, right}});
    }
}

//===----------------------------------------------------------------------===//
// Contractions of bytes
//===----------------------------------------------------------------------===//

namespace {

/// Integers of which a third is the least and a third the largest one.
Tensor extremeBytes(DType dtype, const Shape &shape) {
  Tensor tensor = random(dtype, shape);
  const bool isSigned = dtype == DType::i8;
  for (int64_t i = 0; i < tensor.bytes(); ++i) {
    uint8_t &byte = tensor.as<uint8_t>()[i];
    const uint8_t values[] = {uint8_t(isSigned ? -128 : 0),
                              uint8_t(isSigned ? 127 : 255), byte};
    byte = values[(i * 7 + byte) % 3];
  }
  return tensor;
}

/// Every result must be exact.
void checkBytes(const Provider &provider, const Case &c) {
  SCOPED_TRACE(c.describe());
  const Expected<Tensor> result = run(provider, c.op, c.operands);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(valuesOf(*result), referenceValues(c.op, c.operands));
}

Case convOfBytes(DType data, int64_t inputs, int64_t outputs, int64_t groups,
                 const std::string &layout, const std::string &weights) {
  fb::ConvAttrsT attrs;
  attrs.strides = {2, 1};
  attrs.dilations = {1, 2};
  attrs.pad_low = attrs.pad_high = {1, 2};
  attrs.groups = groups;
  attrs.input_layout = attrs.output_layout = layout;
  attrs.kernel_layout = weights;
  Shape image, kernel;
  for (char letter : layout)
    image.push_back(letter == 'N' ? 2 : letter == 'C' ? inputs * groups : 7);
  for (char letter : weights)
    kernel.push_back(letter == 'O'   ? outputs * groups
                     : letter == 'I' ? inputs
                                     : 3);
  return {makeOp(OpKind::conv, attrs),
          {extremeBytes(data, image), extremeBytes(DType::i8, kernel)}};
}

} // namespace

/// Depths of all remainders by four, in all layouts. Rows of five bytes are not
/// aligned.
TEST_F(OwnKernels, ProductsOfBytes) {
  for (DType data : {DType::ui8, DType::i8})
    for (int64_t k : {0, 1, 3, 4, 5, 64, 70})
      for (bool transpose : {false, true}) {
        fb::MatmulAttrsT attrs{{}, transpose, !transpose};
        attrs.widen = true;
        const Shape lhs = transpose ? Shape{2, k, 67} : Shape{2, 67, k};
        const Shape rhs = transpose ? Shape{k, 9} : Shape{9, k};
        checkBytes(transpose ? wide() : narrow(),
                   {makeOp(OpKind::matmul, attrs),
                    {extremeBytes(data, lhs), extremeBytes(DType::i8, rhs)}});
      }
}

/// Groups with fewer inputs than a quad has, with several quads and with a part
/// of one; with as many outputs as a tile, or with few.
TEST_F(OwnKernels, ConvolutionsOfBytes) {
  for (DType data : {DType::ui8, DType::i8})
    for (int64_t inputs : {1, 3, 4, 6})
      for (int64_t outputs : {1, 17}) {
        checkBytes(narrow(),
                   convOfBytes(data, inputs, outputs, 2, "NHWC", "HWIO"));
        checkBytes(wide(),
                   convOfBytes(data, inputs, outputs, 1, "NCHW", "OHWI"));
      }
  checkBytes(narrow(), convOfBytes(DType::ui8, 0, 17, 1, "NHWC", "HWIO"));
}

/// Lines that a block scans in several steps, in both directions.
TEST_F(OwnKernels, ScansOfLongLines) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i8})
    for (fb::ScanKind kind : fb::EnumValuesScanKind())
      for (bool flag : {false, true}) {
        const OpDesc op =
            makeOp(OpKind::scan, fb::ScanAttrsT{{}, 1, kind, flag, !flag});
        if (isFloat(dtype) || kind != fb::ScanKind::log_sum_exp)
          check(flag ? wide() : narrow(), {op, {random(dtype, {2, 600, 3})}});
      }
}

/// A line with an infinity becomes NaN, and the lines beside it do not.
TEST_F(OwnKernels, TransformsOfInfinities) {
  Tensor x = random(DType::f32, {2, 70, 3, 2});
  x.as<float>()[100] = std::numeric_limits<float>::infinity();
  for (fb::FFTKind kind : fb::EnumValuesFFTKind()) {
    const int64_t length = kind == fb::FFTKind::irfft ? 138 : 0;
    check(narrow(),
          {makeOp(OpKind::fft, fb::FFTAttrsT{{}, 1, kind, length}), {x}});
  }
}

/// Weights that are not finite meet what is in the image alone: a tap in the
/// padding adds nothing.
TEST_F(OwnKernels, PaddingIsNotMultiplied) {
  fb::ConvAttrsT attrs;
  attrs.strides = attrs.dilations = {1};
  attrs.pad_low = attrs.pad_high = {1};
  attrs.input_layout = attrs.output_layout = "NWC";
  attrs.kernel_layout = "WIO";
  std::vector<double> weights(3 * 1 * 2, 1);
  weights[0] = std::numeric_limits<double>::infinity();
  const Case c{makeOp(OpKind::conv, attrs),
               {tensorOf(DType::f32, {1, 3, 1}, {1, 2, 3}),
                tensorOf(DType::f32, {3, 1, 2}, weights)}};
  const std::vector<double> result = valuesOf(*run(narrow(), c.op, c.operands));
  EXPECT_EQ(result, referenceValues(c.op, c.operands));
}

/// Positions far behind a small image, which 32 bits cannot tell from those in
/// it.
TEST_F(OwnKernels, WindowsFarBehindTheImage) {
  fb::ConvAttrsT attrs;
  attrs.dilations = {1};
  attrs.strides = {1 << 20};
  attrs.pad_low = {0};
  attrs.pad_high = {int64_t(1) << 33};
  attrs.input_layout = attrs.output_layout = "NCW";
  attrs.kernel_layout = "OIW";
  check(narrow(), {makeOp(OpKind::conv, attrs),
                   {tensorOf(DType::f32, {1, 1, 3}, {1, 2, 3}),
                    tensorOf(DType::f32, {1, 1, 1}, {1})}});
}

TEST_F(OwnKernels, NothingIsLaunchedForNoElements) {
  const Tensor none = emptyTensor({DType::f32, {0, 3}});
  check(narrow(), {makeOp(OpKind::add), {none, none}});
  check(narrow(), {makeOp(OpKind::softmax, fb::AxisAttrsT{{}, 0}), {none}});
  check(narrow(), {makeOp(OpKind::concat, fb::AxisAttrsT{{}, 0}),
                   {none, tensorOf(DType::f32, {1, 3}, {1, 2, 3}), none}});
  for (fb::ReduceKind kind :
       {fb::ReduceKind::sum, fb::ReduceKind::mean, fb::ReduceKind::prod})
    check(narrow(),
          {makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, kind, {0}}), {none}});
  check(narrow(), {makeOp(OpKind::matmul, fb::MatmulAttrsT()),
                   {emptyTensor({DType::f32, {3, 0}}),
                    emptyTensor({DType::f32, {0, 4}})}});
}

TEST_F(OwnKernels, CustomCallIsNobodys) {
  const TensorType type{DType::f32, {2}};
  auto prepared =
      prepareOp((*cudaDevice())->providers(),
                {makeOp(OpKind::custom_call), {&type, 1}, {&type, 1}});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message,
            "no provider executes custom_call on (tensor<2xf32>) -> "
            "(tensor<2xf32>)");
}

TEST_F(OwnKernels, GridsBeyondTheLimitAreRefused) {
  const TensorType type{DType::i8, {int64_t(1) << 55}};
  const Expected<std::unique_ptr<PreparedOp>> prepared =
      KernelProvider(context()).prepare(
          {makeOp(OpKind::neg), {&type, 1}, {&type, 1}});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message,
            "neg needs a grid of 8796093022208 blocks, more than CUDA allows");
}
