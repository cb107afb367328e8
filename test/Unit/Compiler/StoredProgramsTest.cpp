//===- StoredProgramsTest.cpp - Programs found on disk --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/BackgroundQueue.h"
#include "tandem/Runtime/DiskCache.h"
#include "tandem/Runtime/Function.h"
#include "tandem/Support/Environment.h"
#include "tandem/Tandem.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <latch>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tandem;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

constexpr const char *kGraph = R"(
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %w = tandem.constant dense<0.5> : tensor<8x8xf32>
  %b = tandem.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = tandem.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %1 = tandem.add %0, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %2 = tandem.relu %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
)";

/// Keeps the background thread until it is over, or nobody waits for it.
class WaitingJob final : public tiering::BackgroundJob {
public:
  WaitingJob(std::latch &begun, std::latch &over)
      : BackgroundJob(this), begun(begun), over(over) {}
  void run() override {
    begun.count_down();
    over.wait();
  }
  void interrupt() override { over.count_down(); }
  void cancel() override {}

private:
  std::latch &begun, &over;
};

std::string replaced(std::string text, const std::string &what,
                     const std::string &with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

struct StoredProgramsTest : testing::Test {
  StoredProgramsTest() { fs::remove_all(directory); }
  ~StoredProgramsTest() override { fs::remove_all(directory); }

  CompileOptions options() const {
    CompileOptions options;
    options.diskCache = true;
    options.cacheDir = directory;
    return options;
  }
  std::vector<fs::path> files(const std::string &kind) const {
    std::vector<fs::path> found;
    if (fs::exists(entryFolder(directory)))
      for (const auto &entry : fs::directory_iterator(entryFolder(directory)))
        if (entry.path().filename().string().starts_with(kind))
          found.push_back(entry.path());
    return found;
  }

  static std::unique_ptr<Graph> parse(const std::string &text) {
    auto graph = Graph::parseString(text);
    EXPECT_TRUE(graph) << graph.error().str();
    return graph ? std::move(*graph) : nullptr;
  }
  static PreparedTier compile(const Graph &graph, const CompileOptions &options,
                              int64_t rows = 4) {
    const TensorType input{DType::f32, {rows, 8}};
    auto compiler = graph.createCompiler(options);
    EXPECT_TRUE(compiler) << compiler.error().str();
    auto prepared = compileTier(**compiler, {&input, 1});
    EXPECT_TRUE(prepared) << prepared.error().str();
    return std::move(*prepared);
  }
  PreparedTier compile(const std::string &text = kGraph) const {
    return compile(*parse(text), options());
  }

  static std::vector<float> run(const PreparedTier &tier, int64_t rows = 4) {
    Tensor input = *Tensor::allocate({DType::f32, {rows, 8}});
    for (int64_t i = 0; i < rows * 8; ++i)
      input.as<float>()[i] = 0.25f * static_cast<float>(i) - 3;
    std::vector<Tensor> outputs;
    const Status status = tier.executor->run({&input, 1}, outputs);
    EXPECT_TRUE(status) << status.error().str();
    const float *data = outputs[0].as<float>();
    return {data, data + rows * 8};
  }

  const std::string directory =
      testing::TempDir() + "tandem-stored-" + std::to_string(getpid()) + "-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

std::vector<std::string> phasesOf(const Compiled &compiled) {
  std::vector<std::string> names;
  for (const PhaseTime &phase : compiled.phases)
    names.push_back(phase.phase);
  return names;
}

TEST_F(StoredProgramsTest, TheSecondCompilerFindsTheProgram) {
  const PreparedTier first = compile(), second = compile();
  EXPECT_FALSE(first.isStored);
  EXPECT_THAT(phasesOf(first), testing::Contains("write cache"));
  EXPECT_TRUE(second.isStored);
  EXPECT_THAT(phasesOf(second), testing::ElementsAre("read cache", "load"));
  EXPECT_EQ(second.kernelCounts.compiled, 0u);
  EXPECT_EQ(second.kernelCounts.stored, first.program->kernels.size());
  EXPECT_TRUE(*first.program == *second.program);
  EXPECT_EQ(run(first), run(second));
  EXPECT_EQ(files("program").size(), 1u);
  EXPECT_EQ(files("kernel").size(), first.program->kernels.size());
}

TEST_F(StoredProgramsTest, LocationsAreThoseOfTheGraphAtHand) {
  compile();
  const auto moved = parse("// A line more.\n\n" + std::string(kGraph));
  const PreparedTier second = compile(*moved, options());
  EXPECT_TRUE(second.isStored);
  auto fresh = options();
  fresh.diskCache = false;
  const PreparedTier compiled = compile(*moved, fresh);
  ASSERT_EQ(second.program->steps.size(), compiled.program->steps.size());
  for (size_t i = 0; i < compiled.program->steps.size(); ++i)
    EXPECT_EQ(second.program->steps[i]->location,
              compiled.program->steps[i]->location);
  EXPECT_THAT(second.program->steps.back()->location, HasSubstr("<string>:"));
}

/// What one process finds out about a program, the next one knows; of others
/// nothing is said.
TEST_F(StoredProgramsTest, ProfilesOutliveTheirProcess) {
  const auto graph = parse(kGraph);
  const TensorType four{DType::f32, {4, 8}}, five{DType::f32, {5, 8}};
  const ProgramProfile found = {3, true};
  auto first = graph->createCompiler(options());
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->profile({&four, 1}), ProgramProfile());
  (*first)->keepProfile({&four, 1}, found);
  auto second = graph->createCompiler(options());
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->profile({&four, 1}), found);
  EXPECT_EQ((*second)->profile({&five, 1}), ProgramProfile());
  auto fresh = options();
  fresh.diskCache = false;
  auto third = graph->createCompiler(fresh);
  ASSERT_TRUE(third);
  EXPECT_EQ((*third)->profile({&four, 1}), ProgramProfile());
  // What is nothing new takes no place.
  (*second)->keepProfile({&four, 1}, {});
  EXPECT_THAT(files("profile"), testing::IsEmpty());
}

