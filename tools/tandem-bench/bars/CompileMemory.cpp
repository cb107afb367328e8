//===- CompileMemory.cpp - What compiling leaves in memory ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/CompileMemory.h"

#include "common/ProgressLine.h"

#include "tandem/Measure/Vary.h"
#include "tandem/Tandem.h"

#include <cstdio>
#include <fstream>
#include <set>
#include <unistd.h>

namespace tandem::bench {
namespace {

Expected<double> residentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  if (!(statm >> total >> resident))
    return fail("memory", "/proc/self/statm cannot be read");
  return resident * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Every named dim of the program's inputs at 16.
measure::DimSizes otherDims(const Program &program) {
  measure::DimSizes dims;
  std::set<std::string> seen;
  for (const auto &input : program.input_dims)
    for (const std::string &name : input->names)
      if (!name.empty() && seen.insert(name).second)
        dims.push_back({name, 16});
  return dims;
}

} // namespace

Status runCompileMemory(const CompileMemoryOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseFile(options.file));
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph->createCompiler());
  const Program &program = *graph->eagerProgram();
  measure::DimSizes dims = otherDims(program);
  auto varied = std::find_if(dims.begin(), dims.end(), [&](const auto &dim) {
    return dim.first == options.dim;
  });
  if (varied == dims.end())
    return fail("memory", "no dim of the graph is named '" + options.dim + "'");
  tools::ProgressLine line;
  double first = 0;
  int size = 0;
  std::vector<int> numbers = options.shapes;
  std::ranges::sort(numbers);
  for (int shapes : numbers) {
    while (size < shapes) {
      varied->second = ++size;
      if (size % 100 == 0)
        line.show("shape " + std::to_string(size));
      TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                              measure::bindDims(program, dims));
      TANDEM_RETURN_IF_ERROR(compiler->compile(types));
    }
    line.clear();
    TANDEM_ASSIGN_OR_RETURN(double now, residentMegabytes());
    if (first == 0)
      first = now;
    std::printf("%d shapes: %.1f MB resident, %+.1f MB\n", shapes, now,
                now - first);
  }
  return {};
}

} // namespace tandem::bench
