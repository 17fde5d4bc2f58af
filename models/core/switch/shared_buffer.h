// The packet memory of a switch: one pool shared by all ports, charged to where packets came in.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// The switch's own say what they are by default: SwitchParameters and PfcParameters.
struct SharedBufferParameters {
  Bytes size = 0;
  /// A class (ingress port and priority) may hold this share of what is still free of the pool
  /// (dynamic threshold, Choudhury and Hahne 1998), 65536 = 1.0.
  std::uint32_t alpha_q16 = 0;
  /// A paused class resumes this much under its threshold.
  Bytes resume_offset = 0;
  /// Priorities that must not lose packets: they get headroom and are paused at the threshold.
  /// The others are dropped when the pool is full. Of all ports; a port may come to have others.
  std::uint8_t lossless = 0;
};

/// Counts bytes; holds no packets. A lossless class beyond its threshold goes on into its headroom,
/// memory set aside for what is still on the wire when the pause frame goes out. Headroom is
/// reserved when a class first carries a packet: a class that is not used costs nothing. Where
/// others have filled the pool by then, it is what they leave until it is whole; so all that is
/// held never exceeds the size.
class SharedBuffer {
 public:
  /// Throws std::invalid_argument when the size is not positive or alpha is zero.
  SharedBuffer(const SharedBufferParameters& parameters, int ports);

  /// Bytes set aside for each lossless priority of `port`. Before the first packet.
  void set_headroom(int port, Bytes bytes) { headroom_[static_cast<std::size_t>(port)] = bytes; }

  /// Another share than the parameters' for the classes of `port`. Throws like the constructor.
  void set_alpha(int port, std::uint32_t alpha_q16);
  void set_resume_offset(Bytes offset) { resume_offset_ = offset; }

  /// Which priorities of `port` are lossless from now on, whatever they hold. What a class that
  /// ceases to be has in its headroom counts among the pool's, and the headroom goes back there;
  /// one that begins to be keeps what it holds and gets headroom with its next packet.
  void set_lossless(int port, std::uint8_t priorities);

  /// False: no room, the packet is to be dropped and nothing was counted.
  bool admit(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    if (c.lossless) {
      if (!c.whole) reserve(c, port);
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

  /// For a packet that leaves in the moment it comes: true if it would be admitted without pausing
  /// anybody, and more was held before; nothing is held then. False says nothing: ask admit().
  bool lets_through(int port, int priority, Bytes bytes) const {
    const Class& c = at(port, priority);
    const Bytes used = shared_used_ + bytes;
    if (used > quiet_up_to_) return false;
    if (c.lossless) {
      const Bytes free = shared_size_ - used;
      if (!c.whole || c.headroom != 0) return false;
      if (c.shared + bytes >= (free * c.alpha_q16) >> 16) return false;
    }
    return true;
  }

  /// Takes back what admit() counted: headroom empties first.
  void release(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    if (shared_used_ > quiet_up_to_) note_peak(used());  // it only grew since the last one went
    if (c.headroom != 0) bytes -= release_headroom(c, bytes);
    c.shared -= bytes;
    shared_used_ -= bytes;
  }

  /// For ports with memory of their own, which takes nothing from the pool: they hold so much more,
  /// or less.
  void hold_apart(Bytes more) {
    note_peak(used());
    apart_ += more;
    note_peak(used());
  }
  /// For a packet that passes such a port by, where lets_through() says no: true if that was for
  /// the new peak's sake alone.
  bool passes_apart(int port, int priority, Bytes bytes) {
    if (at(port, priority).lossless || shared_used_ + bytes > shared_size_) return false;
    note_peak(used() + bytes);
    return true;
  }

  /// The class has come to its threshold: the sender must stop.
  bool must_pause(int port, int priority) const {
    const Class& c = at(port, priority);
    return c.lossless && (c.headroom > 0 || c.shared >= threshold(c));
  }
  /// A stopped class may go on.
  bool may_resume(int port, int priority) const {
    const Class& c = at(port, priority);
    return c.headroom == 0 && (c.shared == 0 || c.shared + resume_offset_ <= threshold(c));
  }

  /// admit() is near.
  void prefetch(int port, int priority) const { __builtin_prefetch(&at(port, priority), 1); }

  /// What a class may hold now before it is paused.
  Bytes threshold(int port, int priority) const { return threshold(at(port, priority)); }
  bool is_lossless(int port, int priority) const { return at(port, priority).lossless; }
  Bytes held(int port, int priority) const {
    return at(port, priority).shared + at(port, priority).headroom;
  }
  Bytes used() const { return shared_used_ + headroom_used_ + apart_; }
  /// The most that was held at once since restart_peak(), what was held for no time included.
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
    Bytes headroom = 0;  // held there
    Bytes reserved = 0;  // for it, out of the pool
    std::uint32_t alpha_q16 = 0;
    bool lossless = false;
    bool whole = false;  // all of its headroom is reserved
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
  /// What shared_used_ may come to and be neither more than there is nor, with all else that is
  /// held, more than the peak as it is known: that follows when something is released.
  Bytes quiet_up_to_ = 0;
  Bytes headroom_used_ = 0;
  Bytes apart_ = 0;
  Bytes peak_ = 0;
  std::vector<Bytes> headroom_;  // by port
  std::vector<Class> classes_;   // by port and priority
};

}  // namespace dcc
