//===- HostMachine.cpp - The machine that kernels are compiled for --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostMachine.h"

#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Support/Environment.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdlib>
#include <mutex>

namespace tandem {

bool hasBF16(const CPUTargetOptions &options) {
  return hasBF16Pairs({options.cpu, options.features});
}

bool hasVNNI(const CPUTargetOptions &options) {
  return hasVNNI(Processor{options.cpu, options.features});
}

bool hasWordPairs(const CPUTargetOptions &options) {
  return hasWordPairs(Processor{options.cpu, options.features});
}

bool hasAMXInt8(const CPUTargetOptions &options) {
  return hasAMXInt8(Processor{options.cpu, options.features});
}

bool hasVBMI(const CPUTargetOptions &options) {
  return hasFeature(options.features, "avx512vbmi");
}

bool hasFMA(const CPUTargetOptions &options) {
  return hasFeature(options.features, "fma");
}

CPUTargetOptions resolve(const CPUTargetOptions &options) {
  CPUTargetOptions result = options;
  if (result.cpu.empty()) {
    const Processor &host = hostProcessor();
    result.cpu = host.name;
    result.features = host.features;
    if (!options.features.empty())
      result.features = changeFeatures(host.features, options.features);
  }
  if (result.vectorBits == 0)
    result.vectorBits = static_cast<unsigned>(getVectorBits(result.features));
  return result;
}

const char *getMutant() {
#ifdef TANDEM_MUTANTS
  static const char *mutant = lookUp(Variable::mutant);
  return mutant;
#else
  return nullptr;
#endif
}

std::string describeCPUTarget() {
  static const auto &text = *new std::string([] {
    CPUTargetOptions host = resolve({});
    const char *mutant = getMutant();
    return host.cpu + "/" + host.features + "/" +
           std::to_string(host.vectorBits) + (mutant ? mutant : "");
  }());
  return text;
}

namespace {
struct Pool {
  std::mutex mutex;
  llvm::StringMap<std::vector<std::unique_ptr<llvm::TargetMachine>>> machines;
};
} // namespace

static Pool &getPool() {
  static Pool *pool = new Pool; // Outlives threads that compile at exit.
  return *pool;
}

static Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const CPUTargetOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return fail("codegen", "no LLVM target for this host: " + message);
  llvm::TargetOptions targetOptions;
  // a * b + c is one operation only where the code says so (`contract`): where
  // one part of a kernel rounds a product and another does not, softmax(x * x)
  // is NaN.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.cpu, options.features, targetOptions, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine)
    return fail("codegen", "LLVM cannot compile for processor " + options.cpu);
  return machine;
}

Expected<PooledTargetMachine>
PooledTargetMachine::get(const CPUTargetOptions &options) {
  std::string key = options.cpu + "/" + options.features;
  Pool &pool = getPool();
  {
    std::lock_guard lock(pool.mutex);
    auto &free = pool.machines[key];
    if (!free.empty()) {
      PooledTargetMachine borrowed(key, std::move(free.back()));
      free.pop_back();
      return borrowed;
    }
  }
  TANDEM_ASSIGN_OR_RETURN(auto machine, createMachine(options));
  return PooledTargetMachine(std::move(key), std::move(machine));
}

PooledTargetMachine::~PooledTargetMachine() {
  if (!machine)
    return;
  Pool &pool = getPool();
  std::lock_guard lock(pool.mutex);
  pool.machines[key].push_back(std::move(machine));
}

} // namespace tandem
