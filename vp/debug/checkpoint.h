// A moment of a run on disk: what leads there, and by what one knows that one is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "units.h"

namespace dcc::vp {

/// The digest of every device's state.
using DeviceDigests = std::map<std::string, std::uint64_t>;

/// Runs repeat themselves, so no state is in it but its digests: the same run up to its moment
/// brings it back, and then every device is compared.
struct Checkpoint {
  std::uint64_t build = 0;    // build_id() …
  std::uint64_t plugins = 0;  // … and plugins_id() of who wrote it
  std::uint64_t seed = 0;
  PicoSeconds at{};
  std::string configuration;  // effective YAML
  DeviceDigests state;
};

/// Of this program, in a run of `config`.
Checkpoint checkpoint_of(const PlatformConfig& config, PicoSeconds at, DeviceDigests state);

/// Before the run: throws OutputError where no file can be made, and for one that is there; with
/// `force`, only for what is no checkpoint.
void check_checkpoint_place(const std::filesystem::path& file, bool force);
/// A YAML file, whole or not at all. Throws OutputError when it cannot be written.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

struct RestoredConfig {
  Checkpoint checkpoint;
  LoadedConfig loaded;
};
/// Reads it. The overrides may change what is only looked at: `output` and `gdb`. Throws
/// ConfigError with the place for what is no checkpoint, what another build or other plug-ins have
/// written, and what would be another run.
RestoredConfig read_checkpoint(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides);

/// The devices whose state is another than the checkpoint's.
std::vector<std::string> devices_that_differ(const Checkpoint& checkpoint,
                                             const DeviceDigests& state);

}  // namespace dcc::vp
