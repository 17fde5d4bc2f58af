#include "switch/shared_buffer.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace dcc {

SharedBuffer::SharedBuffer(const SharedBufferParameters& parameters, int ports)
    : resume_offset_(parameters.resume_offset),
      shared_size_(parameters.size - parameters.shared_headroom.value_or(0)),
      classes_(static_cast<std::size_t>(ports * kPriorities)),
      headroom_(static_cast<std::size_t>(ports)),
      cell_(parameters.cell),
      shared_headroom_(parameters.shared_headroom) {
  if (parameters.size <= 0) throw std::invalid_argument("switch: the buffer has no size");
  if (parameters.resume_offset < 0) throw std::invalid_argument("pfc: negative resume offset");
  for (const Bytes size : parameters.pools) {
    pools_.push_back({size, 0});
    shared_size_ -= size;
  }
  if (shared_size_ <= 0) throw std::invalid_argument("switch: pools leave nothing of the buffer");
  if (cell_ <= 0) throw std::invalid_argument("switch: a cell has no size");
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

void SharedBuffer::set_rules(int port, int priority, const ClassRules& rules) {
  if (rules.pool < 0 || rules.pool > static_cast<int>(pools_.size())) {
    throw std::invalid_argument("switch: there is no pool " + std::to_string(rules.pool));
  }
  if (rules_.empty()) rules_.resize(classes_.size());
  Class& c = at(port, priority);
  const Bytes held = c.shared;
  change_shared(c, -held);
  const auto size_of = [this](int pool) -> Bytes& {
    return pool == 0 ? shared_size_ : pools_[static_cast<std::size_t>(pool) - 1].size;
  };
  ClassRules& mine = rules_[index(c)];
  size_of(mine.pool) += mine.reserved;
  size_of(rules.pool) -= rules.reserved;
  if (size_of(rules.pool) < 0) {
    throw std::length_error(
        "the ports of a switch reserve more than the pool has: less `reserved`, "
        "or a larger pool");
  }
  mine = rules;
  c.ruled = true;
  change_shared(c, held);
  note_peak(used());
}

void SharedBuffer::set_lossless(int port, std::uint8_t priorities) {
  for (int priority = 0; priority < kPriorities; ++priority) {
    Class& c = at(port, priority);
    c.lossless = (priorities >> priority & 1) != 0;
    if (c.lossless) continue;
    c.headroom_complete = false;
    if (headroom_[static_cast<std::size_t>(port)].classes == nullptr) continue;
    Headroom& headroom = headroom_of(c);
    if (!shared_headroom_) shared_size_ += headroom.reserved;
    headroom.reserved = 0;
    headroom_used_ -= c.headroom;
    change_shared(c, c.headroom);
    c.headroom = 0;
  }
  note_peak(used());
}

void SharedBuffer::restart_peak() {
  peak_ = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    classes_[i].peak = classes_[i].shared;
  }
  for (std::size_t port = 0; port < headroom_.size(); ++port) {
    if (headroom_[port].classes == nullptr) continue;
    for (std::size_t p = 0; p < kPriorities; ++p) {
      (*headroom_[port].classes)[p].peak = classes_[port * kPriorities + p].headroom;
    }
  }
  note_peak(used());
}

Bytes SharedBuffer::threshold_by_rules(const Class& c) const {
  const ClassRules& rules = rules_of(c);
  if (rules.limit) return rules.reserved + *rules.limit;
  // A lossless class has at least the port's alpha; DCBX can make any class lossless.
  if (!rules.alpha_q16 && !c.lossless) return std::numeric_limits<Bytes>::max() / 2;
  const std::uint32_t alpha = rules.alpha_q16.value_or(c.alpha_q16);
  return rules.reserved + ((free(rules.pool) * alpha) >> 16);
}

/// Returns how many of a class's `bytes` bytes the pool of the class must hold.
Bytes SharedBuffer::beyond_reserved(const Class& c, Bytes bytes) const {
  return std::max<Bytes>(0, bytes - rules_of(c).reserved);
}

