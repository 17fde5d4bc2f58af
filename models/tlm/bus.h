// The host's memory bus: decodes addresses, forwards accesses, and names the target of an address.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace dcc::model {

/// Loosely timed. Every b_transport costs `latency`, added to the initiator's delay; the bus itself
/// never waits and has no contention (targets on it may wait, and do where an initiator's local
/// time matters). Targets see addresses from their own start. An access that no target maps, or
/// that reaches over a target's end, gets TLM_ADDRESS_ERROR_RESPONSE and goes nowhere; describe()
/// gives the words for it. DMI grants are translated and cut to the target's range.
class Bus final : public sc_core::sc_module {
 public:
  /// Sockets for any number of initiators.
  tlm_utils::multi_passthrough_target_socket<Bus> in{"in"};

  Bus(const sc_core::sc_module_name& name, const sc_core::sc_time& latency);

  /// Maps a target at [base, base + bytes). Throws std::invalid_argument with both names if ranges
  /// overlap or a range is empty. Call before the simulation starts.
  template <class Socket>
  void attach(Socket& target, std::uint64_t base, std::uint64_t bytes, const std::string& name) {
    add_range(base, bytes, name);
    out_.bind(target);
  }

  struct Range {
    std::uint64_t base = 0;
    std::uint64_t last = 0;  // inclusive, so that a range may end with the address space
    int port = 0;            // number of the port, in order of attach()
    std::string name;
  };
  /// All mapped ranges, in order of address.
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Describes an address for messages: "ram + 0x10", or "nothing is mapped there; uart ends at
  /// 0x…, ram begins at 0x…".
  std::string describe(std::uint64_t address) const;

  /// One finished access, for traces. Times are the initiator's own: sc_time_stamp() plus its local
  /// delay.
  struct Access {
    int initiator = 0;             // number of the initiator, in order of binding to `in`
    const Range* range = nullptr;  // mapped range; null: nothing is mapped there
    const tlm::tlm_generic_payload& payload;
    sc_core::sc_time begin;
    sc_core::sc_time end;
  };
  /// Function that is told of accesses; DMI and debug accesses are not reported.
  using Observer = std::function<void(const Access& access)>;
  void add_observer(Observer observer) { observers_.push_back(std::move(observer)); }

  std::uint64_t accesses() const { return accesses_; }

 private:
  void add_range(std::uint64_t base, std::uint64_t bytes, const std::string& name);
  /// The range that holds [address, address + bytes), null if none does.
  const Range* find(std::uint64_t address, std::uint64_t bytes) const;

  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(int port, sc_dt::uint64 start, sc_dt::uint64 end);

  tlm_utils::multi_passthrough_initiator_socket<Bus> out_{"out"};
  sc_core::sc_time latency_;
  std::vector<Range> ranges_;         // sorted by base
  std::vector<std::uint64_t> bases_;  // base address of each port, to convert addresses back
  std::vector<std::uint64_t> lasts_;
  mutable std::size_t recent_ = 0;  // index of the range hit last; most accesses repeat it
  std::uint64_t accesses_ = 0;
  std::vector<Observer> observers_;
};

}  // namespace dcc::model
