// Runs a simulation in a separate process that sends digests of its state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "debug/state_digests.h"

namespace dcc::vp {

struct DigestRow {
  PicoSeconds t{};
  std::vector<std::uint64_t> digests;
};

/// A simulation in a child process. The process starts at once, waits while nobody reads its rows
/// of digests, and ends when this object is destroyed.
class DigestProcess {
 public:
  explicit DigestProcess(const std::function<void(const DigestSampler::Sink&)>& run);
  DigestProcess(const DigestProcess&) = delete;
  DigestProcess& operator=(const DigestProcess&) = delete;
  ~DigestProcess();

  /// Returns the next row of digests; empty when the run is over. Throws std::runtime_error with
  /// the reason if the run failed.
  std::optional<DigestRow> next();
  /// Names of the devices, one for each digest of a row. Valid from the first row on.
  const std::vector<std::string>& devices() const { return devices_; }

 private:
  std::string text();
  bool read_all(void* to, std::size_t bytes);

  pid_t pid_ = -1;
  int rows_ = -1;
  std::vector<std::string> devices_;
};

}  // namespace dcc::vp
