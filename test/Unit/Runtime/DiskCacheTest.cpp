//===- DiskCacheTest.cpp - What processes keep for one another ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/EntryFile.h"

#include "tandem/Runtime/DiskCache.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tandem;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes readBytes(const std::string &path) { return *readFile(path); }
void writeBytes(const std::string &path, const Bytes &bytes) {
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
}

CacheKey keyOf(int number) {
  CacheKey key("test");
  return key.add("number", std::to_string(number));
}

/// The only contents that an entry of that number may have.
Bytes contentsOf(int number) {
  Bytes bytes(1000 + number % 16 * 700);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(number * 31 + i * 7);
  return bytes;
}

void putNumber(DiskCache &cache, int number) {
  const Bytes bytes = contentsOf(number);
  const CacheSection sections[] = {bytes, CacheSection(bytes).first(3)};
  cache.put(keyOf(number), sections);
}

/// Whether it is there; false contents are a failure.
bool hasNumber(DiskCache &cache, int number, bool &isRight) {
  const std::optional<CacheEntry> entry = cache.find(keyOf(number));
  if (!entry)
    return false;
  isRight &= entry->sections.size() == 2 &&
             std::ranges::equal(entry->sections[0], contentsOf(number)) &&
             entry->sections[1].size() == 3;
  return true;
}

/// The exit status of a child that does `work`; a negative signal where one
/// ended it.
pid_t startChild(const std::function<bool()> &work) {
  const pid_t child = fork();
  if (child == 0)
    _exit(work() ? 0 : 1);
  return child;
}
int wait(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct DiskCacheTest : testing::Test {
  DiskCacheTest() { fs::remove_all(directory); }
  ~DiskCacheTest() override {
    unsetenv("TANDEM_CACHE_LIMIT");
    fs::remove_all(directory);
  }
  DiskCache &cache() { return DiskCache::in(directory); }
  bool has(int number) {
    bool isRight = true;
    const bool isThere = hasNumber(cache(), number, isRight);
    EXPECT_TRUE(isRight);
    return isThere;
  }
  std::string pathOf(int number) {
    return cache().folder() + "/" + keyOf(number).fileName();
  }
  std::vector<CacheFile> entries() {
    auto files = listEntries(cache().folder());
    EXPECT_TRUE(files);
    return files ? *files : std::vector<CacheFile>();
  }
  size_t countFiles() {
    return fs::exists(cache().folder())
               ? std::distance(fs::directory_iterator(cache().folder()), {})
               : 0;
  }

  /// Each test has an object of its own, as what cannot be used is said once.
  const std::string directory =
      testing::TempDir() + "tandem-disk-cache-" + std::to_string(getpid()) +
      "-" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST(CacheKey, TellsFieldsApart) {
  const CacheKey key = CacheKey("a").add("x", "1").add("y", "2");
  EXPECT_EQ(key.fields(), "kind: a\nx: 1\ny: 2\n");
  EXPECT_NE(key.fileName(), CacheKey("a").add("x", "1").fileName());
  // What looks like another field is none.
  const CacheKey lines = CacheKey("a").add("x", "1\ny: 2");
  EXPECT_THAT(lines.fields(), HasSubstr("x: xxh3 "));
  EXPECT_NE(key.fileName(), lines.fileName());
  EXPECT_LT(CacheKey("a").add("x", std::string(100000, 'x')).fields().size(),
            100u);
}

TEST_F(DiskCacheTest, FindsWhatWasPut) {
  EXPECT_FALSE(has(1));
  const Bytes first = contentsOf(1), empty, last(1, 7);
  const CacheSection sections[] = {first, empty, last};
  cache().put(keyOf(1), sections);
  std::optional<CacheEntry> entry = cache().find(keyOf(1));
  ASSERT_TRUE(entry);
  EXPECT_FALSE(cache().find(keyOf(2)));
  // They stay where the file is removed.
  cache().remove(keyOf(1));
  EXPECT_FALSE(cache().find(keyOf(1)));
  ASSERT_EQ(entry->sections.size(), 3u);
  EXPECT_TRUE(std::ranges::equal(entry->sections[0], first));
  EXPECT_TRUE(entry->sections[1].empty());
  EXPECT_TRUE(std::ranges::equal(entry->sections[2], last));
  for (CacheSection section : entry->sections)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(section.data()) %
                  Allocator::kAlignment,
              0u);
}

TEST_F(DiskCacheTest, NoFlippedByteIsRead) {
  putNumber(cache(), 1);
  const Bytes good = readBytes(pathOf(1));
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes bytes = good;
    bytes[i] ^= static_cast<uint8_t>(1 << i % 8);
    writeBytes(pathOf(1), bytes);
    ASSERT_FALSE(verifyEntry(pathOf(1))) << "byte " << i;
    ASSERT_FALSE(has(1)) << "byte " << i;
    ASSERT_FALSE(fs::exists(pathOf(1))) << "byte " << i;
  }
  writeBytes(pathOf(1), good);
  EXPECT_TRUE(has(1));
}

