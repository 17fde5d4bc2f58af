// PFC headroom of a switch against what its links and its buffer allow.
#pragma once

#include <cstdint>
#include <string>

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// The switch whose buffer is short of the most headroom.
struct HeadroomNeed {
  std::string of;  // name of the switch; empty: no switch pauses
  Bytes buffer = 0;
  Bytes reserved = 0;   // bytes of all inputs but one, in every lossless priority in use
  Bytes per_input = 0;  // greatest headroom of one input and priority
  int inputs = 0;
  int priorities = 0;
};
HeadroomNeed greatest_headroom(const Evidence& evidence);

/// The link whose configured headroom is furthest below what arrives after a pause.
struct HeadroomGap {
  std::string link;  // name of the link towards the switch; empty: none is too small
  Bytes set = 0;
  Bytes needed = 0;
};
HeadroomGap greatest_headroom_gap(const Evidence& evidence);

/// Bit p: traffic uses priority p and `switch.pfc` makes it lossless. 0 without PFC.
std::uint8_t lossless_in_use(const PlatformConfig& config);
/// Bit p: traffic uses priority p.
std::uint8_t priorities_in_use(const PlatformConfig& config);

}  // namespace dcc::vp
