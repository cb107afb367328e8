//===- DeviceOption.td - The device of a pass -------------*- tablegen -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_DEVICEOPTION
#define TANDEM_ANALYSIS_DEVICEOPTION

include "mlir/Pass/PassBase.td"

defvar Tandem_DeviceSpec =
  Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
         "The device for which costs are estimated: generic, host, the name "
         "of a built-in device description, the path of a device description, "
         "or the text of one.">;

#endif // TANDEM_ANALYSIS_DEVICEOPTION
