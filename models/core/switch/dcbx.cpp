#include "switch/dcbx.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "describe/class_ranges.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "wire/wire_size.h"

namespace dcc {

void DcbxEndParameters::describe(ParameterVisitor& v) {
  v.names(
      "ports", ports, "all",
      {"ends of links: by a wire that leaves there (h3->s0), both of a cable (h3--s0), or all at "
       "a node and across from it (h3)",
       ""});
  v.field("silent", silent, {}, {"sends no LLDP and heeds none", ""});
  v.choice("willing", willing,
           {"takes what the other end has; auto: NICs do, switches do not", ""});
  v.bits("pfc", pfc, "switch", {"priorities it would pause; switch: as switch.pfc has it", ""});
  v.numbers("bandwidth", bandwidth, 0, kPriorities, {"0", "100"},
            {"ETS, percent by priority, 0: before the others; empty: as switch.scheduler has it",
             "IEEE 802.1Q, 37"});
  v.field("roce_priority", roce_priority, "dscp", any_priority(),
          {"of UDP port 4791; dscp: that of DSCP 0", ""});
}

void DcbxEndParameters::check() const {
  if (bandwidth.empty()) return;
  const unsigned sum = std::accumulate(bandwidth.begin(), bandwidth.end(), 0u);
  if (bandwidth.size() != kPriorities || (sum != 100 && sum != 0)) {
    throw ParameterError({"bandwidth"}, "needs eight shares that are 100 together, or all 0");
  }
}

void DcbxParameters::describe(ParameterVisitor& v) {
  v.field("enabled", enabled, {}, {"NICs and switches speak LLDP on every link", "IEEE 802.1AB"});
  v.field("interval", interval, {"1us", "3600s"},
          {"between frames without news; at most five at once, then one a second",
           "IEEE 802.1AB, 9.2.5"});
  v.list("ends", ends,
         {"what some ends of links have other than the rest; later ones overrule", ""},
         [&](DcbxEndParameters& end) { end.describe(v); });
}

const char* name_of(DcbxAttribute attribute) {
  switch (attribute) {
    case DcbxAttribute::kPfc:
      return "pfc";
    case DcbxAttribute::kEts:
      return "ets";
    case DcbxAttribute::kApplications:
      break;
  }
  return "applications";
}

EtsTable ets_table_of(const std::vector<unsigned>& bandwidth) {
  EtsTable table;
  for (std::size_t p = 0; p < kPriorities; ++p) {
    table.bandwidth[p] = static_cast<std::uint8_t>(bandwidth[p]);
    table.selection[p] =
        bandwidth[p] == 0 ? TransmissionSelection::kStrict : TransmissionSelection::kEts;
  }
  return table;
}

EtsTable ets_table_of(const EgressSchedulerParameters& scheduler) {
  using Kind = EgressSchedulerParameters::Kind;
  if (scheduler.kind == Kind::kStrict) return ets_table_of(std::vector<unsigned>(kPriorities));
  std::array<std::uint64_t, kPriorities> weights{1, 1, 1, 1, 1, 1, 1, 1};
  if (scheduler.kind == Kind::kEts) {
    std::copy(scheduler.weights.begin(), scheduler.weights.end(), weights.begin());
  }
  // In whole percent that are 100 together: what is cut off goes to where most of it was.
  const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  if (all == 0) return ets_table_of(std::vector<unsigned>(kPriorities));
  std::vector<unsigned> percent;
  for (const std::uint64_t weight : weights) {
    percent.push_back(static_cast<unsigned>(weight * 100 / all));
  }
  std::vector<std::size_t> by_rest(kPriorities);
  std::iota(by_rest.begin(), by_rest.end(), std::size_t{0});
  std::stable_sort(by_rest.begin(), by_rest.end(), [&](std::size_t a, std::size_t b) {
    return weights[a] * 100 % all > weights[b] * 100 % all;
  });
  const unsigned missing = 100 - std::accumulate(percent.begin(), percent.end(), 0u);
  for (unsigned i = 0; i < missing; ++i) ++percent[by_rest[i]];
  return ets_table_of(percent);
}

namespace {
std::string dcbx_text(std::uint8_t priorities) {
  std::string text;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if ((priorities >> p & 1) != 0) text += (text.empty() ? "" : " ") + std::to_string(p);
  }
  return text.empty() ? "none" : text;
}

std::string dcbx_text(const EtsTable& table) {
  std::string text;
  for (std::size_t c = 0; c < kPriorities; ++c) {
    const bool ets = table.selection[c] == TransmissionSelection::kEts;
    text += (c == 0 ? "" : " ") + (ets ? std::to_string(table.bandwidth[c]) + "%" : "strict");
  }
  return text;
}

std::string dcbx_text(const std::vector<ApplicationPriority>& lines) {
  std::string text;
  for (const ApplicationPriority& line : lines) {
    text += (text.empty() ? "" : " ") + std::string(line.selector == 3 ? "udp" : "dscp") +
            std::to_string(line.protocol) + ":" + std::to_string(line.priority);
  }
  return text.empty() ? "none" : text;
}
}  // namespace

DcbxEnd::DcbxEnd(Scheduler& scheduler, PacketPool& pool, Identity identity, DcbxSettings own,
                 PicoSeconds interval, std::uint32_t rank, Send send, Agreed agreed)
    : scheduler_(scheduler),
      pool_(pool),
      identity_(std::move(identity)),
      own_(std::move(own)),
      in_force_(own_),
      interval_(interval),
      send_(std::move(send)),
      agreed_(std::move(agreed)),
      timer_(Event::calling<&DcbxEnd::tick>(*this, rank)) {
  agreed_(own_.pfc);
}

