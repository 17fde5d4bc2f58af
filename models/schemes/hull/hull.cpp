#include "schemes/hull/hull.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/switch_device.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<HullParameters> kHull{
    "hull", "DCTCP by marks of phantom queues, and a pacer for long flows",
    kMakesAlgorithm<Hull, &AlgorithmContext::mtu, &AlgorithmContext::longest_base_rtt,
                    &AlgorithmContext::rank>};

DctcpParameters dctcp_of(const HullParameters& hull) {
  DctcpParameters dctcp;
  dctcp.g = hull.g;
  return dctcp;
}
}  // namespace

void HullParameters::describe(ParameterVisitor& v) {
  const char* const paper = "HULL, NSDI'12";
  v.field("g", g, {"1/65536", "1"}, {"weight of the newest sample in alpha", "DCTCP, SIGCOMM'10"});
  v.field("drain", drain, {"1/2", "1"},
          {"drain rate of a phantom queue, as a share of its port's rate", paper});
  v.field("mark_above", mark_above, {"1KB", "1MB"},
          {"bytes in a phantom queue above which packets are marked", paper});
  v.follows(true, "1/7 of the product of slowest link and base RTT (DCTCP), at least 15KB",
            [this](const NetworkScale& network) {
              mark_above = std::min<Bytes>(
                  1'000'000, std::max<Bytes>(15'000, network.products(Ratio(1, 7), 1)));
            });
  v.field("period", period, {"1us", "10ms"},
          {"time between two changes of the pacer's rate", paper});
  v.field("eta", eta, {"1/1024", "1"},
          {"weight of the newest period in the rate of paced flows", paper});
  v.field("beta", beta, {"0", "10000"}, {"Mb/s for each KB that the pacer holds back", paper});
  v.follows(true, "16 at 10Gbps, in proportion to the slowest link's rate",
            [this](const NetworkScale& network) {
              beta = static_cast<unsigned>(std::clamp<std::uint64_t>(
                  network.rate.bits_per_second * 16 / 10'000'000'000, 1, 10'000));
            });
  v.field("pace_chance", pace_chance, {"0", "1"},
          {"probability that a mark makes its flow a paced one", paper});
  v.field("pace_time", pace_time, {"1us", "1s"},
          {"time for which a flow stays a paced one", paper});
}

void HullParameters::ask_switch(SwitchParameters& parameters) const {
  EcnParameters& ecn = parameters.ecn;
  ecn.enabled = true;
  // marking thresholds that no real queue reaches, so that only phantom queues mark packets
  ecn.kmin = ecn.kmax = kMaxThreshold;
  ecn.reference_rate.reset();
  ecn.phantom_drain = drain;
  ecn.phantom_threshold = mark_above;
}

Hull::Hull(AlgorithmHost& host, const HullParameters& parameters, std::uint32_t mtu,
           PicoSeconds base_rtt, std::uint64_t seed)
    : host_(host),
      parameters_(parameters),
      random_(seed, "hull"),
      chance_q32_(static_cast<std::uint64_t>(parameters.pace_chance.to_fixed(32))),
      dctcp_(*this, dctcp_of(parameters), mtu, base_rtt),
      rate_(to_mbps(host.line_rate())) {}

AlgorithmNeeds Hull::needs() const {
  AlgorithmNeeds needs = dctcp_.needs();
  needs.on_sent = true;
  return needs;
}

void Hull::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  if (flows_[number].paced) unpace(number);
  flows_[number] = Flow{};
  dctcp_.on_flow_start(number, start);
}

void Hull::on_flow_end(FlowNumber number) {
  if (flows_[number].paced) unpace(number);
}

void Hull::set_window(FlowNumber number, Bytes bytes) {
  flows_[number].window = bytes;
  host_.set_window(number, bytes);
}

void Hull::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  flow.in_flight += info.payload_bytes;
  flow.waiting = info.more_waiting;
  if (flow.paced) sent_ += info.wire_bytes;
}

void Hull::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  flow.in_flight = std::max<Bytes>(0, flow.in_flight - info.newly_acked);
  dctcp_.on_ack(number, info);
  if (info.ce && random_.chance(chance_q32_)) pace(number);
}

void Hull::pace(FlowNumber number) {
  host_.start_timer(number, kRelease, parameters_.pace_time);
  if (flows_[number].paced) return;
  flows_[number].paced = true;
  paced_.push_back(number);
  if (clock_ == kNone) {
    clock_ = number;
    host_.start_timer(number, kPeriod, parameters_.period);
    rate_ = to_mbps(host_.line_rate());
    sent_ = 0;
  }
  share_rate();
}

void Hull::unpace(FlowNumber number) {
  flows_[number].paced = false;
  paced_.erase(std::find(paced_.begin(), paced_.end(), number));
  host_.stop_timer(number, kRelease);
  host_.set_rate(number, host_.line_rate());
  if (number == clock_) {
    host_.stop_timer(number, kPeriod);
    clock_ = kNone;
    if (!paced_.empty()) {
      clock_ = paced_.front();
      host_.start_timer(clock_, kPeriod, parameters_.period);
    }
  }
  share_rate();
}

void Hull::on_timer(FlowNumber number, int id) {
  if (id == kRelease) {
    unpace(number);
  } else {
    new_period();
    host_.start_timer(number, kPeriod, parameters_.period);
  }
}

void Hull::new_period() {
  Bytes held_back = 0;
  for (const FlowNumber number : paced_) {
    const Flow& flow = flows_[number];
    if (flow.waiting) held_back += std::max<Bytes>(0, flow.window - flow.in_flight);
  }
  const long double eta = to_real(parameters_.eta);
  const long double sent =
      static_cast<long double>(sent_) * 8e6L / static_cast<long double>(parameters_.period.count);
  rate_ = (1 - eta) * rate_ + eta * sent +
          parameters_.beta * static_cast<long double>(held_back) / 1000;
  rate_ = std::min(rate_, to_mbps(host_.line_rate()));
  sent_ = 0;
  share_rate();
}

void Hull::share_rate() {
  if (paced_.empty()) return;
  // The pacing rate keeps a minimum above zero: at a rate of zero no ACK would arrive, so the rate
  // could never rise again.
  const long double part = std::max(1.0L, rate_ / static_cast<long double>(paced_.size()));
  for (const FlowNumber number : paced_) host_.set_rate(number, from_mbps(part));
}

Algorithm::View Hull::view(FlowNumber number) const {
  View view = dctcp_.view(number);
  if (flows_[number].paced) {
    view.target = from_mbps(std::max(1.0L, rate_ / static_cast<long double>(paced_.size())));
  }
  return view;
}

}  // namespace dcc
