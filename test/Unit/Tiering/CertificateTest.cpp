//===- CertificateTest.cpp - Compiled programs beside eager ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/TestPrograms.h"

#include "engine/certificate/Certificate.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Npy.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using namespace tandem::tiering;
using testing::HasSubstr;
using Verdict = Certificate::Verdict;
using Reason = Certificate::Reason;
using Tensors = std::vector<Tensor>;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TensorType vec(int64_t size, DType dtype = DType::f32) {
  return {dtype, {size}};
}

Tensor floatsOf(const std::vector<float> &values) {
  Tensor tensor = *Tensor::allocate(vec(std::ssize(values)));
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

Tensor randomOf(const TensorType &type, uint64_t seed = 1) {
  Tensor tensor = *Tensor::allocate(type);
  fillRandom(tensor, seed);
  return tensor;
}

Tensor copyOf(const Tensor &tensor) {
  Tensor copy = *Tensor::allocate(tensor.type());
  std::memcpy(copy.data(), tensor.data(), tensor.bytes());
  return copy;
}

/// A program with its certifier, on some inputs.
struct Case {
  std::shared_ptr<const Program> program;
  Tensors inputs;
  Certifier certifier = make();
  Tensors eager = run(certifier.program());

  Certifier make() const {
    const std::vector<TensorType> types = typesOf(inputs);
    auto certifier = Certifier::create(program, types);
    EXPECT_TRUE(certifier) << certifier.error().str();
    return *certifier;
  }
  Tensors run(std::shared_ptr<const Program> which,
              ExecutorOptions options = {}) const {
    auto executor = Executor::create(std::move(which), std::move(options));
    EXPECT_TRUE(executor) << executor.error().str();
    Tensors outputs;
    Status status = (*executor)->run(inputs, outputs);
    EXPECT_TRUE(status) << status.error().str();
    return outputs;
  }
  /// Copies of eager's outputs, which a test may spoil.
  Tensors compiled() const {
    Tensors outputs;
    for (size_t i = 0; i < program->outputs.size(); ++i)
      outputs.push_back(copyOf(eager[i]));
    return outputs;
  }
  Certificate certify(const Tensors &compiled) const {
    return certifier.certify(inputs, eager, compiled);
  }
};

/// sqrt(x) y + z.
Case multiplyAdd(int64_t size = 64) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(kDynamic)),
                 y = builder.input(vec(kDynamic)),
                 z = builder.input(vec(kDynamic));
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, vec(kDynamic));
  const uint32_t product =
      builder.op(makeOp(OpKind::mul), {root, y}, vec(kDynamic));
  Case result{
      builder.finish(
          {builder.op(makeOp(OpKind::add), {product, z}, vec(kDynamic))}),
      {makeFloats({size}, 1), randomOf(vec(size), 2), randomOf(vec(size), 3)}};
  return result;
}

/// A float op whose result is not exact, then `jump`.
Case jumping(OpDesc jump, const std::vector<float> &values,
             const TensorType &result) {
  ProgramBuilder builder;
  const TensorType type = vec(std::ssize(values));
  const uint32_t x = builder.input(type);
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, type);
  return {builder.finish({builder.op(std::move(jump), {root}, result)}),
          {floatsOf(values)}};
}

TEST(CertificateTest, EqualOutputsPass) {
  const Case c = multiplyAdd();
  const Certificate certificate = c.certify(c.compiled());
  EXPECT_EQ(certificate.verdict, Verdict::passed) << certificate.str();
  EXPECT_EQ(certificate.compared, 64);
  EXPECT_EQ(c.certifier.program(), c.program);
}

TEST(CertificateTest, RoundingPassesAndMoreDoesNot) {
  const Case c = multiplyAdd();
  Tensors compiled = c.compiled();
  float &element = compiled[0].as<float>()[17];
  element = std::nextafter(element, 100.0f);
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::passed);
  element += 1e-3f;
  const Certificate certificate = c.certify(compiled);
  EXPECT_EQ(certificate.verdict, Verdict::failed);
  EXPECT_EQ(certificate.index, 0u);
  EXPECT_EQ(certificate.element, 17);
  EXPECT_EQ(certificate.actual, element);
  EXPECT_EQ(certificate.expected, c.eager[0].as<float>()[17]);
  EXPECT_LT(certificate.bound, 1e-3);
  EXPECT_THAT(certificate.str(), HasSubstr("output 0, element 17"));
}

