//===- Reports.h - What the fake finds, and faults on demand ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_REPORTS_H
#define TANDEM_TEST_FAKECUDA_REPORTS_H

#include "tandem/Runtime/Libraries/CUDA.h"

#include <string>

namespace fake {

using tandem::cuda::kSuccess;
using tandem::cuda::Result;

/// CUresult, as far as it is given out beside kSuccess.
enum : Result {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidImage = 200,
  kInvalidPTX = 218,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureMerge = 902,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
  kGraphExecUpdateFailure = 910,
};

/// Something that hardware may forgive. Ends the process with the message,
/// unless reports are collected (fakeCUDACollect). Thread-safe.
void report(const std::string &message);

/// The fault to be injected into this call of `function`; success where there
/// is none. A kernel's run counts as a call of "kernel". Thread-safe.
Result injected(const char *function);

} // namespace fake

/// Controls, for tests. FAKE_CUDA_FAULTS and FAKE_CUDA_SEED in the environment
/// do the same for processes.
#pragma GCC visibility push(default)
extern "C" {
/// Call `count` from now of `function` returns `result`.
void fakeCUDAFail(const char *function, int result, int count);
/// Reports are kept; the reports so far, a line each, are returned and
/// forgotten. The text is valid until the next call.
const char *fakeCUDACollect();
/// What decides the order of work that may be done in any.
void fakeCUDASeed(unsigned seed);
/// Restores the state in which the process starts, if nothing is in flight: no
/// faults, no error that sticks.
void fakeCUDAReset();
/// The device's memory that is handed out, in bytes.
size_t fakeCUDALiveBytes();
/// Graphs and executable graphs that are not destroyed.
int fakeCUDALiveGraphs();
/// Work waits until this is called with false.
void fakeCUDAHold(bool isHeld);
}
#pragma GCC visibility pop

#endif // TANDEM_TEST_FAKECUDA_REPORTS_H
