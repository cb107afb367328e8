//===- GraphTransfer.cpp - A graph for another process --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/GraphTransfer.h"

#include "Session/Diagnostics.h"

#include "process/MemoryFile.h"
#include "tandem/Runtime/Memory/AlignedBytes.h"
#include "tandem/Runtime/Tensor.h"

#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <map>

namespace tandem {
namespace {

/// Writes pieces to a MemoryFile, each aligned as constants are.
class Packer {
public:
  explicit Packer(MemoryFile file) : file(std::move(file)) {}

  Expected<std::unique_ptr<fb::SharedPieceT>> add(llvm::ArrayRef<char> bytes) {
    static constexpr char zeros[Allocator::kAlignment] = {};
    const size_t padding = static_cast<size_t>(alignedBytes(end)) - end;
    TANDEM_RETURN_IF_ERROR(file.write(zeros, padding));
    TANDEM_RETURN_IF_ERROR(file.write(bytes.data(), bytes.size()));
    auto piece = std::make_unique<fb::SharedPieceT>();
    piece->offset = end + padding;
    piece->bytes = bytes.size();
    end = piece->offset + piece->bytes;
    return piece;
  }
  Expected<Descriptor> seal() && { return std::move(file).seal(); }

private:
  MemoryFile file;
  size_t end = 0;
};

/// The place of bytes in a file; null where they are in none.
std::unique_ptr<fb::SharedPieceT> findInFile(llvm::ArrayRef<MappedFile> files,
                                             llvm::ArrayRef<char> bytes) {
  const std::less_equal<const char *> isNotAfter;
  for (const auto &[path, all] : files) {
    if (!isNotAfter(all.begin(), bytes.begin()) ||
        !isNotAfter(bytes.end(), all.end()))
      continue;
    auto piece = std::make_unique<fb::SharedPieceT>();
    piece->path = path;
    piece->offset = static_cast<uint64_t>(bytes.begin() - all.begin());
    piece->bytes = bytes.size();
    return piece;
  }
  return nullptr;
}

/// Maps the memory of a message, and each file once.
class Unpacker {
public:
  Status begin(int memory) {
    TANDEM_ASSIGN_OR_RETURN(MappedBytes mapped, mapSealed(memory));
    files[""] = {bytesOf(mapped.bytes.data(), mapped.bytes.size()),
                 std::move(mapped.owner)};
    return {};
  }

  Expected<ir::ResourceMemory> find(const fb::SharedPieceT *piece) {
    if (!piece)
      return fail("read", "a message lacks a part");
    ir::ResourceMemory &file = files[piece->path];
    if (!file.owner)
      TANDEM_RETURN_IF_ERROR(open(piece->path, file));
    if (piece->offset > file.bytes.size() ||
        piece->bytes > file.bytes.size() - piece->offset)
      return fail("read", piece->path + " is shorter than it was");
    return ir::ResourceMemory{file.bytes.slice(piece->offset, piece->bytes),
                              file.owner};
  }

private:
  static llvm::ArrayRef<char> bytesOf(const uint8_t *data, size_t bytes) {
    return {reinterpret_cast<const char *>(data), bytes};
  }
  static Status open(const std::string &path, ir::ResourceMemory &file) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer)
      return fail("read",
                  "cannot read " + path + ": " + buffer.getError().message());
    file.bytes = {(**buffer).getBufferStart(), (**buffer).getBufferSize()};
    file.owner = std::shared_ptr<const void>(std::move(*buffer));
    return {};
  }

  std::map<std::string, ir::ResourceMemory> files;
};

} // namespace

Expected<GraphTransfer> shareGraph(const SerializedGraph &source,
                                   const CompilerConfig &config) {
  GraphTransfer shared;
  fb::HelperGraphT &graph = shared.graph;
  TANDEM_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::create("tandem-graph"));
  Packer packer(std::move(file));
  const llvm::StringRef bytecode = bytecodeOf(source);
  TANDEM_ASSIGN_OR_RETURN(graph.bytecode,
                          packer.add({bytecode.data(), bytecode.size()}));
  for (const SerializedGraph::Resource &resource : source.resources) {
    auto entry = std::make_unique<fb::SharedResourceT>();
    entry->key = resource.key;
    entry->piece = findInFile(source.files, resource.memory.bytes);
    if (!entry->piece) {
      TANDEM_ASSIGN_OR_RETURN(entry->piece, packer.add(resource.memory.bytes));
    }
    graph.resources.push_back(std::move(entry));
  }
  TANDEM_ASSIGN_OR_RETURN(shared.memory, std::move(packer).seal());
  graph.function = source.function;
  graph.structure = source.structure;
  const CompileOptions &options = config.options;
  graph.fusion_fuel = options.fusionFuel;
  graph.contractions = static_cast<int8_t>(options.contractions);
  graph.winograd = static_cast<int8_t>(options.winograd);
  graph.precision = static_cast<int8_t>(options.precision);
  graph.fallback = options.fallback;
  graph.reproducer_dir = options.reproducerDir;
  graph.disk_cache = config.disk != nullptr;
  graph.cache_dir = options.cacheDir;
  graph.device_spec = config.deviceSpec;
  graph.core_spec = config.coreSpec;
  graph.threads = config.threads;
  return shared;
}

Expected<std::shared_ptr<const SerializedGraph>>
openGraphTransfer(const fb::HelperGraphT &graph, int memory) {
  Unpacker unpacker;
  TANDEM_RETURN_IF_ERROR(unpacker.begin(memory));
  auto source = std::make_shared<SerializedGraph>();
  source->function = graph.function;
  source->structure = graph.structure;
  TANDEM_ASSIGN_OR_RETURN(ir::ResourceMemory bytecode,
                          unpacker.find(graph.bytecode.get()));
  source->bytecode = std::shared_ptr<llvm::SourceMgr>(
      new llvm::SourceMgr, [owner = bytecode.owner](llvm::SourceMgr *sources) {
        delete sources; // Before the memory that it refers to.
      });
  source->bytecode->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          {bytecode.bytes.data(), bytecode.bytes.size()}, "<bytecode>",
          /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  for (const auto &resource : graph.resources) {
    TANDEM_ASSIGN_OR_RETURN(ir::ResourceMemory bytes,
                            unpacker.find(resource->piece.get()));
    source->resources.push_back({resource->key, std::move(bytes)});
  }
  TANDEM_RETURN_IF_ERROR(emitEager(*source));
  return source;
}

Expected<CompilerConfig> openSharedConfig(const fb::HelperGraphT &graph) {
  CompileOptions options;
  options.fusionFuel = graph.fusion_fuel;
  options.contractions = static_cast<Contractions>(graph.contractions);
  options.winograd = static_cast<Winograd>(graph.winograd);
  options.precision = static_cast<Precision>(graph.precision);
  options.fallback = graph.fallback;
  options.reproducerDir = graph.reproducer_dir;
  options.diskCache = graph.disk_cache;
  options.cacheDir = graph.cache_dir;
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          CompilerConfig::create(options));
  TANDEM_ASSIGN_OR_RETURN(config.model, findDeviceModel(graph.device_spec));
  config.deviceSpec = graph.device_spec;
  config.coreSpec = graph.core_spec;
  config.threads = graph.threads;
  return config;
}

} // namespace tandem