/// args: x, y, z, out; without the last element.
void shortKernel(void *const *args, const int64_t *, void *, int64_t begin,
                 int64_t end) {
  auto operand = [&](int i) { return static_cast<const float *>(args[i]); };
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(args[3])[i] =
        i == 63 ? 0 : std::sqrt(operand(0)[i]) * operand(1)[i] + operand(2)[i];
}

TEST(CertificateTest, AWrongKernelFails) {
  const Case c = multiplyAdd();
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(64)), y = builder.input(vec(64)),
                 z = builder.input(vec(64));
  auto wrong = builder.finish(
      {builder.launch(builder.kernel(64, 64), {x, y, z}, vec(64))});
  ExecutorOptions options;
  options.kernels = fakeKernels({shortKernel});
  const Tensors compiled = c.run(wrong, std::move(options));
  const Certificate certificate = c.certify(compiled);
  EXPECT_EQ(certificate.verdict, Verdict::failed);
  EXPECT_EQ(certificate.element, 63);
  EXPECT_EQ(certificate.mismatches, 1);
  auto confirmed = c.certifier.confirm(c.inputs, c.eager, compiled);
  ASSERT_TRUE(confirmed) << confirmed.error().str();
  EXPECT_EQ(confirmed->verdict, Verdict::failed);
  EXPECT_TRUE(confirmed->isByErrorBounds);
}

TEST(CertificateTest, ConfirmingCanBeStopped) {
  const Case c = multiplyAdd();
  int asked = 0;
  auto confirmed = c.certifier.confirm(c.inputs, c.eager, c.compiled(),
                                       [&] { return ++asked == 2; });
  ASSERT_FALSE(confirmed);
  EXPECT_EQ(confirmed.error().message, "stopped");
  EXPECT_EQ(asked, 2);
}

/// x + y - x, which cancels by more than the tolerance assumes.
Case cancelling(float x, std::vector<float> y) {
  const TensorType type = vec(std::ssize(y));
  ProgramBuilder builder;
  const uint32_t a = builder.input(type), b = builder.input(type);
  const uint32_t sum = builder.op(makeOp(OpKind::add), {a, b}, type);
  std::vector<float> large(y.size());
  for (size_t i = 0; i < large.size(); ++i)
    large[i] = x * static_cast<float>(i + 1);
  return {builder.finish({builder.op(makeOp(OpKind::sub), {sum, a}, type)}),
          {floatsOf(large), floatsOf(y)}};
}

Certificate confirm(const Case &c, const Tensors &compiled) {
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
  auto confirmed = c.certifier.confirm(c.inputs, c.eager, compiled);
  EXPECT_TRUE(confirmed) << confirmed.error().str();
  return *confirmed;
}

TEST(CertificateTest, ErrorBoundsKnowCancellation) {
  const Case c = cancelling(1000, {1, 2, 3, 4});
  Tensors compiled = c.compiled();
  compiled[0].as<float>()[3] += 1e-4f;
  EXPECT_EQ(confirm(c, compiled).verdict, Verdict::passed);
  compiled[0].as<float>()[3] += 1e-2f;
  EXPECT_EQ(confirm(c, compiled).verdict, Verdict::failed);
}

/// Bounds as large as the results would let anything pass.
TEST(CertificateTest, AWeakBoundDecidesNothing) {
  const Case c = cancelling(1e7f, {1, 2, 3, 4});
  Tensors compiled = c.compiled();
  compiled[0].as<float>()[3] += 4;
  const Certificate certificate = confirm(c, compiled);
  EXPECT_EQ(certificate.verdict, Verdict::undecided) << certificate.str();
  EXPECT_EQ(certificate.reason, Reason::weak);
  EXPECT_EQ(certificate.element, 3);
  EXPECT_EQ(certificate.expected, c.eager[0].as<float>()[3]);
  EXPECT_EQ(certificate.actual, c.eager[0].as<float>()[3] + 4);
  EXPECT_THAT(certificate.str(), HasSubstr("undecided: output 0, element 3"));
  compiled[0].as<float>()[3] += 400;
  EXPECT_EQ(confirm(c, compiled).verdict, Verdict::failed);
}

