// Connects the traces that a configuration enables to the running platform.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "build/host.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "debug/trace_sampler.h"
#include "measure/trace/slot_trace.h"
#include "measure/trace/trace_events.h"
#include "measure/trace/transaction_log.h"
#include "measure/trace/vcd_file.h"

namespace dcc::vp {

/// The folder and files into which traces are written.
struct TraceOutput {
  std::filesystem::path folder;  // folder of the traces, which exists if config.output.trace.any()
  std::string cpu_file;          // file of the instruction trace that `--trace-cpu` names
};

class FirmwareProfile;
class FunctionTrace;

/// Connects the enabled traces. Built after the hosts. The constructor throws std::runtime_error if
/// a file cannot be written.
class Tracing final : public PlatformPart {
 public:
  Tracing(Platform& platform, const TraceOutput& output);
  ~Tracing() override;
  /// True if devices write trace records as events happen, which needs one total order of all
  /// events. Samples at intervals and packet captures (packet_capture.h) do not need such an order.
  static bool needs_one_order(const PlatformConfig& config);
  /// Begins to sample values for the trace files. Called when the simulation begins.
  void begin() override;
  /// Completes all trace files. A file that could not be written becomes an entry of `lost_traces`.
  void finish(RunResults& results) override;
  /// Completes all trace files, then throws std::runtime_error if a file could not be written.
  void close();

 private:
  /// A hart, or the cores of a NIC, whose instructions are counted, and the files for the counts.
  /// Null: the file is not enabled.
  struct Profiled {
    std::unique_ptr<FirmwareProfile> program;
    std::unique_ptr<TraceFile> coverage;
    std::unique_ptr<TraceFile> callgrind;
    std::string elf;
  };
  std::vector<Host*> traced_cpus() const;
  void trace_cpus(const TraceOutput& output);
  void profile_cpus();
  void open_timeline();
  void trace_transactions();
  void trace_functions(Host& host);
  void trace_slots(Host& host);
  void trace_lines(Host& host);
  void on_timeline(int process, const regs::AccessRecord& access);
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  Platform& p_;
  const TraceConfig& config_;
  std::filesystem::path folder_;
  std::vector<std::unique_ptr<TraceFile>> cpu_files_;
  std::vector<Profiled> profiled_;
  std::unique_ptr<TransactionLog> transactions_;
  std::unique_ptr<TraceEvents> events_;
  std::unique_ptr<VcdFile> signals_;
  std::vector<std::unique_ptr<SlotTrace>> slots_;
  std::vector<std::unique_ptr<FunctionTrace>> functions_;
  std::unique_ptr<TraceSampler> sampler_;
};

}  // namespace dcc::vp
