// The one entry: a validated configuration in, what was measured out.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "build/engines.h"
#include "config/platform_config.h"
#include "cpu/time_machine.h"
#include "debug/state_digests.h"
#include "debug/tracing.h"
#include "measure/observer.h"
#include "measure/results.h"
#include "parallel/process_group.h"

namespace dcc::vp {

/// One change of parameters more, behind all of the configuration's, that is asked for when its
/// time has come.
struct LateChange {
  PicoSeconds at{};
  std::function<std::shared_ptr<const PlatformConfig>()> ask;  // the configuration from then on
};

/// Beside the configuration.
struct RunSetup {
  TraceOutput traces;
  RecordingFolder recordings;  // of lock-step
  bool interactive = false;    // pauses at the beginning and reads commands from standard input
  bool prompt = false;         // interactive: a person types
  std::optional<LateChange> late_change;
  /// For whoever looks on, to go back; null: nobody can, `snapshot_refusal` says why.
  model::TimeMachine* machine = nullptr;
  std::string snapshot_refusal;
  DigestSampler::Sink digests;  // who gets them; null: the results
  unsigned threads = 0;  // that share the run; 0: two where that pays. The results are the same
  /// Wires and ports have sockets; empty: in networks that are not too large. The results are the
  /// same.
  std::optional<bool> sockets;
  /// All flows are held from the beginning; empty: where somebody needs them. The results are the
  /// same.
  std::optional<bool> hold_flows;
  /// Processes that share the run, instead of threads; null: none. All call run_platform() with the
  /// same configuration and get the same results.
  ProcessGroup* group = nullptr;
  /// Parts that the network is divided into, at most, but one a thread at least; empty: as many as
  /// its size asks for. The results are the same.
  std::optional<unsigned> parts;
};

/// Builds the platform, runs it to its end and collects the results. At most once a process
/// (SystemC elaborates once). `config` has passed the schema's checks; what only the data shows
/// (a traffic file's lines, an ELF's segments) throws ConfigError or TrafficError before the first
/// event, and a setting that names what is not there SettingError.
RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const RunSetup& setup = {});

}  // namespace dcc::vp
