//===- GPUFigures.cpp - The figures that have targets on a GPU ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/GPUFigures.h"

#include "bars/Bars.h"
#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/ProgressLine.h"
#include "common/Regex.h"
#include "common/RunEnvironment.h"
#include "gpu/GPUCalls.h"
#include "sweep/GraphOutline.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Runtime/Compare.h"

#include <cstdio>
#include <fstream>

namespace tandem::bench {
namespace {

using nlohmann::ordered_json;
using tools::Table;

/// One figure. Times are in nanoseconds, shares are of a copy's bandwidth.
struct Figure {
  std::string name, layout, precision, tier;
  bool isShare = false;
  double value = 0, target = 0;
  CallTimes times;

  bool isReached() const { return isShare ? value >= target : value <= target; }
};

/// What a figure of a graph is.
struct GraphFigure {
  /// Its name; peers' figures have the same.
  const char *name;
  /// A graph of share/tandem/graphs, or its text.
  const char *graph;
  measure::DimSizes dims;
  /// Microseconds per call, or the share of a copy's bandwidth.
  double target;
  bool isShare = false;
  const char *layout = "";
  Tier tier = Tier::compiled;
  /// Not f32 where it is an outline (GraphOutline.h).
  DType dtype = DType::f32;
  /// In place of what the options say.
  std::optional<Precision> precision = std::nullopt;
};

constexpr const char *kTranspose = R"(
func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "m"]}) -> tensor<?x?xf32> {
  %0 = tandem.transpose %x permutation = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
)";
constexpr const char *kAdd = R"(
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = tandem.add %x, %y : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
)";

std::vector<GraphFigure> graphFigures() {
  const measure::DimSizes square = {{"n", 4096}, {"m", 4096}};
  const measure::DimSizes image = {{"N", 1}, {"H", 256}, {"W", 256}};
  return {
      {"conv1d_relu",
       "conv1d_relu",
       {{"N", 1000}, {"L", 100}},
       6,
       false,
       "NWC"},
      {"conv2d", "conv2d_nhwc", image, 8, false, "NHWC"},
      {"conv2d", "conv2d_nchw", image, 8, false, "NCHW"},
      {"chain8 2^10", "chain8", {{"n", 1 << 10}}, 4},
      {"chain8 2^26", "chain8", {{"n", 1 << 26}}, 0.95, true},
      {"softmax 4096x4096", "softmax", square, 0.85, true},
      {"layer norm 4096x4096", "layer_norm", square, 0.85, true},
      {"transpose 4096x4096", kTranspose, square, 0.85, true},
      {"simplecnn",
       "simplecnn",
       {{"N", 32}},
       25,
       false,
       "NCHW",
       Tier::captured},
      {"resnet_50 b32, bf16",
       "resnet_50_nhwc.outline",
       {{"N", 32}},
       1600,
       false,
       "NHWC",
       Tier::captured,
       DType::bf16},
      {"resnet_50 b32, tf32",
       "resnet_50_nhwc.outline",
       {{"N", 32}},
       2500,
       false,
       "NHWC",
       Tier::captured,
       DType::f32,
       Precision::tf32},
  };
}

Expected<std::unique_ptr<Graph>> loadGraph(const std::string &graph,
                                           DType dtype) {
  if (graph.ends_with(".outline")) {
    TANDEM_ASSIGN_OR_RETURN(
        std::vector<uint8_t> outline,
        readFile(tools::sharePath("graphs/" + graph + ".mlir")));
    TANDEM_ASSIGN_OR_RETURN(
        std::string text,
        addWeights(std::string(outline.begin(), outline.end()), dtype));
    return Graph::parseString(text);
  }
  return graph.find('\n') == std::string::npos ? loadBarGraph(graph)
                                               : Graph::parseString(graph);
}

class Figures {
public:
  Figures(const GPUFiguresOptions &options, std::regex filter)
      : options(options), environment(options.environment),
        filter(std::move(filter)) {
    environment.gpuModel = gpuModel();
  }

