// The packet memory of a switch: one pool shared by all ports, accounted by input and priority.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Parameters of a switch's shared buffer; the defaults are those of SwitchParameters and
/// PfcParameters.
struct SharedBufferParameters {
  Bytes size = 0;
  /// Share of the pool's free bytes that a class (ingress port and priority) may hold, 65536 = 1.0
  /// (dynamic threshold, Choudhury and Hahne 1998).
  std::uint32_t alpha_q16 = 0;
  /// Number of bytes below its threshold at which a paused class resumes.
  Bytes resume_offset = 0;
  /// Bit p: priority p is lossless, so that its classes have headroom and are paused at the
  /// threshold. Other classes drop packets when the pool is full. The mask is the initial value of
  /// all ports; set_lossless() changes single ports.
  std::uint8_t lossless = 0;
  /// Sizes of the pools that are set aside for classes with ClassRules::pool 1, 2, …; all other
  /// classes share pool 0, the rest of the buffer.
  std::vector<Bytes> pools;
  /// Classes with rules count their packets in whole cells of this size.
  Bytes cell = 1;
  /// Size of one headroom pool for all classes, taken out of `size`; empty: each class has its own
  /// headroom.
  std::optional<Bytes> shared_headroom;
};

/// Rules of one class in place of those of SharedBufferParameters. The bytes of the class beyond
/// `reserved` are taken from the pool. Their limit is `limit` or, if that is empty, alpha times the
/// free bytes of the pool. Without both, only the pool limits the class.
struct ClassRules {
  // dynamic limit alpha of the class in units of 1/65536; empty: none
  std::optional<std::uint32_t> alpha_q16;
  std::optional<Bytes> limit;
  Bytes reserved = 0;  // bytes reserved for the class, which no other class can take
  int pool = 0;
  /// A paused class resumes when it holds at most `resume_at` bytes, or is `resume_below` bytes
  /// below its threshold.
  Bytes resume_below = 0;
  Bytes resume_at = 0;
  /// Priority whose class at the same port counts the packets in place of this class; all other
  /// rules of this class are then unused. Precondition: both classes have rules, and this class is
  /// lossy.
  std::optional<int> group = std::nullopt;

  bool operator==(const ClassRules& other) const {
    return alpha_q16 == other.alpha_q16 && limit == other.limit && reserved == other.reserved &&
           pool == other.pool && group == other.group && resume_below == other.resume_below &&
           resume_at == other.resume_at;
  }
};

/// The shared buffer of a switch, which counts bytes but stores no packets. A lossless class above
/// its threshold uses its headroom, which is reserved for packets in flight when the pause frame is
/// sent. Headroom is reserved when a class first carries a packet, so that unused classes cost
/// nothing. If other classes have filled the pool by then, headroom is reserved step by step as the
/// pool empties. So the bytes held never exceed the size of the buffer.
class SharedBuffer {
 public:
  /// Makes a buffer for `ports` ports; throws std::invalid_argument when the size is not positive
  /// or alpha is zero.
  SharedBuffer(const SharedBufferParameters& parameters, int ports);

  /// Sets the headroom that a class has while it is lossless. Call before the first packet.
  void set_headroom(int port, int priority, Bytes bytes) {
    make_headroom(port)[static_cast<std::size_t>(priority)].wanted = bytes;
  }
  void set_headroom(int port, Bytes bytes) {
    PortHeadroom& headroom = headroom_[static_cast<std::size_t>(port)];
    headroom.wanted = bytes;
    if (headroom.classes == nullptr) return;
    for (Headroom& one : *headroom.classes) one.wanted = bytes;
  }

  /// Gives a class rules of its own, whose packets then always take the slower path through the
  /// accounting. Throws std::invalid_argument for a pool that does not exist, and std::length_error
  /// if the pool is smaller than all bytes reserved in it.
  void set_rules(int port, int priority, const ClassRules& rules);

  /// Replaces the dynamic threshold SharedBufferParameters::alpha_q16 for the classes of `port`.
  /// Throws like the constructor.
  void set_alpha(int port, std::uint32_t alpha_q16);
  void set_resume_offset(Bytes offset) { resume_offset_ = offset; }

  /// Sets the lossless priorities of `port`. A class that becomes lossy returns its headroom to the
  /// pool, together with the bytes held there. A class that becomes lossless keeps its bytes and
  /// gets headroom with its next packet.
  void set_lossless(int port, std::uint8_t priorities);

  /// Counts an arriving packet in its class. Returns false if there is no room: then nothing was
  /// counted, and the packet must be dropped.
  bool admit(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    if (c.ruled) return admit_by_rules(c, bytes);
    if (c.lossless) {
      if (!c.headroom_complete) reserve(c);
      if (c.shared + bytes > threshold(c) || shared_used_ + bytes > shared_size_) {
        return admit_to_headroom(c, bytes);
      }
    } else if (shared_used_ + bytes > shared_size_) {
      return false;
    }
    c.shared += bytes;
    if (c.shared > c.peak) c.peak = c.shared;
    shared_used_ += bytes;
    return true;
  }

