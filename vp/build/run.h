// The entry point of the platform: runs a validated configuration and returns the results.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "build/engines.h"
#include "config/platform_config.h"
#include "cpu/snapshot_history.h"
#include "debug/state_digests.h"
#include "debug/tracing.h"
#include "measure/observer.h"
#include "measure/results.h"
#include "parallel/process_group.h"

namespace dcc::vp {

/// An additional change of parameters during the run, after all of the configuration's `changes`.
/// The run requests the new configuration when simulated time reaches `at`.
struct LateChange {
  PicoSeconds at{};
  // returns the configuration that is valid from time `at` on
  std::function<std::shared_ptr<const PlatformConfig>()> ask;
};

/// Settings of a run that are not part of the configuration.
struct RunSetup {
  TraceOutput traces;
  RecordingFolder recordings;  // folder to which lock-step writes recordings
  // true: the run pauses before the first event and reads commands from standard input
  bool interactive = false;
  bool prompt = false;  // true: print a prompt, because a person types the commands
  std::optional<LateChange> late_change;
  /// Snapshots by which the prompt or a debugger goes back in simulated time. Null: neither can go
  /// back, and `snapshot_refusal` says why.
  model::SnapshotHistory* machine = nullptr;
  std::string snapshot_refusal;
  // receives the digests of device states; null: the results receive the digests
  DigestSampler::Sink digests;
  // Number of threads; 0: two threads if the network is large enough to gain from them. Results do
  // not depend on this number.
  unsigned threads = 0;
  /// Whether wires and ports have sockets; empty: only networks up to a limit of hosts do. Results
  /// do not depend on this choice.
  std::optional<bool> sockets;
  /// Whether the plan holds all flows from the beginning; empty: only if a part of the run needs
  /// all flows. Results do not depend on this choice.
  std::optional<bool> hold_flows;
  /// The group of processes that share the run, instead of threads; null: none. Each process calls
  /// run_platform() with the same configuration and gets the same results.
  ProcessGroup* group = nullptr;
  /// The greatest number of partitions of the network, at least one for each thread. Empty: the
  /// network's size decides. Results do not depend on this number.
  std::optional<unsigned> parts;
};

/// Builds the platform, runs it to its end and collects the results. May be called once per
/// process, because SystemC elaborates once. Precondition: `config` has passed the schema's checks.
/// Errors that only the data shows (lines of a traffic file, segments of an ELF file) throw
/// ConfigError or TrafficError before the first event; a setting that names a missing object throws
/// SettingError.
RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const RunSetup& setup = {});

}  // namespace dcc::vp
