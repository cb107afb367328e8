//===- Plan.h - oneDNN primitives in sequence -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Plan is an op as a sequence of oneDNN primitives: one, or a few with
// temporaries between them (such as reorders around a convolution). It is built
// once and run many times, by any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_PLAN_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_PLAN_H

#include "tandem/Runtime/Provider.h"
#include "tandem/Support/ObjectPool.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <dnnl.hpp>

namespace tandem::onednn {

/// The process's CPU engine.
const dnnl::engine &engine();

/// The location of a primitive's argument.
struct Buffer {
  enum class Kind { operand, result, workspace, kept } kind;
  /// The number of the operand, or of the tensor that the plan keeps; for the
  /// workspace, the offset in bytes.
  int64_t value = 0;
};

/// An argument of a primitive; `id` is DNNL_ARG_SRC or the like.
struct Argument {
  int id;
  dnnl::memory::desc desc;
  Buffer buffer;
};

/// A primitive that reads and writes fewer bytes takes one thread about 10 us,
/// if it only moves data.
inline constexpr int64_t kSmallBytes = 128 * 1024;

/// A sequence of oneDNN primitives that computes one op.
class Plan final : public PreparedOp {
public:
  /// The primitives of a small plan are created and run on one thread (see
  /// OneThread). In other plans, only small reorders are.
  explicit Plan(bool isSmall);
  ~Plan() override;

  /// The attributes of every primitive. Scratchpads are passed in by the
  /// caller, so that several threads may run one primitive at a time.
  static dnnl::primitive_attr attributes();

  static Buffer operand(int number) { return {Buffer::Kind::operand, number}; }
  static Buffer result() { return {Buffer::Kind::result}; }
  /// Reserves workspace for a tensor `desc` that is passed between the
  /// primitives of a run.
  Buffer temporary(const dnnl::memory::desc &desc);

  /// Appends a primitive. `scratchpad` describes the scratchpad that it asks
  /// for.
  void add(const dnnl::primitive &primitive,
           const dnnl::memory::desc &scratchpad,
           std::vector<Argument> arguments);

  /// The buffer that holds `from` in the format `toDesc`: `from` itself where
  /// the formats are equal, else a temporary that an appended reorder fills.
  Buffer converted(Buffer from, const dnnl::memory::desc &fromDesc,
                   const dnnl::memory::desc &toDesc);
  /// A constant in the format `toDesc`, converted now. The plan owns the copy.
  Buffer convertedNow(const Tensor &constant,
                      const dnnl::memory::desc &fromDesc,
                      const dnnl::memory::desc &toDesc);
  /// Appends a reorder.
  void reorder(Buffer from, const dnnl::memory::desc &fromDesc, Buffer to,
               const dnnl::memory::desc &toDesc);

  /// The library's name for the implementation of the last primitive that is
  /// not a reorder.
  std::string_view implementation() const;

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;
  /// Bytes of all temporaries and scratchpads.
  int64_t workspaceBytes() const override { return workspaceSize; }

private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<Argument> arguments;
    bool isSmall;
  };
  void addStep(const dnnl::primitive &primitive,
               const dnnl::memory::desc &scratchpad,
               std::vector<Argument> arguments, bool isSmallStep);
  struct State;

  bool isSmall;
  std::vector<Step> steps;
  std::vector<Tensor> kept;
  int64_t workspaceSize = 0;
  /// dnnl::memory objects are costly to create and serve one run at a time, so
  /// that runs take them from a pool.
  mutable ObjectPool<State> states;
};

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_PLAN_H
