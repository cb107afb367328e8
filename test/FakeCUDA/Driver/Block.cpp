//===- Block.cpp - The threads of a block, as fibres ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Block.h"

#include "Driver/LoadCounts.h"
#include "Driver/Machine.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <ucontext.h>
#include <vector>

using namespace fake;
using tandem_host::Index;

namespace {

constexpr unsigned kWarp = 32;
constexpr size_t kStack = 64 << 10;
/// The most that a lane brings to a shuffle.
constexpr size_t kMaxExchange = 16;

//===----------------------------------------------------------------------===//
// Fibres
//===----------------------------------------------------------------------===//

struct Fibre {
  enum State { ready, atBarrier, atWarp, ended };
  State state = ready;
  unsigned mask = 0; ///< Of the lanes that it waits for.
  /// What it brought to its last two shuffles: the one before is still read
  /// when the next begins.
  alignas(16) char brought[2][kMaxExchange];
  unsigned numExchanges = 0;
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
};

/// The threads of one block after the other.
class Block {
public:
  Block(const Launch &launch, std::span<void *const> args, std::mt19937 &random)
      : launch(launch), args(args), random(random),
        size(launch.block.x * launch.block.y * launch.block.z) {}

  /// At the block that `place` is set to.
  void run();

  void syncThreads() { wait(Fibre::atBarrier, 0); }
  void syncWarp(unsigned mask) { wait(Fibre::atWarp, mask); }
  const void *exchange(unsigned mask, const void *value, unsigned bytes,
                       unsigned source);
  void countLoad(const void *from, unsigned bytes, bool isShared);

  tandem_host::Place place;
  LoadCounts loads;

private:
  void start(Fibre &fibre);
  void wait(Fibre::State state, unsigned mask);
  void resume(unsigned thread);
  /// Lets those go on that have waited for one another; false where none can.
  bool release();
  bool releaseBarrier();
  bool releaseWarp(unsigned first);
  Index indexOf(unsigned thread) const;
  static void enter();

  const Launch &launch;
  std::span<void *const> args;
  std::mt19937 &random;
  const unsigned size;
  std::vector<Fibre> fibres;
  unsigned current = 0;
  ucontext_t scheduler;
};

/// The one that this thread of the host runs.
thread_local Block *running = nullptr;

Index Block::indexOf(unsigned thread) const {
  return {thread % launch.block.x, thread / launch.block.x % launch.block.y,
          thread / launch.block.x / launch.block.y};
}

void Block::enter() {
  Block &block = *running;
  block.launch.entry->run(block.args.data());
  block.fibres[block.current].state = Fibre::ended;
  swapcontext(&block.fibres[block.current].context, &block.scheduler);
}

void Block::start(Fibre &fibre) {
  fibre.state = Fibre::ready;
  fibre.numExchanges = 0;
  getcontext(&fibre.context);
  fibre.context.uc_stack = {fibre.stack.get(), 0, kStack};
  fibre.context.uc_link = nullptr;
  makecontext(&fibre.context, &Block::enter, 0);
}

void Block::wait(Fibre::State state, unsigned mask) {
  Fibre &fibre = fibres[current];
  fibre.state = state;
  fibre.mask = mask;
  swapcontext(&fibre.context, &scheduler);
}

void Block::resume(unsigned thread) {
  current = thread;
  *place.threadIdx = indexOf(thread);
  swapcontext(&scheduler, &fibres[thread].context);
}

const void *Block::exchange(unsigned mask, const void *value, unsigned bytes,
                            unsigned source) {
  if (bytes > kMaxExchange) {
    report(launch.name + " shuffles values of more than 16 bytes");
    return value;
  }
  Fibre &fibre = fibres[current];
  const unsigned turn = fibre.numExchanges++ % 2;
  std::memcpy(fibre.brought[turn], value, bytes);
  const unsigned thread = current / kWarp * kWarp + source;
  wait(Fibre::atWarp, mask);
  if (thread >= size || !(mask >> source & 1)) {
    report(launch.name + " shuffles from a lane that takes no part");
    return value;
  }
  return fibres[thread].brought[turn];
}

/// What is in neither memory is a thread's own.
void Block::countLoad(const void *from, unsigned bytes, bool isShared) {
  constexpr unsigned kMaxBytes = 16;
  const unsigned count = (bytes + kMaxBytes - 1) / kMaxBytes;
  if (isShared)
    loads.shared += count;
  else if (machine().withMemory([&](Memory &memory, Clock &) {
             return memory.isOnDevice(const_cast<void *>(from), bytes);
           }))
    loads.global += count;
}

bool Block::releaseBarrier() {
  if (std::any_of(fibres.begin(), fibres.end(), [](const Fibre &fibre) {
        return fibre.state != Fibre::atBarrier;
      }))
    return false;
  for (Fibre &fibre : fibres)
    fibre.state = Fibre::ready;
  return true;
}

bool Block::releaseWarp(unsigned first) {
  const unsigned mask = fibres[first].mask, warp = first / kWarp * kWarp;
  std::vector<Fibre *> lanes;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    if (warp + lane >= size || fibres[warp + lane].state != Fibre::atWarp ||
        fibres[warp + lane].mask != mask)
      return false;
    lanes.push_back(&fibres[warp + lane]);
  }
  for (Fibre *lane : lanes)
    lane->state = Fibre::ready;
  return !lanes.empty();
}