  Status measure();
  void print(const ordered_json &peers) const;
  Status write() const;
  bool areReached() const {
    return std::all_of(all.begin(), all.end(),
                       [](const Figure &f) { return f.isReached(); });
  }

private:
  bool isWanted(const std::string &name) const {
    return std::regex_search(name, filter);
  }
  Expected<GPUGraph> create(const GraphFigure &figure) const {
    TANDEM_ASSIGN_OR_RETURN(auto loaded, loadGraph(figure.graph, figure.dtype));
    CompileOptions compile;
    compile.device = options.device;
    compile.precision = figure.precision.value_or(options.precision);
    return GPUGraph::create(std::move(loaded), figure.dims, figure.tier,
                            compile);
  }
  Expected<GPUGraph> create(const char *graph, const measure::DimSizes &dims,
                            Tier tier) const {
    GraphFigure figure{"", graph, dims, 0};
    figure.tier = tier;
    return create(figure);
  }
  /// What the column of the table says.
  std::string precision(const GraphFigure &figure = {}) const {
    const Precision precision = figure.precision.value_or(options.precision);
    if (figure.dtype != DType::f32 || precision == Precision::strict)
      return std::string(tandem::name(figure.dtype));
    return std::string(tandem::name(precision));
  }
  Status addDispatch(const char *name, Tier tier, double targetNs);
  Status add(const GraphFigure &figure);
  Status addNewShape(const char *name, const char *graph,
                     const std::vector<measure::DimSizes> &shapes,
                     double targetNs);

  const GPUFiguresOptions &options;
  tools::RunEnvironment environment;
  const std::regex filter;
  tools::ProgressLine progress;
  std::vector<Figure> all;
};

/// What a call costs the host beyond the launch of a kernel that does nothing.
Status Figures::addDispatch(const char *name, Tier tier, double targetNs) {
  if (!isWanted(name))
    return {};
  progress.show(name);
  TANDEM_ASSIGN_OR_RETURN(GPUGraph graph, create(kAdd, {}, tier));
  TANDEM_ASSIGN_OR_RETURN(
      CallTimes times,
      measureCalls(graph.call(), graph.stream(), options.calls));
  TANDEM_ASSIGN_OR_RETURN(CallTimes launch,
                          measureLaunch(graph.stream(), options.calls));
  all.push_back({name, "", precision(), std::string(tandem::name(tier)), false,
                 times.host - launch.host, targetNs, times});
  return {};
}

Status Figures::add(const GraphFigure &figure) {
  if (!isWanted(figure.name))
    return {};
  progress.show(figure.name);
  TANDEM_ASSIGN_OR_RETURN(GPUGraph graph, create(figure));
  TANDEM_ASSIGN_OR_RETURN(
      CallTimes times,
      measureCalls(graph.call(), graph.stream(), options.calls));
  Figure result{figure.name,         figure.layout,
                precision(figure),   std::string(tandem::name(figure.tier)),
                figure.isShare,      times.call,
                figure.target * 1e3, times};
  if (figure.isShare) {
    // A copy reads half of the bytes that it moves.
    TANDEM_ASSIGN_OR_RETURN(
        CallTimes copy,
        measureCopy(graph.stream(), graph.bytes() / 2, options.calls));
    result.value = copy.call / times.call;
    result.target = figure.target;
  }
  all.push_back(std::move(result));
  return {};
}

/// From the call to the result, of shapes that a graph in use meets for the
/// first time.
Status Figures::addNewShape(const char *name, const char *graph,
                            const std::vector<measure::DimSizes> &shapes,
                            double targetNs) {
  if (!isWanted(name))
    return {};
  progress.show(name);
  TANDEM_ASSIGN_OR_RETURN(GPUGraph first,
                          create(graph, shapes[0], Tier::eager));
  std::vector<double> times;
  for (size_t shape = 1; shape < shapes.size(); ++shape) {
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                            first.inputsOf(shapes[shape]));
    std::vector<Tensor> outputs;
    auto start = std::chrono::steady_clock::now();
    TANDEM_RETURN_IF_ERROR(first.run(inputs, outputs));
    TANDEM_RETURN_IF_ERROR(first.stream().synchronize());
    times.push_back(measure::nsSince(start));
  }
  const double median = measure::summarize(times).median;
  all.push_back({name,
                 "",
                 precision(),
                 "eager",
                 false,
                 median,
                 targetNs,
                 {median, 0, 0, median}});
  return {};
}

