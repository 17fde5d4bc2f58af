#include "cpu/riscv_cpu.h"

#include <algorithm>
#include <cstdio>

namespace dcc::model {
namespace {

using riscv::Stop;

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

std::uint64_t period_ps(std::uint64_t clock_hz) {
  return std::max<std::uint64_t>(1, (kPicosecondsPerSecond + clock_hz / 2) / clock_hz);
}
std::uint64_t quantum_steps(const RiscvCpuConfig& c) {
  const std::uint64_t cycles = c.quantum.value() / period_ps(c.clock_hz);
  return std::max<std::uint64_t>(1, cycles * c.cpi.denominator / c.cpi.numerator);
}

}  // namespace

RiscvCpu::RiscvCpu(const sc_core::sc_module_name& name, const RiscvCpuConfig& config)
    : sc_core::sc_module(name),
      config_(config),
      hart_(*this, config.hart_id, config.cpi),
      quantum_steps_(quantum_steps(config)),
      quantum_left_(quantum_steps_) {
  hart_.set_ram({nullptr, config.ram_base, config.ram_bytes});
  hart_.set_misaligned(config.misaligned);
  socket.register_invalidate_direct_mem_ptr(this, &RiscvCpu::invalidate_dmi);
  SC_HAS_PROCESS(RiscvCpu);
  SC_THREAD(run);
  set_stack_size(256 * 1024);
}

RiscvCpu::~RiscvCpu() = default;

void RiscvCpu::set_program(std::uint32_t entry, const riscv::SymbolTable* symbols) {
  symbols_ = symbols;
  hart_.reset(entry);
  if (symbols == nullptr) return;
  hart_.set_stack_limit(symbols->address_of("__stack_limit").value_or(0));
  tohost_ = symbols->address_of("tohost").value_or(0);
  fromhost_ = symbols->address_of("fromhost").value_or(0);
  hart_.set_mailbox(tohost_);
}

void RiscvCpu::enable_gdb(std::uint16_t port, bool wait) {
  DebugTarget& self = *this;
  gdb_ = std::make_unique<GdbServer>(self, port);
  gdb_waits_ = wait;
}

void RiscvCpu::set_interrupt(riscv::Cause line, bool high) {
  hart_.set_interrupt_line(line, high);
  if (!high) return;
  if (notifier_) {
    notifier_(wake_);
  } else {
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
}

void RiscvCpu::exit(std::uint32_t code) {
  exit_asked_ = true;
  exit_code_ = code;
  hart_.request_stop();
}

void RiscvCpu::run() {
  if (gdb_ && gdb_waits_) {
    if (!resume_as(gdb_->wait_for_debugger())) stop_for_debugger(no_history());
  }
  while (state_ == State::kRunning) {
    if (journey_ != nullptr && hart_.steps() >= journey_->stage) {
      arrive();
    } else {
      run_on();
    }
  }
}

// Up to the end of the quantum, or to whatever comes before it.
void RiscvCpu::run_on() {
  if (dmi_wanted_) request_dmi();
  const std::uint64_t start = hart_.steps();
  const Stop stop = run_instructions();
  const std::uint64_t done = hart_.steps() - start;
  quantum_left_ -= std::min(done, quantum_left_);
  if (quantum_left_ == 0) {
    catch_up();
    quantum_left_ = quantum_steps_;
    quantum_over_ = true;
  }
  handle_stop(stop);
  quantum_over_ = false;
}

Stop RiscvCpu::run_instructions() {
  const bool traced = is_traced();
  if (single_step_ || stepping_over_) {
    stepping_over_ = false;
    return traced || observer_ != nullptr ? step_traced() : hart_.step();
  }
  if (traced) return run_traced();
  std::uint64_t budget = quantum_left_;
  if (journey_ != nullptr) budget = std::min(budget, journey_->stage - hart_.steps());
  return observer_ != nullptr ? hart_.run_observed(budget, *observer_) : hart_.run(budget);
}

void RiscvCpu::handle_stop(Stop stop) {
  if (exit_asked_) {
    end(State::kExited);
    return;
  }
  switch (stop) {
    case Stop::kNone:
    case Stop::kRequested:
      if (single_step_ || !change_note_.empty()) stop_for_debugger(DebugStop{5, "", change_note_});
      break;
    case Stop::kBudget:
      if (single_step_) {
        stop_for_debugger(DebugStop{});
      } else if (quantum_over_ && journey_ == nullptr) {
        poll_debugger();
      }
      break;
    case Stop::kWaitForInterrupt: {
      const bool stepping = single_step_;
      sleep();
      if (stepping && state_ == State::kRunning) stop_for_debugger(DebugStop{});
      break;
    }
    case Stop::kBreakpoint:
      if (journey_ != nullptr) {
        found_on_the_way(hart_.steps(), hart_.pc(), "");
      } else {
        stop_for_debugger(DebugStop{});
      }
      break;
    case Stop::kWatchpoint: {
      const riscv::Watchpoint& w = hart_.watch_hit();
      char extra[32];
      std::snprintf(extra, sizeof extra, "%s:%08x;",
                    !w.loads    ? "watch"
                    : !w.stores ? "rwatch"
                                : "awatch",
                    w.address);
      if (journey_ != nullptr) {
        found_on_the_way(hart_.steps() - 1, 0, extra);  // backwards it is met before it happens
      } else {
        stop_for_debugger(DebugStop{5, extra, ""});
      }
      break;
    }
    case Stop::kMailbox:
      handle_mailbox();
      if (single_step_ && state_ == State::kRunning) stop_for_debugger(DebugStop{});
      break;
    case Stop::kDead:
      failure_ = death_sentence();
      stop_for_debugger(DebugStop{11, "", failure_ + "\n"});
      if (state_ == State::kRunning) end(State::kDead);
      break;
  }
}

void RiscvCpu::sleep() {
  catch_up();
  quantum_left_ = quantum_steps_;
  while (!hart_.wakes() && state_ == State::kRunning) {
    if (gdb_) {
      sc_core::wait(10 * config_.quantum, wake_);
      note_elapsed();
      if (journey_ != nullptr) continue;
      if (gdb_->poll()) stop_for_debugger(DebugStop{2, "", ""});
      if (journey_ == nullptr && watched_value_changed("before", sc_core::sc_time_stamp())) {
        stop_for_debugger(DebugStop{5, "", change_note_});
      }
      if (single_step_) return;
    } else {
      sc_core::wait(wake_);
      note_elapsed();
    }
  }
}

sc_core::sc_time RiscvCpu::time_of(std::uint64_t cycles) const {
  return sc_core::sc_time::from_value(cycles * period_ps(config_.clock_hz));
}

std::uint64_t RiscvCpu::cycles_at(const sc_core::sc_time& time) const {
  const std::uint64_t period = period_ps(config_.clock_hz);
  return (time.value() + period - 1) / period;
}

void RiscvCpu::catch_up() {
  const sc_core::sc_time local = time_of(hart_.cycles());
  if (local > sc_core::sc_time_stamp()) sc_core::wait(local - sc_core::sc_time_stamp());
}

void RiscvCpu::note_elapsed() {
  const std::uint64_t reached = cycles_at(sc_core::sc_time_stamp());
  if (reached > hart_.cycles()) hart_.add_stall_cycles(reached - hart_.cycles());
}

void RiscvCpu::end(State state) {
  state_ = state;
  catch_up();
  if (gdb_) gdb_->report_exit(state == State::kExited ? exit_code_ : 255);
  if (on_end_) on_end_();
}

void RiscvCpu::handle_mailbox() {
  // Host-target interface: odd values end the program with code value / 2, others point to a
  // system call block {number, argument 0, 1, 2} of 64-bit words.
  std::uint32_t value = 0;
  debug_read_memory(tohost_, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
  if ((value & 1) != 0) {
    exit_code_ = value >> 1;
    end(State::kExited);
  } else if (value != 0) {
    write_mailbox_text(value);
  }
}

void RiscvCpu::write_mailbox_text(std::uint32_t block) {
  constexpr std::uint32_t kWrite = 64;
  std::uint64_t words[4] = {};
  const std::size_t size = sizeof words;
  if (debug_read_memory(block, reinterpret_cast<std::uint8_t*>(words), size) == size &&
      words[0] == kWrite) {
    std::uint8_t c = 0;
    const std::uint64_t count = std::min<std::uint64_t>(words[3], 1u << 20);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (debug_read_memory(static_cast<std::uint32_t>(words[2] + i), &c, 1) != 1) break;
      if (console_) console_(static_cast<char>(c));
    }
    debug_write_memory(block, reinterpret_cast<const std::uint8_t*>(&words[3]), 8);
  }
  const std::uint64_t zero = 0;
  const std::uint64_t one = 1;
  debug_write_memory(tohost_, reinterpret_cast<const std::uint8_t*>(&zero), 8);
  if (fromhost_ != 0) {
    debug_write_memory(fromhost_, reinterpret_cast<const std::uint8_t*>(&one), 8);
  }
}

std::string RiscvCpu::trap_sentence(const riscv::TrapRecord& trap) const {
  const auto place = [this](std::uint32_t pc) {
    const riscv::SymbolTable none;
    return (symbols_ != nullptr ? *symbols_ : none).with_address(pc);
  };
  std::string text = std::string(riscv::cause_name(trap.cause)) + " at pc " + place(trap.pc);
  char value[16];
  std::snprintf(value, sizeof value, "0x%08x", trap.value);
  switch (static_cast<riscv::Cause>(trap.cause)) {
    case riscv::Cause::kLoadMisaligned:
    case riscv::Cause::kLoadAccessFault:
    case riscv::Cause::kStoreMisaligned:
    case riscv::Cause::kStoreAccessFault:
      text += std::string(", address ") + value;
      if (namer_) text += " (" + namer_(trap.value) + ")";
      break;
    case riscv::Cause::kInstructionAccessFault:
      text += ", called from " + place(trap.ra);
      break;
    case riscv::Cause::kIllegalInstruction:
      text += std::string(", instruction ") + value;
      break;
    default:
      break;
  }
  return text;
}

std::string RiscvCpu::death_sentence() const {
  const riscv::TrapRecord& record = hart_.death_record();
  std::string text = std::string(name()) + ": " + riscv::death_name(hart_.death());
  const riscv::SymbolTable none;
  const riscv::SymbolTable& symbols = symbols_ != nullptr ? *symbols_ : none;
  switch (hart_.death()) {
    case riscv::Death::kNoHandler:
    case riscv::Death::kTrapLoop:
    case riscv::Death::kSameTrap:
      text += ": " + trap_sentence(record);
      break;
    case riscv::Death::kStackOverflow: {
      char address[16];
      std::snprintf(address, sizeof address, "0x%08x", record.value);
      text += " at pc " + symbols.with_address(record.pc) + ": store to " + address +
              ", below the end of the stack " +
              symbols.with_address(symbols.address_of("__stack_limit").value_or(0));
      break;
    }
    default:
      text += " at pc " + symbols.with_address(record.pc);
  }
  text += "; ra " + symbols.with_address(hart_.reg(1));
  const bool earlier_trap = hart_.death() != riscv::Death::kNoHandler &&
                            hart_.death() != riscv::Death::kTrapLoop &&
                            hart_.death() != riscv::Death::kSameTrap && hart_.has_trapped();
  if (earlier_trap) text += "; last trap: " + trap_sentence(hart_.last_trap());
  return text;
}

std::string RiscvCpu::whereabouts() const {
  const riscv::SymbolTable none;
  const riscv::SymbolTable& symbols = symbols_ != nullptr ? *symbols_ : none;
  std::string text = "pc " + symbols.with_address(hart_.pc()) + ", ra " +
                     symbols.with_address(hart_.reg(1)) + ", " + std::to_string(hart_.retired()) +
                     " instructions";
  if (hart_.has_trapped()) text += "; last trap: " + trap_sentence(hart_.last_trap());
  return text;
}

void RiscvCpu::request_dmi() {
  dmi_wanted_ = false;
  tlm::tlm_generic_payload request;
  request.set_command(tlm::TLM_WRITE_COMMAND);
  request.set_address(config_.ram_base);
  tlm::tlm_dmi dmi;
  dmi.init();
  const std::uint64_t last = std::uint64_t{config_.ram_base} + config_.ram_bytes - 1;
  const bool granted = socket->get_direct_mem_ptr(request, dmi) && dmi.is_read_write_allowed() &&
                       dmi.get_start_address() <= config_.ram_base && dmi.get_end_address() >= last;
  if (!granted) return;
  hart_.set_ram({dmi.get_dmi_ptr() + (config_.ram_base - dmi.get_start_address()), config_.ram_base,
                 config_.ram_bytes});
}

void RiscvCpu::invalidate_dmi(sc_dt::uint64 start, sc_dt::uint64 end) {
  if (start >= std::uint64_t{config_.ram_base} + config_.ram_bytes || end < config_.ram_base)
    return;
  hart_.set_ram({nullptr, config_.ram_base, config_.ram_bytes});
}

bool RiscvCpu::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t size,
                      std::uint32_t& value) {
  catch_up();
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(size);
  payload_.set_streaming_width(size);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload_, delay);
  note_elapsed();
  hart_.add_stall_cycles(cycles_at(delay));
  if (!watched_.empty() && watched_value_changed("before", sc_core::sc_time_stamp())) {
    hart_.request_stop();
  }
  const bool ram = address - config_.ram_base < config_.ram_bytes;
  if (ram && payload_.is_dmi_allowed()) dmi_wanted_ = true;
  return payload_.is_response_ok();
}

bool RiscvCpu::load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) {
  return access(tlm::TLM_READ_COMMAND, address, size, value);
}

bool RiscvCpu::store(std::uint32_t address, std::uint32_t size, std::uint32_t value) {
  return access(tlm::TLM_WRITE_COMMAND, address, size, value);
}

bool RiscvCpu::fetch(std::uint32_t address, std::uint32_t& halfword) {
  std::uint8_t bytes[2] = {};
  if (debug_read_memory(address, bytes, 2) != 2) return false;
  halfword = bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8;
  return true;
}

}  // namespace dcc::model
