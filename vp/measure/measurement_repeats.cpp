// Measurement of time that is not simulated: counters and statistics of skipped and of remembered
// time.
#include "measure/measurement.h"

namespace dcc::vp {

namespace {
/// The increase of a histogram between two moments, as LogHistogram::counts(); empty: nothing.
std::vector<std::int64_t> gain(const LogHistogram& before, const LogHistogram& after) {
  // numbers before the buckets: sum, number of buckets, least and greatest value
  constexpr std::size_t kHead = 4;
  const std::vector<std::int64_t> from = before.counts();
  const std::vector<std::int64_t> to = after.counts();
  std::vector<std::int64_t> gained(to.begin(), to.begin() + kHead);
  gained[0] -= from[0];
  gained[1] = 0;
  std::size_t at = kHead;  // position in `from`, whose buckets are a subset of those of `to`
  for (std::size_t i = kHead; i < to.size(); i += 2) {
    std::int64_t more = to[i + 1];
    if (at < from.size() && from[at] == to[i]) {
      more -= from[at + 1];
      at += 2;
    }
    if (more == 0) continue;
    gained.push_back(to[i]);
    gained.push_back(more);
    ++gained[1];
  }
  if (gained[1] == 0) gained.clear();
  return gained;
}

LogHistogram multiplied(const LogHistogram& histogram, std::int64_t times) {
  std::vector<std::int64_t> numbers = histogram.counts();
  numbers[0] *= times;
  for (std::size_t i = 5; i < numbers.size(); i += 2) numbers[i] *= times;
  return LogHistogram::of(numbers);
}
}  // namespace

std::unique_ptr<Measurement::Watch> Measurement::watch() const {
  auto watch = std::make_unique<Watch>();
  watch->from = scheduler_.now();
  watch->counted = snapshot();
  for (const auto& host : hosts_) {
    watch->rtt_ns.push_back(host->nic().device().transmitter().requester().rtt_ns());
    watch->reordering.push_back(host->nic().device().reordering());
  }
  if (!measuring_ || measured_) return watch;
  for (const EgressQueue& queue : network_.queues()) {
    watch->queues.push_back(queue.statistics.as_of(scheduler_.now()));
  }
  return watch;
}

void Measurement::repeat_since(const Watch& watch, PicoSeconds skipped,
                               const std::vector<Bytes>& left_out) {
  const PicoSeconds now = scheduler_.now();
  const Proportion times{skipped, now - watch.from};
  const Snapshot more = snapshot().since(watch.counted).times(times);
  skipped_ = skipped_.wires.empty() ? more : skipped_.plus(more);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    NicDevice& nic = hosts_[i]->nic().device();
    nic.transmitter().requester().repeat_statistics(watch.rtt_ns[i], times);
    nic.reordering().repeat_since(watch.reordering[i], times);
  }
  for (std::size_t i = 0; i < watch.queues.size(); ++i) {
    network_.queues()[i].statistics.repeat_since(watch.queues[i], now, times);
  }
  for (std::size_t flow = 0; flow < left_out.size(); ++flow) {
    sampled_received_[flow] += left_out[flow];
  }
}

// ---------------------------------------------------------------- stretches from memory

Measurement::Stretch Measurement::stretch_since(const Watch& watch) const {
  const std::unique_ptr<Watch> now = this->watch();
  Stretch stretch;
  stretch.counted = now->counted.since(watch.counted);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    stretch.rtt_ns.merge(LogHistogram::of(gain(watch.rtt_ns[i], now->rtt_ns[i])));
  }
  stretch.queues_from = watch.queues;
  stretch.queues_to = std::move(now->queues);
  return stretch;
}

void Measurement::repeat(const Stretch& stretch, std::int64_t times) {
  const Snapshot more = stretch.counted.times({PicoSeconds(times), PicoSeconds(1)});
  skipped_ = skipped_.wires.empty() ? more : skipped_.plus(more);
  if (!measuring_ || measured_) return;
  if (stretch.rtt_ns.count() != 0) rtt_ns_.merge(multiplied(stretch.rtt_ns, times));
  for (std::size_t i = 0; i < stretch.queues_to.size(); ++i) {
    network_.queues()[i].statistics.repeat_between(stretch.queues_from[i], stretch.queues_to[i],
                                                   times);
  }
}

}  // namespace dcc::vp
