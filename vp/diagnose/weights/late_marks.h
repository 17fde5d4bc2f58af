// Computes the age of ECN marks under the proportional policy, a cause that several diagnoses name.
#pragma once

#include <optional>
#include <string>

#include "controller/dcc.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// Mean time in seconds in which a link of `rate` drains the longest queue.
double longest_queue(const RunResults& results, BitRate rate);

/// The mean time in seconds from the sending of a packet to the arrival of its ECN mark at the
/// sender, if the longest queue is at a link of `rate`. Empty if the run measured no round trip.
std::optional<double> age_of_marks(const Evidence& evidence, BitRate rate);

/// A sentence that marks are older than the increase interval, and what to do about it. Empty if
/// marks are not older.
std::string late_marks(const Evidence& evidence, const DccParameters& dcc, BitRate rate);

}  // namespace dcc::vp
