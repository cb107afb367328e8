//===- LibraryFixture.cpp - Ops by the fake libraries ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFixture.h"

using namespace tandem;
using namespace tandem::test;

namespace {

class HostKernel final : public PreparedOp {
public:
  explicit HostKernel(OpDesc op) : op(std::move(op)) {}
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    TANDEM_ASSIGN_OR_RETURN(auto here, copyToHost(operands, context.stream));
    TANDEM_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(results[0].type()));
    TANDEM_RETURN_IF_ERROR(evaluateByReference(op, here, {&result, 1}));
    return context.stream.copy(result, results[0]);
  }

private:
  const OpDesc op;
};

} // namespace

Expected<std::unique_ptr<PreparedOp>>
HostKernels::prepare(const OpSignature &signature) const {
  if (signature.op.kind != OpKind::transpose &&
      signature.op.kind != OpKind::add)
    return nullptr;
  return std::make_unique<HostKernel>(signature.op);
}

LibraryTest::LibraryTest() {
  // What is planned is counted.
  setenv("TANDEM_DISK_CACHE", "off", 1);
  fake.collect();
  auto found = cudaDevice();
  EXPECT_TRUE(found) << found.error().str();
  device = *found;
  stream = &device->defaultStream();
  static cuda::Context *shared = *cuda::Context::create(0);
  context = shared;
  libraries = openLibraries();
}

LibraryTest::~LibraryTest() {
  fake.hold(false);
  EXPECT_TRUE(stream->synchronize());
  fake.reset();
  EXPECT_STREQ(fake.collect(), "");
}

std::unique_ptr<cuda::DeviceLibraries> LibraryTest::openLibraries() {
  return cuda::DeviceLibraries::create(*context, *device, &kernels);
}

Expected<Tensor> LibraryTest::run(const PreparedOp &op,
                                  const std::vector<Tensor> &operands,
                                  const TensorType &type) {
  TANDEM_ASSIGN_OR_RETURN(auto there, copyToDevice(operands, *stream));
  TANDEM_ASSIGN_OR_RETURN(Tensor result,
                          Tensor::allocate(type, stream->allocator()));
  TANDEM_RETURN_IF_ERROR(runOp(op, there, {&result, 1}, *stream, "the step"));
  TANDEM_ASSIGN_OR_RETURN(auto here, copyToHost({&result, 1}, *stream));
  return here[0];
}

Tensor test::integers(const TensorType &type, std::mt19937_64 &rng,
                      int largest) {
  std::uniform_int_distribution<int> pick(-largest, largest);
  std::vector<double> values;
  for (int64_t i = 0; i < type.shape.numElements(); ++i)
    values.push_back(pick(rng));
  return tensorOf(type.dtype, type.shape, values);
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

Tensor FusedCase::expected() const {
  const size_t numOperands = base.operands.size();
  const bool isMatmul = base.op.kind == OpKind::matmul;
  Tensor value = reference(
      base.op, {operands.begin(), operands.begin() + int(numOperands)});
  if (isMatmul && hasBias)
    value = reference(makeOp(OpKind::add), {value, operands[numOperands]});
  if (hasResidual)
    value = reference(makeOp(OpKind::add), {value, operands.back()});
  if (activation == Activation::relu)
    value = reference(makeOp(OpKind::relu), {value});
  if (activation == Activation::gelu_tanh)
    value = reference(makeOp(OpKind::gelu, fb::GeluAttrsT{{}, true}), {value});
  return value;
}

Expected<std::unique_ptr<PreparedOp>>
FusedCase::prepare(cuda::DeviceLibraries &libraries,
                   const LibraryOptions &options) const {
  const std::vector<TensorType> types = typesOf(operands);
  return libraries.prepareFused(
      {{base.op, types, {&result, 1}}, hasResidual, activation}, options);
}

FusedCase test::randomFused(OpKind kind, DType dtype, std::mt19937_64 &rng) {
  FusedCase c;
  c.base = *randomCase(kind, dtype, rng);
  for (Tensor &operand : c.base.operands)
    operand = integers(operand.type(), rng, 1);
  c.operands = c.base.operands;
  c.result = *inferType(c.base.op, typesOf(c.operands));
  c.hasBias = rng() % 2;
  if (kind == OpKind::conv)
    c.hasBias = c.operands.size() > 2;
  else if (c.hasBias)
    c.operands.push_back(
        integers({dtype, {c.result.shape[c.result.shape.rank() - 1]}}, rng));
  c.hasResidual = rng() % 2;
  if (c.hasResidual)
    c.operands.push_back(integers(c.result, rng));
  c.activation = rng() % 2 ? Activation::relu : Activation::none;
  return c;
}
