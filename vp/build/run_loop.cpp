#include "build/run_loop.h"

#include <algorithm>
#include <chrono>

#include "build/platform.h"
#include "build/ranks.h"
#include "sc_time.h"
#include "traffic/flow_gates.h"

namespace dcc::vp {

Ending ending_of(const FlowTotals& flows, bool all_direct, bool acknowledged) {
  return {all_direct && acknowledged && flows.flows != 0 && !flows.endless, flows.bytes};
}

double share_done(PicoSeconds now, PicoSeconds duration, const Ending& ending, Bytes acknowledged) {
  double done = static_cast<double>(now.count) /
                static_cast<double>(std::max<std::int64_t>(duration.count, 1));
  if (ending.with_traffic) {
    done = std::max(done, static_cast<double>(acknowledged) / static_cast<double>(ending.bytes));
  }
  return std::min(done, 1.0);
}

RunLoop::RunLoop(Platform& platform, RunObserver& observer)
    : p_(platform),
      observer_(observer),
      finish_check_(Event::calling<&RunLoop::check_finished>(*this, kFinishRank)),
      end_(Event::calling<&RunLoop::stop>(*this, kEndRank)) {
  p_.on_start([this] { start(); });
  p_.kernel.set_heartbeat([this] { heartbeat(); });
}

void RunLoop::start() {
  gates_ = p_.part<FlowGates>();
  bool all_direct = true;
  const Host* before = nullptr;
  for (auto& host : p_.hosts) {
    host->bring_up();
    if (before != nullptr) host->share_tables(*before);
    before = host.get();
    all_direct = all_direct && host->is_direct();
  }
  ending_ = ending_of(p_.plan.totals(), all_direct, p_.config.nic.ack != AckMode::kNone);
  if (ending_.with_traffic) p_.scheduler.schedule_in(finish_check_, kFinishInterval);
  if (p_.config.fast_forward.enabled) {
    p_.clock.keep(end_);
    p_.clock.schedule_at(end_, p_.config.duration);
  }
  p_.begin();
}

void RunLoop::run(RunResults& results) {
  const auto begin = std::chrono::steady_clock::now();
  sc_core::sc_start(model::to_sc_time(p_.config.duration));
  try {
    if (p_.kernel.failure() != nullptr) std::rethrow_exception(p_.kernel.failure());
    if (!stopped_early_ && !p_.kernel.stopped()) p_.scheduler.run_until(p_.config.duration);
    for (auto& host : p_.hosts) host->finish();
  } catch (const std::exception& failure) {
    aborted_ = true;
    results.failures.push_back(failure.what());
  }
  // Reading a controller's statistics makes the controller process its pending work. If RTL differs
  // from the model during this work, the run fails as at any other time; after one failure the
  // difference is not reported again while results are collected.
  for (auto& host : p_.hosts) {
    if (host->dcc() == nullptr) continue;
    try {
      host->dcc()->device().statistics();
    } catch (const std::exception& failure) {
      aborted_ = true;
      results.failures.push_back(failure.what());
    }
  }
  results.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  results.sim_time = p_.clock.now();
  results.completed = !aborted_ && (stopped_early_ || !p_.kernel.stopped());
  results.events = p_.partitions.events_run();
  results.threads = p_.partitions.threads();
  if (PartitionedRun* const parallel = p_.partitions.parallel()) {
    results.time_spent = parallel->time_spent();
  }
  results.partition_refusal = p_.partition_plan.refusal;
  p_.finish(results);
}

void RunLoop::check_finished() {
  auto finished = static_cast<std::int64_t>(tally().finished_flows);
  if (p_.partitions.group() != nullptr) p_.partitions.group()->sum(&finished, 1);
  const std::size_t to_finish = p_.plan.to_finish() + p_.plan.links().size();
  if (finished == static_cast<std::int64_t>(to_finish) && computations_left() == 0 &&
      has_arrived()) {
    stop();
    return;
  }
  // Nothing begins while the gates are quiet, so that the next check may be some intervals away.
  std::int64_t intervals = 1;
  if (gates_ != nullptr) {
    const PicoSeconds quiet = gates_->quiet_until() - p_.scheduler.now();
    intervals = std::max<std::int64_t>(intervals, quiet / kFinishInterval);
  }
  p_.scheduler.schedule_in(finish_check_, kFinishInterval * intervals);
}

bool RunLoop::has_arrived() const {
  const bool acknowledged =
      std::all_of(p_.config.traffic.begin(), p_.config.traffic.end(),
                  [](const TrafficSpec& entry) { return is_reliable(entry.service); });
  return acknowledged || p_.partitions.packets_in_use() == 0;
}

std::int64_t RunLoop::computations_left() const {
  std::int64_t left = 0;
  if (gates_ != nullptr) left = gates_->computations_left();
  if (p_.partitions.group() != nullptr) p_.partitions.group()->sum(&left, 1);
  return left;
}

void RunLoop::stop() {
  stopped_early_ = true;
  p_.kernel.stop();
}

FlowTally RunLoop::tally() const {
  FlowTally sum;
  for (const auto& host : p_.hosts) {
    const FlowTally& one = host->nic().device().transmitter().requester().tally();
    sum.acknowledged_bytes += one.acknowledged_bytes;
    sum.finished_flows += one.finished_flows;
  }
  return sum;
}

void RunLoop::heartbeat() {
  p_.partitions.balance_pools();
  p_.heartbeat();
  if (observer_.wants_progress()) report_progress();
  // One of several processes must not stop alone, because the launcher would then end all of them.
  if (p_.partitions.group() == nullptr && observer_.stop_requested()) {
    aborted_ = stopped_early_ = true;
    p_.kernel.stop();
  }
}

void RunLoop::report_progress() {
  Progress progress;
  progress.now = p_.clock.now();
  progress.duration = p_.config.duration;
  progress.done = share_done(progress.now, progress.duration, ending_, tally().acknowledged_bytes);
  for (const Wire& wire : p_.network.wires()) {
    progress.link_traversals += wire.link().counters().packets;
  }
  for (const auto& module : p_.network.switches()) {
    if (module != nullptr) progress.drops += module->device().totals().dropped;
  }
  for (const auto& host : p_.hosts) progress.cnps += host->nic().device().counters().cnps_sent;
  observer_.on_progress(progress);
}

}  // namespace dcc::vp
