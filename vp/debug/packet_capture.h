// Captures the packets of selected wires as pcapng files (output.trace.packets), and checks the
// selections.
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

/// Checks every selection of output.trace against the platform. Throws SettingError for a port or
/// flow that does not exist. Flows are numbered from 0 to `flows` - 1.
void check_trace(const PlatformConfig& config, const Topology& topology, std::size_t flows);

/// All packet captures of a run. A wire without a capture keeps its null tap. With several
/// partitions, each partition collects its packets as frames; while all partitions wait, the frames
/// are written in the total order of events, so the files have the same bytes as with one
/// partition.
class PacketCapture final : public PlatformPart {
 public:
  /// Creates `folder`/<name>.pcapng and taps the wires. Throws SettingError like check_trace(), and
  /// std::runtime_error if a file cannot be made.
  explicit PacketCapture(Platform& platform);
  ~PacketCapture() override;

  /// Completes all capture files and describes them in `traces`. A failure adds an entry to
  /// `lost_traces`.
  void finish(RunResults& results) override;
  /// Completes all capture files. Throws std::runtime_error if a file could not be written.
  void close();
  /// One sentence about each capture file. Valid after the call of close().
  std::vector<std::string> described() const;

 private:
  class File;
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace dcc::vp
