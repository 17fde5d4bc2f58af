// SystemC module of a switch: the core's switch with a pair of sockets for each port, or without
// sockets.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "packet_socket.h"
#include "switch/switch_device.h"

namespace dcc::model {

class SwitchModule final : public sc_core::sc_module {
 public:
  SwitchModule(const sc_core::sc_module_name& name, Scheduler& scheduler, PacketPool& pool,
               const SwitchParameters& parameters, int ports, std::uint64_t seed,
               std::uint64_t index, std::uint32_t rank, bool sockets = true)
      : sc_module(name), device_(scheduler, pool, parameters, ports, seed, index, rank) {
    for (int port = 0; port < ports && sockets; ++port) {
      in_.push_back(
          std::make_unique<PacketInPort>(("in" + std::to_string(port)).c_str(), device_, port));
      out_.push_back(std::make_unique<PacketOutPort>(("out" + std::to_string(port)).c_str()));
    }
  }

  /// Connects the links of the switch's port `port`. The switch takes rate and delay of its own
  /// link from `outgoing`.
  void connect(int port, const LinkParameters& outgoing) {
    device_.attach(port, *out_[static_cast<std::size_t>(port)], outgoing);
  }
  PacketTargetSocket& in(int port) { return in_[static_cast<std::size_t>(port)]->socket; }
  PacketInitiatorSocket& out(int port) { return out_[static_cast<std::size_t>(port)]->socket; }
  SwitchDevice& device() { return device_; }
  const SwitchDevice& device() const { return device_; }

 private:
  void start_of_simulation() override {
    for (int port = 0; port < static_cast<int>(out_.size()); ++port) {
      PacketOut* const wire = out_[static_cast<std::size_t>(port)]->direct_access().wire;
      if (wire != nullptr) device_.connect(port, *wire);
    }
  }

  SwitchDevice device_;
  std::vector<std::unique_ptr<PacketInPort>> in_;
  std::vector<std::unique_ptr<PacketOutPort>> out_;
};

}  // namespace dcc::model
