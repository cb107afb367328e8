//===- FuzzImport.cpp - libFuzzer's target of the ONNX importer -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is an ONNX file. It must be imported or refused with a diagnostic,
// also by an import that goes on behind nodes that it refuses: no crash, no
// leak, no allocation out of proportion. docs/ONNX.md says how to run it.
//
//===----------------------------------------------------------------------===//

#include "WireMutator.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Import/ONNX/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;
using namespace tandem;

namespace {

/// A file in memory, where there is such a file system, that each input is
/// written to: the importer maps files.
struct InputFile {
  InputFile() {
    bool hasMemory = llvm::sys::fs::is_directory("/dev/shm");
    std::string folder = hasMemory ? "/dev/shm" : "/tmp";
    folder += "/tandem-fuzz-import.XXXXXX";
    if (!mkdtemp(folder.data())) {
      llvm::errs() << "cannot make " << folder << "\n";
      std::exit(1);
    }
    path = folder + "/model.onnx";
  }
  ~InputFile() {
    llvm::sys::fs::remove(path);
    llvm::sys::fs::remove(llvm::StringRef(path).rsplit('/').first);
  }

  std::string path;
};

void importOrExplain(const std::string &path, const ImportOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::TandemDialect, func::FuncDialect>();
  bool isExplained = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    isExplained |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  if (failed(importONNX(&context, path, options)) && !isExplained) {
    llvm::errs() << "refused without a message\n";
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const InputFile file;
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(file.path, code);
    stream.write(reinterpret_cast<const char *>(data), size);
  }
  importOrExplain(file.path, {});
  ImportOptions thorough;
  thorough.keepsGoing = thorough.allResults = true;
  importOrExplain(file.path, thorough);
  return 0;
}

// Defined by libFuzzer.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/// Three changes in four are of fields and one is of bytes, after which few
/// files can be parsed.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t capacity, unsigned seed) {
  std::minstd_rand random(seed);
  std::optional<std::string> message;
  if (seed % 4 != 0)
    message = mutateMessage({reinterpret_cast<char *>(data), size}, random);
  if (!message || message->size() > capacity)
    return LLVMFuzzerMutate(data, size, capacity);
  std::copy(message->begin(), message->end(), data);
  return message->size();
}
