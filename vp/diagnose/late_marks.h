// The delay of marks under the proportional policy, as a cause that several diagnoses name.
#pragma once

#include <optional>
#include <string>

#include "controller/dcc.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// Mean length of the longest queue, in seconds in which a link of `rate` drains it.
double longest_queue(const RunResults& results, BitRate rate);

/// The mean time in seconds from the sending of a packet to the arrival of its mark, where the
/// longest queue is at a link of `rate`; empty if the run measured no round trip.
std::optional<double> age_of_marks(const Evidence& evidence, BitRate rate);

/// A sentence that says that marks are older than the increase interval, and what to do; "" if they
/// are not.
std::string late_marks(const Evidence& evidence, const DccParameters& dcc, BitRate rate);

}  // namespace dcc::vp
