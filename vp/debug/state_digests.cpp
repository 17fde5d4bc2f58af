#include "debug/state_digests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "build/platform.h"
#include "build/ranks.h"
#include "config/yaml_reader.h"
#include "disturb/central_control.h"
#include "riscv/csr_file.h"
#include "sim/state_digest.h"
#include "software/host_driver.h"

namespace dcc::vp {
namespace {

std::uint64_t digest_of_nic(Host& host) {
  StateDigest d;
  d(host.nic().device());
  if (host.nic().gate() != nullptr) d(*host.nic().gate());
  if (host.nic().host() != nullptr) d(*host.nic().host(), *host.nic().link());
  return d.value();
}

// Digest of a controller's registers and slots: model and RTL give the same digest.
std::uint64_t digest_of_controller(ControllerEngine& device) {
  StateDigest d;
  const std::uint32_t slots = device.config().slots;
  d(device.free_slots());
  for (SlotIndex i = 0; i < slots && device.free_slots() != slots; ++i) {
    const SlotView slot = device.slot(i);
    d(slot.flow);
    if (!slot.flow) continue;
    const SlotParameters& p = slot.parameters;
    d(p.rc, p.rt, p.alpha, p.t_latest, p.pkt_length, p.bc, p.t, p.dscp, slot.timer_due);
  }
  add_counters(d, device.statistics());
  return d.value();
}

std::uint64_t digest_of_algorithm(const Host& host) {
  StateDigest d;
  const Transmitter& transmitter = host.nic().device().transmitter();
  for (Qpn qpn = 0; qpn < transmitter.queue_pairs(); ++qpn) {
    if (!transmitter.governed(qpn)) continue;
    const Algorithm::View view = host.algorithm()->view(qpn);
    d(qpn, view.rate, view.target, view.alpha);
  }
  add_counters(d, host.algorithm()->counters());
  return d.value();
}

std::uint64_t digest_of_cpu(const riscv::Hart& hart) {
  static const std::vector<std::uint32_t> kCsrs = [] {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t n = 0; n < 4096; ++n) {
      if (riscv::csr_name(n) != nullptr) numbers.push_back(n);
    }
    return numbers;
  }();
  StateDigest d;
  for (unsigned i = 0; i < 32; ++i) d(hart.reg(i));
  d(hart.pc(), hart.steps(), hart.cycles(), hart.privilege());
  for (const std::uint32_t number : kCsrs) {
    std::uint32_t value = 0;
    d(hart.read_csr(number, value), value);
  }
  return d.value();
}

std::uint64_t digest_of_memory(const model::Ram& ram) {
  StateDigest d;
  d.bytes(ram.data(), ram.size());
  return d.value();
}

template <class Device>
std::uint64_t digest_of(const Device& device) {
  StateDigest d;
  d(device);
  return d.value();
}

}  // namespace

StateDigests::StateDigests(Network& network, const FlowScheduler* flow_scheduler,
                           const TransportAgent* transport_agent,
                           std::vector<std::unique_ptr<Host>>& hosts) {
  const std::vector<TopologyNode>& nodes = network.topology().nodes();
  for (NodeId node = 0; node < static_cast<NodeId>(nodes.size()); ++node) {
    model::SwitchModule* const module = network.switch_of(node);
    if (module == nullptr) continue;
    add(nodes[static_cast<std::size_t>(node)].name,
        [device = &module->device()] { return digest_of(*device); });
  }
  if (flow_scheduler != nullptr) {
    add("flow_scheduler", [flow_scheduler] { return digest_of(*flow_scheduler); });
  }
  if (transport_agent != nullptr) {
    add("threshold_agent", [transport_agent] { return digest_of(*transport_agent); });
  }
  for (const auto& host : hosts) add_host(*host);
  for (const Wire& wire : network.wires()) {
    add(network.name_of(wire), [link = &wire.link()] { return digest_of(*link); });
  }
}

