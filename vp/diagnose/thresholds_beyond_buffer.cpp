// Diagnosis `thresholds_beyond_buffer`: no queue can grow to the length from which ECN marks
// packets.
#include <fmt/format.h>

#include <algorithm>

#include "build/translate.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "fabric/topology.h"
#include "switch/ecn_marker.h"
#include "switch/pfc.h"

namespace dcc::vp {
namespace {

/// ECN threshold kmin scaled to the link's rate, as switch/ecn_marker.h scales it.
Bytes kmin_at(BitRate rate, const EcnParameters& ecn) {
  if (!ecn.reference_rate) return ecn.kmin;
  return static_cast<Bytes>(static_cast<Uint128>(ecn.kmin) * rate.bits_per_second /
                            ecn.reference_rate->bits_per_second);
}

/// The greatest length of a queue before PFC pauses the last of the inputs that fill the queue.
struct Reach {
  Bytes queue = 0;
  Bytes headroom = 0;  // sum of the headroom of all inputs, in bytes
  double alpha = 0;    // sum of the dynamic-threshold factors alpha of all inputs
  int inputs = 0;
};

// Input i is paused when it holds a_i (S - q) bytes, where S is the buffer without all headroom and
// q the number of bytes held. The sum over all inputs is q = S A / (1 + A).
Reach reach_of(const Topology& topology, NodeId node, int egress,
               const SwitchParameters& parameters) {
  Reach reach;
  for (int port = 0; port < topology.node(node).ports; ++port) {
    if (port == egress) continue;
    ++reach.inputs;
    const LinkParameters& link = topology.link(node, port);
    reach.headroom += parameters.headroom_of(link);
    reach.alpha += static_cast<double>(alpha_for(link, parameters.pfc)) / 65536;
  }
  if (parameters.pfc.shared_headroom) reach.headroom = *parameters.pfc.shared_headroom;
  const auto shared = static_cast<double>(std::max<Bytes>(0, parameters.buffer - reach.headroom));
  reach.queue = static_cast<Bytes>(shared * reach.alpha / (1 + reach.alpha));
  return reach;
}

/// Reports a threshold that cannot be reached: the algorithm reacts to CE marks, and no queue can
/// grow to `switch.ecn.kmin` before PFC pauses all inputs of the queue (or, without PFC, before the
/// buffer is full), even when all other ports share the buffer evenly, which lets the queue grow
/// furthest. Names the worst port, shows the arithmetic and gives a threshold that works.
class ThresholdsBeyondBuffer final : public Diagnosis {
 public:
  Found before(const Evidence& evidence) const override {
    const PlatformConfig& config = evidence.config();
    const SwitchParameters parameters = switch_parameters(config);
    const std::vector<const AlgorithmChoice*> algorithms = config.congestion_controls();
    const bool goes_by_marks =
        std::any_of(algorithms.begin(), algorithms.end(), [&](const AlgorithmChoice* choice) {
          const AlgorithmNeeds needs = choice->needs(config.nic.mtu);
          return needs.cnp || needs.marks;
        });
    // Queues with settings of their own are not judged; the user has chosen their limits.
    if (!parameters.priorities.empty() || !config.switches.empty()) return std::nullopt;
    // With credits a queue may hold as many bytes as all inputs together, so it is not judged.
    if (!parameters.ecn.enabled || parameters.has_credits() ||
        parameters.ecn.phantom_drain.numerator != 0 || !goes_by_marks) {
      return std::nullopt;
    }
    const Topology& topology = evidence.topology();
    Bytes worst_kmin = 0;
    Bytes worst_reach = 0;
    std::string worst_link;
    std::string worst;
    double worst_excess = 1;
    int ports = 0;
    for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
      if (topology.node(node).is_host) continue;
      for (int port = 0; port < topology.node(node).ports; ++port) {
        const BitRate rate = topology.link(node, port).rate;
        const Bytes kmin = kmin_at(rate, parameters.ecn.at_rate(rate));
        Reach reach;
        if (parameters.pauses()) {
          reach = reach_of(topology, node, port, parameters);
          // skips a switch with one cable, whose only port has no queue
          if (reach.inputs == 0) continue;
        } else {
          reach.queue = parameters.buffer;
        }
        if (kmin < reach.queue) continue;
        ++ports;
        const double excess =
            static_cast<double>(kmin) / static_cast<double>(std::max<Bytes>(1, reach.queue));
        if (excess <= worst_excess && !worst.empty()) continue;
        worst_excess = excess;
        worst_kmin = kmin;
        worst_reach = reach.queue;
        const std::string name = topology.wire_name(node, port);
        worst_link = name;
        worst =
            fmt::format("ECN cannot act at {}: it marks from a queue of {} on (switch.ecn.kmin), ",
                        name, readable(kmin));
        if (!parameters.pauses()) {
          worst += fmt::format("and the buffer holds {}", readable(parameters.buffer));
        } else {
          worst += fmt::format(
              "but PFC has paused all {} inputs that fill it by {} = S A / (1 + A), where S = {} "
              "is "
              "the "
              "buffer of {} without {} of headroom, and A = {:.4g} the sum of their alpha",
              reach.inputs, readable(reach.queue),
              readable(std::max<Bytes>(0, parameters.buffer - reach.headroom)),
              readable(parameters.buffer), readable(reach.headroom), reach.alpha);
        }
        worst += reach.queue > 0
                     ? fmt::format("; a kmin well below {} would", readable(reach.queue))
                     : "; no kmin would, because nothing of the buffer is left: enlarge "
                       "switch.buffer";
      }
    }
    if (worst.empty()) return std::nullopt;
    if (ports > 1) worst += fmt::format(" ({} ports are like that)", ports);
    return Observation{worst,
                       {{"link", worst_link},
                        {"kmin_bytes", worst_kmin},
                        {"reach_bytes", worst_reach},
                        {"ports", ports}}};
  }
};

const RegisteredDiagnosis<ThresholdsBeyondBuffer> kThresholdsBeyondBuffer{
    "thresholds_beyond_buffer",
    "ECN cannot act: PFC pauses all inputs, or the buffer is full, before a queue reaches kmin",
    "Set `switch.ecn.kmin` well below the length that the text names, or enlarge `switch.buffer`"};

}  // namespace
}  // namespace dcc::vp
