// Sets the defaults that a chosen scheme requires in the rest of the configuration.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Makes a scheme work without further settings. The values that the scheme's transport requires of
/// switches, NICs and hosts become the defaults, and `config.followed` records why. Values that the
/// user wrote stay; check() refuses contradictions. Precondition: the topology has passed its
/// check.
void bring_needs(LoadedConfig& loaded);

}  // namespace dcc::vp
