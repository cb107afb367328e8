//===- DLPack.h - Exchanging tensors through DLPack -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DLPack is an in-memory format for exchanging tensors between frameworks
// (https://dmlc.github.io/dlpack/latest/). This header does not include
// DLPack's own header, which is needed only to access the fields of a
// DLManagedTensor.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DLPACK_H
#define TANDEM_RUNTIME_DLPACK_H

#include "tandem/Runtime/Tensor.h"

struct DLManagedTensor;

namespace tandem {

/// Returns a Tensor with the elements of `managed` and takes ownership of
/// `managed`. The Tensor uses the memory of `managed` if toTensor
/// (StridedTensor.h) can use such memory; otherwise the Tensor is a copy. The
/// deleter of `managed` is called exactly once, when the memory is no longer
/// used, on the thread that releases the last reference. If this function
/// fails, the caller keeps ownership of `managed`. If `managed` has no deleter,
/// `managed` is not used after this function returns, and the caller keeps the
/// memory alive.
///
/// Accepts host memory (kDLCPU and kDLCUDAHost) and GPU memory (kDLCUDA).
/// Accepts every element type of Tandem, with one lane; DLPack's bool becomes
/// i1. The work that writes the elements must be complete, or must be ordered
/// before the work on the stream that reads the elements. Errors have phase
/// "dlpack", or the phase of an error of toTensor or cudaDevice. Thread-safe.
Expected<Tensor> fromDLPack(DLManagedTensor *managed);

/// Exports a tensor to another framework. `tensor` must not be empty. The
/// receiver of the result must call the result's deleter exactly once. The
/// result keeps the memory alive until then if the tensor has an owner
/// (Tensor::owner). The receiver must not write to outputs of a call that are
/// views of an input or a constant. Errors have phase "dlpack". Thread-safe.
Expected<DLManagedTensor *> toDLPack(const Tensor &tensor);

} // namespace tandem

#endif // TANDEM_RUNTIME_DLPACK_H
