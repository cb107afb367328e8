//===- CubinFacts.cpp - What NVRTC tells of each kernel -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubinFacts.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

/// The number that stands before `what`; 0 where there is none.
static int64_t numberBefore(StringRef text, StringRef what) {
  StringRef before = text.split(what).first;
  if (before.size() == text.size())
    return 0;
  before = before.drop_front(before.find_last_not_of("0123456789") + 1);
  int64_t number = 0;
  before.getAsInteger(10, number);
  return number;
}

/// The header, and the entry of the kernel.
static std::string assemblyOf(StringRef ptx, StringRef kernel) {
  constexpr StringRef kEntry = ".visible .entry ";
  size_t start = ptx.find((kEntry + kernel + "(").str());
  if (start == StringRef::npos)
    return {};
  constexpr StringRef kEnd = "\n}\n";
  StringRef entry = ptx.drop_front(start);
  entry = entry.take_front(entry.find(kEnd) + kEnd.size());
  // NVRTC prints a comment with the name of each entry before the entry.
  StringRef header =
      ptx.take_front(ptx.find(kEntry)).split("\t// .globl").first;
  return (header + entry).str();
}

tandem::KernelListing tandem::listKernel(const NamedSource &kernel,
                                         const CubinListing &cubin) {
  KernelListing listing;
  listing.source = kernel.source;
  listing.assembly = assemblyOf(cubin.ptx, kernel.newName);
  // The log has a line "Compiling entry function 'k' for 'sm_90'", followed by
  // the resources that this kernel uses.
  constexpr StringRef kStart = "Compiling entry function '";
  StringRef log = StringRef(cubin.log)
                      .split((kStart + kernel.newName + "'").str())
                      .second.split(kStart)
                      .first;
  listing.registers = numberBefore(log, " registers");
  listing.sharedBytes = numberBefore(log, " bytes smem");
  listing.spillBytes = numberBefore(log, " bytes spill stores");
  return listing;
}
