//===- LoadKernels.cpp - Objects of kernels into this process -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUTarget.h"

#include "HostMachine.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>

using namespace llvm;
using namespace llvm::orc;

namespace tandem {

static tandem::Error loadError(const std::string &kernel, llvm::Error error) {
  return tandem::Error{
      kernel + ": " + toString(std::move(error)), "load", {}, {}};
}

/// One linker for the process: creating it costs milliseconds.
static tandem::Expected<LLJIT *> getLinker() {
  static auto linker = []() -> llvm::Expected<std::unique_ptr<LLJIT>> {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return LLJITBuilder().create();
  }();
  if (linker)
    return linker->get();
  static const std::string message = toString(linker.takeError());
  return fail("load", "cannot create a linker: " + message);
}

namespace {
/// Each kernel has a library of its own, so that names do not clash.
class JITKernels : public LoadedKernels {
public:
  explicit JITKernels(LLJIT &linker) : linker(linker) {}
  ~JITKernels() override {
    for (JITDylib *library : libraries)
      consumeError(linker.getExecutionSession().removeJITDylib(*library));
  }

  llvm::Error add(const fb::KernelT &kernel);

private:
  LLJIT &linker;
  std::vector<JITDylib *> libraries;
};
} // namespace

llvm::Error JITKernels::add(const fb::KernelT &kernel) {
  static std::atomic<uint64_t> number{0};
  ExecutionSession &session = linker.getExecutionSession();
  auto library = session.createJITDylib(kernel.name + "." +
                                        std::to_string(number.fetch_add(1)));
  if (!library)
    return library.takeError();
  libraries.push_back(&*library);
  // libm.
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(
      linker.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library->addGenerator(std::move(*process));
  // Copied: vectors need not be aligned as the linker wants objects to be.
  StringRef code(reinterpret_cast<const char *>(kernel.code.data()),
                 kernel.code.size());
  if (auto error = linker.addObjectFile(
          *library, MemoryBuffer::getMemBufferCopy(code, kernel.name)))
    return error;
  auto address = linker.lookup(*library, symbolOf(kernel));
  if (!address)
    return address.takeError();
  functions.push_back(address->toPtr<KernelFn>());
  return llvm::Error::success();
}

tandem::Expected<std::shared_ptr<LoadedKernels>>
loadCPUKernels(const Program &program) {
  TANDEM_ASSIGN_OR_RETURN(LLJIT * linker, getLinker());
  auto kernels = std::make_shared<JITKernels>(*linker);
  for (const auto &kernel : program.kernels) {
    if (kernel->target != fb::KernelTarget::cpu_object)
      return fail("load", "kernel " + kernel->name + " is not for the CPU");
    if (auto error = kernels->add(*kernel))
      return tl::unexpected(loadError(kernel->name, std::move(error)));
  }
  return std::shared_ptr<LoadedKernels>(std::move(kernels));
}

void warmUpCPUTarget() {
  // Whoever compiles first reports what fails here.
  (void)BorrowedMachine::get(resolve({}));
  (void)getLinker();
}

} // namespace tandem
