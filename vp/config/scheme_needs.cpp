#include "config/scheme_needs.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "controller/dcc.h"
#include "fabric/topology.h"
#include "nic/transport_registry.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

/// Sets the defaults that one transport needs.
class Needs {
 public:
  Needs(LoadedConfig& loaded, std::string reason)
      : loaded_(loaded), c_(loaded.config), reason_(std::move(reason)) {}

  /// `section`: configuration section of the transport; `algorithm`, `cnp`: parameters of the same
  /// hosts.
  void bring(const TransportParameters& transport, const std::string& section,
             AlgorithmChoice& algorithm, CnpParameters& cnp) {
    const std::string& written = c_.switch_.discipline.name();
    const std::string own = c_.mixes_transports() ? "fifo" : transport.discipline();
    const std::string discipline = written == "auto" ? own : written;
    if (c_.switch_.pauses() && (!transport.may_be_paused() || discipline != "fifo")) {
      bring("switch.pfc.enabled", [&] { c_.switch_.pfc.enabled = false; });
    }
    if (transport.strict_ports() &&
        c_.switch_.scheduler.kind != EgressSchedulerParameters::Kind::kStrict) {
      bring("switch.scheduler.kind",
            [&] { c_.switch_.scheduler.kind = EgressSchedulerParameters::Kind::kStrict; });
    }
    if (transport.needs_source_routing() && !c_.switch_.routing.obeys_source()) {
      bring("routing.kind", [&] { c_.switch_.routing.choose("source"); });
    } else if (transport.needs_symmetric_paths() && !c_.switch_.routing.is_symmetric() &&
               !has_one_way()) {
      bring("routing.kind", [&] { c_.switch_.routing.choose("symmetric"); });
    }
    if (!transport.on_roce()) bring_own_control(section, algorithm, cnp);
  }

  /// Sets the defaults of an algorithm that slows down for losses alone. `recovery`: that of the
  /// hosts of `section`.
  void bring_losses(const std::string& section, RecoveryParameters& recovery) {
    if (c_.switch_.pauses()) {
      bring("switch.pfc.enabled", [&] { c_.switch_.pfc.enabled = false; });
    }
    if (!recovery.is_selective()) {
      bring(section + ".recovery.kind",
            [&] { recovery.kind = RecoveryParameters::Kind::kSelectiveRepeat; });
    }
  }

  /// Sets the driver `none` for all hosts whose driver the user did not write: the platform drives
  /// them.
  void bring_platform_driver() {
    if (c_.host.driver != DriverKind::kNone) {
      bring("host.driver", [&] { c_.host.driver = DriverKind::kNone; });
    }
    if (is_written("host.driver")) return;
    for (auto& [id, host] : c_.hosts) {
      HostConfig& one = host;
      if (one.driver == DriverKind::kNone) continue;
      bring("hosts." + std::to_string(id) + ".driver", [&] { one.driver = DriverKind::kNone; });
    }
  }

 private:
  bool is_written(const std::string& path) const { return loaded_.places.count(path) != 0; }
  bool is_anything_written(const std::string& section) const {
    const auto first = loaded_.places.lower_bound(section);
    return first != loaded_.places.end() && first->first.compare(0, section.size(), section) == 0;
  }

  template <class Set>
  void bring(const std::string& path, Set set) {
    if (is_written(path)) return;
    set();
    c_.followed[path] = reason_;
  }

  /// Sets the defaults for a transport other than RoCE: the transport controls rates, and no
  /// software takes part.
  void bring_own_control(const std::string& section, AlgorithmChoice& algorithm,
                         CnpParameters& cnp) {
    const std::string path = section + ".congestion_control";
    if (algorithm.name() != "none" && !is_anything_written(path)) {
      bring(path + ".algorithm", [&] {
        algorithm.choose("none");
        cnp.follows_network =
            false;  // removes the preset's rules of the algorithm that is not used
      });
    }
    bring_platform_driver();
  }

  bool has_one_way() const { return Topology::of(c_.topology).has_one_way(); }

  LoadedConfig& loaded_;
  PlatformConfig& c_;
  std::string reason_;
};