/// Results that are all zero in one tier alone are within the error bounds
/// here.
TEST(CertificateTest, ZerosNeverPass) {
  const Case c = cancelling(1e8f, {1, 2, 3, 1});
  ASSERT_THAT(floats(c.eager[0]), testing::Each(0));
  Tensors compiled = c.compiled();
  for (int64_t i = 0; i < 4; ++i)
    compiled[0].as<float>()[i] = c.inputs[1].as<float>()[i];
  EXPECT_EQ(confirm(c, compiled).verdict, Verdict::undecided);
}

/// What differs must have a bound that is not weak. Other elements need none.
TEST(CertificateTest, OneWeakBoundLeavesOthersDecided) {
  Case c = cancelling(1, {1, 2, 3, 1000});
  c.inputs[0].as<float>()[0] = 1e13f;
  c.inputs[0].as<float>()[3] = 1e6f;
  c = Case{c.program, c.inputs};
  Tensors compiled = c.compiled();
  compiled[0].as<float>()[3] += 0.1f;
  EXPECT_EQ(confirm(c, compiled).verdict, Verdict::passed);
  compiled[0].as<float>()[0] += 1e4f;
  EXPECT_EQ(confirm(c, compiled).verdict, Verdict::undecided);
}

/// A product of many factors overflows in one order and not in another.
TEST(CertificateTest, AnInfinityForANumberIsNotExcused) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(4));
  OpDesc product = makeOp(OpKind::reduce);
  fb::ReduceAttrsT attrs;
  attrs.kind = fb::ReduceKind::prod;
  attrs.dims = {0};
  attrs.keep_dims = true;
  product.attrs.Set(std::move(attrs));
  const Case c{builder.finish({builder.op(product, {x}, vec(1))}),
               {floatsOf({1e30f, 1e30f, 1e-30f, 1e-30f})}};
  Tensors compiled = c.compiled();
  float &element = compiled[0].as<float>()[0];
  element = std::isinf(element) ? 1 : kInfinity;
  const Certificate certificate = confirm(c, compiled);
  EXPECT_EQ(certificate.verdict, Verdict::undecided) << certificate.str();
}

TEST(CertificateTest, OtherTypesFail) {
  const Case c = multiplyAdd();
  EXPECT_EQ(c.certify({randomOf(vec(65))}).verdict, Verdict::failed);
  EXPECT_THAT(c.certify({randomOf(vec(65))}).str(), HasSubstr("another type"));
}

TEST(CertificateTest, NothingIsExcusedAwayFromJumps) {
  const Case c =
      jumping(makeOp(OpKind::floor), {2, 3, 5, 6, 7, 8, 10, 11}, vec(8));
  EXPECT_EQ(c.certifier.program()->outputs.size(), 2u);
  EXPECT_EQ(c.program->outputs.size(), 1u);
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::passed);
  compiled[0].as<float>()[2] += 1;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

TEST(CertificateTest, NearAJumpAnElementMayDiffer) {
  // The roots of squares are on the jump: one of eight elements.
  const Case c =
      jumping(makeOp(OpKind::floor), {2, 3, 4, 6, 7, 8, 10, 11}, vec(8));
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::passed);
  EXPECT_EQ(c.certify(compiled).nearJumps, 1);
  compiled[0].as<float>()[2] -= 1;
  Certificate certificate = c.certify(compiled);
  EXPECT_EQ(certificate.verdict, Verdict::provisional);
  EXPECT_EQ(certificate.reason, Reason::nearJump);
  EXPECT_EQ(certificate.explained, 1);
  auto confirmed = c.certifier.confirm(c.inputs, c.eager, compiled);
  ASSERT_TRUE(confirmed) << confirmed.error().str();
  EXPECT_EQ(confirmed->verdict, Verdict::provisional) << confirmed->str();
  // It explains one element, not two.
  compiled[0].as<float>()[5] -= 1;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
  EXPECT_EQ(c.certifier.confirm(c.inputs, c.eager, compiled)->verdict,
            Verdict::failed);
}