TEST_F(StoredProgramsTest, DamagedProfilesAreIgnored) {
  const auto graph = parse(kGraph);
  const TensorType type{DType::f32, {4, 8}};
  auto compiler = graph->createCompiler(options());
  ASSERT_TRUE(compiler);
  (*compiler)->keepProfile({&type, 1}, {3, true});
  ASSERT_EQ(files("profile").size(), 1u);
  std::fstream file(files("profile")[0], std::ios::in | std::ios::out);
  file.seekp(-1, std::ios::end);
  file.put('x');
  file.close();
  EXPECT_EQ((*compiler)->profile({&type, 1}), ProgramProfile());
  EXPECT_THAT(files("profile"), testing::IsEmpty());
}

/// `count` numbers from 1 to 2 as the text of a resource.
std::string makeResource(int count) {
  std::string text = "{-# dialect_resources: { builtin: { w: \"0x40000000";
  for (int i = 0; i < count; ++i) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "00%02X803F", i % 251);
    text += digits;
  }
  return text + "\" } } #-}\n";
}

TEST_F(StoredProgramsTest, ConstantsOfTheGraphAreSharedWithIt) {
  const auto graph = parse(R"(
func.func @main(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<16384xf32>) {
  %w = tandem.constant dense_resource<w> : tensor<16384xf32>
  %0 = tandem.relu %x : tensor<?x8xf32>
  return %0, %w : tensor<?x8xf32>, tensor<16384xf32>
}
)" + makeResource(16384));
  compile(*graph, options());
  const PreparedTier second = compile(*graph, options());
  ASSERT_TRUE(second.isStored);
  ASSERT_EQ(second.program->constants.size(), 1u);
  EXPECT_EQ(second.program->constants[0].data.data(),
            graph->eagerProgram()->constants[0].data.data());
  EXPECT_LT(fs::file_size(files("program").front()), 32u << 10);
}

