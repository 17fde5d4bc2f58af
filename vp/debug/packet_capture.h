// Captures of chosen ports as pcapng files (output.trace.packets), and their selections' check.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "parallel/partitions.h"
#include "wire/pcapng.h"
#include "wire/wire_frame.h"

namespace dcc::vp {

/// Every selection of output.trace against the platform: throws SettingError for a port or a flow
/// that is not there. Flows are numbered below `flows`.
void check_trace(const PlatformConfig& config, const Topology& topology, std::size_t flows);

/// All captures of a run. A wire without one keeps its null tap. Of several partitions each lays
/// its packets aside, as frames; while all wait they go into the files, in the one order of events:
/// the same bytes as with one.
class PacketCapture final : public PlatformPart {
 public:
  /// Creates `folder`/<name>.pcapng and taps the wires. Throws SettingError as above, and
  /// std::runtime_error when a file cannot be made.
  PacketCapture(const PlatformConfig& config, Partitions& partitions, Network& network,
                std::size_t flows, const std::filesystem::path& folder);
  ~PacketCapture() override;

  /// Ends all files and describes them in `traces`; a failure goes to `lost_traces`.
  void finish(RunResults& results) override;
  /// Ends all files. Throws std::runtime_error when one could not be written.
  void close();
  /// One sentence a file, once closed.
  std::vector<std::string> described() const;

 private:
  class File;
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace dcc::vp
