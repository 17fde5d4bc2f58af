// The NIC's DMA engine: moves bytes between the NIC and host RAM over the host's bus.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "nic/host/host_memory.h"

namespace dcc::model {

/// A DMA engine that moves bytes at the moment of the call, by DMI if the target grants DMI and
/// otherwise by b_transport. HostLink decides the moment. Calls come from events of the scheduler,
/// during which a target must not wait(). Registers of devices do wait, so a platform names the
/// memories that DMA may reach (add_memory()); an access to anything else is refused without a
/// transaction.
class DmaEngine final : public sc_core::sc_module, public HostMemory {
 public:
  explicit DmaEngine(const sc_core::sc_module_name& name);

  tlm_utils::simple_initiator_socket<DmaEngine> socket;

  /// Lets DMA access the memory at [base, base + bytes); `writable` false: ROM. Without any call,
  /// DMA accesses all targets.
  void add_memory(std::uint64_t base, std::uint64_t bytes, bool writable = true);

  /// Sets functions that are called after every DMA write, and after every DMA read, with address
  /// and length.
  using Observer = std::function<void(std::uint64_t address, std::size_t bytes)>;
  void set_write_observer(Observer observer) { on_write_ = std::move(observer); }
  void set_read_observer(Observer observer) { on_read_ = std::move(observer); }

  bool holds(std::uint64_t address, std::size_t bytes, bool writable) const override;
  bool read(std::uint64_t address, void* to, std::size_t bytes) override;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) override;

  /// Allows DMI for DMA; false: every transfer goes over the bus, where a trace records it.
  void allow_dmi(bool allowed) {
    dmi_allowed_ = allowed;
    dmi_valid_ = false;
  }

 private:
  bool access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
              std::size_t bytes);
  /// Host pointer to [address, address + bytes), obtained by DMI; null if the target grants no DMI.
  unsigned char* direct(std::uint64_t address, std::size_t bytes);
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end);

  struct Memory {
    std::uint64_t base;
    std::uint64_t bytes;
    bool writable;
  };
  bool write_bytes(std::uint64_t address, const void* from, std::size_t bytes);
  bool read_bytes(std::uint64_t address, void* to, std::size_t bytes);
  Observer on_write_;
  Observer on_read_;
  std::vector<Memory> memories_;  // memories that DMA may reach; empty: all targets
  tlm::tlm_dmi dmi_;
  bool dmi_allowed_ = true;
  bool dmi_valid_ = false;
};

}  // namespace dcc::model
