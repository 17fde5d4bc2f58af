// Diagnosis `network_split`: faults separate hosts from each other.
#include <fmt/format.h>

#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class NetworkWasSplit final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const std::optional<NetworkSplit>& split = results.split;
    if (!split) return std::nullopt;
    return Observation{
        fmt::format("The network was split: when routes converged at {}, {} of {} hosts could not "
                    "be reached from the others, {} among them",
                    QuantityText<PicoSeconds>::format(split->when), split->hosts,
                    evidence.topology().user_hosts(), split->first),
        {{"hosts", split->hosts}, {"host", split->first}}};
  }
};

const RegisteredDiagnosis<NetworkWasSplit> kNetworkWasSplit{
    "network_split", "A fault left hosts without any route to the others",
    "If this was not intended, fail a link that has an alternative (`faults`)"};

}  // namespace
}  // namespace dcc::vp
