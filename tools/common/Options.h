//===- Options.h - Command-line options that tools share --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_OPTIONS_H
#define TANDEM_TOOLS_COMMON_OPTIONS_H

#include "common/CommandLine.h"
#include "common/RunEnvironment.h"

#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Support/Environment.h"
#include "tandem/Tandem.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tandem::tools {

/// Adds an option that takes the name of one of the values of `Value`
/// (tandem/Support/Choices.h).
template <typename Value>
void addChoice(CLI::App &app, const std::string &option, Value &value,
               std::string help) {
  std::vector<std::string> names;
  for (const Choice<Value> &choice : choicesOf<Value>()) {
    help += (names.empty() ? ": " : "; ") + std::string(choice.name) + ", " +
            std::string(choice.help);
    names.emplace_back(choice.name);
  }
  app.add_option_function<std::string>(
         option,
         [&value](const std::string &text) {
           for (const Choice<Value> &choice : choicesOf<Value>())
             if (choice.name == text)
               value = choice.value;
         },
         help)
      ->check(CLI::IsMember(names));
}

/// A number between two others. CLI::Range also takes what is not a number.
inline CLI::Validator within(double least, double most) {
  return CLI::Validator(
      [=](const std::string &text) {
        double value = 0;
        const bool isNumber = CLI::detail::lexical_cast(text, value);
        return isNumber && value >= least && value <= most
                   ? std::string()
                   : "'" + text + "' is no number from " +
                         CLI::detail::to_string(least) + " to " +
                         CLI::detail::to_string(most);
      },
      "NUMBER");
}

/// Sets an option of a target, given as NAME=VALUE. Refuses at once what no
/// device's target takes.
inline Status setTargetOption(const std::string &text, TargetOptions &options) {
  TargetOptions given;
  TANDEM_RETURN_IF_ERROR(addTargetOption(text, given));
  auto check = [&given](const DeviceInfo &device) {
    return checkTargetOptions(device.name, device.targetOptions, given);
  };
  const std::span<const DeviceInfo> all = devices();
  if (std::none_of(all.begin(), all.end(), [&](const DeviceInfo &device) {
        return check(device).has_value();
      }))
    return check(all.front());
  for (const auto &[name, value] : given)
    options[name] = value;
  return {};
}

/// The same, for a command line.
inline void setTargetOption(const std::string &flag, const std::string &text,
                            TargetOptions &options) {
  if (Status status = setTargetOption(text, options); !status)
    throw CLI::ValidationError(flag, status.error().message + " (" +
                                         status.error().hint + ")");
}

/// Adds the flag that an option of a target was. It does not appear in --help.
inline void addFormerOption(CLI::App &app, std::string_view name,
                            TargetOptions &options) {
  const std::string flag = "--" + std::string(name);
  app.add_option_function<std::string>(
         flag,
         [&options, flag](const std::string &value) {
           const std::string setting = flag.substr(2) + "=" + value;
           setTargetOption(flag, setting, options);
           std::fprintf(stderr,
                        "warning: %s is deprecated: use --target-option %s\n",
                        flag.c_str(), setting.c_str());
         })
      ->group("");
}

/// Adds --target-option, and the flags that it has replaced.
inline void addTargetOptions(CLI::App &app, TargetOptions &options) {
  std::string help = "An option of the device's target: NAME=VALUE.";
  for (const DeviceInfo &device : devices())
    for (const TargetOptionInfo &info : device.targetOptions)
      help += " " + std::string(device.name) + ": " + std::string(info.name) +
              ". " + info.help + ".";
  app.add_option_function<std::vector<std::string>>(
         "--target-option",
         [&options](const std::vector<std::string> &settings) {
           for (const std::string &setting : settings)
             setTargetOption("--target-option", setting, options);
         },
         help)
      ->take_all()
      ->allow_extra_args(false);
  for (const TargetOptionInfo &info : devices().front().targetOptions)
    if (!info.values.empty())
      addFormerOption(app, info.name, options);
}