TEST_F(StoredProgramsTest, PackedConstantsAreMapped) {
  const auto graph = parse(R"(
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x1024xf32> {
  %w = tandem.constant dense_resource<w> : tensor<8x1024xf32>
  %0 = tandem.matmul %x, %w : (tensor<?x8xf32>, tensor<8x1024xf32>) -> tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}
)" + makeResource(8 * 1024));
  CompileOptions generated = options();
  generated.targetOptions = {{"contractions", "generated"}};
  const PreparedTier first = compile(*graph, generated, 64);
  const PreparedTier second = compile(*graph, generated, 64);
  EXPECT_GT(first.relayoutedBytes, 0);
  ASSERT_TRUE(second.isStored);
  EXPECT_EQ(second.relayoutedBytes, 0);
  EXPECT_TRUE(*first.program == *second.program);
  // The constants lie where the file was mapped, and not among the blocks of
  // the allocator.
  size_t mapped = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2 ||
        line.find(files("program").front().string()) == std::string::npos)
      continue;
    for (const Constant &constant : second.program->constants) {
      const auto at = reinterpret_cast<uintptr_t>(constant.data.data());
      mapped += at >= begin && at < end;
      EXPECT_EQ(at % Allocator::kAlignment, 0u);
    }
  }
  EXPECT_GT(mapped, 0u);
}

/// 5 MiB of weights that are packed for the kernel.
struct LargeProgramsTest : StoredProgramsTest {
  LargeProgramsTest() {
    generated.targetOptions = {{"contractions", "generated"}};
    generated.diskCache = true;
    generated.cacheDir = directory;
  }
  static std::unique_ptr<Graph> parseLarge() {
    return parse(R"(
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x163840xf32> {
  %w = tandem.constant dense_resource<w> : tensor<8x163840xf32>
  %0 = tandem.matmul %x, %w : (tensor<?x8xf32>, tensor<8x163840xf32>) -> tensor<?x163840xf32>
  return %0 : tensor<?x163840xf32>
}
)" + makeResource(8 * 163840));
  }
  CompileOptions generated;
};

TEST_F(LargeProgramsTest, AreWrittenInTheBackground) {
  const auto graph = parseLarge();
  auto &queue = tiering::BackgroundQueue::process();
  std::latch begun(1), over(1);
  ASSERT_TRUE(queue.add(std::make_shared<WaitingJob>(begun, over)));
  begun.wait();
  const PreparedTier first = compile(*graph, generated, 64);
  EXPECT_EQ(files("program").size(), 0u);
  over.count_down();
  queue.wait(nullptr);
  EXPECT_EQ(files("program").size(), 1u);
  const PreparedTier second = compile(*graph, generated, 64);
  EXPECT_TRUE(second.isStored);
  EXPECT_TRUE(*first.program == *second.program);
}

TEST_F(LargeProgramsTest, AreWrittenAtOnceWhereNothingMayRunInTheBackground) {
  const auto graph = parseLarge();
  allowBackgroundWork(false);
  compile(*graph, generated, 64);
  allowBackgroundWork(true);
  EXPECT_EQ(files("program").size(), 1u);
}

TEST_F(LargeProgramsTest, AreWrittenBeforeTheProcessEnds) {
  // A new process, as oneTBB does not end well in one that was forked. It is
  // told of the folder.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("TEST_CACHE_DIR", directory.c_str(), /*overwrite=*/0);
  generated.cacheDir = std::getenv("TEST_CACHE_DIR");
  const auto graph = parseLarge();
  auto compileAndEnd = [&] {
    // Whatever the background does.
    static std::latch begun(1), over(1);
    if (!tiering::BackgroundQueue::process().add(
            std::make_shared<WaitingJob>(begun, over)))
      std::exit(1);
    begun.wait();
    compile(*graph, generated, 64);
    std::exit(0);
  };
  EXPECT_EXIT(compileAndEnd(), testing::ExitedWithCode(0), "");
  unsetenv("TEST_CACHE_DIR");
  ASSERT_EQ(files("program").size(), 1u);
  EXPECT_TRUE(compile(*graph, generated, 64).isStored);
}

