//===- Predict.cpp - What is predicted before compiling -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Predict.h"

#include "common/Json.h"

#include "tandem/Compiler/CostFeatures.h"
#include "tandem/Measure/Vary.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Tandem.h"

#include <cstdio>

namespace tandem::bench {

using nlohmann::ordered_json;

Status runPredict(const PredictOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseFile(options.file, options.function));
  TANDEM_ASSIGN_OR_RETURN(DeviceModel device, findDeviceModel("host"));
  device = device.withThreads(numThreads());
  std::vector<measure::DimRange> ranges;
  if (!options.vary.empty()) {
    TANDEM_ASSIGN_OR_RETURN(ranges, measure::parseVary(options.vary));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::DimSizes> shapes,
                          measure::cartesianProduct(ranges));
  for (const measure::DimSizes &shape : shapes) {
    const Program &program = *graph->eagerProgram();
    TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> inputs,
                            measure::bindDims(program, shape));
    TANDEM_ASSIGN_OR_RETURN(CostFeatures features,
                            describeCosts(program, inputs, device));
    ordered_json json = ordered_json::object();
    for (size_t i = 0; i < kCostFeatures; ++i)
      json[std::string(kCostFeatureNames[i])] = features.all()[i];
    std::printf("%s\n", json.dump().c_str());
  }
  return {};
}

} // namespace tandem::bench
