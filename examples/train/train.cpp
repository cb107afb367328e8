//===- train.cpp - Trains SimpleCNN on Fashion-MNIST ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: train FOLDER [EPOCHS [DATA]]. Goes on from FOLDER/last.safetensors if
// the file exists, and keeps the checkpoint with the best test loss in
// FOLDER/best.safetensors. DATA is the folder with the four files of
// Fashion-MNIST.
//
//===----------------------------------------------------------------------===//

#include "FashionMNIST.h"
#include "SimpleCNN.h"

#include "tandem/Runtime/FunctionTable.h"
#include "tandem/Runtime/Safetensors.h"
#include "tandem/Training.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace tandem;

namespace {

constexpr const char *kDefaultData = "/usr/share/datasets/fashion-mnist";
constexpr int64_t kBatch = 32, kTestBatch = 500, kPatience = 3;
constexpr uint64_t kSeed = 0;
/// The rate of the first epoch, and its factor after each epoch.
constexpr double kRate = 1e-3, kDecay = 0.8;

struct Result {
  double loss = 0, accuracy = 0;
};

/// A training run.
class Trainer {
public:
  static Expected<Trainer> create(std::string folder, const std::string &data);
  Status run(int64_t epochs);

private:
  void initialize();
  Status resume(const std::string &path);
  Status save(const char *name) const;
  Expected<std::unique_ptr<Function>>
  makeStep(std::span<const TensorType> types) const;
  Expected<Result> trainEpoch(FunctionTable &steps);
  Expected<Result> evaluate() const;
  /// The parameter's place in the arena of its group.
  Tensor viewOf(const TrainingLayout::Parameter &parameter) const;

  std::string folder;
  Dataset train, test;
  std::unique_ptr<Graph> loss;
  TrainingOptions options;
  TrainingLayout layout;
  std::vector<Tensor> state;
  /// The function that computes the test loss.
  std::unique_ptr<Function> evaluation;
  int64_t epoch = 0, stale = 0;
  double best = std::numeric_limits<double>::infinity();
};

Tensor Trainer::viewOf(const TrainingLayout::Parameter &parameter) const {
  return Tensor::borrow(parameter.type,
                        state[parameter.group].as<float>() + parameter.offset);
}

/// Uniform random parameters with the bounds of PyTorch.
void Trainer::initialize() {
  std::mt19937_64 random(kSeed);
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    const float bound = 1 / std::sqrt(float(parameterInfos()[i].fanIn));
    std::uniform_real_distribution<float> uniform(-bound, bound);
    const Tensor parameter = viewOf(layout.parameters[i]);
    for (int64_t e = 0; e < parameter.shape().numElements(); ++e)
      parameter.as<float>()[e] = uniform(random);
  }
}

Expected<Trainer> Trainer::create(std::string folder, const std::string &data) {
  Trainer run;
  run.folder = std::move(folder);
  TANDEM_ASSIGN_OR_RETURN(run.train, readFashionMNIST(data, "train"));
  TANDEM_ASSIGN_OR_RETURN(run.test, readFashionMNIST(data, "t10k"));
  TANDEM_ASSIGN_OR_RETURN(run.loss, buildSimpleCNN(0.5, kSeed));
  run.options.stepsInput = kSteps;
  for (size_t i = 0; i < parameterInfos().size(); ++i)
    run.options.parameters.push_back(int64_t(kFirstParameter + i));
  TANDEM_ASSIGN_OR_RETURN(run.layout, layOutTraining(*run.loss, run.options));
  for (const TrainingLayout::State &each : run.layout.state) {
    TANDEM_ASSIGN_OR_RETURN(run.state.emplace_back(),
                            Tensor::allocate(each.type));
    std::memset(run.state.back().data(), 0, size_t(run.state.back().bytes()));
  }
  TANDEM_ASSIGN_OR_RETURN(auto graph, buildSimpleCNN(0, kSeed));
  TANDEM_ASSIGN_OR_RETURN(run.evaluation, graph->createFunction());
  run.initialize();
  const std::string last = run.folder + "/last.safetensors";
  if (std::filesystem::exists(last))
    TANDEM_RETURN_IF_ERROR(run.resume(last));
  return run;
}

Status Trainer::save(const char *name) const {
  Safetensors contents;
  contents.metadata = {{"epoch", std::to_string(epoch)},
                       {"stale", std::to_string(stale)},
                       {"best", std::to_string(best)}};
  for (size_t i = 0; i < state.size(); ++i)
    contents.tensors[layout.state[i].name] = state[i];
  return saveSafetensors(folder + "/" + name + ".safetensors", contents);
}

Status Trainer::resume(const std::string &path) {
  TANDEM_ASSIGN_OR_RETURN(Safetensors contents, loadSafetensors(path));
  for (size_t i = 0; i < state.size(); ++i) {
    const Tensor &tensor = contents.tensors[layout.state[i].name];
    if (!tensor || tensor.type() != state[i].type())
      return fail("read", path + ": the checkpoint is of another model");
    std::memcpy(state[i].data(), tensor.data(), size_t(tensor.bytes()));
  }
  epoch = std::atoll(contents.metadata["epoch"].c_str());
  stale = std::atoll(contents.metadata["stale"].c_str());
  best = std::atof(contents.metadata["best"].c_str());
  return {};
}

/// Makes the step for inputs of these types.
Expected<std::unique_ptr<Function>>
Trainer::makeStep(std::span<const TensorType> types) const {
  TANDEM_ASSIGN_OR_RETURN(TrainingStep step,
                          makeTrainingStep(*loss, types, options));
  return step.graph->createFunction();
}

