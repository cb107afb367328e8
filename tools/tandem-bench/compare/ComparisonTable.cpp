//===- ComparisonTable.cpp - Comparisons as a table and as JSON -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/Comparison.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/ProgressLine.h"
#include "common/Tiers.h"

#include "tandem/Target/CPU/KernelMethods.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tandem::bench {
namespace {

using measure::Summary;
using nlohmann::ordered_json;
using Ratio = std::function<std::optional<double>(const ComparisonResult &)>;

std::string text(const char *format, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string ratioText(std::optional<double> ratio) {
  return ratio ? text("%.2f", *ratio) : "-";
}

std::string speedText(const ComparisonResult &result,
                      const std::optional<Summary> &time) {
  return time ? text("%.1f", result.flopsPerNs(*time)) : "-";
}

std::optional<double> overBlocked(const ComparisonResult &result) {
  return result.over(result.blocked);
}
std::optional<double> overPlain(const ComparisonResult &result) {
  return result.over(result.plain);
}
std::optional<double> chosenOverBest(const ComparisonResult &result) {
  return result.error.empty() ? std::optional(result.chosenOverBest)
                              : std::nullopt;
}
/// The ratio of the speed of what is chosen to that of eager.
std::optional<double> overEager(const ComparisonResult &result) {
  return result.error.empty() ? std::optional(1 / result.chosenOverEager)
                              : std::nullopt;
}
std::optional<double> overOwn(const ComparisonResult &result) {
  return result.over(result.own);
}
std::optional<double> scaling(const ComparisonResult &result) {
  return result.scaling();
}
std::optional<double> generatedError(const ComparisonResult &result) {
  return result.generatedError();
}
std::optional<double> libraryError(const ComparisonResult &result) {
  return result.libraryError();
}
/// The share of the peak that the compiled tier reaches.
std::optional<double> ofPeak(const ComparisonResult &result) {
  if (!result.error.empty())
    return std::nullopt;
  return result.flopsPerNs(result.chosen) / result.peakFlopsPerNs;
}

/// Who computes what is chosen.
std::string nameOfChosen(const ComparisonResult &result) {
  if (!result.choseGenerated)
    return "lib";
  return std::string(kernelMethods()[result.method].abbreviation);
}

/// One column of the table.
struct Column {
  tools::Table::Column header;
  std::function<std::string(const ComparisonResult &)> text;
};

Column speedColumn(
    std::string_view header,
    std::function<std::optional<Summary>(const ComparisonResult &)> time) {
  return {{std::string(header)}, [time](const ComparisonResult &result) {
            return speedText(result, time(result));
          }};
}

/// The speeds of the methods of generated kernels.
std::vector<Column> methodColumns() {
  std::vector<Column> columns;
  for (size_t i = 0; i < kernelMethods().size(); ++i)
    columns.push_back(
        speedColumn(kernelMethods()[i].title,
                    [i](const auto &result) { return result.methods[i]; }));
  return columns;
}

std::vector<Column> firstColumns() {
  return {{{"shape", false}, [](const auto &result) { return result.name; }},
          {{"Mflop"},
           [](const auto &result) { return text("%.2f", result.flops / 1e6); }},
          {{"eager"},
           [](const auto &result) { return speedText(result, result.eager); }}};
}

std::vector<Column> lastColumns() {
  using Figure = std::optional<Summary> ComparisonResult::*;
  auto speed = [](const char *header, Figure figure) {
    return speedColumn(header,
                       [figure](const auto &result) { return result.*figure; });
  };
  auto ratio = [](const char *header, const Ratio &of) {
    return Column{{header}, [of](const ComparisonResult &result) {
                    return ratioText(of(result));
                  }};
  };
  return {speed("oneDNN", &ComparisonResult::blocked),
          speed("plain", &ComparisonResult::plain),
          speed("own images", &ComparisonResult::own),
          {{"chosen"},
           [](const auto &result) { return speedText(result, result.chosen); }},
          {{"", false}, nameOfChosen},
          {{"peak"},
           [](const auto &result) {
             return text("%.0f%%", 100 * *ofPeak(result));
           }},
          ratio("gen/oneDNN", overBlocked),
          ratio("chosen/best", chosenOverBest),
          ratio("chosen/eager", overEager),
          ratio("threads", scaling),
          ratio("model/gen", generatedError),
          ratio("model/lib", libraryError),
          {{"C"}, [](const auto &result) {
             return tools::formatTime(result.compileNs);
           }}};
}

std::vector<Column> columns() {
  std::vector<Column> all;
  for (const std::vector<Column> &columns :
       {firstColumns(), methodColumns(), lastColumns()})
    all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

/// Without the columns that have nothing to show of any contraction.
std::string tableOf(const std::vector<ComparisonResult> &results) {
  std::vector<Column> shown = columns();
  std::vector<ComparisonResult> measured = results;
  std::erase_if(measured,
                [](const auto &result) { return !result.error.empty(); });
  std::erase_if(shown, [&](const Column &column) {
    return !measured.empty() && std::all_of(measured.begin(), measured.end(),
                                            [&](const auto &result) {
                                              return column.text(result) == "-";
                                            });
  });
  std::vector<tools::Table::Column> headers;
  for (const Column &column : shown)
    headers.push_back(column.header);
  tools::Table table(std::move(headers));
  for (const ComparisonResult &result : results) {
    std::vector<std::string> row;
    for (const Column &column : shown)
      if (result.error.empty())
        row.push_back(column.text(result));
    if (!result.error.empty())
      row.push_back(result.name + ": " + result.error);
    table.addRow(std::move(row));
  }
  return table.str();
}

std::string meansOf(const std::string &title,
                    const std::vector<ComparisonResult> &results) {
  auto mean = [&](const Ratio &ratio) {
    return text("%.2f", geometricMean(results, ratio));
  };
  size_t generated = 0;
  for (const ComparisonResult &result : results)
    generated += result.generated.has_value();
  return title + ": " + std::to_string(results.size()) + " shapes, " +
         std::to_string(generated) + " generated: " + mean(overBlocked) +
         "x oneDNN with its own weights, " + mean(overPlain) +
         "x with plain ones, " + mean(overOwn) +
         "x with its own images; chosen " + mean(chosenOverBest) +
         " of the better, " + mean(overEager) + "x eager, " + mean(ofPeak) +
         " of the peak" +
         (geometricMean(results, scaling) > 0
              ? ", " + mean(scaling) + "x one thread\n"
              : "\n");
}

/// "model over measured, generated: 1.02 in the mean, 0.7 (NAME) to 1.5
/// (NAME)".
std::string errorsOf(const std::string &who,
                     const std::vector<ComparisonResult> &results,
                     const Ratio &error) {
  std::vector<std::pair<double, std::string>> errors;
  for (const ComparisonResult &result : results)
    if (std::optional<double> value = error(result))
      errors.emplace_back(*value, result.name);
  if (errors.empty())
    return "";
  auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  return "model over measured, " + who + ": " +
         text("%.2f", geometricMean(results, error)) + " in the mean, " +
         text("%.2f", least->first) + " (" + least->second + ") to " +
         text("%.2f", most->first) + " (" + most->second + ")\n";
}

/// "worst chosen/better: NAME 0.95".
std::string worstOf(const std::string &title,
                    const std::vector<ComparisonResult> &results,
                    const Ratio &ratio) {
  const ComparisonResult *worst = nullptr;
  for (const ComparisonResult &result : results)
    if (ratio(result) && (!worst || *ratio(result) < *ratio(*worst)))
      worst = &result;
  if (!worst)
    return "";
  return "worst " + title + ": " + worst->name + " " +
         text("%.2f", *ratio(*worst)) + "\n";
}

/// "slower compiled than eager: 1 of 13 (conv2 1.31)".
std::string slowerThanEager(const std::vector<ComparisonResult> &results) {
  std::string names;
  int count = 0;
  for (const ComparisonResult &result : results)
    if (result.isSlowerThanEager()) {
      names += (count++ ? ", " : " (") + result.name + " " +
               text("%.2f", result.chosenOverEager);
    }
  return "slower compiled than eager: " + std::to_string(count) + " of " +
         std::to_string(results.size()) + names + (count ? ")\n" : "\n");
}

ordered_json toRecord(const std::string &tool, const ComparisonResult &result,
                      const ComparisonOptions &options) {
  auto time = [](const std::optional<Summary> &summary) {
    return summary ? tools::toJson(*summary) : ordered_json();
  };
  ordered_json record = {
      {"tool", tool},
      {"graph",
       result.list.empty() ? result.name : result.list + ":" + result.name},
      {"function", "main"},
      {"inputs", tools::toJson(std::vector{result.input, result.weights})},
      {"dtype", tools::dtypeOf(std::vector{result.input})},
      {"device", tools::defaultDevice()},
      {"flops", result.flops}};
  if (!result.error.empty())
    record["error"] = result.error;
  else {
    record["generated_ns"] = time(result.generated);
    for (size_t i = 0; i < result.methods.size(); ++i)
      record["generated_" + std::string(kernelMethods()[i].name) + "_ns"] =
          time(result.methods[i]);
    record.update({{"generated_one_thread_ns", time(result.oneThread)},
                   {"onednn_blocked_ns", time(result.blocked)},
                   {"onednn_plain_ns", time(result.plain)},
                   {"onednn_own_images_ns", time(result.own)},
                   {"chosen_ns", time(result.chosen)},
                   {"chosen", result.choseGenerated ? "generated" : "library"},
                   {"chosen_over_best", result.chosenOverBest},
                   {"eager_ns", tools::toJson(result.eager)},
                   {"chosen_over_eager", result.chosenOverEager},
                   {"predicted_generated_ns", result.predictedGeneratedNs},
                   {"predicted_library_ns", result.predictedLibraryNs},
                   {"peak_flops_per_ns", result.peakFlopsPerNs},
                   {"copy_ns", result.copyNs},
                   {"onednn_implementation", result.implementation},
                   {"compile_ns", result.compileNs}});
  }
  record.update(tools::toJson(options.environment));
  return record;
}

} // namespace

double geometricMean(const std::vector<ComparisonResult> &results,
                     const Ratio &ratio) {
  double logs = 0;
  int count = 0;
  for (const ComparisonResult &result : results)
    if (std::optional<double> value = ratio(result)) {
      logs += std::log(*value);
      ++count;
    }
  return count ? std::exp(logs / count) : 0;
}

std::string formatComparisons(const std::vector<ComparisonResult> &results) {
  std::string out = "Speeds in Gflop/s; ratios of speeds.\n" + tableOf(results);
  std::vector<ComparisonResult> list;
  bool several = results.front().list != results.back().list;
  for (size_t i = 0; i < results.size(); ++i) {
    list.push_back(results[i]);
    if (i + 1 < results.size() && results[i + 1].list == results[i].list)
      continue;
    out += meansOf(results[i].list, list);
    list.clear();
  }
  if (several)
    out += meansOf("all", results);
  return out + worstOf("generated over oneDNN", results, overBlocked) +
         worstOf("chosen over the better", results, chosenOverBest) +
         slowerThanEager(results) +
         errorsOf("generated", results, generatedError) +
         errorsOf("oneDNN", results, libraryError);
}

std::string comparisonLines(const std::string &tool,
                            const std::vector<ComparisonResult> &results,
                            const ComparisonOptions &options) {
  std::string lines;
  for (const ComparisonResult &result : results)
    lines += jsonText(toRecord(tool, result, options)) + "\n";
  return lines;
}

Expected<bool> runComparisons(const std::string &tool,
                              const std::vector<ComparisonCase> &cases,
                              const ComparisonOptions &options) {
  if (cases.empty())
    return fail(tool, "there is nothing to measure");
  std::vector<ComparisonResult> results;
  bool complete = true;
  tools::ProgressLine line;
  for (const ComparisonCase &comparisonCase : cases) {
    line.show("[" + std::to_string(results.size() + 1) + "/" +
              std::to_string(cases.size()) + "] " + comparisonCase.name);
    results.push_back(runComparison(comparisonCase, options));
    complete &= results.back().error.empty();
  }
  line.clear();
  std::printf("%s%s", tools::headingOf(options.environment).c_str(),
              formatComparisons(results).c_str());
  if (!options.json.empty())
    TANDEM_RETURN_IF_ERROR(tools::writeText(
        options.json, comparisonLines(tool, results, options)));
  return complete;
}

} // namespace tandem::bench
