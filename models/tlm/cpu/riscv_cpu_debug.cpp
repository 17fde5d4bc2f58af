// The debugger's side of the CPU: registers, memory, stops, and the monitor commands.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cpu/riscv_cpu.h"

namespace dcc::model {
namespace {

constexpr std::uint32_t kQuantaPerPoll = 64;  // a look at the debugger's socket is a system call

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

void RiscvCpu::poll_debugger() {
  if (!gdb_) return;
  if (watched_value_changed("before", sc_core::sc_time_stamp())) {
    stop_for_debugger(DebugStop{5, "", change_note_});
    return;
  }
  if (++quanta_to_poll_ < kQuantaPerPoll) return;
  quanta_to_poll_ = 0;
  if (machine_ != nullptr && gdb_->attached() && machine_->is_due()) {
    mark();
    if (journey_ != nullptr) return;  // somebody has come back to it
  }
  if (gdb_->poll()) stop_for_debugger(DebugStop{2, "", ""});
}

void RiscvCpu::stop_for_debugger(const DebugStop& stop) {
  if (!gdb_) return;
  GdbServer::Resume resume = gdb_->serve(stop);
  stepping_over_ = true;
  if (!gdb_->attached()) watched_.clear();
  for (WatchedValue& value : watched_) value.last = value.read();  // the user's own writes
  change_note_.clear();
  while (!resume_as(resume)) resume = gdb_->serve(no_history());
}

// The first change is kept until the CPU has stopped for it.
bool RiscvCpu::watched_value_changed(const char* when, const sc_core::sc_time& time) {
  for (WatchedValue& value : watched_) {
    if (!change_note_.empty()) break;
    std::string present = value.read();
    if (present == value.last) continue;
    change_note_ = value.path + " changed " + when + " " + time.to_string() + ": " + value.last +
                   " -> " + present + "\n";
  }
  return !change_note_.empty();
}

bool RiscvCpu::compare_watched(const sc_core::sc_time& now) {
  if (watched_.empty()) return false;
  const bool known = !change_note_.empty();
  if (!known && watched_value_changed("at", now)) {
    // Asleep, it stops here and now; at work it is ahead, and stops at its quantum's end.
    if (notifier_) notifier_(wake_);
  }
  return true;
}

bool RiscvCpu::debug_read_register(unsigned number, std::uint32_t& value) {
  if (number < kPcNumber) {
    value = hart_.reg(number);
  } else if (number == kPcNumber) {
    value = hart_.pc();
  } else {
    return number >= kFirstCsr && hart_.read_csr(number - kFirstCsr, value);
  }
  return true;
}

bool RiscvCpu::debug_write_register(unsigned number, std::uint32_t value) {
  if (number < kPcNumber) {
    hart_.set_reg(number, value);
  } else if (number == kPcNumber) {
    hart_.set_pc(value);
  } else {
    return number >= kFirstCsr && hart_.write_csr(number - kFirstCsr, value);
  }
  return true;
}

std::size_t RiscvCpu::debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                        std::size_t bytes) {
  tlm::tlm_generic_payload request;
  request.set_command(tlm::TLM_READ_COMMAND);
  request.set_address(address);
  request.set_data_ptr(data);
  request.set_data_length(static_cast<unsigned>(bytes));
  request.set_streaming_width(static_cast<unsigned>(bytes));
  return socket->transport_dbg(request);
}

std::size_t RiscvCpu::debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                         std::size_t bytes) {
  std::vector<unsigned char> copy(data, data + bytes);
  tlm::tlm_generic_payload request;
  request.set_command(tlm::TLM_WRITE_COMMAND);
  request.set_address(address);
  request.set_data_ptr(copy.data());
  request.set_data_length(static_cast<unsigned>(bytes));
  request.set_streaming_width(static_cast<unsigned>(bytes));
  const std::size_t count = socket->transport_dbg(request);
  hart_.code_changed(address, static_cast<std::uint32_t>(count));
  return count;
}

void RiscvCpu::debug_set_breakpoint(std::uint32_t address, bool set) {
  if (set) {
    hart_.add_breakpoint(address);
  } else {
    hart_.remove_breakpoint(address);
  }
}

void RiscvCpu::debug_set_watchpoint(const Watch& watch, bool set) {
  const riscv::Watchpoint point{watch.address, watch.bytes, watch.loads, watch.stores};
  if (set) {
    hart_.add_watchpoint(point);
  } else {
    hart_.remove_watchpoint(point);
  }
}

std::string RiscvCpu::debug_monitor(const std::string& command) {
  std::istringstream words(command);
  std::string verb;
  std::string path;
  words >> verb >> path;
  if (verb == "modules") return monitor_modules();
  if (verb == "read") return monitor_read(path);
  if (verb == "stop-on-change") return monitor_stop_on_change(path);
  if (verb == "time") return time_of(hart_.cycles()).to_string();
  if (verb == "cpu") return monitor_cpu();
  if (verb == "unwatch") {
    watched_.clear();
    return "nothing is watched\n";
  }
  return verb.empty() || verb == "help" ? kHelp : "unknown command " + verb + "\n" + kHelp;
}

std::string RiscvCpu::monitor_modules() const {
  std::string text = std::string(name()) + "  RISC-V CPU RV32IMAC\n";
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

std::string RiscvCpu::monitor_cpu() const {
  std::uint32_t mip = 0;
  std::uint32_t mie = 0;
  hart_.read_csr(riscv::csr::kMip, mip);
  hart_.read_csr(riscv::csr::kMie, mie);
  return whereabouts() + "\n" + std::to_string(hart_.cycles()) + " cycles, mip " + hex_text(mip) +
         ", mie " + hex_text(mie) + "\n";
}

// A value by name, or the word at a bus address.
std::function<std::string()> RiscvCpu::reader(const std::string& path, std::string& error) const {
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
    auto* const self = const_cast<RiscvCpu*>(this);  // a debug read changes nothing
    return [self, address]() -> std::string {
      std::uint8_t b[4] = {};
      if (self->debug_read_memory(static_cast<std::uint32_t>(address), b, 4) != 4) {
        return "not readable";
      }
      return hex_text(b[0] | static_cast<std::uint32_t>(b[1]) << 8 |
                 static_cast<std::uint32_t>(b[2]) << 16 | static_cast<std::uint32_t>(b[3]) << 24);
    };
  }
  if (registry_ != nullptr) return registry_->find(path, error);
  error = path + ": no such value, and not an address";
  return {};
}

std::string RiscvCpu::monitor_read(const std::string& path) const {
  std::string error;
  const std::function<std::string()> read = reader(path, error);
  return read ? path + " = " + read() + "\n" : error + "\n";
}

std::string RiscvCpu::monitor_stop_on_change(const std::string& path) {
  std::string error;
  std::function<std::string()> read = reader(path, error);
  if (!read) return error + "\n";
  std::string present = read();
  watched_.push_back({path, std::move(read), present});
  if (start_watching_) start_watching_();
  return "stops when " + path + " changes; now " + present + "\n";
}

}  // namespace dcc::model
