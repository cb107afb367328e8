//===- CUDATranslations.h - Graphs to CUDA C++ and PTX ---------*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_TRANSLATE_CUDATRANSLATIONS_H
#define TANDEM_TOOLS_TANDEM_TRANSLATE_CUDATRANSLATIONS_H

namespace tandem {

/// Registers --tandem-to-cuda and --tandem-to-ptx.
void registerCUDATranslations();

} // namespace tandem

#endif // TANDEM_TOOLS_TANDEM_TRANSLATE_CUDATRANSLATIONS_H
