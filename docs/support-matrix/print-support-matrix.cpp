//===- print-support-matrix.cpp - Which tier computes which op ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: print-support-matrix TESTS OUTPUT
//
// Tries each op with each element type in each tier, on random cases, and
// writes the results as a page. TESTS is the folder test/Execution. Runs on the
// fake CUDA device (test/FakeCUDA), so that no GPU is necessary.
//
//===----------------------------------------------------------------------===//

#include "../../test/Fuzz/RandomGraph.h"
#include "../../test/Unit/Providers/Cases.h"

#include "eager/cuda/LaunchPlan.h"
#include "tandem/InitAll.h"
#include "tandem/Runtime/CUDADevice.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

using namespace tandem;
using namespace tandem::test;

namespace {

constexpr int kCases = 3;

std::vector<Case> makeCases(OpKind kind, DType dtype) {
  std::mt19937_64 rng(static_cast<uint64_t>(kind) * 64 +
                      static_cast<uint64_t>(dtype));
  std::vector<Case> cases;
  for (int i = 0; i < kCases; ++i)
    if (auto made = randomCase(kind, dtype, rng))
      cases.push_back(std::move(*made));
  return cases;
}

/// A case as providers see it.
struct Signature {
  std::vector<TensorType> operands;
  std::vector<TensorType> results;
};

std::optional<Signature> signatureOf(const Case &given) {
  Signature signature;
  for (const Tensor &operand : given.operands)
    signature.operands.push_back(operand.type());
  Expected<TensorType> result = inferType(given.op, signature.operands);
  if (!result)
    return std::nullopt;
  signature.results = {*result};
  return signature;
}

/// The name of the first provider that prepares the case; empty if none does.
std::string findProvider(ProviderList providers, const Case &given,
                         const Signature &signature) {
  for (const Provider *provider : providers) {
    auto prepared =
        provider->prepare({given.op, signature.operands, signature.results});
    if (prepared && *prepared)
      return std::string(provider->name());
  }
  return "";
}

/// The same for the GPU, without compiling the kernels that the runtime brings.
std::string findGPUProvider(const Case &given, const Signature &signature) {
  const OpSignature asked{given.op, signature.operands, signature.results};
  Expected<CUDADevice *> device = cudaDevice(0);
  for (const Provider *provider : (*device)->providers({})) {
    if (provider->name() == "cuda") {
      if (!cuda::programsOf(asked).empty())
        return "cuda";
      continue;
    }
    auto prepared = provider->prepare(asked);
    if (prepared && *prepared)
      return std::string(provider->name());
  }
  return "";
}

/// The function @main of one op.
std::string printGraph(const Case &given, const Signature &signature) {
  std::vector<fuzz::Node> nodes;
  fuzz::Node node;
  std::string arguments;
  for (const TensorType &type : signature.operands) {
    fuzz::Node input;
    input.kind = fuzz::NodeKind::input;
    input.type = type;
    arguments += (nodes.empty() ? "%v" : ", %v") +
                 std::to_string(nodes.size()) + ": " + type.str();
    node.operands.push_back(static_cast<int>(nodes.size()));
    nodes.push_back(input);
  }
  node.op = given.op;
  node.type = signature.results.front();
  const std::string type = node.type.str(),
                    name = "%v" + std::to_string(nodes.size());
  return "func.func @main(" + arguments + ") -> " + type + " { " + name +
         " = " + fuzz::printGeneric(node, nodes) + "\n return " + name + " : " +
         type + " }";
}

/// Whether the phases up to code of the target put the op into a kernel.
class CompileProbe {
public:
  CompileProbe() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler(
        [](mlir::Diagnostic &) { return mlir::success(); });
  }

  bool canCompile(const std::string &graph, OpKind kind,
                  const std::string &pipeline) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(graph, &context);
    mlir::PassManager passes(&context);
    if (!module || failed(mlir::parsePassPipeline(pipeline, passes)) ||
        failed(passes.run(*module)))
      return false;
    const std::string op = "tandem." + std::string(name(kind));
    bool isLeft = false;
    module->walk([&](mlir::Operation *each) {
      isLeft |= each->getName().getStringRef() == op;
    });
    return !isLeft;
  }

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

constexpr const char *kPipelines[] = {
    "tandem-compile{until=llvm device=cpu function=main "
    "contractions=generated}",
    "tandem-compile{until=emitc device=cuda function=main "
    "contractions=generated device-spec=sm_90_h200}"};

/// How many of the cases of an op and a dtype each tier computes.
struct Cell {
  size_t cases = 0;
  size_t reference = 0, eager[2] = {}, compiled[2] = {};

  std::string str() const {
    if (cases == 0)
      return "";
    auto mark = [&](size_t count, const char *letter) {
      return count == 0 ? "·" : count < cases ? "◦" : letter;
    };
    return std::string(mark(reference, "R")) + mark(eager[0], "E") +
           mark(compiled[0], "C") + " " + mark(eager[1], "E") +
           mark(compiled[1], "C");
  }
};