  /// Short form of admit() for the common case: counts an arriving packet if the packet's class
  /// stays below its threshold. Such a packet does not use the headroom, and its class need not be
  /// paused. Returns false if the packet was not counted; the caller must then call admit().
  bool admit_freely(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    const Bytes free = shared_size_ - shared_used_ - bytes;
    if (free < 0 || c.ruled) return false;
    const Bytes held = c.shared + bytes;
    if (c.lossless) {
      if (!c.headroom_complete || c.headroom != 0) return false;
      if (held >= (free * c.alpha_q16) >> 16) return false;
    }
    c.shared = held;
    if (held > c.peak) c.peak = held;
    shared_used_ += bytes;
    return true;
  }

  /// True if a packet that arrives and leaves at the same instant changes nothing in the buffer:
  /// admit() would accept the packet, pause no neighbour and set no new peak. If the result is
  /// false, the packet is not refused: the caller then calls admit().
  bool can_pass_through(int port, int priority, Bytes bytes) const {
    const Class& c = at(port, priority);
    const Bytes used = shared_used_ + bytes;
    if (used > pass_through_limit_ || c.ruled) return false;
    if (c.lossless) {
      const Bytes free = shared_size_ - used;
      if (!c.headroom_complete || c.headroom != 0) return false;
      if (c.shared + bytes >= (free * c.alpha_q16) >> 16) return false;
    }
    return true;
  }

  /// Releases bytes of a class that admit() counted, bytes in the headroom first.
  void release(int port, int priority, Bytes bytes) {
    Class& c = at(port, priority);
    if (c.ruled) {
      release_by_rules(c, bytes);
      return;
    }
    // The peak of the buffer is noted at the first release after the buffer's use has grown.
    if (shared_used_ > pass_through_limit_) note_peak(used());
    if (c.headroom != 0) bytes -= release_headroom(c, bytes);
    c.shared -= bytes;
    shared_used_ -= bytes;
  }

  /// Counts a change of the bytes in disciplines' own memory, which takes no room of the buffer's
  /// pool.
  void change_private(Bytes change) {
    note_peak(used());
    private_used_ += change;
    note_peak(used());
  }
  /// True if can_pass_through() returned false only because of a new peak, which is then noted. For
  /// packets to a port with its own memory.
  bool can_pass_with_peak(int port, int priority, Bytes bytes) {
    if (at(port, priority).lossless || shared_used_ + bytes > shared_size_) return false;
    note_peak(used() + bytes);
    return true;
  }

  /// True if a class has reached its threshold, so that the neighbour that sends to it must be
  /// paused.
  bool must_pause(int port, int priority) const {
    const Class& c = at(port, priority);
    return c.lossless && (c.headroom > 0 || c.shared >= threshold(c));
  }
  /// True if the neighbour that sends to a paused class may be resumed.
  bool may_resume(int port, int priority) const {
    const Class& c = at(port, priority);
    if (c.headroom != 0) return false;
    if (c.shared == 0) return true;
    if (!c.ruled) return c.shared + resume_offset_ <= threshold(c);
    const ClassRules& rules = rules_of(c);
    return c.shared <= rules.resume_at || c.shared + rules.resume_below <= threshold(c);
  }
  /// Number of free bytes in a pool at present.
  Bytes free(int pool) const {
    const Bytes free =
        pool == 0 ? shared_size_ - shared_used_ : pools_[static_cast<std::size_t>(pool) - 1].free();
    return free < 0 ? 0 : free;
  }

  /// Prefetches the cache line of a class that admit() touches.
  void prefetch(int port, int priority) const { __builtin_prefetch(&at(port, priority), 1); }

