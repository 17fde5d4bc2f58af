// Link-level flow control by credits: a port sends only what the far end has told it room for.
// InfiniBand Architecture Specification 1.3, volume 1, 7.9.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct CreditParameters {
  std::optional<Bytes> buffer;  // of an input and lane; empty: credit_buffer_for the link

  void describe(ParameterVisitor& v);
};

/// Credits are counted in blocks of so many bytes, a packet's last one begun counts as whole.
constexpr Bytes kCreditBlock = 64;
constexpr std::int64_t credit_blocks(Bytes bytes) {
  return (bytes + kCreditBlock - 1) / kCreditBlock;
}

/// What an input needs for one lane to keep the link busy: while word of free room is on its way
/// back, and until what it lets go has come, the wire brings bytes at its rate; word waits for a
/// packet in progress, comes for a quarter of the room at a time, and tells of whole packets.
Bytes credit_buffer_for(const LinkParameters& link, Bytes largest_packet);

/// One end of a link with a receive buffer of its own for each virtual lane (priority): what it may
/// still send, and what it has let the far end send. Limits are told as totals since the link came
/// up, together with what was sent, so that blocks lost on the wire are found and given back.
class LaneCredits {
 public:
  /// Both ends of a link are built alike: each knows the other's buffer from the beginning.
  /// Precondition: the buffer holds a largest packet.
  LaneCredits(Bytes buffer, Bytes largest_packet);

  // --- What is sent ---------------------------------------------------------------------------
  void sent(int lane, Bytes bytes);
  /// Bit l: no credit for a whole packet on lane l.
  std::uint8_t exhausted() const { return exhausted_; }
  std::int64_t blocks_left(int lane) const { return at(lane).limit - at(lane).sent; }

  // --- What is received -----------------------------------------------------------------------
  void arrived(int lane, Bytes bytes) { at(lane).arrived += credit_blocks(bytes); }
  void took(int lane, Bytes bytes) { at(lane).held += credit_blocks(bytes); }
  void left(int lane, Bytes bytes);
  std::int64_t blocks_held(int lane) const { return at(lane).held; }
  /// There is no room for a whole packet, whatever is told.
  bool is_full(int lane) const { return buffer_ - at(lane).held < largest_; }

  // --- What is told ---------------------------------------------------------------------------
  /// Bit l: the far end is to hear of lane l.
  std::uint8_t owed() const { return owed_; }
  /// Fills in a frame for the lowest lane that is owed one. Precondition: owed() is not 0.
  void write_frame(Packet& packet);
  void receive_frame(const Packet& packet);
  /// What this end has told room for and nobody has been heard to use.
  std::int64_t blocks_promised(int lane) const { return at(lane).told - at(lane).arrived; }
  std::int64_t buffer_blocks() const { return buffer_; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(lanes_, exhausted_, owed_);
  }

 private:
  struct Lane {
    std::int64_t sent = 0;     // FCTBS: all that was sent
    std::int64_t limit = 0;    // FCCL as heard: all that may be
    std::int64_t arrived = 0;  // ABR: all that came
    std::int64_t held = 0;
    std::int64_t told = 0;  // FCCL as told
    template <class Digest>
    void add_state(Digest& d) const {
      d(sent, limit, arrived, held, told);
    }
  };
  Lane& at(int lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const Lane& at(int lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  void look(int lane);

  std::int64_t buffer_;
  std::int64_t largest_;
  std::int64_t worth_telling_;
  std::array<Lane, kPriorities> lanes_{};
  std::uint8_t exhausted_ = 0;
  std::uint8_t owed_ = 0;
};

}  // namespace dcc
