// Fuzzes a NIC in loopback with arbitrary descriptors, register accesses and payload, and with
// packet loss. The NIC touches no byte outside the host's memory, every packet is accounted for,
// and there are no more completions than work items.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

#include "driver/nic_regs.h"
#include "guided.h"
#include "nic/host/host_link.h"
#include "nic/host/nic_host_interface.h"
#include "reused_scheduler.h"
#include "unit/nic/fake_host.h"

namespace {

constexpr std::uint32_t kRamBytes = 0x8000;
constexpr std::uint32_t kSendRing = 0x1000;
constexpr std::uint32_t kCompletionRing = 0x2000;
constexpr std::uint32_t kReceiveRing = 0x3000;
constexpr std::uint32_t kPayload = 0x4000;

/// Keeps the packets that the NIC sends until the test hands them to the receiver.
struct Wire final : dcc::PacketOut {
  dcc::PicoSeconds send(dcc::Packet* packet) override {
    on_the_way.push_back(packet);
    return dcc::kNanoSecond * 100;
  }
  std::deque<dcc::Packet*> on_the_way;
};

struct Connections final : dcc::ConnectionManager {
  dcc::QueuePairIdentity identify(dcc::HostId, dcc::Qpn,
                                  const dcc::QueuePairConfig&) const override {
    return {};
  }
  bool has_host(dcc::HostId) const override { return true; }
  void created(dcc::HostId, dcc::Qpn qpn, const dcc::QueuePairConfig&) override { made = qpn; }
  void destroyed(dcc::HostId, dcc::Qpn) override {}
  dcc::Qpn made = 0;
};

struct Bench {
  explicit Bench(dcc::Scheduler& time) : scheduler(time) { nic.connect(wire); }

  static dcc::NicParameters parameters() {
    dcc::NicParameters p;
    p.payload = dcc::NicParameters::Payload::kReal;
    p.recovery.timeout = dcc::kMicroSecond * 20;
    p.recovery.retries = 3;
    p.recovery.not_ready_retries = 3;
    return p;
  }

  void put(std::uint32_t offset, std::uint32_t value) { host.registers().write(offset, value); }

