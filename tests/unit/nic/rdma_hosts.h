// Fixture with two hosts on a cable, each with descriptor rings and memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "driver/nic_regs.h"
#include "nic/host/host_link.h"
#include "nic/host/nic_host_interface.h"
#include "unit/nic/fake_host.h"

namespace dcc::test {

constexpr std::uint32_t kRam = 0x40000;
constexpr std::uint32_t kSendRing = 0x1000;
constexpr std::uint32_t kReceiveRing = 0x2000;
constexpr std::uint32_t kCompletionRing = 0x3000;
constexpr std::uint32_t kData = 0x10000;  // start of the memory region for remote access
constexpr Qpn kQpn[2] = {3, 5};

class RdmaHosts : public ::testing::Test, public PacketSink, public ConnectionManager {
 protected:
  struct Host {
    Host(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, const NicParameters& p,
         ConnectionManager& connections)
        : ram(kRam),
          nic(scheduler, pool, ledger, p, 10 + p.host),
          link(scheduler, ram, p.dma, 20 + p.host),
          rings(scheduler, nic, link, connections, 30 + p.host) {}
    FakeMemory ram;
    NicDevice nic;
    HostLink link;
    NicHostInterface rings;
    std::uint16_t sent = 0, received = 0, reaped = 0;
  };

  Scheduler scheduler;
  PacketPool pool;
  FlowLedger ledger{2};
  NicParameters parameters;
  std::unique_ptr<Host> host[2];
  std::unique_ptr<Link> link[2];
  std::function<bool(const Packet&)> on_wire = [](const Packet&) {
    return true;
  };  // the hook returns false to lose the packet
  std::vector<Packet> seen;
  bool waits_for_peer = true;
  int given_up_ = 0;

  RdmaHosts() {
    parameters.payload = NicParameters::Payload::kReal;
    parameters.recovery.timeout = kMicroSecond * 50;
  }

  QueuePairIdentity identify(HostId at, Qpn, const QueuePairConfig&) const override {
    QueuePairIdentity identity;
    identity.flow = at;
    identity.waits_for_peer = waits_for_peer;
    return identity;
  }
  bool has_host(HostId at) const override { return at < 2; }
  void created(HostId, Qpn, const QueuePairConfig&) override {}
  void destroyed(HostId, Qpn) override {}
  void given_up(HostId, Qpn) override { ++given_up_; }

  void receive(Packet* packet, int port) override {
    seen.push_back(*packet);
    if (on_wire(*packet)) {
      host[port]->nic.receive(packet, 0);
    } else {
      pool.free(packet);
    }
  }

  void put(int at, std::uint32_t offset, std::uint32_t value) {
    ASSERT_EQ(host[at]->rings.registers().write(offset, value, 0xF), regs::AccessResult::kOk);
  }
  void build(Service service = Service::kRc) {
    LinkParameters wire;
    wire.rate = parameters.line_rate;
    for (std::uint32_t i = 0; i < 2; ++i) {
      parameters.host = i;
      host[i] = std::make_unique<Host>(scheduler, pool, ledger, parameters, *this);
      link[i] = std::make_unique<Link>(scheduler, pool, wire, i);
    }
    for (int i = 0; i < 2; ++i) {
      link[i]->connect(*this, 1 - i);
      host[i]->nic.connect(*link[i]);
      for (std::uint32_t a = 0; a < kRam - kData; ++a) {
        host[i]->ram.bytes[kData + a] =
            static_cast<std::uint8_t>(a * 7 + a / 251 + (i == 0 ? 0 : 99));
      }
      put(i, NIC_SQ_BASE_LO_OFFSET, kSendRing);
      put(i, NIC_RQ_BASE_LO_OFFSET, kReceiveRing);
      put(i, NIC_CQ_BASE_LO_OFFSET, kCompletionRing);
      put(i, NIC_CQ_SIZE_LOG2_OFFSET, 6);
      put(i, NIC_MR_BASE_LO_OFFSET, kData);
      put(i, NIC_MR_LENGTH_OFFSET, kRam - kData);
      put(i, NIC_CTRL_OFFSET, NIC_CTRL_ENABLE_MASK | 1u << NIC_CTRL_ACK_MODE_SHIFT);
      create(i, service);
    }
    for (int i = 0; i < 2; ++i) host[i]->nic.connect_queue_pair(kQpn[i]);
  }
  void create(int at, Service service) {
    put(at, NIC_QP_SELECT_OFFSET, kQpn[at]);
    put(at, NIC_QP_REMOTE_HOST_OFFSET, static_cast<std::uint32_t>(1 - at));
    put(at, NIC_QP_REMOTE_QPN_OFFSET, kQpn[1 - at]);
    put(at, NIC_QP_SERVICE_OFFSET, static_cast<std::uint32_t>(service));
    put(at, NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
  }

  nic_wqe work(std::uint8_t opcode, std::uint64_t id, std::uint64_t local, std::uint64_t remote,
               std::uint32_t length) const {
    nic_wqe entry{};
    entry.opcode = opcode;
    entry.flags = NIC_WQE_SIGNALED;
    entry.wr_id = id;
    entry.local_address = local;
    entry.remote_address = remote;
    entry.length = length;
    entry.immediate = static_cast<std::uint32_t>(id) + 1000;
    return entry;
  }
  void post(int at, nic_wqe entry) {
    Host& h = *host[at];
    entry.qpn = kQpn[at];
    entry.remote_host = static_cast<std::uint32_t>(1 - at);
    entry.remote_qpn = kQpn[1 - at];
    h.ram.put(kSendRing + h.sent % 16 * sizeof entry, entry);
    put(at, NIC_SQ_TAIL_OFFSET, ++h.sent);
  }
  void post_receive(int at, std::uint64_t id, std::uint64_t address, std::uint32_t length) {
    Host& h = *host[at];
    const nic_rqe entry{kQpn[at], length, id, address, 0};
    h.ram.put(kReceiveRing + h.received % 16 * sizeof entry, entry);
    put(at, NIC_RQ_TAIL_OFFSET, ++h.received);
  }
  void run(PicoSeconds time) { scheduler.run_until(scheduler.now() + time); }
  /// Returns all completions of a host since the last call.
  std::vector<nic_cqe> reap(int at) {
    Host& h = *host[at];
    std::uint32_t tail = 0;
    h.rings.registers().read(NIC_CQ_TAIL_OFFSET, tail);
    std::vector<nic_cqe> list;
    while (h.reaped != static_cast<std::uint16_t>(tail)) {
      list.push_back(h.ram.get<nic_cqe>(kCompletionRing + h.reaped++ % 64 * sizeof(nic_cqe)));
    }
    put(at, NIC_CQ_HEAD_OFFSET, h.reaped);
    return list;
  }
  std::vector<std::uint8_t> bytes(int at, std::uint32_t address, std::uint32_t length) const {
    const auto& all = host[at]->ram.bytes;
    return {all.begin() + address, all.begin() + address + length};
  }
  int count(Operation operation) const {
    return static_cast<int>(std::count_if(seen.begin(), seen.end(), [&](const Packet& p) {
      return p.kind == PacketKind::kData && p.operation == operation;
    }));
  }
  int count(PacketKind kind) const {
    return static_cast<int>(
        std::count_if(seen.begin(), seen.end(), [&](const Packet& p) { return p.kind == kind; }));
  }
};

}  // namespace dcc::test
