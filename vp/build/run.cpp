#include "build/run.h"

#include <memory>
#include <optional>

#include "build/large_heap.h"
#include "build/platform.h"
#include "build/port_config.h"
#include "build/run_loop.h"

namespace dcc::vp {

namespace {
// Maximum number of hosts of a network whose data fit the caches and the address-translation
// buffers.
constexpr unsigned kHostsBeyondCaches = 256;
// memory of a host in bytes, including the host's share of switches, wires and packets
constexpr std::size_t kBytesAHost = 96 << 10;
}  // namespace

RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const RunSetup& setup) {
  const HostPorts ports = config.topology.host_ports();
  std::optional<PlatformConfig> by_port;
  if (ports.several()) by_port = port_config(config);
  const std::size_t hosts = ports.several() ? ports.ports() : config.topology.host_count();
  if (hosts >= kHostsBeyondCaches) prefer_large_pages(hosts * kBytesAHost);
  std::unique_ptr<Platform> platform;
  const auto build = [&] {
    platform = std::make_unique<Platform>("platform", by_port ? *by_port : config, setup);
  };
  if (setup.group != nullptr) {
    setup.group->agree(build);
  } else {
    build();
  }
  RunLoop loop(*platform, observer);
  RunResults results;
  loop.run(results);
  return results;
}

}  // namespace dcc::vp