/// Counts a change of the bytes that a class holds outside its headroom.
void SharedBuffer::change_shared(Class& c, Bytes change) {
  const Bytes before = c.shared;
  c.shared += change;
  c.peak = std::max(c.peak, c.shared);
  if (!c.ruled) {
    shared_used_ += change;
    return;
  }
  const Bytes of_pool = beyond_reserved(c, c.shared) - beyond_reserved(c, before);
  const int pool = rules_of(c).pool;
  if (pool == 0) {
    shared_used_ += of_pool;
    elsewhere_used_ += change - of_pool;
  } else {
    pools_[static_cast<std::size_t>(pool) - 1].used += of_pool;
    elsewhere_used_ += change;
  }
}

bool SharedBuffer::admit_by_rules(Class& of_packet, Bytes bytes) {
  Class& c = account_of(of_packet);
  bytes = in_cells(bytes);
  if (c.lossless && !c.headroom_complete) reserve(c);
  const Bytes of_pool = beyond_reserved(c, c.shared + bytes) - beyond_reserved(c, c.shared);
  const bool fits = c.shared + bytes <= threshold(c) && of_pool <= free(rules_of(c).pool);
  if (!fits) return c.lossless && admit_to_headroom(c, bytes);
  change_shared(c, bytes);
  note_peak(used());
  return true;
}

void SharedBuffer::release_by_rules(Class& of_packet, Bytes bytes) {
  Class& c = account_of(of_packet);
  bytes = in_cells(bytes);
  note_peak(used());  // other classes of the buffer may have grown since the last call
  if (c.headroom != 0) bytes -= release_headroom(c, bytes);
  change_shared(c, -bytes);
  note_peak(used());
}

SharedBuffer::ClassHeadrooms& SharedBuffer::make_headroom(int port) {
  PortHeadroom& headroom = headroom_[static_cast<std::size_t>(port)];
  if (headroom.classes == nullptr) {
    headroom.classes = std::make_unique<ClassHeadrooms>();
    for (Headroom& one : *headroom.classes) one.wanted = headroom.wanted;
  }
  return *headroom.classes;
}

void SharedBuffer::reserve(Class& c) {
  Headroom& headroom = headroom_of(c);
  if (shared_headroom_) {
    headroom.reserved = headroom.wanted;
    c.headroom_complete = true;
    return;
  }
  const Bytes wanted = headroom.wanted - headroom.reserved;
  const Bytes taken = std::min(wanted, std::max<Bytes>(0, shared_size_ - shared_used_));
  headroom.reserved += taken;
  c.headroom_complete = taken == wanted;
  shared_size_ -= taken;
  note_peak(used());
}

bool SharedBuffer::admit_to_headroom(Class& c, Bytes bytes) {
  Headroom& headroom = headroom_of(c);
  if (c.headroom + bytes > headroom.reserved) return false;
  if (shared_headroom_ && headroom_used_ + bytes > *shared_headroom_) return false;
  c.headroom += bytes;
  headroom.peak = std::max(headroom.peak, c.headroom);
  headroom_used_ += bytes;
  note_peak(used());
  return true;
}

/// Releases up to `bytes` bytes of a class's headroom and returns the number released.
Bytes SharedBuffer::release_headroom(Class& c, Bytes bytes) {
  const Bytes released = std::min(c.headroom, bytes);
  c.headroom -= released;
  headroom_used_ -= released;
  note_peak(used());
  return released;
}

/// Notes a new peak of the buffer. Must be called after each change of a member other than
/// shared_used_, and before shared_used_ shrinks.
void SharedBuffer::note_peak(Bytes held) {
  peak_ = std::max(peak_, held);
  pass_through_limit_ =
      std::min(shared_size_, peak_ - headroom_used_ - private_used_ - elsewhere_used_);
}

}  // namespace dcc
