// Native software in place of a modelled processor: runs the C driver, with a HAL that makes TLM
// transactions.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>

#include "driver/hal.h"

namespace dcc::model {

/// One SC_THREAD runs `program` with a HAL whose registers are b_transport accesses on the host's
/// bus and whose memory is DMI. The program's own instructions take no time; every bus access takes
/// the time given by bus and target. The thread accumulates that time and waits when the sum
/// exceeds `quantum`, when the program sleeps, and when a target requires it.
///
/// hal_memory keeps the pointers of its first DMI grant for the whole run, even if DMI is revoked
/// later to watch memory: the program holds such pointers anyway, and RAM does not move. A watcher
/// does not see accesses through these pointers.
///
/// A refused register access stops the program for good. Then failure() returns one sentence with
/// the register's name, and the fatal handler is called (by default sc_stop()). No exception passes
/// through the C code.
class HostStub final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<HostStub> socket{"socket"};

  /// The software that the host stub runs; the function returns when the software is done.
  using Program = std::function<int(const hal& machine)>;
  /// Returns the name of the item at a bus address, for messages.
  using Namer = std::function<std::string(std::uint64_t address)>;

  HostStub(const sc_core::sc_module_name& name, Program program,
           const sc_core::sc_time& quantum = sc_core::sc_time(1, sc_core::SC_US));

  /// Sets the level of the interrupt line to the software.
  void set_interrupt(bool high);

  void set_namer(Namer namer) { namer_ = std::move(namer); }
  void set_fatal_handler(std::function<void(const std::string&)> handler) {
    on_fatal_ = std::move(handler);
  }
  /// Sets how set_interrupt() notifies an event; by default immediately at sc_time_stamp(). A
  /// platform whose devices run ahead of SystemC's time sets another function.
  void set_notifier(std::function<void(sc_core::sc_event&)> notifier) {
    notifier_ = std::move(notifier);
  }

  bool finished() const { return finished_; }
  int exit_code() const { return exit_code_; }
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }

 private:
  void run();
  std::uint32_t read32(std::uint64_t address);
  void write32(std::uint64_t address, std::uint32_t value);
  void* memory(std::uint64_t address, std::uint64_t bytes);
  int wait_for_interrupt(std::uint64_t deadline_ns);
  sc_core::sc_time now() const { return sc_core::sc_time_stamp() + delay_; }

  void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value);
  void catch_up();
  [[noreturn]] void fatal(const std::string& sentence);

  Program program_;
  sc_core::sc_time quantum_;
  hal hal_{};
  tlm::tlm_generic_payload payload_;
  sc_core::sc_time delay_;  // time by which the software's local time is ahead of sc_time_stamp()
  tlm::tlm_dmi dmi_;
  bool granted_ = false;
  bool interrupt_ = false;
  sc_core::sc_event wake_;
  sc_core::sc_event never_;
  Namer namer_;
  std::function<void(const std::string&)> on_fatal_;
  std::function<void(sc_core::sc_event&)> notifier_;
  bool finished_ = false;
  int exit_code_ = 0;
  std::string failure_;
};

}  // namespace dcc::model
