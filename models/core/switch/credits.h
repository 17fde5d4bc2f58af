// Link-level flow control by credits: a port sends only packets for which the far end has
// advertised room. InfiniBand Architecture Specification 1.3, volume 1, section 7.9.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct CreditParameters {
  // credit buffer of one input and lane in bytes; empty: credit_buffer_for() sets the size
  std::optional<Bytes> buffer;

  void describe(ParameterVisitor& v);
};

/// Bytes of one credit block of InfiniBand. The last block of a packet counts as whole.
constexpr Bytes kCreditBlock = 64;
constexpr std::int64_t credit_blocks(Bytes bytes) {
  return (bytes + kCreditBlock - 1) / kCreditBlock;
}

/// Buffer that one input needs for one lane to keep its link busy. The buffer covers the round trip
/// of an advertisement and of the packets that follow, the packet that an advertisement waits for,
/// advertisements of a quarter of the buffer at a time, and rounding to whole packets.
Bytes credit_buffer_for(const LinkParameters& link, Bytes largest_packet);

/// One end of a link that has a receive buffer for each virtual lane (priority). The object counts
/// the blocks that this end may still send, and the blocks that this end has allowed the far end to
/// send. Limits are advertised as totals since the link came up, together with the total of blocks
/// sent, so that blocks lost on the wire are detected and returned.
class LaneCredits {
 public:
  /// Both ends of a link have the same buffer, so each end knows the initial credit of the other
  /// end. Precondition: the buffer holds a largest packet.
  LaneCredits(Bytes buffer, Bytes largest_packet);

  // --- Sending --------------------------------------------------------------------------------
  void sent(int lane, Bytes bytes);
  /// Mask of the virtual lanes without credit for a largest packet; bit l is lane l.
  std::uint8_t exhausted() const { return exhausted_; }
  std::int64_t blocks_left(int lane) const { return at(lane).limit - at(lane).sent; }

  // --- Receiving ------------------------------------------------------------------------------
  void arrived(int lane, Bytes bytes) { at(lane).arrived += credit_blocks(bytes); }
  /// Charges bytes that now occupy the receive buffer of the lane.
  void stored(int lane, Bytes bytes) { at(lane).held += credit_blocks(bytes); }
  /// Releases bytes that have left the receive buffer of the lane.
  void released(int lane, Bytes bytes);
  std::int64_t blocks_held(int lane) const { return at(lane).held; }
  /// True if the lane's receive buffer has no room for a largest packet, whatever credit was
  /// advertised.
  bool is_full(int lane) const { return buffer_ - at(lane).held < largest_; }

  /// True if the lane's receive buffer has less room than one advertisement grants, so that the far
  /// end gets no new credit.
  bool has_no_credit_to_give(int lane) const { return buffer_ - at(lane).held < min_advertised_; }

  // --- Advertising ----------------------------------------------------------------------------
  // Mask of the lanes for which a credit frame is due to the far end; bit l is lane l.
  std::uint8_t frames_due() const { return frames_due_; }
  /// Fills in the credit frame of the lowest lane for which a frame is due. Precondition:
  /// frames_due() is not 0.
  void write_frame(Packet& packet);
  void receive_frame(const Packet& packet);
  /// Number of advertised credit blocks whose packets have not arrived yet.
  std::int64_t blocks_outstanding(int lane) const { return at(lane).advertised - at(lane).arrived; }
  std::int64_t buffer_blocks() const { return buffer_; }

  void add_state(StateDigest& d) const { d(lanes_, exhausted_, frames_due_); }

 private:
  /// Credit account of one virtual lane. All numbers are credit blocks; totals count from when the
  /// link came up.
  struct Lane {
    std::int64_t sent = 0;        // FCTBS: number of blocks sent in total
    std::int64_t limit = 0;       // FCCL received: number of blocks that may be sent in total
    std::int64_t arrived = 0;     // ABR: number of blocks received in total
    std::int64_t held = 0;        // number of blocks in the receive buffer now
    std::int64_t advertised = 0;  // FCCL sent: number of blocks that the far end may send in total
    void add_state(StateDigest& d) const { d(sent, limit, arrived, held, advertised); }
  };
  Lane& at(int lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const Lane& at(int lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  void check_advertisement(int lane);

  std::int64_t buffer_;
  std::int64_t largest_;
  std::int64_t
      // least number of blocks added to the limit in an advertisement, unless the far end needs
      // fewer
      min_advertised_;
  std::array<Lane, kPriorities> lanes_{};
  std::uint8_t exhausted_ = 0;
  std::uint8_t frames_due_ = 0;
};

}  // namespace dcc