/// Measures one figure after the other. One that fails is told at once and does
/// not keep the others from being measured; the first such error is the result.
Status Figures::measure() {
  Status first;
  const auto keep = [&](const char *name, Status status) {
    if (status)
      return;
    std::fprintf(stderr, "%s: %s\n", name, status.error().str().c_str());
    if (first)
      first = std::move(status);
  };
  const auto dispatch = [&](const char *name, Tier tier, double targetNs) {
    keep(name, addDispatch(name, tier, targetNs));
  };
  dispatch("eager add beyond a launch, host", Tier::eager, 700);
  dispatch("compiled kernel beyond a launch, host", Tier::compiled, 500);
  for (const GraphFigure &figure : graphFigures())
    keep(figure.name, add(figure));
  std::vector<measure::DimSizes> lengths, images;
  for (int64_t i = 0; i < 9; ++i) {
    lengths.push_back({{"n", 1000 + 24 * i}});
    images.push_back({{"N", 10 + i}, {"L", 50 + i}});
  }
  const auto newShape = [&](const char *name, const char *graph,
                            const std::vector<measure::DimSizes> &shapes,
                            double targetNs) {
    keep(name, addNewShape(name, graph, shapes, targetNs));
  };
  newShape("new chain8 shape", "chain8", lengths, 100e3);
  newShape("new conv1d_relu shape", "conv1d_relu", images, 1e6);
  return first;
}

std::string format(const Figure &figure, double value) {
  if (!figure.isShare)
    return tools::formatTime(value);
  return std::to_string(static_cast<int>(100 * value + 0.5)) + " %";
}

Expected<ordered_json> readPeers(const std::string &file) {
  if (file.empty())
    return ordered_json::object();
  std::ifstream stream(file);
  ordered_json peers = ordered_json::parse(stream, nullptr, false);
  if (!stream || !peers.is_object() || !peers["columns"].is_array())
    return fail("gpu", "'" + file + "' is no file of peers' figures",
                "utils/gpu-day/peers.json is one");
  return peers;
}

void Figures::print(const ordered_json &peers) const {
  std::vector<Table::Column> columns = {
      {"figure", false}, {"layout", false}, {"precision", false},
      {"tier", false},   {"value"},         {"target"},
      {"", false},       {"latency"},       {"device"}};
  const size_t own = columns.size();
  for (const auto &peer : peers.value("columns", ordered_json::array()))
    columns.push_back({peer.get<std::string>()});
  Table table(columns);
  for (const Figure &figure : all) {
    std::vector<std::string> cells = {figure.name,
                                      figure.layout,
                                      figure.precision,
                                      figure.tier,
                                      format(figure, figure.value),
                                      format(figure, figure.target),
                                      figure.isReached() ? "" : "short",
                                      tools::formatTime(figure.times.latency),
                                      tools::formatTime(figure.times.device)};
    for (const auto &us : peers.value(figure.name, ordered_json::array()))
      cells.push_back(us.is_number() ? tools::formatTime(us.get<double>() * 1e3)
                                     : "-");
    cells.resize(std::max(own, columns.size()));
    table.addRow(std::move(cells));
  }
  std::fputs(table.str().c_str(), stdout);
}

Status Figures::write() const {
  std::string lines;
  for (const Figure &figure : all) {
    ordered_json json = toJson(environment);
    json["figure"] = figure.name;
    json["layout"] = figure.layout;
    json["precision"] = figure.precision;
    json["tier"] = figure.tier;
    json["unit"] = figure.isShare ? "share of a copy's bandwidth" : "ns";
    json["value"] = figure.value;
    json["target"] = figure.target;
    json["reached"] = figure.isReached();
    json["call_ns"] = figure.times.call;
    json["host_ns"] = figure.times.host;
    json["device_ns"] = figure.times.device;
    json["latency_ns"] = figure.times.latency;
    lines += jsonText(json) + "\n";
  }
  return options.json.empty() ? Status()
                              : tools::writeText(options.json, lines);
}

} // namespace

Expected<bool> runGPUFigures(const GPUFiguresOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(std::regex filter,
                          tools::parseRegex("gpu", options.filter));
  // What would spoil all figures comes before any is measured.
  TANDEM_ASSIGN_OR_RETURN(const ordered_json peers, readPeers(options.peers));
  TANDEM_RETURN_IF_ERROR(cudaDevice());
  Figures figures(options, std::move(filter));
  Status measured = figures.measure();
  figures.print(peers);
  TANDEM_RETURN_IF_ERROR(figures.write());
  TANDEM_RETURN_IF_ERROR(std::move(measured));
  return figures.areReached();
}

} // namespace tandem::bench
