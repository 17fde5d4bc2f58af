#include "disturb/dcbx_links.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/wire_selection.h"

namespace dcc::vp {

namespace {
constexpr Bytes kMaxFrame = 9'216;

std::string path_of_end(std::size_t end) { return fmt::format("dcbx.ends.{}.ports", end); }

/// Returns the application priorities that DCBX announces: for RoCE's UDP port (packets without a
/// class), for the classes, and for CNPs.
std::vector<ApplicationPriority> application_priorities(const PlatformConfig& config) {
  std::vector<ApplicationPriority> lines;
  const auto add = [&](unsigned priority, std::uint8_t selector, unsigned protocol) {
    lines.push_back(
        {static_cast<std::uint8_t>(priority), selector, static_cast<std::uint16_t>(protocol)});
  };
  add(config.dscp_of(0).priority, ApplicationPriority::kUdpPort, roce::kUdpPort);
  for (const auto& [dscp, entry] : config.dscp) {
    add(entry.priority, ApplicationPriority::kDscp, dscp);
  }
  std::map<unsigned, unsigned> notifications{{config.nic.cnp.dscp, config.nic.cnp.priority}};
  for (const OtherNics& group : config.nics) {
    if (!group.congestion_control.needs(config.nic.mtu).cnp) continue;
    notifications.emplace(group.cnp.dscp, group.cnp.priority);
  }
  for (const auto& [dscp, priority] : notifications) {
    if (config.dscp.count(dscp) == 0) add(priority, ApplicationPriority::kDscp, dscp);
  }
  return lines;
}

void overrule(DcbxSettings& settings, const DcbxEndParameters& end) {
  using Willing = DcbxEndParameters::Willing;
  if (end.willing != Willing::kAuto) settings.willing = end.willing == Willing::kYes;
  if (end.pfc) settings.pfc = *end.pfc;
  if (!end.bandwidth.empty()) settings.ets = ets_table_of(end.bandwidth);
  if (end.roce_priority) {
    settings.applications.front().priority = static_cast<std::uint8_t>(*end.roce_priority);
  }
}
}  // namespace

void check_dcbx(const PlatformConfig& config, const Topology& topology) {
  for (std::size_t i = 0; i < config.dcbx.ends.size(); ++i) {
    select_wires(topology, config.dcbx.ends[i].ports, path_of_end(i));
  }
}

std::vector<std::optional<DcbxSettings>> dcbx_settings(const PlatformConfig& config,
                                                       const Topology& topology) {
  DcbxSettings common;
  common.pfc = config.switch_.lossless_priorities();
  common.ets = ets_table_of(config.switch_.scheduler);
  common.applications = application_priorities(config);
  std::vector<std::optional<DcbxSettings>> settings(2 * topology.cables().size(), common);
  for (std::size_t wire = 0; wire < settings.size(); ++wire) {
    const CableEnd& from = topology.cables()[wire / 2].end[wire % 2];
    settings[wire]->willing = topology.node(from.node).is_host;
  }
  std::vector<bool> silent(settings.size());
  for (std::size_t i = 0; i < config.dcbx.ends.size(); ++i) {
    const DcbxEndParameters& end = config.dcbx.ends[i];
    for (const std::size_t wire : select_wires(topology, end.ports, path_of_end(i))) {
      overrule(*settings[wire], end);
      silent[wire] = end.silent;
    }
  }
  for (std::size_t wire = 0; wire < settings.size(); ++wire) {
    if (silent[wire]) settings[wire].reset();
  }
  return settings;
}

DcbxLinks::DcbxLinks(Platform& platform)
    : scheduler_(platform.scheduler),
      network_(platform.network),
      enabled_(platform.config.dcbx.enabled),
      come_up_(Event::calling<&DcbxLinks::come_up>(*this, kDcbxRank)) {
  const PlatformConfig& config = platform.config;
  Network& network = platform.network;
  check_dcbx(config, network.topology());
  if (!enabled_) return;
  const auto settings = dcbx_settings(config, network.topology());
  by_wire_.resize(settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!settings[i]) continue;
    const Wire& wire = network.wires()[i];
    // Events of a link's end have the rank of the link that arrives there, the other direction of
    // the cable.
    const auto its_rank = static_cast<std::uint32_t>(i ^ 1);
    End end;
    end.wire = i;
    const TopologyNode& node = network.topology().node(wire.from);
    if (node.is_host) {
      NicDevice& nic = platform.nic_of(node.host);
      nic.enable_dcbx(*settings[i], config.dcbx.interval, its_rank);
      end.end = nic.dcbx();
      end.come_up = [&nic] { nic.set_carrier(true); };
    } else {
      SwitchDevice& device = network.switch_of(wire.from)->device();
      const auto number = static_cast<unsigned>(wire.from);
      const DcbxEnd::Identity identity{
          roce::mac_of_port(number, static_cast<unsigned>(wire.from_port)),
          roce::mac_of_port(number, 0xFFFF), fmt::format("port{}", wire.from_port)};
      device.enable_dcbx(wire.from_port, identity, *settings[i], config.dcbx.interval, its_rank);
      end.end = device.dcbx(wire.from_port);
      end.come_up = [&device, port = wire.from_port] { device.set_carrier(port, true); };
    }
    by_wire_[i] = end.end;
    ends_.push_back(std::move(end));
  }
}

void DcbxLinks::begin() {
  if (enabled_) scheduler_.schedule_at(come_up_, PicoSeconds(0));
}

void DcbxLinks::come_up() {
  for (End& end : ends_) end.come_up();
}

void DcbxLinks::add_differences(const End& end, bool of_pair, DcbxResult& result) const {
  const Wire& wire = network_.wires()[end.wire];
  if (const std::optional<PicoSeconds> since = end.end->unanswered_since()) {
    // The frame of the other end takes at least this long, and it may wait for a packet.
    const LinkParameters& link = wire.link().parameters();
    const PicoSeconds patience = link.delay * 2 + serialization_time(2 * kMaxFrame, link.rate);
    if (*since + patience <= scheduler_.now()) {
      result.differences.push_back({network_.name_of(wire), "lldp", "speaks", "silent", *since});
    }
  }
  for (std::size_t i = 0; i < kDcbxAttributes && of_pair; ++i) {
    const auto attribute = static_cast<DcbxAttribute>(i);
    if (const auto& difference = end.end->difference(attribute)) {
      result.differences.push_back({network_.name_of(wire), name_of(attribute), difference->here,
                                    difference->there, difference->since});
    }
  }
}

void DcbxLinks::finish(RunResults& results) { results.dcbx = result(); }

std::optional<DcbxResult> DcbxLinks::result() const {
  if (!enabled_) return std::nullopt;
  DcbxResult result;
  result.ends = ends_.size();
  for (const End& end : ends_) {
    const DcbxEnd::Counters& counters = end.end->counters();
    result.frames_sent += counters.sent;
    result.frames_received += counters.received;
    result.unsound += counters.malformed;
    // Both ends see a difference; only the first end of a cable reports it.
    const bool first = end.wire % 2 == 0 || by_wire_[end.wire ^ 1] == nullptr;
    add_differences(end, first, result);
  }
  return result;
}

namespace {
const PartKind kDcbxLinksKind(PartKind::kDcbxLinks,
                              [](Platform& p) { return std::make_unique<DcbxLinks>(p); });
}  // namespace

}  // namespace dcc::vp
