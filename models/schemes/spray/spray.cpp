// Round-robin spraying: successive packets to a destination take its ports in turn.
#include <cstdint>
#include <memory>

#include "fabric/balancers.h"
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

const Balancers::Registered<ManyPathsParameters> kSpray{
    "spray", "packets to a destination take turns",
    [](const ManyPathsParameters&, const PathContext&) { return std::make_unique<Spray>(); }};

}  // namespace

}  // namespace dcc
