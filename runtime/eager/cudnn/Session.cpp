//===- Session.cpp - cuDNN on one device ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDNN.h"

#include "../FasterOp.h"
#include "../NaNPropagationProbe.h"
#include "ConvOp.h"

using namespace tandem;
using namespace tandem::cudnn;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Handle>> Session::createHandle() {
  TANDEM_RETURN_IF_ERROR(context.enter());
  auto handle = std::make_unique<Handle>(*library);
  if (cuda::Result result = library->create(&handle->context))
    return failure(*library, result,
                   "cudnnCreate on device '" + context.name() + "'");
  return handle;
}

Status Session::openOnce() {
  if (!cuda::cudnn())
    return tl::unexpected(cuda::cudnn().error());
  library = &*cuda::cudnn();
  TANDEM_ASSIGN_OR_RETURN(first, createHandle());
  plans.emplace(*library, first->context, [this]() -> cudnnContext * {
    if (!context.enter())
      return nullptr;
    if (!second)
      second = createHandle().value_or(nullptr);
    return second ? second->context : nullptr;
  });
  plans->keepOnDisk(context.model());
  plans->tryEngines([this](auto plan, const ConvProblem &problem) {
    return passesTrial(std::move(plan), problem);
  });
  return {};
}

const Status &Session::open() {
  std::lock_guard lock(mutex);
  if (!opened)
    opened = openOnce();
  return *opened;
}

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

static Expected<Descriptor> packOf(const cuda::CUDNN &library,
                                   std::span<const int64_t> ids,
                                   std::span<void *const> pointers,
                                   void *workspace) {
  Descriptor pack(library, Kind::variantPack);
  TANDEM_RETURN_IF_ERROR(
      pack.set(Attribute::packIds, ids)
          .setRaw(Attribute::packPointers, Type::pointer,
                  int64_t(pointers.size()), pointers.data())
          .setRaw(Attribute::packWorkspace, Type::pointer, 1, &workspace)
          .finalize("variant pack"));
  return pack;
}

Status Session::execute(const Plan &plan, cuda::StreamHandle stream,
                        std::span<const int64_t> ids,
                        std::span<void *const> pointers, void *workspace) {
  TANDEM_ASSIGN_OR_RETURN(const Descriptor pack,
                          packOf(*library, ids, pointers, workspace));
  std::unique_ptr<Handle> handle = handles.take();
  if (!handle) {
    TANDEM_ASSIGN_OR_RETURN(handle, createHandle());
  }
  cuda::Result result = library->setStream(handle->context, stream);
  if (result == cuda::kSuccess)
    result =
        library->execute(handle->context, plan.descriptor.get(), pack.get());
  Status status;
  if (result != cuda::kSuccess)
    status = failure(*library, result, "execution");
  handles.put(std::move(handle));
  return status;
}

Expected<bool> Session::isFaster(const std::string &key, const PreparedOp &call,
                                 const PreparedOp &kernel,
                                 const OpSignature &signature) {
  std::lock_guard lock(measuring);
  if (auto known = faster.find(key); known != faster.end())
    return known->second;
  TANDEM_ASSIGN_OR_RETURN(const bool isFaster,
                          eager::isFaster(call, kernel, signature.operands,
                                          signature.result(),
                                          device.defaultStream()));
  return faster[key] = isFaster;
}

//===----------------------------------------------------------------------===//
// What becomes of NaN
//===----------------------------------------------------------------------===//

/// A small convolution with the whole epilogue, which many engines compute.
static ConvProblem probeOf(DType dtype) {
  ConvProblem problem;
  problem.dtype = problem.factors = dtype;
  problem.input.sizes = problem.output.sizes = {1, 64, 8, 8};
  problem.input.strides = problem.output.strides = {4096, 1, 512, 64};
  problem.kernel = {{64, 64, 1, 1}, {64, 1, 64, 64}};
  problem.strides = problem.dilations = {1, 1};
  problem.padLow = problem.padHigh = {0, 0};
  problem.hasBias = problem.hasResidual = true;
  problem.activation = Activation::relu;
  return problem;
}

Expected<EngineSet> Session::probe(DType dtype) {
  const ConvProblem problem = probeOf(dtype);
  PlanOptions all;
  all.precision = Precision::tf32;
  all.mayDropNaN = true;
  TANDEM_ASSIGN_OR_RETURN(auto candidates, plans->plansByEngine(problem, all));
  const TensorType images{dtype, {1, 8, 8, 64}};
  const TensorType operands[] = {
      images, {dtype, {64, 1, 1, 64}}, {dtype, {64}}, images};
  EngineSet engines;
  for (const auto &plan : candidates) {
    const Expected<bool> isKept = eager::keepsNaN(
        ConvOp(*this, std::make_shared<PlanChoice>(plan), problem), operands,
        images, device.defaultStream());
    // One that fails is not fused.
    if (isKept && *isKept)
      engines.insert(plan->engine);
  }
  return engines;
}

Expected<EngineSet> Session::enginesThatKeepNaN(DType dtype) {
  std::lock_guard lock(mutex);
  if (auto known = probed.find(dtype); known != probed.end())
    return known->second;
  TANDEM_ASSIGN_OR_RETURN(EngineSet engines, probe(dtype));
  plans->noteThatNaNIsKept(dtype, engines);
  return probed[dtype] = std::move(engines);
}