/// sqrt(x) rem 1.5, of which only that of 9 is near a multiple. 0 is not one:
/// the quotient is 0 on both sides.
TEST(CertificateTest, RemaindersJumpAtMultiples) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(4)), y = builder.input(vec(4));
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, vec(4));
  const Case c = {
      builder.finish({builder.op(makeOp(OpKind::rem), {root, y}, vec(4))}),
      {floatsOf({0, 1, 9, 10}), floatsOf({1.5f, 1.5f, 1.5f, 1.5f})}};
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).nearJumps, 1);
  compiled[0].as<float>()[2] = 1.5f;
  EXPECT_EQ(c.certify(compiled).explained, 1);
  compiled[0].as<float>()[3] = 1.5f;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

/// The three largest or smallest of eight roots.
TEST(CertificateTest, RanksJumpWhereElementsAreNearlyEqual) {
  auto countNear = [](float second, bool ascending) {
    const std::vector<float> values = {1, 81, second, 49, 25, 4, 9, 2};
    ProgramBuilder builder;
    const uint32_t x = builder.input(vec(8));
    const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, vec(8));
    const std::vector<uint32_t> both =
        builder.ops(makeOp(OpKind::topk, fb::TopKAttrsT{{}, 0, 3, ascending}),
                    {root}, {vec(3), {DType::i64, {3}}});
    const Case c = {builder.finish(both), {floatsOf(values)}};
    return c.certify(c.compiled()).nearJumps;
  };
  EXPECT_EQ(countNear(64, /*ascending=*/false), 0);
  EXPECT_EQ(countNear(std::nextafter(81.0f, 0.0f), /*ascending=*/false), 2);
  // The third and the fourth: only one of them is in the result.
  EXPECT_EQ(countNear(25, /*ascending=*/false), 1);
  EXPECT_EQ(countNear(std::nextafter(81.0f, 0.0f), /*ascending=*/true), 0);
}

TEST(CertificateTest, FewElementsNearJumpsLeaveTheOthersCompared) {
  std::vector<float> values(100, 2.0f);
  for (int i = 0; i < 100; ++i)
    values[i] += 0.01f * static_cast<float>(i);
  values[40] = 4; // And of [sqrt 2, sqrt 3) none is near 1 or 2.
  const Case c = jumping(makeOp(OpKind::round), values, vec(100));
  Tensors compiled = c.compiled();
  const int64_t near = c.certify(compiled).nearJumps;
  values[40] = 2.25f; // sqrt is 1.5, where round jumps.
  const Case at = jumping(makeOp(OpKind::round), values, vec(100));
  Tensors other = at.compiled();
  EXPECT_EQ(at.certify(other).nearJumps, near + 1);
  other[0].as<float>()[40] = 1;
  EXPECT_EQ(at.certify(other).verdict, Verdict::passed);
  EXPECT_EQ(at.certify(other).explained, 1);
}

/// Each op that jumps, beside its jump and away from it.
TEST(CertificateTest, EveryKindOfJumpIsKnown) {
  struct {
    OpDesc op;
    DType result;
    float near, away;
  } cases[] = {
      {makeOp(OpKind::floor), DType::f32, 9, 10},
      {makeOp(OpKind::ceil), DType::f32, 9, 10},
      {makeOp(OpKind::round), DType::f32, 6.25f, 9},
      {makeOp(OpKind::sign), DType::f32, 0, 1},
      {makeOp(OpKind::cast, fb::CastAttrsT{{}, DType::i32}), DType::i32, 9, 0},
      {makeOp(OpKind::cast, fb::CastAttrsT{{}, DType::i1}), DType::i1, 0, 9}};
  for (auto &[op, dtype, near, away] : cases) {
    const TensorType type = vec(2, dtype);
    for (float value : {near, away}) {
      const Case c = jumping(op, {7.3f, value}, type);
      EXPECT_EQ(c.certify(c.compiled()).nearJumps, value == near)
          << name(op.kind) << " at " << value;
    }
  }
}

