//===- LibraryFixture.h - Ops by the fake libraries -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_FAKECUDA_LIBRARYFIXTURE_H
#define TANDEM_TEST_UNIT_FAKECUDA_LIBRARYFIXTURE_H

#include "FakeCUDA/FakeCUDA.h"
#include "Providers/Cases.h"

#include "device/cuda/DeviceLibraries.h"
#include "eager/cublaslt/CUBLASLt.h"
#include "eager/cuda/KernelProvider.h"
#include "eager/cudnn/CUDNN.h"
#include "tandem/Runtime/CUDADevice.h"

#include <gmock/gmock.h>

namespace tandem::test {

/// Transposes and additions on the host: what kernels of our own do on a GPU.
class HostKernels final : public Provider {
public:
  std::string_view name() const override { return "kernels"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override;
};

/// The CUDA device with the fake driver and libraries.
class LibraryTest : public testing::Test {
protected:
  LibraryTest();
  /// Whatever a test has not asked for must not have been found.
  ~LibraryTest() override;

  /// Providers of their own, which open the libraries anew.
  std::unique_ptr<cuda::DeviceLibraries> openLibraries();

  /// Runs an op that was prepared for these operands on copies of them.
  Expected<Tensor> run(const PreparedOp &op,
                       const std::vector<Tensor> &operands,
                       const TensorType &result);

  const FakeCUDA &fake = fakeCUDA();
  CUDADevice *device = nullptr;
  Stream *stream = nullptr;
  cuda::Context *context = nullptr;
  HostKernels kernels;
  std::unique_ptr<cuda::DeviceLibraries> libraries;
};

/// A tensor of random small integers, whose sums are exact in all floats.
Tensor integers(const TensorType &type, std::mt19937_64 &rng, int largest = 2);

/// A contraction with its epilogue, and the values of all operands.
struct FusedCase {
  Case base;
  bool hasBias = false, hasResidual = false;
  Activation activation = Activation::none;
  /// The operands of the base, then the bias of a matmul, then the residual.
  std::vector<Tensor> operands;
  TensorType result;

  /// By the reference, op by op.
  Tensor expected() const;
  Expected<std::unique_ptr<PreparedOp>>
  prepare(cuda::DeviceLibraries &libraries,
          const LibraryOptions &options = {}) const;
};

/// A fused case of random shapes, all values small integers.
FusedCase randomFused(OpKind kind, DType dtype, std::mt19937_64 &rng);

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_FAKECUDA_LIBRARYFIXTURE_H
