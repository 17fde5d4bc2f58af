#include "debug/trace_sampler.h"

#include <algorithm>

namespace dcc::vp {

std::string scope_name(const std::string& wire) {
  std::string name;
  for (const char c : wire) {
    if (c == '>') continue;
    name += c == '-' || c == '#' || c == '.' ? '_' : c;
  }
  return name;
}

TraceSampler::TraceSampler(const Context& context)
    : c_(context), event_(Event::calling<&TraceSampler::sample>(*this, context.rank)) {
  for (const auto& queue : c_.network.queues()) {
    if (!feeds_traced_host(queue)) continue;
    Queue traced{&queue};
    if (c_.signals != nullptr) {
      traced.signal =
          c_.signals->add("network." + scope_name(c_.network.name_of(queue)) + ".queue_bytes", 32);
    }
    queues_.push_back(traced);
  }
  for (const auto& host : c_.hosts) {
    if (c_.signals == nullptr || host->dcc() == nullptr || !c_.config.has_host(host->id()))
      continue;
    const std::string scope = "host" + std::to_string(host->id()) + ".controller";
    lags_.push_back({&host->dcc()->device(), c_.signals->add(scope + ".timer_lag", 16)});
  }
  for (const PlannedFlow& flow : c_.plan.flows()) {
    const bool traced = c_.config.has_flow(flow.spec.id) && c_.config.has_host(flow.spec.from);
    if (c_.events != nullptr && traced) flows_.push_back({flow.spec.id});
  }
}

bool TraceSampler::feeds_traced_host(const EgressQueue& queue) const {
  if (c_.config.hosts.empty()) return true;
  const Topology& topology = c_.network.topology();
  const TopologyNode& node = topology.node(topology.peer(queue.node, queue.port_number).node);
  return node.is_host && c_.config.has_host(node.host);
}

void TraceSampler::begin() { c_.scheduler.schedule_at(event_, c_.config.from); }

void TraceSampler::sample() {
  const PicoSeconds now = c_.scheduler.now();
  for (Queue& queue : queues_) {
    const Bytes bytes = queue.queue->device->queue_bytes(queue.queue->port_number);
    if (bytes == queue.last) continue;
    queue.last = bytes;
    if (c_.signals != nullptr) {
      c_.signals->change(queue.signal, now, static_cast<std::uint64_t>(bytes));
    }
    if (c_.events != nullptr) {
      c_.events->counter(kNetworkProcess, now,
                         "queue " + c_.network.name_of(*queue.queue) + " (bytes)",
                         static_cast<double>(bytes));
    }
  }
  for (const Lag& lag : lags_) {
    c_.signals->change(lag.signal, now, std::min<Tick>(lag.device->timer_lag(), 0xFFFF));
  }
  for (Flow& flow : flows_) {
    const PlannedFlow& planned = c_.plan.flow(flow.id);
    const Transmitter& transmitter = c_.hosts[planned.spec.from]->nic().device().transmitter();
    // the rate is unknown until software has created the queue pair
    if (planned.from_qpn >= transmitter.queue_pairs()) continue;
    const Rate rate = transmitter.view(planned.from_qpn).rate;
    if (flow.seen && rate.raw == flow.last.raw) continue;
    flow.seen = true;
    flow.last = rate;
    c_.events->counter(host_process(planned.spec.from), now,
                       "rate of flow " + std::to_string(flow.id) + " (Gb/s)", rate.raw / 256e3);
  }
  const PicoSeconds next = now + c_.config.interval;
  const PicoSeconds end = c_.config.to ? std::min(*c_.config.to, c_.end) : c_.end;
  if (next <= end) c_.scheduler.schedule_at(event_, next);
}

}  // namespace dcc::vp
