// Paths by hash of the two addresses alone. A switch that reads no UDP port cannot tell the flows
// between two hosts apart: RoCE version 1 has a global route header directly after the Ethernet
// header, and no field that differs from flow to flow in front of the queue pair's number.

#include "fabric/balancers.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Addresses final : public PathChoice {
 public:
  explicit Addresses(const PathContext& context) : hash_seed_(context.hash_seed) {}

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint64_t pair = std::uint64_t{packet.source} << 32 | packet.destination;
    return scaled_down(mix64(pair ^ hash_seed_), ports.size());
  }
  void add_state(StateDigest&) const override {}

 private:
  std::uint64_t hash_seed_;
};

const Balancers::Registered<OnePathParameters> kAddresses{
    "addresses", "by hash of source and destination alone: one path for all flows of two hosts",
    kMakes<Addresses>};

}  // namespace

}  // namespace dcc
