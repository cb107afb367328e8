//===- PlansTest.cpp - cuDNN's plans with no GPU --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeOp.h"

#include "eager/cudnn/Planner.h"
#include "tandem/Measure/ConvShapes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

using namespace tandem;
using namespace tandem::cudnn;
using namespace tandem::test;
using measure::ConvShape;
using testing::HasSubstr;

namespace {

std::string read(const std::filesystem::path &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

/// What is asked of a convolution's arithmetic.
struct Arithmetic {
  const char *title;
  DType dtype;
  Precision precision;
};
constexpr Arithmetic kArithmetics[] = {
    {"strict", DType::f32, Precision::strict},
    {"tf32", DType::f32, Precision::tf32},
    {"bf16", DType::bf16, Precision::strict}};

/// A convolution on channels-last images with OHWI weights.
class Conv {
public:
  Conv(const ConvShape &shape, DType dtype) {
    const std::string spatial = std::string("DHW").substr(3 - shape.numSpatial);
    fb::ConvAttrsT attrs;
    attrs.input_layout = attrs.output_layout = "N" + spatial + "C";
    attrs.kernel_layout = "O" + spatial + "I";
    attrs.groups = shape.groups;
    const auto last = [&](const ConvShape::Spatial &values) {
      return std::vector<int64_t>(values.end() - shape.numSpatial,
                                  values.end());
    };
    attrs.strides = last(shape.strides);
    attrs.dilations = last(shape.dilations);
    attrs.pad_low = last(shape.padLow);
    attrs.pad_high = last(shape.padHigh);
    const auto image = [&](int64_t channels, const ConvShape::Spatial &sizes) {
      Shape dims{shape.batch};
      for (int64_t size : last(sizes))
        dims.push_back(size);
      dims.push_back(channels);
      return TensorType{dtype, dims};
    };
    TensorType kernel = image(shape.inputChannelsOfGroup(), shape.kernel);
    kernel.shape[0] = shape.outputChannels;
    operands = {image(shape.inputChannels, shape.input), kernel};
    result = image(shape.outputChannels, shape.output);
    op = makeOp(OpKind::conv, attrs);
  }

  void addBias() {
    operands.push_back({result.dtype, {result.shape[result.shape.rank() - 1]}});
  }
  void addResidual() {
    operands.push_back(result);
    hasResidual = true;
  }
  void addEpilogue() {
    addBias();
    addResidual();
    activation = Activation::relu;
  }
  ConvProblem problem() const {
    auto problem = ConvProblem::of(
        {{op, operands, {&result, 1}}, hasResidual, activation});
    EXPECT_TRUE(problem && problem->packLayouts());
    return *problem;
  }

  OpDesc op;
  std::vector<TensorType> operands;
  TensorType result;
  bool hasResidual = false;
  Activation activation = Activation::none;
};

class PlansTest : public testing::Test {
protected:
  void SetUp() override {
    if (!cuda::cudnn())
      GTEST_SKIP() << cuda::cudnn().error().str();
    if (cuda::cudnn()->getVersion() < 90800)
      GTEST_SKIP() << "cuDNN " << cuda::cudnn()->version << " is before 9.8";
  }
  static Planner &plannerFor(const std::string &gpu) {
    static std::map<std::string, std::unique_ptr<Planner>> planners;
    auto &planner = planners[gpu];
    if (!planner) {
      auto made = Planner::forProperties(
          *cuda::cudnn(),
          read(std::filesystem::path(TANDEM_CUDNN_SPECS) / (gpu + ".json")));
      EXPECT_TRUE(made) << made.error().str();
      planner = std::move(*made);
    }
    return *planner;
  }
  static PlanOptions optionsOf(const Arithmetic &arithmetic,
                               bool mayDropNaN = true) {
    PlanOptions options;
    options.precision = arithmetic.precision;
    options.mayDropNaN = mayDropNaN;
    return options;
  }
};

bool isNoted(const Plan &plan, int note) {
  return std::count(plan.numericalNotes.begin(), plan.numericalNotes.end(),
                    note) > 0;
}

//===----------------------------------------------------------------------===//
// ResNet-50
//===----------------------------------------------------------------------===//

/// The 24 convolutions of ResNet-50 with stride in the 3x3 ones, by shape and
/// epilogue: all have a bias, which batch norm has become.
std::vector<Conv> resNet50(DType dtype) {
  std::vector<Conv> convs;
  const auto add = [&](int64_t in, int64_t out, int64_t size, int64_t kernel,
                       int64_t stride, bool withResidual, bool withRelu) {
    ConvShape shape;
    shape.numSpatial = 2;
    shape.batch = 32;
    shape.inputChannels = in;
    shape.outputChannels = out;
    shape.input = {1, size, size};
    shape.output = {1, size / stride, size / stride};
    shape.kernel = {1, kernel, kernel};
    shape.strides = {1, stride, stride};
    shape.padLow = {0, kernel / 2, kernel / 2};
    // Of an even size, the last padding is no window's.
    shape.padHigh = {0, (kernel - 1) / 2, (kernel - 1) / 2};
    for (int i : {1, 2})
      if (stride == 2 && kernel > 1)
        shape.padHigh[size_t(i)] -= 1;
    Conv conv(shape, dtype);
    conv.addBias();
    if (withResidual)
      conv.addResidual();
    if (withRelu)
      conv.activation = Activation::relu;
    convs.push_back(conv);
  };
  add(3, 64, 224, 7, 2, false, true);
  int64_t in = 64, size = 56;
  for (int64_t width : {64, 128, 256, 512}) {
    const int64_t stride = width == 64 ? 1 : 2, out = 4 * width;
    add(in, width, size, 1, 1, false, true);
    add(width, width, size, 3, stride, false, true);
    add(in, out, size, 1, stride, false, false);
    size /= stride;
    add(width, out, size, 1, 1, true, true);
    add(out, width, size, 1, 1, false, true);
    if (stride == 2)
      add(width, width, size, 3, 1, false, true);
    in = out;
  }
  return convs;
}

TEST_F(PlansTest, ResNet50HasPlansWithoutCompiling) {
  for (const char *gpu : {"h200", "a100", "b200"})
    for (const Arithmetic &arithmetic : kArithmetics) {
      const std::vector<Conv> convs = resNet50(arithmetic.dtype);
      ASSERT_EQ(convs.size(), 24u);
      for (size_t i = 0; i < convs.size(); ++i) {
        SCOPED_TRACE(std::string(gpu) + " " + arithmetic.title + " " +
                     std::to_string(i));
        const auto plan =
            plannerFor(gpu).plan(convs[i].problem(), optionsOf(arithmetic));
        ASSERT_TRUE(plan) << plan.error().str();
        ASSERT_TRUE(*plan);
        EXPECT_FALSE((*plan)->isCompiled);
        const bool isStrict = arithmetic.title == std::string("strict");
        if (isStrict)
          EXPECT_FALSE(isNoted(**plan, NumericalNote::tensorCore));
        // The layers of many channels run on tensor cores.
        else if (i > 0)
          EXPECT_TRUE(isNoted(**plan, NumericalNote::tensorCore));
      }
    }
}

/// cuDNN notes of only one engine that NaN is kept, and that engine is slow.
TEST_F(PlansTest, AReluIsNotFusedUnlessItIsKnownToKeepNaN) {
  int fused = 0;
  for (const Conv &conv : resNet50(DType::bf16)) {
    const ConvProblem problem = conv.problem();
    Planner &planner = plannerFor("h200");
    const auto plan =
        planner.plan(problem, optionsOf(kArithmetics[2], /*mayDropNaN=*/false));
    ASSERT_TRUE(plan) << plan.error().str();
    if (conv.activation == Activation::none)
      EXPECT_TRUE(*plan);
    else if (*plan)
      fused += !isNoted(**plan, NumericalNote::strictNaN);
  }
  EXPECT_EQ(fused, 0);
  // Once an engine was seen to keep it, it is taken.
  const Conv conv = resNet50(DType::bf16)[1];
  auto made = Planner::forProperties(
      *cuda::cudnn(),
      read(std::filesystem::path(TANDEM_CUDNN_SPECS) / "h200.json"));
  ASSERT_TRUE(made);
  const auto dropping =
      (*made)->plan(conv.problem(), optionsOf(kArithmetics[2]));
  ASSERT_TRUE(dropping && *dropping);
  (*made)->noteThatNaNIsKept(DType::bf16, {(*dropping)->engine});
  const auto keeping =
      (*made)->plan(conv.problem(), optionsOf(kArithmetics[2], false));
  ASSERT_TRUE(keeping && *keeping);
  EXPECT_EQ((*keeping)->engine, (*dropping)->engine);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Convolutions of i8 with sums of i32 have engines that come with their
/// kernels and need no workspace. cuDNN 9.19 proposes numbers 28 and 0.
TEST_F(PlansTest, ConvolutionsOfBytesHavePlans) {
  for (const char *list : {"shapes_resnet_50", "shapes_mobilenet"}) {
    const auto shapes = measure::readConvShapes(
        std::filesystem::path(TANDEM_CONV_SHAPES) / list);
    ASSERT_TRUE(shapes) << shapes.error().str();
    for (const char *gpu : {"h200", "a100", "b200"})
      for (const ConvShape &shape : *shapes) {
        SCOPED_TRACE(std::string(gpu) + " " + shape.name);
        Conv conv(shape, DType::i8);
        conv.result.dtype = DType::i32;
        const ConvProblem problem = conv.problem();
        const auto plan = plannerFor(gpu).plan(problem, {});
        ASSERT_TRUE(plan) << plan.error().str();
        ASSERT_TRUE(*plan);
        EXPECT_FALSE((*plan)->isCompiled);
        // Each has a plan for its trial, too.
        const ConvProblem small = problem.onFewPositions();
        const auto ofTrial = plannerFor(gpu).plan(
            problem.groups() > 1 ? small : small.withFewChannels(2048), {});
        ASSERT_TRUE(ofTrial) << ofTrial.error().str();
        ASSERT_TRUE(*ofTrial);
        EXPECT_EQ((*ofTrial)->engine, (*plan)->engine);
      }
  }
}

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

/// An upsampling by 2. `shape` is that of the convolution whose input has the
/// result's shape.
ConvProblem transposed(DType dtype, int64_t in, int64_t out, int64_t size,
                       int64_t window) {
  ConvShape shape;
  shape.numSpatial = 2;
  shape.batch = 8;
  shape.inputChannels = out;
  shape.outputChannels = in;
  shape.input = {1, 2 * size, 2 * size};
  shape.output = {1, size, size};
  shape.kernel = {1, window, window};
  shape.strides = {1, 2, 2};
  const int64_t pad = (window - 1) / 2;
  shape.padLow = {0, pad, pad};
  shape.padHigh = {0, window - 2 - pad, window - 2 - pad};
  Conv conv(shape, dtype);
  conv.op.kind = OpKind::conv_backward_data;
  std::swap(conv.operands[0], conv.result);
  return conv.problem();
}

TEST_F(PlansTest, TransposedConvolutionsHavePlans) {
  for (const Arithmetic &arithmetic : kArithmetics)
    for (auto [in, out, size, window] :
         {std::array<int64_t, 4>{512, 256, 14, 2},
          {128, 64, 56, 2},
          {1024, 512, 4, 4},
          {64, 3, 32, 4},
          {256, 128, 32, 3}}) {
      SCOPED_TRACE(std::string(arithmetic.title) + " " + std::to_string(in) +
                   " to " + std::to_string(out));
      const auto plan = plannerFor("h200").plan(
          transposed(arithmetic.dtype, in, out, size, window),
          optionsOf(arithmetic));
      ASSERT_TRUE(plan) << plan.error().str();
      ASSERT_TRUE(*plan);
      EXPECT_FALSE((*plan)->isCompiled);
    }
}

/// The gradients of the weights of ResNet-50's convolutions.
TEST_F(PlansTest, GradientsOfWeightsHavePlans) {
  const auto shapes = measure::readConvShapes(
      std::filesystem::path(TANDEM_CONV_SHAPES) / "shapes_resnet_50");
  ASSERT_TRUE(shapes) << shapes.error().str();
  for (const ConvShape &shape : *shapes)
    for (const Arithmetic &arithmetic : kArithmetics) {
      SCOPED_TRACE(std::string(arithmetic.title) + " " + shape.name);
      Conv conv(shape, arithmetic.dtype);
      conv.op.kind = OpKind::conv_backward_weights;
      std::swap(conv.operands[1], conv.result);
      const ConvProblem problem = conv.problem();
      EXPECT_EQ(problem.positions().sizes[1], shape.outputChannels);
      const auto plan = plannerFor("h200").plan(problem, optionsOf(arithmetic));
      ASSERT_TRUE(plan) << plan.error().str();
      ASSERT_TRUE(*plan);
      EXPECT_FALSE((*plan)->isCompiled);
    }
}

//===----------------------------------------------------------------------===//
// Lists of shapes
//===----------------------------------------------------------------------===//

/// "LIST:LINE ARITHMETIC reason" of those that no engine plans, where the
/// arithmetic may be one with "+epilogue": the first two words.
std::vector<std::string> unplanned() {
  std::vector<std::string> entries;
  std::istringstream lines(read(TANDEM_CUDNN_UNPLANNED));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string shape, arithmetic, reason;
    if (line.empty() || line[0] == '#')
      continue;
    EXPECT_TRUE(words >> shape >> arithmetic >> reason) << line;
    entries.push_back(shape + " " + arithmetic);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

TEST_F(PlansTest, ShapesOfNetworksHavePlansWithoutCompiling) {
  std::vector<std::string> without;
  int planned = 0;
  for (const auto &file :
       std::filesystem::directory_iterator(TANDEM_CONV_SHAPES)) {
    const std::string list = file.path().filename();
    if (!list.starts_with("shapes_"))
      continue;
    const auto shapes = measure::readConvShapes(file.path());
    ASSERT_TRUE(shapes) << shapes.error().str();
    for (const ConvShape &shape : *shapes)
      for (const Arithmetic &arithmetic : kArithmetics)
        for (bool isFused : {false, true}) {
          Conv conv(shape, arithmetic.dtype);
          if (isFused)
            conv.addEpilogue();
          const auto plan =
              plannerFor("h200").plan(conv.problem(), optionsOf(arithmetic));
          const std::string entry = list + ":" + std::to_string(shape.line) +
                                    " " + arithmetic.title +
                                    (isFused ? "+epilogue" : "");
          ASSERT_TRUE(plan) << entry << ": " << plan.error().str();
          if (*plan)
            EXPECT_FALSE((*plan)->isCompiled) << entry;
          else
            without.push_back(entry);
          planned += bool(*plan);
        }
  }
  std::sort(without.begin(), without.end());
  EXPECT_EQ(without, unplanned());
  EXPECT_GT(planned, 1900);
}

//===----------------------------------------------------------------------===//
// Other sizes
//===----------------------------------------------------------------------===//

/// Other batches begin on the engine that is known, and end on that which the
/// heuristics propose for them.
TEST_F(PlansTest, OtherSizesBeginOnTheNearestOnesEngine) {
  int begun = 0, withKnobs = 0;
  for (const Arithmetic &arithmetic : kArithmetics) {
    auto planner = Planner::forProperties(
        *cuda::cudnn(),
        read(std::filesystem::path(TANDEM_CUDNN_SPECS) / "h200.json"));
    ASSERT_TRUE(planner) << planner.error().str();
    PlanOptions options = optionsOf(arithmetic);
    options.nearestFirst = true;
    for (Conv &conv : resNet50(arithmetic.dtype)) {
      auto known = (**planner).choose(conv.problem(), options);
      ASSERT_TRUE(known && *known);
      for (TensorType *type : {&conv.operands[0], &conv.result})
        type->shape[0] = 8;
      if (conv.hasResidual)
        conv.operands.back().shape[0] = 8;
      auto other = (**planner).choose(conv.problem(), options);
      ASSERT_TRUE(other && *other);
      const EngineChoice &first = (*other)->first->choice;
      withKnobs += !first.knobs.empty();
      begun += first.engine == (*known)->first->choice.engine &&
               first.knobs == (*known)->first->choice.knobs;
      (**planner).wait();
      const auto searched =
          plannerFor("h200").plan(conv.problem(), optionsOf(arithmetic));
      auto last = (**planner).choose(conv.problem(), options);
      ASSERT_TRUE(searched && *searched && last && *last);
      EXPECT_EQ((*last)->first->choice.engine, (*searched)->choice.engine);
      EXPECT_EQ((*last)->first->choice.knobs, (*searched)->choice.knobs);
    }
  }
  EXPECT_GT(begun, 50) << "of 72";
  EXPECT_GT(withKnobs, 50) << "of 72";
}

//===----------------------------------------------------------------------===//
// Other processes
//===----------------------------------------------------------------------===//

/// What is known of these need not be asked of the heuristics, and is planned
/// on the same engines; where NaN must be kept, that some have none is known.
TEST_F(PlansTest, PlansAreKeptForOtherProcesses) {
  const auto directory = std::filesystem::path(testing::TempDir()) /
                         ("tandem-plans-" + std::to_string(getpid()));
  // Nothing else here reads them.
  setenv("TANDEM_DISK_CACHE", "on", 1);
  setenv("TANDEM_CACHE_DIR", directory.c_str(), 1);
  static std::atomic<int> asked;
  cuda::CUDNN counted = *cuda::cudnn();
  counted.createDescriptor = [](int kind, void **descriptor) {
    asked += kind == Kind::heuristics;
    return cuda::cudnn()->createDescriptor(kind, descriptor);
  };
  const std::string properties =
      read(std::filesystem::path(TANDEM_CUDNN_SPECS) / "h200.json");
  int without = 0;
  for (bool mayDropNaN : {false, true}) {
    std::vector<std::shared_ptr<const Plan>> first;
    for (bool isFirst : {true, false}) {
      auto planner = Planner::forProperties(counted, properties);
      ASSERT_TRUE(planner) << planner.error().str();
      (**planner).keepOnDisk(properties);
      asked = 0;
      size_t i = 0;
      for (const Conv &conv : resNet50(DType::bf16)) {
        const auto plan = (**planner).plan(
            conv.problem(), optionsOf(kArithmetics[2], mayDropNaN));
        ASSERT_TRUE(plan) << plan.error().str();
        if (isFirst) {
          first.push_back(*plan);
          continue;
        }
        const auto &known = first[i++];
        ASSERT_EQ(*plan == nullptr, known == nullptr);
        without += !known;
        if (!known)
          continue;
        EXPECT_EQ((*plan)->choice.str(), known->choice.str());
        EXPECT_EQ((*plan)->workspaceBytes, known->workspaceBytes);
      }
      EXPECT_EQ(asked > 0, isFirst) << asked;
    }
  }
  EXPECT_GT(without, 0);
  setenv("TANDEM_DISK_CACHE", "off", 1);
  std::filesystem::remove_all(directory);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(PlansTest, PropertiesThatAreWrongAreRefused) {
  const auto planner = Planner::forProperties(*cuda::cudnn(), "{}");
  ASSERT_FALSE(planner);
  EXPECT_THAT(planner.error().message, HasSubstr("device properties: CUDNN_"));
}

/// It would be opened and closed for each plan.
TEST_F(PlansTest, NVRTCIsOpenAsLongAsCUDNN) {
  const std::string open = read("/proc/self/maps");
  if (!cuda::nvrtc())
    GTEST_SKIP() << cuda::nvrtc().error().str();
  const std::filesystem::path file =
      std::filesystem::canonical(cuda::nvrtc()->path);
  EXPECT_NE(open.find(file.string()), std::string::npos) << file;
}

TEST_F(PlansTest, EarlierVersionsAreRefused) {
  cuda::CUDNN earlier = *cuda::cudnn();
  earlier.version = "9.1";
  earlier.getVersion = [] { return size_t(90100); };
  const auto planner = Planner::forProperties(earlier, "{}");
  ASSERT_FALSE(planner);
  EXPECT_EQ(planner.error().str(),
            "error: execute: cuDNN 9.1 plans for no other device than that "
            "which is there (cuDNN 9.8 and later do)");
}

} // namespace