TEST_F(StoredProgramsTest, WhatDiffersIsCompiledAnew) {
  compile();
  const auto graph = parse(kGraph);
  EXPECT_FALSE(compile(replaced(kGraph, "0.5", "0.25")).isStored);
  EXPECT_FALSE(compile(replaced(kGraph, "relu", "tanh")).isStored);
  EXPECT_FALSE(compile(*graph, options(), 5).isStored);
  for (auto change :
       {+[](CompileOptions &o) { o.fusionFuel = 0; },
        +[](CompileOptions &o) { o.targetOptions["contractions"] = "library"; },
        +[](CompileOptions &o) { o.targetOptions["winograd"] = "never"; },
        +[](CompileOptions &o) { o.precision = Precision::tf32; }}) {
    CompileOptions other = options();
    change(other);
    EXPECT_FALSE(compile(*graph, other).isStored);
    EXPECT_TRUE(compile(*graph, other).isStored);
  }
  const int threads = numThreads();
  setNumThreads(threads + 1);
  EXPECT_FALSE(compile().isStored);
  setNumThreads(threads);
  EXPECT_TRUE(compile().isStored);
}

TEST_F(StoredProgramsTest, SomeCompilationsAreNeverStored) {
  compile();
  const auto graph = parse(kGraph);
  for (auto change : {+[](CompileOptions &o) { o.diskCache = false; },
                      +[](CompileOptions &o) { o.kernelCache = false; },
                      +[](CompileOptions &o) { o.failKernels = "nothing"; },
                      +[](CompileOptions &o) { o.fusionReport = "/dev/null"; },
                      +[](CompileOptions &o) { o.keepsPhasesApart = true; },
                      +[](CompileOptions &o) {
                        o.targetOptions["contractions"] = "autotune";
                      }}) {
    CompileOptions other = options();
    change(other);
    EXPECT_FALSE(compile(*graph, other).isStored);
    EXPECT_FALSE(compile(*graph, other).isStored);
  }
}

TEST_F(StoredProgramsTest, BadEntriesAreCompiledAnew) {
  const std::vector<float> expected = run(compile());
  const fs::path file = files("program").front();
  const std::vector<uint8_t> good = *readFile(file);
  for (size_t i = 0; i < 24; ++i) {
    std::vector<uint8_t> bytes = good;
    if (i % 2)
      bytes.resize(good.size() * i / 24);
    else
      bytes[good.size() * i / 24] ^= 1;
    ASSERT_TRUE(writeFileAtomically(file, bytes));
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    const PreparedTier again = compile();
    EXPECT_FALSE(again.isStored);
    EXPECT_EQ(run(again), expected);
    EXPECT_TRUE(verifyEntry(file));
  }
  EXPECT_TRUE(compile().isStored);
}

/// An entry whose bytes are as they were written, but are no program.
TEST_F(StoredProgramsTest, EntriesThatAreNoProgramAreCompiledAnew) {
  const std::vector<float> expected = run(compile());
  const std::string name = files("program").front().filename();
  std::string all;
  auto listed = listEntries(entryFolder(directory), true);
  for (const CacheFile &file : *listed)
    if (fs::path(file.path).filename() == name)
      all = file.fields;
  CacheKey key("program");
  for (size_t at = all.find('\n') + 1; at < all.size();) {
    const size_t colon = all.find(": ", at), end = all.find('\n', at);
    key.add(all.substr(at, colon - at), all.substr(colon + 2, end - colon - 2));
    at = end + 1;
  }
  ASSERT_EQ(key.fileName(), name);
  const std::vector<uint8_t> junk(1000, 0x55);
  const std::vector<CacheSection> sections(3, junk);
  for (size_t number : {0, 1, 3}) {
    DiskCache::in(directory).put(key, std::span(sections).first(number));
    const PreparedTier again = compile();
    EXPECT_FALSE(again.isStored);
    EXPECT_EQ(run(again), expected);
    EXPECT_TRUE(compile().isStored);
  }
}

TEST_F(StoredProgramsTest, AFolderThatCannotBeUsedIsSaidOnce) {
  fs::create_directories(directory);
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  const PreparedTier first = compile(), second = compile();
  ASSERT_EQ(first.warnings.size(), 1u);
  EXPECT_THAT(
      first.warnings[0].str(),
      HasSubstr("warning: compiled programs are not kept on disk: other "
                "users can write to " +
                directory));
  EXPECT_FALSE(second.isStored);
  EXPECT_TRUE(second.warnings.empty());
  EXPECT_EQ(run(first), run(second));
}

