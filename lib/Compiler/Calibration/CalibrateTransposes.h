//===- CalibrateTransposes.h - What reading across costs --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATETRANSPOSES_H
#define TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATETRANSPOSES_H

#include "tandem/Measure/Rates.h"
#include "tandem/Support/Error.h"

#include <functional>

namespace tandem {

/// Measures DeviceModel::acrossFactor on the core of the calling thread. For
/// each of three images, a kernel that transposes the image alternates with a
/// kernel that reads and writes it in order, and each pair of times gives a
/// factor. The result is the geometric mean of the three medians. The spread is
/// the largest interquartile range of an image. `checkCancelled` is called
/// before each image, and its Error ends the measuring. Also fails if a kernel
/// cannot be compiled or run.
Expected<measure::Best>
measureAcrossFactor(const std::function<Status()> &checkCancelled);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATETRANSPOSES_H
