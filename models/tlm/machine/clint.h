// Machine timer and software interrupts of a host's harts, laid out as SiFive's CLINT.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "registers/machine_map.h"
#include "word_target.h"

namespace dcc::model {

/// A CLINT with the registers of memory_map.h. mtime counts ticks of the machine's timebase from
/// the start of the run; a write sets mtime. On machine `dcc` mtimecmp has its greatest value after
/// reset, so that no timer interrupt occurs until software sets mtimecmp, and only the words of
/// present harts exist. On machine `virt`, as in QEMU, mtimecmp is zero after reset, so that the
/// timers' lines are high, and words of absent harts read zero. Hart n has MSIP + 4 * n and
/// MTIMECMP + 8 * n.
class Clint final : public WordTarget {
 public:
  using Line = std::function<void(bool high)>;

  /// The timer and software interrupt lines of a hart; each function is called whenever its line
  /// changes.
  struct Lines {
    Line timer;
    Line software;
  };

  /// Makes a CLINT for one hart.
  Clint(const sc_core::sc_module_name& name, Line timer, Line software,
        MachineKind machine = MachineKind::kDcc);
  Clint(const sc_core::sc_module_name& name, std::vector<Lines> harts, MachineKind machine);

 private:
  void start_of_simulation() override { compare(); }
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;
  std::uint64_t ticks() const;
  std::uint64_t mtime() const;
  void compare();

  struct Hart {
    Lines lines;
    std::uint64_t mtimecmp;
    bool msip = false;
    bool timer_level = false;
  };
  std::vector<Hart> harts_;
  MachineKind machine_;
  std::uint64_t nanoseconds_per_tick_;
  std::uint64_t mtime_offset_ = 0;
  sc_core::sc_event due_;
};

}  // namespace dcc::model