TEST_F(DiskCacheTest, NoTruncatedFileIsRead) {
  putNumber(cache(), 1);
  const Bytes good = readBytes(pathOf(1));
  for (size_t size = 0; size <= good.size() + 1; ++size) {
    if (size == good.size())
      continue;
    Bytes bytes = good;
    bytes.resize(size);
    writeBytes(pathOf(1), bytes);
    ASSERT_FALSE(has(1)) << size << " bytes";
    ASSERT_FALSE(fs::exists(pathOf(1))) << size << " bytes";
  }
}

/// An entry of another key, such as that of another processor or version, is
/// not read, whatever its name.
TEST_F(DiskCacheTest, NoEntryOfAnotherKeyIsRead) {
  putNumber(cache(), 2);
  fs::rename(pathOf(2), pathOf(1));
  EXPECT_THAT(verifyEntry(pathOf(1)).error().message, HasSubstr("its name"));
  EXPECT_FALSE(has(1));
  EXPECT_FALSE(fs::exists(pathOf(1)));
}

TEST_F(DiskCacheTest, OtherFilesAreNoEntries) {
  putNumber(cache(), 1);
  fs::remove(pathOf(1));
  ASSERT_EQ(mkfifo(pathOf(1).c_str(), 0600), 0);
  EXPECT_FALSE(has(1));
  putNumber(cache(), 2);
  fs::create_symlink(pathOf(2), pathOf(3));
  EXPECT_FALSE(has(3));
  EXPECT_TRUE(has(2));
  ASSERT_EQ(chmod(pathOf(2).c_str(), 0666), 0);
  EXPECT_FALSE(has(2));
  fs::create_directory(pathOf(4));
  EXPECT_FALSE(has(4));
  EXPECT_TRUE(listEntries(cache().folder()));
}

TEST_F(DiskCacheTest, FoldersThatOthersMayWriteToAreRefused) {
  putNumber(cache(), 1);
  for (const std::string &folder : {directory, cache().folder()}) {
    ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
    EXPECT_FALSE(has(1));
    putNumber(cache(), 2);
    EXPECT_EQ(listEntries(cache().folder()).error().message,
              "other users can write to " + folder);
    ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
    EXPECT_FALSE(has(2));
    EXPECT_TRUE(has(1));
  }
  EXPECT_EQ(cache().takeProblem(), "other users can write to " + directory +
                                       " (chmod go-w makes it usable)");
  EXPECT_EQ(cache().takeProblem(), std::nullopt);
}

TEST_F(DiskCacheTest, FoldersOfOthersAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give folders away";
  putNumber(cache(), 1);
  ASSERT_EQ(chown(cache().folder().c_str(), 65534, 65534), 0);
  EXPECT_FALSE(has(1));
  EXPECT_THAT(*cache().takeProblem(), HasSubstr("belongs to another user"));
}

