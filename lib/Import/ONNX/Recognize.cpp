//===- Recognize.cpp - Telling ONNX files from others ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Import/ONNX/Import.h"

#include <fstream>

bool tandem::isONNXFile(const std::string &path) {
  int first = std::ifstream(path, std::ios::binary).get();
  if (first == std::ifstream::traits_type::eof())
    return path.ends_with(".onnx");
  // The tags of ir_version, producer_name, producer_version and graph, one of
  // which is in front in what protobuf writes. No text begins with any of them,
  // nor does MLIR's bytecode.
  return first == 0x08 || first == 0x12 || first == 0x1a ||
         (first == 0x3a && path.ends_with(".onnx"));
}
