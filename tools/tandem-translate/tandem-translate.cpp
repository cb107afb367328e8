//===- tandem-translate.cpp - Graphs to code of other kinds ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDATranslations.h"
#include "common/HideOptions.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  tandem::tools::hideLibraryOptions();
  tandem::registerCUDATranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Tandem translation driver"));
}
