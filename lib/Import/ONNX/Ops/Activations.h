//===- Activations.h - Activations that other ops name -------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_OPS_ACTIVATIONS_H
#define TANDEM_LIB_IMPORT_ONNX_OPS_ACTIVATIONS_H

#include "Model/Node.h"

namespace tandem::onnx {

/// An activation of a recurrent layer, or of a fused op of com.microsoft.
struct Activation {
  /// In lower case.
  std::string name;
  double alpha, beta;
};

/// Parameters of an activation; nothing for those that it does not have.
struct ActivationParameters {
  std::optional<double> alpha, beta;
};

/// The parameters of the activation `name`, in lower case, if none are given.
ActivationParameters defaultParameters(llvm::StringRef name);

mlir::Value activate(Node &node, const Activation &activation, mlir::Value x);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_ACTIVATIONS_H
