//===- CalibrateTest.cpp - A machine that is measured ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/BackgroundCalibration.h"

#include "tandem/Compiler/Calibrate.h"
#include "tandem/Tandem.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tandem;

namespace {

/// Runs as if nothing was known of this machine.
class Calibrate : public testing::Test {
protected:
  Calibrate() {
    if (const char *before = std::getenv("TANDEM_DEVICE"))
      device = before;
    directory = testing::TempDir() + "calibrate-" + std::to_string(getpid());
    unsetenv("TANDEM_DEVICE");
    setenv("TANDEM_CACHE_DIR", directory.c_str(), 1);
  }
  ~Calibrate() override {
    std::filesystem::remove_all(directory);
    unsetenv("TANDEM_CACHE_DIR");
    if (!device.empty())
      setenv("TANDEM_DEVICE", device.c_str(), 1);
  }

  std::string device, directory;
};

TEST_F(Calibrate, EachFigureIsMeasuredOrAsDetected) {
  CalibrateOptions options;
  options.wholeMachine = false;
  Expected<Calibration> calibration = calibrateHost(options);
  ASSERT_TRUE(calibration) << calibration.error().str();
  EXPECT_GE(calibration->figures.size(), 8u);
  for (const CalibratedFigure &figure : calibration->figures) {
    EXPECT_GT(figure.value, 0) << figure.key;
    if (!figure.isMeasured)
      EXPECT_EQ(figure.value, figure.detected) << figure.key;
  }
  EXPECT_EQ(calibration->model.vectorBits, detectedDeviceModel().vectorBits);
  EXPECT_EQ(calibration->model.aloneFactor, 1);
}

TEST_F(Calibrate, CanBeCancelled) {
  CalibrateOptions options;
  options.wholeMachine = false;
  int asked = 0;
  options.isCancelled = [&] { return ++asked == 3; };
  Expected<Calibration> calibration = calibrateHost(options);
  ASSERT_FALSE(calibration);
  EXPECT_EQ(calibration.error().message, "it was cancelled");
}

TEST_F(Calibrate, RunsBesideCompilersAndStopsForFork) {
  auto shared = BackgroundCalibration::share();
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared, BackgroundCalibration::share());
  pid_t child = fork();
  if (child == 0)
    _exit(measuredModel() ? 1 : 0);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  shared.reset();

  shared = BackgroundCalibration::share();
  for (int tenths = 0; tenths < 1200 && !measuredModel(); ++tenths)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(measuredModel());
  EXPECT_FALSE(BackgroundCalibration::share());
  shared.reset(); // Waits for the file.
  std::string file = measuredModelFile();
  EXPECT_EQ(std::filesystem::path(file).parent_path(), directory);
  Expected<DeviceModel> stored = findDeviceModel(file);
  ASSERT_TRUE(stored) << stored.error().str();
  EXPECT_EQ(writeDeviceModel(*stored), writeDeviceModel(*hostDeviceModel()));
}

TEST_F(Calibrate, DoesNotRunWhereTheMachineIsNamed) {
  setenv("TANDEM_DEVICE", "generic", 1);
  EXPECT_FALSE(BackgroundCalibration::share());
  EXPECT_EQ(hostDeviceModel()->launchNs, genericDeviceModel().launchNs);
  setenv("TANDEM_DEVICE", "pdp11", 1);
  EXPECT_EQ(hostDeviceModel().error().message,
            "TANDEM_DEVICE: no device 'pdp11' is described");
}

} // namespace
