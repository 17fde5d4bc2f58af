#include "switch/dcbx/dcbx.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "describe/class_ranges.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "wire/wire_size.h"

namespace dcc {

void DcbxEndParameters::describe(ParameterVisitor& v) {
  v.names("ports", ports, "all",
          {"ends of links: the sender of a wire (h3->s0), both ends of a cable (h3--s0), or all "
           "ends at "
           "a node and opposite to it (h3)"});
  v.field("silent", silent, {}, {"neither sends nor accepts LLDP frames"});
  v.choice("willing", willing, {"adopts the other end's settings; auto: NICs do, switches do not"});
  v.bits("pfc", pfc, "switch", {"priorities that this end pauses; switch: those of switch.pfc"});
  v.numbers("bandwidth", bandwidth, 0, kPriorities, {"0", "100"},
            {"ETS shares in percent by priority, 0: strict; empty: those of switch.scheduler",
             "IEEE 802.1Q, 37"});
  v.field("roce_priority", roce_priority, "dscp", any_priority(),
          {"priority of UDP port 4791; dscp: the priority of DSCP 0"});
}

void DcbxEndParameters::check() const {
  if (bandwidth.empty()) return;
  const unsigned sum = std::accumulate(bandwidth.begin(), bandwidth.end(), 0u);
  if (bandwidth.size() != kPriorities || (sum != 100 && sum != 0)) {
    throw ParameterError({"bandwidth"}, "needs eight shares whose sum is 100, or that are all 0");
  }
}

void DcbxParameters::describe(ParameterVisitor& v) {
  v.field("enabled", enabled, {},
          {"NICs and switches exchange LLDP frames on every link", "IEEE 802.1AB"});
  v.field("interval", interval, {"1us", "3600s"},
          {"time between frames without changes; at most five frames at once, then one per second",
           "IEEE 802.1AB, 9.2.5"});
  v.list("ends", ends, {"settings of some ends of links; later entries override earlier ones"},
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
  // The shares become whole percents with sum 100: each percent lost by rounding down goes to the
  // largest remainder.
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
  expire_received();
  scheduler_.cancel(timer_);
  if (!up) return;
  up_since_ = scheduler_.now();
  credit_ = kMaxCredit;
  seconds_credited_ = 0;
  send_frame();
}

void DcbxEnd::expire_received() {
  received_.reset();
  differences_ = {};
  resolve();
}

void DcbxEnd::receive(const Packet& packet) {
  ++counters_.received;
  LldpFrame frame;
  if (packet.payload == nullptr || !parse(packet.payload->data(), packet.payload->size(), frame)) {
    ++counters_.malformed;
    return;
  }
  if (!up_since_) return;
  received_until_ = scheduler_.now() + kSecond * frame.seconds_to_live;
  received_ = std::move(frame);
  // a time to live of 0 means that the other end shuts down
  if (received_->seconds_to_live == 0) expire_received();
  resolve();
  schedule_tick();
}

/// Determines the DCBX settings in force and announces a change to the other end.
void DcbxEnd::resolve() {
  DcbxSettings now = own_;
  if (received_) {
    if (received_->pfc) {
      const bool both = own_.willing && received_->pfc->willing;
      const bool adopts = both ? received_->source < identity_.address : own_.willing;
      const bool adopted = both ? !adopts : received_->pfc->willing;
      if (adopts) now.pfc = received_->pfc->enabled;
      compare(DcbxAttribute::kPfc, now.pfc == received_->pfc->enabled, adopted, dcbx_text(now.pfc),
              dcbx_text(received_->pfc->enabled));
    }
    const bool other_willing = received_->ets && received_->ets->willing;
    const bool adopts = own_.willing && !other_willing;
    if (own_.willing && received_->recommended) now.ets = *received_->recommended;
    if (received_->ets) {
      compare(DcbxAttribute::kEts, now.ets == received_->ets->table, own_.willing || other_willing,
              dcbx_text(now.ets), dcbx_text(received_->ets->table));
    }
    if (received_->applications) {
      if (adopts) now.applications = *received_->applications;
      compare(DcbxAttribute::kApplications, now.applications == *received_->applications,
              other_willing && !own_.willing, dcbx_text(now.applications),
              dcbx_text(*received_->applications));
    }
  }
  const bool pfc_changed = now.pfc != in_force_.pfc;
  const bool changed =
      pfc_changed || !(now.ets == in_force_.ets) || now.applications != in_force_.applications;
  in_force_ = std::move(now);
  if (pfc_changed) agreed_(in_force_.pfc);
  if (changed && up_since_) send_frame();
}

void DcbxEnd::compare(DcbxAttribute attribute, bool same, bool one_adopts, const std::string& here,
                      const std::string& there) {
  std::optional<Difference>& difference = differences_[static_cast<std::size_t>(attribute)];
  if (same || one_adopts) {
    difference.reset();
    return;
  }
  const PicoSeconds since = difference ? difference->since : scheduler_.now();
  difference = Difference{since, here, there};
}

bool DcbxEnd::consume_credit() {
  const std::int64_t seconds = (scheduler_.now() - *up_since_).count / kSecond.count;
  credit_ = std::min(kMaxCredit, credit_ + (seconds - seconds_credited_));
  seconds_credited_ = seconds;
  if (credit_ == 0) return false;
  --credit_;
  return true;
}

void DcbxEnd::send_frame() {
  if (!consume_credit()) {  // the LLDP frame is made when the next credit is available
    next_frame_ = *up_since_ + kSecond * (seconds_credited_ + 1);
    schedule_tick();
    return;
  }
  // Time to live by 802.1AB, 9.2.5.6: four intervals and a second, rounded up to whole seconds.
  // Transmission credits stretch intervals of less than a second.
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
  schedule_tick();
  send_(packet);
}

void DcbxEnd::schedule_tick() {
  scheduler_.schedule_at(timer_, received_ ? std::min(next_frame_, received_until_) : next_frame_);
}

void DcbxEnd::tick() {
  if (received_ && received_until_ <= scheduler_.now()) expire_received();
  if (next_frame_ <= scheduler_.now()) {
    send_frame();
  } else {
    schedule_tick();
  }
}

}  // namespace dcc
