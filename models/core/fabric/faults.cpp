#include "fabric/faults.h"

#include <utility>

#include "describe/parameter_error.h"

namespace dcc {

void FaultParameters::describe(ParameterVisitor& v) {
  v.choice("kind", kind, {"what goes wrong"});
  const bool cnp = kind == FaultKind::kCnpLoss;
  const bool flip = kind == FaultKind::kMemoryFlip;
  const bool storm = kind == FaultKind::kPauseStorm;
  v.when(!cnp && !flip && !storm, "kind: any but cnp_loss, memory_flip and pause_storm", [&] {
    v.text(
        "link", link,
        {"a wire (s0->h3) as in metrics.json; loss and link_down: or all; the others: or a cable "
         "(s0--h3), or a node, for all cables at it"});
  });
  v.when(cnp, "kind: cnp_loss", [&] { v.field("flow", flow, {}, {"flow whose CNPs get lost"}); });
  v.when(kind == FaultKind::kLoss, "kind: loss", [&] {
    v.field("probability", probability, {"0", "1"}, {"probability that a packet gets lost"});
    v.choice("packets", packets,
             {"packets that get lost; control: ACKs, NAKs and congestion notifications"});
  });
  v.when(kind == FaultKind::kLinkSlow, "kind: link_slow", [&] {
    v.field("rate", rate, {"1Mbps", "10Tbps"}, {"rate of the link during the fault"});
  });
  v.when(kind == FaultKind::kLinkFlap, "kind: link_flap", [&] {
    v.field("down", down, {"1ns", "1000s"}, {"time for which the link is down, from `start` on"});
    v.field("up", up, {"1ns", "1000s"}, {"time for which it is then up, before it is down again"});
  });
  v.when(is_noticed(), "kind: link_failure, link_flap or link_slow", [&] {
    v.field("convergence", convergence, {"0us", "1000s"},
            {"time from a change of the link until all switches have adapted routes and weights; "
             "with a "
             "subnet manager (subnet.manager) routes follow its sweeps instead"});
  });
  v.when(flip, "kind: memory_flip", [&] { v.field("at", at, {}, {"when"}); });
  v.when(flip || storm, "kind: memory_flip or pause_storm",
         [&] { v.field("host", host, {}, {"host whose memory or NIC is affected"}); });
  v.when(storm, "kind: pause_storm", [&] {
    v.bits("priorities", priorities,
           {"the NIC pauses these at its switch from `start` to `stop`, without reason"});
  });
  v.when(flip, "kind: memory_flip", [&] {
    v.field("address", address, {}, {"address of the byte, as the host's software sees it"});
    v.field("bit", bit, {"0", "7"}, {"number of the inverted bit"});
  });
  v.when(!flip, "kind: any but memory_flip", [&] {
    v.field("start", start, {}, {"begin of the fault"});
    v.field("stop", stop, "end", {}, {"end of the fault"});
  });
}

void FaultParameters::check() const {
  if (stop && *stop <= start) throw ParameterError({"stop"}, "stops before it starts");
  if (kind == FaultKind::kLoss && !(Ratio{} < probability)) {
    throw ParameterError({""}, "needs a probability above zero");
  }
  if (kind == FaultKind::kLinkDown && !stop) throw ParameterError({""}, "link_down needs a stop");
  if (kind == FaultKind::kPauseStorm && priorities == 0) {
    throw ParameterError({"priorities"}, "a storm pauses at least one priority");
  }
  if (is_noticed() && link == "all") {
    throw ParameterError({"link"}, std::string(name_of(kind)) + " is of one link, not of all");
  }
}

Link::LossHook lose_randomly(const Scheduler& scheduler, FaultWindow window, std::uint64_t q32,
                             std::uint64_t seed, std::uint64_t index, LossOf of) {
  return [&scheduler, window, q32, of,
          random = RandomStream(seed, "loss", index)](const Packet& packet) mutable {
    if (is_flow_control(packet.kind) || !window.contains(scheduler.now())) return false;
    const bool data = packet.kind == PacketKind::kData;
    if (of != LossOf::kAll && data != (of == LossOf::kData)) return false;
    return random.chance(q32);
  };
}

Link::LossHook lose_cnps(const Scheduler& scheduler, FaultWindow window, std::uint32_t flow) {
  return [&scheduler, window, flow](const Packet& packet) {
    return packet.kind == PacketKind::kCnp && packet.flow == flow &&
           window.contains(scheduler.now());
  };
}

Link::LossHook cut(const Scheduler& scheduler, FaultWindow window) {
  return [&scheduler, window](const Packet& packet) {
    return !is_flow_control(packet.kind) && window.contains(scheduler.now());
  };
}

Link::LossHook fault_hook(const FaultParameters& fault, const Scheduler& scheduler,
                          std::uint64_t seed, std::uint64_t index) {
  const FaultWindow window{fault.start, fault.stop.value_or(PicoSeconds::max())};
  switch (fault.kind) {
    case FaultKind::kLoss:
      return lose_randomly(scheduler, window, fault.probability.to_fixed(32), seed, index,
                           fault.packets);
    case FaultKind::kCnpLoss:
      return lose_cnps(scheduler, window, fault.flow);
    case FaultKind::kLinkDown:
    case FaultKind::kLinkFailure:
    case FaultKind::kLinkFlap:
    case FaultKind::kLinkSlow:
    case FaultKind::kMemoryFlip:
    case FaultKind::kPauseStorm:
      break;
  }
  return cut(scheduler, window);
}

Link::LossHook combine(std::vector<Link::LossHook> faults) {
  return [faults = std::move(faults)](const Packet& packet) {
    bool lost = false;
    for (const Link::LossHook& fault : faults) lost = fault(packet) || lost;
    return lost;
  };
}

}  // namespace dcc
