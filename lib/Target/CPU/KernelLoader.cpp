//===- KernelLoader.cpp - Objects to functions in this process ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUTarget.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>

using namespace tandem;

namespace {

using llvm::orc::JITDylib;
using llvm::orc::LLJIT;

/// One linker for the process, thread-safe; each program gets a library of its
/// own in it, so that names need not differ between programs.
Expected<LLJIT *> getLinker() {
  static llvm::Expected<std::unique_ptr<LLJIT>> linker = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return llvm::orc::LLJITBuilder().create();
  }();
  // Errors must be looked at once; the text is kept for every caller.
  static const std::string error =
      linker ? "" : llvm::toString(linker.takeError());
  if (!error.empty())
    return fail("load", "no linker for this host: " + error);
  return linker->get();
}

/// Owns the library of one program.
class LinkedKernels : public LoadedKernels {
public:
  LinkedKernels(LLJIT &linker, JITDylib &library)
      : linker(linker), library(library) {}
  ~LinkedKernels() override {
    llvm::consumeError(linker.getExecutionSession().removeJITDylib(library));
  }

  Status link(const fb::KernelT &kernel) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
        llvm::StringRef(reinterpret_cast<const char *>(kernel.code.data()),
                        kernel.code.size()),
        kernel.name);
    if (llvm::Error error = linker.addObjectFile(library, std::move(buffer)))
      return failOn(kernel, std::move(error));
    return {};
  }

  Status lookUp(const fb::KernelT &kernel) {
    auto address = linker.lookup(library, kernel.name);
    if (!address)
      return failOn(kernel, address.takeError());
    functions.push_back(address->toPtr<KernelFn>());
    return {};
  }

private:
  static tl::unexpected<Error> failOn(const fb::KernelT &kernel,
                                      llvm::Error error) {
    return fail("load", "kernel '" + kernel.name +
                            "': " + llvm::toString(std::move(error)));
  }

  LLJIT &linker;
  JITDylib &library;
};

Expected<JITDylib *> createLibrary(LLJIT &linker) {
  static std::atomic<uint64_t> count{0};
  auto library = linker.createJITDylib("program." + std::to_string(count++));
  if (!library)
    return fail("load", llvm::toString(library.takeError()));
  // libm and memcpy come from the process.
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      linker.getDataLayout().getGlobalPrefix());
  if (!process)
    return fail("load", llvm::toString(process.takeError()));
  library->addGenerator(std::move(*process));
  return &*library;
}

} // namespace

Expected<std::shared_ptr<LoadedKernels>>
tandem::loadCPUKernels(const Program &program) {
  TANDEM_ASSIGN_OR_RETURN(LLJIT * linker, getLinker());
  TANDEM_ASSIGN_OR_RETURN(JITDylib * library, createLibrary(*linker));
  auto kernels = std::make_shared<LinkedKernels>(*linker, *library);
  for (const auto &kernel : program.kernels) {
    if (kernel->target != KernelTarget::cpu_object)
      return fail("load", "kernel '" + kernel->name +
                              "' is not machine code of this host");
    TANDEM_RETURN_IF_ERROR(kernels->link(*kernel));
  }
  // All are linked before any is looked up, which is what starts the linker.
  for (const auto &kernel : program.kernels)
    TANDEM_RETURN_IF_ERROR(kernels->lookUp(*kernel));
  return kernels;
}
