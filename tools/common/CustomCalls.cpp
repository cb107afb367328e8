//===- CustomCalls.cpp - Libraries of custom_call functions ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/CustomCalls.h"

#include "tandem-c/Tandem.h"
#include "tandem/Support/Environment.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

/// Loads the library, which stays loaded, and has it register its functions.
/// Returns what went wrong; empty if nothing did.
static std::string load(const std::string &path) {
  // A name without a slash would be searched for among the system's libraries.
  const std::string file =
      path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return dlerror();
  const auto registerAll = reinterpret_cast<TandemRegisterCustomCalls>(
      dlsym(library, "tandemRegisterCustomCalls"));
  if (!registerAll)
    return path + " exports no tandemRegisterCustomCalls (tandem-c/Tandem.h)";
  TandemError *error = registerAll(tandemCustomCallRegister);
  const std::string text = error ? tandemErrorText(error) : "";
  tandemErrorRelease(error);
  return text;
}

void tandem::tools::addCustomCalls(CLI::App &app) {
  const std::string variable(name(Variable::customCalls));
  app.add_option_function<std::vector<std::string>>(
         "--custom-calls",
         [variable](const std::vector<std::string> &paths) {
           std::string all;
           for (const std::string &path : paths) {
             if (const std::string why = load(path); !why.empty())
               throw CLI::ValidationError("--custom-calls", why);
             all += (all.empty() ? "" : ",") + path;
           }
           // For the processes that measurements start.
           setenv(variable.c_str(), all.c_str(), /*overwrite=*/1);
         },
         "Load shared libraries that register functions for custom_call "
         "(tandem-c/Tandem.h)")
      ->type_name("LIBRARY,...")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->envname(variable);
}
