//===- HelperTest.cpp - Compiling in another process ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sanitizers.h"
#include "Remote/HelperPool.h"

#include "tandem/GraphBuilder.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/DiskCache.h"
#include "tandem/Runtime/Function.h"
#include "tandem/Tandem.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tandem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// In a child of fork, what threads of the parent hold looks lost.
static bool isChildOfFork = false;
extern "C" int __lsan_is_turned_off() { return isChildOfFork; }

namespace {

constexpr const char *kGraph = R"(
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %w = tandem.constant dense<0.5> : tensor<8x8xf32>
  %0 = tandem.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %1 = tandem.tanh %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
)";

std::vector<TensorType> typesFor(int64_t rows) {
  return {TensorType{DType::f32, {rows, 8}}};
}

/// Whether a process ends within some seconds.
bool endsSoon(pid_t process) {
  for (int i = 0; i < 5000; ++i) {
    std::string ignored, state;
    std::ifstream("/proc/" + std::to_string(process) + "/stat") >> ignored >>
        ignored >> state;
    if (state.empty() || state == "Z")
      return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

/// A helper with faults (FakeHelper.cpp), in a folder of its own.
struct HelperTest : testing::Test {
  HelperTest() {
    fs::create_directories(directory);
    setenv("FAKE_HELPER_FILE", file.c_str(), 1);
    options.compileHelper = TANDEM_COMPILE_HELPER_PATH;
    options.diskCache = false;
  }
  ~HelperTest() override { fs::remove_all(directory); }

  /// Has the helper replaced by one with a fault. Its path is the test's own,
  /// so that none is idle already.
  void useFake(const std::string &fault) {
    setenv("FAKE_HELPER", fault.c_str(), 1);
    options.compileHelper = directory + "/" + fault;
    fs::create_symlink(TANDEM_FAKE_HELPER_PATH, options.compileHelper);
  }
  size_t jobsOfFake() const {
    std::ifstream jobs(file + ".jobs");
    return std::count(std::istreambuf_iterator<char>(jobs), {}, '\n');
  }
  /// The number of the fake helper that hangs.
  pid_t waitForFake() const {
    pid_t pid = 0;
    while (!(std::ifstream(file) >> pid))
      std::this_thread::sleep_for(1ms);
    return pid;
  }

  std::unique_ptr<Compiler> makeCompiler() const {
    auto graph = Graph::parseString(kGraph);
    EXPECT_TRUE(graph) << graph.error().str();
    auto compiler = (**graph).createCompiler(options);
    EXPECT_TRUE(compiler) << compiler.error().str();
    return std::move(*compiler);
  }
  Expected<Compiled> compile(int64_t rows = 4) const {
    return makeCompiler()->compileInHelper(typesFor(rows), {});
  }
  /// Compiles, and expects that to be done in this process.
  std::string problemOf(int64_t rows = 4) const {
    auto compiled = compile(rows);
    EXPECT_TRUE(compiled) << compiled.error().str();
    if (!compiled)
      return {};
    EXPECT_EQ(compiled->compiledIn, CompileIn::thread);
    EXPECT_GT(compiled->kernels.size(), 0u);
    return compiled->helperProblem;
  }

  std::unique_ptr<Function> makeFunction() const {
    auto graph = Graph::parseString(kGraph);
    auto function = (**graph).createFunction(options);
    EXPECT_TRUE(function) << function.error().str();
    return std::move(*function);
  }

  const std::string directory =
      testing::TempDir() + "tandem-helper-" + std::to_string(getpid()) + "-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file = directory + "/file";
  CompileOptions options;
};

TEST_F(HelperTest, TheProgramIsWhatThisProcessWouldCompile) {
  auto compiler = makeCompiler();
  for (int64_t rows : {1, 4, 100}) {
    auto there = compiler->compileInHelper(typesFor(rows), {});
    auto here = compiler->compile(typesFor(rows));
    ASSERT_TRUE(there) << there.error().str();
    EXPECT_EQ(there->compiledIn, CompileIn::process);
    EXPECT_EQ(here->compiledIn, CompileIn::thread);
    EXPECT_THAT(there->helperProblem, IsEmpty());
    EXPECT_TRUE(*there->program == *here->program);
    EXPECT_EQ(there->kernels.size(), here->kernels.size());
    EXPECT_GT(there->helperNs, 0);
    EXPECT_FALSE(there->isStored);
    EXPECT_GT(there->kernelCounts.compiled + there->kernelCounts.cached, 0u);
    double sum = 0;
    for (const PhaseTime &phase : there->phases)
      sum += phase.ns;
    EXPECT_GT(sum, 0);
  }
}

/// Of a model, the helper maps the file and what is beside it.
TEST_F(HelperTest, TheWeightsOfModelsAreWhereTheirFilesHaveThem) {
  for (const char *name : {"dynamo", "external", "half"}) {
    auto graph =
        Graph::parseFile(std::string(TANDEM_MODELS) + "/" + name + ".onnx");
    if (!graph && graph.error().message.find("protobuf") != std::string::npos)
      GTEST_SKIP() << graph.error().message;
    ASSERT_TRUE(graph) << graph.error().str();
    const Program &eager = *(**graph).eagerProgram();
    std::vector<TensorType> types;
    for (uint32_t slot : eager.inputs) {
      types.push_back(fromFlat(*eager.slots[slot]->type));
      for (int i = 0; i < types.back().shape.rank(); ++i)
        if (types.back().shape[i] == kDynamic)
          types.back().shape[i] = 2;
    }
    auto compiler = (**graph).createCompiler(options);
    ASSERT_TRUE(compiler) << compiler.error().str();
    auto there = (**compiler).compileInHelper(types, {});
    auto here = (**compiler).compile(types);
    ASSERT_TRUE(there && here) << (there ? here : there).error().str();
    EXPECT_EQ(there->compiledIn, CompileIn::process) << there->helperProblem;
    EXPECT_TRUE(*there->program == *here->program) << name;
    ASSERT_EQ(there->program->constants.size(),
              here->program->constants.size());
    for (size_t i = 0; i < here->program->constants.size(); ++i) {
      const Tensor &a = there->program->constants[i].data;
      const Tensor &b = here->program->constants[i].data;
      ASSERT_EQ(a.bytes(), b.bytes());
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0) << name;
    }
  }
}

TEST_F(HelperTest, ItsErrorsAreThoseOfTheCompiler) {
  auto compiler = makeCompiler();
  const TensorType wrong{DType::f32, {4, 9}};
  auto there = compiler->compileInHelper({&wrong, 1}, {});
  auto here = compiler->compile({&wrong, 1});
  ASSERT_FALSE(there);
  ASSERT_FALSE(here);
  EXPECT_EQ(there.error().str(), here.error().str());
}

TEST_F(HelperTest, OnDiskAProgramIsKeptOnce) {
  options.diskCache = true;
  options.cacheDir = directory + "/cache";
  auto first = compile();
  ASSERT_TRUE(first) << first.error().str();
  EXPECT_EQ(first->compiledIn, CompileIn::process);
  const auto entries = listEntries(entryFolder(options.cacheDir));
  ASSERT_TRUE(entries);
  EXPECT_EQ(std::ranges::count_if(*entries,
                                  [](const CacheFile &entry) {
                                    return fs::path(entry.path)
                                        .filename()
                                        .string()
                                        .starts_with("program");
                                  }),
            1);
  auto second = compile();
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->isStored);
  EXPECT_EQ(second->compiledIn, CompileIn::thread);
  EXPECT_TRUE(*first->program == *second->program);
}

