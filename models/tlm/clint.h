// Machine timer and software interrupt of one hart, laid out as SiFive's CLINT.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "registers/machine_map.h"
#include "word_target.h"

namespace dcc::model {

/// Registers: memory_map.h. mtime counts ticks of the machine's timebase from the start of the run;
/// a write sets mtime. On machine `dcc` mtimecmp has its greatest value after reset, so that no
/// timer interrupt occurs until software sets mtimecmp, and only the words of hart 0 exist. On
/// machine `virt`, as in QEMU, mtimecmp is zero after reset, so that the timer's line is high, and
/// words of other harts read zero.
class Clint final : public WordTarget {
 public:
  using Line = std::function<void(bool high)>;

  /// `timer` and `software` are called whenever their line changes.
  Clint(const sc_core::sc_module_name& name, Line timer, Line software,
        MachineKind machine = MachineKind::kDcc);

 private:
  void start_of_simulation() override { compare(); }
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  bool peek(std::uint32_t offset, std::uint32_t& value) const override;
  std::uint64_t ticks() const;
  std::uint64_t mtime() const;
  void compare();

  Line timer_;
  Line software_;
  MachineKind machine_;
  std::uint64_t nanoseconds_per_tick_;
  std::uint64_t mtime_offset_ = 0;
  std::uint64_t mtimecmp_;
  bool msip_ = false;
  bool timer_level_ = false;
  sc_core::sc_event due_;
};

}  // namespace dcc::model