bool Block::release() {
  bool isReleased = releaseBarrier();
  for (unsigned thread = 0; thread < size; ++thread)
    if (fibres[thread].state == Fibre::atWarp)
      isReleased |= releaseWarp(thread);
  return isReleased;
}

void Block::run() {
  running = this;
  if (!launch.isCooperative) {
    for (unsigned thread = 0; thread < size; ++thread) {
      *place.threadIdx = indexOf(thread);
      launch.entry->run(args.data());
    }
    return;
  }
  fibres.resize(size);
  for (Fibre &fibre : fibres)
    start(fibre);
  std::vector<unsigned> order(size);
  std::iota(order.begin(), order.end(), 0);
  do {
    std::shuffle(order.begin(), order.end(), random);
    for (unsigned thread : order)
      if (fibres[thread].state == Fibre::ready)
        resume(thread);
  } while (release());
  if (std::any_of(fibres.begin(), fibres.end(), [](const Fibre &fibre) {
        return fibre.state != Fibre::ended;
      }))
    report("threads of " + launch.name +
           " wait for others that have ended, or wait elsewhere");
}

const tandem_host::Hooks kHooks = {
    [] { running->syncThreads(); },
    [](unsigned mask) { running->syncWarp(mask); },
    [](unsigned mask, const void *value, unsigned bytes, unsigned source) {
      return running->exchange(mask, value, bytes, source);
    },
    [](const void *from, unsigned bytes, bool isShared) {
      running->countLoad(from, bytes, isShared);
    }};

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// The place that a signal of the kernel that this thread runs leads to.
thread_local sigjmp_buf *escape = nullptr;
struct sigaction before[NSIG];

Result errorOf(int signal, const siginfo_t &info) {
  // The compiler makes a trap of a misaligned access, or the processor's vector
  // instructions tell: a fault of no address.
  const bool isMisaligned =
      signal == SIGILL || signal == SIGTRAP || info.si_code == SI_KERNEL;
  return isMisaligned ? kMisalignedAddress : kIllegalAddress;
}

void onSignal(int signal, siginfo_t *info, void *) {
  if (escape)
    siglongjmp(*escape, errorOf(signal, *info));
  // Not a kernel's: it comes again, to whoever had it before.
  sigaction(signal, &before[signal], nullptr);
}

void catchSignals() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGTRAP}) {
      struct sigaction action = {};
      action.sa_sigaction = onSignal;
      action.sa_flags = SA_SIGINFO | SA_NODEFER;
      sigaction(signal, &action, &before[signal]);
    }
  });
}

/// Leaves no object behind where a signal ends it.
Result runBlocks(Block &block, const std::vector<unsigned> &order,
                 const Index &grid) {
  sigjmp_buf start;
  if (Result error = sigsetjmp(start, 1)) {
    escape = nullptr;
    return error;
  }
  escape = &start;
  for (unsigned number : order) {
    *block.place.blockIdx = {number % grid.x, number / grid.x % grid.y,
                             number / grid.x / grid.y};
    block.run();
  }
  escape = nullptr;
  return kSuccess;
}

} // namespace

Result fake::run(const Launch &launch, std::span<void *const> args,
                 std::mt19937 &random) {
  catchSignals();
  Block block(launch, args, random);
  block.place = launch.entry->place();
  *block.place.blockDim = launch.block;
  *block.place.gridDim = launch.grid;
  launch.entry->setHooks(&kHooks);
  std::vector<unsigned> order(launch.grid.x * launch.grid.y * launch.grid.z);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  const Result result = runBlocks(block, order, launch.grid);
  if (countsLoads())
    addLoads(launch.name, block.loads);
  return result;
}
