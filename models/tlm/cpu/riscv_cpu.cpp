#include "cpu/riscv_cpu.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace dcc::model {
namespace {

using riscv::Stop;

// number of quanta between two polls of the debugger while the CPU sleeps
constexpr int kQuantaPerPoll = 10;

/// Number of instructions that the CPU runs in one quantum, at least 1.
std::uint64_t quantum_steps(const RiscvCpuConfig& c, const CpuClock& clock) {
  const std::uint64_t cycles = clock.cycles_in(c.quantum);
  return std::max<std::uint64_t>(1, cycles * c.cpi.denominator / c.cpi.numerator);
}

}  // namespace

RiscvCpu::RiscvCpu(const sc_core::sc_module_name& name, const RiscvCpuConfig& config)
    : sc_core::sc_module(name),
      config_(config),
      clock_(config.clock_hz, config.group == nullptr ? 0 : config.hart_id),
      hart_(*this, config.hart_id, config.cpi),
      trace_(hart_, clock_),
      debug_(*this, hart_),
      quantum_steps_(quantum_steps(config, clock_)),
      quantum_left_(quantum_steps_) {
  hart_.set_ram({nullptr, config.ram_base, config.ram_bytes});
  if (config.rom.size != 0) hart_.set_rom(config.rom);
  hart_.set_misaligned(config.misaligned);
  socket.register_invalidate_direct_mem_ptr(this, &RiscvCpu::invalidate_dmi);
  SC_HAS_PROCESS(RiscvCpu);
  SC_THREAD(run);
  if (config.group != nullptr) config_.group->add(*this);
  set_stack_size(256 * 1024);
}

RiscvCpu::~RiscvCpu() = default;

void RiscvCpu::set_program(std::uint32_t entry, const riscv::SymbolTable* symbols) {
  symbols_ = symbols;
  trace_.set_symbols(symbols);
  hart_.reset(entry);
  constexpr unsigned kA0 = 10;
  if (config_.group != nullptr) hart_.set_reg(kA0, config_.hart_id);
  if (symbols == nullptr) return;
  const std::uint32_t limit = symbols->address_of("__stack_limit").value_or(0);
  const std::uint32_t top = symbols->address_of("__stack_top").value_or(0);
  // Guards the stacks of several harts only if the stacks lie below one another, as crt0.S places
  // them.
  const std::uint32_t bytes = symbols->address_of("__hart_stack_bytes").value_or(0);
  if (config_.group == nullptr) {
    hart_.set_stack_limit(limit);
  } else if (limit != 0 && bytes != 0) {
    hart_.set_stack_limit(top - (config_.hart_id + 1) * bytes);
  }
  tohost_ = symbols->address_of("tohost").value_or(0);
  fromhost_ = symbols->address_of("fromhost").value_or(0);
  hart_.set_mailbox(tohost_);
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
  process_ = sc_core::sc_get_current_process_handle();
  if (config_.group != nullptr) catch_up();
  debug_.begin();
  while (state_ == State::kRunning) {
    if (debug_.is_held()) {
      wait_for(released_);
      continue;
    }
    debug_.must_advance_replay() ? debug_.advance_replay() : run_on();
  }
}

/// Runs the hart's instructions to the end of the quantum, or until an event stops the hart.
void RiscvCpu::run_on() {
  if (dmi_wanted_) request_dmi();
  const std::uint64_t start = hart_.steps();
  const Stop stop = run_instructions();
  const std::uint64_t done = hart_.steps() - start;
  quantum_left_ -= std::min(done, quantum_left_);
  const bool quantum_over = quantum_left_ == 0;
  if (quantum_over) {
    catch_up();
    quantum_left_ = quantum_steps_;
  }
  handle_stop(stop, quantum_over);
}

Stop RiscvCpu::run_instructions() {
  const bool traced = trace_.is_active(config_.quantum);
  riscv::InstructionObserver* const observer = trace_.observer();
  if (debug_.consume_single_step()) {
    return traced || observer != nullptr ? trace_.step() : hart_.step();
  }
  if (traced) return trace_.run(quantum_left_);
  const std::uint64_t budget = debug_.limited(quantum_left_);
  return observer != nullptr ? hart_.run_observed(budget, *observer) : hart_.run(budget);
}

