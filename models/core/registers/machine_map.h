// The machines that a host can be: their devices, addresses and interrupts, as
// rtl/regs/memory_map*.yaml describe them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dcc {

/// kDcc: devices of this platform's own. kVirt: devices that real-time operating systems have
/// drivers for, at the addresses of QEMU's machine of that name.
enum class MachineKind { kDcc, kVirt };

struct MachineDevice {
  std::string name;  // name in the memory map, for example "UART"
  std::uint32_t base = 0;
  std::uint32_t size = 0;  // bytes of address space; 0: as the configuration says
  // Members that the device tree needs.
  std::string node;  // name of the device tree's node; empty: the device has none
  std::vector<std::string> compatible;
  unsigned interrupt = 0;                 // source of the interrupt controller; 0: none
  std::vector<unsigned> hart_interrupts;  // lines of each hart that the device drives
  bool interrupt_controller = false;
  std::vector<std::pair<std::string, std::uint32_t>> properties;

  /// The value of a device's property. Throws std::out_of_range if there is none.
  std::uint32_t property(const std::string& name) const;
};

struct MachineMap {
  std::string name;
  std::uint32_t timebase = 0;          // ticks of mtime in a second
  std::vector<MachineDevice> devices;  // devices of the machine, in the order of their addresses

  /// The device of a name. Throws std::out_of_range if the machine has none.
  const MachineDevice& device(const std::string& name) const;
};

const MachineMap& machine_map(MachineKind kind);

}  // namespace dcc
