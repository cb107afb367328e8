//===- NoImporter.cpp - The importer of builds that have none -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Import/ONNX/Import.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

static InFlightDiagnostic refuse(MLIRContext *context,
                                 const std::string &name) {
  InFlightDiagnostic diagnostic =
      emitError(FileLineColLoc::get(context, name, 0, 0))
      << "this build cannot import ONNX files";
  diagnostic.attachNote() << "it was configured without protobuf or "
                             "onnx-ml.proto, which utils/setup.sh installs";
  return diagnostic;
}

FailureOr<tandem::ImportedModel> tandem::importONNX(MLIRContext *context,
                                                    const std::string &path,
                                                    const ImportOptions &) {
  return refuse(context, path);
}

FailureOr<tandem::ImportedModel> tandem::importONNX(MLIRContext *context,
                                                    const ModelBytes &model,
                                                    const ImportOptions &) {
  return refuse(context, model.name);
}
