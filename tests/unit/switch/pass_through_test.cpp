// A packet that finds its port free is sent without being queued, and must leave the same state
// behind as if it had been queued. The test sends the same arrivals to two switches, one of which
// queues all packets.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "sim/random.h"
#include "switch/switch_device.h"

namespace dcc::switch_pass_through_test {
namespace {

constexpr int kPorts = 4;
constexpr LinkParameters kLink{BitRate(100'000'000'000), kMicroSecond, 20};

/// Records the packets that leave a port, and their times.
class Recorder final : public PacketOut {
 public:
  Recorder(Scheduler& scheduler, PacketPool& pool, std::vector<std::string>& log, int port)
      : scheduler_(scheduler), pool_(pool), log_(log), port_(port) {}
  PicoSeconds send(Packet* packet) override {
    std::string line = std::to_string(scheduler_.now().count) + " port " + std::to_string(port_) +
                       " kind " + std::to_string(static_cast<int>(packet->kind)) + " psn " +
                       std::to_string(packet->psn) + " ecn " +
                       std::to_string(static_cast<int>(packet->ecn)) + " classes " +
                       std::to_string(packet->pause_classes);
    for (int hop = 0; packet->telemetry != nullptr && hop < packet->telemetry_hops; ++hop) {
      const IntHop& h = packet->telemetry->hop[static_cast<std::size_t>(hop)];
      line += " hop " + std::to_string(h.timestamp.count) + "/" + std::to_string(h.tx_bytes) + "/" +
              std::to_string(h.queue);
    }
    log_.push_back(line);
    const PicoSeconds busy =
        serialization_time(static_cast<Bytes>(packet->wire_bytes) + kLink.overhead, kLink.rate);
    pool_.free(packet);
    return busy;
  }

 private:
  Scheduler& scheduler_;
  PacketPool& pool_;
  std::vector<std::string>& log_;
  int port_;
};

/// A switch under random arrivals. The same seed gives the same arrivals.
class Bench {
 public:
  Bench(SwitchParameters parameters, bool queue_all)
      : switch_((parameters.queue_all = queue_all,
                 std::make_unique<SwitchDevice>(scheduler_, pool_, parameters, kPorts, 7, 0, 10))),
        arrival_(Event::calling<&Bench::arrive>(*this, 1)) {
    for (int port = 0; port < kPorts; ++port) {
      outs_.push_back(std::make_unique<Recorder>(scheduler_, pool_, log_, port));
      switch_->attach(port, *outs_.back(), kLink);
      switch_->observe_queue(port, &queue_[static_cast<std::size_t>(port)]);
    }
    RouteTable routes(kPorts);
    routes.set_block(0, kPorts, 1, 0);
    switch_->set_routes(routes);
  }

  /// `gap` is the greatest time between two arrivals. Small gaps build queues, and with large gaps
  /// all packets pass through.
  void run(std::uint64_t seed, int arrivals, PicoSeconds gap, bool pauses) {
    random_ = RandomStream(seed, "arrivals");
    left_ = arrivals;
    gap_ = gap;
    pauses_ = pauses;
    scheduler_.schedule_in(arrival_, PicoSeconds(1));
    scheduler_.run_until(PicoSeconds(gap.count * arrivals) + kMilliSecond * 10);
  }

  std::string behind() const {
    std::string text;
    for (int port = 0; port < kPorts; ++port) {
      const SwitchCounters c = switch_->counters(port);
      const QueueStatistics::Figures f =
          queue_[static_cast<std::size_t>(port)].figures(scheduler_.now());
      for (const std::uint64_t n : {c.enqueued, c.dequeued, c.tx_bytes, c.ecn_marks, c.dropped,
                                    c.dropped_bytes, c.cnms_sent}) {
        text += std::to_string(n) + " ";
      }
      for (const Bytes b : {f.mean, f.p50, f.p99, f.max, switch_->queue_bytes(port)}) {
        text += std::to_string(b) + " ";
      }
      text += std::to_string(switch_->pause_time(port).count) + "\n";
    }
    text += std::to_string(switch_->buffer().used()) + " " +
            std::to_string(switch_->buffer().peak()) + " " + std::to_string(pool_.in_use());
    return text;
  }
  const std::vector<std::string>& log() const { return log_; }

 private:
  void arrive() {
    Packet* const packet = pool_.allocate();
    const int in = static_cast<int>(random_.next_u32() % kPorts);
    packet->priority = static_cast<std::uint8_t>(random_.next_u32() % 3);
    packet->psn = static_cast<Psn>(left_);
    packet->source = static_cast<HostId>(in);
    packet->destination = random_.next_u32() % kPorts;
    packet->wire_bytes = 64 + random_.next_u32() % 1400;
    packet->ecn = random_.next_u32() % 4 != 0 ? Ecn::kEct0 : Ecn::kNotEct;
    if (random_.next_u32() % 2 == 0) pool_.attach_telemetry(*packet);
    if (pauses_ && random_.next_u32() % 40 == 0) {
      packet->kind = PacketKind::kPause;
      packet->pause_classes = static_cast<std::uint16_t>(random_.next_u32() % 8);
    }
    switch_->receive(packet, in);
    if (--left_ == 0) {
      // Ends all pauses, so that all waiting packets leave.
      for (int port = 0; port < kPorts; ++port) {
        Packet* const go = pool_.allocate();
        go->kind = PacketKind::kPause;
        switch_->receive(go, port);
      }
      return;
    }
    // Times are multiples of the 80 ps of a byte, so that arrivals coincide with departures.
    const std::int64_t steps = gap_.count / 80;
    scheduler_.schedule_in(arrival_, PicoSeconds(80 * (random_.next_u32() % steps)));
  }

  Scheduler scheduler_;
  PacketPool pool_;
  std::vector<std::string> log_;
  std::vector<std::unique_ptr<Recorder>> outs_;
  QueueStatistics queue_[kPorts];
  std::unique_ptr<SwitchDevice> switch_;
  Event arrival_;
  RandomStream random_{0, "arrivals"};
  int left_ = 0;
  PicoSeconds gap_{};
  bool pauses_ = false;
};

std::vector<std::pair<std::string, SwitchParameters>> variants() {
  using Kind = EgressSchedulerParameters::Kind;
  SwitchParameters plain;
  plain.buffer = 200'000;
  plain.ecn.kmin = 0;
  plain.ecn.kmax = 20'000;
  plain.ecn.pmax = Ratio(1);
  SwitchParameters lossy = plain;
  lossy.pfc.enabled = false;
  lossy.buffer = 20'000;
  SwitchParameters strict = plain;
  strict.scheduler.kind = Kind::kStrict;
  SwitchParameters ets = plain;
  ets.scheduler.kind = Kind::kEts;
  ets.scheduler.weights = {5, 3, 1, 1, 1, 1, 1, 1};
  SwitchParameters turns = plain;
  turns.arbitration = SwitchParameters::Arbitration::kRoundRobin;
  SwitchParameters per_port = plain;
  per_port.ecn.scope = EcnParameters::Scope::kPort;
  SwitchParameters dequeue = plain;
  dequeue.ecn.mark_at = EcnParameters::MarkAt::kDequeue;
  SwitchParameters phantom = plain;
  phantom.ecn.phantom_drain = Ratio(1, 5);
  phantom.ecn.phantom_threshold = 1'500;
  SwitchParameters tight = plain;
  tight.buffer = 130'000;
  tight.pfc.headroom = 8'000;
  return {{"plain", plain},     {"lossy", lossy}, {"strict", strict},
          {"ets", ets},         {"turns", turns}, {"per_port", per_port},
          {"dequeue", dequeue}, {"tight", tight}, {"phantom", phantom}};
}

TEST(SwitchPassThrough, LeavesBehindWhatQueueingWould) {
  for (const auto& [name, parameters] : variants()) {
    for (const std::int64_t gap_ns : {20, 40, 120, 2000}) {
      for (const bool pauses : {false, true}) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
          Bench passes(parameters, false);
          Bench queues(parameters, true);
          passes.run(seed, 3000, kNanoSecond * gap_ns, pauses);
          queues.run(seed, 3000, kNanoSecond * gap_ns, pauses);
          const std::string where = name + ", gap " + std::to_string(gap_ns) + " ns, seed " +
                                    std::to_string(seed) + (pauses ? ", pauses" : "");
          ASSERT_EQ(passes.log().size(), queues.log().size()) << where;
          for (std::size_t i = 0; i < passes.log().size(); ++i) {
            ASSERT_EQ(passes.log()[i], queues.log()[i]) << where << ", departure " << i;
          }
          ASSERT_EQ(passes.behind(), queues.behind()) << where;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dcc::switch_pass_through_test
