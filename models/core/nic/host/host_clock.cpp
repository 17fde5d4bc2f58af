#include "nic/host/host_clock.h"

#include <algorithm>

#include "describe/visitor.h"

namespace dcc {

void ClockParameters::describe(ParameterVisitor& v) {
  v.field("noise", noise, {"0ns", "1ms"},
          {"greatest delay of a time stamp of an RTT, drawn for each", "TIMELY, figure 11"});
  v.field("drift", drift, {"0", "0.01"},
          {"greatest relative frequency error of a host's clock, drawn for each host",
           "TIMELY, figure 11"});
  v.field("controls", controls, {},
          {"algorithms use these readings; false: the readings only appear in the delay statistics",
           "TIMELY, figure 11"});
}

HostClock::HostClock(const ClockParameters& parameters, std::uint64_t seed, std::uint64_t host)
    : random_(seed, "clock", host),
      readings_(static_cast<std::uint64_t>(parameters.noise.count) + 1) {
  const auto most = static_cast<std::int64_t>(parameters.drift.to_fixed(32));
  const auto choices = static_cast<std::uint64_t>(2 * most + 1);
  if (most != 0) drift_q32_ = static_cast<std::int64_t>(random_.below(choices)) - most;
}

PicoSeconds HostClock::between(PicoSeconds elapsed) {
  __extension__ using Wide = __int128;
  std::int64_t read = elapsed.count;
  if (readings_ > 1) {
    read += static_cast<std::int64_t>(random_.below(readings_));
    read -= static_cast<std::int64_t>(random_.below(readings_));
  }
  read += static_cast<std::int64_t>(static_cast<Wide>(read) * drift_q32_ / (Wide{1} << 32));
  return PicoSeconds(std::max<std::int64_t>(0, read));
}

}  // namespace dcc
