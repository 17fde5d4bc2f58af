// Reads a YAML file and `-c` arguments into a checked PlatformConfig.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "config/yaml_tree.h"

namespace dcc::vp {

/// A configuration that passed every check, with the file positions of its values.
struct LoadedConfig {
  PlatformConfig config;
  /// Places of values by dotted path (`switch.ecn.kmin`, `traffic.0`). A parameter whose path is
  /// missing has its default.
  std::map<std::string, Place> places;
  std::string file;                // name of the configuration file as given; empty: no file
  std::vector<std::string> notes;  // sentences for the user about values that were adapted

  /// The place at which a parameter was written, or the nearest enclosing section that was written.
  Place place_of(const std::string& path) const;
};

/// Error in a value that contradicts the built platform, such as the name of a port or flow that
/// does not exist.
class SettingError : public std::runtime_error {
 public:
  SettingError(std::string path, const std::string& message)
      : runtime_error(path + ": " + message), path_(std::move(path)) {}
  /// Dotted path of the wrong parameter. what() begins with this path.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Reads a configuration file, applies the overrides in order, and validates. Throws ConfigError at
/// the first error. Files named in the configuration are looked up beside it, files named in an
/// override in the working directory.
LoadedConfig load_config(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides = {});

/// Reads a configuration from a text by the rules of load_config(); `name` stands for the file in
/// messages.
LoadedConfig load_config_text(std::string_view text, const std::string& name,
                              const std::filesystem::path& folder = ".",
                              const std::vector<std::string>& overrides = {});

/// Returns the default configuration with overrides, for a command without a configuration file.
LoadedConfig default_config(const std::vector<std::string>& overrides = {});

}  // namespace dcc::vp
