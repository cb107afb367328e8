//===- LibrariesTest.cpp - Finding libraries at run time ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Libraries/Library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <optional>
#include <ranges>
#include <vector>

using namespace tandem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

constexpr const char *kNames[] = {"libtandem-test.so.2", "libtandem-test.so.1"};

/// A folder of its own, and an environment that is put back.
class LibrariesTest : public testing::Test {
protected:
  LibrariesTest() {
    std::string path = testing::TempDir() + "tandem-libraries-XXXXXX";
    folder = mkdtemp(path.data());
    set("CUDAToolkit_ROOT", (folder / "toolkit").c_str());
    set("VIRTUAL_ENV", (folder / "venv").c_str());
    set("TANDEM_NVRTC", nullptr);
  }
  ~LibrariesTest() override {
    for (const auto &[name, value] : std::views::reverse(before))
      value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    std::filesystem::remove_all(folder);
  }

  void set(const char *name, const char *value) {
    const char *old = std::getenv(name);
    before.emplace_back(name,
                        old ? std::optional<std::string>(old) : std::nullopt);
    value ? setenv(name, value, 1) : unsetenv(name);
  }

  /// Puts a library there: the C library, under another name.
  std::string install(const std::string &path) {
    Dl_info info;
    dladdr(dlsym(RTLD_DEFAULT, "labs"), &info);
    std::filesystem::create_directories((folder / path).parent_path());
    std::filesystem::create_symlink(info.dli_fname, folder / path);
    return std::filesystem::canonical(info.dli_fname).string();
  }
  Expected<std::string> open(const char *symbol = "labs",
                             bool isOptional = false) {
    const LibrarySymbol symbols[] = {
        {"labs", reinterpret_cast<void **>(&labsFound)},
        {symbol, reinterpret_cast<void **>(&found), isOptional}};
    return openLibrary(spec, symbols);
  }

  std::filesystem::path folder;
  std::vector<std::pair<const char *, std::optional<std::string>>> before;
  LibrarySpec spec = {"test library", Variable::nvrtc, kNames, Toolkit::mayHold,
                      true,           "install it"};
  long (*labsFound)(long) = nullptr;
  void *found = nullptr;
};

TEST_F(LibrariesTest, OneThatIsMissingIsSaidWithNamesPlacesAndHint) {
  auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().phase, "load");
  EXPECT_EQ(opened.error().message,
            "no usable test library (libtandem-test.so.2, libtandem-test.so.1) "
            "in CUDAToolkit_ROOT=" +
                (folder / "toolkit").string() +
                ", the folders of the loader, packages of Python");
  EXPECT_EQ(opened.error().hint, "install it");
}

TEST_F(LibrariesTest, TheToolkitHasIt) {
  const std::string path = install("toolkit/lib64/libtandem-test.so.1");
  auto opened = open();
  ASSERT_TRUE(opened) << opened.error().str();
  EXPECT_EQ(*opened, path);
  EXPECT_EQ(labsFound(-12), 12);
}

TEST_F(LibrariesTest, APackageOfPythonHasIt) {
  const char *file = "venv/lib/python3.11/site-packages/nvidia/cu13/lib/"
                     "libtandem-test.so.2";
  install(file);
  ASSERT_TRUE(open());
  // But not one of a toolkit's that is named.
  spec.toolkit = Toolkit::holds;
  EXPECT_FALSE(open());
  set("CUDAToolkit_ROOT", nullptr);
  EXPECT_TRUE(open());
  spec.isInPythonPackages = false;
  EXPECT_FALSE(open());
}

TEST_F(LibrariesTest, TheVariableNamesTheOnlyFile) {
  install("toolkit/lib64/libtandem-test.so.1");
  set("TANDEM_NVRTC", (folder / "other.so").c_str());
  auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("TANDEM_NVRTC=" + (folder / "other.so").string()),
                    EndsWith("there is no such file")));
  install("other.so");
  EXPECT_TRUE(open());
}

TEST_F(LibrariesTest, OneThatLacksAFunctionIsPassedOver) {
  install("toolkit/lib64/libtandem-test.so.1");
  auto opened = open("tandemLacks");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message,
              HasSubstr("toolkit/lib64/libtandem-test.so.1 lacks tandemLacks"));
  // Unless it can be done without.
  EXPECT_TRUE(open("tandemLacks", /*isOptional=*/true));
  EXPECT_EQ(found, nullptr);
}

TEST_F(LibrariesTest, AFileThatIsNoLibraryIsNamed) {
  std::filesystem::create_directories(folder / "toolkit/lib");
  std::filesystem::copy_file("/proc/self/cmdline",
                             folder / "toolkit/lib/libtandem-test.so.2");
  auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message,
              HasSubstr("toolkit/lib/libtandem-test.so.2: "));
}

} // namespace
