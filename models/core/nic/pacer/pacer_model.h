// The contract of the pacer block as a model: it has the outputs of every cycle that
// rtl/pacer/doc/contract.md states.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nic/pacer/pacer_engine.h"

namespace dcc {

/// Model of the pacer block: earliest deadline first among the packets whose start has come. Each
/// row of flows has a candidate, which is computed anew after an operation on the row, and once in
/// each sweep over all rows. An operation takes five cycles, in which its row starts no other.
class PacerModel final : public PacerEngine {
 public:
  PacerModel(const PacerShape& shape, const PacerSettings& settings);

  PacerAnswer cycle(const PacerInputs& inputs) override;
  PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) override;

 private:
  static constexpr std::uint32_t kPriorityCount = 8;
  enum class Step : std::uint8_t { kSent, kWake, kRate };

  /// The packet at the head of a flow, as stored in rows. Times are in cycles modulo 2^38.
  struct Entry {
    std::uint64_t start = 0;
    std::uint64_t deadline = 0;
    std::uint8_t level = 0;  // priority of the packet
    bool waits = false;
  };
  /// State of a flow in the pacer block, in addition to its entry. Exact times have 38 fractional
  /// bits.
  struct Flow {
    Uint128 exact = 0;         // deadline of the first packet, or end of the last one
    std::uint64_t part = 0;    // fraction of the first packet's start
    std::uint64_t gap = 0;     // time that a byte takes at the flow's rate
    std::uint32_t first = 0;   // bytes of the first packet, or of the last one
    std::uint32_t behind = 0;  // number of bytes whose time was added to get the start or the end
    std::uint8_t level = 0;
    // first place in the flow's ring of packet lengths; counts modulo 2 * depth
    std::uint8_t begin = 0;
    std::uint8_t end = 0;
  };
  struct Operation {
    bool runs = false;
    Step step = Step::kSent;
    PacerFlow flow = 0;
    std::uint64_t gap = 0;  // new time that a byte takes (kRate)
    std::uint8_t level = 0;
    std::uint8_t begin = 0;  // pointers of the flow's ring when the operation began
    std::uint8_t end = 0;
    bool any = false;         // the flow still has a packet after the operation
    std::uint32_t bytes = 0;  // bytes of the flow's first remaining packet
  };
  struct Candidate {
    bool valid = false;
    PacerFlow flow = 0;
    Entry entry;
    std::uint8_t late = 0;  // bit p: a packet of priority p in the row is late
  };
  struct Best {
    bool any = false;
    PacerFlow flow = 0;
  };

  std::uint32_t row_of(PacerFlow flow) const { return flow & (rows_ - 1); }
  Entry& entry_of(PacerFlow flow) { return entries_[row_of(flow) * shape_.width + flow / rows_]; }
  std::uint64_t since_deadline(const Entry& entry) const;
  bool has_begun(const Entry& entry) const;
  std::uint64_t key_of(const Entry& entry) const;
  bool is_idle() const;
  Best best_candidate(const PacerInputs& inputs, bool& overdue) const;
  Operation choose(const PacerInputs& inputs, const Best& best);
  Candidate candidate_of(std::uint32_t row, unsigned paused) const;
  void queue_steps(const PacerInputs& inputs, Operation& issued, PacerAnswer& answer);
  void change(const Operation& op);
  void keep_candidates(const PacerInputs& inputs, const Operation& issued);
  void move_clocks(unsigned stopped, std::uint64_t cycles);
  void move_rate(const PacerInputs& inputs, bool taken);

  PacerShape shape_;
  PacerSettings settings_;
  std::uint32_t rows_;
  // number of cycles without an overdue packet after which strict priority order ends
  std::uint32_t calm_cycles_;

  std::vector<Entry> entries_;  // entries of the flows, row by row
  std::vector<Flow> flows_;
  std::vector<std::uint16_t> lengths_;  // lengths of packets, flow by flow
  std::vector<Candidate> candidates_;   // candidate of each row
  std::vector<std::uint8_t> busy_;      // true for each row in which an operation is under way
  std::uint32_t waiting_ = 0;           // number of entries with a packet

  std::array<std::uint64_t, kPriorityCount> clocks_{};
  bool strict_ = false;
  std::uint32_t calm_ = 0;
  bool woke_ = false;  // the last operation was a wake, not a decision
  std::uint32_t scan_ = 0;
  bool scanning_ = false;  // a row was read for the sweep in the cycle before

  Operation op1_, op2_, op3_, op4_;
  // The packet posted in the cycle before.
  bool posted_ = false;
  PacerFlow posted_flow_ = 0;
  std::uint16_t posted_bytes_ = 0;
  std::uint8_t posted_count_ = 0;  // packets that the flow had before the post
  std::array<PacerFlow, 4> wakes_{};
  std::uint32_t wakes_waiting_ = 0;
  // The rate from which the divider computes the time of a byte.
  bool rate_busy_ = false;
  std::uint32_t rate_left_ = 0;
  PacerFlow rate_flow_ = 0;
  std::uint64_t rate_gap_ = 0;
  std::uint8_t rate_level_ = 0;
};

}  // namespace dcc
