//===- ProgramBuilder.h - Programs to plan memory for -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_ANALYSIS_PROGRAMBUILDER_H
#define TANDEM_TEST_UNIT_ANALYSIS_PROGRAMBUILDER_H

#include "tandem/ProgramTransforms/MemoryPlan.h"
#include "tandem/Runtime/Program/ProgramMemory.h"

#include <gtest/gtest.h>

namespace tandem::test {

/// Builds programs of unary steps and of kernels.
struct Builder {
  Program program;
  /// A kernel that may compute in place.
  void kernel(std::vector<fb::InPlace> inPlace) {
    program.kernels.push_back(std::make_unique<fb::KernelT>());
    program.kernels.back()->in_place = std::move(inPlace);
  }
  uint32_t launch(int kernel, std::vector<uint32_t> operands, Shape shape) {
    auto step = std::make_unique<fb::StepT>();
    step->kernel = kernel;
    step->operands = std::move(operands);
    step->results = {slot(shape)};
    program.steps.push_back(std::move(step));
    return program.slots.size() - 1;
  }
  uint32_t slot(Shape shape) {
    auto slot = std::make_unique<fb::SlotT>();
    slot->type = std::make_unique<fb::TensorTypeT>(toFlat({DType::f32, shape}));
    program.slots.push_back(std::move(slot));
    return program.slots.size() - 1;
  }
  uint32_t input(Shape shape) {
    program.inputs.push_back(slot(shape));
    return program.inputs.back();
  }
  uint32_t step(OpKind kind, uint32_t operand, Shape shape) {
    auto step = std::make_unique<fb::StepT>();
    step->op = std::make_unique<fb::OpT>();
    step->op->kind = kind;
    if (kind == OpKind::reshape) {
      fb::ReshapeAttrsT attrs;
      attrs.shape.assign(shape.begin(), shape.end());
      step->op->attrs.Set(std::move(attrs));
    }
    step->operands = {operand};
    step->results = {slot(shape)};
    program.steps.push_back(std::move(step));
    return program.slots.size() - 1;
  }
  /// A slice [start, limit) along dim 0 of a value of one dim.
  uint32_t slice(uint32_t operand, int64_t start, int64_t limit) {
    const uint32_t result = step(OpKind::slice, operand, {limit - start});
    fb::SliceAttrsT attrs;
    attrs.starts = {start};
    attrs.limits = {limit};
    attrs.strides = {1};
    program.steps.back()->op->attrs.Set(std::move(attrs));
    return result;
  }
  /// A concat of values of one dim.
  uint32_t concat(std::vector<uint32_t> operands) {
    int64_t size = 0;
    for (uint32_t operand : operands)
      size += fromFlat(*program.slots[operand]->type).shape[0];
    const uint32_t result = step(OpKind::concat, operands[0], {size});
    program.steps.back()->operands = std::move(operands);
    program.steps.back()->op->attrs.Set(fb::AxisAttrsT{{}, 0});
    return result;
  }
  bool isView(uint32_t slot) const {
    for (const auto &step : program.steps)
      if (step->results[0] == slot)
        return tandem::isView(program, *step);
    return false;
  }
  int64_t offset(uint32_t slot) const {
    return program.slots[slot]->arena_offset;
  }
  int64_t host(uint32_t slot) const { return program.slots[slot]->host; }
  void plan(std::vector<uint32_t> outputs) {
    program.outputs = std::move(outputs);
    Status status = planMemory(program);
    ASSERT_TRUE(status) << status.error().str();
    status = checkMemoryPlan(program);
    EXPECT_TRUE(status) << status.error().str();
  }
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_ANALYSIS_PROGRAMBUILDER_H
