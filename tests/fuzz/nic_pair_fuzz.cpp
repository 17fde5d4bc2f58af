// Fuzzes connected queue pairs of two hosts with random descriptors and register values. Each work
// item must complete with the status that an oracle predicts, memory must hold the transferred
// data, and no run may hang.
//   nic_pair_fuzz [--descriptors N] [--seed S] [--engine model|rtl|lockstep|all]
// The link marks packets with CE, and a sender halves a flow's rate at each CNP. --engine selects
// for the notification point and the parser of both NICs the model, verilated RTL, or both in
// lock-step. The digest at the end covers completions, notifications, lengths of sent packets and
// times. With `all` the engines run one after another and must give the same digest.
// The exit status is 0 without a difference, 1 after a difference, which is printed with the seed
// of its round, and 2 for bad arguments.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nic/host/host_link.h"
#include "nic/host/nic_host_interface.h"
#include "nic_oracle.h"
#ifdef DCC_HAVE_PARSER_RTL
#include "notification_engine_lockstep.h"
#include "notification_engine_rtl.h"
#include "parser_engine_lockstep.h"
#include "parser_engine_rtl.h"
#endif
#include "driver/nic_regs.h"
#include "sim/random.h"
#include "traffic/connections.h"
#include "unit/nic/fake_host.h"

