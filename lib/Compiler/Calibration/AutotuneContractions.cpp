//===- AutotuneContractions.cpp - Kernel or library, by trying both -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/AutotuneContractions.h"

#include "Remote/SerializedGraph.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/BackendChoice.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Compare.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace tandem {
namespace {

/// Long enough for medians of some dozens of calls where calls are short.
constexpr double kTrialNs = 20e6;
constexpr size_t kMinSamples = 5, kMaxSamples = 50;

/// The library has to be faster by this much, as fusion with what follows is
/// an advantage of kernels that a trial of the op alone does not show.
constexpr double kLibraryMargin = 1.01;

bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

/// All that a trial depends on.
std::string signatureOf(Operation *op, const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName() << op->getAttrDictionary() << "; threads "
         << numThreads();
  for (const auto &[name, value] : options.targetOptions)
    stream << "; " << name << " " << value;
  for (Value operand : op->getOperands())
    stream << "; " << operand.getType() << isConstant(operand);
  return text;
}

/// A constant of random elements, as `type`.
FailureOr<Value> makeConstant(OpBuilder &builder, Location loc, Type type) {
  auto tensorType = cast<RankedTensorType>(type);
  auto tensor = Tensor::allocate(ir::toTandemType(tensorType));
  if (!tensor)
    return failure();
  fillRandom(*tensor, /*seed=*/1);
  auto data = DenseElementsAttr::getFromRawBuffer(
      tensorType, ArrayRef(tensor->as<char>(), tensor->bytes()));
  return ir::ConstantOp::create(builder, loc, type, data).getResult();
}

/// A module with @main, which computes a copy of `op`; its inputs are the
/// operands that are not constant.
FailureOr<OwningOpRef<ModuleOp>> makeTrial(Operation *op) {
  OpBuilder builder(op->getContext());
  Location loc = op->getLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
  SmallVector<Type> inputs;
  for (Value operand : op->getOperands())
    if (!isConstant(operand))
      inputs.push_back(operand.getType());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "main",
      builder.getFunctionType(inputs, op->getResultTypes()));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  unsigned next = 0;
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      return failure(); // One value twice: one input could not tell.
    if (!isConstant(operand)) {
      mapping.map(operand, body->getArgument(next++));
      continue;
    }
    FailureOr<Value> constant = makeConstant(builder, loc, operand.getType());
    if (failed(constant))
      return failure();
    mapping.map(operand, *constant);
  }
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc, copy->getResults());
  return module;
}

/// Compiles a trial for one of the two back ends.
Expected<PreparedTier>
compileTrial(std::shared_ptr<const SerializedGraph> source,
             CompileOptions options, Contractions how,
             std::span<const TensorType> inputs) {
  options.targetOptions["contractions"] = name(how);
  TANDEM_ASSIGN_OR_RETURN(auto compiler,
                          createGraphCompiler(std::move(source), options));
  return compileTier(*compiler, inputs);
}

Expected<BackendCosts> runTrial(ModuleOp trial, const CompileOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(auto source, makeSerializedGraph(trial, "main"));
  std::vector<TensorType> types;
  std::vector<Tensor> inputs, outputs;
  for (uint32_t slot : source->eager->inputs) {
    types.push_back(fromFlat(*source->eager->slots[slot]->type));
    TANDEM_ASSIGN_OR_RETURN(Tensor input, Tensor::allocate(types.back()));
    fillRandom(input, /*seed=*/1 + types.size());
    inputs.push_back(std::move(input));
  }
  measure::SamplerOptions sampling;
  sampling.budgetNs = kTrialNs;
  sampling.minSamples = kMinSamples;
  sampling.maxSamples = kMaxSamples;
  measure::Sampler sampler(sampling);
  std::vector<PreparedTier> tiers;
  for (Contractions how : {Contractions::generated, Contractions::library}) {
    TANDEM_ASSIGN_OR_RETURN(PreparedTier tier,
                            compileTrial(source, options, how, types));
    tiers.push_back(std::move(tier));
  }
  TANDEM_ASSIGN_OR_RETURN(inputs,
                          copyToDevice(inputs, tiers[0].executor->stream()));
  for (PreparedTier &tier : tiers)
    sampler.add("", [&, executor = tier.executor.get()](size_t) {
      return executor->run(inputs, outputs);
    });
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> times, sampler.run());
  return BackendCosts{times[0].median, times[1].median};
}

/// What trials have shown in this process; none where one has failed.
class Memory {
public:
  std::optional<BackendCosts> find(Operation *op,
                                   const CompileOptions &options) {
    const std::string signature = signatureOf(op, options);
    // One trial at a time: two would disturb each other.
    std::lock_guard lock(mutex);
    auto [at, isNew] = costs.try_emplace(signature);
    if (isNew)
      at->second = measure(op, options);
    return at->second;
  }

private:
  static std::optional<BackendCosts> measure(Operation *op,
                                             const CompileOptions &options) {
    FailureOr<OwningOpRef<ModuleOp>> trial = makeTrial(op);
    if (failed(trial))
      return std::nullopt;
    Expected<BackendCosts> costs = runTrial(**trial, options);
    return costs ? std::optional(*costs) : std::nullopt;
  }

  /// Guards `costs`, and is held during a trial.
  std::mutex mutex;
  std::map<std::string, std::optional<BackendCosts>> costs;
};

} // namespace

void autotuneContractions(func::FuncOp function,
                          const CompileOptions &options) {
  static auto &memory = *new Memory;
  function.walk([&](Operation *op) {
    if (!isa<ir::ContractionOpInterface>(op))
      return;
    std::optional<BackendCosts> costs = memory.find(op, options);
    if (costs && costs->libraryNs * kLibraryMargin < costs->generatedNs)
      chooseLibrary(op, *costs);
    else if (costs && !options.fusionReport.empty())
      noteGenerated(op, *costs);
  });
}

} // namespace tandem
