// From a YAML file and `-c` arguments to a checked PlatformConfig.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "config/yaml_tree.h"

namespace dcc::vp {

/// A configuration that passed every check, and where its values were written.
struct LoadedConfig {
  PlatformConfig config;
  /// By dotted path (`switch.ecn.kmin`, `traffic.0`); what is missing here is a default.
  std::map<std::string, Place> places;
  std::string file;  // as given; empty: no file
};

/// Reads, applies the overrides in order, validates. Throws ConfigError at the first thing that is
/// wrong; files named in the configuration are looked up beside it, those in an override in the
/// working directory.
LoadedConfig load_config(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides = {});

/// The same from text; `name` stands for the file in messages.
LoadedConfig load_config_text(std::string_view text, const std::string& name,
                              const std::filesystem::path& folder = ".",
                              const std::vector<std::string>& overrides = {});

/// The defaults with overrides, for a command that was given no file.
LoadedConfig default_config(const std::vector<std::string>& overrides = {});

}  // namespace dcc::vp
