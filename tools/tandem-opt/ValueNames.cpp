//===- ValueNames.cpp - Values by the names in a file ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNames.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tandem::tools {
namespace {

/// By name: the place of the op, or empty for an argument.
using Names = llvm::StringMap<std::string>;

llvm::StringRef textOf(SMRange range) {
  llvm::StringRef text(range.Start.getPointer(),
                       range.End.getPointer() - range.Start.getPointer());
  return text.ltrim('%');
}

bool isIn(Block *block, llvm::StringRef function) {
  auto parent = dyn_cast_or_null<FunctionOpInterface>(block->getParentOp());
  return parent && parent.getName() == function;
}

Names collect(const AsmParserState &state, llvm::StringRef function) {
  Names names;
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    if (isIn(block.block, function))
      for (const AsmParserState::SMDefinition &argument : block.arguments)
        names[textOf(argument.loc)] = "";
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs()) {
    auto place = op.op->getLoc()->findInstanceOf<FileLineColLoc>();
    if (!place || !op.op->getBlock() || !isIn(op.op->getBlock(), function))
      continue;
    for (const auto &group : op.resultGroups)
      names[textOf(group.definition.loc)] = std::to_string(place.getLine()) +
                                            ":" +
                                            std::to_string(place.getColumn());
  }
  return names;
}

/// Up to three names, the most similar first.
std::string nearest(llvm::StringRef name, const Names &names) {
  std::vector<std::pair<unsigned, std::string>> near;
  for (llvm::StringRef other : names.keys())
    near.push_back({name.edit_distance(other), "%" + other.str()});
  llvm::sort(near);
  if (near.size() > 3)
    near.resize(3);
  return llvm::join(llvm::make_second_range(near), ", ");
}

llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace

llvm::Expected<std::vector<std::string>>
findValues(const llvm::MemoryBuffer &file, llvm::ArrayRef<std::string> given,
           llvm::StringRef function, const DialectRegistry &registry) {
  if (given.size() != 2)
    return error("--why-not-fused takes two names, as in "
                 "--why-not-fused=%a,%b");
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(file.getMemBufferRef(), false),
      llvm::SMLoc());
  Block top;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &top, ParserConfig(&context), &state)))
    return std::vector<std::string>();
  Names names = collect(state, function);
  std::vector<std::string> places;
  for (llvm::StringRef name : given) {
    llvm::StringRef plain = name.trim().ltrim('%').split('#').first;
    auto found = names.find(plain);
    if (found == names.end())
      return error(
          "no value '%" + plain + "' in @" + function +
          (names.empty() ? "" : "; near are " + nearest(plain, names)));
    if (found->second.empty())
      return error("'%" + plain + "' is an argument of @" + function +
                   ": no op computes it");
    places.push_back(found->second);
  }
  return places;
}

} // namespace tandem::tools
