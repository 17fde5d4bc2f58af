// Functions of the diagnosis `weights_without_effect`, for diagnoses that judge the same flows.
#pragma once

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// True if the diagnosis `weights_without_effect` reports the run. Precondition: evidence.results()
/// is not null.
bool weights_have_no_effect(const Evidence& evidence);

/// True if `changes` gives a class another weight, so that no single weight can be compared with
/// the class's share.
bool weights_move(const PlatformConfig& config);

}  // namespace dcc::vp