TEST_F(HelperTest, WhereThereIsNoneThisProcessCompilesAndSaysSoOnce) {
  options.compileHelper = directory + "/missing";
  EXPECT_THAT(problemOf(), HasSubstr("missing: No such file"));
  EXPECT_THAT(problemOf(), IsEmpty());
}

TEST_F(HelperTest, IsFoundInTheInstallationUnlessItIsNamed) {
  EXPECT_EQ(*findCompileHelper(""), TANDEM_COMPILE_HELPER_PATH);
  setenv("TANDEM_COMPILE_HELPER", "/some/where", 1);
  EXPECT_EQ(*findCompileHelper(""), "/some/where");
  EXPECT_EQ(*findCompileHelper("/else/where"), "/else/where");
  setenv("TANDEM_COMPILE_HELPER", "off", 1);
  EXPECT_FALSE(findCompileHelper(""));
  options.compileHelper.clear();
  EXPECT_THAT(problemOf(), HasSubstr("it is turned off"));
  unsetenv("TANDEM_COMPILE_HELPER");
}

TEST_F(HelperTest, OneOfAnotherVersionIsNotAsked) {
  useFake("version");
  EXPECT_THAT(problemOf(), HasSubstr("version is of another version"));
  EXPECT_THAT(problemOf(), IsEmpty());
  EXPECT_EQ(jobsOfFake(), 0u);
}

