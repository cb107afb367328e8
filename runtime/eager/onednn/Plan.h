//===- Plan.h - oneDNN primitives in sequence -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op becomes one primitive, or a few with temporaries between them (layout
// changes around a convolution). A Plan is built once and run many times, by
// any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_PLAN_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_PLAN_H

#include "tandem/Runtime/Provider.h"
#include "tandem/Support/ObjectPool.h"

#include <memory>
#include <span>
#include <vector>

#include <dnnl.hpp>

namespace tandem::onednn {

/// The process's CPU engine.
const dnnl::engine &engine();

/// Where a primitive's argument lives.
struct Buffer {
  enum class Kind { operand, result, workspace, kept } kind;
  /// Operand: its number. Workspace: offset in bytes. Kept: its number.
  int64_t value = 0;
};

/// A primitive's argument: DNNL_ARG_SRC and the like.
struct Argument {
  int id;
  dnnl::memory::desc desc;
  Buffer buffer;
};

class Plan final : public PreparedOp {
public:
  /// `isSmall`: the plan is built and run on one thread (see OneThread).
  explicit Plan(bool isSmall);
  ~Plan() override;

  /// Attributes for every primitive: scratchpads are the caller's, so that
  /// threads may run one primitive together.
  static dnnl::primitive_attr attributes();

  static Buffer operand(int number) { return {Buffer::Kind::operand, number}; }
  static Buffer result() { return {Buffer::Kind::result}; }
  /// Memory that holds `desc` between primitives of one run.
  Buffer temporary(const dnnl::memory::desc &desc);

  /// Appends a primitive with the scratchpad it asks for.
  void add(const dnnl::primitive &primitive,
           const dnnl::memory::desc &scratchpad,
           std::vector<Argument> arguments);

  /// The buffer that holds `from` in the form `to`: the same one where the
  /// forms are equal, else a temporary, filled by a reorder.
  Buffer converted(Buffer from, const dnnl::memory::desc &fromDesc,
                   const dnnl::memory::desc &toDesc);
  /// The same of a constant, converted now: the plan keeps the copy.
  Buffer convertedNow(const Tensor &constant,
                      const dnnl::memory::desc &fromDesc,
                      const dnnl::memory::desc &toDesc);
  /// Appends a reorder.
  void reorder(Buffer from, const dnnl::memory::desc &fromDesc, Buffer to,
               const dnnl::memory::desc &toDesc);

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;
  /// Temporaries and scratchpads.
  int64_t workspaceBytes() const override { return workspaceSize; }

private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<Argument> arguments;
  };
  struct State;

  bool isSmall;
  std::vector<Step> steps;
  std::vector<Tensor> kept;
  int64_t workspaceSize = 0;
  /// Memory objects are costly to make, and serve one run at a time.
  mutable ObjectPool<State> states;
};

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_PLAN_H