/// The types of the inputs of the loss.
std::vector<TensorType> lossInputs(int64_t batch) {
  std::vector<TensorType> types = {{DType::f32, {batch, 3, 32, 32}},
                                   {DType::i64, {batch}},
                                   {DType::ui64, {}}};
  for (const ParameterInfo &info : parameterInfos())
    types.push_back({DType::f32, info.shape});
  return types;
}

/// Calls `visit` with the images, the labels and their number, for batches of
/// the dataset in this order.
template <typename Visit>
Status forEachBatch(const Dataset &data, std::span<const int64_t> order,
                    int64_t batch, Visit visit) {
  std::vector<float> images;
  std::vector<int64_t> labels;
  for (size_t start = 0; start < order.size(); start += size_t(batch)) {
    const auto part =
        order.subspan(start, std::min(size_t(batch), order.size() - start));
    const auto count = int64_t(part.size());
    prepare(data, part, images);
    labels.clear();
    for (int64_t number : part)
      labels.push_back(data.labels[size_t(number)]);
    TANDEM_RETURN_IF_ERROR(
        visit(Tensor::borrow({DType::f32, {count, 3, 32, 32}}, images.data()),
              Tensor::borrow({DType::i64, {count}}, labels.data()), count));
  }
  return {};
}

/// Adds the loss and the number of right predictions of a batch.
Status add(Result &result, const std::vector<Tensor> &outputs, int64_t count) {
  const float loss = *outputs[0].as<float>();
  if (!std::isfinite(loss))
    return fail("train", "the loss is not finite",
                "go on from the last checkpoint with a smaller rate");
  result.loss += loss * double(count);
  result.accuracy += double(*outputs[1].as<int64_t>());
  return {};
}

Expected<Result> Trainer::trainEpoch(FunctionTable &steps) {
  std::vector<int64_t> order(size_t(train.size()));
  std::iota(order.begin(), order.end(), 0);
  // A resumed run sees the same batches.
  std::mt19937_64 random(kSeed + uint64_t(epoch));
  std::shuffle(order.begin(), order.end(), random);
  double rate = kRate * std::pow(kDecay, double(epoch));
  Result result;
  TANDEM_RETURN_IF_ERROR(forEachBatch(
      train, order, kBatch,
      [&](Tensor images, Tensor labels, int64_t count) -> Status {
        // The last, smaller batch has a step of its own.
        TANDEM_ASSIGN_OR_RETURN(auto step, steps.find(lossInputs(count)));
        std::vector<Tensor> inputs = {images, labels};
        inputs.insert(inputs.end(), state.begin(), state.end());
        inputs.push_back(Tensor::borrow({DType::f64, {}}, &rate));
        TANDEM_ASSIGN_OR_RETURN(auto outputs, step->call(inputs));
        return add(result, outputs, count);
      }));
  return Result{result.loss / double(train.size()),
                result.accuracy / double(train.size())};
}

Expected<Result> Trainer::evaluate() const {
  std::vector<int64_t> order(size_t(test.size()));
  std::iota(order.begin(), order.end(), 0);
  uint64_t noSteps = 0;
  Result result;
  TANDEM_RETURN_IF_ERROR(forEachBatch(
      test, order, kTestBatch,
      [&](Tensor images, Tensor labels, int64_t count) -> Status {
        std::vector<Tensor> inputs = {
            images, labels, Tensor::borrow({DType::ui64, {}}, &noSteps)};
        for (const TrainingLayout::Parameter &parameter : layout.parameters)
          inputs.push_back(viewOf(parameter));
        TANDEM_ASSIGN_OR_RETURN(auto outputs, evaluation->call(inputs));
        return add(result, outputs, count);
      }));
  return Result{result.loss / double(test.size()),
                result.accuracy / double(test.size())};
}

Status Trainer::run(int64_t epochs) {
  using Clock = std::chrono::steady_clock;
  FunctionTable steps(std::bind_front(&Trainer::makeStep, this));
  while (epoch < epochs && stale < kPatience) {
    const Clock::time_point began = Clock::now();
    TANDEM_ASSIGN_OR_RETURN(const Result trained, trainEpoch(steps));
    const double seconds =
        std::chrono::duration<double>(Clock::now() - began).count();
    ++epoch;
    TANDEM_ASSIGN_OR_RETURN(const Result tested, evaluate());
    stale = tested.loss < best ? 0 : stale + 1;
    best = std::min(best, tested.loss);
    std::printf("epoch %lld: loss %.4f, accuracy %.2f%%; test loss %.4f, test "
                "accuracy %.2f%%; %.0f images/s\n",
                static_cast<long long>(epoch), trained.loss,
                100 * trained.accuracy, tested.loss, 100 * tested.accuracy,
                double(train.size()) / seconds);
    std::fflush(stdout);
    TANDEM_RETURN_IF_ERROR(save("last"));
    if (stale == 0)
      TANDEM_RETURN_IF_ERROR(save("best"));
  }
  for (const std::shared_ptr<Function> &step : steps.functions())
    std::printf("%s\n", step->report().str().c_str());
  return {};
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s FOLDER [EPOCHS [DATA]]\n", argv[0]);
    return 1;
  }
  std::error_code ignored; // Saving reports what is wrong with the folder.
  std::filesystem::create_directories(argv[1], ignored);
  Expected<Trainer> trainer =
      Trainer::create(argv[1], argc > 3 ? argv[3] : kDefaultData);
  Status status = trainer ? trainer->run(argc > 2 ? std::atoll(argv[2]) : 5)
                          : Status(tl::unexpected(trainer.error()));
  if (!status)
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
  return status ? 0 : 1;
}
