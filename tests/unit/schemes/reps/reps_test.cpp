// Tests REPS: paths whose ACKs return unmarked are used again.
#include "schemes/reps/reps.h"

#include <gtest/gtest.h>

#include <memory>

#include "fabric/fabric_map.h"
#include "unit/fabric/path_view.h"

namespace dcc::path_choice_test {
namespace {

Packet ack_of(const Packet& data, std::uint8_t tag, bool marked = false) {
  Packet ack = packet_of(data.flow, data.destination, data.source);
  ack.kind = PacketKind::kAck;
  ack.overlay.entropy.echo = tag;
  ack.ce_echo = marked;
  return ack;
}

class RepsEdge : public testing::Test {
 protected:
  RepsEdge() : topology(three_leaves()), routing(topology), fabric(topology, routing) {
    parameters.choose("reps");
    parameters.of<RepsParameters>("reps").kept = 3;
    parameters.of<RepsParameters>("reps").warm_up = 2;
    reps = parameters.make(view.context());
    reps->join(fabric, topology.find("leaf0"));
  }
  /// The entropy value of the flow's next packet to the second leaf.
  std::uint8_t next_tag(std::uint32_t flow = 6) {
    Packet packet = packet_of(flow, 0, 4);
    const std::uint32_t peeked = reps->peek(packet, up);
    const std::uint32_t way = reps->choose(packet, up);
    EXPECT_EQ(way, peeked);
    EXPECT_EQ(way, scaled_down(mix64(flow_hash(packet, 77) ^ packet.overlay.entropy.value), 2));
    return packet.overlay.entropy.value;
  }
  void acknowledge(std::uint8_t tag, bool marked = false) {
    Packet ack = ack_of(packet_of(6, 0, 4), tag, marked);
    EXPECT_EQ(reps->choose(ack, PortSet::consecutive(0, 1)), 0u);
  }

  FakeSwitch view;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  BalancerChoice parameters;
  std::unique_ptr<PathChoice> reps;
  const PortSet up = PortSet::consecutive(4, 2);
};

TEST_F(RepsEdge, WhatCameBackIsUsedAgainOnceTheOldestFirst) {
  RandomStream draws(5, "routing", 3);
  const auto drawn = [&] { return 1 + draws.below(255); };
  acknowledge(200);
  EXPECT_EQ(next_tag(), drawn());  // during the warm-up every entropy value is random
  EXPECT_EQ(next_tag(), drawn());
  acknowledge(201);
  acknowledge(99, true);  // this packet took a path with marks
  acknowledge(0);         // this packet carried no entropy value
  EXPECT_EQ(next_tag(), 200);
  EXPECT_EQ(next_tag(), 201);
  EXPECT_EQ(next_tag(), drawn());
  for (const std::uint8_t tag : {10, 11, 12, 13, 14}) acknowledge(tag);
  for (const std::uint8_t tag : {12, 13, 14}) EXPECT_EQ(next_tag(), tag);
  EXPECT_EQ(next_tag(7), drawn());  // another flow has entropy values of its own
  acknowledge(15);
  reps->routes_changed();
  EXPECT_EQ(next_tag(), drawn());
}

TEST_F(RepsEdge, OnlyTheSendersEdgeSetsAndLearns) {
  parameters.of<RepsParameters>("reps").warm_up = 0;
  const auto far = parameters.make(view.context());
  far->join(fabric, topology.find("leaf1"));
  const auto spine = parameters.make(view.context(9));
  spine->join(fabric, topology.find("spine0"));
  Packet packet = packet_of(6, 0, 4);
  packet.overlay.entropy.value = 44;
  far->choose(packet, PortSet::consecutive(0, 1));
  EXPECT_EQ(packet.overlay.entropy.value, 44);
  EXPECT_EQ(spine->choose(packet, up), scaled_down(mix64(flow_hash(packet, 77) ^ 44u), 2));
  EXPECT_EQ(packet.overlay.entropy.value, 44);
  // ACKs are routed by the flow's hash, and the switch learns nothing from them.
  Packet ack = ack_of(packet, 44);
  EXPECT_EQ(far->choose(ack, up), scaled_down(flow_hash(ack, 77), 2));
  EXPECT_EQ(ack.overlay.entropy.value, 0);
  EXPECT_EQ(ack.overlay.entropy.echo, 44);
}

}  // namespace
}  // namespace dcc::path_choice_test
