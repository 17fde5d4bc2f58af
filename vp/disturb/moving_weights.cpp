#include "disturb/moving_weights.h"

#include <algorithm>
#include <map>
#include <optional>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/translate.h"
#include "driver/dcc_tables.h"

namespace dcc::vp {

std::uint32_t weight_of_progress(std::uint32_t begin, std::uint32_t end, Bytes sent, Bytes total) {
  const std::int64_t moved = (std::int64_t{end} - std::int64_t{begin}) * sent / total;
  return static_cast<std::uint32_t>(std::int64_t{begin} + moved);
}

Bytes bytes_with_lead(Bytes sent, Bytes total, std::size_t place, std::size_t jobs) {
  constexpr std::size_t kLead = 16;  // the first of several jobs leads by this part of a round
  if (jobs < 2) return sent;
  const auto places = static_cast<Bytes>(kLead * (jobs - 1));
  return sent + (total - sent) * static_cast<Bytes>(jobs - 1 - place) / places;
}

/// An entry of `traffic` whose weight moves with the bytes sent.
class MovingWeights::Entry {
 public:
  /// `place_of_job`: number of entries before this one whose weight follows their job; `jobs`:
  /// number of all such entries.
  Entry(Platform& platform, std::size_t index, std::size_t place_of_job, std::size_t jobs)
      : platform_(platform),
        place_(place_of_job),
        jobs_(jobs),
        spec_(platform.config.traffic[index]),
        due_(Event::calling<&Entry::due>(*this, kWeightRank)) {
    const HostPorts ports = platform.config.topology.host_ports();
    std::map<HostId, std::size_t> rank_of;
    for (const PlannedFlow& flow : platform.plan.flows()) {
      const HostId port = flow.spec.from;
      if (flow.spec.entry != index || !platform.is_here(port)) continue;
      const HostId host = ports.host_of(port);
      const auto [place, is_new] = rank_of.try_emplace(host, ranks_.size());
      if (is_new) ranks_.push_back(make_rank(ports.first_port(host), ports.ports_of(host)));
      ranks_[place->second].sends.push_back(flow.spec);
    }
    for (Rank& rank : ranks_) {
      std::map<std::uint32_t, Bytes> bytes;
      for (const FlowSpec& send : rank.sends) bytes[send.query] += send.bytes;
      for (const FlowSpec& send : rank.sends) rank.round.push_back(bytes[send.query]);
      for (const auto& [query, sum] : bytes) bytes_of_round_[query] += sum;
    }
  }

  void begin() {
    if (ranks_.empty() || spec_.start >= PicoSeconds::max() - spec_.weight_interval) return;
    platform_.scheduler.schedule_at(due_, spec_.start + spec_.weight_interval);
  }

 private:
  /// The sends of one rank, in the order in which the rank makes them. The rank's host may send by
  /// several ports, each with a controller.
  struct Rank {
    HostId first_port = 0;
    HostId ports = 1;
    std::uint32_t begin = 0;  // weight before the first byte, as the controller has it, 1.0 = 256
    std::uint32_t end = 0;
    std::uint32_t set = 0;  // weight that was set last, 1.0 = 256
    // sends of a round; each waits for the previous one, or both wait for the same event
    std::vector<FlowSpec> sends;
    std::vector<Bytes> round;  // bytes of the round to which each send belongs
    std::size_t next = 0;      // index of the first send that is not completely acknowledged
    // bytes of the present round (that of sends[next]) in its sends before `next`, which are all
    // acknowledged
    Bytes sent = 0;
    Bytes acknowledged = 0;  // acknowledged bytes of the present round at the last sample

    bool is_done() const { return next == sends.size(); }
    std::uint32_t query() const { return sends[next].query; }  // query number of the present round

    /// Skips finished sends, and sets `acknowledged`.
    void look(const FlowLedger& ledger) {
      for (; next < sends.size() && FlowLedger::finished(ledger[sends[next].id]); ++next) {
        sent += sends[next].bytes;
        if (sent >= round[next]) sent = 0;
      }
      acknowledged = sent;
      for (std::size_t i = next; i < sends.size() && sends[i].query == sends[next].query; ++i) {
        const Bytes of_send = ledger[sends[i].id].acked_bytes;
        if (of_send == 0) break;
        acknowledged += of_send;
      }
    }
  };

