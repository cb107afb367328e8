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

/// DeviceModel::acrossFactor of the calling thread's core: a kernel that
/// transposes an image beside one that reads and writes it in order, in
/// alternation: the geometric mean over three images of their medians. The
/// spread is the largest distance of an image's quartiles. `checkCancelled`
/// is called before each image, and its Error ends the measuring. Other Errors
/// say what could not be compiled or run.
Expected<measure::Best>
measureAcrossFactor(const std::function<Status()> &checkCancelled);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATETRANSPOSES_H
