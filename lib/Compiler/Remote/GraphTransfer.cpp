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

#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <map>

namespace tandem {
namespace {

std::unique_ptr<fb::SharedPieceT> makePiece(std::string path, uint64_t offset,
                                            uint64_t bytes) {
  auto piece = std::make_unique<fb::SharedPieceT>();
  piece->path = std::move(path);
  piece->offset = offset;
  piece->bytes = bytes;
  return piece;
}

bool contains(llvm::ArrayRef<char> all, llvm::ArrayRef<char> bytes) {
  const std::less_equal<const char *> isNotAfter;
  return isNotAfter(all.begin(), bytes.begin()) &&
         isNotAfter(bytes.end(), all.end());
}

/// The place of bytes in a file; null where they are in none.
std::unique_ptr<fb::SharedPieceT> findInFile(llvm::ArrayRef<MappedFile> files,
                                             llvm::ArrayRef<char> bytes) {
  for (const auto &[path, all] : files)
    if (contains({all.begin(), all.end()}, bytes))
      return makePiece(path, bytes.begin() - all.begin(), bytes.size());
  return nullptr;
}

/// Writes pieces to a MemoryFile, each aligned as constants are. Bytes that are
/// in a piece already, or in one of `files`, are only referred to.
class Packer {
public:
  Packer(MemoryFile file, llvm::ArrayRef<MappedFile> files)
      : file(std::move(file)), files(files) {}

  using Piece = Expected<std::unique_ptr<fb::SharedPieceT>>;
  Piece add(llvm::ArrayRef<char> bytes) {
    if (auto piece = findInFile(files, bytes))
      return piece;
    if (auto piece = findWritten(bytes))
      return piece;
    TANDEM_ASSIGN_OR_RETURN(auto piece, write(bytes));
    written.push_back({bytes, piece->offset});
    return piece;
  }
  /// The same for bytes that do not outlive the call.
  Piece write(llvm::ArrayRef<char> bytes) {
    static constexpr char zeros[Allocator::kAlignment] = {};
    const size_t padding = static_cast<size_t>(alignedBytes(end)) - end;
    TANDEM_RETURN_IF_ERROR(file.write(zeros, padding));
    TANDEM_RETURN_IF_ERROR(file.write(bytes.data(), bytes.size()));
    auto piece = makePiece("", end + padding, bytes.size());
    end = piece->offset + piece->bytes;
    return piece;
  }
  Expected<Descriptor> seal() && { return std::move(file).seal(); }

private:
  std::unique_ptr<fb::SharedPieceT>
  findWritten(llvm::ArrayRef<char> bytes) const {
    for (const auto &[all, offset] : written)
      if (contains(all, bytes))
        return makePiece("", offset + (bytes.begin() - all.begin()),
                         bytes.size());
    return nullptr;
  }

  MemoryFile file;
  const llvm::ArrayRef<MappedFile> files;
  std::vector<std::pair<llvm::ArrayRef<char>, uint64_t>> written;
  size_t end = 0;
};

/// Maps the memory of a message, and each file once.
class Unpacker {
public:
  Status begin(int memory) {
    TANDEM_ASSIGN_OR_RETURN(MappedBytes mapped, mapSealed(memory));
    files[""] = {{reinterpret_cast<const char *>(mapped.bytes.data()),
                  mapped.bytes.size()},
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

llvm::ArrayRef<char> bytesOf(const void *data, size_t bytes) {
  return {static_cast<const char *>(data), bytes};
}

Status shareEager(const Program &eager, Packer &packer,
                  fb::HelperGraphT &graph) {
  const std::vector<uint8_t> table = pack<fb::ProgramT>(eager);
  TANDEM_ASSIGN_OR_RETURN(graph.eager,
                          packer.write(bytesOf(table.data(), table.size())));
  for (const auto &[slot, data] : eager.constants) {
    auto entry = std::make_unique<fb::SharedConstantT>();
    entry->slot = slot;
    TANDEM_ASSIGN_OR_RETURN(entry->piece,
                            packer.add(bytesOf(data.data(), data.bytes())));
    graph.constants.push_back(std::move(entry));
  }
  return {};
}

Expected<std::shared_ptr<const Program>>
openEager(const fb::HelperGraphT &graph, Unpacker &unpacker) {
  TANDEM_ASSIGN_OR_RETURN(const ir::ResourceMemory table,
                          unpacker.find(graph.eager.get()));
  auto unpacked = unpack<fb::ProgramT>(
      {reinterpret_cast<const uint8_t *>(table.bytes.data()),
       table.bytes.size()});
  if (!unpacked)
    return fail("read", "a message holds no eager program");
  auto program = std::make_shared<Program>();
  static_cast<fb::ProgramT &>(*program) = std::move(*unpacked);
  for (const auto &constant : graph.constants) {
    TANDEM_ASSIGN_OR_RETURN(const ir::ResourceMemory memory,
                            unpacker.find(constant->piece.get()));
    if (constant->slot >= program->slots.size())
      return fail("read", "a message holds a constant of no slot");
    program->constants.push_back(
        {constant->slot,
         Tensor::share(fromFlat(*program->slots[constant->slot]->type),
                       {std::const_pointer_cast<void>(memory.owner),
                        const_cast<char *>(memory.bytes.data())})});
  }
  TANDEM_RETURN_IF_ERROR(verify(*program));
  return program;
}

} // namespace

Expected<GraphTransfer> shareGraph(const SerializedGraph &source,
                                   const CompilerConfig &config) {
  GraphTransfer shared;
  fb::HelperGraphT &graph = shared.graph;
  TANDEM_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::create("tandem-graph"));
  Packer packer(std::move(file), source.files);
  const llvm::StringRef bytecode = bytecodeOf(source);
  TANDEM_ASSIGN_OR_RETURN(graph.bytecode,
                          packer.add({bytecode.data(), bytecode.size()}));
  for (const SerializedGraph::Resource &resource : source.resources) {
    auto entry = std::make_unique<fb::SharedResourceT>();
    entry->key = resource.key;
    TANDEM_ASSIGN_OR_RETURN(entry->piece, packer.add(resource.memory.bytes));
    graph.resources.push_back(std::move(entry));
  }
  TANDEM_RETURN_IF_ERROR(shareEager(*source.eager, packer, graph));
  TANDEM_ASSIGN_OR_RETURN(shared.memory, std::move(packer).seal());
  graph.function = source.function;
  graph.structure = source.structure;
  const CompileOptions &options = config.options;
  graph.fusion_fuel = options.fusionFuel;
  graph.phases_apart = options.keepsPhasesApart;
  for (const auto &[name, value] : options.targetOptions) {
    auto entry = std::make_unique<fb::HelperTargetOptionT>();
    entry->name = name;
    entry->value = value;
    graph.target_options.push_back(std::move(entry));
  }
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
  TANDEM_ASSIGN_OR_RETURN(source->eager, openEager(graph, unpacker));
  return source;
}

Expected<CompilerConfig> openSharedConfig(const fb::HelperGraphT &graph) {
  CompileOptions options;
  options.fusionFuel = graph.fusion_fuel;
  options.keepsPhasesApart = graph.phases_apart;
  for (const auto &entry : graph.target_options)
    options.targetOptions[entry->name] = entry->value;
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
  config.loadsKernels = false;
  return config;
}

} // namespace tandem