/// Removes the options that the target of `device` does not have, with a
/// warning for each: a command line that was written for one device also runs
/// on the others.
inline void dropOtherTargetOptions(std::string_view device,
                                   TargetOptions &options) {
  const std::span<const DeviceInfo> all = devices();
  auto used = std::find_if(all.begin(), all.end(), [&](const DeviceInfo &info) {
    return info.name == device;
  });
  if (used == all.end())
    return; // Whoever looks for the device says that there is none.
  std::erase_if(options, [&](const auto &option) {
    const auto &known = used->targetOptions;
    const bool isKnown = std::any_of(known.begin(), known.end(),
                                     [&](const TargetOptionInfo &info) {
                                       return info.name == option.first;
                                     });
    if (!isKnown)
      std::fprintf(stderr,
                   "warning: the option %s=%s has no effect, because the "
                   "target of the device '%s' has no such option\n",
                   option.first.c_str(), option.second.c_str(),
                   std::string(device).c_str());
    return !isKnown;
  });
}

/// Adds --precision.
inline void addPrecision(CLI::App &app, Precision &precision) {
  addChoice(app, "--precision", precision,
            "How exact the contractions of f32 of the device's libraries are, "
            "where it has a choice");
}

/// Adds --disk-cache.
inline void addDiskCache(CLI::App &app, CompileOptions &options) {
  app.add_option_function<std::string>(
         "--disk-cache",
         [&options](const std::string &text) {
           options.diskCache = text == "on";
         },
         "Whether compiled programs are kept on disk, and found there "
         "(default: "
         "on, unless $TANDEM_DISK_CACHE is off)")
      ->check(CLI::IsMember({"on", "off"}));
}

/// Adds --compile-in.
inline void addCompileIn(CLI::App &app, CompileIn &place) {
  app.add_option_function<std::string>(
         "--compile-in",
         [&place](const std::string &text) { place = *parseCompileIn(text); },
         "Where signatures are compiled in the background: in a helper "
         "process, "
         "which disturbs calls less (default), or on a thread of this one")
      ->check(
          CLI::IsMember({name(CompileIn::process), name(CompileIn::thread)}));
}

/// The reason why a file `path` cannot be written; empty if it seems possible.
inline std::string whyNotWritable(const std::string &path) {
  if (path == "-")
    return {};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return "cannot write " + path + ": " + std::strerror(EISDIR);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK) == 0)
    return {};
  return "cannot write " + path + ": " + std::strerror(errno);
}

/// Adds an option that names an output file. It is refused at once if it cannot
/// be written, before time is spent on its contents.
inline void addOutputFile(CLI::App &app, const std::string &option,
                          std::string &path, const std::string &help) {
  app.add_option(option, path, help)
      ->check(CLI::Validator(whyNotWritable, "FILE"));
}

/// Adds --version. Lists the environment variables at the end of --help, and
/// refuses values that they cannot have.
inline void addEnvironment(CLI::App &app) {
  app.set_version_flag("--version", versionText,
                       "Print the versions of Tandem and of its libraries");
  app.preparse_callback([](size_t) {
    if (Status status = checkEnvironment(); !status)
      throw CLI::ValidationError(status.error().message + " (" +
                                 status.error().hint + ")");
  });
  std::string text = "Environment:\n";
  for (const VariableInfo &variable : environmentVariables()) {
    std::string line = "  " + std::string(variable.name);
    line.resize(std::max<size_t>(line.size() + 1, 30), ' ');
    text += line + std::string(variable.meaning) + "\n";
  }
  app.footer(text);
}

/// Adds --libraries, which prints what of CUDA is there and ends the program.
inline void addLibraries(CLI::App &app) {
  app.add_flag_callback(
         "--libraries",
         [] {
           std::fputs(cuda::describeLibraries().c_str(), stdout);
           throw CLI::Success();
         },
         "Print which of the libraries of CUDA are there, with versions, or "
         "why they are missing")
      ->trigger_on_parse();
}

/// Adds --device, which takes a name of devices().
inline void addDevice(CLI::App &app, std::string &device) {
  std::vector<std::string> names;
  std::string help;
  for (const DeviceInfo &info : devices()) {
    names.emplace_back(info.name);
    help += (help.empty() ? "" : "; or ") + names.back() + ": " +
            std::string(info.description);
  }
  app.add_option("--device", device, help)
      ->capture_default_str()
      ->check([](const std::string &name) {
        Expected<Device *> device = findDevice(name);
        return device
                   ? std::string()
                   : device.error().message + " (" + device.error().hint + ")";
      });
}

/// Adds --json, which names an output file for JSON lines.
inline void addJson(CLI::App &app, std::string &path) {
  addOutputFile(app, "--json", path,
                "Write JSON lines to FILE (- is standard output)");
}

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_OPTIONS_H
