//===- InitConversions.h - Upstream conversions Tandem uses -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_INITALL_INITCONVERSIONS_H
#define TANDEM_LIB_INITALL_INITCONVERSIONS_H

namespace tandem {

/// Registers the upstream conversion passes of Tandem's pipelines.
void registerUpstreamConversions();

} // namespace tandem

#endif // TANDEM_LIB_INITALL_INITCONVERSIONS_H
