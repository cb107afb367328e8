//===- DeviceLibraryModel.cpp - What the libraries at hand compute --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prediction/DeviceLibraryModel.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"

namespace tandem {

Status DeviceLibraryModel::check(const FusedContraction &fused) const {
  TANDEM_RETURN_IF_ERROR(general.check(fused));
  for (const Provider *provider : providers) {
    TANDEM_ASSIGN_OR_RETURN(auto op, provider->prepareFused(fused));
    if (op)
      return {};
  }
  std::string_view keepsNaN = fused.activation == Activation::relu
                                  ? ", with a relu that keeps NaN"
                                  : "";
  return fail("library", "ends what the libraries that are here do not compute "
                         "in one call" +
                             std::string(keepsNaN));
}

} // namespace tandem