TEST_F(DiskCacheTest, ReadOnlyFoldersAreRead) {
  putNumber(cache(), 1);
  const bool isRoot = geteuid() == 0;
  // Root may write to all: another user does so.
  if (isRoot)
    for (const std::string &path : {directory, cache().folder(), pathOf(1)})
      ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(cache().folder().c_str(), 0500), 0);
  EXPECT_EQ(wait(startChild([&] {
              if (isRoot && setuid(65534) != 0)
                return false;
              bool isRight = true;
              const bool isThere = hasNumber(cache(), 1, isRight);
              putNumber(cache(), 2);
              return isRight && isThere && !hasNumber(cache(), 2, isRight) &&
                     cache().takeProblem().has_value();
            })),
            0);
  ASSERT_EQ(chmod(cache().folder().c_str(), 0700), 0);
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(DiskCacheTest, NowhereIsNoPlace) {
  for (const char *nowhere : {"", "/dev/null/nowhere", "/proc/nowhere"}) {
    DiskCache &cache = DiskCache::in(nowhere);
    bool isRight = true;
    EXPECT_FALSE(hasNumber(cache, 1, isRight));
    putNumber(cache, 1);
    EXPECT_FALSE(hasNumber(cache, 1, isRight));
    EXPECT_TRUE(cache.takeProblem()) << nowhere;
  }
}

/// The process would be ended by a signal otherwise.
TEST_F(DiskCacheTest, AFileLimitLeavesNothing) {
  EXPECT_EQ(wait(startChild([&] {
              const rlimit limit{512, 512};
              setrlimit(RLIMIT_FSIZE, &limit);
              putNumber(cache(), 1);
              bool isRight = true;
              return !hasNumber(cache(), 1, isRight) &&
                     cache().takeProblem().has_value();
            })),
            0);
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(DiskCacheTest, AFullDiskLeavesNothing) {
  fs::create_directories(directory);
  fs::permissions(directory, fs::perms::owner_all);
  const pid_t child = startChild([&] {
    // In a name space of its own, which ends with the child.
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64k,mode=700") != 0)
      _exit(2);
    bool isRight = true;
    for (int i = 0; i < 100; ++i)
      putNumber(cache(), i);
    const bool isFull = cache().takeProblem().has_value();
    size_t kept = 0;
    for (int i = 0; i < 100; ++i)
      kept += hasNumber(cache(), i, isRight);
    return isRight && isFull && kept > 0 && kept == countFiles();
  });
  const int status = wait(child);
  if (status == 2)
    GTEST_SKIP() << "may not mount a small file system";
  EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, TheLeastRecentlyUsedGoesFirst) {
  setenv("TANDEM_CACHE_LIMIT", "100K", 1);
  // Entry i was used i seconds after 1970.
  for (int i = 0; i < 10; ++i) {
    putNumber(cache(), i);
    const timespec times[] = {{i, 0}, {i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, pathOf(i).c_str(), times, 0), 0);
  }
  EXPECT_TRUE(has(0)); // The most recently used one now.
  EXPECT_EQ(entries().front().path, pathOf(1));
  const auto held = [&] {
    uint64_t bytes = 0;
    for (const CacheFile &file : entries())
      bytes += file.bytes;
    return bytes;
  };
  ASSERT_TRUE(pruneEntries(cache().folder(), held() - 1));
  EXPECT_FALSE(fs::exists(pathOf(1)));
  EXPECT_TRUE(has(0));
  for (int i = 100; i < 200; ++i) {
    putNumber(cache(), i);
    EXPECT_LE(held(), 110u << 10);
  }
  EXPECT_TRUE(has(199));
  EXPECT_FALSE(has(2));
  // What is too large is not kept.
  const Bytes large(20 << 10);
  const CacheSection section(large);
  cache().put(keyOf(1000), {&section, 1});
  EXPECT_FALSE(fs::exists(pathOf(1000)));
}

TEST_F(DiskCacheTest, AbandonedFilesAreRemoved) {
  putNumber(cache(), 1);
  const std::string abandoned = pathOf(1) + ".tmp.0123456789abcdef",
                    recent = pathOf(1) + ".tmp.f123456789abcdef";
  for (const std::string &path : {abandoned, recent})
    writeBytes(path, contentsOf(1));
  const timespec times[] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, abandoned.c_str(), times, 0), 0);
  EXPECT_EQ(*pruneEntries(cache().folder(), 1 << 20), contentsOf(1).size());
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(recent));
  EXPECT_TRUE(has(1));
}