void RiscvCpu::handle_stop(Stop stop, bool quantum_over) {
  if (state_ != State::kRunning) return;  // another hart ended the program
  if (exit_asked_) {
    end(State::kExited);
    return;
  }
  const bool stepping = debug_.is_stepping();
  switch (stop) {
    case Stop::kNone:
    case Stop::kRequested:
      debug_.after_request();
      break;
    case Stop::kBudget:
      debug_.after_budget(quantum_over);
      break;
    case Stop::kWaitForInterrupt:
      sleep();
      debug_.after_step(stepping);
      break;
    case Stop::kBreakpoint:
      debug_.after_breakpoint();
      break;
    case Stop::kWatchpoint:
      debug_.after_watchpoint();
      break;
    case Stop::kMailbox:
      handle_mailbox();
      debug_.after_step(stepping);
      break;
    case Stop::kSemihosting:
      handle_semihosting();
      debug_.after_step(stepping);
      break;
    case Stop::kDead:
      if (can_never_go_on() && config_.group != nullptr && config_.group->others_run(*this)) {
        state_ = State::kParked;
        catch_up();
        break;
      }
      failure_ = death_sentence();
      debug_.after_death(failure_);
      if (state_ == State::kRunning) end(State::kDead);
      break;
  }
}

void RiscvCpu::sleep() {
  catch_up();
  quantum_left_ = quantum_steps_;
  asleep_ = true;
  const std::uint64_t before = hart_.cycles();
  while (!hart_.wakes() && state_ == State::kRunning) {
    if (debug_.is_enabled()) {
      wait_for(kQuantaPerPoll * config_.quantum, wake_);
      note_elapsed();
      if (debug_.poll_asleep()) break;
    } else {
      wait_for(wake_);
      note_elapsed();
    }
  }
  // A hart of a group continues only at edges of its own clock.
  if (config_.group != nullptr) catch_up();
  asleep_ = false;
  hart_.slept(hart_.cycles() - before);
}

void RiscvCpu::catch_up() {
  const sc_core::sc_time local = clock_.time_of(hart_.cycles());
  if (local > sc_core::sc_time_stamp()) wait_for(local - sc_core::sc_time_stamp());
}

template <class... Until>
void RiscvCpu::wait_for(const Until&... until) {
  if (config_.group != nullptr) config_.group->suspend(*this);
  sc_core::wait(until...);
  if (config_.group != nullptr) config_.group->resume(*this);
}

// True if neither an interrupt nor another hart's store can make the hart continue.
bool RiscvCpu::can_never_go_on() const {
  return hart_.death() == riscv::Death::kEndlessLoop ||
         hart_.death() == riscv::Death::kEndlessSleep;
}

void RiscvCpu::note_elapsed() {
  const std::uint64_t reached = clock_.cycles_at(sc_core::sc_time_stamp());
  if (reached > hart_.cycles()) hart_.add_stall_cycles(reached - hart_.cycles());
}

void RiscvCpu::end(State state) {
  state_ = state;
  if (config_.group != nullptr) config_.group->end_others(*this);
  catch_up();
  debug_.report_exit(state == State::kExited ? exit_code_ : 255);
  if (on_end_) on_end_();
}

