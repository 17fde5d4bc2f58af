// Compares the PFC headroom of a switch with the need of its links and the size of its buffer.
#pragma once

#include <cstdint>
#include <string>

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// The headroom that the switch needs whose buffer lacks the most headroom.
struct HeadroomNeed {
  std::string of;  // name of the switch; empty: no switch sends PFC pauses
  Bytes buffer = 0;
  Bytes set_aside = 0;  // bytes of the switch's buffer that pools and reserved parts take
  // headroom in bytes for all inputs but one, in every lossless priority in use
  Bytes wanted = 0;
  Bytes reserved = 0;   // part of `wanted` in bytes that a shared headroom grants
  Bytes per_input = 0;  // greatest headroom of one input and priority, in bytes
  int inputs = 0;
  int priorities = 0;  // greatest number of priorities at one input

  /// Bytes of the switch's buffer that are available for headroom.
  Bytes room() const { return buffer - set_aside; }
  /// Bytes by which the switch's buffer is too small for its headroom. Negative: bytes left for
  /// queues.
  Bytes missing() const { return reserved - room(); }
};
HeadroomNeed greatest_headroom(const Evidence& evidence);

/// The link whose configured headroom is furthest below the bytes that arrive after a pause.
struct HeadroomGap {
  std::string link;  // name of the link towards the switch; empty: no headroom is too small
  std::string key;   // configuration key of the headroom
  Bytes set = 0;
  Bytes needed = 0;
};
HeadroomGap greatest_headroom_gap(const Evidence& evidence);

/// Mask of lossless priorities in use: bit p is set if traffic uses priority p and all switch ports
/// make the priority lossless. 0 without PFC.
std::uint8_t lossless_in_use(const Evidence& evidence);
/// Mask of the priorities that traffic uses: bit p is set for priority p.
std::uint8_t priorities_in_use(const PlatformConfig& config);

}  // namespace dcc::vp
