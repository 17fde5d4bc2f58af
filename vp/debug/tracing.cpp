#include "debug/tracing.h"

#include <functional>
#include <optional>

#include "build/platform.h"
#include "build/ranks.h"
#include "config/controller_hosts.h"
#include "cpu/riscv_cpu.h"
#include "measure/trace/trace_event_file.h"
#include "nic/algorithm/debugged_program.h"
#include "simulation_kernel.h"
#include "software/firmware_profile.h"

namespace dcc::vp {

/// Writes the functions that one CPU runs as nested slices of its host's timeline.
class FunctionTrace final : public riscv::CallSink {
 public:
  FunctionTrace(TraceEvents& events, TraceEvents::Track track, const model::RiscvCpu& cpu)
      : events_(events), track_(track), cpu_(cpu) {}
  void enter(std::uint64_t cycle, const std::string& function) override {
    events_.begin(track_, time(cycle), function);
  }
  void leave(std::uint64_t cycle) override { events_.end(track_, time(cycle)); }

 private:
  PicoSeconds time(std::uint64_t cycle) const { return model::from_sc_time(cpu_.time_of(cycle)); }

  TraceEvents& events_;
  TraceEvents::Track track_;
  const model::RiscvCpu& cpu_;
};

namespace {

model::TraceWindow cpu_window(const TraceConfig& config) {
  model::TraceWindow window;
  window.from = model::to_sc_time(config.from);
  if (config.to) window.to = model::to_sc_time(*config.to);
  return window;
}

std::filesystem::path with_host(const std::filesystem::path& file, HostId host) {
  return with_number(file, ".host", host);
}

}  // namespace

bool Tracing::needs_one_order(const PlatformConfig& config) {
  const TraceConfig& trace = config.output.trace;
  if (trace.cpu || trace.coverage || trace.profile) return true;
  if (trace.transactions != TransactionTrace::kNone) return true;
  if (!trace.perfetto && !trace.signals) return false;
  return !controllers(config).empty();  // only a congestion controller has slots to trace
}

Tracing::Tracing(Platform& platform, const TraceOutput& output)
    : p_(platform), config_(platform.config.output.trace), folder_(output.folder) {
  if (config_.cpu || !output.cpu_file.empty()) trace_cpus(output);
  if (config_.coverage || config_.profile) profile_cpus();
  if (config_.transactions != TransactionTrace::kNone) {
    const bool json = config_.transactions == TransactionTrace::kJson;
    transactions_ = std::make_unique<TransactionLog>(
        file(json ? "transactions.jsonl" : "transactions.txt"), config_);
  }
  if (config_.perfetto) open_timeline();
  if (config_.signals) signals_ = std::make_unique<VcdFile>(file("signals.vcd"));
  if (transactions_ != nullptr || events_ != nullptr) trace_transactions();
  if (events_ == nullptr && signals_ == nullptr) return;
  sampler_ = std::make_unique<TraceSampler>(p_, events_.get(), signals_.get());
  for (const auto& host : p_.hosts) {
    if (!config_.has_host(host->id())) continue;
    trace_slots(*host);
    if (events_ != nullptr) trace_functions(*host);
    if (signals_ != nullptr) trace_lines(*host);
  }
}

Tracing::~Tracing() = default;

void Tracing::begin() {
  if (sampler_ != nullptr) sampler_->begin();
  for (const auto& slots : slots_) {
    if (config_.from.count == 0) slots->count_slots();
  }
}

std::vector<Host*> Tracing::traced_cpus() const {
  std::vector<Host*> traced;
  for (const auto& host : p_.hosts) {
    if (config_.has_host(host->id()) && host->cpu() != nullptr) traced.push_back(host.get());
  }
  return traced;
}

void Tracing::profile_cpus() {
  // `name` converts a base name, e.g. "coverage.info", into the name of the file.
  const auto add = [this](std::string elf, std::unique_ptr<FirmwareProfile> program,
                          const std::function<std::filesystem::path(const char*)>& name) {
    Profiled one;
    one.elf = std::move(elf);
    one.program = std::move(program);
    if (config_.coverage) one.coverage = std::make_unique<TraceFile>(name("coverage.info"));
    if (config_.profile) one.callgrind = std::make_unique<TraceFile>(name("callgrind.out"));
    profiled_.push_back(std::move(one));
  };
  for (Host* const host : traced_cpus()) {
    const std::string& elf = p_.config.host_of(host->id()).elf;
    const std::vector<model::RiscvCpu*> harts = host->harts();
    for (unsigned i = 0; i < harts.size(); ++i) {
      const bool several = harts.size() > 1;
      const auto number = several ? std::optional(i) : std::nullopt;
      add(elf, std::make_unique<FirmwareProfile>(elf, *harts[i], number), [&](const char* name) {
        const std::filesystem::path path = with_host(file(name), host->id());
        return several ? with_number(path, ".hart", i) : path;
      });
    }
  }
  for (const auto& host : p_.hosts) {
    auto* const program = dynamic_cast<DebuggedProgram*>(host->algorithm());
    if (program == nullptr || !config_.has_host(host->id())) continue;
    DebuggedProcessor* const cores = program->processor();
    if (cores == nullptr) continue;
    const std::string elf = program->program_file();
    add(elf, std::make_unique<FirmwareProfile>(elf, *cores),
        [&](const char* name) { return with_number(file(name), ".nic", host->id()); });
  }
}

void Tracing::trace_cpus(const TraceOutput& output) {
  const std::vector<Host*> traced = traced_cpus();
  if (traced.empty()) throw std::runtime_error("--trace-cpu: no traced host runs firmware");
  for (Host* const host : traced) {
    std::filesystem::path name = output.cpu_file;
    if (name.empty()) name = file("cpu.txt");
    const bool alone = traced.size() == 1 && !output.cpu_file.empty();
    if (!alone) name = with_host(name, host->id());
    const std::vector<model::RiscvCpu*> harts = host->harts();
    for (std::size_t i = 0; i < harts.size(); ++i) {
      const auto file_of_hart = harts.size() == 1 ? name : with_number(name, ".hart", i);
      cpu_files_.push_back(std::make_unique<TraceFile>(file_of_hart));
      harts[i]->trace().set_lines(&cpu_files_.back()->text(), cpu_window(config_));
    }
  }
}

void Tracing::open_timeline() {
  events_ = std::make_unique<TraceEvents>(file("trace.json"));
  events_->name_process(kNetworkProcess, "network");
  for (const auto& host : p_.hosts) {
    if (!config_.has_host(host->id())) continue;
    events_->name_process(host_process(host->id()),
                          "host " + p_.network.topology().host_ports().label(host->id()));
  }
}

void Tracing::trace_transactions() {
  for (const auto& host : p_.hosts) {
    if (!config_.has_host(host->id())) continue;
    const int process = host_process(host->id());
    host->trace_transactions([this, process](const regs::AccessRecord& access) {
      if (transactions_ != nullptr) transactions_->write(access);
      if (events_ != nullptr && TransactionLog::selects(config_, access)) {
        on_timeline(process, access);
      }
    });
    if (events_ == nullptr) continue;
    events_->name_thread({process, kThreadAccesses}, "register accesses");
    events_->name_thread({process, kThreadDma}, "DMA");
  }
}

void Tracing::on_timeline(int process, const regs::AccessRecord& access) {
  const bool dma = access.path.size() > 4 && access.path.substr(access.path.size() - 4) == ".dma";
  const int thread = dma ? kThreadDma : kThreadAccesses;
  const std::string name = (access.write ? "WR " : "RD ") + access.name;
  events_->complete({process, thread}, access.begin, access.end,
                    access.failed() ? name + " ERROR" : name,
                    "{\"data\":" + json_string(access.data_text()) + ",\"response\":\"" +
                        access.response + "\"}");
}

void Tracing::trace_functions(Host& host) {
  if (host.cpu() == nullptr) return;
  const std::vector<model::RiscvCpu*> harts = host.harts();
  for (std::size_t i = 0; i < harts.size(); ++i) {
    // The track of hart 0 is the first track of its host.
    const int thread = i == 0 ? kThreadFunctions : kThreadOtherHarts + static_cast<int>(i) - 1;
    const TraceEvents::Track track{host_process(host.id()), thread};
    events_->name_thread(track, harts.size() == 1 ? "firmware" : "hart " + std::to_string(i));
    functions_.push_back(std::make_unique<FunctionTrace>(*events_, track, *harts[i]));
    harts[i]->trace().set_calls(functions_.back().get(), cpu_window(config_));
  }
}

void Tracing::trace_slots(Host& host) {
  if (host.dcc() == nullptr) return;
  SlotTrace::Target target;
  target.events = events_.get();
  target.signals = signals_.get();
  target.process = host_process(host.id());
  target.scope = "host" + std::to_string(host.id()) + ".controller";
  target.flow_id = [this, id = host.id()](std::uint32_t flow_number) {
    return p_.plan.flow_of(id, flow_number);
  };
  ControllerEngine& device = host.dcc()->device();
  slots_.push_back(std::make_unique<SlotTrace>(config_, p_.scheduler, device, std::move(target)));
  host.observe_slots(*slots_.back());
}

void Tracing::trace_lines(Host& host) {
  host.observe_lines([this, id = host.id(), known = std::map<std::string, VcdFile::Signal>()](
                         const char* line, bool high) mutable {
    if (signals_ == nullptr) return;
    auto signal = known.find(line);
    if (signal == known.end()) {
      const std::string path = "host" + std::to_string(id) + ".irq." + line;
      signal = known.emplace(line, signals_->add(path, 1)).first;
    }
    if (in_window(config_, p_.scheduler.now())) {
      signals_->change(signal->second, p_.scheduler.now(), high ? 1 : 0);
    }
  });
}

void Tracing::finish(RunResults& results) {
  try {
    close();
  } catch (const std::runtime_error& error) {
    results.lost_traces.emplace_back(error.what());
  }
}

void Tracing::close() {
  for (const auto& host : p_.hosts) {
    for (model::RiscvCpu* const hart : host->harts()) hart->trace().finish();
  }
  for (const auto& slots : slots_) slots->finish();
  std::string lost;
  const auto close = [&lost](const auto& file) {
    if (file == nullptr) return;
    try {
      file->close();
    } catch (const std::runtime_error& error) {
      lost += (lost.empty() ? "" : "; ") + std::string(error.what());
    }
  };
  for (const auto& file : cpu_files_) close(file);
  for (const Profiled& one : profiled_) {
    riscv::Profile& profile = one.program->profile();
    profile.finish();
    if (one.coverage != nullptr) profile.write_coverage(one.coverage->text());
    if (one.callgrind != nullptr) profile.write_callgrind(one.callgrind->text(), one.elf);
    close(one.coverage);
    close(one.callgrind);
  }
  close(transactions_);
  close(events_);
  close(signals_);
  profiled_.clear();
  cpu_files_.clear();  // removes an incomplete trace file to make room for the results
  transactions_ = nullptr;
  events_ = nullptr;
  signals_ = nullptr;
  if (!lost.empty()) throw std::runtime_error(lost);
}

namespace {
const PartKind kTracingKind(PartKind::kTracing, [](Platform& p) {
  return std::make_unique<Tracing>(p, p.setup.traces);
});
}  // namespace

}  // namespace dcc::vp