void DcbxEnd::set_carrier(bool up) {
  up_since_.reset();
  forget();
  scheduler_.cancel(timer_);
  if (!up) return;
  up_since_ = scheduler_.now();
  credit_ = kMaxCredit;
  seconds_credited_ = 0;
  tell();
}

void DcbxEnd::forget() {
  heard_.reset();
  differences_ = {};
  resolve();
}

void DcbxEnd::receive(const Packet& packet) {
  ++counters_.received;
  LldpFrame frame;
  if (packet.payload == nullptr || !parse(packet.payload->data(), packet.payload->size(), frame)) {
    ++counters_.unsound;
    return;
  }
  if (!up_since_) return;
  heard_until_ = scheduler_.now() + kSecond * frame.seconds_to_live;
  heard_ = std::move(frame);
  if (heard_->seconds_to_live == 0) forget();  // it takes its leave
  resolve();
  plan_tick();
}

/// What is in force follows from what is known; who hears of a change tells it.
void DcbxEnd::resolve() {
  DcbxSettings now = own_;
  if (heard_) {
    if (heard_->pfc) {
      const bool both = own_.willing && heard_->pfc->willing;
      const bool takes = both ? heard_->source < identity_.address : own_.willing;
      const bool given = both ? !takes : heard_->pfc->willing;
      if (takes) now.pfc = heard_->pfc->enabled;
      compare(DcbxAttribute::kPfc, now.pfc == heard_->pfc->enabled, given, dcbx_text(now.pfc),
              dcbx_text(heard_->pfc->enabled));
    }
    const bool other_willing = heard_->ets && heard_->ets->willing;
    const bool takes = own_.willing && !other_willing;
    if (own_.willing && heard_->recommended) now.ets = *heard_->recommended;
    if (heard_->ets) {
      compare(DcbxAttribute::kEts, now.ets == heard_->ets->table, own_.willing || other_willing,
              dcbx_text(now.ets), dcbx_text(heard_->ets->table));
    }
    if (heard_->applications) {
      if (takes) now.applications = *heard_->applications;
      compare(DcbxAttribute::kApplications, now.applications == *heard_->applications,
              other_willing && !own_.willing, dcbx_text(now.applications),
              dcbx_text(*heard_->applications));
    }
  }
  const bool pfc_changed = now.pfc != in_force_.pfc;
  const bool changed =
      pfc_changed || !(now.ets == in_force_.ets) || now.applications != in_force_.applications;
  in_force_ = std::move(now);
  if (pfc_changed) agreed_(in_force_.pfc);
  if (changed && up_since_) tell();
}

void DcbxEnd::compare(DcbxAttribute attribute, bool same, bool one_gives_way,
                      const std::string& here, const std::string& there) {
  std::optional<Difference>& difference = differences_[static_cast<std::size_t>(attribute)];
  if (same || one_gives_way) {
    difference.reset();
    return;
  }
  const PicoSeconds since = difference ? difference->since : scheduler_.now();
  difference = Difference{since, here, there};
}

bool DcbxEnd::take_credit() {
  const std::int64_t seconds = (scheduler_.now() - *up_since_).count / kSecond.count;
  credit_ = std::min(kMaxCredit, credit_ + (seconds - seconds_credited_));
  seconds_credited_ = seconds;
  if (credit_ == 0) return false;
  --credit_;
  return true;
}

void DcbxEnd::tell() {
  if (!take_credit()) {  // by then it is told as it is then
    next_frame_ = *up_since_ + kSecond * (seconds_credited_ + 1);
    plan_tick();
    return;
  }
  // Four intervals and a second, as 802.1AB has it (9.2.5.6), in whole seconds; none is shorter
  // than a second for long.
  const std::int64_t interval = std::max(interval_, kSecond).count;
  const std::int64_t life = (interval * 4 + 2 * kSecond.count - 1) / kSecond.count;
  LldpFrame frame;
  frame.source = identity_.address;
  frame.chassis = identity_.chassis;
  frame.port = identity_.port;
  frame.seconds_to_live = static_cast<std::uint16_t>(std::min<std::int64_t>(life, 65'535));
  frame.ets = LldpFrame::Ets{own_.willing, in_force_.ets};
  frame.recommended = own_.ets;
  frame.pfc = LldpFrame::Pfc{own_.willing, kPriorities, in_force_.pfc};
  frame.applications = in_force_.applications;
  const std::vector<std::uint8_t> bytes = serialize(frame);
  Packet* const packet = pool_.allocate();
  packet->kind = PacketKind::kLldp;
  packet->priority = kPriorities - 1;
  packet->wire_bytes = static_cast<std::uint32_t>(bytes.size()) + roce::kFcs;
  pool_.attach_payload(*packet, bytes.size());
  std::copy(bytes.begin(), bytes.end(), packet->payload->begin());
  ++counters_.sent;
  next_frame_ = scheduler_.now() + interval_;
  plan_tick();
  send_(packet);
}

void DcbxEnd::plan_tick() {
  scheduler_.schedule_at(timer_, heard_ ? std::min(next_frame_, heard_until_) : next_frame_);
}

void DcbxEnd::tick() {
  if (heard_ && heard_until_ <= scheduler_.now()) forget();
  if (next_frame_ <= scheduler_.now()) {
    tell();
  } else {
    plan_tick();
  }
}

}  // namespace dcc
