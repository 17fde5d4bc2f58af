#include "schemes/dx/dx.h"

#include <algorithm>
#include <cmath>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<DxParameters> kDx{
    "dx", "a window that shrinks by the mean queueing delay and otherwise grows by a packet",
    kMakesAlgorithm<Dx, &AlgorithmContext::mtu, &AlgorithmContext::rank>};

// The golden ratio. The fractional parts of its multiples are spread evenly between 0 and 1, for
// any number of multiples.
constexpr long double kGolden = 0.618033988749894848L;
// irrational number whose multiples spread the flows of one NIC, like kGolden
constexpr long double kOther = 0.754877666246692760L;

// Number of full packets in line rate × base RTT from which on windows have room for growth steps
// below a packet.
constexpr unsigned kMany = 12;

bool has_many(const NetworkScale& network) { return network.packets_in_flight(0, kMany) == kMany; }
}  // namespace

void DxParameters::describe(ParameterVisitor& v) {
  v.field("noise", noise, {"0us", "1s"},
          {"mean queueing delay up to which the queue counts as empty",
           "DX, ATC'15: the error of measurement"});
  v.follows(true,
            "an eighth of the base RTT, at least the time of 9/4 full packets: a packet waits as "
            "long for packets of other flows on a link that is not full; 3/2 where a round trip "
            "holds less than 12",
            [this](const NetworkScale& network) {
              noise = std::max(network.round_trips(Ratio(1, 8)),
                               network.packets_time(has_many(network) ? Ratio(9, 4) : Ratio(3, 2)));
            });
  v.field("growth", growth, "packet", {"1B", "1MB"},
          {"payload bytes by which a window grows in a round trip; packet: a full packet",
           "DX, ATC'15"});
  // In a round trip every window grows by a step, and the steps of all flows together become a
  // queue. Then every flow takes the whole queueing delay off its own window, which empties the
  // link where windows hold few packets. Where a round trip holds fewer than a dozen packets,
  // windows with small growth steps stay below a packet.
  v.follows(true, "a quarter of a full packet; a full packet where a round trip holds less than 12",
            [this](const NetworkScale& network) {
              growth.reset();
              if (has_many(network)) growth = std::max<Bytes>(1, network.packet / 4);
            });
  describe_limits(v,
                  "upper limit of a window; auto: four times line rate x base RTT, and a packet");
}

Dx::Dx(AlgorithmHost& host, const DxParameters& parameters, std::uint32_t mtu, std::uint32_t rank)
    : DelayWindow(host, parameters, mtu, 0),
      noise_(static_cast<long double>(parameters.noise.count)),
      growth_(static_cast<long double>(parameters.growth.value_or(mtu))),
      rank_(rank) {}

void Dx::release(FlowNumber number) {
  DelayWindow::release(number);
  states_.drop(number);
}

void Dx::begin(FlowNumber number, const Flow& flow) {
  State& state = states_.keep(number);
  state = State{};
  if (bytes_at(line(), PicoSeconds(std::llround(flow.least_rtt))) < kMany * mtu()) return;
  state.spreads = true;
  state.part = rank_ * kGolden + number * kOther;
  state.part -= std::floor(state.part);
}

// Share of a packet that is added to a window for the NIC. All flows' windows of one or two packets
// cross a whole number at the same time: rounded down, all flows send a packet more in the same
// round trip, see the queue of these packets, and then send too little. With the added share, a
// window of 1.6 packets is two packets in six of ten round trips and one packet in the others, and
// each flow has its larger round trips at another time.
long double Dx::rounding(FlowNumber number) {
  State& state = states_[number];
  if (!state.spreads) return 0;
  state.part += kGolden;
  if (state.part >= 1) state.part -= 1;
  return state.part;
}

long double Dx::next_window(FlowNumber number, const Flow& flow) {
  State& state = states_[number];
  const long double mean = flow.round_sum / flow.round_acks;
  const long double waited = mean - flow.least_rtt;
  if (waited <= noise_) {
    state.has_cut = false;
    return flow.window + growth_;
  }
  if (state.has_cut) {
    state.has_cut = false;
    return flow.window;
  }
  state.has_cut = waited > mean / 2;
  return flow.window * (1 - waited / mean);
}

}  // namespace dcc
