// The harts of one host: reservations of their common memory, the end of their program, and holds
// by a debugger.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

namespace dcc::model {

class RiscvCpu;

/// Harts that run one program in one RAM. Each hart is a RiscvCpu with a SystemC process of its own
/// and takes turns with the others in simulated time: a hart runs up to a quantum of instructions
/// without interruption, and its stores become visible at once. The clock of hart n is n
/// picoseconds behind that of hart 0, so that no two harts ever act at the same time and the order
/// of their turns is that of simulated time.
class HartGroup final {
 public:
  /// Adds a hart to the group, hart 0 first, in order. The harts must outlive the group's use.
  void add(RiscvCpu& hart) { harts_.push_back(&hart); }
  const std::vector<RiscvCpu*>& harts() const { return harts_; }

  /// Called when `hart` is about to wait, so that other harts may run: guards the reservation
  /// (lr.w) that `hart` holds.
  void suspend(const RiscvCpu& hart);
  /// Records that `hart` runs again after suspend().
  void resume(const RiscvCpu& hart);
  /// Called when `by` stored bytes of RAM, or DMA did (null): ends the overlapping reservations of
  /// all other harts.
  void stored(const RiscvCpu* by, std::uint32_t address, std::uint64_t bytes);

  /// True if a hart other than `hart` still runs or can be woken.
  bool others_run(const RiscvCpu& hart) const;
  /// Called when the program ended on `hart`: ends the program on all other harts in the same way.
  void end_others(const RiscvCpu& hart);
  /// Number of the hart on which the program ended; 0 while the program runs.
  unsigned ended_by() const { return ended_by_; }

 private:
  void update_guards();

  std::vector<RiscvCpu*> harts_;
  std::vector<const RiscvCpu*> suspended_;  // harts that wait and hold a reservation (lr.w)
  unsigned ended_by_ = 0;
};

}  // namespace dcc::model
