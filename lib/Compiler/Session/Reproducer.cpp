//===- Reproducer.cpp - Kernels that failed, as files ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Fallback.h"

#include "tandem/Pipelines/Pipelines.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Support/ReproducerDirectory.h"
#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/Pass/PassManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <xxhash.h>

using namespace mlir;

namespace tandem {

/// What tandem-opt --run-reproducer runs, as MLIR's crash reproducers say it.
static std::string pipelineResource(MLIRContext *context,
                                    const Target &target) {
  PassManager passes(context, ModuleOp::getOperationName());
  PipelineOptions options;
  options.target = &target;
  buildKernelPhases(passes, options);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "{-#\n  external_resources: {\n    mlir_reproducer: {\n"
            "      pipeline: \"";
  passes.printAsTextualPipeline(stream);
  stream << "\",\n      disable_threading: true,\n      verify_each: true\n"
            "    }\n  }\n#-}\n";
  return text;
}

/// Comment lines for every line of `text`.
static void printComment(raw_ostream &stream, StringRef text) {
  for (StringRef line : llvm::split(text, '\n'))
    stream << "// " << line << "\n";
}

static std::string printReproducer(ModuleOp kernel, const Error &cause,
                                   const Target &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  std::string from = renderLocation(kernel.getLoc());
  printComment(stream, "A kernel" + (from.empty() ? "" : " of " + from) +
                           " that could not be compiled for " +
                           target.name().str() + ":");
  printComment(stream, cause.str());
  stream << "//\n// Its lowering again, as far as it goes:\n"
            "//   tandem-opt --run-reproducer THIS_FILE\n";
  if (StringRef rest = target.continuation(); !rest.empty())
    stream << "// and what comes after it:\n"
              "//   tandem-opt --run-reproducer THIS_FILE | "
           << rest << "\n";
  stream << "\n"
         << kernel << "\n"
         << pipelineResource(kernel.getContext(), target);
  return text;
}

Expected<std::string> writeReproducer(ModuleOp kernel, const Error &cause,
                                      const Target &target,
                                      const std::string &directory) {
  std::string text = printReproducer(kernel, cause, target);
  TANDEM_ASSIGN_OR_RETURN(std::string folder,
                          openReproducerDirectory(directory));
  SmallString<128> path(folder);
  llvm::sys::path::append(
      path, "kernel-" +
                llvm::utohexstr(XXH3_64bits(text.data(), text.size()),
                                /*LowerCase=*/true) +
                ".mlir");
  std::string file = path.str().str();
  if (llvm::sys::fs::exists(file))
    return file;
  TANDEM_RETURN_IF_ERROR(writeFileAtomically(
      file, {reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
  return file;
}

} // namespace tandem
