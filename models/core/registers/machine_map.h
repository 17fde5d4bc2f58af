// The machine types of a host: their devices, addresses and interrupts, as
// rtl/regs/memory_map*.yaml describe them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dcc {

/// Machine types. kDcc has the platform's own devices. kVirt has devices that real-time operating
/// systems have drivers for, at the addresses of QEMU's machine `virt`.
enum class MachineKind { kDcc, kVirt };

struct MachineDevice {
  std::string name;  // name of the device in the memory map, for example "UART"
  std::uint32_t base = 0;
  // bytes of the device's address space; 0: the configuration sets the size
  std::uint32_t size = 0;
  // Members that the device tree needs:
  std::string node;  // name of the device's node in the device tree; empty: no node
  std::vector<std::string> compatible;
  unsigned interrupt = 0;  // number of the device's source at the interrupt controller; 0: none
  std::vector<unsigned> hart_interrupts;  // interrupt lines of each hart that the device drives
  bool interrupt_controller = false;
  std::vector<std::pair<std::string, std::uint32_t>> properties;

  /// The value of a named property of the device. Throws std::out_of_range if the device has no
  /// such property.
  std::uint32_t property(const std::string& name) const;
};

struct MachineMap {
  std::string name;
  std::uint32_t timebase = 0;          // frequency of the timer mtime in ticks per second
  std::vector<MachineDevice> devices;  // devices of the machine, in the order of their addresses

  /// The machine's device with this name. Throws std::out_of_range if the machine has no such
  /// device.
  const MachineDevice& device(const std::string& name) const;
};

const MachineMap& machine_map(MachineKind kind);

}  // namespace dcc