  /// Bytes that a class may hold at present before it is paused.
  Bytes threshold(int port, int priority) const { return threshold(at(port, priority)); }
  bool is_lossless(int port, int priority) const { return at(port, priority).lossless; }
  Bytes held(int port, int priority) const {
    return at(port, priority).shared + at(port, priority).headroom;
  }
  Bytes used() const { return shared_used_ + headroom_used_ + private_used_ + elsewhere_used_; }
  /// Greatest number of bytes of a class outside its headroom, and in its headroom, since
  /// restart_peak(). A packet that passes through the switch at once does not count.
  Bytes peak(int port, int priority) const { return at(port, priority).peak; }
  Bytes headroom_peak(int port, int priority) const { return headroom(index(port, priority)).peak; }
  /// Greatest number of bytes that the buffer held since restart_peak(), even if only for an
  /// instant.
  Bytes peak() const { return peak_ > used() ? peak_ : used(); }
  void restart_peak();
  void add_state(StateDigest& d) const {
    d(shared_used_, headroom_used_);
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      d(classes_[i].shared, classes_[i].headroom, classes_[i].lossless, headroom(i).reserved);
    }
  }

 private:
  struct Class {
    Bytes shared = 0;
    Bytes headroom = 0;  // bytes of the class that are stored in its headroom
    Bytes peak = 0;      // greatest number of the class's bytes outside its headroom so far
    std::uint32_t alpha_q16 = 0;
    bool lossless = false;
    // the full headroom of the class is reserved (Headroom::reserved)
    bool headroom_complete = false;
    bool ruled = false;  // rules_ has rules for this class
  };
  static_assert(sizeof(Class) == 32, "two classes fit a cache line");
  struct Headroom {
    Bytes wanted = 0;    // full headroom of the class in bytes, while the class is lossless
    Bytes reserved = 0;  // headroom reserved for the class at present, taken out of the pool
    Bytes peak = 0;      // greatest number of bytes held in the headroom of the class
  };
  using ClassHeadrooms = std::array<Headroom, kPriorities>;
  /// Headroom of a port's classes. Most ports of a large network never carry a packet, so the
  /// classes' own entries are allocated with the first packet.
  struct PortHeadroom {
    PortHeadroom() = default;
    PortHeadroom(const PortHeadroom& other)
        : wanted(other.wanted),
          classes(other.classes == nullptr ? nullptr
                                           : std::make_unique<ClassHeadrooms>(*other.classes)) {}
    PortHeadroom(PortHeadroom&&) noexcept = default;

    Bytes wanted = 0;  // full headroom of each class in bytes, while `classes` is null
    std::unique_ptr<ClassHeadrooms> classes;  // headroom of the port's classes, by priority
  };
  struct Pool {
    Bytes size = 0;
    Bytes used = 0;
    Bytes free() const { return size - used; }
  };
  static std::size_t index(int port, int priority) {
    return static_cast<std::size_t>(port * kPriorities + priority);
  }
  Class& at(int port, int priority) { return classes_[index(port, priority)]; }
  const Class& at(int port, int priority) const { return classes_[index(port, priority)]; }
  std::size_t index(const Class& c) const { return static_cast<std::size_t>(&c - classes_.data()); }
  ClassHeadrooms& make_headroom(int port);
  /// Entry with the headroom of class `c`. Precondition: the class is lossless, or its port has
  /// entries.
  Headroom& headroom_of(const Class& c) {
    const std::size_t i = index(c);
    return make_headroom(static_cast<int>(i / kPriorities))[i % kPriorities];
  }
  /// The present headroom of a class, without making an entry for it.
  Headroom headroom(std::size_t i) const {
    const PortHeadroom& port = headroom_[i / kPriorities];
    return port.classes != nullptr ? (*port.classes)[i % kPriorities] : Headroom{port.wanted, 0, 0};
  }
  /// The class that counts the packets of `c`, which has rules.
  Class& account_of(Class& c) {
    const std::size_t i = index(c);
    const std::optional<int>& group = rules_[i].group;
    return group ? classes_[i / kPriorities * kPriorities + static_cast<std::size_t>(*group)] : c;
  }
  const ClassRules& rules_of(const Class& c) const { return rules_[index(c)]; }
  Bytes threshold(const Class& c) const {
    if (c.ruled) return threshold_by_rules(c);
    const Bytes free = shared_size_ - shared_used_;
    return free <= 0 ? 0 : (free * c.alpha_q16) >> 16;
  }
  Bytes threshold_by_rules(const Class& c) const;
  bool admit_by_rules(Class& of_packet, Bytes bytes);
  void release_by_rules(Class& of_packet, Bytes bytes);
  Bytes beyond_reserved(const Class& c, Bytes bytes) const;
  Bytes in_cells(Bytes bytes) const { return (bytes + cell_ - 1) / cell_ * cell_; }
  void change_shared(Class& c, Bytes change);
  void reserve(Class& c);
  bool admit_to_headroom(Class& c, Bytes bytes);
  Bytes release_headroom(Class& c, Bytes bytes);
  void note_peak(Bytes held);

  Bytes resume_offset_;
  Bytes shared_size_;
  Bytes shared_used_ = 0;
  /// Greatest value of shared_used_ that neither exceeds the pool nor, with all other bytes held,
  /// exceeds peak_. Thanks to this bound peak_ is updated only at releases, not at each admit().
  Bytes pass_through_limit_ = 0;
  Bytes headroom_used_ = 0;
  Bytes private_used_ = 0;    // bytes stored in the disciplines' own memory
  Bytes elsewhere_used_ = 0;  // bytes stored in reserved parts of classes and in pools_
  Bytes peak_ = 0;
  std::vector<Class> classes_;          // classes of the buffer, by port and priority
  std::vector<PortHeadroom> headroom_;  // headroom of the classes, by port
  // rules of classes, by port and priority; empty if no class has rules
  std::vector<ClassRules> rules_;
  std::vector<Pool> pools_;  // buffer pools with the numbers 1, 2, …
  Bytes cell_;
  std::optional<Bytes> shared_headroom_;
};

}  // namespace dcc
