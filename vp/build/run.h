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

/// One more change of parameters, after all of the configuration's `changes`. The new configuration
/// is asked for when simulated time reaches `at`.
struct LateChange {
  PicoSeconds at{};
  // returns the configuration that is valid from then on
  std::function<std::shared_ptr<const PlatformConfig>()> ask;
};

/// Settings of a run that are not part of the configuration.
struct RunSetup {
  TraceOutput traces;
  RecordingFolder recordings;  // folder to which lock-step writes recordings
  bool interactive = false;    // pause at the beginning and read commands from standard input
  bool prompt = false;         // print a prompt, because a person types
  std::optional<LateChange> late_change;
  /// Lets a prompt or debugger go back. Null if going back is impossible; `snapshot_refusal` says
  /// why.
  model::SnapshotHistory* machine = nullptr;
  std::string snapshot_refusal;
  DigestSampler::Sink digests;  // receives the state digests; null: digests go to the results
  // number of threads; 0: two if that pays. Results do not depend on this number.
  unsigned threads = 0;
  /// Whether wires and ports have sockets; empty: only in networks that are not too large. Results
  /// do not depend on this choice.
  std::optional<bool> sockets;
  /// Whether the plan holds all flows from the beginning; empty: only if something needs them.
  /// Results do not depend on this choice.
  std::optional<bool> hold_flows;
  /// The group of processes that share the run, instead of threads; null: none. Each process calls
  /// run_platform() with the same configuration and gets the same results.
  ProcessGroup* group = nullptr;
  /// The greatest number of parts into which the network is divided, at least one for each thread;
  /// empty: chosen by the network's size. Results do not depend on this number.
  std::optional<unsigned> parts;
};

/// Builds the platform, runs it to its end and collects the results. At most once in a process,
/// because SystemC elaborates once. Precondition: `config` has passed the schema's checks. Errors
/// that only the data shows (lines of a traffic file, segments of an ELF file) throw ConfigError or
/// TrafficError before the first event; a setting that names a missing thing throws SettingError.
RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const RunSetup& setup = {});

}  // namespace dcc::vp
