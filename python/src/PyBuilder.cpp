//===- PyBuilder.cpp - Building graphs in Python --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PyBuilder.h"

#include "tandem/Support/OpTable.h"

#include <flatbuffers/idl.h>
#include <nanobind/stl/string.h>

using namespace tandem;
using namespace tandem::python;

namespace {
#include "OpSchema.inc"

/// A parser of JSON that has read Op.fbs. Guarded by the GIL.
flatbuffers::Parser &parser() {
  static flatbuffers::Parser &parser = [&]() -> flatbuffers::Parser & {
    flatbuffers::IDLOptions options;
    options.strict_json = true;
    auto made = std::make_unique<flatbuffers::Parser>(options);
    if (!made->Parse(std::string(kOpSchema[0].second).c_str()) ||
        !made->SetRootType("tandem.fb.Op"))
      raise({"the schema of ops cannot be read: " + made->error_, "build", "",
             ""});
    return *made.release();
  }();
  return parser;
}

std::optional<OpKind> findOp(const std::string &name) {
  for (OpKind kind : fb::EnumValuesOpKind())
    if (name == fb::EnumNameOpKind(kind))
      return kind;
  return std::nullopt;
}

OpKind getOp(const std::string &name) {
  std::optional<OpKind> kind = findOp(name);
  if (!kind)
    raise({"there is no op '" + name + "'", "build", "",
           "tandem.ops() lists all ops"});
  return *kind;
}

} // namespace

OpDesc python::parseOp(const std::string &name, const std::string &attributes) {
  const fb::OpAttrs type = getOpInfo(getOp(name)).attrs;
  std::string json = "{\"kind\": \"" + name + "\"";
  if (type != fb::OpAttrs::NONE)
    json += ", \"attrs_type\": \"" + std::string(fb::EnumNameOpAttrs(type)) +
            "\", \"attrs\": " + attributes;
  json += "}";
  if (!parser().ParseJson(json.c_str()))
    raise({name + ": the attributes " + attributes +
               " do not fit: " + parser().error_,
           "build", "",
           "help(tandem.Builder) tells where attributes are described"});
  OpDesc op;
  flatbuffers::GetRoot<fb::Op>(parser().builder_.GetBufferPointer())
      ->UnPackTo(&op);
  return op;
}

std::vector<std::string> python::opNames() {
  std::vector<std::string> names;
  for (OpKind kind : fb::EnumValuesOpKind())
    names.push_back(fb::EnumNameOpKind(kind));
  return names;
}

bool python::isElementwise(const std::string &name) {
  return getOpInfo(getOp(name)).isElementwise();
}

std::vector<std::string> python::attributesOf(const std::string &name) {
  const fb::OpAttrs type = getOpInfo(getOp(name)).attrs;
  std::vector<std::string> names;
  if (type == fb::OpAttrs::NONE)
    return names;
  const flatbuffers::StructDef *table = parser().LookupStruct(
      "tandem.fb." + std::string(fb::EnumNameOpAttrs(type)));
  for (const flatbuffers::FieldDef *field : table->fields.vec)
    names.push_back(field->name);
  return names;
}
