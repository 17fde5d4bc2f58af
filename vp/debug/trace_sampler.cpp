#include "debug/trace_sampler.h"

#include <algorithm>

#include "build/platform.h"
#include "build/ranks.h"

namespace dcc::vp {

std::string scope_name(const std::string& wire) {
  std::string name;
  for (const char c : wire) {
    if (c == '>') continue;
    name += c == '-' || c == '#' || c == '.' ? '_' : c;
  }
  return name;
}

TraceSampler::TraceSampler(Platform& platform, TraceEvents* events, VcdFile* signals)
    : p_(platform),
      config_(platform.config.output.trace),
      events_(events),
      signals_(signals),
      event_(Event::calling<&TraceSampler::sample>(*this, kTraceRank)) {
  for (const auto& queue : p_.network.queues()) {
    if (!feeds_traced_host(queue)) continue;
    Queue traced{&queue};
    if (signals_ != nullptr) {
      traced.signal =
          signals_->add("network." + scope_name(p_.network.name_of(queue)) + ".queue_bytes", 32);
    }
    queues_.push_back(traced);
  }
  for (const auto& host : p_.hosts) {
    if (signals_ == nullptr || host->dcc() == nullptr || !config_.has_host(host->id())) continue;
    const std::string scope = "host" + std::to_string(host->id()) + ".controller";
    lags_.push_back({&host->dcc()->device(), signals_->add(scope + ".timer_lag", 16)});
  }
  for (const PlannedFlow& flow : p_.plan.flows()) {
    const bool traced = config_.has_flow(flow.spec.id) && config_.has_host(flow.spec.from);
    if (events_ != nullptr && traced) flows_.push_back({flow.spec.id});
  }
}

bool TraceSampler::feeds_traced_host(const EgressQueue& queue) const {
  if (config_.hosts.empty()) return true;
  const Topology& topology = p_.network.topology();
  const TopologyNode& node = topology.node(topology.peer(queue.node, queue.port_number).node);
  return node.is_host && config_.has_host(node.host);
}

void TraceSampler::begin() { p_.scheduler.schedule_at(event_, config_.from); }

void TraceSampler::sample() {
  const PicoSeconds now = p_.scheduler.now();
  for (Queue& queue : queues_) {
    const Bytes bytes = queue.queue->device->queue_bytes(queue.queue->port_number);
    if (bytes == queue.last) continue;
    queue.last = bytes;
    if (signals_ != nullptr) {
      signals_->change(queue.signal, now, static_cast<std::uint64_t>(bytes));
    }
    if (events_ != nullptr) {
      events_->counter(kNetworkProcess, now,
                       "queue " + p_.network.name_of(*queue.queue) + " (bytes)",
                       static_cast<double>(bytes));
    }
  }
  for (const Lag& lag : lags_) {
    signals_->change(lag.signal, now, std::min<Tick>(lag.device->timer_lag(), 0xFFFF));
  }
  for (Flow& flow : flows_) {
    const PlannedFlow& planned = p_.plan.flow(flow.id);
    const Transmitter& transmitter = p_.nic_of(planned.spec.from).transmitter();
    // the rate is unknown until software has created the queue pair
    if (planned.from_qpn >= transmitter.queue_pairs()) continue;
    const Rate rate = transmitter.view(planned.from_qpn).rate;
    if (flow.seen && rate.raw == flow.last.raw) continue;
    flow.seen = true;
    flow.last = rate;
    events_->counter(host_process(planned.spec.from), now,
                     "rate of flow " + std::to_string(flow.id) + " (Gb/s)", rate.raw / 256e3);
  }
  const PicoSeconds next = now + config_.interval;
  const PicoSeconds end =
      config_.to ? std::min(*config_.to, p_.config.duration) : p_.config.duration;
  if (next <= end) p_.scheduler.schedule_at(event_, next);
}

}  // namespace dcc::vp
