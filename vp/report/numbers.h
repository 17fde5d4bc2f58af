// Numbers in result files: the same text on every machine.
#pragma once

#include <string>

#include "units.h"

namespace dcc::vp {

/// Nine significant digits, shortest form.
std::string number_text(double value);
/// `value` rounded to nine significant digits: what number_text would read back as.
double rounded(double value);
/// Exact decimal seconds, without trailing zeros: "0.0500001".
std::string seconds_text(PicoSeconds time);
/// The double nearest to the exact decimal.
double exact_seconds(PicoSeconds time);

}  // namespace dcc::vp
