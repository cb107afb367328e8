//===- LayoutReport.cpp - The layouts assigned, for the report ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transforms/LayoutReport.h"

#include "tandem/Fusion/FusionReport.h"

using namespace mlir;

namespace tandem {

static StringRef nameOf(bool isLast) {
  return isLast ? "channels last" : "channels first";
}

void LayoutReport::addConv(ir::ConvOp conv, const ConvLayoutNote &note) {
  convs.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("location", LocationAttr(conv.getLoc())),
       builder.getNamedAttr("reads",
                            builder.getStringAttr(nameOf(note.isInputLast))),
       builder.getNamedAttr("writes",
                            builder.getStringAttr(nameOf(note.isOutputLast))),
       builder.getNamedAttr("ns", builder.getF64FloatAttr(note.ns)),
       builder.getNamedAttr("as_given_ns",
                            builder.getF64FloatAttr(note.givenNs)),
       builder.getNamedAttr("channels_last_ns",
                            builder.getF64FloatAttr(note.lastNs))}));
}

DictionaryAttr LayoutReport::describeConversion(Location location, Type type,
                                                bool isToLast, double ns) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("location", LocationAttr(location)),
       builder.getNamedAttr("type", builder.getStringAttr(text)),
       builder.getNamedAttr("to", builder.getStringAttr(nameOf(isToLast))),
       builder.getNamedAttr("ns", builder.getF64FloatAttr(ns))});
}

void LayoutReport::addInserted(Value value, bool isToLast, double ns) {
  inserted.push_back(
      describeConversion(value.getLoc(), value.getType(), isToLast, ns));
}

void LayoutReport::addCancelled(ir::TransposeOp transpose, bool isToLast,
                                double ns) {
  cancelled.push_back(describeConversion(
      transpose.getLoc(), transpose.getInput().getType(), isToLast, ns));
}

void LayoutReport::leaveAt(func::FuncOp function) {
  if (convs.empty() && inserted.empty() && cancelled.empty())
    return;
  function->setDiscardableAttr(
      kLayoutReport,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("convolutions", builder.getArrayAttr(convs)),
           builder.getNamedAttr("inserted", builder.getArrayAttr(inserted)),
           builder.getNamedAttr("cancelled",
                                builder.getArrayAttr(cancelled))}));
}

} // namespace tandem
