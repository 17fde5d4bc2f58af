#include "schemes/fastpass/fastpass_arbiter.h"

#include <algorithm>
#include <utility>

namespace dcc {

namespace {
constexpr std::uint32_t kNone = 0xFFFFFFFF;
}

FastpassArbiter::FastpassArbiter(Scheduler& scheduler, std::uint32_t rank,
                                 const FastpassTiming& timing, const ArbiterParameters& parameters,
                                 Client& client)
    : scheduler_(scheduler),
      timing_(timing),
      parameters_(parameters),
      client_(client),
      allocator_(parameters.order),
      colouring_(std::max(1u, parameters.rack)),
      work_(Event::calling<&FastpassArbiter::work>(*this, rank)),
      send_(Event::calling<&FastpassArbiter::send>(*this, rank)) {}

void FastpassArbiter::hear(HostId from, const FastpassEntry& demand) {
  requests_done_ = std::max(requests_done_, scheduler_.now()) + parameters_.request_time;
  inbox_.push_back({requests_done_, from, demand});
  if (!work_.is_scheduled() && !send_.is_scheduled()) plan(requests_done_);
}

/// Schedules the arbiter's next batch of allocations: batches `index`, `index` + `arbiters`, …
/// belong to this arbiter.
void FastpassArbiter::plan(PicoSeconds not_before) {
  const std::int64_t turn = timing_.turn_time().count;
  const std::int64_t first = timing_.batch_time().count * parameters_.index;
  const std::int64_t after = std::max<std::int64_t>(not_before.count - first, 0);
  scheduler_.schedule_at(work_, PicoSeconds(first + (after + turn - 1) / turn * turn));
}

void FastpassArbiter::take_requests() {
  for (; !inbox_.empty() && inbox_.front().done <= scheduler_.now(); inbox_.pop_front()) {
    const Request& request = inbox_.front();
    const bool rises = allocator_.demand(request.from, request.demand.host, request.demand.total);
    if (request.demand.kind == FastpassEntry::Kind::kAsk) {
      asked_.push_back({request.from, request.demand.host, rises && request.demand.slot == 1});
    }
  }
}

FastpassArbiter::Bundle& FastpassArbiter::bundle_for(HostId host) {
  if (bundle_of_.size() <= host) bundle_of_.resize(std::size_t{host} + 1, kNone);
  if (bundle_of_[host] == kNone) {
    bundle_of_[host] = static_cast<std::uint32_t>(bundles_.size());
    if (spare_.empty()) spare_.emplace_back();
    bundles_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    bundles_.back().to = host;
  }
  return bundles_[bundle_of_[host]];
}

void FastpassArbiter::choose_ways(const std::vector<TimeslotAllocator::Match>& matches) {
  colour_of_.assign(matches.size(), kNone);
  if (parameters_.rack == 0) return;
  edges_.clear();
  for (const auto& match : matches) {
    const HostId from = match.source / parameters_.rack, to = match.destination / parameters_.rack;
    if (from != to) edges_.push_back({from, to});
  }
  const std::vector<std::uint32_t>& colours = colouring_.colour(edges_);
  std::size_t edge = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (matches[i].source / parameters_.rack != matches[i].destination / parameters_.rack) {
      colour_of_[i] = colours[edge++];
    }
  }
}

void FastpassArbiter::work() {
  begun_ = scheduler_.now();
  take_requests();
  base_ = timing_.slot_from(scheduler_.now() + timing_.lead);
  PicoSeconds spent{};
  for (std::uint64_t slot = base_;
       slot < base_ + timing_.batch && spent < timing_.turn_time() && !allocator_.idle(); ++slot) {
    const std::vector<TimeslotAllocator::Match>& matches = allocator_.allocate();
    spent += parameters_.allocation_time * static_cast<std::int64_t>(matches.size());
    choose_ways(matches);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      FastpassEntry entry;
      entry.kind = FastpassEntry::Kind::kSlot;
      entry.slot = static_cast<std::uint8_t>(slot - base_);
      entry.host = matches[i].destination;
      entry.total = matches[i].given;
      if (colour_of_[i] != kNone) {
        entry.first_way = static_cast<std::uint8_t>(1 + colour_of_[i] % parameters_.ways);
        entry.second_way = static_cast<std::uint8_t>(1 + colour_of_[i] / parameters_.ways);
      }
      bundle_for(matches[i].source).entries.push_back(entry);
    }
  }
  for (const auto& [source, destination, lost] : asked_) {
    FastpassEntry entry;
    entry.kind = FastpassEntry::Kind::kGiven;
    entry.slot = lost ? 1 : 0;
    entry.host = destination;
    entry.total = allocator_.given(source, destination);
    bundle_for(source).entries.push_back(entry);
  }
  asked_.clear();
  scheduler_.schedule_at(send_, scheduler_.now() + spent);
}

void FastpassArbiter::send() {
  for (Bundle& bundle : bundles_) {
    bundle_of_[bundle.to] = kNone;
    client_.send_entries(bundle.to, base_, bundle.entries);
    bundle.entries.clear();
    spare_.push_back(std::move(bundle));
  }
  bundles_.clear();
  const PicoSeconds soonest = std::max(scheduler_.now(), begun_ + PicoSeconds(1));
  if (!allocator_.idle()) {
    plan(soonest);
  } else if (!inbox_.empty()) {
    plan(std::max(soonest, inbox_.front().done));
  }
}

}  // namespace dcc
