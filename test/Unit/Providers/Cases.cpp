//===- Cases.cpp - Making and running ops in tests --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tandem;
using namespace tandem::test;

Tensor test::emptyTensor(const TensorType &type) {
  Expected<Tensor> tensor = Tensor::allocate(type);
  if (!tensor)
    ADD_FAILURE() << tensor.error().str();
  return *tensor;
}

Tensor test::tensorOf(DType dtype, const Shape &shape,
                      const std::vector<double> &values) {
  Tensor tensor = emptyTensor({dtype, shape});
  withStorage(dtype, [&]<typename T>(T) {
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_same_v<T, bool>)
        tensor.as<T>()[i] = values[i] != 0;
      else if constexpr (std::is_integral_v<T>) // What is beyond T wraps.
        tensor.as<T>()[i] =
            values[i] < 0
                ? T(int64_t(std::max(values[i], -0x1p63)))
                : T(uint64_t(std::min(values[i], 0x1.fffffffffffffp63)));
      else
        tensor.as<T>()[i] = T(values[i]);
  });
  return tensor;
}

static double valueAt(const Tensor &tensor, int64_t i) {
  return withStorage(tensor.dtype(), [&]<typename T>(T) {
    return static_cast<double>(tensor.as<T>()[i]);
  });
}

std::vector<double> test::valuesOf(const Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.shape().numElements(); ++i)
    values.push_back(valueAt(tensor, i));
  return values;
}

/// The op for the operands' types; null where the provider has none, or the op
/// takes no such types.
static Expected<std::unique_ptr<PreparedOp>>
prepare(const Provider &provider, const OpDesc &op,
        const std::vector<Tensor> &operands) {
  const std::vector<TensorType> types = typesOf(operands);
  const auto results = inferTypes(op, types);
  if (!results)
    return nullptr;
  return provider.prepare({op, types, *results});
}

/// Runs the op, checking that it takes the memory it says.
static Expected<std::vector<Tensor>>
runPrepared(const PreparedOp &prepared, const OpDesc &op,
            const std::vector<Tensor> &operands) {
  TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> types,
                          inferTypes(op, typesOf(operands)));
  std::vector<Tensor> results(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    TANDEM_ASSIGN_OR_RETURN(results[i], Tensor::allocate(types[i]));
    // What is not written shows.
    std::memset(results[i].data(), types[i].dtype == DType::i1 ? 1 : 0xA5,
                types[i].bytes());
  }
  MemoryScope memory;
  TANDEM_RETURN_IF_ERROR(runOp(prepared, operands, results));
  if (memory.peakBytes() != prepared.workspaceBytes())
    return fail("test", "allocates " + std::to_string(memory.peakBytes()) +
                            " bytes, not workspaceBytes");
  return results;
}

Expected<std::vector<Tensor>>
test::runAll(const Provider &provider, const OpDesc &op,
             const std::vector<Tensor> &operands) {
  TANDEM_ASSIGN_OR_RETURN(auto prepared, prepare(provider, op, operands));
  if (!prepared)
    return fail("test", std::string(provider.name()) + " has no such op");
  return runPrepared(*prepared, op, operands);
}

Expected<Tensor> test::run(const Provider &provider, const OpDesc &op,
                           const std::vector<Tensor> &operands) {
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> results,
                          runAll(provider, op, operands));
  return results[0];
}

Tensor test::reference(const OpDesc &op, const std::vector<Tensor> &operands) {
  Expected<Tensor> result = run(referenceProvider(), op, operands);
  if (result)
    return *result;
  ADD_FAILURE() << result.error().str();
  return emptyTensor({DType::f32, {0}});
}

std::vector<double> test::referenceValues(const OpDesc &op,
                                          const std::vector<Tensor> &operands) {
  return valuesOf(reference(op, operands));
}

bool test::supports(const Provider &provider, const OpDesc &op,
                    const std::vector<Tensor> &operands) {
  auto prepared = prepare(provider, op, operands);
  // What fails is to be seen where it is run.
  return !prepared || *prepared;
}

std::string Case::describe() const {
  std::string text(name(op.kind));
  for (const Tensor &operand : operands)
    text += " " + operand.type().str();
  if (const auto *conv = op.attrs.AsConvAttrs())
    text += " " + conv->input_layout + "," + conv->kernel_layout + "," +
            conv->output_layout + " groups " + std::to_string(conv->groups);
  if (const auto *pool = op.attrs.AsPoolAttrs())
    text += " " + pool->layout;
  if (const auto *reduce = op.attrs.AsReduceAttrs())
    text += std::string(" ") + fb::EnumNameReduceKind(reduce->kind);
  return text;
}

std::vector<BoundedTensor> test::allReferencesWithBounds(const Case &c) {
  auto results = evaluateWithBounds(c.op, c.operands);
  if (results)
    return *results;
  ADD_FAILURE() << results.error().str();
  return {{emptyTensor({DType::f32, {0}}), {}}};
}

BoundedTensor test::referenceWithBounds(const Case &c) {
  return allReferencesWithBounds(c)[0];
}

namespace {

/// Counts the cases of each test, which fails where none was compared.
class CaseCounter : public testing::EmptyTestEventListener {
public:
  /// That of the process, which gtest owns.
  static CaseCounter &get() {
    static CaseCounter *counter = [] {
      auto *made = new CaseCounter;
      testing::UnitTest::GetInstance()->listeners().Append(made);
      return made;
    }();
    return *counter;
  }

  int offered = 0, compared = 0;

private:
  void OnTestEnd(const testing::TestInfo &) override {
    if (offered > 0) {
      testing::Test::RecordProperty("compared", compared);
      EXPECT_GT(compared, 0) << "none of " << offered << " cases is supported";
    }
    offered = compared = 0;
  }
};

} // namespace

void test::checkAgainstReference(const Provider &provider, const Case &c) {
  ++CaseCounter::get().offered;
  SCOPED_TRACE(c.describe());
  auto prepared = prepare(provider, c.op, c.operands);
  ASSERT_TRUE(prepared) << prepared.error().str();
  if (!*prepared)
    return;
  const std::vector<BoundedTensor> expected = allReferencesWithBounds(c);
  const auto actual = runPrepared(**prepared, c.op, c.operands);
  ASSERT_TRUE(actual) << actual.error().str();
  ASSERT_EQ(actual->size(), expected.size());
  bool isCompared = false;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Difference difference =
        compare(expected[i].value, (*actual)[i], expected[i].bounds);
    EXPECT_TRUE(difference.agrees())
        << "result " << i << ": expected " << difference.expected << ", got "
        << difference.actual << " at " << difference.worstIndex << ", bound "
        << difference.bound << ", " << difference.maxUlp << " ULP";
    isCompared |= difference.compared > 0;
  }
  CaseCounter::get().compared += isCompared;
}
