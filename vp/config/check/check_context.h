// Shared code of the checks of parameter combinations: the configuration and the form of messages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "describe/parameter_error.h"
#include "wire/wire_size.h"

namespace dcc::vp {

/// Maximum number of header bytes around a payload.
constexpr Bytes kMaxHeaders = roce::kFrame + roce::kReth;

/// Checks of one configuration, which must outlive this object. A failed check throws ConfigError.
class CheckContext {
 public:
  explicit CheckContext(const LoadedConfig& loaded)
      : loaded_(loaded), c_(loaded.config), places_(loaded.places) {}

 protected:
  void require(bool condition, const std::string& path, const std::string& message) const {
    if (!condition) fail(path, message);
  }
  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw ConfigError(loaded_.place_of(path), path + ": " + message);
  }
  /// Runs the check function of a module. The keys that the check names lie in `section`; an empty
  /// key means the section itself.
  template <class Check>
  void check_together(const std::string& section, Check check) const {
    try {
      check();
    } catch (const ParameterError& error) {
      const auto path = [&](const std::string& key) {
        return key.empty() ? section : section + "." + key;
      };
      std::string blamed = path(error.keys().front());
      for (const std::string& key : error.keys()) {
        if (places_.count(path(key)) == 0) continue;
        blamed = path(key);
        break;
      }
      fail(blamed, error.what());
    }
  }

  /// True if the user wrote the parameter at this path, in the file or by option -c.
  bool written(const std::string& path) const { return places_.count(path) != 0; }
  /// Returns the first of the two paths that the user wrote; `first` if the user wrote neither.
  std::string given(const std::string& first, const std::string& second) const {
    return places_.count(first) == 0 && places_.count(second) != 0 ? second : first;
  }

  /// Throws ConfigError if a host runs software, instead of being driven by the platform.
  void require_platform_drives(const std::string& path, const std::string& sentence) const {
    require(c_.host.driver == DriverKind::kNone || c_.hosts.size() == c_.topology.host_count(),
            path, sentence);
    for (const auto& [id, host] : c_.hosts) {
      require(host.driver == DriverKind::kNone, "hosts." + std::to_string(id) + ".driver",
              sentence);
    }
  }
  void require_host(HostId id, const std::string& path) const {
    require(id < c_.topology.host_count(), path, no_host(id));
  }
  std::string no_host(HostId id) const {
    return "there is no host " + std::to_string(id) + ": the topology has 0 to " +
           std::to_string(c_.topology.host_count() - 1);
  }

  /// Returns ", did you mean …?" with the nearest name; empty if no name is near.
  static std::string hint(const std::string& word, const std::vector<std::string>& names) {
    const std::string near = nearest(word, names);
    return near.empty() ? "" : "; did you mean " + in_quotes(near) + "?";
  }

  const LoadedConfig& loaded_;
  const PlatformConfig& c_;

 private:
  const std::map<std::string, Place>& places_;
};

// The functions below are parts of check(), grouped into files by subject.
void check_time(const LoadedConfig& loaded);
void check_switch(const LoadedConfig& loaded);
void check_congestion_control(const LoadedConfig& loaded);
void check_transport(const LoadedConfig& loaded);
void check_controller(const LoadedConfig& loaded);
void check_hosts(const LoadedConfig& loaded);
void check_captures(const LoadedConfig& loaded);
void check_moving_weights(const LoadedConfig& loaded);
void check_dcbx(const LoadedConfig& loaded);
void check_trace(const LoadedConfig& loaded);
void check_fast_forward(const LoadedConfig& loaded);
void check_expectations(const LoadedConfig& loaded);

}  // namespace dcc::vp
