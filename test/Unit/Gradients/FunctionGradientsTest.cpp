//===- FunctionGradientsTest.cpp - Gradients of functions -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CheckGradients.h"

using namespace tandem;
using namespace tandem::test;

namespace {

class FunctionGradients : public testing::Test {
protected:
  /// Checks first and second derivatives with respect to all inputs, which
  /// have these shapes.
  void check(std::string_view text, const std::vector<Shape> &shapes) {
    std::mt19937_64 rng(shapes.size());
    std::vector<Tensor> operands;
    for (const Shape &shape : shapes) {
      operands.push_back(emptyTensor({DType::f64, shape}));
      fill(operands.back(), {-1, 1}, rng);
    }
    checkFunction(text, operands, /*isTwice=*/true, rng);
  }
};

using LoopGradients = FunctionGradients;
using ScanGradients = FunctionGradients;

/// A recurrent network, whose loss is the last state.
TEST_F(LoopGradients, OfCarriedScannedAndFixedValues) {
  check(R"(
    func.func @main(%h0: tensor<2x3xf64>, %xs: tensor<5x2x3xf64>,
                    %weights: tensor<3x3xf64>) -> tensor<2x3xf64> {
      %last = tandem.loop carried (%h = %h0) scanned (%x = %xs)
          fixed (%w = %weights)
          : (tensor<2x3xf64>, tensor<5x2x3xf64>, tensor<3x3xf64>)
          -> tensor<2x3xf64> {
        %0 = tandem.matmul %h, %w
            : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
        %1 = tandem.add %0, %x : tensor<2x3xf64>
        %2 = tandem.tanh %1 : tensor<2x3xf64>
        tandem.yield %2 : tensor<2x3xf64>
      }
      return %last : tensor<2x3xf64>
    })",
        {{2, 3}, {5, 2, 3}, {3, 3}});
}

/// The loss is a stacked result. Slices come from both ends.
TEST_F(LoopGradients, OfReversedSlices) {
  check(R"(
    func.func @main(%h0: tensor<3xf64>, %as: tensor<4x3xf64>,
                    %bs: tensor<4x3xf64>) -> tensor<4x3xf64> {
      %all, %last = tandem.loop carried (%h = %h0)
          scanned (%a = %as, %b = %bs)
          {reversed = array<i1: true, false, true>}
          : (tensor<3xf64>, tensor<4x3xf64>, tensor<4x3xf64>)
          -> (tensor<3xf64>, tensor<4x3xf64>) {
        %0 = tandem.mul %h, %a : tensor<3xf64>
        %1 = tandem.sin %b : tensor<3xf64>
        %2 = tandem.add %0, %1 : tensor<3xf64>
        %3 = tandem.mul %2, %b : tensor<3xf64>
        tandem.yield %2, %3 : tensor<3xf64>, tensor<3xf64>
      }
      return %last : tensor<4x3xf64>
    })",
        {{3}, {4, 3}, {4, 3}});
}

/// A value that is carried, scanned and fixed, and a count of iterations that
/// is carried as an integer.
TEST_F(LoopGradients, OfValuesThatAreUsedInSeveralWays) {
  check(R"(
    func.func @main(%x: tensor<3x3xf64>) -> tensor<3x3xf64> {
      %n0 = tandem.constant dense<0> : tensor<i64>
      %one = tandem.constant dense<1> : tensor<i64>
      %last, %n = tandem.loop carried (%h = %x, %i = %n0) scanned (%s = %x)
          fixed (%f = %x, %step = %one)
          : (tensor<3x3xf64>, tensor<i64>, tensor<3x3xf64>, tensor<3x3xf64>,
             tensor<i64>) -> (tensor<3x3xf64>, tensor<i64>) {
        %0 = tandem.mul %h, %f : tensor<3x3xf64>
        %1 = tandem.add %0, %s
            : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
        %2 = tandem.cast %i : (tensor<i64>) -> tensor<f64>
        %3 = tandem.mul %1, %2
            : (tensor<3x3xf64>, tensor<f64>) -> tensor<3x3xf64>
        %4 = tandem.sin %3 : tensor<3x3xf64>
        %5 = tandem.add %i, %step : tensor<i64>
        tandem.yield %4, %5 : tensor<3x3xf64>, tensor<i64>
      }
      return %last : tensor<3x3xf64>
    })",
        {{3, 3}});
}

TEST_F(LoopGradients, OfLoopsInLoops) {
  check(R"(
    func.func @main(%h0: tensor<2xf64>, %xs: tensor<3x4x2xf64>,
                    %weights: tensor<2xf64>) -> tensor<2xf64> {
      %last = tandem.loop carried (%h = %h0) scanned (%x = %xs)
          fixed (%w = %weights)
          : (tensor<2xf64>, tensor<3x4x2xf64>, tensor<2xf64>) -> tensor<2xf64> {
        %inner = tandem.loop carried (%k = %h) scanned (%y = %x) fixed (%v = %w)
            : (tensor<2xf64>, tensor<4x2xf64>, tensor<2xf64>)
            -> tensor<2xf64> {
          %0 = tandem.mul %k, %v : tensor<2xf64>
          %1 = tandem.add %0, %y : tensor<2xf64>
          %2 = tandem.tanh %1 : tensor<2xf64>
          tandem.yield %2 : tensor<2xf64>
        }
        tandem.yield %inner : tensor<2xf64>
      }
      return %last : tensor<2xf64>
    })",
        {{2}, {3, 4, 2}, {2}});
}

/// A counted loop, and one that runs not at all.
TEST_F(LoopGradients, OfCountedLoops) {
  for (const char *trips : {"0", "1", "6"})
    check(std::string(R"(
    func.func @main(%h0: tensor<2xf64>, %weights: tensor<2xf64>)
        -> tensor<2xf64> {
      %last = tandem.loop carried (%h = %h0) fixed (%w = %weights)
          {trips = )") +
              trips + R"(} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64> {
        %0 = tandem.mul %h, %w : tensor<2xf64>
        %1 = tandem.sin %0 : tensor<2xf64>
        tandem.yield %1 : tensor<2xf64>
      }
      return %last : tensor<2xf64>
    })",
          {{2}, {2}});
}

/// The first result along the axis is the neutral element of the scan, which is
/// infinite or a constant.
TEST_F(ScanGradients, OfExclusiveScans) {
  for (const char *kind : {"sum", "prod", "max", "min", "log_sum_exp"})
    for (bool isReverse : {false, true})
      check(std::string(R"(
    func.func @main(%x: tensor<3x6x2xf64>) -> tensor<3x5x2xf64> {
      %0 = tandem.scan %x kind = )") +
                kind + " axis = 1 exclusive" + (isReverse ? " reverse" : "") +
                R"( : tensor<3x6x2xf64>
      %1 = tandem.slice %0 starts = )" +
                (isReverse ? "[0, 0, 0] limits = [3, 5, 2]"
                           : "[0, 1, 0] limits = [3, 6, 2]") +
                R"( strides = [1, 1, 1]
          : (tensor<3x6x2xf64>) -> tensor<3x5x2xf64>
      return %1 : tensor<3x5x2xf64>
    })",
            {{3, 6, 2}});
}

} // namespace
