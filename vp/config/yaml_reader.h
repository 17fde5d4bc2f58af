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
  std::string file;                // as given; empty: no file
  std::vector<std::string> notes;  // sentences on values that were adapted, for the user

  /// Where a parameter was written, or the nearest section around it that was.
  Place place_of(const std::string& path) const;
};

/// A parameter's value that does not fit what only the built platform knows: a port, a flow.
class SettingError : public std::runtime_error {
 public:
  SettingError(std::string path, const std::string& message)
      : runtime_error(path + ": " + message), path_(std::move(path)) {}
  /// Dotted path of the parameter; what() begins with it.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
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
