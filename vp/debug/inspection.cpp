#include "debug/inspection.h"

#include <fmt/format.h>

namespace dcc::vp {
namespace {

double gbps(std::uint32_t raw) { return raw / 256e3; }

/// Adds the registers of `block` to the registry as "<prefix><map>.NAME".
void add_registers(model::DebugRegistry& registry, const std::string& prefix,
                   const regs::RegisterBlock& block) {
  const std::string begin = prefix + block.map().name + ".";
  registry.add_lookup([begin, prefix, &block](const std::string& name) {
    model::DebugRegistry::Reader reader;
    if (name.compare(0, begin.size(), begin) != 0) return reader;
    const auto address = block.find(std::string_view(name).substr(prefix.size()));
    if (!address) return reader;
    reader = [&block, at = *address] {
      std::uint32_t value = 0;
      const regs::AccessResult result = block.peek(at, value);
      return result == regs::AccessResult::kOk ? fmt::format("{:#010x}", value)
                                               : std::string(regs::to_string(result));
    };
    return reader;
  });
}

std::string slot_text(ControllerEngine& device, const FlowPlan& plan, HostId host,
                      std::uint32_t index) {
  const SlotView slot = device.slot(index);
  if (!slot.flow) return "free";
  const SlotParameters& p = slot.parameters;
  return fmt::format(
      "flow {} (number {}), rate {:.6g} Gb/s, target {:.6g} Gb/s, alpha {:.6f}, bc {}, t {}, "
      "dscp {}, {} bytes counted",
      plan.flow_of(host, *slot.flow), *slot.flow, gbps(p.rc), gbps(p.rt), p.alpha / 65536.0, p.bc,
      p.t, p.dscp, p.pkt_length);
}

void add_controller(model::DebugRegistry& registry, Host& host, const FlowPlan& plan) {
  const std::string name = "host" + std::to_string(host.id());
  ControllerEngine& device = host.dcc()->device();
  registry.add_module(
      {name + ".controller", "congestion controller: registers " + name + ".dcc.NAME", {}});
  add_registers(registry, name + ".", host.controller()->block());
  registry.add_value({name + ".slot", "flow, rate, alpha and counters", device.config().slots,
                      [&device, &plan, id = host.id()](std::uint32_t index) {
                        return slot_text(device, plan, id, index);
                      }});
  registry.add_value({name + ".slots_in_use", "bound slots", 0, [&device](std::uint32_t) {
                        return std::to_string(device.config().slots - device.free_slots());
                      }});
  registry.add_value({name + ".timer_lag", "ticks the timing engine is behind", 0,
                      [&device](std::uint32_t) { return std::to_string(device.timer_lag()); }});
}

void add_host(model::DebugRegistry& registry, Host& host, const FlowPlan& plan) {
  const std::string name = "host" + std::to_string(host.id());
  if (host.dcc() != nullptr) add_controller(registry, host, plan);
  const bool driven = host.nic().host() != nullptr;
  registry.add_module(
      {name + ".nic", driven ? "NIC: registers " + name + ".nic.NAME" : std::string("NIC"), {}});
  if (driven) add_registers(registry, name + ".", host.nic().host()->registers());
  const std::vector<model::RiscvCpu*> harts = host.harts();
  if (!harts.empty()) registry.add_module({name + ".cpu", "RISC-V CPU RV32IMAC", {}});
  for (std::size_t i = 0; i < harts.size(); ++i) {
    const std::string which = harts.size() == 1 ? "" : std::to_string(i);
    registry.add_value({name + ".pc" + which, "where the CPU is", 0,
                        [cpu = harts[i]](std::uint32_t) { return cpu->whereabouts(); }});
  }
}

}  // namespace

void describe_platform(model::DebugRegistry& registry, std::vector<std::unique_ptr<Host>>& hosts,
                       const Network& network, const FlowPlan& plan) {
  for (const auto& host : hosts) add_host(registry, *host, plan);
  for (const TopologyNode& node : network.topology().nodes()) {
    if (!node.is_host) registry.add_module({node.name, "switch", {}});
  }
  const HostPorts& ports = network.topology().host_ports();
  registry.add_value({"flow", "hosts, rate", static_cast<std::uint32_t>(plan.flows().size()),
                      [&hosts, &plan, &ports](std::uint32_t id) {
                        const PlannedFlow& flow = plan.flow(id);
                        const Transmitter& transmitter =
                            hosts[flow.spec.from]->nic().device().transmitter();
                        const std::string ends = fmt::format(
                            "host {} to host {}, dscp {}, ", ports.label(flow.spec.from),
                            ports.label(flow.spec.to), flow.spec.dscp);
                        if (flow.from_qpn >= transmitter.queue_pairs())
                          return ends + "no queue pair yet";
                        const Rate rate = transmitter.view(flow.from_qpn).rate;
                        return ends + fmt::format("rate {:.6g} Gb/s", gbps(rate.raw));
                      }});
  registry.add_value({"queue", "egress queue of a switch",
                      static_cast<std::uint32_t>(network.queues().size()),
                      [&network](std::uint32_t index) {
                        const EgressQueue& queue = network.queues()[index];
                        return fmt::format("{}: {} bytes", network.name_of(queue),
                                           queue.device->queue_bytes(queue.port_number));
                      }});
}

}  // namespace dcc::vp
