// Diagnosis `host_slower_than_port`: the host's memory moves payload more slowly than its port.
#include <fmt/format.h>

#include <algorithm>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

class HostSlowerThanPort final : public Diagnosis {
 public:
  Found before(const Evidence& evidence) const override {
    const NicConfig& nic = evidence.config().nic;
    if (!nic.real_payload() || evidence.config().traffic.empty()) return std::nullopt;
    const Topology& topology = evidence.topology();
    const LinkParameters* fastest = nullptr;
    for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
      const LinkParameters& link = topology.link(topology.node_of(host), 0);
      if (fastest == nullptr || fastest->rate < link.rate) fastest = &link;
    }
    if (fastest == nullptr) return std::nullopt;
    // Payload rate of full packets that follow each other without a gap.
    const auto wire =
        static_cast<double>(roce::data_wire_bytes(nic.mtu, false, false) + fastest->overhead);
    const double port =
        static_cast<double>(fastest->rate.bits_per_second) * static_cast<double>(nic.mtu) / wire;
    // A DMA read takes `latency` plus the time of its bytes, and up to `outstanding` reads overlap.
    const auto rate = static_cast<double>(nic.dma.rate.bits_per_second);
    const double bits = 8.0 * static_cast<double>(nic.mtu);
    const double reads = static_cast<double>(nic.dma.outstanding) * bits /
                         (to_seconds(nic.dma.latency) + bits / rate);
    const double host = std::min(rate, reads);
    if (host >= port) return std::nullopt;
    const std::string limit =
        rate <= reads ? fmt::format("nic.dma.rate is {}", readable(nic.dma.rate))
                      : fmt::format(
                            "{} reads of {} B at once, {} each, give {:.4g} Gb/s "
                            "(nic.dma.outstanding, nic.dma.latency)",
                            nic.dma.outstanding, nic.mtu, readable(nic.dma.latency), reads / 1e9);
    return Observation{
        fmt::format("The hosts' memory is slower than their ports: {}, a port of {} carries {:.4g} "
                    "Gb/s of payload; goodput and queues are those of the memory",
                    limit, readable(fastest->rate), port / 1e9),
        {{"memory_gbps", host / 1e9}, {"port_gbps", port / 1e9}}};
  }
};

const RegisteredDiagnosis<HostSlowerThanPort> kHostSlowerThanPort{
    "host_slower_than_port", "DMA cannot move the payload that a host's port carries",
    "Raise `nic.dma.rate` or `nic.dma.outstanding`, or set `nic.payload: virtual`"};

}  // namespace
}  // namespace dcc::vp