TEST_F(HelperTest, WhatIsNoHelperIsNotAsked) {
  for (const char *program : {"/bin/true", "/bin/false", "/bin/sh"}) {
    options.compileHelper = program;
    EXPECT_THAT(problemOf(), HasSubstr(program)) << program;
  }
}

TEST_F(HelperTest, AKilledOneLosesNothing) {
  useFake("hang");
  std::thread killer([&] { ::kill(waitForFake(), SIGKILL); });
  EXPECT_THAT(problemOf(), HasSubstr("was killed by signal 9"));
  killer.join();
  EXPECT_EQ(jobsOfFake(), 1u);
}

TEST_F(HelperTest, ASilentOneIsKilled) {
  useFake("hang");
  options.compileHelperSeconds = 0.2;
  EXPECT_THAT(problemOf(), HasSubstr("no answer in time"));
  EXPECT_NE(::kill(waitForFake(), 0), 0);
}

TEST_F(HelperTest, AfterACrashAnotherOneIsAsked) {
  useFake("crash-once");
  auto compiled = compile();
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(compiled->compiledIn, CompileIn::process);
  EXPECT_EQ(jobsOfFake(), 2u);
}

TEST_F(HelperTest, WhatCrashesTwiceIsNotCompiledHere) {
  useFake("crash");
  auto compiled = compile();
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.error().message,
              testing::AllOf(HasSubstr("crashed twice"), HasSubstr("signal 6"),
                             HasSubstr("LLVM ERROR: a test")));
  EXPECT_EQ(jobsOfFake(), 2u);
}

TEST_F(HelperTest, ASignatureThatCrashesTheCompilerIsRefused) {
  useFake("crash");
  auto function = makeFunction();
  const std::vector<TensorType> types[] = {typesFor(4)};
  ASSERT_TRUE(function->compileAhead(types));
  function->wait();
  const FunctionReport report = function->report();
  ASSERT_EQ(report.signatures.size(), 1u);
  EXPECT_EQ(report.signatures[0].state, SignatureState::refused);
  EXPECT_THAT(report.str(), HasSubstr("crashed twice"));
}

