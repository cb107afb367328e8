//===- CustomCalls.h - Functions that graphs call -----------------*- C -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of the C API. Tandem.h includes this header and states the rules of
// the API.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_C_CUSTOMCALLS_H
#define TANDEM_C_CUSTOMCALLS_H

#include "tandem-c/Tandem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The arguments of a function that a custom_call op calls. Everything in this
/// struct is valid only during the call of the function.
typedef struct TandemCustomCallArgs {
  /// sizeof(TandemCustomCallArgs) in the calling library.
  size_t structSize;
  /// The attribute `config` of the op.
  const char *config;
  size_t numOperands;
  /// The operands: dense row-major tensors in the memory of the function's
  /// device. `strides` is never null; the deleters are null. The function must
  /// not write to operands.
  const TandemTensorDesc *operands;
  size_t numResults;
  /// The results: dense row-major tensors in the memory of the function's
  /// device. The function must write every element of every result. No result
  /// shares memory with an operand.
  const TandemTensorDesc *results;
  /// The CUstream in which the function must enqueue its work on a GPU. Null on
  /// the CPU, where the work must be done before the function returns.
  void *stream;
  /// TandemCustomCall::context of the registered function.
  void *context;
  /// A buffer for one sentence that explains why the function failed.
  char *message;
  /// The size of the buffer `message` in bytes, including the final NUL.
  size_t messageSize;
} TandemCustomCallArgs;

/// A function that computes the results of a custom_call op. Returns 0 on
/// success and any other number on failure.
typedef int (*TandemCustomFunction)(const TandemCustomCallArgs *args);
/// A function that computes the result shapes of a custom_call op. On entry,
/// shapes[i] holds the sizes of result i as they are written in the graph, with
/// TANDEM_DYNAMIC for each unknown size. The function replaces the unknown
/// sizes. `data` of all tensors in `args` is null, and so is `strides` of a
/// tensor with an unknown size. Returns 0 on success and any other number on
/// failure.
typedef int (*TandemCustomShapes)(const TandemCustomCallArgs *args,
                                  int64_t *const *shapes);

/// A function that custom_call ops refer to by the name of a target. The
/// function must be pure: equal operands give equal results in every call. Any
/// number of threads may call the members at the same time. No member may
/// throw.
typedef struct TandemCustomCall {
  /// sizeof(TandemCustomCall).
  size_t structSize;
  /// The name of the target, which must not be empty.
  const char *target;
  /// The name of the device whose memory holds the operands and results of
  /// `run`. Null means the CPU.
  const char *device;
  /// The function that custom_call ops call. Must not be null.
  TandemCustomFunction run;
  /// A function on the CPU whose results are the reference for the results of
  /// `run`. If null, the `run` that is registered for the CPU is the reference.
  TandemCustomFunction reference;
  /// The largest relative error of `run`. An element of a result may differ
  /// from the reference element x by at most relativeError * (|x| + rms), where
  /// rms is the root mean square of the reference tensor. At most 0.1; the
  /// default is 0.
  double relativeError;
  /// Infers the result shapes of custom_call ops whose result types, as
  /// declared in the graph, have dims of unknown size. May be null if no such
  /// op calls this function.
  TandemCustomShapes inferShapes;
  /// Passed on as TandemCustomCallArgs::context. Must stay valid until the
  /// process ends.
  void *context;
} TandemCustomCall;

/// Registers a function for all graphs and for the rest of the process. Fails
/// if a function is already registered for this target on this device.
TandemError *tandemCustomCallRegister(const TandemCustomCall *call);

/// The type of the function `tandemRegisterCustomCalls`, which a library for
/// `tandem-run --custom-calls=LIBRARY` exports. The exported function calls
/// `add` for each of the library's functions and returns the first error. `add`
/// is tandemCustomCallRegister, so the library does not need to link with
/// Tandem: including this header is enough.
typedef TandemError *(*TandemRegisterCustomCalls)(
    TandemError *(*add)(const TandemCustomCall *call));

#ifdef __cplusplus
}
#endif

#endif // TANDEM_C_CUSTOMCALLS_H