  Rank make_rank(HostId first_port, HostId ports) const {
    const PlatformConfig& config = platform_.config;
    Rank rank;
    rank.first_port = first_port;
    rank.ports = ports;
    rank.begin =
        controller_program(config, first_port, platform_.network.host_link(first_port).rate)
            .classes[spec_.dscp]
            .weight_q8_8;
    // The controller's weights may be scaled; both ends keep their ratio.
    const std::uint64_t scaled = rank.begin * spec_.weight_at_end->to_fixed(16) /
                                 config.dscp_of(spec_.dscp).weight.to_fixed(16);
    rank.end = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(scaled, DCC_WEIGHT_MIN_Q8_8, DCC_WEIGHT_MAX_Q8_8));
    rank.set = rank.begin;
    return rank;
  }

  struct Progress {
    Bytes sent = 0;
    Bytes total = 1;
  };
  /// Returns the progress of the oldest round that a rank has not finished, with the job's lead.
  Progress progress_of_job() const {
    std::optional<std::uint32_t> oldest;
    for (const Rank& rank : ranks_) {
      if (!rank.is_done()) oldest = std::min(oldest.value_or(rank.query()), rank.query());
    }
    if (!oldest) return {};
    const Bytes total = bytes_of_round_.at(*oldest);
    Bytes left = 0;
    for (const Rank& rank : ranks_) {
      if (rank.is_done() || rank.query() != *oldest) continue;
      left += rank.round[rank.next] - rank.acknowledged;
    }
    return {bytes_with_lead(total - left, total, place_, jobs_), total};
  }

  void due() {
    for (Rank& rank : ranks_) rank.look(platform_.ledger);
    const bool of_job = spec_.weight_follows == WeightBasis::kJob;
    const Progress job = of_job ? progress_of_job() : Progress{};
    bool more = false;
    for (const Rank& rank : ranks_) more = more || !rank.is_done();
    for (Rank& rank : ranks_) {
      std::uint32_t weight = rank.begin;
      if (of_job) {
        weight = weight_of_progress(rank.begin, rank.end, job.sent, job.total);
      } else if (!rank.is_done()) {
        weight = weight_of_progress(rank.begin, rank.end, rank.acknowledged, rank.round[rank.next]);
      }
      if (weight == rank.set) continue;
      for (HostId port = 0; port < rank.ports; ++port) {
        platform_.hosts[rank.first_port + port]->set_weight(spec_.dscp, weight);
      }
      rank.set = weight;
    }
    if (more) platform_.scheduler.schedule_in(due_, spec_.weight_interval);
  }

  Platform& platform_;
  std::size_t place_;
  std::size_t jobs_;
  const TrafficSpec& spec_;
  std::vector<Rank> ranks_;
  std::map<std::uint32_t, Bytes> bytes_of_round_;  // bytes of all ranks by round number
  Event due_;
};

MovingWeights::MovingWeights(Platform& platform) {
  const auto follows_job = [](const TrafficSpec& spec) {
    return spec.moves_weight() && spec.weight_follows == WeightBasis::kJob;
  };
  const std::vector<TrafficSpec>& traffic = platform.config.traffic;
  const auto jobs =
      static_cast<std::size_t>(std::count_if(traffic.begin(), traffic.end(), follows_job));
  std::size_t place = 0;
  for (std::size_t i = 0; i < platform.config.traffic.size(); ++i) {
    const TrafficSpec& spec = platform.config.traffic[i];
    if (spec.moves_weight()) {
      entries_.push_back(std::make_unique<Entry>(platform, i, place, jobs));
      if (follows_job(spec)) ++place;
    }
  }
}

MovingWeights::~MovingWeights() = default;

void MovingWeights::begin() {
  for (const auto& entry : entries_) entry->begin();
}

namespace {
const PartKind kMovingWeightsKind(PartKind::kMovingWeights, [](Platform& p) {
  const bool any = std::any_of(p.config.traffic.begin(), p.config.traffic.end(),
                               [](const TrafficSpec& t) { return t.moves_weight(); });
  return any ? std::make_unique<MovingWeights>(p) : nullptr;
});
}  // namespace

}  // namespace dcc::vp
