// The NIC's DMA engine: moves bytes between the NIC and host RAM over the host's bus.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "nic/host/host_memory.h"

namespace dcc::model {

/// Bytes move at the moment of the call, through DMI where the target grants it and b_transport
/// where not; when that is, HostLink says. Called from the scheduler's events: targets must not
/// wait().
class DmaEngine final : public sc_core::sc_module, public HostMemory {
 public:
  explicit DmaEngine(const sc_core::sc_module_name& name);

  tlm_utils::simple_initiator_socket<DmaEngine> socket;

  bool read(std::uint64_t address, void* to, std::size_t bytes) override;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) override;

  /// False: every transfer goes over the bus, where a trace sees it.
  void allow_dmi(bool allowed) {
    dmi_allowed_ = allowed;
    dmi_valid_ = false;
  }

 private:
  bool access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
              std::size_t bytes);
  /// Host pointer of [address, address + bytes) by DMI; null if there is none.
  unsigned char* direct(std::uint64_t address, std::size_t bytes);
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end);

  tlm::tlm_dmi dmi_;
  bool dmi_allowed_ = true;
  bool dmi_valid_ = false;
};

}  // namespace dcc::model
