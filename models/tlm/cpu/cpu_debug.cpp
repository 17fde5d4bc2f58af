#include "cpu/cpu_debug.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

namespace dcc::model {
namespace {

constexpr std::uint32_t kQuantaPerSocketPoll =
    64;  // number of quanta between two polls of the debugger's socket; a poll costs a system call

const char kHelp[] =
    "modules                 what can be looked at\n"
    "read NAME | ADDRESS     a value, or a 32-bit word at a bus address, without side effects\n"
    "stop-on-change NAME | ADDRESS\n"
    "                        stop when hardware or software changes it\n"
    "unwatch                 forget all stop-on-change\n"
    "time                    simulated time\n"
    "cpu                     instructions, cycles, interrupts, last trap\n";

std::string hex_text(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

}  // namespace

CpuDebug::CpuDebug(DebuggedCpu& cpu, riscv::Hart& hart) : cpu_(cpu), hart_(hart), reverse_(hart) {
  reverse_.set_restored_handler([this] { forget_session(); });
}

CpuDebug::~CpuDebug() = default;

void CpuDebug::enable(std::uint16_t port, bool wait) {
  DebugTarget& self = *this;
  gdb_ = std::make_shared<GdbServer>(self, port);
  reverse_.set_server(gdb_.get());
  waits_for_debugger_ = wait;
}

void CpuDebug::join(CpuDebug& first) {
  gdb_ = first.gdb_;
  if (gdb_) gdb_->add(*this);
}

void CpuDebug::debug_follow(Follow follow) {
  const bool was_held = std::exchange(held_, follow == Follow::kHold);
  single_step_ = follow == Follow::kStep;
  // A hart that waits within an access stops after the instruction of that access.
  const bool stops = held_ || single_step_;
  if (stops && cpu_.is_within_instruction()) hart_.request_stop();
  if (was_held && !held_) cpu_.release();
}

void CpuDebug::begin() {
  if (!gdb_ || !waits_for_debugger_) return;
  if (!resume(gdb_->wait_for_debugger())) stop(ReverseDebug::no_history());
}

void CpuDebug::stop(const DebugStop& stop) {
  if (!gdb_) return;
  GdbServer::Resume wish = gdb_->serve(*this, stop);
  stepping_over_ = true;
  if (!gdb_->attached()) watched_.clear();
  // Reads watched values again: a debugger may itself have written a watched value, and such a
  // change causes no stop.
  for (WatchedValue& value : watched_) value.last = value.read();
  change_note_.clear();
  while (!resume(wish)) wish = gdb_->serve(*this, ReverseDebug::no_history());
}

/// Resumes the CPU as the debugger requested. Returns false if the debugger wants to go back beyond
/// the history of snapshots.
bool CpuDebug::resume(GdbServer::Resume resume) {
  single_step_ = resume == GdbServer::Resume::kStep;
  held_ = resume == GdbServer::Resume::kHold;
  if (resume == GdbServer::Resume::kKill) cpu_.kill();
  return !cpu_.is_running() || reverse_.resume(resume);
}

/// Clears the debugger's state of the later time, which a restored snapshot must not keep.
void CpuDebug::forget_session() {
  single_step_ = stepping_over_ = false;
  watched_.clear();
  change_note_.clear();
}

void CpuDebug::advance_replay() {
  if (const std::optional<DebugStop> arrived = reverse_.arrive()) stop(*arrived);
}

void CpuDebug::after_budget(bool quantum_over) {
  if (single_step_) {
    stop(DebugStop{});
  } else if (quantum_over && !reverse_.is_replaying()) {
    poll();
  }
}

void CpuDebug::after_request() {
  if (single_step_ || !change_note_.empty()) stop(DebugStop{5, "", change_note_});
}

void CpuDebug::after_breakpoint() {
  if (!reverse_.is_replaying()) {
    stop(DebugStop{});
    return;
  }
  stepping_over_ = true;
  reverse_.note_stop(hart_.steps(), hart_.pc(), "");
}

void CpuDebug::after_watchpoint() {
  const riscv::Watchpoint& w = hart_.watch_hit();
  const char* const kind = !w.loads ? "watch" : !w.stores ? "rwatch" : "awatch";
  char extra[32];
  std::snprintf(extra, sizeof extra, "%s:%08x;", kind, w.address);
  if (!reverse_.is_replaying()) {
    stop(DebugStop{5, extra, ""});
    return;
  }
  stepping_over_ = true;
  // In reverse execution, a watchpoint stops before the access that it watches.
  reverse_.note_stop(hart_.steps() - 1, 0, extra);
}

void CpuDebug::after_step(bool stepping) {
  if (stepping && cpu_.is_running()) stop(DebugStop{});
}

void CpuDebug::after_death(const std::string& why) { stop(DebugStop{11, "", why + "\n"}); }

void CpuDebug::poll() {
  if (!gdb_) return;
  if (note_change("before", sc_core::sc_time_stamp())) {
    stop(DebugStop{5, "", change_note_});
    return;
  }
  if (++quanta_since_poll_ < kQuantaPerSocketPoll) return;
  quanta_since_poll_ = 0;
  reverse_.take_due_snapshot();
  // the debugger's snapshot was restored, so the replay continues
  if (reverse_.is_replaying()) return;
  if (gdb_->poll(*this)) stop(DebugStop{2, "", ""});
}

bool CpuDebug::poll_asleep() {
  if (reverse_.is_replaying()) return false;
  if (gdb_->poll(*this)) stop(DebugStop{2, "", ""});
  if (!reverse_.is_replaying() && note_change("before", sc_core::sc_time_stamp())) {
    stop(DebugStop{5, "", change_note_});
  }
  return single_step_;
}

// Notes the first change of a watched value; the note is kept until the CPU has stopped for the
// change.
bool CpuDebug::note_change(const char* when, const sc_core::sc_time& time) {
  for (WatchedValue& value : watched_) {
    if (!change_note_.empty()) break;
    std::string present = value.read();
    if (present == value.last) continue;
    change_note_ = value.path + " changed " + when + " " + time.to_string() + ": " + value.last +
                   " -> " + present + "\n";
  }
  return !change_note_.empty();
}

bool CpuDebug::watched_changed_by_access() {
  return !watched_.empty() && note_change("before", sc_core::sc_time_stamp());
}

bool CpuDebug::compare_watched(const sc_core::sc_time& now) {
  if (watched_.empty()) return false;
  // A sleeping CPU stops at once. A running CPU is up to a quantum ahead of the devices, and stops
  // at the end of its quantum.
  if (change_note_.empty() && note_change("at", now)) cpu_.wake_for_debugger();
  return true;
}

void CpuDebug::report_exit(std::uint32_t code) {
  if (gdb_) gdb_->report_exit(code);
}

bool CpuDebug::debug_read_register(unsigned number, std::uint32_t& value) {
  if (number < kPcNumber) {
    value = hart_.reg(number);
  } else if (number == kPcNumber) {
    value = hart_.pc();
  } else {
    return number >= kFirstCsr && hart_.read_csr(number - kFirstCsr, value);
  }
  return true;
}

bool CpuDebug::debug_write_register(unsigned number, std::uint32_t value) {
  if (number < kPcNumber) {
    hart_.set_reg(number, value);
  } else if (number == kPcNumber) {
    hart_.set_pc(value);
  } else {
    return number >= kFirstCsr && hart_.write_csr(number - kFirstCsr, value);
  }
  return true;
}

void CpuDebug::debug_set_breakpoint(std::uint32_t address, bool set) {
  if (set) {
    hart_.add_breakpoint(address);
  } else {
    hart_.remove_breakpoint(address);
  }
}

void CpuDebug::debug_set_watchpoint(const Watch& watch, bool set) {
  const riscv::Watchpoint point{watch.address, watch.bytes, watch.loads, watch.stores};
  if (set) {
    hart_.add_watchpoint(point);
  } else {
    hart_.remove_watchpoint(point);
  }
}

std::string CpuDebug::debug_monitor(const std::string& command) {
  std::istringstream words(command);
  std::string verb;
  std::string path;
  words >> verb >> path;
  if (verb == "modules") return monitor_modules();
  if (verb == "read") return monitor_read(path);
  if (verb == "stop-on-change") return monitor_stop_on_change(path);
  if (verb == "time") return cpu_.local_time().to_string();
  if (verb == "cpu") return monitor_cpu();
  if (verb == "unwatch") {
    watched_.clear();
    return "nothing is watched\n";
  }
  return verb.empty() || verb == "help" ? kHelp : "unknown command " + verb + "\n" + kHelp;
}

std::string CpuDebug::monitor_modules() const {
  std::string text = cpu_.cpu_name() + "  RISC-V CPU RV32IMAC\n";
  if (registry_ == nullptr) return text;
  for (const DebugRegistry::Module& module : registry_->modules()) {
    text += module.name + "  " + module.kind + "\n";
    if (module.describe) text += module.describe();
  }
  if (!registry_->values().empty()) text += "values:\n";
  for (const DebugRegistry::Value& value : registry_->values()) {
    text += "  " + value.name;
    if (value.count != 0) text += "[0.." + std::to_string(value.count - 1) + "]";
    text += "  " + value.help + "\n";
  }
  return text;
}

std::string CpuDebug::monitor_cpu() const {
  std::uint32_t mip = 0;
  std::uint32_t mie = 0;
  hart_.read_csr(riscv::csr::kMip, mip);
  hart_.read_csr(riscv::csr::kMie, mie);
  return cpu_.whereabouts() + "\n" + std::to_string(hart_.cycles()) + " cycles, mip " +
         hex_text(mip) + ", mie " + hex_text(mie) + "\n";
}

/// Returns a function that reads the value with the name `path`, or the word at the bus address
/// `path`. Empty with `error` set if `path` is neither.
std::function<std::string()> CpuDebug::reader(const std::string& path, std::string& error) const {
  char* end = nullptr;
  unsigned long address = std::strtoul(path.c_str(), &end, 0);
  bool is_address = !path.empty() && *end == '\0';
  if (!is_address && registry_ != nullptr) {
    const std::optional<std::uint32_t> named = registry_->address_of(path);
    is_address = named.has_value();
    address = named.value_or(0);
  }
  if (is_address) {
    if (address > 0xFFFFFFFFul) {
      error = path + ": addresses have 32 bits";
      return {};
    }
    return [&cpu = cpu_, address]() -> std::string {
      std::uint8_t b[4] = {};
      if (cpu.read_memory(static_cast<std::uint32_t>(address), b, 4) != 4) {
        return "not readable";
      }
      return hex_text(b[0] | static_cast<std::uint32_t>(b[1]) << 8 |
                      static_cast<std::uint32_t>(b[2]) << 16 |
                      static_cast<std::uint32_t>(b[3]) << 24);
    };
  }
  if (registry_ != nullptr) return registry_->find(path, error);
  error = path + ": no such value, and not an address";
  return {};
}

std::string CpuDebug::monitor_read(const std::string& path) const {
  std::string error;
  const std::function<std::string()> read = reader(path, error);
  return read ? path + " = " + read() + "\n" : error + "\n";
}

std::string CpuDebug::monitor_stop_on_change(const std::string& path) {
  std::string error;
  std::function<std::string()> read = reader(path, error);
  if (!read) return error + "\n";
  std::string present = read();
  watched_.push_back({path, std::move(read), present});
  if (start_watching_) start_watching_();
  return "stops when " + path + " changes; now " + present + "\n";
}

}  // namespace dcc::model
