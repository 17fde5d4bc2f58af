// Presto (He et al., SIGCOMM'15): successive cells of 64 KB of a flow take the paths in turn,
// weighted by capacity. In the paper the edge numbers cells and labels packets with their path;
// here a packet's sequence number gives the cell number, so a switch needs no state.
#include "schemes/presto/presto.h"

#include <algorithm>

#include "describe/visitor.h"
#include "schemes/common/weighted_ports.h"

namespace dcc {

namespace {

class Presto final : public PathChoice {
 public:
  Presto(const PrestoParameters& parameters, const PathContext& context)
      : packets_(
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(parameters.cell) / context.mtu)),
        hash_seed_(context.hash_seed) {}

  void join(const FabricMap& fabric, int self) override { ports_.join(fabric, self); }
  void routes_changed() override { ports_.clear(); }

  /// Returns the port that a packet would take; packets without data take the path of the flow's
  /// first cell.
  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const WeightedPorts::Sequence& sequence = ports_.of(packet.destination, ports);
    const auto length = static_cast<std::uint32_t>(sequence.size());
    const std::uint64_t cell = packet.kind == PacketKind::kData ? packet.psn / packets_ : 0;
    return sequence[(scaled_down(flow_hash(packet, hash_seed_), length) + cell) % length];
  }
  void add_state(StateDigest&) const override {}

 private:
  std::uint64_t packets_;  // number of packets in a cell of Presto
  std::uint64_t hash_seed_;
  WeightedPorts ports_;
};

const Balancers::Registered<PrestoParameters> kPresto{"presto", "cells of a flow take turns",
                                                      kMakes<Presto>};

}  // namespace

void PrestoParameters::describe(ParameterVisitor& v) {
  v.field("cell", cell, {"64B", "1GiB"},
          {"bytes of a flow that take one path", "Presto, SIGCOMM'15"});
}

}  // namespace dcc