/// Lets hosts of an entry of `nics` that names no algorithm run the algorithm of `nic`, with the
/// parameters written there. A transport that controls its own rates has no algorithm.
void bring_algorithms(LoadedConfig& loaded) {
  const NicConfig& nic = loaded.config.nic;
  std::map<std::string, Place>& places = loaded.places;
  for (std::size_t i = 0; i < loaded.config.nics.size(); ++i) {
    OtherNics& group = loaded.config.nics[i];
    const TransportParameters* const transport = group.transport.chosen();
    if (transport != nullptr && !transport->on_roce()) continue;
    const std::string entry = "nics." + std::to_string(i);
    const std::string section = ".congestion_control";
    const auto own = places.lower_bound(entry + section);
    if (own != places.end() && own->first.rfind(entry + section, 0) == 0) {
      const bool named = places.count(entry + section + ".algorithm") != 0;
      if (!named && nic.congestion_control.name() != group.congestion_control.name()) {
        throw ConfigError(own->second, entry + section +
                                           ": names no algorithm, and that of `nic` (" +
                                           nic.congestion_control.name() +
                                           ") is not its default: write algorithm");
      }
      continue;
    }
    group.congestion_control = nic.congestion_control;
    std::map<std::string, Place> taken;
    for (auto at = places.lower_bound("nic" + section);
         at != places.end() && at->first.rfind("nic" + section, 0) == 0; ++at) {
      taken.emplace(entry + at->first.substr(3), at->second);
    }
    // Takes over a member of `cnp` that an algorithm's preset sets.
    const auto take = [&](const std::string& key, auto member) {
      if (places.count(entry + key) != 0) return;
      group.cnp.*member = nic.cnp.*member;
      const auto written = places.find("nic" + key);
      if (written != places.end()) taken.emplace(entry + key, written->second);
    };
    take(".cnp.interval", &CnpParameters::interval);
    take(".cnp.carry_marks", &CnpParameters::carry_marks);
    group.cnp.follows_network = nic.cnp.follows_network;
    places.merge(taken);
  }
}

/// Copies written parameters of `nic.recovery` that would otherwise follow the network to each
/// entry of `nics` that does not write them.
void bring_recovery(LoadedConfig& loaded) {
  for (const char* const key : {".recovery.timeout", ".recovery.reorder_window"}) {
    const auto written = loaded.places.find(std::string("nic") + key);
    if (written == loaded.places.end()) continue;
    const Place place = written->second;
    for (std::size_t i = 0; i < loaded.config.nics.size(); ++i) {
      loaded.places.emplace("nics." + std::to_string(i) + key, place);
    }
  }
}

/// Raises the controller's clock if packets come too fast: the controller's byte port takes one
/// packet a cycle. If full packets of the fastest link come faster, as between GPUs, the clock
/// becomes the next multiple of its default.
void bring_clock(LoadedConfig& loaded) {
  PlatformConfig& config = loaded.config;
  const std::vector<const AlgorithmChoice*> algorithms = config.congestion_controls();
  const TopologyParameters& topology = config.topology;
  if (loaded.places.count("nic.controller.clock") != 0 ||
      (topology.kind == TopologyKind::kCustom && topology.links.empty()) ||
      std::none_of(algorithms.begin(), algorithms.end(), [](const AlgorithmChoice* one) {
        return one->chosen<DccParameters>() != nullptr;
      })) {
    return;
  }
  // A written overhead of some link may be 0, which lets packets come fastest.
  constexpr std::string_view kOverhead = ".overhead";
  const bool written =
      std::any_of(loaded.places.begin(), loaded.places.end(), [&](const auto& place) {
        const std::string& path = place.first;
        return path.rfind("topology.", 0) == 0 && path.size() > kOverhead.size() &&
               path.compare(path.size() - kOverhead.size(), kOverhead.size(), kOverhead) == 0;
      });
  const std::uint64_t overhead = written ? 0 : LinkParameters{}.overhead;
  const std::uint64_t bits =
      8 * (roce::send_wire_bytes(config.smallest_mtu(), false, false) + overhead);
  const std::uint64_t packets = topology.fastest_link().bits_per_second / bits;
  std::uint64_t& clock = config.nic.controller.clock.hertz;
  if (packets <= clock) return;
  clock *= packets / clock + 1;
  config.followed["nic.controller.clock"] = "one cycle a packet of the fastest link";
}

}  // namespace

void bring_needs(LoadedConfig& loaded) {
  bring_algorithms(loaded);
  bring_recovery(loaded);
  const auto bring = [&](const TransportChoice& choice, const std::string& section,
                         AlgorithmChoice& algorithm, CnpParameters& cnp,
                         RecoveryParameters& recovery) {
    if (algorithm.chosen() != nullptr && algorithm.chosen()->needs_losses()) {
      Needs(loaded, "needed by algorithm " + algorithm.name()).bring_losses(section, recovery);
    }
    if (choice.chosen() == nullptr) return;
    Needs(loaded, "needed by transport " + choice.name())
        .bring(*choice.chosen(), section, algorithm, cnp);
  };
  NicConfig& nic = loaded.config.nic;
  bring(nic.transport, "nic", nic.congestion_control, nic.cnp, nic.recovery);
  for (std::size_t i = 0; i < loaded.config.nics.size(); ++i) {
    OtherNics& group = loaded.config.nics[i];
    bring(group.transport, "nics." + std::to_string(i), group.congestion_control, group.cnp,
          group.recovery);
  }
  const std::vector<TrafficSpec>& traffic = loaded.config.traffic;
  if (std::any_of(traffic.begin(), traffic.end(),
                  [](const TrafficSpec& t) { return t.has_gates(); })) {
    Needs(loaded, "needed by traffic that the platform asks and answers").bring_platform_driver();
  }
  if (loaded.config.topology.host_ports().several()) {
    Needs(loaded, "needed by hosts with several ports").bring_platform_driver();
  }
  bring_clock(loaded);
}

}  // namespace dcc::vp
