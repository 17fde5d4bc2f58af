// Benchmark of the fabric: one switch without links, and whole networks without NICs.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "stats/queue_statistics.h"
#include "unit/switch/test_devices.h"

namespace dcc {
namespace {

/// A link that takes the same transmission time for every packet and delivers no packet.
class Drain final : public PacketOut {
 public:
  Drain(PacketPool& pool, PicoSeconds step) : pool_(pool), step_(step) {}
  PicoSeconds send(Packet* packet) override {
    pool_.free(packet);
    return step_;
  }

 private:
  PacketPool& pool_;
  PicoSeconds step_;
};

/// Measures a 33-port switch with ECN, PFC accounting and queue statistics: 32 packets enter one
/// queue and leave it again.
void packets_through_a_switch(benchmark::State& state) {
  constexpr int kPorts = 33;
  Scheduler scheduler;
  PacketPool pool;
  SwitchParameters parameters;
  parameters.arbitration = state.range(0) == 0 ? SwitchParameters::Arbitration::kFifo
                                               : SwitchParameters::Arbitration::kRoundRobin;
  SwitchDevice device(scheduler, pool, parameters, kPorts, 1, 0, 0);
  std::vector<std::unique_ptr<Drain>> out;
  QueueStatistics statistics;
  for (int port = 0; port < kPorts; ++port) {
    out.push_back(std::make_unique<Drain>(pool, PicoSeconds(80'000)));
    device.attach(port, *out.back(), LinkParameters{});
  }
  RouteTable routes(kPorts);
  routes.set_block(0, kPorts, 1, 0);
  device.set_routes(routes);
  device.observe_queue(0, &statistics);
  PicoSeconds now{};
  const PicoSeconds step(2'500);
  for (auto _ : state) {
    for (int port = 1; port < kPorts; ++port) {
      scheduler.run_until(now += step);
      Packet* const packet = pool.allocate();
      packet->wire_bytes = 1066;
      packet->source = packet->flow = static_cast<std::uint32_t>(port);
      packet->ecn = Ecn::kEct0;
      device.receive(packet, port);
    }
    // run until the switch's queue is empty
    scheduler.run_until(now += PicoSeconds(80'000) * kPorts);
  }
  state.SetItemsProcessed(state.iterations() * (kPorts - 1));
}
BENCHMARK(packets_through_a_switch)->Arg(0)->Arg(1)->ArgName("round_robin");

/// Measures link traversals of an incast of endless flows.
void incast(benchmark::State& state) {
  const int senders = static_cast<int>(state.range(0));
  test::TestStar star(senders + 1, SwitchParameters{}, LinkParameters{});
  for (int h = 1; h <= senders; ++h) star.host[static_cast<std::size_t>(h)]->blast(0, 1066);
  const auto traversals = [&] {
    std::uint64_t sum = 0;
    for (const auto& link : star.up) sum += link->counters().packets;
    for (const auto& link : star.down) sum += link->counters().packets;
    return static_cast<std::int64_t>(sum);
  };
  star.scheduler.run_until(kMilliSecond);
  const std::int64_t before = traversals();
  for (auto _ : state) star.scheduler.run_until(star.scheduler.now() + kMicroSecond * 100);
  state.SetItemsProcessed(traversals() - before);
}
BENCHMARK(incast)->Arg(2)->Arg(32)->Arg(319);

/// Measures link traversals in a fat tree of 320 hosts, in which 60 hosts send to 7 other hosts
/// each.
void fat_tree(benchmark::State& state) {
  test::TestNetwork net(Topology::fat_tree(FatTreeParameters{}), SwitchParameters{});
  for (HostId h = 0; h < 60; ++h) {
    for (HostId k = 1; k <= 7; ++k) net.host[h]->blast((h + k * 8) % 60, 1066);
  }
  const auto traversals = [&] {
    std::uint64_t sum = 0;
    for (const auto& link : net.links) sum += link->counters().packets;
    return static_cast<std::int64_t>(sum);
  };
  net.scheduler.run_until(kMicroSecond * 200);
  const std::int64_t before = traversals();
  for (auto _ : state) net.scheduler.run_until(net.scheduler.now() + kMicroSecond * 20);
  state.SetItemsProcessed(traversals() - before);
}
BENCHMARK(fat_tree);

}  // namespace
}  // namespace dcc

BENCHMARK_MAIN();
