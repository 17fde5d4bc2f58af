// Writes the device tree of a host, which describes processor, memory and devices to an operating
// system.
#pragma once

#include <cstdint>
#include <string>

#include "registers/machine_map.h"

namespace dcc::vp {

struct DeviceTreeHost {
  MachineKind machine = MachineKind::kDcc;
  std::string model;          // name of the machine, in one line for people
  std::uint32_t hart_id = 0;  // number of the first hart
  unsigned harts = 1;
  std::uint64_t clock_hz = 0;
  std::uint64_t ram_bytes = 0;
  std::uint64_t rom_base = 0;
  std::uint64_t rom_bytes = 0;  // bytes of ROM; 0: no ROM
  bool has_nic = false;
  bool has_controller = false;
};

/// Returns the device tree's source (Devicetree Specification, version 0.4), made from the memory
/// map that the models are built from. dtc assigns the phandles.
std::string device_tree(const DeviceTreeHost& host);

}  // namespace dcc::vp
