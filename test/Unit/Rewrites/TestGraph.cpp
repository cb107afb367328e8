//===- TestGraph.cpp - A graph on all special values ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestGraph.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Tandem.h"

#include <cctype>

using namespace tandem;
using namespace tandem::test;

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::vector<Variant>
test::withEachConstant(DType dtype, const std::vector<Variant> &variants) {
  std::vector<Variant> result;
  for (Bits bits : specialValues(dtype))
    for (const Variant &variant : variants)
      result.push_back(
          {replaceAll(variant.body, "{C}", constantText(dtype, bits)),
           variant.result});
  return result;
}

static bool isInput(char letter) {
  return std::string_view("xyzp").find(letter) != std::string_view::npos;
}

/// Gives all values but the inputs names of their own.
static std::string rename(const std::string &body, size_t number) {
  std::string result;
  for (size_t i = 0; i < body.size(); ++i) {
    result += body[i];
    if (i > 0 && body[i - 1] == '%' && !isInput(body[i]))
      result += std::to_string(number);
  }
  return result;
}

/// Replaces each {=NUMBER}.
static std::string insertNumbers(std::string text, DType dtype) {
  for (size_t at = 0; (at = text.find("{=", at)) != text.npos;) {
    const size_t end = text.find('}', at);
    const double number = std::stod(text.substr(at + 2, end - at - 2));
    text.replace(at, end + 1 - at, constantText(dtype, bitsOf(dtype, number)));
  }
  return text;
}

static std::string insertTypes(std::string text, DType dtype, int64_t size) {
  const std::string element(name(dtype)), n = std::to_string(size);
  for (auto [from, to] : {std::pair<std::string, std::string>("{T}", element),
                          {"{N}", n},
                          {"{V}", "tensor<" + n + "x" + element + ">"},
                          {"{P}", "tensor<" + n + "xi1>"},
                          {"{S}", "tensor<" + element + ">"}})
    text = replaceAll(text, from, to);
  return text;
}

/// Element i of input number `input` is digit number `input` of i.
static std::vector<Tensor> makeInputs(const std::string &names, DType dtype,
                                      const std::vector<Bits> &given,
                                      int64_t &size) {
  std::vector<std::vector<Bits>> values;
  std::vector<DType> types;
  size = 1;
  for (char letter : names) {
    types.push_back(letter == 'p' ? DType::i1 : dtype);
    values.push_back(
        letter == 'p' || given.empty() ? specialValues(types.back()) : given);
    size *= static_cast<int64_t>(values.back().size());
  }
  std::vector<Tensor> inputs;
  int64_t stride = 1;
  for (size_t k = 0; k < names.size(); ++k) {
    const auto count = static_cast<int64_t>(values[k].size());
    inputs.push_back(*Tensor::allocate({types[k], {size}}));
    for (int64_t i = 0; i < size; ++i)
      setElement(inputs.back(), i, values[k][i / stride % count]);
    stride *= count;
  }
  return inputs;
}

TestGraph::TestGraph(DType dtype, const std::vector<Variant> &variants,
                     const std::vector<Bits> &values) {
  for (char letter : std::string("xyzp"))
    for (const Variant &variant : variants)
      if (const size_t at = variant.body.find(std::string("%") + letter);
          at != std::string::npos && names.find(letter) == std::string::npos)
        names += letter;
  int64_t size = 0;
  inputs = makeInputs(names, dtype, values, size);
  std::string arguments, types, bodies, results;
  for (char letter : names)
    arguments += (arguments.empty() ? "%" : ", %") + std::string(1, letter) +
                 (letter == 'p' ? ": {P}" : ": {V}");
  for (size_t i = 0; i < variants.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    bodies += rename(variants[i].body, i) + "\n";
    results += comma + "%r" + std::to_string(i);
    types += comma + variants[i].result;
  }
  text = insertTypes(insertNumbers("func.func @main(" + arguments + ") -> (" +
                                       types + ") {\n" + bodies + "return " +
                                       results + " : " + types + "\n}\n",
                                   dtype),
                     dtype, size);
}

static Expected<Outputs> execute(Executor &executor,
                                 const std::vector<Tensor> &inputs) {
  Stream &stream = executor.stream();
  TANDEM_ASSIGN_OR_RETURN(Outputs there, copyToDevice(inputs, stream));
  Outputs outputs;
  TANDEM_RETURN_IF_ERROR(executor.run(there, outputs));
  return copyToHost(outputs, stream);
}

static Expected<Outputs> runWith(ProviderList providers, SharedProgram program,
                                 const std::vector<Tensor> &inputs) {
  ExecutorOptions options;
  options.providers = providers;
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          Executor::create(std::move(program), options));
  return execute(*executor, inputs);
}

Expected<Outputs> test::runReference(SharedProgram program,
                                     const std::vector<Tensor> &inputs) {
  return runWith(referenceProviders(), std::move(program), inputs);
}

Expected<Outputs> test::runEager(SharedProgram program,
                                 const std::vector<Tensor> &inputs) {
  return runWith(eagerProviders(), std::move(program), inputs);
}

Expected<Outputs> test::runCompiled(const TestGraph &graph,
                                    const std::string &device) {
  TANDEM_ASSIGN_OR_RETURN(auto parsed, Graph::parseString(graph.text));
  CompileOptions compile;
  compile.device = device;
  compile.fallback = false;
  TANDEM_ASSIGN_OR_RETURN(auto compiler, parsed->createCompiler(compile));
  const std::vector<TensorType> types = typesOf(graph.inputs);
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compiler->compile(types));
  ExecutorOptions options;
  options.kernels = compiled.kernels;
  options.stream = &compiler->device().defaultStream();
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          Executor::create(compiled.program, options));
  return execute(*executor, graph.inputs);
}
