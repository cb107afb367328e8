//===- DLPack.h - Tensors of other frameworks -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DLPack is the exchange format of tensors in memory
// (https://dmlc.github.io/dlpack/latest/). Its own header is needed only to
// look into a DLManagedTensor.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DLPACK_H
#define TANDEM_RUNTIME_DLPACK_H

#include "tandem/Runtime/Tensor.h"

struct DLManagedTensor;

namespace tandem {

/// Returns a Tensor of the elements of `managed`, on the same memory where
/// toTensor (StridedTensor.h) can take that, and takes `managed` over: its
/// deleter is called, once, when nothing uses the memory any longer, by
/// whichever thread that is. Where this fails, the caller keeps `managed`.
///
/// Takes memory of the host and of GPUs that hold it, and every element type of
/// Tandem, one lane each; bool is i1. The work that writes the elements must
/// have been done, or be ordered before that of the stream that reads them.
/// Errors have phase "dlpack" or "input". Thread-safe.
Expected<Tensor> fromDLPack(DLManagedTensor *managed);

/// Describes a tensor, which has memory, to another framework. Whoever gets
/// the result calls its deleter, once; until then the memory is kept, if the
/// tensor has an owner (Tensor::owner). Outputs of a call that are views of an
/// input or a constant must not be written to. Thread-safe.
Expected<DLManagedTensor *> toDLPack(const Tensor &tensor);

} // namespace tandem

#endif // TANDEM_RUNTIME_DLPACK_H
