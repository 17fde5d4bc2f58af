#include "switch/switch_device.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "stats/counter_sum.h"

namespace dcc {

namespace {
int checked_ports(int ports) {
  if (ports < 1 || ports > kMaxPorts) {
    throw std::invalid_argument("switch: " + std::to_string(ports) +
                                " ports; the number must be 1 to 65535");
  }
  return ports;
}
}  // namespace

SwitchDevice::SwitchDevice(Scheduler& scheduler, PacketPool& pool,
                           const SwitchParameters& parameters, int ports, std::uint64_t seed,
                           std::uint64_t index, std::uint32_t rank)
    : scheduler_(scheduler),
      pool_(pool),
      parameters_(parameters),
      ports_(checked_ports(ports)),
      hash_seed_(mix64(mix64(seed) ^ index)),
      path_choice_(parameters.routing.make(
          {*this, ports_, hash_seed_, seed, index, &actions_, parameters.mtu})),
      random_(seed, "switch", index),
      ingress_(parameters, ports, egress_),
      context_{scheduler, pool, random_, ingress_, egress_, nullptr, false,
               false,     {},   {},      nullptr,  {},      {}},
      dcbx_(egress_, ingress_),
      actions_(*this, rank) {
  if (path_choice_ != nullptr) path_needs_ = path_choice_->needs();
  if (path_needs_.departures) context_.departure_observer = path_choice_.get();
  context_.queue_all = parameters.queue_all || parameters.qcn.enabled;
  context_.qcn = parameters.qcn;
  context_.wires.resize(static_cast<std::size_t>(ports));
  context_.forward_own = [this](Packet* packet) { forward_own(packet); };
  for (const EgressPoolParameters& one : parameters.egress_pools) {
    context_.egress_pools.push_back({one.size, 0});
  }
  egress_.build(context_, parameters, ports, rank);
  if (parameters.pauses() && parameters.pfc.quanta) {
    pause_times_ =
        std::make_unique<SwitchPauseTimes>(scheduler, egress_, ports, *parameters.pfc.quanta, rank);
    context_.pause_times = pause_times_.get();
  }
}

void SwitchDevice::attach(int port, PacketOut& out, const LinkParameters& link) {
  connect(port, out);
  egress_.at(port).set_link(link, parameters_.has_credits() ? std::make_unique<LaneCredits>(
                                                                  parameters_.credit_buffer(link),
                                                                  parameters_.largest_packet)
                                                            : nullptr);
  if (egress_.have_disciplines()) egress_.discipline(port).attach_discipline();
  const PortSettings settings = settings_of(port, parameters_, link);
  if (settings.scheduler) egress_.at(port).set_scheduler(*settings.scheduler);
  egress_.set_queues(port, settings);
  if (settings.watchdog.detect) watch(port, settings.watchdog);
  if (pause_times_ != nullptr) pause_times_->set_rate(port, link.rate);
  // Headroom is set even without pauses, because DCBX may make priorities lossless when the link
  // comes up.
  SharedBuffer& buffer = ingress_.buffer();
  buffer.set_alpha(port, alpha_for(link, parameters_.pfc));
  buffer.set_headroom(port, parameters_.headroom_of(link));
  for (int priority = 0; priority < kPriorities; ++priority) {
    const std::optional<Bytes>& own = settings.headroom[static_cast<std::size_t>(priority)];
    if (own) buffer.set_headroom(port, priority, *own);
  }
  buffer.set_lossless(port, settings.lossless);
  apply_rules(port, settings);
}

PortSettings SwitchDevice::settings_of(int port, const SwitchParameters& parameters,
                                       const LinkParameters& link) const {
  static const std::vector<const PortException*> kNone;
  const auto& exceptions =
      exceptions_.empty() ? kNone : exceptions_[static_cast<std::size_t>(port)];
  return port_settings(parameters, link.rate, exceptions, alpha_for(link, parameters.pfc));
}

void SwitchDevice::watch(int port, const WatchdogParameters& watchdog) {
  if (!parameters_.pauses() || egress_.have_disciplines()) return;
  if (watchdog_ == nullptr) {
    watchdog_ = std::make_unique<PfcWatchdog>(scheduler_, egress_, ports_, actions_.rank());
  }
  watchdog_->watch(port, watchdog);
  egress_.queueing(port).attend_all();
}

void SwitchDevice::apply_rules(int port, const PortSettings& settings) {
  for (int priority = 0; priority < kPriorities; ++priority) {
    const auto& rules = settings.rules[static_cast<std::size_t>(priority)];
    if (rules) ingress_.buffer().set_rules(port, priority, *rules);
  }
}

void SwitchDevice::change(const SwitchParameters& parameters) {
  SharedBuffer& buffer = ingress_.buffer();
  for (int number = 0; number < ports_; ++number) {
    EgressPort& port = egress_.at(number);
    const PortSettings settings = settings_of(number, parameters, port.link());
    egress_.set_queues(number, settings);
    port.change_weights(settings.scheduler ? *settings.scheduler : parameters.scheduler);
    buffer.set_alpha(number, alpha_for(port.link(), parameters.pfc));
    apply_rules(number, settings);
  }
  buffer.set_resume_offset(parameters.pfc.resume_below);
  ingress_.set_marking(parameters.ecn);
  parameters_.ecn = parameters.ecn;
  parameters_.pfc = parameters.pfc;
  parameters_.scheduler = parameters.scheduler;
  parameters_.priorities = parameters.priorities;
}

void SwitchDevice::set_routes(const RouteTable& routes) {
  if (routes.ports_needed() > static_cast<std::uint32_t>(ports_)) {
    throw std::invalid_argument("switch: a route leads through port " +
                                std::to_string(routes.ports_needed() - 1) + " of " +
                                std::to_string(ports_));
  }
  routes_ = routes;
  if (path_choice_ != nullptr) path_choice_->routes_changed();
}

void SwitchDevice::join(const FabricMap& fabric, int self) {
  if (path_choice_ != nullptr) path_choice_->join(fabric, self);
}

Bytes SwitchDevice::drain(int port, int priority) const {
  // The switch does not know the priorities of a discipline's queues.
  return egress_.have_disciplines() ? egress_.at(port).bytes()
                                    : egress_.queueing(port).bytes_before(priority);
}

int SwitchDevice::route_of(const Packet& packet, PortSet ports) const {
  if (ports.size() == 1) return ports.front();
  if (ports.empty()) return -1;
  if (path_choice_ == nullptr) return ports[hashed(packet, ports.size())];
  // The load balancer may remember a choice among other ports, so the index of its choice is
  // limited.
  return ports[std::min(path_choice_->peek(packet, ports), ports.size() - 1)];
}

[[gnu::always_inline]] inline int SwitchDevice::choose(Packet& packet) {
  const PortSet ports = routes_.ports(packet.destination);
  if (ports.size() == 1 && !path_needs_.every_packet) return ports.front();
  if (ports.empty()) return kNoPort;
  if (path_choice_ == nullptr) return ports[hashed(packet, ports.size())];
  const std::uint32_t way = path_choice_->choose(packet, ports);
  return way == PathChoice::kKept ? kKept : ports[way];
}

bool SwitchDevice::Actions::detain(Packet* packet, int port) {
  const Bytes bytes = packet->wire_bytes;
  EgressPorts& egress = device_.egress_;
  if (!egress.have_disciplines() && !egress.queueing(port).admit(packet)) return false;
  held_back.changed_by(bytes, device_.scheduler_.now());
  return true;
}

void SwitchDevice::Actions::release(Packet* packet, int port) {
  held_back.changed_by(-Bytes{packet->wire_bytes}, device_.scheduler_.now());
  EgressPorts& egress = device_.egress_;
  egress.have_disciplines() ? egress.discipline(port).join_queue(packet)
                            : egress.queueing(port).join_queue(packet);
}

void SwitchDevice::Actions::send(Packet* packet) {
  ++sent;
  device_.forward_own(packet);
}

void SwitchDevice::Actions::consume(Packet* packet) {
  ++taken;
  device_.ingress_.return_credits_of(*packet);
  device_.pool_.free(packet);
}

void SwitchDevice::prefetch(const Packet& packet, int port) const {
  if (is_link_control(packet.kind)) return;
  const PortSet ports = routes_.ports(packet.destination);
  // A load balancer may read much memory to choose, so no prefetch predicts its choice.
  if (ports.empty() || (ports.size() > 1 && path_choice_ != nullptr)) return;
  const int egress = ports.size() == 1 ? ports.front() : ports[hashed(packet, ports.size())];
  egress_.prefetch(egress, packet.priority);
  ingress_.buffer().prefetch(port, packet.priority);
}

void SwitchDevice::receive(Packet* packet, int port) {
  if (is_link_control(packet->kind)) {
    handle_link_control(packet, port);
    return;
  }
  if (packet->collects_telemetry()) {  // prefetches the hop that append_telemetry() writes
    __builtin_prefetch(&packet->telemetry->hop[packet->telemetry_hops], 1);
  }
  packet->ingress = static_cast<std::uint16_t>(port);
  forward(packet);
}

[[gnu::always_inline]] inline void SwitchDevice::forward(Packet* packet) {
  const int port = choose(*packet);
  if (port >= 0) {
    egress_.have_disciplines() ? egress_.discipline(port).enqueue(packet)
                               : egress_.queueing(port).enqueue(packet);
    return;
  }
  if (port == kKept) return;
  ++unroutable_;
  ingress_.return_credits_of(*packet);
  pool_.free(packet);
}

void SwitchDevice::forward_own(Packet* packet) {
  packet->ingress = static_cast<std::uint16_t>(ingress_.own_input());
  forward(packet);
}

void SwitchDevice::handle_link_control(Packet* frame, int port) {
  if (frame->kind == PacketKind::kLldp) {
    dcbx_.receive(*frame, port);
    pool_.free(frame);
    return;
  }
  if (frame->kind == PacketKind::kFlowPause) {
    // The switch's own queues mix the packets of all hosts, so a pause of one host has no effect on
    // them.
    if (egress_.have_disciplines()) egress_.discipline(port).receive_flow_pause(*frame);
  } else {
    egress_.at(port).handle_flow_control(*frame);
  }
  if (watchdog_ != nullptr) watchdog_->attend();
  pool_.free(frame);
  egress_.try_send(port);
}

void SwitchDevice::set_carrier(int port, bool up) {
  egress_.at(port).pfc().set_carrier(up, scheduler_.now());
  dcbx_.set_carrier(port, up);
  for (int other = 0; egress_.have_disciplines() && other < ports_; ++other) {
    egress_.discipline(other).carrier_changed(port);
  }
  if (up) egress_.try_send(port);
}

void SwitchDevice::route_again(int port) {
  PacketFifo waiting;
  egress_.evict_all(port, waiting);
  ingress_.set_rerouting(true);
  while (!waiting.empty()) forward(waiting.pop());
  ingress_.set_rerouting(false);
  if (!egress_.have_disciplines()) return;
  for (int other = 0; other < ports_; ++other) {
    egress_.discipline(other).choose_again(
        port, [this](Packet& packet) { return choose(packet); }, waiting);
  }
  while (!waiting.empty()) {
    ++unroutable_;
    pool_.free(waiting.pop());
  }
}

std::vector<int> SwitchDevice::outputs_awaited(int input, int priority) const {
  std::vector<int> outputs;
  for (int port = 0; port < ports_ && !egress_.have_disciplines(); ++port) {
    if (egress_.queueing(port).holds_from(input, priority)) outputs.push_back(port);
  }
  return outputs;
}

SwitchCounters SwitchDevice::totals() const {
  SwitchCounters sum;
  sum.unroutable = unroutable_;
  sum.path_news_sent = actions_.sent;
  sum.path_news_taken = actions_.taken;
  for (int port = 0; port < ports_; ++port) add_to(sum, counters(port));
  return sum;
}

PfcCounters SwitchDevice::pfc_totals() const {
  PfcCounters sum;
  for (int port = 0; port < ports_; ++port) add_to(sum, egress_.at(port).pfc().counters());
  return sum;
}

}  // namespace dcc
