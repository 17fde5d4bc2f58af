// Per-flow round robin: each new flow at a switch takes the next port in turn among the ports to
// its destination; one counter serves all destinations. Later packets of the flow take the same
// port until the routes change.
#include <cstdint>
#include <memory>

#include "fabric/balancers.h"
#include "schemes/common/key_table.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class PerFlow final : public PathChoice {
 public:
  void routes_changed() override { ports_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint32_t* const port = ports_.find(flow_key(packet));
    return port != nullptr ? *port : turn_ % ports.size();
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    const auto [port, known] = ports_.find_or_add(flow_key(packet));
    if (!known) *port = turn_++ % ports.size();
    return *port;
  }
  void add_state(StateDigest& d) const override { d(ports_, turn_); }

 private:
  KeyTable<std::uint32_t> ports_;
  std::uint32_t turn_ = 0;
};

const Balancers::Registered<OnePathParameters> kPerFlow{
    "per_flow", "flows take turns, one path each",
    [](const OnePathParameters&, const PathContext&) { return std::make_unique<PerFlow>(); }};

}  // namespace

}  // namespace dcc