void RiscvCpu::end_with(const RiscvCpu& other) {
  state_ = other.state_;
  exit_code_ = other.exit_code_;
  failure_ = other.failure_;
  hart_.request_stop();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void RiscvCpu::handle_mailbox() {
  // Host-target interface: an odd value ends the program with exit code value / 2; any other
  // nonzero value is the address of a system call block {number, argument 0, 1, 2} of 64-bit words.
  std::uint32_t value = 0;
  read_memory(tohost_, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
  if ((value & 1) != 0) {
    exit_code_ = value >> 1;
    end(State::kExited);
  } else if (value != 0) {
    write_mailbox_text(value);
  }
}

void RiscvCpu::handle_semihosting() {
  constexpr unsigned kA0 = 10, kA1 = 11;
  catch_up();
  const Semihosting::Machine machine{
      [this](std::uint32_t at, std::uint8_t* data, std::size_t n) {
        return read_memory(at, data, n) == n;
      },
      [this](std::uint32_t at, const std::uint8_t* data, std::size_t n) {
        return write_memory(at, data, n) == n;
      },
      [this](char c) {
        if (console_) console_(c);
      },
      static_cast<std::uint64_t>(sc_core::sc_time_stamp().value()) / 1000};
  const Semihosting::Answer answer = semihosting_.call(hart_.reg(kA0), hart_.reg(kA1), machine);
  if (answer.exit) {
    exit_code_ = answer.value;
    end(State::kExited);
  } else {
    hart_.set_reg(kA0, answer.value);
  }
}

void RiscvCpu::write_mailbox_text(std::uint32_t block) {
  constexpr std::uint32_t kWrite = 64;
  std::uint64_t words[4] = {};
  const std::size_t size = sizeof words;
  if (read_memory(block, reinterpret_cast<std::uint8_t*>(words), size) == size &&
      words[0] == kWrite) {
    std::uint8_t c = 0;
    const std::uint64_t count = std::min<std::uint64_t>(words[3], 1u << 20);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (read_memory(static_cast<std::uint32_t>(words[2] + i), &c, 1) != 1) break;
      if (console_) console_(static_cast<char>(c));
    }
    write_memory(block, reinterpret_cast<const std::uint8_t*>(&words[3]), 8);
  }
  const std::uint64_t zero = 0;
  const std::uint64_t one = 1;
  write_memory(tohost_, reinterpret_cast<const std::uint8_t*>(&zero), 8);
  if (fromhost_ != 0) {
    write_memory(fromhost_, reinterpret_cast<const std::uint8_t*>(&one), 8);
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

// Performs an access of a hart in a group. Its target may wait, so that other harts run during the
// access.
void RiscvCpu::access_in_group(const sc_core::sc_time& begin, sc_core::sc_time delay) {
  const sc_core::sc_time before = delay;
  config_.group->suspend(*this);
  socket->b_transport(payload_, delay);
  config_.group->resume(*this);
  const bool waited = sc_core::sc_time_stamp() != begin;
  note_elapsed();
  hart_.add_stall_cycles(clock_.cycles_of(waited ? delay : delay - before));
  if (waited) catch_up();
}

void RiscvCpu::stored(std::uint32_t address, std::uint32_t size) {
  config_.group->stored(this, address, size);
}

bool RiscvCpu::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t size,
                      std::uint32_t& value) {
  in_access_ = true;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (std::exchange(completes_atomic_, false) && config_.group != nullptr) {
    // The second access of an atomic operation begins at the hart's own time without a wait,
    // because other harts would run during a wait.
    delay = local_time() - sc_core::sc_time_stamp();
  } else {
    catch_up();
  }
  const sc_core::sc_time begin = sc_core::sc_time_stamp();
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(size);
  payload_.set_streaming_width(size);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  if (config_.group == nullptr) {
    socket->b_transport(payload_, delay);
    note_elapsed();
    hart_.add_stall_cycles(clock_.cycles_of(delay));
  } else {
    access_in_group(begin, delay);
  }
  in_access_ = false;
  if (debug_.watched_changed_by_access()) hart_.request_stop();
  const bool ram = address - config_.ram_base < config_.ram_bytes;
  if (ram && payload_.is_dmi_allowed()) dmi_wanted_ = true;
  return payload_.is_response_ok();
}

std::size_t RiscvCpu::debug_transport(tlm::tlm_command command, std::uint32_t address,
                                      std::uint8_t* data, std::size_t bytes) {
  tlm::tlm_generic_payload request;
  request.set_command(command);
  request.set_address(address);
  request.set_data_ptr(data);
  request.set_data_length(static_cast<unsigned>(bytes));
  request.set_streaming_width(static_cast<unsigned>(bytes));
  return socket->transport_dbg(request);
}

std::size_t RiscvCpu::read_memory(std::uint32_t address, std::uint8_t* data, std::size_t bytes) {
  return debug_transport(tlm::TLM_READ_COMMAND, address, data, bytes);
}

std::size_t RiscvCpu::write_memory(std::uint32_t address, const std::uint8_t* data,
                                   std::size_t bytes) {
  std::vector<unsigned char> copy(data, data + bytes);
  const std::size_t count = debug_transport(tlm::TLM_WRITE_COMMAND, address, copy.data(), bytes);
  hart_.code_changed(address, static_cast<std::uint32_t>(count));
  return count;
}

void RiscvCpu::wake_for_debugger() {
  if (notifier_) notifier_(wake_);
}

bool RiscvCpu::load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) {
  return access(tlm::TLM_READ_COMMAND, address, size, value);
}

bool RiscvCpu::store(std::uint32_t address, std::uint32_t size, std::uint32_t value) {
  return access(tlm::TLM_WRITE_COMMAND, address, size, value);
}

bool RiscvCpu::fetch(std::uint32_t address, std::uint32_t& halfword) {
  std::uint8_t bytes[2] = {};
  if (read_memory(address, bytes, 2) != 2) return false;
  halfword = bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8;
  return true;
}

}  // namespace dcc::model
