// Stores which clocks have an edge, in Verilator's generated code, as bits of one word instead of
// an array of bools: a design with many clocks reads them a hundred times per evaluation.
//
// Include this file first (-include) in a design's generated sources and in all files that access
// its state.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>

namespace dcc {

/// Replaces the class VlTriggerVec of verilated_types.h and has the same functions.
template <std::size_t kSize>
class TriggerBits {
  static_assert(kSize <= 64);

 public:
  class Bit {
   public:
    Bit(std::uint64_t& bits, std::size_t index) : bits_(bits), mask_(std::uint64_t{1} << index) {}
    operator bool() const { return (bits_ & mask_) != 0; }
    Bit& operator=(bool value) {
      bits_ = value ? bits_ | mask_ : bits_ & ~mask_;
      return *this;
    }

   private:
    std::uint64_t& bits_;
    std::uint64_t mask_;
  };

  void clear() { bits_ = 0; }
  Bit at(std::size_t index) { return {bits_, index}; }
  bool any() const { return bits_ != 0; }
  void set(const TriggerBits& other) { bits_ |= other.bits_; }
  void andNot(const TriggerBits& a, const TriggerBits& b) { bits_ = a.bits_ & ~b.bits_; }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace dcc

#define VlTriggerVec dcc::TriggerBits
