//===- Recognize.cpp - Telling ONNX files from others ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Import/ONNX/Import.h"

#include <fstream>

// The tags of ir_version, producer_name, producer_version and graph, one of
// which is in front in what protobuf writes. No text begins with any of the
// first three, nor does MLIR's bytecode.
static constexpr char kTags[] = {0x08, 0x12, 0x1a}, kGraphTag = 0x3a;

static bool isTag(int byte) {
  return byte == kTags[0] || byte == kTags[1] || byte == kTags[2];
}

bool tandem::isONNX(llvm::StringRef bytes) {
  return !bytes.empty() && (isTag(bytes[0]) || bytes[0] == kGraphTag);
}

bool tandem::isONNXFile(const std::string &path) {
  int first = std::ifstream(path, std::ios::binary).get();
  if (first == std::ifstream::traits_type::eof())
    return path.ends_with(".onnx");
  return isTag(first) || (first == kGraphTag && path.ends_with(".onnx"));
}
