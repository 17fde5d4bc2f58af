// Diagnosis `decrease_table_unwritten`: firmware enabled a controller without its tables.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class DecreaseTableUnwritten final : public Diagnosis {
  Found after(const Evidence&, const RunResults& results) const override {
    std::string hosts;
    std::size_t count = 0;
    for (const HostResult& host : results.hosts) {
      if (host.tables_unwritten == 0) continue;
      if (++count <= 8) hosts += (hosts.empty() ? "" : ", ") + std::to_string(host.id);
    }
    if (count == 0) return std::nullopt;
    return Observation{
        fmt::format("{} {}{}: the controller is enabled and its decrease table holds 1.0 only, as "
                    "after reset: no CNP cuts a rate (write the tables before CTRL.ENABLE; the "
                    "driver's dcc_configure() does)",
                    count == 1 ? "host" : "hosts", hosts, count > 8 ? ", …" : ""),
        {{"hosts", count}}};
  }
};

const RegisteredDiagnosis<DecreaseTableUnwritten> kDecreaseTableUnwritten{
    "decrease_table_unwritten",
    "Firmware enabled a controller whose decrease table is as after reset, so no CNP cuts a rate",
    "Call the driver's `dcc_configure()`, or write the tables before CTRL.ENABLE"};

}  // namespace
}  // namespace dcc::vp
