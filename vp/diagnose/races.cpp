// Diagnosis `races`: the race check of a host found accesses to memory that nothing orders.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class Races final : public Diagnosis {
  Found after(const Evidence&, const RunResults& results) const override {
    const RaceResult* most = nullptr;
    std::size_t hosts = 0;
    for (const RaceResult& host : results.races) {
      if (host.accesses == 0) continue;
      ++hosts;
      if (most == nullptr || host.accesses > most->accesses) most = &host;
    }
    if (most == nullptr) return std::nullopt;
    return Observation{
        fmt::format("On host {}, {} accesses of harts and DMA to memory race, by {} pairs of "
                    "instructions{}; standard error names each pair",
                    most->host, most->accesses, most->pairs,
                    hosts > 1 ? fmt::format(" ({} hosts have races)", hosts) : ""),
        {{"host", most->host},
         {"accesses", most->accesses},
         {"pairs", most->pairs},
         {"hosts", hosts}}};
  }
};

const RegisteredDiagnosis<Races> kRaces{
    "races", "Harts and DMA of a host accessed the same memory, and nothing ordered the accesses",
    "Put a fence before the store that hands memory over and behind the load that takes it, or "
    "hold a lock"};

}  // namespace
}  // namespace dcc::vp
