#include "registers/machine_map.h"

#include <stdexcept>

namespace dcc {

std::uint32_t MachineDevice::property(const std::string& wanted) const {
  for (const auto& [key, value] : properties) {
    if (key == wanted) return value;
  }
  throw std::out_of_range("device " + name + " has no property " + wanted);
}

const MachineDevice& MachineMap::device(const std::string& wanted) const {
  for (const MachineDevice& device : devices) {
    if (device.name == wanted) return device;
  }
  throw std::out_of_range("machine " + name + " has no device " + wanted);
}

}  // namespace dcc
