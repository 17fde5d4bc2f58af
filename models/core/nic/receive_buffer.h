// The NIC's buffer between its port and host memory, for hosts whose DMA is slower than the port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>

#include "nic/nic_parameters.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Payload that has arrived and is not yet in host memory. The buffer exists only where DMA is
/// slower than the port (NicParameters::has_slow_memory()): elsewhere payload never waits.
///
/// Above `size` minus the headroom of the link the NIC pauses the lossless priorities, all at once
/// since they share the buffer, and resumes them two packets below that level. The headroom is that
/// of a switch port (switch/pfc.h), so a lossless priority loses no packet.
class ReceiveBuffer {
 public:
  /// Report on a packet whose payload has reached host memory.
  struct Arrival {
    std::uint32_t flow = 0;
    std::uint32_t bytes = 0;
    PicoSeconds sent{};
    std::uint8_t dscp = 0;
    bool ce = false;
    bool response = false;  // payload of a response to a READ or atomic request of this host
  };
  /// Function that sends a PFC frame, which stops the priorities in the mask and resumes the
  /// others.
  using SendPause = std::function<void(unsigned priorities)>;

  /// `parameters` must outlive the receive buffer.
  ReceiveBuffer(const NicParameters& parameters, SendPause send_pause);

  bool has_room(Bytes bytes) const { return bytes_ + bytes <= parameters_.receive_buffer.size; }
  /// Adds the payload of `packet`, which waits for its DMA write. Precondition: has_room().
  void enter(const Packet& packet);
  /// Removes the oldest payload, which has reached host memory.
  Arrival leave();
  /// Drops all payload from the buffer (soft reset).
  void clear();

  Bytes backlog() const { return bytes_; }
  Bytes most() const { return most_; }
  void add_state(StateDigest& d) const { d(bytes_, stopped_, arrivals_.size()); }

 private:
  void resume();

  const NicParameters& parameters_;
  SendPause send_pause_;
  Bytes stop_above_ = 0;
  Bytes resume_at_ = 0;
  std::deque<Arrival> arrivals_;
  Bytes bytes_ = 0;
  Bytes most_ = 0;  // greatest number of bytes in the buffer so far
  bool stopped_ = false;
};

}  // namespace dcc
