// Connects gdb to the cores of one NIC: opens the port and stops handlers.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "build/platform.h"
#include "cpu/gdb_server.h"
#include "nic/algorithm/debugged_program.h"

namespace dcc::vp {
namespace {

/// One NIC's program under gdb. To gdb the cores of the NIC are one thread: each runs a handler at
/// a time to its end, on the same memory. Without a debugger's writes the run is as without gdb.
class ProgramDebug final : public PlatformPart,
                           private ProcessorDebugger,
                           private model::DebugTarget {
 public:
  /// Makes the debugger. `host`: number of the host that gdb shows.
  ProgramDebug(Platform& platform, std::string host, DebuggedProgram& program, std::uint16_t port)
      : platform_(platform), host_(std::move(host)), gdb_(self(), port) {
    program.set_debugger(*this);
  }

  void begin() override {
    fmt::print(stderr, "host {}: gdb on the cores of its NIC: listening on 127.0.0.1:{}, waiting\n",
               host_, gdb_.port());
  }
  void finish(RunResults& /*results*/) override { gdb_.report_exit(0); }

 private:
  using Resume = model::GdbServer::Resume;
  // number of handlers between two polls, since a poll is a system call
  static constexpr unsigned kHandlersPerPoll = 64;

  model::DebugTarget& self() { return *this; }

  // functions of the interface ProcessorDebugger
  void begin_handler(DebuggedProcessor& processor) override {
    const bool first = processor_ == nullptr;
    processor_ = &processor;
    if (first) {
      follow(gdb_.wait_for_debugger());
    } else if (single_step_) {
      serve({});
    } else if (++handlers_ % kHandlersPerPoll == 0 && gdb_.poll(*this)) {
      serve({2, "", ""});
    }
  }
  bool wants_one_instruction() override {
    const bool one = single_step_ || stepping_over_;
    stepping_over_ = false;
    return one;
  }
  void stepped() override {
    if (single_step_) serve({});
  }
  void met_point(riscv::Stop stop) override {
    if (stop != riscv::Stop::kWatchpoint) {
      serve({});
      return;
    }
    const riscv::Watchpoint& w = processor_->hart().watch_hit();
    const char* const kind = !w.loads ? "watch" : !w.stores ? "rwatch" : "awatch";
    serve({5, fmt::format("{}:{:08x};", kind, w.address), ""});
  }
  void faulted(const std::string& why) override { serve({11, "", why + "\n"}); }

  void serve(const model::DebugStop& stop) { follow(gdb_.serve(*this, stop)); }
  void follow(Resume resume) {
    single_step_ = resume == Resume::kStep;
    stepping_over_ = true;
    if (resume == Resume::kKill) platform_.kernel.stop();
  }

  // functions of the interface DebugTarget
  bool debug_read_register(unsigned number, std::uint32_t& value) override {
    const riscv::Hart& hart = processor_->hart();
    if (number < kPcNumber) {
      value = hart.reg(number);
    } else if (number == kPcNumber) {
      value = hart.pc();
    } else {
      return number >= kFirstCsr && hart.read_csr(number - kFirstCsr, value);
    }
    return true;
  }
  bool debug_write_register(unsigned number, std::uint32_t value) override {
    riscv::Hart& hart = processor_->hart();
    if (number < kPcNumber) {
      hart.set_reg(number, value);
    } else if (number == kPcNumber) {
      hart.set_pc(value);
    } else {
      return number >= kFirstCsr && hart.write_csr(number - kFirstCsr, value);
    }
    return true;
  }
  std::size_t debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                std::size_t bytes) override {
    return processor_->read_memory(address, data, bytes);
  }
  std::size_t debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                 std::size_t bytes) override {
    return processor_->write_memory(address, data, bytes);
  }
  void debug_set_breakpoint(std::uint32_t address, bool set) override {
    // The breakpoint at the return address belongs to the processor.
    if (address == processor_->return_address()) return;
    if (set) {
      processor_->hart().add_breakpoint(address);
    } else {
      processor_->hart().remove_breakpoint(address);
    }
  }
  void debug_set_watchpoint(const Watch& watch, bool set) override {
    const riscv::Watchpoint point{watch.address, watch.bytes, watch.loads, watch.stores};
    if (set) {
      processor_->hart().add_watchpoint(point);
    } else {
      processor_->hart().remove_watchpoint(point);
    }
  }
  std::string debug_monitor(const std::string& command) override {
    if (command == "event") return processor_->present_event() + "\n";
    if (command == "time") return fmt::format("{} ps\n", platform_.kernel.now().count);
    return "event    the event whose handler runs\n"
           "time     simulated time\n";
  }

  Platform& platform_;
  std::string host_;
  model::GdbServer gdb_;
  // processor that runs the present handler; null before the first handler
  DebuggedProcessor* processor_ = nullptr;
  std::uint64_t handlers_ = 0;
  bool single_step_ = false;
  // true while the next instruction may have a breakpoint that must not stop
  bool stepping_over_ = false;
};

std::unique_ptr<PlatformPart> make(Platform& platform) {
  const HostPorts ports = platform.config.topology.host_ports();
  for (const auto& host : platform.hosts) {  // the debugger serves only a host's first port
    auto* const program = dynamic_cast<DebuggedProgram*>(host->algorithm());
    if (program == nullptr || !platform.is_here(host->id())) continue;
    const std::optional<std::uint16_t> port = program->debugger_port(ports.host_of(host->id()));
    if (port) {
      return std::make_unique<ProgramDebug>(platform, ports.label(host->id()), *program, *port);
    }
  }
  return nullptr;
}

const PartKind kProgramDebugKind(PartKind::kProgramDebug, make);

}  // namespace
}  // namespace dcc::vp