/// The row of one op. `providers` are those of the first type that the op
/// accepts, for the CPU and the GPU.
struct Row {
  OpKind kind;
  std::vector<Cell> cells;
  std::vector<std::string> providers[2];
};

void addTo(std::vector<std::string> &names, const std::string &name) {
  if (!name.empty() &&
      std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

Row makeRow(OpKind kind, CompileProbe &probe) {
  Row row{kind, {}, {}};
  bool isFirst = true;
  for (DType dtype : kDTypes) {
    Cell &cell = row.cells.emplace_back();
    for (const Case &given : makeCases(kind, dtype)) {
      std::optional<Signature> signature = signatureOf(given);
      if (!signature)
        continue;
      ++cell.cases;
      const std::string names[] = {
          findProvider(hostDevice().providers({}), given, *signature),
          findGPUProvider(given, *signature)};
      cell.reference +=
          !findProvider({{&referenceProvider()}}, given, *signature).empty();
      const std::string graph = printGraph(given, *signature);
      for (int device : {0, 1}) {
        if (isFirst)
          addTo(row.providers[device], names[device]);
        cell.eager[device] += !names[device].empty();
        cell.compiled[device] +=
            probe.canCompile(graph, kind, kPipelines[device]);
      }
    }
    isFirst &= cell.cases == 0;
  }
  return row;
}

/// The names of the tests below `folder` that have the op.
std::vector<std::string> findTests(const std::string &folder, OpKind kind) {
  const std::regex op("tandem\\." + std::string(name(kind)) + "\\b");
  std::vector<std::string> tests;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (entry.path().extension() == ".mlir" &&
        entry.path().parent_path().filename() != "Inputs" &&
        std::regex_search(text.str(), op))
      tests.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::sort(tests.begin(), tests.end());
  return tests;
}

std::string join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &each : names)
    text += (text.empty() ? "" : ", ") + each;
  return text;
}

void printTypes(llvm::raw_ostream &os, const std::vector<Row> &rows) {
  os << "## Tiers\n| op |";
  for (DType dtype : kDTypes)
    os << " " << name(dtype) << " |";
  os << "\n|---|";
  for (size_t i = 0; i < std::size(kDTypes); ++i)
    os << "---|";
  for (const Row &row : rows) {
    os << "\n| `" << name(row.kind) << "` |";
    for (const Cell &cell : row.cells)
      os << " " << cell.str() << " |";
  }
  os << "\n\n";
}

void printProvidersAndTests(llvm::raw_ostream &os, const std::vector<Row> &rows,
                            const std::string &folder) {
  os << "## Libraries and tests\n"
        "The libraries are those of the first type that the op "
        "accepts.\n\n"
        "| op | CPU | GPU | execution tests |\n|---|---|---|---|\n";
  for (const Row &row : rows) {
    std::vector<std::string> links;
    for (const std::string &test : findTests(folder, row.kind))
      links.push_back("[" + std::filesystem::path(test).stem().string() +
                      "](../../test/Execution/" + test + ")");
    os << "| `" << name(row.kind) << "` | " << join(row.providers[0]) << " | "
       << join(row.providers[1]) << " | " << join(links) << " |\n";
  }
}

constexpr const char *kIntroduction =
    R"(<!-- Generated by print-support-matrix; do not edit. -->
# Support matrix
The page lists which tier computes which op on which element types. The program
`docs/support-matrix/print-support-matrix.cpp` generates the page: it makes up to three random cases of
each op and element type, and tries each case in each tier.

The element type is the type of the first operand. A cell is empty if the op does not accept the type. All
other cells have five marks. The first three are for the CPU, the last two for an NVIDIA GPU:

| mark | meaning | how it is tried |
|---|---|---|
| R | the reference tier computes all cases | the reference prepares the op |
| E | the eager tier computes all cases | a library of the device prepares the op; GPU libraries are the fakes of `test/FakeCUDA` |
| C | the compiled tier has a kernel for all cases | the phases up to `llvm` (for the device `generic`) or `emitc` (for `sm_90_h200`) leave no such op |
| ◦ | the tier computes some of the cases | |
| · | the tier computes none of the cases | |

If a compiled program has no kernel for an op, the library of the eager tier runs the op as a step of the
program. A `reshape` that no kernel contains needs neither, because its result is a view. `custom_call` is missing, because registered functions define its types.

)";

} // namespace

int main(int argc, char **argv) {
  if (argc != 3 || !cudaDevice(0)) {
    llvm::errs() << "usage: print-support-matrix TESTS OUTPUT, with the fake "
                    "CUDA device\n";
    return 1;
  }
  registerAllPasses();
  CompileProbe probe;
  std::vector<Row> rows;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (kind != OpKind::custom_call)
      rows.push_back(makeRow(kind, probe));
  std::error_code error;
  llvm::raw_fd_ostream os(argv[2], error);
  os << kIntroduction;
  printTypes(os, rows);
  printProvidersAndTests(os, rows, argv[1]);
  return error || os.has_error();
}
