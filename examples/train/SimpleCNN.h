//===- SimpleCNN.h - A small convolutional network -*- C++ -*-
//-------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_EXAMPLES_TRAIN_SIMPLECNN_H
#define TANDEM_EXAMPLES_TRAIN_SIMPLECNN_H

#include "tandem/Tandem.h"

#include <vector>

/// The parameters of SimpleCNN. Weights of linear layers are [inputs, outputs].
struct ParameterInfo {
  const char *name;
  tandem::Shape shape;
  /// The number of inputs of the layer.
  int64_t fanIn;
};
const std::vector<ParameterInfo> &parameterInfos();

/// The numbers of the inputs of the loss.
enum LossInput { kImages, kLabels, kSteps, kFirstParameter };

/// Builds the function (images, labels, steps, parameters...) -> (loss, number
/// of images whose class is predicted right). Images are [n, 3, 32, 32].
/// `steps` is the number of steps that were done, from which a dropout with
/// this probability draws; 0 adds no dropout.
tandem::Expected<std::unique_ptr<tandem::Graph>> buildSimpleCNN(double dropout,
                                                                uint64_t seed);

#endif // TANDEM_EXAMPLES_TRAIN_SIMPLECNN_H
