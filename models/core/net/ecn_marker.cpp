#include "net/ecn_marker.h"

#include <stdexcept>

namespace dcc {

namespace {
constexpr Bytes kGreatestThreshold = (Bytes{1} << 31) - 1;  // keeps the comparison in 64 bits

Bytes scaled(Bytes threshold, BitRate port_rate, BitRate reference) {
  if (reference.bits_per_second == 0) return threshold;
  return static_cast<Bytes>(static_cast<Uint128>(threshold) * port_rate.bits_per_second /
                            reference.bits_per_second);
}
}  // namespace

EcnMarker::EcnMarker(const EcnParameters& parameters, BitRate port_rate)
    : enabled_(parameters.enabled),
      per_port_(parameters.scope == EcnParameters::Scope::kPort),
      mark_at_(parameters.mark_at),
      kmin_(scaled(parameters.kmin, port_rate, parameters.reference_rate)),
      kmax_(scaled(parameters.kmax, port_rate, parameters.reference_rate)),
      pmax_q32_(parameters.pmax_q32),
      unmarked_between_(parameters.unmarked_between) {
  if (parameters.kmin < 0) throw std::invalid_argument("ecn: kmin is negative");
  if (kmax_ < kmin_) throw std::invalid_argument("ecn: kmax is less than kmin");
  if (kmax_ > kGreatestThreshold) {
    throw std::invalid_argument("ecn: kmax (scaled to the port's rate) reaches 2 GiB");
  }
  if (pmax_q32_ > std::uint64_t{1} << 32) throw std::invalid_argument("ecn: pmax is above 1");
  if (parameters.phantom_drain_q16 != 0) {
    if (parameters.phantom_drain_q16 > 65536) {
      throw std::invalid_argument("ecn: the phantom queue drains faster than the port");
    }
    const BitRate drain(static_cast<std::uint64_t>(
        static_cast<Uint128>(port_rate.bits_per_second) * parameters.phantom_drain_q16 >> 16));
    if (drain.bits_per_second == 0) throw std::invalid_argument("ecn: the port has no rate");
    phantom_ps_per_kib_ = serialization_time(1024, drain).count;
    phantom_limit_ = serialization_time(parameters.phantom_threshold, drain);
  }
}

}  // namespace dcc