void StateDigests::add_host(Host& host) {
  const std::string name = "host" + std::to_string(host.id());
  if (host.dcc() != nullptr) {
    add(name + ".controller",
        [device = &host.dcc()->device()] { return digest_of_controller(*device); });
  } else if (host.algorithm() != nullptr) {
    add(name + ".algorithm", [&host] { return digest_of_algorithm(host); });
  }
  add(name + ".nic", [&host] { return digest_of_nic(host); });
  HostDriver* const driver = host.driver();
  if (driver == nullptr) return;
  if (driver->firmware() != nullptr) {
    const auto& cpus = driver->firmware()->cpus();
    for (const auto& cpu : cpus) {
      // names of the CPU modules: cpu, or cpu0, cpu1, … of several harts
      add(name + "." + cpu->basename(), [hart = cpu.get()] { return digest_of_cpu(hart->hart()); });
    }
  }
  add(name + ".interrupts", [driver] { return digest_of(driver->interrupts()); });
  add(name + ".memory", [ram = &driver->ram()] { return digest_of_memory(*ram); });
}

void StateDigests::add(std::string name, std::function<std::uint64_t()> of) {
  names_.push_back(std::move(name));
  of_.push_back(std::move(of));
}

std::vector<std::uint64_t> StateDigests::take() const {
  std::vector<std::uint64_t> row;
  row.reserve(of_.size());
  for (const auto& of : of_) row.push_back(of());
  return row;
}

std::uint64_t StateDigests::whole() const {
  StateDigest d;
  d(take());
  return d.value();
}

model::DebugRegistry::Value digest_value(const StateDigests& states) {
  return {"digest", "of the state of all devices", 0,
          [&states](std::uint32_t) { return fmt::format("{:016x}", states.whole()); }};
}

namespace {
const FlowScheduler* flow_scheduler_of(const Platform& p) {
  const auto* const part = p.part<FlowSchedulerPart>();
  return part == nullptr ? nullptr : &part->scheduler();
}

const TransportAgent* transport_agent_of(const Platform& p) {
  const auto* const part = p.part<TransportAgentPart>();
  return part == nullptr ? nullptr : &part->agent();
}
}  // namespace

DigestSampler::DigestSampler(Platform& platform)
    : p_(platform),
      digests_(platform.network, flow_scheduler_of(platform), transport_agent_of(platform),
               platform.hosts),
      event_(Event::calling<&DigestSampler::sample>(*this, kDigestRank)) {
  kept_.devices = digests_.names();
}

void DigestSampler::begin() {
  const PicoSeconds from = p_.config.output.digest.from;
  if (from <= p_.config.duration) p_.scheduler.schedule_at(event_, from);
}

void DigestSampler::sample() {
  if (p_.partitions.parallel() != nullptr) p_.partitions.parallel()->settle();
  const PicoSeconds now = p_.scheduler.now();
  std::vector<std::uint64_t> row = digests_.take();
  if (p_.setup.digests) {
    p_.setup.digests(digests_.names(), now, row);
  } else {
    kept_.t.push_back(now);
    kept_.rows.push_back(std::move(row));
  }
  const DigestConfig& when = p_.config.output.digest;
  const PicoSeconds end = std::min(when.to.value_or(p_.config.duration), p_.config.duration);
  if (*when.every <= end - now) p_.scheduler.schedule_in(event_, *when.every);
}

void DigestSampler::finish(RunResults& results) { results.digests = std::move(kept_); }

namespace {
std::unique_ptr<PlatformPart> make_sampler(Platform& p) {
  if (!p.config.output.digest.every) return nullptr;
  if (p.setup.group != nullptr) {
    throw SettingError("output.digest",
                       "none of several processes holds the whole state: run one process, on any "
                       "number of threads");
  }
  return std::make_unique<DigestSampler>(p);
}

// Names of devices are made only if digests may be read, because there may be many names.
std::unique_ptr<PlatformPart> make_watched(Platform& p) {
  const bool software = std::any_of(p.hosts.begin(), p.hosts.end(),
                                    [](const auto& host) { return host->driver() != nullptr; });
  if (!software && !p.setup.interactive) return nullptr;
  auto watched = std::make_unique<WatchedStates>(
      StateDigests(p.network, flow_scheduler_of(p), transport_agent_of(p), p.hosts));
  for (const auto& host : p.hosts) {
    if (host->driver() != nullptr) host->driver()->name_digest(watched->states());
  }
  return watched;
}

const PartKind kSamplerKind(PartKind::kDigestSampler, make_sampler);
const PartKind kWatchedKind(PartKind::kWatchedStates, make_watched);
}  // namespace

}  // namespace dcc::vp
