// The packet memory of a switch: one pool shared by all ports, accounted by input and priority.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Defaults are those of SwitchParameters and PfcParameters.
struct SharedBufferParameters {
  Bytes size = 0;
  /// Share of the pool's free bytes that a class (ingress port and priority) may hold, 65536 = 1.0
  /// (dynamic threshold, Choudhury and Hahne 1998).
  std::uint32_t alpha_q16 = 0;
  /// A paused class resumes when it holds this many bytes less than its threshold.
  Bytes resume_offset = 0;
  /// Bit p: priority p is lossless, so that its classes have headroom and are paused at the
  /// threshold. Other classes drop packets when the pool is full. The initial value of all ports;
  /// set_lossless() changes single ports.
  std::uint8_t lossless = 0;
};

/// Counts bytes; stores no packets. A lossless class above its threshold uses its headroom, which
/// is reserved for packets in flight when the pause frame is sent. Headroom is reserved when a
/// class first carries a packet, so that unused classes cost nothing. If other classes have filled
/// the pool by then, headroom is reserved step by step as the pool empties. So the bytes held never
/// exceed the size.
class SharedBuffer {
 public:
  /// Throws std::invalid_argument when the size is not positive or alpha is zero.
  SharedBuffer(const SharedBufferParameters& parameters, int ports);

  /// Sets the headroom of each lossless priority of `port`. Call before the first packet.
  void set_headroom(int port, Bytes bytes) { headroom_[static_cast<std::size_t>(port)] = bytes; }

  /// Replaces SharedBufferParameters::alpha_q16 for the classes of `port`. Throws like the
  /// constructor.
  void set_alpha(int port, std::uint32_t alpha_q16);
  void set_resume_offset(Bytes offset) { resume_offset_ = offset; }

  /// Sets the lossless priorities of `port`. A class that becomes lossy returns its headroom to the
  /// pool, together with the bytes held there. A class that becomes lossless keeps its bytes and
  /// gets headroom with its next packet.
  void set_lossless(int port, std::uint8_t priorities);

  /// Counts a packet. False: there is no room; nothing was counted and the packet must be dropped.
  bool admit(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    if (c.lossless) {
      if (!c.headroom_complete) reserve(c, port);
      if (c.shared + bytes > threshold(c) || shared_used_ + bytes > shared_size_) {
        return admit_to_headroom(c, bytes);
      }
    } else if (shared_used_ + bytes > shared_size_) {
      return false;
    }
    c.shared += bytes;
    shared_used_ += bytes;
    return true;
  }

  /// True if a packet that arrives and leaves at the same instant changes nothing here: admit()
  /// would accept the packet, pause nobody and set no new peak. False is no refusal: call admit()
  /// then.
  bool can_pass_through(int port, int priority, Bytes bytes) const {
    const Class& c = at(port, priority);
    const Bytes used = shared_used_ + bytes;
    if (used > pass_through_limit_) return false;
    if (c.lossless) {
      const Bytes free = shared_size_ - used;
      if (!c.headroom_complete || c.headroom != 0) return false;
      if (c.shared + bytes >= (free * c.alpha_q16) >> 16) return false;
    }
    return true;
  }

  /// Releases bytes that admit() counted, those in the headroom first.
  void release(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    if (shared_used_ > pass_through_limit_) note_peak(used());  // first release after a growth
    if (c.headroom != 0) bytes -= release_headroom(c, bytes);
    c.shared -= bytes;
    shared_used_ -= bytes;
  }

  /// Counts a change of the bytes held in disciplines' own memory, which take no room of the pool.
  void change_private(Bytes change) {
    note_peak(used());
    private_used_ += change;
    note_peak(used());
  }
  /// For a packet to a port with its own memory, after can_pass_through() returned false: true if
  /// the only reason was a new peak, which is then noted.
  bool can_pass_with_peak(int port, int priority, Bytes bytes) {
    if (at(port, priority).lossless || shared_used_ + bytes > shared_size_) return false;
    note_peak(used() + bytes);
    return true;
  }

  /// True if the class has reached its threshold, so that its sender must be paused.
  bool must_pause(int port, int priority) const {
    const Class& c = at(port, priority);
    return c.lossless && (c.headroom > 0 || c.shared >= threshold(c));
  }
  /// True if the sender of a paused class may be resumed.
  bool may_resume(int port, int priority) const {
    const Class& c = at(port, priority);
    return c.headroom == 0 && (c.shared == 0 || c.shared + resume_offset_ <= threshold(c));
  }

  /// Prefetches the line that admit() touches.
  void prefetch(int port, int priority) const { __builtin_prefetch(&at(port, priority), 1); }

  /// Bytes that a class may hold at present before it is paused.
  Bytes threshold(int port, int priority) const { return threshold(at(port, priority)); }
  bool is_lossless(int port, int priority) const { return at(port, priority).lossless; }
  Bytes held(int port, int priority) const {
    return at(port, priority).shared + at(port, priority).headroom;
  }
  Bytes used() const { return shared_used_ + headroom_used_ + private_used_; }
  /// Greatest number of bytes held since restart_peak(), even if only for an instant.
  Bytes peak() const { return peak_ > used() ? peak_ : used(); }
  void restart_peak() {
    peak_ = 0;
    note_peak(used());
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(shared_used_, headroom_used_);
    for (const Class& c : classes_) d(c.shared, c.headroom, c.lossless, c.reserved);
  }

 private:
  struct Class {
    Bytes shared = 0;
    Bytes headroom = 0;  // bytes held in the headroom
    Bytes reserved = 0;  // size of the headroom, taken out of the pool
    std::uint32_t alpha_q16 = 0;
    bool lossless = false;
    bool headroom_complete = false;  // reserved is the full headroom
  };
  Class& at(int port, int priority) {
    return classes_[static_cast<std::size_t>(port * kPriorities + priority)];
  }
  const Class& at(int port, int priority) const {
    return classes_[static_cast<std::size_t>(port * kPriorities + priority)];
  }
  Bytes threshold(const Class& c) const {
    const Bytes free = shared_size_ - shared_used_;
    return free <= 0 ? 0 : (free * c.alpha_q16) >> 16;
  }
  void reserve(Class& c, int port);
  bool admit_to_headroom(Class& c, Bytes bytes);
  Bytes release_headroom(Class& c, Bytes bytes);
  void note_peak(Bytes held);

  Bytes resume_offset_;
  Bytes shared_size_;
  Bytes shared_used_ = 0;
  /// Greatest value of shared_used_ that neither exceeds the pool nor, with all other bytes held,
  /// exceeds peak_. peak_ is updated at a release only, not at each admit().
  Bytes pass_through_limit_ = 0;
  Bytes headroom_used_ = 0;
  Bytes private_used_ = 0;  // bytes in disciplines' own memory
  Bytes peak_ = 0;
  std::vector<Bytes> headroom_;  // by port
  std::vector<Class> classes_;   // classes by port and priority
};

}  // namespace dcc
