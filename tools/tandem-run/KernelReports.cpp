//===- KernelReports.cpp - What a program's kernels are -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelReports.h"

#include "common/Format.h"

namespace tandem::tools {
namespace {

/// Only a target that generates source knows what registers a thread has.
bool hasListing(const KernelReport &report) {
  return report.listing.registers > 0;
}

std::string describeLaunch(const fb::KernelT &kernel) {
  const std::string extent = std::to_string(kernel.extent);
  return kernel.block ? extent + " x " + std::to_string(kernel.block->x())
                      : extent;
}

/// The time of all steps of a run that launch the kernel, in nanoseconds: the
/// device's, where it has clocks of its own.
double timeOf(size_t kernel, const Compiled &compiled,
              const TierProfile &profile) {
  double ns = 0;
  for (size_t i = 0; i < profile.steps.size(); ++i)
    if (compiled.program->steps[i]->kernel == static_cast<int>(kernel))
      ns += profile.steps[i].time.median;
  return ns;
}

} // namespace

std::string formatKernels(const Compiled &compiled,
                          const TierProfile *profile) {
  Table table({{"kernel", false},
               {"at", false},
               {"compile"},
               {"time"},
               {"code"},
               {"launch"},
               {"registers"},
               {"spills"},
               {"shared"},
               {"moves"},
               {"flops"}});
  for (size_t i = 0; i < compiled.kernelReports.size(); ++i) {
    const KernelReport &report = compiled.kernelReports[i];
    const fb::KernelT &kernel = *compiled.program->kernels[i];
    const KernelListing &listing = report.listing;
    const bool isListed = hasListing(report);
    table.addRow({report.name, report.location,
                  report.isCached ? "known" : formatTime(report.compileNs),
                  profile ? formatTime(timeOf(i, compiled, *profile)) : "-",
                  formatBytes(report.codeBytes), describeLaunch(kernel),
                  isListed ? std::to_string(listing.registers) : "-",
                  isListed ? formatBytes(listing.spillBytes) : "-",
                  isListed ? formatBytes(listing.sharedBytes) : "-",
                  formatBytes(kernel.bytes), formatCount(kernel.flops)});
  }
  return table.str();
}

nlohmann::ordered_json describeKernels(const Compiled &compiled,
                                       const TierProfile *profile) {
  auto kernels = nlohmann::ordered_json::array();
  for (size_t i = 0; i < compiled.kernelReports.size(); ++i) {
    const KernelReport &report = compiled.kernelReports[i];
    const fb::KernelT &kernel = *compiled.program->kernels[i];
    const KernelListing &listing = report.listing;
    nlohmann::ordered_json record = {
        {"name", report.name},
        {"location", report.location},
        {"target", fb::EnumNameKernelTarget(kernel.target)},
        {"cached", report.isCached},
        {"compile_ns", report.compileNs},
        {"code_bytes", report.codeBytes},
        {"extent", kernel.extent},
        {"bytes", kernel.bytes},
        {"flops", kernel.flops}};
    if (profile)
      record["time_ns"] = timeOf(i, compiled, *profile);
    if (kernel.block)
      record["threads"] = kernel.block->x();
    if (kernel.frame > 0)
      record["frame_bytes"] = kernel.frame;
    if (hasListing(report))
      record.update({{"registers", listing.registers},
                     {"spill_bytes", listing.spillBytes},
                     {"shared_bytes", listing.sharedBytes}});
    if (!listing.source.empty())
      record["source"] = listing.source;
    if (!listing.assembly.empty())
      record["assembly"] = listing.assembly;
    kernels.push_back(std::move(record));
  }
  return kernels;
}

} // namespace tandem::tools
