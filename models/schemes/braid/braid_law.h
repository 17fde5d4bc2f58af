// The law of Braid: one decision about a flow's window and its path, by the marks of all paths.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/random.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

struct BraidLawParameters {
  long double g = 1.0L / 16;  // weight of a round's share of marks in the flow's average alpha
  long double move_share = 1.0L / 20;  // share of marks in a round above which a flow may move
  // difference by which another path's share of marks must be lower for a move
  long double margin = 1.0L / 16;
  PicoSeconds memory{};  // time for which a path's share of marks counts as known
  // false: window and path are decided separately, as by DCTCP and by FlowBender
  bool joined = true;
};

/// The shares of marks that the flows of one host met on each path to one rack.
class BraidPaths {
 public:
  explicit BraidPaths(unsigned paths = 0) : paths_(paths) {}

  unsigned count() const { return static_cast<unsigned>(paths_.size()); }
  bool is_known(unsigned path, PicoSeconds now, PicoSeconds memory) const {
    return paths_[path].rounds > 0 && now <= paths_[path].heard + memory;
  }
  long double share(unsigned path) const { return paths_[path].share; }
  /// Adds the share of marks that a flow had in one round on the path.
  void add(unsigned path, long double share, const BraidLawParameters& law, PicoSeconds now);

  void add_state(StateDigest& d) const { d(paths_); }

 private:
  struct Path {
    long double share = 0;
    std::uint64_t rounds = 0;  // number of rounds whose shares of marks were added
    PicoSeconds heard{};       // time of the last round that was added
    void add_state(StateDigest& d) const { d(static_cast<double>(share), rounds, heard); }
  };
  std::vector<Path> paths_;
};

/// Window and path of one flow. A round of a flow ends with the ACK of a packet that was sent after
/// the round began. The first mark of a round cuts the window w to w (1 - alpha / 2); the unmarked
/// ACKs of a round together add one packet to w, as in DCTCP (RFC 8257). At the end of a round with
/// more than `move_share` of marks the flow looks for another path:
/// 1. The flow moves to the path with the lowest known share of marks, if that share is below the
///    present path's share by `margin`. The congestion stays on the old path, so the cut that the
///    new path calls for replaces the cut of the round: w rises to w0 (1 - m / 2), with w0 the
///    window before the cut and m the new path's share, which is the flow's alpha from now on.
/// 2. Without such a path, the flow moves to a path of which nothing is known, and the cut stands.
/// 3. If all paths are known and none is better, the flow stays on its path. The marks then come
///    from a link that all paths share, so only the window can react to them.
class BraidFlow {
 public:
  BraidFlow() = default;
  BraidFlow(long double window, unsigned path) : window_(window), path_(path) {}

  struct Ack {
    Psn psn = 0;       // number of the acknowledged packet
    Psn next_psn = 0;  // number of the packet that the sender sends next
    Bytes bytes = 0;   // payload bytes that the ACK acknowledges for the first time
    bool marked = false;
  };
  /// Handles an ACK. `full`: payload of a full packet; `most`: largest window. Returns true if the
  /// flow moves to another path.
  bool heard(const Ack& ack, Bytes full, long double most, BraidPaths& paths,
             const BraidLawParameters& law, PicoSeconds now, RandomStream& random);
  /// A packet was lost: halves the window, at most once until `next_psn` is acknowledged.
  void lost(Psn next_psn, Bytes full);

  long double window() const { return window_; }
  long double alpha() const { return alpha_; }
  unsigned path() const { return path_; }

  void add_state(StateDigest& d) const {
    d(static_cast<double>(window_), static_cast<double>(alpha_), static_cast<double>(before_),
      path_, round_end_, cut_end_, since_, reduced_, acks_, marked_);
  }

 private:
  bool move(BraidPaths& paths, const BraidLawParameters& law, PicoSeconds now,
            RandomStream& random);

  long double window_ = 0;  // congestion window of the flow in bytes
  long double alpha_ = 1;
  // window in bytes before the cut of this round; 0: this round had no cut
  long double before_ = 0;
  unsigned path_ = 0;
  Psn round_end_ = 0;  // number of a packet whose ACK, or the ACK of a later packet, ends the round
  // number of a packet whose ACK, or the ACK of a later packet, allows another cut
  Psn cut_end_ = 0;
  Psn since_ = 0;  // number of the first packet that was sent on the present path
  bool reduced_ = false;
  std::uint32_t acks_ = 0;    // number of ACKs of this round
  std::uint32_t marked_ = 0;  // number of ACKs of this round that report a mark
};

/// Chooses the path of a new flow: of two paths drawn at random the one with the lower share of
/// marks. A path of which nothing is known counts as unmarked.
unsigned first_path(const BraidPaths& paths, const BraidLawParameters& law, PicoSeconds now,
                    RandomStream& random);

}  // namespace dcc