/// The start is predicted as it was measured, and only if no helper is idle: a
/// child of fork has none.
TEST_F(HelperTest, TheStartOfAHelperIsPredicted) {
  auto compiler = makeCompiler();
  ASSERT_EQ(compiler->compileInHelper(typesFor(4), {})->compiledIn,
            CompileIn::process);
  auto helper = HelperPool::process().take(options.compileHelper);
  ASSERT_TRUE(helper);
  const double startNs = (**helper).startNs;
  EXPECT_GT(startNs, 0);
  HelperPool::process().put(std::move(*helper));
  EXPECT_EQ(HelperPool::process().startNs(), 0);
  const double withHelper = compiler->predict(typesFor(5)).compileNs;
  const pid_t child = fork();
  if (child == 0) {
    const double lastNs = HelperPool::process().startNs();
    const double without = compiler->predict(typesFor(5)).compileNs;
    _exit(lastNs > 0 && without == withHelper + lastNs ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(HelperTest, OneThatEndedWhileItWasIdleIsReplaced) {
  useFake("none");
  EXPECT_EQ(compile(4)->compiledIn, CompileIn::process);
  auto helper = HelperPool::process().take(options.compileHelper);
  ASSERT_TRUE(helper);
  const pid_t pid = (**helper).process->pid();
  HelperPool::process().put(std::move(*helper));
  ::kill(pid, SIGKILL);
  siginfo_t ended;
  waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT);
  auto compiled = compile(5);
  EXPECT_EQ(compiled->compiledIn, CompileIn::process);
  EXPECT_THAT(compiled->helperProblem, IsEmpty());
}

TEST_F(HelperTest, DamagedAnswersAreNotUsed) {
  for (const char *fault : {"garbage", "no-answer", "no-entry", "open"}) {
    useFake(fault);
    EXPECT_THAT(problemOf(), testing::Not(IsEmpty())) << fault;
  }
  // At any place of the entry.
  for (const char *fault : {"flip", "cut"}) {
    useFake(fault);
    int64_t rows = 1;
    for (int place : {0, 9, 17, 25, 40, 100, 777, 5000, 99999}) {
      std::ofstream(file + ".place") << place;
      EXPECT_THAT(problemOf(++rows), HasSubstr("cannot be used"))
          << fault << " " << place;
    }
  }
}

TEST_F(HelperTest, AnAnswerToSomethingElseIsNotUsed) {
  useFake("first");
  EXPECT_EQ(compile(4)->compiledIn, CompileIn::process);
  EXPECT_THAT(problemOf(5), HasSubstr("for something else"));
}

/// A helper that sees another environment would compile something else.
TEST_F(HelperTest, OneThatWouldCompileItOtherwiseIsNotUsed) {
  useFake("none");
  auto compiler = makeCompiler(); // It knows the processor from then on.
  setenv("TANDEM_CPU", "-avx2", 1);
  auto compiled = compiler->compileInHelper(typesFor(4), {});
  unsetenv("TANDEM_CPU");
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(compiled->compiledIn, CompileIn::thread);
  EXPECT_THAT(compiled->helperProblem, HasSubstr("otherwise: processor"));
}

/// Functions of the program, which a helper does not have.
TEST_F(HelperTest, AGraphThatCallsFunctionsIsNotSent) {
  useFake("none");
  auto graph = Graph::parseString(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.custom_call "f"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tandem.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
})");
  ASSERT_TRUE(graph) << graph.error().str();
  auto compiler = (**graph).createCompiler(options);
  ASSERT_TRUE(compiler);
  const TensorType type{DType::f32, {4}};
  auto compiled = (**compiler).compileInHelper({&type, 1}, {});
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(compiled->compiledIn, CompileIn::thread);
  EXPECT_THAT(compiled->helperProblem, HasSubstr("calls functions"));
  EXPECT_EQ(jobsOfFake(), 0u);
}

TEST_F(HelperTest, TheEndOfAFunctionInterruptsIt) {
  useFake("hang");
  auto function = makeFunction();
  const std::vector<TensorType> types[] = {typesFor(4), typesFor(5)};
  ASSERT_TRUE(function->compileAhead(types));
  const pid_t pid = waitForFake();
  function.reset();
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(HelperTest, OneThatNeverStartsIsInterrupted) {
  useFake("mute");
  auto function = makeFunction();
  const std::vector<TensorType> types[] = {typesFor(4)};
  ASSERT_TRUE(function->compileAhead(types));
  const pid_t pid = waitForFake();
  function.reset();
  EXPECT_NE(::kill(pid, 0), 0);
  // That says nothing of the program.
  setenv("FAKE_HELPER", "", 1);
  auto compiled = compile();
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(compiled->compiledIn, CompileIn::process);
}

TEST_F(HelperTest, TheEndOfTheProcessInterruptsIt) {
  useFake("hang");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    static Function *function = makeFunction().release();
    const std::vector<TensorType> types[] = {typesFor(4)};
    isChildOfFork = true;
    if (!function->compileAhead(types))
      _exit(2);
    (void)waitForFake();
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(endsSoon(waitForFake()));
}

TEST_F(HelperTest, ItEndsWithAParentThatIsKilled) {
  useFake("hang");
  const pid_t child = fork();
  if (child == 0) {
    (void)compile();
    _exit(0);
  }
  const pid_t pid = waitForFake();
  ::kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(endsSoon(pid));
}

TEST_F(HelperTest, AChildOfForkStartsItsOwn) {
  EXPECT_EQ(compile()->compiledIn, CompileIn::process);
  auto function = makeFunction();
  std::vector<std::vector<TensorType>> signatures;
  for (int64_t rows = 10; rows < 16; ++rows)
    signatures.push_back(typesFor(rows));
  ASSERT_TRUE(function->compileAhead(signatures));
  const pid_t child = fork();
  if (child == 0)
    _exit(compile(5)->compiledIn == CompileIn::process ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  function->wait();
  for (const SignatureReport &signature : function->report().signatures)
    EXPECT_EQ(signature.compiledIn, CompileIn::process);
  EXPECT_EQ(compile(6)->compiledIn, CompileIn::process);
}

TEST_F(HelperTest, FunctionsShareIt) {
  auto first = makeFunction(), second = makeFunction();
  std::vector<std::vector<TensorType>> signatures;
  for (int64_t rows = 1; rows < 20; ++rows)
    signatures.push_back(typesFor(rows));
  ASSERT_TRUE(first->compileAhead(signatures));
  ASSERT_TRUE(second->compileAhead(signatures));
  first->wait();
  second->wait();
  auto helper = HelperPool::process().take(options.compileHelper);
  ASSERT_TRUE(helper);
  const size_t graphs = (**helper).graphs.size();
  EXPECT_GE(graphs, 2u);
  HelperPool::process().put(std::move(*helper));
  for (const auto &function : {first.get(), second.get()}) {
    const FunctionReport report = function->report();
    EXPECT_EQ(report.signatures.size(), signatures.size());
    for (const SignatureReport &signature : report.signatures) {
      EXPECT_EQ(signature.compiledIn, CompileIn::process);
      EXPECT_EQ(signature.state, SignatureState::compiled);
      EXPECT_GT(signature.compileNs, 0);
    }
    EXPECT_THAT(report.str(), HasSubstr("in a helper process"));
  }
  for (const auto &types : signatures) {
    Tensor input = *Tensor::allocate(types[0]);
    fillRandom(input, 1);
    auto here = first->call({&input, 1}, Tier::reference);
    auto there = second->call({&input, 1}); // Carries the certificate.
    ASSERT_TRUE(here && there);
  }
  second->wait();
  for (const SignatureReport &signature : second->report().signatures)
    EXPECT_NE(signature.state, SignatureState::refused);
  // A graph that is gone is forgotten.
  first.reset();
  auto again = HelperPool::process().take(options.compileHelper);
  EXPECT_EQ((**again).graphs.size(), graphs - 1);
  HelperPool::process().put(std::move(*again));
}

/// Weights that are packed for kernels are in memory once, for however many
/// signatures; on disk each program has all that it needs.
TEST_F(HelperTest, PackedWeightsComeOnce) {
  for (bool onDisk : {false, true}) {
    options.diskCache = onDisk;
    options.cacheDir = directory + "/cache";
    options.targetOptions = {{"contractions", "generated"}};
    GraphBuilder builder;
    Tensor weights = *Tensor::allocate({DType::f32, {256, 512}});
    fillRandom(weights, 1);
    auto x = builder.input({DType::f32, {kDynamic, 256}}, {"n", ""});
    auto w = builder.constant(std::move(weights));
    auto graph = builder.build(builder.relu(builder.matmul({x, w})));
    ASSERT_TRUE(graph) << graph.error().str();
    auto compiler = (**graph).createCompiler(options);
    auto packedOf = [&](const Compiled &compiled) {
      std::vector<const void *> packed;
      for (const Constant &constant : compiled.program->constants)
        if (constant.data.data() !=
            (**graph).eagerProgram()->constants.at(0).data.data())
          packed.push_back(constant.data.data());
      return packed;
    };
    const TensorType few{DType::f32, {64, 256}}, many{DType::f32, {96, 256}};
    auto first = (**compiler).compileInHelper({&few, 1}, {});
    auto second = (**compiler).compileInHelper({&many, 1}, {});
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->compiledIn, CompileIn::process);
    EXPECT_EQ(second->compiledIn, CompileIn::process);
    EXPECT_FALSE(packedOf(*first).empty());
    EXPECT_EQ(packedOf(*first), packedOf(*second));
    auto here = (**compiler).compile({&many, 1});
    EXPECT_EQ(here->isStored, onDisk);
    EXPECT_TRUE(*second->program == *here->program);
  }
}

TEST_F(HelperTest, OnAThreadNoHelperIsStarted) {
  useFake("none");
  auto graph = Graph::parseString(kGraph);
  TieringOptions tiering;
  tiering.compileIn = CompileIn::thread;
  auto function = (**graph).createFunction(options, tiering);
  const std::vector<TensorType> types[] = {typesFor(4)};
  ASSERT_TRUE((**function).compileAhead(types));
  (**function).wait();
  EXPECT_EQ((**function).report().signatures[0].compiledIn, CompileIn::thread);
  EXPECT_EQ(jobsOfFake(), 0u);
}

/// Bytes of memory of a process that no other one shares.
int64_t privateBytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:"))
      return std::atoll(line.c_str() + 8) * 1024;
  return 0;
}

/// 100 MB of weights that no kernel needs in another order are in memory once
/// more while a helper has them, and in none of both processes' own memory.
TEST_F(HelperTest, WeightsAreSharedWithIt) {
  constexpr int64_t kRows = 25000, kColumns = 1000;
  constexpr int64_t kBytes = kRows * kColumns * 4;
  GraphBuilder builder;
  Tensor weights = *Tensor::allocate({DType::f32, {kRows, kColumns}});
  fillRandom(weights, 1);
  auto x = builder.input({DType::f32, {kDynamic, kColumns}}, {"n", ""});
  auto w = builder.constant(std::move(weights));
  // One row of the weights is added to each of x.
  auto row = builder.slice(
      w, {.starts = {7, 0}, .limits = {8, kColumns}, .strides = {1, 1}});
  auto graph = builder.build(builder.add(x, row));
  ASSERT_TRUE(graph) << graph.error().str();
  auto compiler = (**graph).createCompiler(options);
  ASSERT_TRUE(compiler);
  const int64_t before = privateBytes(getpid());
  const TensorType input{DType::f32, {4, kColumns}};
  auto compiled = (**compiler).compileInHelper({&input, 1}, {});
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(compiled->compiledIn, CompileIn::process);
  EXPECT_LT(privateBytes(getpid()) - before, kBytes / 4);
  auto helper = HelperPool::process().take(options.compileHelper);
  if (!TANDEM_UNDER_ASAN) // Which has memory of its own.
    EXPECT_LT(privateBytes((**helper).process->pid()), kBytes * 3 / 2);
  HelperPool::process().put(std::move(*helper));
}

} // namespace