/// sqrt(x) < y, y broadcast along the rows.
TEST(CertificateTest, ComparesOfNearValuesMayDiffer) {
  ProgramBuilder builder;
  const TensorType matrix{DType::f32, {2, 3}}, row{DType::f32, {3}};
  const uint32_t x = builder.input(matrix), y = builder.input(row);
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, matrix);
  fb::CompareAttrsT attrs;
  attrs.predicate = fb::ComparePredicate::lt;
  const uint32_t less = builder.op(makeOp(OpKind::compare, std::move(attrs)),
                                   {root, y}, {DType::i1, {2, 3}});
  Tensor data = *Tensor::allocate(matrix);
  const float values[] = {1, 2, 3, 5, 4, 7};
  std::copy_n(values, 6, data.as<float>());
  const Case c{builder.finish({less}), {data, floatsOf({4, 2, 6})}};
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).nearJumps, 1);
  compiled[0].as<uint8_t>()[4] ^= 1;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::provisional);
  compiled[0].as<uint8_t>()[1] ^= 1;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

/// The index of the largest of f(x) in each row of a 2x3 matrix.
Case argmaxOf(OpKind f, const std::array<float, 6> &values) {
  ProgramBuilder builder;
  const TensorType matrix{DType::f32, {2, 3}};
  const uint32_t x = builder.input(matrix);
  const uint32_t y = builder.op(makeOp(f), {x}, matrix);
  fb::ReduceAttrsT attrs;
  attrs.kind = fb::ReduceKind::argmax;
  attrs.dims = {1};
  const uint32_t index = builder.op(makeOp(OpKind::reduce, std::move(attrs)),
                                    {y}, vec(2, DType::i64));
  Tensor data = *Tensor::allocate(matrix);
  std::copy_n(values.data(), 6, data.as<float>());
  return Case{builder.finish({index}), {data}};
}

TEST(CertificateTest, ArgmaxOfEqualsMayDiffer) {
  const Case c = argmaxOf(OpKind::sqrt, {1, 2, 3, 5, 4, 5});
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).nearJumps, 1);
  compiled[0].as<int64_t>()[1] = 2;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::provisional);
  compiled[0].as<int64_t>()[0] = 0;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

/// -inf, as masks leave it, is not near any number.
TEST(CertificateTest, ArgmaxBesideInfinityDoesNotDiffer) {
  const Case c = argmaxOf(OpKind::log, {1, 0, 3, 5, 0, 0});
  EXPECT_EQ(c.certify(c.compiled()).nearJumps, 0);
}

TEST(CertificateTest, ConstantsAreProvisional) {
  Case c = multiplyAdd(4);
  c.inputs[2] = floatsOf({1, 1, 1, 1});
  c.eager = c.run(c.certifier.program());
  Certificate certificate = c.certify(c.compiled());
  EXPECT_EQ(certificate.verdict, Verdict::provisional);
  EXPECT_EQ(certificate.reason, Reason::constant);
  EXPECT_TRUE(certificate.isInput);
  EXPECT_EQ(certificate.index, 2u);
  // One element is always equal to itself.
  const Case one = multiplyAdd(1);
  EXPECT_EQ(one.certify(one.compiled()).verdict, Verdict::passed);
}

TEST(CertificateTest, WhatIsNotFiniteIsProvisionalOrFails) {
  Case c = multiplyAdd(4);
  c.inputs[2] = floatsOf({1, 2, kInfinity, std::nanf("")});
  c.eager = c.run(c.certifier.program());
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).reason, Reason::notFinite);
  // Any NaN is a NaN.
  compiled[0].as<float>()[3] = std::nanf("17");
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::provisional);
  compiled[0].as<float>()[2] = -kInfinity;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
  compiled = c.compiled();
  compiled[0].as<float>()[3] = 0;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
  compiled = c.compiled();
  compiled[0].as<float>()[0] = std::nanf("");
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