/// Starts a process that does `work`, and returns whether that is true.
pid_t startChild(const std::function<bool()> &work) {
  const pid_t child = fork();
  if (child == 0)
    _exit(work() ? 0 : 1);
  return child;
}
bool hasSucceeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST_F(StoredProgramsTest, AFullDiskIsSaidOnce) {
  const auto graph = parse(kGraph);
  CompileOptions unstored = options();
  unstored.diskCache = false;
  const std::vector<float> expected = run(compile(*graph, unstored));
  EXPECT_TRUE(hasSucceeded(startChild([&] {
    const rlimit limit{512, 512}; // Bytes of a file: no entry is that small.
    setrlimit(RLIMIT_FSIZE, &limit);
    const PreparedTier first = compile(), second = compile();
    return run(first) == expected && run(second) == expected &&
           !second.isStored && first.warnings.size() == 1 &&
           second.warnings.empty();
  })));
  EXPECT_THAT(files(""), testing::IsEmpty());
}

TEST_F(StoredProgramsTest, AReadOnlyFolderIsRead) {
  const std::vector<float> expected = run(compile());
  const fs::path folder = entryFolder(directory);
  const bool isRoot = geteuid() == 0;
  // Root may write to all: another user does so.
  if (isRoot) {
    for (const auto &entry : fs::recursive_directory_iterator(directory))
      ASSERT_EQ(chown(entry.path().c_str(), 65534, 65534), 0);
    ASSERT_EQ(chown(directory.c_str(), 65534, 65534), 0);
  }
  const size_t before = files("").size();
  ASSERT_EQ(chmod(folder.c_str(), 0500), 0);
  EXPECT_TRUE(hasSucceeded(startChild([&] {
    if (isRoot && setuid(65534) != 0)
      return false;
    const PreparedTier known = compile(),
                       other = compile(*parse(kGraph), options(), 5);
    return known.isStored && run(known) == expected && !other.isStored &&
           run(other, 5).size() == 40 && other.warnings.size() == 1;
  })));
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  EXPECT_EQ(files("").size(), before);
}

/// Processes with whole compilers: 200 that want a program which is there, and
/// 8 that make others, one of which spoils what is there.
TEST_F(StoredProgramsTest, ManyProcessesMayCompile) {
  constexpr int kClients = 200, kCompilers = 8, kKnown = 4;
  const auto graph = parse(kGraph);
  std::vector<std::vector<float>> expected(1);
  for (int rows = 1; rows <= kKnown + kCompilers; ++rows) {
    CompileOptions whether = options();
    whether.diskCache = rows <= kKnown;
    expected.push_back(run(compile(*graph, whether, rows), rows));
  }
  auto isRight = [&](int rows) {
    return run(compile(*graph, options(), rows), rows) == expected[rows];
  };
  std::vector<pid_t> children;
  for (int c = 1; c <= kCompilers; ++c)
    children.push_back(startChild([&, c] {
      bool allRight = true;
      for (int i = 0; i < 4; ++i) {
        allRight &= isRight(kKnown + 1 + (c + i) % kCompilers);
        const fs::path file = files("program").front();
        auto bytes = readFile(file);
        if (c > 1 || !bytes)
          continue;
        (*bytes)[bytes->size() / 2] ^= 1;
        // Others may find it bad, and remove it, at once.
        allRight &= writeFileAtomically(file, *bytes).has_value();
      }
      return allRight;
    }));
  for (int c = 0; c < kClients; ++c)
    children.push_back(startChild([&, c] { return isRight(1 + c % kKnown); }));
  for (pid_t child : children)
    EXPECT_TRUE(hasSucceeded(child));
}

TEST_F(StoredProgramsTest, ErrorsAreThoseOfACompiler) {
  const auto graph = parse(kGraph);
  CompileOptions bad = options();
  bad.device = "abacus";
  EXPECT_FALSE(graph->createCompiler(bad));
  bad = options();
  bad.failKernels = "(";
  EXPECT_FALSE(graph->createCompiler(bad));
  const TensorType wrong{DType::f32, {4, 7}};
  auto compiler = graph->createCompiler(options());
  ASSERT_TRUE(compiler);
  EXPECT_EQ((*compiler)->compile({&wrong, 1}).error().phase, "input");
  EXPECT_TRUE(files("program").empty());
}

} // namespace
