// Formats numbers in result files, with the same text on every machine.
#pragma once

#include <string>

#include "units.h"

namespace dcc::vp {

/// Formats a number with nine significant digits in the shortest form.
std::string number_text(double value);
/// Returns `value` rounded to nine significant digits, equal to the value that number_text() stands
/// for.
double rounded(double value);
/// Formats a time as exact decimal seconds without trailing zeros, e.g. "0.0500001".
std::string seconds_text(PicoSeconds time);
/// Returns the double nearest to a time's exact decimal value in seconds.
double exact_seconds(PicoSeconds time);

}  // namespace dcc::vp
