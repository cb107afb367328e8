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
    step->operands = {operand};
    step->results = {slot(shape)};
    program.steps.push_back(std::move(step));
    return program.slots.size() - 1;
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
