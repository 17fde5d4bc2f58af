// Machine timer and software interrupt of one hart, laid out as SiFive's CLINT.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "word_target.h"

namespace dcc::model {

/// Registers: memory_map.h. mtime counts simulated nanoseconds from the start of the run; a write
/// sets mtime. After reset mtimecmp has its greatest value, so no timer interrupt occurs until
/// software sets mtimecmp.
class Clint final : public WordTarget {
 public:
  using Line = std::function<void(bool high)>;

  /// `timer` and `software` are called whenever their line changes.
  Clint(const sc_core::sc_module_name& name, Line timer, Line software);

 private:
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  bool peek(std::uint32_t offset, std::uint32_t& value) const override;
  std::uint64_t mtime() const;
  void compare();

  Line timer_;
  Line software_;
  std::uint64_t mtime_offset_ = 0;
  std::uint64_t mtimecmp_ = ~std::uint64_t{0};
  bool msip_ = false;
  bool timer_level_ = false;
  sc_core::sc_event due_;
};

}  // namespace dcc::model
