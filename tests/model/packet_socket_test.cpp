// Tests packet sockets between modules: transport by b_transport to an external module, and by a
// direct call if the target offers it.
#include "packet_socket.h"

#include <gtest/gtest.h>

#include "link_module.h"
#include "model_test.h"
#include "switch_module.h"

namespace dcc::model::packet_socket_test {
namespace {

constexpr HostId kNear = 5;  // number of the host at port 0
constexpr HostId kFar = 6;   // number of the host at the end of the link from port 1
constexpr LinkParameters kWire{BitRate(100'000'000'000), kMicroSecond, 20};

/// A source of packets, with the initiator end of a packet socket.
struct Source final : sc_core::sc_module {
  explicit Source(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  PacketOutPort out{"out"};
};

/// An external module that counts the packets that it receives by transport.
struct Stranger : sc_core::sc_module, tlm::tlm_fw_transport_if<PacketProtocol> {
  Stranger(const sc_core::sc_module_name& name, PacketPool& packets)
      : sc_core::sc_module(name), pool(packets) {
    socket.bind(*this);
  }
  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    phase = tlm::END_REQ;
    delay = sc_core::sc_time(80, sc_core::SC_NS);
    ++transports;
    pool.free(&packet);
    return tlm::TLM_UPDATED;
  }
  void b_transport(Packet&, sc_core::sc_time&) override { refuse_blocking(); }
  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }

  PacketTargetSocket socket{"socket"};
  PacketPool& pool;
  int transports = 0;
};

/// A module that offers direct calls, both as a link and as a device.
struct Friend final : Stranger, DirectTarget, PacketOut, PacketSink {
  using Stranger::Stranger;
  DirectAccess direct_access() override { return {this, this, 7}; }
  PicoSeconds send(Packet* packet) override {
    ++sent;
    pool.free(packet);
    return PicoSeconds(80'000);
  }
  void receive(Packet* packet, int port) override {
    EXPECT_EQ(port, 7);
    ++received;
    pool.free(packet);
  }
  int sent = 0;
  int received = 0;
};

class PacketSocketTest : public ModelTest {
 protected:
  /// Topology: source -> switch, port 0 -> near host; port 1 -> link -> far host.
  void build(Stranger& near, Stranger& far) {
    for (int port = 0; port < 2; ++port) {
      source_[port].out.socket.bind(switch_.in(port));
      switch_.connect(port, kWire);
    }
    switch_.out(0).bind(near.socket);
    switch_.out(1).bind(link_.in());
    link_.out().bind(far.socket);
    RouteTable routes(kFar + 1);
    routes.from(kNear, PortSet::consecutive(0, 1));
    routes.from(kFar, PortSet::consecutive(1, 1));
    switch_.device().set_routes(routes);
  }
  void send_to(HostId destination) {
    Packet* const packet = pool_.allocate();
    packet->destination = destination;
    packet->wire_bytes = 980;
    source_[0].out.send(packet);
  }
  void send_one_to_each() {
    send_to(kNear);
    send_to(kFar);
    scheduler_.run_until(kMicroSecond + PicoSeconds(80'000 - 1));
    EXPECT_EQ(pool_.in_use(), 1) << "the packet on the link arrives too early";
    scheduler_.run_until(kMicroSecond + PicoSeconds(80'000));
    EXPECT_EQ(pool_.in_use(), 0);
  }

  Scheduler scheduler_;
  PacketPool pool_;
  Source source_[2]{Source("source0"), Source("source1")};
  SwitchModule switch_{"switch", scheduler_, pool_, SwitchParameters{}, 2, 1, 0, 0};
  LinkModule link_{"link", scheduler_, pool_, kWire, 1};
};

TEST_F(PacketSocketTest, AStrangerGetsPacketsByTransport) {
  Stranger near("near", pool_), far("far", pool_);
  build(near, far);
  simulate([&] {
    send_one_to_each();
    EXPECT_EQ(near.transports, 1);
    EXPECT_EQ(far.transports, 1);
  });
}

TEST_F(PacketSocketTest, SwitchAndLinkTakeUpDirectAccess) {
  Friend near("near", pool_), far("far", pool_);
  build(near, far);
  simulate([&] {
    send_one_to_each();
    EXPECT_EQ(near.sent, 1);     // the switch sends to a link, by PacketOut
    EXPECT_EQ(far.received, 1);  // the link delivers to a device, by PacketSink
    EXPECT_EQ(near.transports + far.transports, 0);
  });
}

TEST_F(PacketSocketTest, LinksAndDevicesOfferDirectAccess) {
  Stranger near("near", pool_), far("far", pool_);
  build(near, far);
  simulate([&] {
    const DirectAccess device = source_[1].out.direct_access();
    EXPECT_EQ(device.device, &switch_.device());
    EXPECT_EQ(device.port, 1);
    auto* const link = dynamic_cast<DirectTarget*>(switch_.out(1).get_base_port().get_interface());
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(link->direct_access().wire, &link_.link());
  });
}

}  // namespace
}  // namespace dcc::model::packet_socket_test