  /// Starts the NIC with rings of four entries. Most of RAM is registered for remote writes, and
  /// queue pair 5 is connected to itself.
  void start() {
    put(NIC_SQ_BASE_LO_OFFSET, kSendRing);
    put(NIC_SQ_SIZE_LOG2_OFFSET, 2);
    put(NIC_CQ_BASE_LO_OFFSET, kCompletionRing);
    put(NIC_CQ_SIZE_LOG2_OFFSET, 2);
    put(NIC_RQ_BASE_LO_OFFSET, kReceiveRing);
    put(NIC_RQ_SIZE_LOG2_OFFSET, 2);
    put(NIC_MR_BASE_LO_OFFSET, kPayload);
    put(NIC_MR_LENGTH_OFFSET, kRamBytes - kPayload);
    put(NIC_CTRL_OFFSET, NIC_CTRL_ENABLE_MASK);
    create(5);
  }
  void create(dcc::Qpn qpn) {
    connections.made = 0;
    put(NIC_QP_SELECT_OFFSET, qpn);
    put(NIC_QP_REMOTE_QPN_OFFSET, qpn);
    put(NIC_QP_SERVICE_OFFSET, qpn == 6 ? 1 : qpn == 7 ? 2 : 0);
    put(NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
    if (connections.made == qpn && qpn != 0) nic.connect_queue_pair(qpn);
  }

  void post(dcc::fuzz::Bytes& in) {
    nic_wqe entry{};
    entry.opcode = in.u8() % 7;
    entry.flags = in.u8() & 1;
    entry.qpn = in.u8() % 8;
    entry.length = in.u16();
    if (entry.length > 0x8000) entry.length <<= in.u8() % 17;
    entry.local_address = in.u8() < 200 ? kPayload + in.u16() % 0x2000 : in.u32();
    entry.remote_address = in.u8() < 200 ? kPayload + in.u16() % 0x3000 : in.u32();
    entry.remote_qpn = entry.qpn;
    ram.put(kSendRing + tail % 4 * sizeof entry, entry);
    put(NIC_SQ_TAIL_OFFSET, ++tail);
  }

  void post_receive(dcc::fuzz::Bytes& in) {
    nic_rqe entry{};
    entry.qpn = in.u8() % 8;
    entry.length = in.u16();
    entry.address = in.u8() < 200 ? kPayload + in.u16() % 0x3000 : in.u32();
    ram.put(kReceiveRing + receive_tail % 4 * sizeof entry, entry);
    put(NIC_RQ_TAIL_OFFSET, ++receive_tail);
  }

  void access(dcc::fuzz::Bytes& in) {
    const std::uint8_t how = in.u8();
    const std::uint32_t address = in.u16() % 0x3080;
    const std::uint32_t value = how < 128 ? in.u8() : in.u32();
    std::uint32_t read = 0;
    if ((how & 1) == 0) {
      host.registers().write(address & ~3u, value, (how & 6) == 0 ? in.u8() & 15 : 15);
      // When software names a peer, the platform's connection manager answers.
      if ((address & ~3u) == NIC_QP_CMD_OFFSET && connections.made != 0) {
        nic.connect_queue_pair(connections.made);
      }
    } else {
      host.registers().read(address, read);
      seen.add(read);
    }
  }

  /// Delivers the sent packets, except those in the bit mask `lost`.
  void pass(dcc::PicoSeconds time, std::uint8_t lost) {
    for (int step = 0; step < 8; ++step) {
      scheduler.run_until(scheduler.now() + dcc::PicoSeconds(time.count / 8 + 1));
      std::deque<dcc::Packet*> arriving;
      arriving.swap(wire.on_the_way);
      for (dcc::Packet* const packet : arriving) {
        seen.add(static_cast<std::uint64_t>((scheduler.now() - started).count));
        seen.add(std::uint64_t{packet->psn} << 32 | packet->payload_bytes);
        if ((lost >> (sent++ & 7) & 1) != 0) {
          pool.free(packet);
        } else {
          nic.receive(packet, 0);
        }
      }
    }
  }

  void check() {
    // Packets that are not on the wire are inside the NIC.
    DCC_REQUIRE(pool.in_use() >= static_cast<std::int64_t>(wire.on_the_way.size()));
    DCC_REQUIRE(host.completions_unread() <= 0x10000);
  }

  /// Runs without packet loss until the NIC has been silent for longer than its retransmission
  /// timeout.
  void settle() {
    for (int quiet = 0, turns = 0; quiet < 4 && turns < 200; ++turns) {
      const unsigned before = sent;
      pass(dcc::kMicroSecond * 20, 0);
      quiet = sent == before ? quiet + 1 : 0;
      if (quiet == 4) DCC_REQUIRE(pool.in_use() == 0);
    }
  }

  dcc::Scheduler& scheduler;
  dcc::PicoSeconds started = scheduler.now();
  dcc::fuzz::Fingerprint seen;
  dcc::PacketPool pool;
  dcc::FlowLedger ledger{1};
  Wire wire;
  Connections connections;
  dcc::NicDevice nic{scheduler, pool, ledger, parameters(), 0};
  dcc::test::FakeMemory ram{kRamBytes};
  dcc::HostLink link{scheduler, ram, dcc::DmaParameters{}, 2};
  dcc::NicHostInterface host{scheduler, nic, link, connections, 1};
  std::uint16_t tail = 0;
  std::uint16_t receive_tail = 0;
  unsigned sent = 0;
};

dcc::fuzz::Fingerprint play(dcc::fuzz::Bytes in, dcc::Scheduler& scheduler) {
  const auto bench = std::make_unique<Bench>(scheduler);
  if ((in.u8() & 1) == 0) bench->start();
  while (!in.at_end()) {
    const std::uint8_t what = in.u8();
    if (what < 90) {
      bench->post(in);
    } else if (what < 120) {
      bench->access(in);
    } else if (what < 140) {
      bench->post_receive(in);
    } else if (what < 150) {
      bench->create(in.u8() % 8);
    } else if (what < 170) {
      bench->put(NIC_CQ_HEAD_OFFSET, in.u8());
    } else {
      const std::uint8_t lost = what < 210 ? 0 : in.u8();
      bench->pass(dcc::PicoSeconds(std::int64_t{in.u16()} * 1'000), lost);
      bench->check();
    }
  }
  bench->check();
  bench->settle();
  return bench->seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const dcc::fuzz::Bytes in(data, size);
  const dcc::fuzz::Fingerprint seen = play(in, dcc::fuzz::reused_scheduler());
  if (dcc::fuzz::time_to_compare()) {
    dcc::Scheduler fresh;
    DCC_REQUIRE(play(in, fresh) == seen);
  }
  return 0;
}
