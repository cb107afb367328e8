//===- KernelScratch.cpp - Memory that a kernel's task computes in --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelScratch.h"

#include "tandem/Runtime/Kernels/HostKernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {

/// Bytes of a frame that are handed out; the rest of kMaxFrameBytes is for
/// LLVM's spills.
static constexpr int64_t kMaxFrameScratch = kMaxFrameBytes / 2;

Value KernelScratch::allocate(Type elementType, int64_t elements) {
  int64_t bytes =
      elements * llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  int64_t rounded = llvm::alignTo(bytes, kWorkspaceAlignment);
  if (frameBytes + rounded > kMaxFrameScratch)
    return allocateInWorkspace(rounded);
  frameBytes += rounded;
  return allocateInFrame(elementType, elements);
}

Value KernelScratch::allocateInFrame(Type elementType, int64_t elements) {
  OpBuilder builder = OpBuilder::atBlockBegin(&body.getBody().front());
  Location loc = body.getLoc();
  Value count = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         builder.getI64IntegerAttr(elements));
  return LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      elementType, count, kWorkspaceAlignment);
}

Value KernelScratch::allocateInWorkspace(int64_t bytes) {
  Builder builder(body.getContext());
  auto pointer = LLVM::LLVMPointerType::get(body.getContext());
  SmallVector<DictionaryAttr> attributes;
  body.getAllArgAttrs(attributes);
  attributes.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr(LLVM::LLVMDialect::getNoAliasAttrName(),
                            builder.getUnitAttr()),
       builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                            builder.getI64IntegerAttr(kWorkspaceAlignment))}));
  LLVM::LLVMFunctionType type = body.getFunctionType();
  SmallVector<Type> parameters(type.getParams());
  parameters.push_back(pointer);
  body.setFunctionType(
      LLVM::LLVMFunctionType::get(type.getReturnType(), parameters));
  body.setAllArgAttrs(attributes);
  offsets.push_back(workspaceBytes);
  workspaceBytes += bytes;
  return body.getBody().front().addArgument(pointer, body.getLoc());
}

} // namespace tandem
