//===- calls.c - Calls of functions by the C API --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

static const char kAdd[] =
    "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>)\n"
    "    -> (tensor<?xf32>, tensor<?xf32>) {\n"
    "  %0 = tandem.add %x, %y : tensor<?xf32>\n"
    "  %1 = tandem.relu %0 : tensor<?xf32>\n"
    "  return %1, %0 : tensor<?xf32>, tensor<?xf32>\n"
    "}\n";

TandemTensor *makeFloats(float *data, int32_t rank, const int64_t *shape) {
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .data = data,
                           .dtype = TANDEM_F32,
                           .rank = rank,
                           .shape = shape,
                           .strides = NULL,
                           .device = NULL,
                           .deleter = NULL,
                           .context = NULL};
  TandemTensor *tensor = NULL;
  CHECK_OK(tandemTensorCreate(&desc, &tensor));
  return tensor;
}

static TandemFunction *loadAddWith(const TandemLoadOptions *options) {
  TandemFunction *function = NULL;
  CHECK_OK(tandemFunctionLoadText(kAdd, sizeof kAdd - 1, options, &function));
  CHECK(function);
  return function;
}

TandemFunction *loadAdd(TandemMode mode) {
  TandemLoadOptions options = {.structSize = sizeof options, .mode = mode};
  return loadAddWith(&options);
}

/// Outputs may outlive the function, and be inputs.
static void testModes(void) {
  float x[] = {1, -2, 3}, y[] = {1, 1, 1};
  const int64_t shape[] = {3};
  for (TandemMode mode = TANDEM_MODE_DEFAULT; mode <= TANDEM_MODE_COMPILE_NOW;
       ++mode) {
    TandemFunction *function = loadAdd(mode);
    CHECK(tandemFunctionNumInputs(function) == 2);
    CHECK(tandemFunctionNumOutputs(function) == 2);
    TandemTensor *inputs[] = {makeFloats(x, 1, shape), makeFloats(y, 1, shape)};
    TandemTensor *outputs[2], *again[2];
    CHECK_OK(tandemFunctionCall(function, (const TandemTensor *const *)inputs,
                                2, outputs, 2));
    CHECK_OK(tandemFunctionCall(function, (const TandemTensor *const *)outputs,
                                2, again, 2));
    tandemFunctionRelease(function);
    TandemTensorDesc desc = {.structSize = sizeof desc};
    CHECK_OK(tandemTensorDescribe(outputs[0], &desc));
    CHECK(desc.structSize == sizeof desc && desc.dtype == TANDEM_F32);
    CHECK(desc.rank == 1 && desc.shape[0] == 3);
    CHECK(!desc.strides && !desc.device && !desc.deleter);
    const float relu[] = {2, 0, 4}, sum[] = {4, -1, 8};
    CHECK(memcmp(desc.data, relu, sizeof relu) == 0);
    CHECK_OK(tandemTensorDescribe(again[1], &desc));
    CHECK(memcmp(desc.data, sum, sizeof sum) == 0);
    for (int i = 0; i < 2; ++i) {
      tandemTensorRelease(inputs[i]);
      tandemTensorRelease(outputs[i]);
      tandemTensorRelease(again[i]);
    }
  }
}

static void testInputsAreDescribed(void) {
  TandemFunction *function = loadAdd(TANDEM_MODE_EAGER);
  TandemTensorDesc desc = {.structSize = sizeof desc};
  CHECK_OK(tandemFunctionDescribeInput(function, 1, &desc));
  CHECK(desc.dtype == TANDEM_F32 && desc.rank == 1);
  CHECK(desc.shape[0] == TANDEM_DYNAMIC && !desc.data);
  CHECK_ERROR(tandemFunctionDescribeInput(function, 2, &desc), "no input 2");
  tandemFunctionRelease(function);
}

static void testOutputsAreDescribed(void) {
  TandemFunction *function = loadAdd(TANDEM_MODE_EAGER);
  TandemTensorDesc desc = {.structSize = sizeof desc};
  CHECK_OK(tandemFunctionDescribeOutput(function, 1, &desc));
  CHECK(desc.dtype == TANDEM_F32 && desc.rank == 1);
  CHECK_ERROR(tandemFunctionDescribeOutput(function, 2, &desc), "no output 2");
  // The names of MLIR text are not kept.
  CHECK(strcmp(tandemFunctionInputName(function, 0), "") == 0);
  CHECK(strcmp(tandemFunctionOutputName(NULL, 0), "") == 0);
  CHECK(strcmp(tandemFunctionDimName(function, 9, 9), "") == 0);
  tandemFunctionRelease(function);
}

