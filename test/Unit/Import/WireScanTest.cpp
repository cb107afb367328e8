//===- WireScanTest.cpp - ONNX files without their tensors' bytes ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/WireScan.h"

#include "onnx-ml.pb.h"

#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::onnx;

namespace {

/// A weight at the top, and one in an attribute of a node of a nested graph.
::onnx::ModelProto makeModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.mutable_graph()->add_initializer()->set_raw_data(
      std::string(1000, 'w'));
  auto *branch =
      model.mutable_graph()->add_node()->add_attribute()->mutable_g();
  branch->add_node()->add_attribute()->mutable_t()->set_raw_data("inner");
  model.add_training_info()->mutable_algorithm()->set_name("dropped");
  return model;
}

std::string contentOf(const std::string &file, const std::string &rawData) {
  std::optional<FileRange> place = readPlace(rawData);
  return place ? file.substr(place->offset, place->size) : "no place";
}

TEST(WireScan, ReplacesTensorsByTheirPlaces) {
  std::string file = makeModel().SerializeAsString();
  Expected<std::string> scanned = scanModel(file);
  ASSERT_TRUE(scanned);
  EXPECT_LT(scanned->size(), 200u);
  ::onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(*scanned));
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(contentOf(file, model.graph().initializer(0).raw_data()),
            std::string(1000, 'w'));
  const auto &branch = model.graph().node(0).attribute(0).g();
  EXPECT_EQ(contentOf(file, branch.node(0).attribute(0).t().raw_data()),
            "inner");
  EXPECT_EQ(model.training_info_size(), 0);
}

TEST(WireScan, SurvivesEveryTruncationAndFlippedByte) {
  std::string file = makeModel().SerializeAsString();
  for (size_t i = 0; i < file.size(); ++i) {
    (void)scanModel(llvm::StringRef(file).take_front(i));
    std::string damaged = file;
    damaged[i] = static_cast<char>(~damaged[i]);
    Expected<std::string> scanned = scanModel(damaged);
    if (!scanned)
      continue;
    // What is a place is in the file.
    ::onnx::ModelProto model;
    if (!model.ParseFromString(*scanned))
      continue;
    for (const auto &weight : model.graph().initializer())
      if (auto place = readPlace(weight.raw_data()))
        EXPECT_LE(place->offset + place->size, damaged.size());
  }
}

TEST(WireScan, RefusesFieldsThatRunPastTheEnd) {
  Expected<std::string> scanned = scanModel(llvm::StringRef("\x3a\x7f", 2));
  ASSERT_FALSE(scanned);
  EXPECT_NE(scanned.error().message.find("longer than what is left"),
            std::string::npos);
  EXPECT_FALSE(scanModel(llvm::StringRef("\x08\xff", 2)));
  EXPECT_FALSE(scanModel(llvm::StringRef("\x0b", 1))); // A group.
}

TEST(WireScan, RefusesDeepNesting) {
  ::onnx::GraphProto graph;
  for (int i = 0; i < 60; ++i) {
    ::onnx::GraphProto outer;
    *outer.add_node()->add_attribute()->mutable_g() = graph;
    graph = outer;
  }
  ::onnx::ModelProto model;
  *model.mutable_graph() = graph;
  Expected<std::string> scanned = scanModel(model.SerializeAsString());
  ASSERT_FALSE(scanned);
  EXPECT_NE(scanned.error().message.find("nested too deeply"),
            std::string::npos);
}

} // namespace
