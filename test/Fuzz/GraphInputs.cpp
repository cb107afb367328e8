//===- GraphInputs.cpp - Inputs of random graphs --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphInputs.h"

#include "GraphBuilder.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Float16.h"

#include <limits>

using namespace tandem;
using namespace tandem::fuzz;

static void setElement(Tensor &tensor, int64_t index, double value) {
  switch (tensor.dtype()) {
  case DType::f64:
    tensor.as<double>()[index] = value;
    return;
  case DType::f16:
    tensor.as<F16>()[index] = F16(value);
    return;
  case DType::bf16:
    tensor.as<BF16>()[index] = BF16(value);
    return;
  default:
    tensor.as<float>()[index] = static_cast<float>(value);
  }
}

/// Infinities, NaN, very large numbers, subnormals of f32 and f16, zeros. Of
/// f16 also numbers near its largest and numbers whose square is beyond it.
static double specialValue(Random &random, DType dtype) {
  if (dtype == DType::f16 && random.chance(50))
    return random.pick({65504.0, -65504.0, 65472.0, 33000.0, -300.0, 256.0,
                        0x1p-14, -0x1p-24});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return random.pick({kInfinity, -kInfinity,
                      std::numeric_limits<double>::quiet_NaN(), 1e30, -1e30,
                      3e38, 0x1p-130, -0x1p-127, 0x1p-16, -0.0, 0.0});
}

/// A few elements of most floats become special values.
static void insertSpecials(Tensor &tensor, Random &random) {
  int64_t count = tensor.shape().numElements();
  if (!isFloat(tensor.dtype()) || count == 0 || random.chance(40))
    return;
  for (int64_t n = random.between(1, 4); n > 0; --n)
    setElement(tensor, random.below(count),
               specialValue(random, tensor.dtype()));
}

Expected<std::vector<Tensor>> fuzz::makeInputs(const RandomGraph &graph,
                                               uint64_t set) {
  std::vector<Tensor> inputs;
  Random random(graph.specialSeed + set);
  for (int i : graph.inputs()) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor,
                            Tensor::allocate(graph.nodes[i].type));
    fillRandom(tensor, 1 + inputs.size() + (set << 32));
    if (graph.specialSeed)
      insertSpecials(tensor, random);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

CompileOptions fuzz::compileOptions(const CheckOptions &options,
                                    const std::string &device) {
  CompileOptions compile;
  compile.device = device;
  compile.fallback = options.fallback;
  if (!device.empty() && device != devices().front().name)
    return compile;
  if (options.winograd)
    compile.targetOptions["winograd"] = "always";
  if (options.scaledWeights)
    compile.targetOptions["scaled-weights"] = "always";
  compile.targetOptions["byte-sums"] = options.byteSums;
  if (options.generated)
    compile.targetOptions["contractions"] = "generated";
  return compile;
}
