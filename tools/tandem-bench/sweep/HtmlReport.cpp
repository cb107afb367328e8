//===- HtmlReport.cpp - The sweep's page ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/Sweep.h"

#include "ReportTemplate.h"
#include "common/MeasurementJson.h"
#include "common/RunEnvironment.h"

#include "tandem/Runtime/Program.h"

namespace tandem::bench {
namespace {

void replace(std::string &text, std::string_view mark,
             std::string_view replacement) {
  size_t at = text.find(mark);
  if (at != std::string::npos)
    text.replace(at, mark.size(), replacement);
}

/// JSON that may stand inside a <script> element.
std::string forScript(std::string json) {
  for (size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6)
    json.replace(at, 1, "\\u003c");
  return json;
}

} // namespace

Expected<std::string>
makeHtml(const std::vector<nlohmann::ordered_json> &records) {
  std::string path = tools::sharePath("plotly.min.js");
  Expected<std::vector<uint8_t>> plotly = readFile(path);
  if (!plotly)
    return fail("report",
                "cannot read '" + path + "', which HTML reports embed",
                "run utils/setup.sh, or put plotly.min.js there");
  std::string page = kReportTemplate;
  replace(page, "/*TANDEM_DATA*/",
          forScript(jsonText(nlohmann::ordered_json(records))));
  replace(page, "/*TANDEM_PLOTLY*/",
          {reinterpret_cast<const char *>(plotly->data()), plotly->size()});
  return page;
}

} // namespace tandem::bench
