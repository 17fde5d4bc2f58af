// In turn: the packets to a destination (spray), or the flows at a switch (per_flow).
#include <cstdint>

#include "fabric/path_choice.h"
#include "schemes/common/key_table.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Spray final : public PathChoice {
 public:
  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint32_t* const turn = turns_.find(packet.destination);
    return turn == nullptr || *turn >= ports.size() ? 0 : *turn;
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    std::uint32_t& next = *turns_.find_or_add(packet.destination).first;
    const std::uint32_t turn = next < ports.size() ? next : 0;
    next = turn + 1 < ports.size() ? turn + 1 : 0;
    return turn;
  }
  void add_state(StateDigest& d) const override { d(turns_); }

 private:
  KeyTable<std::uint32_t> turns_;
};

/// The first packet of a flow takes the next port of the destination's, and all others follow it.
class PerFlow final : public PathChoice {
 public:
  void routes_changed() override { ports_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint32_t* const port = ports_.find(key_of(packet));
    return port != nullptr ? *port : turn_ % ports.size();
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    const auto [port, known] = ports_.find_or_add(key_of(packet));
    if (!known) *port = turn_++ % ports.size();
    return *port;
  }
  void add_state(StateDigest& d) const override { d(ports_, turn_); }

 private:
  static std::uint64_t key_of(const Packet& packet) {
    return flow_key(packet.flow, packet.source, packet.destination);
  }

  KeyTable<std::uint32_t> ports_;
  std::uint32_t turn_ = 0;
};

}  // namespace

std::unique_ptr<PathChoice> make_spray() { return std::make_unique<Spray>(); }

std::unique_ptr<PathChoice> make_per_flow() { return std::make_unique<PerFlow>(); }

}  // namespace dcc
