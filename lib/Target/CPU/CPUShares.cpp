//===- CPUShares.cpp - How fast kernels and the library are ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUShares.h"

#include <set>
#include <string_view>

namespace tandem {

/// Calls visit(key, number) for each number of `shares`, const or not.
template <typename Shares, typename Visit>
static void visitNumbers(Shares &shares, Visit visit) {
  visit("library_tiles", shares.library.tiles);
  visit("library_depthwise", shares.library.depthwise);
  visit("library_generic", shares.library.generic);
  visit("library_matrix_unit", shares.library.matrixUnit);
  visit("library_other", shares.library.other);
  visit("library_weights_gradient", shares.library.weightsGradient);
  visit("library_tile_products", shares.library.tileProducts);
  visit("library_column_cycles", shares.library.columnCycles);
  visit("library_strided_column_cycles", shares.library.stridedColumnCycles);
  visit("library_matrix_threads", shares.library.matrixThreads);
  visit("library_reorder_factor", shares.library.reorderFactor);
  visit("kernel_tiles", shares.kernels.tiles);
  visit("kernel_byte_tiles", shares.kernels.byteTiles);
  visit("kernel_depthwise", shares.kernels.depthwise);
  visit("kernel_piece_time", shares.kernels.pieceTime);
  visit("kernel_partial_row_store_cycles",
        shares.kernels.partialRowStoreCycles);
  visit("kernel_transposed_read_time", shares.kernels.transposedReadTime);
}

CPUShares CPUShares::of(const DeviceModel &model) {
  CPUShares shares;
  visitNumbers(shares, [&](std::string_view key, double &number) {
    auto given = model.targetNumbers.find(key);
    if (given != model.targetNumbers.end())
      number = given->second;
  });
  return shares;
}

void CPUShares::writeTo(DeviceModel &model) const {
  visitNumbers(*this, [&](std::string_view key, double number) {
    model.targetNumbers[std::string(key)] = number;
  });
}

Status checkCPUShares(const DeviceModel &model) {
  std::set<std::string_view> known;
  const CPUShares shares;
  visitNumbers(shares,
               [&](std::string_view key, double) { known.insert(key); });
  for (const auto &[key, number] : model.targetNumbers)
    if (!known.contains(key))
      return fail("compile",
                  "the description of device '" + model.name + "': '" + key +
                      "' is not part of a description",
                  "utils/cpu-specs/ has examples of device descriptions");
  return {};
}

} // namespace tandem