static void testOutputsOfTheCaller(void) {
  TandemFunction *function = loadAdd(TANDEM_MODE_AUTO);
  float x[] = {1, -2, 3}, y[] = {1, 1, 1}, relu[3], sum[3];
  const int64_t shape[] = {3};
  TandemTensor *inputs[] = {makeFloats(x, 1, shape), makeFloats(y, 1, shape)};
  TandemTensor *outputs[] = {makeFloats(relu, 1, shape),
                             makeFloats(sum, 1, shape)};
  const TandemTensor *const *in = (const TandemTensor *const *)inputs;
  const TandemTensor *const *out = (const TandemTensor *const *)outputs;
  CHECK_OK(tandemFunctionCallInto(function, in, 2, out, 2));
  CHECK(relu[1] == 0 && relu[2] == 4 && sum[1] == -1);
  CHECK_ERROR(tandemFunctionCallInto(function, in, 2, in, 2), "overlaps");
  CHECK_ERROR(tandemFunctionCallInto(function, in, 2, out, 1), "2 outputs");
  CHECK_ERROR(tandemFunctionCallInto(function, in, 2, NULL, 0), "numOutputs");
  for (int i = 0; i < 2; ++i) {
    tandemTensorRelease(inputs[i]);
    tandemTensorRelease(outputs[i]);
  }
  tandemFunctionRelease(function);
}

static void countReleases(void *data, void *context) {
  CHECK(data == kAdd);
  ++*(int *)context;
}

static void testGraphsOfBytes(void) {
  int releases = 0;
  TandemFunction *function = NULL;
  CHECK_OK(tandemFunctionLoadBytes(kAdd, sizeof kAdd - 1, countReleases,
                                   &releases, NULL, &function));
  CHECK(tandemFunctionNumInputs(function) == 2);
  tandemFunctionRelease(function);
  CHECK(releases == 1);
  CHECK_ERROR(tandemFunctionLoadBytes("no graph", 8, countReleases, &releases,
                                      NULL, &function),
              "parse");
  CHECK(releases == 1 && !function);
  const char *names[] = {"n"};
  const int64_t sizes[] = {4};
  TandemLoadOptions options = {.structSize = sizeof options,
                               .numDims = 1,
                               .dimNames = names,
                               .dimSizes = sizes};
  CHECK_ERROR(tandemFunctionLoadBytes(kAdd, sizeof kAdd - 1, NULL, NULL,
                                      &options, &function),
              "only models have dims");
  options.dimNames = NULL;
  CHECK_ERROR(tandemFunctionLoadBytes(kAdd, sizeof kAdd - 1, NULL, NULL,
                                      &options, &function),
              "options->dimNames is null");
}

static bool reportHas(const TandemFunction *function, TandemReportFormat format,
                      const char *part) {
  char *report = NULL;
  CHECK_OK(tandemFunctionReport(function, format, &report));
  bool has = strstr(report, part) != NULL;
  if (!has)
    fprintf(stderr, "no \"%s\" in:\n%s\n", part, report);
  tandemStringRelease(report);
  return has;
}

static void countLines(const char *event, void *context) {
  CHECK(strlen(event) > 0);
  ++*(int *)context;
}

static void testReports(void) {
  int numEvents = 0;
  TandemLoadOptions options = {.structSize = sizeof options,
                               .mode = TANDEM_MODE_COMPILE_NOW,
                               .isTraced = true,
                               .log = countLines,
                               .context = &numEvents};
  TandemFunction *function = loadAddWith(&options);
  float x[] = {1, -2, 3};
  const int64_t shape[] = {3};
  TandemTensor *input = makeFloats(x, 1, shape), *outputs[2];
  const TandemTensor *inputs[] = {input, input};
  CHECK_OK(tandemFunctionCall(function, inputs, 2, outputs, 2));
  CHECK(numEvents >= 2);
  CHECK(reportHas(function, TANDEM_REPORT_TEXT, "tensor<3xf32>"));
  CHECK(reportHas(function, TANDEM_REPORT_JSON, "\"signatures\""));
  CHECK(reportHas(function, TANDEM_REPORT_EVENTS, "\"compiled\""));
  CHECK(reportHas(function, TANDEM_REPORT_TRACE, "\"traceEvents\""));
  char *report = NULL;
  CHECK_ERROR(tandemFunctionReport(function, 4, &report), "format is 4");
  CHECK(!report);
  tandemStringRelease(NULL);
  tandemTensorRelease(outputs[0]);
  tandemTensorRelease(outputs[1]);
  tandemTensorRelease(input);
  tandemFunctionRelease(function);
}

