//===- FashionMNIST.h - Reads Fashion-MNIST -*- C++ -*-
//--------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_EXAMPLES_TRAIN_FASHIONMNIST_H
#define TANDEM_EXAMPLES_TRAIN_FASHIONMNIST_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct Dataset {
  /// Bytes of n images of 28 x 28, and n classes from 0 to 9.
  std::vector<uint8_t> images;
  std::vector<int64_t> labels;
  int64_t size() const { return int64_t(labels.size()); }
};

/// Reads the part "train" or "t10k" from the folder of Debian's package
/// dataset-fashion-mnist. Errors name the file.
tandem::Expected<Dataset> readFashionMNIST(const std::string &folder,
                                           const std::string &part);

/// Writes the images with these numbers to `result`, as [n, 3, 32, 32]: padded
/// to 32 x 32, with mean 0 and deviation 1 over the training images, and with
/// the grey value in three channels.
void prepare(const Dataset &data, std::span<const int64_t> numbers,
             std::vector<float> &result);

#endif // TANDEM_EXAMPLES_TRAIN_FASHIONMNIST_H
