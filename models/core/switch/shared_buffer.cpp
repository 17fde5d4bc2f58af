#include "switch/shared_buffer.h"

#include <algorithm>
#include <stdexcept>

namespace dcc {

SharedBuffer::SharedBuffer(const SharedBufferParameters& parameters, int ports)
    : resume_offset_(parameters.resume_offset),
      shared_size_(parameters.size),
      headroom_(static_cast<std::size_t>(ports), 0),
      classes_(static_cast<std::size_t>(ports * kPriorities)) {
  if (parameters.size <= 0) throw std::invalid_argument("switch: the buffer has no size");
  if (parameters.resume_offset < 0) throw std::invalid_argument("pfc: negative resume offset");
  for (int port = 0; port < ports; ++port) {
    set_alpha(port, parameters.alpha_q16);
    set_lossless(port, parameters.lossless);
  }
}

void SharedBuffer::set_alpha(int port, std::uint32_t alpha_q16) {
  if (alpha_q16 == 0) throw std::invalid_argument("pfc: alpha is zero");
  for (int priority = 0; priority < kPriorities; ++priority) {
    at(port, priority).alpha_q16 = alpha_q16;
  }
}

void SharedBuffer::set_lossless(int port, std::uint8_t priorities) {
  for (int priority = 0; priority < kPriorities; ++priority) {
    Class& c = at(port, priority);
    c.lossless = (priorities >> priority & 1) != 0;
    if (c.lossless) continue;
    shared_size_ += c.reserved;
    c.reserved = 0;
    c.headroom_complete = false;
    c.shared += c.headroom;
    shared_used_ += c.headroom;
    headroom_used_ -= c.headroom;
    c.headroom = 0;
  }
  note_peak(used());
}

void SharedBuffer::reserve(Class& c, int port) {
  const Bytes wanted = headroom_[static_cast<std::size_t>(port)] - c.reserved;
  const Bytes taken = std::min(wanted, shared_size_ - shared_used_);
  c.reserved += taken;
  c.headroom_complete = taken == wanted;
  shared_size_ -= taken;
  note_peak(used());
}

bool SharedBuffer::admit_to_headroom(Class& c, Bytes bytes) {
  if (c.headroom + bytes > c.reserved) return false;
  c.headroom += bytes;
  headroom_used_ += bytes;
  note_peak(used());
  return true;
}

/// Releases up to `bytes` and returns how many were released.
Bytes SharedBuffer::release_headroom(Class& c, Bytes bytes) {
  const Bytes released = std::min(c.headroom, bytes);
  c.headroom -= released;
  headroom_used_ -= released;
  note_peak(used());
  return released;
}

/// Must be called after each change of a field other than shared_used_, and before shared_used_
/// shrinks.
void SharedBuffer::note_peak(Bytes held) {
  peak_ = std::max(peak_, held);
  pass_through_limit_ = std::min(shared_size_, peak_ - headroom_used_ - private_used_);
}

}  // namespace dcc