static void testBackgroundWork(void) {
  const int64_t shape[] = {1000}, dynamic[] = {TANDEM_DYNAMIC};
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .dtype = TANDEM_F32,
                           .rank = 1,
                           .shape = shape};
  const TandemTensorDesc *inputs[] = {&desc, &desc};
  tandemSetCompileThreads(2);
  TandemFunction *function = loadAdd(TANDEM_MODE_AUTO);
  CHECK_OK(tandemFunctionCompileAhead(function, inputs, 2));
  CHECK_OK(tandemFunctionWait(function));
  CHECK(reportHas(function, TANDEM_REPORT_TEXT, "tensor<1000xf32>"));
  CHECK(reportHas(function, TANDEM_REPORT_EVENTS, "\"compiled\""));
  CHECK_ERROR(tandemFunctionCompileAhead(function, inputs, 1), "1 inputs");
  CHECK_ERROR(tandemFunctionCompileAhead(function, NULL, 2), "inputs is null");
  desc.shape = dynamic;
  CHECK_ERROR(tandemFunctionCompileAhead(function, inputs, 2), "unknown size");
  CHECK_OK(tandemFunctionCancel(function));
  CHECK_ERROR(tandemFunctionWait(NULL), "function is null");
  tandemFunctionRelease(function);
}

/// Whether a function of these options compiles there in the background.
static bool compilesIn(const TandemLoadOptions *options, const char *place) {
  const int64_t shape[] = {1001};
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .dtype = TANDEM_F32,
                           .rank = 1,
                           .shape = shape};
  const TandemTensorDesc *inputs[] = {&desc, &desc};
  TandemFunction *function = loadAddWith(options);
  CHECK_OK(tandemFunctionCompileAhead(function, inputs, 2));
  CHECK_OK(tandemFunctionWait(function));
  const bool result = reportHas(function, TANDEM_REPORT_JSON, place);
  tandemFunctionRelease(function);
  return result;
}

static void testPlacesToCompileIn(void) {
  const char *process = "\"compiled_in\":\"process\"";
  const char *thread = "\"compiled_in\":\"thread\"";
  TandemLoadOptions options = {.structSize = sizeof options,
                               .mode = TANDEM_MODE_AUTO};
  CHECK(compilesIn(&options, process));
  options.compileIn = TANDEM_COMPILE_IN_THREAD;
  CHECK(compilesIn(&options, thread));
  // A program that was compiled before there was the field.
  options.structSize = offsetof(TandemLoadOptions, compileIn);
  CHECK(compilesIn(&options, process));
  options.structSize = sizeof options;
  options.compileIn = TANDEM_COMPILE_IN_PROCESS;
  CHECK(compilesIn(&options, process));
}

/// Where it is not allowed, the default mode does without.
static void testForbiddenBackgroundWork(void) {
  TandemLoadOptions options = {.structSize = sizeof options,
                               .mode = TANDEM_MODE_AUTO};
  TandemFunction *function = NULL;
  tandemAllowBackgroundWork(false);
  CHECK_ERROR(
      tandemFunctionLoadText(kAdd, sizeof kAdd - 1, &options, &function),
      "not allowed");
  function = loadAdd(TANDEM_MODE_DEFAULT);
  CHECK(reportHas(function, TANDEM_REPORT_JSON, "\"mode\":\"compile\""));
  tandemFunctionRelease(function);
  tandemAllowBackgroundWork(true);
  function = loadAdd(TANDEM_MODE_DEFAULT);
  CHECK(reportHas(function, TANDEM_REPORT_JSON, "\"mode\":\"auto\""));
  tandemFunctionRelease(function);
}

static void testProcess(void) {
  CHECK(tandemAPIVersion() == TANDEM_C_API_VERSION);
  CHECK(strchr(tandemVersion(), '.'));
  CHECK(tandemNumDevices() >= 1);
  CHECK(strcmp(tandemDeviceName(0), "cpu") == 0);
  CHECK(!tandemDeviceName(tandemNumDevices()));
  CHECK(tandemNumThreads() >= 1);
  tandemSetNumThreads(0);
  CHECK(tandemNumThreads() == 1);
  tandemSetNumThreads(1 << 30);
  CHECK(tandemNumThreads() == 1024);
  tandemSetNumThreads(1);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  testForbiddenBackgroundWork();
  testProcess();
  testModes();
  testInputsAreDescribed();
  testOutputsAreDescribed();
  testOutputsOfTheCaller();
  testGraphsOfBytes();
  testReports();
  testBackgroundWork();
  testPlacesToCompileIn();
  testTensors();
  testErrors();
  testCustomCalls();
  testGradients();
  TandemFunction *function = NULL;
  CHECK_OK(tandemFunctionLoadFile(argv[1], NULL, &function));
  CHECK(tandemFunctionNumInputs(function) == 2);
  tandemFunctionRelease(function);
  puts("the C API holds");
  return 0;
}