TEST(CertificateTest, HalvesMayOverflowWithinTheirTolerance) {
  ProgramBuilder builder;
  const TensorType type = vec(3, DType::f16);
  const uint32_t x = builder.input(type);
  const Case c{builder.finish({builder.op(makeOp(OpKind::mul), {x, x}, type)}),
               {[&] {
                 Tensor tensor = *Tensor::allocate(type);
                 const uint16_t bits[] = {0x5bff, 0x3c00, 0x4000};
                 std::memcpy(tensor.data(), bits, sizeof bits);
                 return tensor;
               }()}};
  Tensors compiled = c.compiled();
  compiled[0].as<uint16_t>()[0] = 0x7c00; // Infinity in place of 65,472.
  EXPECT_EQ(c.certify(compiled).reason, Reason::notFinite);
  compiled[0].as<uint16_t>()[1] = 0x7c00;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

TEST(CertificateTest, SignsOfZerosMayDiffer) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(2)), y = builder.input(vec(2));
  const Case c{
      builder.finish({builder.op(makeOp(OpKind::max), {x, y}, vec(2))}),
      {floatsOf({-0.0f, 1}), floatsOf({0.0f, 2})}};
  Tensors compiled = c.compiled();
  compiled[0].as<float>()[0] = -c.eager[0].as<float>()[0];
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::passed);
  compiled[0].as<float>()[1] = 2.0000002f;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

TEST(CertificateTest, EmptyOutputsPass) {
  const Case c = multiplyAdd(0);
  const Certificate certificate = c.certify(c.compiled());
  EXPECT_EQ(certificate.verdict, Verdict::passed) << certificate.str();
  EXPECT_EQ(certificate.compared, 0);
}

/// Elements whose squares overflow are compared all the same.
TEST(CertificateTest, LargeNumbersAreCompared) {
  Case c = multiplyAdd(4);
  c.inputs[2] = floatsOf({1e30f, 2e30f, 3e30f, 4e30f});
  c.eager = c.run(c.certifier.program());
  Tensors compiled = c.compiled();
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::passed);
  compiled[0].as<float>()[2] *= 1.01f;
  EXPECT_EQ(c.certify(compiled).verdict, Verdict::failed);
}

TEST(CertificateTest, AnyThreadMayCertify) {
  const Case c = multiplyAdd();
  Tensors right = c.compiled(), wrong = c.compiled();
  wrong[0].as<float>()[5] += 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 100; ++n)
        EXPECT_EQ(c.certify(i % 2 ? wrong : right).verdict,
                  i % 2 ? Verdict::failed : Verdict::passed);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CertificateTest, FingerprintsTellInputsApart) {
  Tensor small = randomOf(vec(8)), large = randomOf(vec(100000));
  const uint64_t first = fingerprint({{small, large}});
  EXPECT_EQ(first, fingerprint({{copyOf(small), copyOf(large)}}));
  small.as<float>()[7] += 1;
  EXPECT_NE(first, fingerprint({{small, large}}));
  small.as<float>()[7] -= 1;
  fillRandom(large, 2);
  EXPECT_NE(first, fingerprint({{small, large}}));
}

TEST(CertificateTest, ReproducersHoldWhatTheyNeed) {
  const Case c = multiplyAdd();
  Tensors compiled = c.compiled();
  compiled[0].as<float>()[5] += 1;
  const Certificate certificate = c.certify(compiled);
  const std::string directory = testing::TempDir() + "/tandem-certificates";
  std::filesystem::remove_all(directory);
  const FailedCertificate failed{certificate, *c.program, "// the graph\n",
                                 c.inputs,    c.eager,    compiled};
  auto folder = writeReproducer(failed, directory);
  ASSERT_TRUE(folder) << folder.error().str();
  EXPECT_EQ(floats(*readNpy(*folder + "/input2.npy")), floats(c.inputs[2]));
  EXPECT_EQ(floats(*readNpy(*folder + "/eager0.npy")), floats(c.eager[0]));
  EXPECT_EQ(floats(*readNpy(*folder + "/compiled0.npy")), floats(compiled[0]));
  auto text = readFile(*folder + "/run.sh");
  ASSERT_TRUE(text);
  EXPECT_THAT(std::string(text->begin(), text->end()),
              AllOf(HasSubstr("graph.mlir --certify --func='test' "
                              "--arg=input0.npy --arg=input1.npy"),
                    HasSubstr("element 5: ")));
  EXPECT_EQ(*writeReproducer(failed, directory), *folder);
  auto refused = writeReproducer(failed, *folder + "/run.sh/nowhere");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().phase, "write");
}

} // namespace
