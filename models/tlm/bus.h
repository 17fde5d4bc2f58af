// The host's memory bus: decodes addresses, forwards accesses, and names the target of an address.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace dcc::model {

/// A loosely timed memory bus. Every b_transport takes `latency`, which the bus adds to the
/// initiator's delay. The bus never waits and has no contention; targets on the bus may wait, and
/// do where an initiator's local time matters. For the non-blocking interface the bus adds
/// `latency` to the delay of the request. Targets see addresses relative to their own start
/// address. An access that no target maps, or that reaches over a target's end, gets
/// TLM_ADDRESS_ERROR_RESPONSE and reaches no target; describe() explains the address in messages.
/// DMI grants are translated and cut to the target's range.
class Bus final : public sc_core::sc_module {
 public:
  /// Target sockets of the bus, for any number of initiators.
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
    // last address of the mapped range, inclusive, so that a range may end with the address space
    std::uint64_t last = 0;
    int port = 0;  // number of the range's port, in the order of attach()
    std::string name;
  };
  /// All mapped address ranges, in ascending order.
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Describes an address for messages: "ram + 0x10", or "nothing is mapped there; uart ends at
  /// 0x…, ram begins at 0x…".
  std::string describe(std::uint64_t address) const;

  /// A finished access on the bus, as traces record it. Its times are local times of the initiator,
  /// which are sc_time_stamp() plus the initiator's delay.
  struct Access {
    int initiator = 0;             // number of the initiator, in order of binding to `in`
    const Range* range = nullptr;  // mapped range that was accessed; null: the address is unmapped
    const tlm::tlm_generic_payload& payload;
    sc_core::sc_time begin;
    sc_core::sc_time end;
  };
  /// Function that is called for every access except DMI and debug accesses.
  using Observer = std::function<void(const Access& access)>;
  void add_observer(Observer observer) { observers_.push_back(std::move(observer)); }

  std::uint64_t accesses() const { return accesses_; }

 private:
  void add_range(std::uint64_t base, std::uint64_t bytes, const std::string& name);
  /// The mapped range that contains [address, address + bytes); null if no range does.
  const Range* find(std::uint64_t address, std::uint64_t bytes) const;

  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Passes a phase of a non-blocking transaction to the target; a transaction to an unmapped
  /// address completes at once.
  tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  /// Passes a phase of a non-blocking transaction back to the initiator that began the transaction.
  tlm::tlm_sync_enum nb_transport_bw(int port, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void finish(tlm::tlm_generic_payload& payload, const sc_core::sc_time& end);
  unsigned int transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(int port, sc_dt::uint64 start, sc_dt::uint64 end);

  tlm_utils::multi_passthrough_initiator_socket<Bus> out_{"out"};
  sc_core::sc_time latency_;
  std::vector<Range> ranges_;  // mapped ranges, sorted by base address
  // base address of each port, which converts relative addresses back to bus addresses
  std::vector<std::uint64_t> bases_;
  std::vector<std::uint64_t> lasts_;
  // index of the range that was accessed last, because most accesses are to the same range again
  mutable std::size_t recent_ = 0;
  std::uint64_t accesses_ = 0;
  std::vector<Observer> observers_;
  /// A transaction of the non-blocking interface that is under way.
  struct Pending {
    int initiator = 0;
    const Range* range = nullptr;
    std::uint64_t address = 0;  // address in the transaction as the initiator sent it
    sc_core::sc_time begin;
    bool answered = false;  // true after the response of the transaction has begun
  };
  std::unordered_map<const tlm::tlm_generic_payload*, Pending> pending_;
};

}  // namespace dcc::model
