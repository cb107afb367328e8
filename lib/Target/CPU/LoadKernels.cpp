//===- LoadKernels.cpp - Objects of kernels into this process -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUTarget.h"

#include "tandem/Runtime/Kernels/HostKernel.h"

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

static tandem::Expected<LLJIT *> createLinker() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto linker = LLJITBuilder().create();
  if (!linker)
    return fail("load",
                "cannot create a linker: " + toString(linker.takeError()));
  return linker->release();
}

/// The linker of the process. There is only one, because creating it takes
/// milliseconds. It is never destroyed, because kernels may outlive static
/// objects at exit.
static tandem::Expected<LLJIT *> getLinker() {
  static const auto &linker = *new tandem::Expected<LLJIT *>(createLinker());
  return linker;
}

namespace {
/// Code in memory. Each kernel has a library of its own, so that names do not
/// clash.
class Code {
public:
  Code(LLJIT &linker, JITDylib &library) : linker(linker), library(library) {}
  ~Code() {
    consumeError(linker.getExecutionSession().removeJITDylib(library));
  }
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  llvm::Expected<KernelFn> link(const fb::KernelT &kernel);

private:
  LLJIT &linker;
  JITDylib &library;
};
} // namespace

llvm::Expected<KernelFn> Code::link(const fb::KernelT &kernel) {
  // libm.
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(
      linker.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  // The linker is done with the object when the kernel is found.
  StringRef object(reinterpret_cast<const char *>(kernel.code.data()),
                   kernel.code.size());
  if (auto error = linker.addObjectFile(
          library,
          MemoryBuffer::getMemBuffer(object, kernel.name,
                                     /*RequiresNullTerminator=*/false)))
    return error;
  auto address = linker.lookup(library, symbolOf(kernel));
  if (!address)
    return address.takeError();
  return address->toPtr<KernelFn>();
}

static llvm::Expected<std::shared_ptr<const LoadedKernel>>
loadKernel(LLJIT &linker, const fb::KernelT &kernel) {
  static std::atomic<uint64_t> number{0};
  auto library = linker.getExecutionSession().createJITDylib(
      kernel.name + "." + std::to_string(number.fetch_add(1)));
  if (!library)
    return library.takeError();
  auto code = std::make_shared<Code>(linker, *library);
  auto function = code->link(kernel);
  if (!function)
    return function.takeError();
  return std::make_shared<HostKernel>(*function, std::move(code));
}

tandem::Expected<LoadedKernels> loadCPUKernels(const Program &program) {
  TANDEM_ASSIGN_OR_RETURN(LLJIT * linker, getLinker());
  LoadedKernels kernels;
  for (const auto &kernel : program.kernels) {
    if (kernel->target != fb::KernelTarget::cpu_object)
      return fail("load", "kernel " + kernel->name + " is not for the CPU");
    auto loaded = loadKernel(*linker, *kernel);
    if (!loaded)
      return tl::unexpected(loadError(kernel->name, loaded.takeError()));
    kernels.push_back(std::move(*loaded));
  }
  return kernels;
}

void warmUpCPUTarget() {
  // Whoever compiles first reports what fails here.
  (void)PooledTargetMachine::get(resolve({}));
  (void)getLinker();
}

} // namespace tandem