TEST_F(DiskCacheTest, KilledWritersLeaveNoBadEntry) {
  size_t written = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = startChild([&] {
      for (int i = round;; ++i)
        putNumber(cache(), i % 64);
      return true;
    });
    while (countFiles() <= static_cast<size_t>(round))
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(200 * round));
    kill(child, SIGKILL);
    EXPECT_EQ(wait(child), -SIGKILL);
    for (const CacheFile &file : entries()) {
      EXPECT_TRUE(verifyEntry(file.path));
      ++written;
    }
  }
  EXPECT_GT(written, 0u);
  for (int i = 0; i < 64; ++i)
    has(i);
}

/// 200 processes that look entries up, and 8 that write them, in a cache too
/// small for all.
TEST_F(DiskCacheTest, ManyProcessesMayUseIt) {
  constexpr int kClients = 200, kCompilers = 8, kKeys = 32;
  setenv("TANDEM_CACHE_LIMIT", "128K", 1);
  std::vector<pid_t> children;
  for (int c = 0; c < kCompilers; ++c)
    children.push_back(startChild([&, c] {
      bool isRight = true;
      for (int i = 0; i < 100; ++i) {
        const int number = (c * 5 + i * 7) % kKeys;
        if (!hasNumber(cache(), number, isRight))
          putNumber(cache(), number);
        if (i % 20 == 0)
          (void)pruneEntries(cache().folder(), 64 << 10);
      }
      return isRight && !cache().takeProblem();
    }));
  for (int c = 0; c < kClients; ++c)
    children.push_back(startChild([&, c] {
      bool isRight = true;
      for (int i = 0; i < 40; ++i)
        hasNumber(cache(), (c + i) % kKeys, isRight);
      return isRight && !cache().takeProblem();
    }));
  for (pid_t child : children)
    EXPECT_EQ(wait(child), 0);
  for (const CacheFile &file : entries())
    EXPECT_TRUE(verifyEntry(file.path));
}

TEST_F(DiskCacheTest, ThreadsMayPruneMeanwhile) {
  constexpr int kThreads = 4, kKeys = 8;
  std::atomic<bool> isRight{true};
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        bool right = true;
        if (!hasNumber(cache(), (t + i) % kKeys, right))
          putNumber(cache(), (t + i) % kKeys);
        if (!right)
          isRight = false;
      }
      --running;
    });
  while (running > 0)
    EXPECT_TRUE(pruneEntries(cache().folder(), 0));
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(isRight);
}

TEST(CacheLimit, IsANumberOfBytes) {
  EXPECT_EQ(parseBytes("100000"), 100000u);
  EXPECT_EQ(parseBytes("3K"), 3u << 10);
  EXPECT_EQ(parseBytes("500M"), 500u << 20);
  EXPECT_EQ(parseBytes("2G"), uint64_t(2) << 30);
  for (const char *bad : {"", "G", "-1", "2T", "2GG", "99999999999G", "1.5G",
                          "99999999999999999999999"})
    EXPECT_THAT(parseBytes(bad).error().message,
                HasSubstr("is no number of bytes"))
        << bad;
}

} // namespace