namespace {

using namespace dcc;        // NOLINT
using namespace dcc::test;  // NOLINT

constexpr std::uint32_t kRam = 0x10000;
constexpr std::uint32_t kSendRing = 0x1000, kReceiveRing = 0x2000, kCompletionRing = 0x3000;
constexpr std::uint32_t kData = 0x5000;  // lowest address of moved data, above the rings
constexpr std::uint32_t kEntries = 16, kCompletions = 64;
constexpr std::uint64_t kDevice = 0x40100000;

/// Random numbers of one round of the test.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed, "nic_pair_fuzz", 0) {}
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  /// A random address: mostly within the data area, sometimes at its ends or across them, on a
  /// device, or anywhere.
  std::uint64_t address() {
    switch (below(16)) {
      case 0:
        return kRam - 1 - below(3000);
      case 1:
        return kData - 1 - below(3000);
      case 2:
        return kDevice + below(0x100);
      case 3:
        return below(2) == 0 ? ~std::uint64_t{0} - below(4000) : random_.below(~std::uint64_t{0});
      default:
        return kData + 8 * below(0x1000);
    }
  }
  std::uint32_t length() {
    switch (below(16)) {
      case 0:
        return 0;
      case 1:
        return static_cast<std::uint32_t>(0x80000000u + below(3));
      case 2:
        return static_cast<std::uint32_t>(below(20'000));
      default:
        return static_cast<std::uint32_t>(1 + below(5000));
    }
  }

 private:
  RandomStream random_;
};

enum class Engine { kModel, kRtl, kLockstep };
constexpr const char* kEngines[] = {"model", "rtl", "lockstep"};

/// FNV-1a hash of 64-bit numbers.
class Digest {
 public:
  void add(std::uint64_t number) {
    for (int i = 0; i < 64; i += 8) value_ = (value_ ^ (number >> i & 0xFF)) * 0x100000001B3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

/// Halves a flow's rate at each notification, down to an eighth of the link rate. After eight
/// packets without a notification the flow has the link rate again.
class Halving final : public Algorithm {
 public:
  Halving(AlgorithmHost& host, Digest& digest) : host_(host), digest_(digest) {}
  AlgorithmNeeds needs() const override {
    AlgorithmNeeds needs;
    needs.cnp = needs.on_sent = true;
    return needs;
  }
  void on_flow_start(FlowNumber flow, const FlowStart&) override { flows_[flow] = {}; }
  void on_cnp(FlowNumber flow, const CnpInfo& cnp) override {
    ++cnps;
    digest_.add(flow << 16 | cnp.marks << 8 | cnp.packets);
    digest_.add(static_cast<std::uint64_t>(host_.now().count));
    State& state = flows_[flow];
    state.halvings = std::min(state.halvings + 1, 3u);
    state.packets = 0;
    set(flow, state);
  }
  void on_sent(FlowNumber flow, const SentInfo& info) override {
    digest_.add(static_cast<std::uint64_t>(flow) << 32 | info.wire_bytes);
    State& state = flows_[flow];
    if (state.halvings == 0 || ++state.packets < 8) return;
    state = {};
    set(flow, state);
  }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }
  std::uint64_t cnps = 0;

 private:
  struct State {
    unsigned halvings = 0, packets = 0;
  };
  void set(FlowNumber flow, const State& state) {
    host_.set_rate(flow, Rate(host_.line_rate().raw >> state.halvings));
  }
  AlgorithmHost& host_;
  Digest& digest_;
  std::map<FlowNumber, State> flows_;
};

class Bench final : public PacketSink, public ConnectionManager {
 public:
  Bench(std::uint64_t seed, Engine engine, Digest& digest)
      : dice_(seed), marks_(~seed), digest_(digest) {
    parameters_.payload = NicParameters::Payload::kReal;
    parameters_.recovery.timeout = kMicroSecond * 50;
    parameters_.recovery.not_ready_retries = 2;
    if (dice_.one_in(4))
      parameters_.dma.rate = BitRate(20'000'000'000 + dice_.below(100) * 1'000'000'000);
    parameters_.link_delay = kMicroSecond;
    // Never uses the policy "not_ready", since a full buffer and a missing receive entry would then
    // share a retry limit.
    if (dice_.one_in(2)) {
      parameters_.receive_buffer.when_full = ReceiveBufferParameters::WhenFull::kDrop;
    }
    parameters_.receive_buffer.size = 16'384;
    // Packets are lost only while the receive buffer drops nothing; otherwise packets that a full
    // buffer drops would be repeated without end.
    losses_ = dice_.one_in(4) ? 1 + dice_.below(20) : 0;
    if (losses_ == 0 && !parameters_.has_slow_memory()) parameters_.recovery.retries = 3;
    parameters_.recovery.reorder_window = dice_.one_in(2) ? 0 : 8;
    connections_.on_connected([this](HostId at, Qpn qpn) { nic(at).connect_queue_pair(qpn); });
    connections_.on_broken([this](HostId at, Qpn qpn) { nic(at).transmitter().give_up(qpn); });
    LinkParameters wire;
    for (std::uint32_t i = 0; i < 2; ++i) {
      parameters_.host = i;
      host_[i] = std::make_unique<Host>(scheduler_, pool_, ledger_, parameters_, *this, digest);
      use(engine, seed, *host_[i]);
      link_[i] = std::make_unique<Link>(scheduler_, pool_, wire, i);
    }
    for (int i = 0; i < 2; ++i) {
      link_[i]->connect(*this, 1 - i);
      host_[i]->nic.connect(*link_[i]);
      for (std::uint8_t& byte : host_[i]->ram.bytes)
        byte = static_cast<std::uint8_t>(dice_.below(256));
    }
  }

  /// Runs one batch. Returns the number of its descriptors, or nothing if a result differed from
  /// the oracle.
  std::optional<std::uint64_t> play() {
    posted_.clear();
    buffers_.clear();
    if (dice_.one_in(4)) disturb();
    for (HostId at : {0u, 1u}) start(at);
    NicOracle oracle = make_oracle();
    for (HostId at : {0u, 1u}) create(at, oracle.service);
    const std::uint64_t entries = dice_.below(5);
    for (std::uint64_t i = 0; i < entries; ++i) post_receive(oracle, 100 + i);
    run(kMicroSecond * 20);
    const std::uint64_t descriptors = 1 + dice_.below(6);
    digest_.add(static_cast<std::uint64_t>(scheduler_.now().count));
    bool answered = false;  // true if READ or atomic responses change memory at unpredictable times
    for (std::uint64_t i = 0; i < descriptors; ++i) {
      const std::uint8_t opcode = post(oracle, 200 + i);
      answered = answered || opcode >= NIC_WQE_RDMA_READ;
    }
    settle();
    destroy(1);
    oracle.flush();
    destroy(0);
    run(kMicroSecond * 20);
    const bool same =
        compare("work", reap(0), oracle.done) &&
        (oracle.service != Service::kRc || compare("receives", reap(1), oracle.received)) &&
        (oracle.service != Service::kRc || answered || same_memory(oracle));
    if (!same) {
      describe(oracle);
      return std::nullopt;
    }
    if (pool_.in_use() != 0) {
      std::fprintf(stderr, "%" PRIu64 " packets are left\n",
                   static_cast<std::uint64_t>(pool_.in_use()));
      return std::nullopt;
    }
    return descriptors;
  }

  /// Number of CNPs that the senders received.
  std::uint64_t notifications() const {
    return host_[0]->algorithm.cnps + host_[1]->algorithm.cnps;
  }

 private:
  struct Host {
    Host(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, const NicParameters& p,
         ConnectionManager& connections, Digest& digest)
        : ram(kRam),
          nic(scheduler, pool, ledger, p, 10 + p.host),
          algorithm(nic.transmitter(), digest),
          link(scheduler, ram, p.dma, 20 + p.host),
          rings(scheduler, nic, link, connections, 30 + p.host) {
      nic.set_algorithm(&algorithm);
    }
    FakeMemory ram;
#ifdef DCC_HAVE_PARSER_RTL
    std::unique_ptr<NotificationEngine> notification;
    std::unique_ptr<ParserEngine> parser;
#endif
    NicDevice nic;
    Halving algorithm;
    HostLink link;
    NicHostInterface rings;
    std::uint16_t sent = 0, received = 0, reaped = 0;
  };

#ifdef DCC_HAVE_PARSER_RTL
  static void use(Engine engine, std::uint64_t seed, Host& host) {
    if (engine == Engine::kModel) return;
    const HostId id = host.nic.parameters().host;
    host.notification = make_rtl_notification_engine({id, 0});
    host.parser = make_rtl_parser({id, 0});
    if (engine == Engine::kLockstep) {
      host.notification =
          make_lockstep_notification_engine(std::move(host.notification), {"notifier", seed});
      host.parser = make_lockstep_parser(std::move(host.parser), {"parser", seed});
    }
    host.nic.receiver().set_notification_engine(host.notification.get());
    host.nic.transmitter().set_parser(host.parser.get());
  }
#else
  static void use(Engine, std::uint64_t, Host&) {}
#endif

  // Implementation of ConnectionManager.
  QueuePairIdentity identify(HostId at, Qpn, const QueuePairConfig&) const override {
    QueuePairIdentity identity;
    identity.flow = at;
    identity.waits_for_peer = false;
    return identity;
  }
  void created(HostId at, Qpn qpn, const QueuePairConfig& config) override {
    connections_.created(at, qpn, config, false, false);
  }
  void destroyed(HostId at, Qpn qpn) override { connections_.destroyed(at, qpn); }
  void given_up(HostId at, Qpn qpn) override { connections_.given_up(at, qpn); }
  bool has_host(HostId at) const override { return at < 2; }

  void receive(Packet* packet, int port) override {
    if (losses_ != 0 && dice_.below(100) < losses_) {
      pool_.free(packet);
    } else {
      if (packet->ecn == Ecn::kEct0 && marks_.one_in(8)) packet->ecn = Ecn::kCe;
      host_[port]->nic.receive(packet, 0);
    }
  }

  NicDevice& nic(HostId at) { return host_[at]->nic; }
  void put(HostId at, std::uint32_t offset, std::uint32_t value) {
    host_[at]->rings.registers().write(offset, value, 0xF);
  }
  void run(PicoSeconds time) { scheduler_.run_until(scheduler_.now() + time); }

  /// Writes random values to random registers of a NIC in any state, followed by a soft reset.
  void disturb() {
    for (std::uint64_t i = dice_.below(60); i > 0; --i) {
      const auto at = static_cast<HostId>(dice_.below(2));
      const auto offset =
          static_cast<std::uint32_t>(4 * dice_.below(dice_.one_in(8) ? 0x1000 : 64));
      const std::uint64_t kind = dice_.below(3);
      put(at, offset,
          static_cast<std::uint32_t>(kind == 0   ? dice_.below(8)
                                     : kind == 1 ? kData + dice_.below(kRam)
                                                 : dice_.below(std::uint64_t{1} << 32)));
      if (dice_.one_in(8)) run(kNanoSecond * dice_.below(20'000));
    }
    run(kMicroSecond * 100);
  }

  void start(HostId at) {
    Host& h = *host_[at];
    put(at, NIC_CTRL_OFFSET, NIC_CTRL_SOFT_RESET_MASK);
    run(kMilliSecond * 2);  // in this time all earlier packets leave the wire
    h.sent = h.received = h.reaped = 0;
    std::fill_n(h.ram.bytes.begin() + kCompletionRing, kCompletions * sizeof(nic_cqe), 0);
    put(at, NIC_SQ_BASE_LO_OFFSET, kSendRing);
    put(at, NIC_RQ_BASE_LO_OFFSET, kReceiveRing);
    put(at, NIC_CQ_BASE_LO_OFFSET, kCompletionRing);
    put(at, NIC_CQ_SIZE_LOG2_OFFSET, 6);
    const std::uint32_t acks =
        dice_.one_in(4) ? NIC_CTRL_ACK_MODE_PER_MESSAGE : NIC_CTRL_ACK_MODE_PER_PACKET;
    const std::uint32_t counting = dice_.one_in(2) ? NIC_CTRL_CNP_CARRY_MARKS_MASK : 0;
    put(at, NIC_CNP_INTERVAL_OFFSET, static_cast<std::uint32_t>(dice_.below(8000)));
    put(at, NIC_CTRL_OFFSET,
        NIC_CTRL_ENABLE_MASK | NIC_CTRL_CNP_ENABLE_MASK | counting |
            acks << NIC_CTRL_ACK_MODE_SHIFT);
  }

  NicOracle make_oracle() {
    NicOracle oracle;
    const std::uint64_t kind = dice_.below(8);
    oracle.service = kind == 0 ? Service::kUc : kind == 1 ? Service::kUd : Service::kRc;
    // An unreliable sender does not detect losses, so rounds with losses use reliable senders only.
    if (losses_ != 0) oracle.service = Service::kRc;
    qpn_[0] = static_cast<Qpn>(2 + dice_.below(30));
    qpn_[1] = static_cast<Qpn>(2 + dice_.below(30));
    oracle.requester_qpn = qpn_[0];
    for (HostId at : {0u, 1u}) {
      NicOracleHost& side = at == 0 ? oracle.requester : oracle.responder;
      side.ram = host_[at]->ram.bytes;
      side.window = kData;
      side.window_bytes = dice_.one_in(4) ? dice_.below(2 * kRam) : kRam - kData;
      put(at, NIC_MR_BASE_LO_OFFSET, static_cast<std::uint32_t>(side.window));
      put(at, NIC_MR_LENGTH_OFFSET, static_cast<std::uint32_t>(side.window_bytes));
    }
    return oracle;
  }

  void create(HostId at, Service service) {
    put(at, NIC_QP_SELECT_OFFSET, qpn_[at]);
    put(at, NIC_QP_REMOTE_HOST_OFFSET, 1 - at);
    put(at, NIC_QP_REMOTE_QPN_OFFSET, qpn_[1 - at]);
    put(at, NIC_QP_SERVICE_OFFSET, static_cast<std::uint32_t>(service));
    put(at, NIC_QP_DSCP_OFFSET, static_cast<std::uint32_t>(dice_.below(64)));
    put(at, NIC_QP_PRIORITY_OFFSET, 3);
    put(at, NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
  }
  void destroy(HostId at) {
    put(at, NIC_QP_SELECT_OFFSET, qpn_[at]);
    put(at, NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_DESTROY);
  }

  void post_receive(NicOracle& oracle, std::uint64_t id) {
    Host& h = *host_[1];
    nic_rqe entry{};
    const bool exists = !dice_.one_in(16);
    entry.qpn = exists ? qpn_[1] : qpn_[1] + 100;
    entry.length = dice_.length();
    entry.wr_id = id;
    entry.address = dice_.address();
    h.ram.put(kReceiveRing + h.received % kEntries * sizeof entry, entry);
    put(1, NIC_RQ_TAIL_OFFSET, ++h.received);
    buffers_.push_back(entry);
    oracle.receive(entry, exists);
  }

  std::uint8_t post(NicOracle& oracle, std::uint64_t id) {
    Host& h = *host_[0];
    nic_wqe entry{};
    entry.opcode =
        static_cast<std::uint8_t>(dice_.one_in(16) ? dice_.below(256) : 1 + dice_.below(7));
    entry.flags = static_cast<std::uint8_t>(dice_.one_in(4) ? dice_.below(256)
                                                            : std::uint64_t{NIC_WQE_SIGNALED});
    entry.qpn = dice_.one_in(20) ? static_cast<std::uint32_t>(dice_.below(std::uint64_t{1} << 32))
                                 : qpn_[0];
    if (entry.qpn == qpn_[1]) entry.qpn = qpn_[0];
    entry.wr_id = id;
    const bool atomic = entry.opcode >= NIC_WQE_COMPARE_SWAP;
    entry.length = atomic && !dice_.one_in(8) ? 8 : dice_.length();
    if (oracle.service == Service::kUd && !dice_.one_in(4)) entry.length = entry.length % 1000 + 1;
    entry.local_address = dice_.address();
    entry.remote_address = dice_.address() + (dice_.one_in(8) ? dice_.below(8) : 0);
    entry.immediate = static_cast<std::uint32_t>(dice_.below(1000));
    entry.remote_host = dice_.one_in(8) ? static_cast<std::uint32_t>(dice_.below(5)) : 1;
    entry.remote_qpn = dice_.one_in(8) ? qpn_[1] + 100 : qpn_[1];
    if (entry.remote_host == 0) entry.remote_host = 1;
    entry.swap_or_add = dice_.below(1000);
    entry.compare = dice_.below(3);
    h.ram.put(kSendRing + h.sent % kEntries * sizeof entry, entry);
    oracle.requester.ram = h.ram.bytes;
    put(0, NIC_SQ_TAIL_OFFSET, ++h.sent);
    posted_.push_back(entry);
    if (dice_.one_in(2)) run(kMicroSecond * dice_.below(20));
    oracle.work(entry);
    return entry.opcode;
  }

  /// Runs until no packet has been in flight for longer than a sender waits for a response.
  void settle() {
    for (int i = 0; i < 400; ++i) {
      run(kMicroSecond * 500);
      if (!nic(0).transmitter().exists(qpn_[0]) || !nic(0).transmitter().has_work(qpn_[0])) break;
    }
    run(kMilliSecond);
  }

  std::vector<NicOracleCompletion> reap(HostId at) {
    Host& h = *host_[at];
    std::uint32_t tail = 0;
    h.rings.registers().read(NIC_CQ_TAIL_OFFSET, tail);
    std::vector<NicOracleCompletion> list;
    while (h.reaped != static_cast<std::uint16_t>(tail)) {
      const auto c =
          h.ram.get<nic_cqe>(kCompletionRing + h.reaped++ % kCompletions * sizeof(nic_cqe));
      // an immediate consumes no receive entry
      if (c.opcode == NIC_CQE_RECEIVE_IMMEDIATE) continue;
      list.push_back({c.wr_id, c.status});
      digest_.add(c.wr_id << 8 | c.status);
      digest_.add(c.timestamp_ns);
    }
    put(at, NIC_CQ_HEAD_OFFSET, h.reaped);
    return list;
  }

  /// Compares completions with the oracle's, in order within the work of one queue pair.
  /// Descriptors that the NIC rejects complete as soon as the NIC has read them, before earlier
  /// work.
  static bool compare(const char* what, std::vector<NicOracleCompletion> got,
                      std::vector<NicOracleCompletion> wanted) {
    const auto by_id = [](const NicOracleCompletion& a, const NicOracleCompletion& b) {
      return a.id < b.id;
    };
    std::stable_sort(got.begin(), got.end(), by_id);
    std::stable_sort(wanted.begin(), wanted.end(), by_id);
    if (got == wanted) return true;
    std::fprintf(stderr, "%s: id status | predicted\n", what);
    for (std::size_t i = 0; i < std::max(got.size(), wanted.size()); ++i) {
      const auto text = [i](const std::vector<NicOracleCompletion>& list) {
        return i < list.size() ? std::to_string(list[i].id) + " " + std::to_string(list[i].status)
                               : std::string("-");
      };
      std::fprintf(stderr, "  %s | %s\n", text(got).c_str(), text(wanted).c_str());
    }
    return false;
  }

  bool same_memory(const NicOracle& oracle) const {
    const std::vector<std::uint8_t>& ram = host_[1]->ram.bytes;
    for (std::uint32_t at = kData; at < kRam; ++at) {
      if (ram[at] == oracle.responder.ram[at]) continue;
      std::fprintf(stderr, "memory of host 1 differs at 0x%x\n", at);
      return false;
    }
    return true;
  }

  void describe(const NicOracle& oracle) const {
    std::fprintf(stderr, "service %d, windows of 0x%" PRIx64 " and 0x%" PRIx64 " bytes at 0x%x\n",
                 static_cast<int>(oracle.service), oracle.requester.window_bytes,
                 oracle.responder.window_bytes, kData);
    for (const nic_rqe& e : buffers_) {
      std::fprintf(stderr, "buffer %" PRIu64 ": queue pair %u, %u bytes at 0x%" PRIx64 "\n",
                   e.wr_id, e.qpn, e.length, e.address);
    }
    for (const nic_wqe& e : posted_) {
      std::fprintf(stderr,
                   "work %" PRIu64 ": opcode %d, queue pair %u, %u bytes, 0x%" PRIx64
                   " to 0x%" PRIx64 "\n",
                   e.wr_id, e.opcode, e.qpn, e.length, e.local_address, e.remote_address);
    }
  }

  Dice dice_;
  Dice marks_;  // decides which packets the wire marks
  Digest& digest_;
  Scheduler scheduler_;
  PacketPool pool_;
  FlowLedger ledger_{2};
  NicParameters parameters_;
  vp::Connections connections_;
  std::unique_ptr<Host> host_[2];
  std::unique_ptr<Link> link_[2];
  Qpn qpn_[2] = {};
  std::uint64_t losses_ = 0;     // share of lost packets in percent
  std::vector<nic_wqe> posted_;  // work posted in this batch
  std::vector<nic_rqe> buffers_;
};

std::optional<std::uint64_t> number(const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0') return std::nullopt;
  return value;
}

constexpr int kBatches = 20;  // number of batches per test bench

/// Runs at least `descriptors` descriptors. Returns the digest, or nothing if a result differed
/// from the oracle or, in lock-step, from the model.
std::optional<std::uint64_t> run(Engine engine, std::uint64_t descriptors, std::uint64_t seed) {
  std::uint64_t done = 0, benches = 0, notifications = 0;
  Digest digest;
  for (; done < descriptors; ++seed, ++benches) {
    int batch = 0;
    try {
      const auto bench = std::make_unique<Bench>(seed, engine, digest);
      for (; batch < kBatches; ++batch) {
        const std::optional<std::uint64_t> played = bench->play();
        if (!played) break;
        done += *played;
      }
      notifications += bench->notifications();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    if (batch < kBatches) {
      std::fprintf(stderr, "differs: --seed %" PRIu64 " --engine %s, batch %d\n", seed,
                   kEngines[static_cast<int>(engine)], batch);
      return std::nullopt;
    }
  }
  std::printf("%s: %" PRIu64 " descriptors on %" PRIu64 " pairs: all as predicted; %" PRIu64
              " notifications, digest %016" PRIx64 "\n",
              kEngines[static_cast<int>(engine)], done, benches, notifications, digest.value());
  return digest.value();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t descriptors = 3000, seed = 1;
  std::vector<Engine> engines{Engine::kModel};
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i], word = i + 1 < argc ? argv[i + 1] : "";
    const std::optional<std::uint64_t> value = number(word.c_str());
    const auto* const named = std::find(std::begin(kEngines), std::end(kEngines), word);
    if (key == "--engine" && word == "all") {
      engines = {Engine::kModel, Engine::kRtl, Engine::kLockstep};
    } else if (key == "--engine" && named != std::end(kEngines)) {
      engines = {static_cast<Engine>(named - std::begin(kEngines))};
    } else if (value && (key == "--descriptors" || key == "--seed")) {
      (key == "--seed" ? seed : descriptors) = *value;
    } else {
      std::fprintf(stderr,
                   "usage: nic_pair_fuzz [--descriptors N] [--seed S] "
                   "[--engine model|rtl|lockstep|all]\n");
      return 2;
    }
  }
#ifndef DCC_HAVE_PARSER_RTL
  if (engines.back() != Engine::kModel) {
    std::fprintf(stderr, "this build has no RTL\n");
    return 2;
  }
#endif
  std::optional<std::uint64_t> first;
  for (const Engine engine : engines) {
    const std::optional<std::uint64_t> digest = run(engine, descriptors, seed);
    if (!digest) return 1;
    if (first && *first != *digest) {
      std::fprintf(stderr, "the engines' digests differ\n");
      return 1;
    }
    first = digest;
  }
  return 0;
}
