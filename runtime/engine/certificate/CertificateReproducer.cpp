//===- CertificateReproducer.cpp - Failed certificates, as files ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/Certificate.h"

#include "tandem/Runtime/Npy.h"
#include "tandem/Support/ReproducerDirectory.h"

#include <filesystem>
#include <xxhash.h>

using namespace tandem;
using namespace tandem::tiering;

namespace {

Status writeText(const std::string &path, std::string_view text) {
  return writeFileAtomically(
      path, {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

Status writeTensors(const std::string &prefix,
                    std::span<const Tensor> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    TANDEM_RETURN_IF_ERROR(
        writeNpy(prefix + std::to_string(i) + ".npy", tensors[i]));
  return {};
}

/// A word of a shell's command line.
std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string commandOf(const FailedCertificate &failed) {
  std::string text = "#!/bin/sh\n"
                     "# A compiled program that is not equivalent to eager.\n"
                     "# Certificate " +
                     failed.certificate.str() +
                     ".\n# eager*.npy and compiled*.npy are the outputs.\n";
  if (failed.source.empty())
    return text + "# The graph's source is not known: program.txt lists it.\n";
  text += "cd \"$(dirname \"$0\")\" &&\nexec ${TANDEM_RUN:-tandem-run} "
          "graph.mlir --certify --func=" +
          quote(failed.program.name);
  for (size_t i = 0; i < failed.inputs.size(); ++i)
    text += " --arg=input" + std::to_string(i) + ".npy";
  return text + " \"$@\"\n";
}

Status writeFiles(const FailedCertificate &failed, const std::string &folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    return fail("write", folder + ": " + code.message());
  if (!failed.source.empty())
    TANDEM_RETURN_IF_ERROR(writeText(folder + "/graph.mlir", failed.source));
  TANDEM_RETURN_IF_ERROR(
      writeText(folder + "/program.txt", toString(failed.program)));
  TANDEM_RETURN_IF_ERROR(writeTensors(folder + "/input", failed.inputs));
  TANDEM_RETURN_IF_ERROR(writeTensors(folder + "/eager", failed.eagerOutputs));
  TANDEM_RETURN_IF_ERROR(
      writeTensors(folder + "/compiled", failed.compiledOutputs));
  // Last: a folder that has it is complete.
  return writeText(folder + "/run.sh", commandOf(failed));
}

} // namespace

Expected<std::string> tiering::writeReproducer(const FailedCertificate &failed,
                                               const std::string &directory) {
  TANDEM_ASSIGN_OR_RETURN(std::string folder,
                          openReproducerDirectory(directory));
  const std::string key = std::string(failed.source) +
                          toString(failed.program) + failed.certificate.str();
  char name[40];
  std::snprintf(name, sizeof name, "/certificate-%016llx",
                static_cast<unsigned long long>(XXH3_64bits_withSeed(
                    key.data(), key.size(), fingerprint(failed.inputs))));
  folder += name;
  if (!std::filesystem::exists(folder + "/run.sh"))
    TANDEM_RETURN_IF_ERROR(writeFiles(failed, folder));
  return folder;
}
