// Generates random RV32IMAC programs that terminate, as the stimulus of the lock-step test.
#pragma once

#include <cstdint>
#include <vector>

namespace dcc::riscv::test {

/// Random number generator splitmix64: small, and equal on all machines.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Generates straight-line code with forward jumps of every kind, counted loops, and loads and
/// stores within one data area. Registers for addresses and loop counters are never overwritten.
/// The programs cover all of RV32IMA with corner-case operands, misaligned loads and stores, every
/// RV32C form, hints, fence and fence.i, and instructions across page ends. Traps and CSRs have
/// their own tests and are never executed.
class ProgramGenerator {
 public:
  // size of the data area that the data pointers point to
  static constexpr std::uint32_t kDataBytes = 8192;
  static constexpr unsigned kData = 26, kCounter = 27, kStack = 2, kShort = 9;

  explicit ProgramGenerator(std::uint64_t seed) : random_(seed) {}

  /// Generates about `items` instructions for any even address. Control leaves the code at its end.
  /// When it begins, x26, x2 and x9 must point to the middle of the data area, 8-byte aligned.
  std::vector<std::uint8_t> generate(unsigned items);

 private:
  void item(unsigned depth);
  void register_arithmetic();
  void immediate_arithmetic();
  void compressed_arithmetic();
  void corner_value();
  void memory_access();
  void computed_memory_access();
  void compressed_memory_access();
  void atomic();
  unsigned pointer_into_data(std::int32_t mask);
  void forward_jump(unsigned depth);
  void computed_jump(unsigned depth);
  void loop(unsigned depth);
  void block(unsigned depth, unsigned items);

  void emit16(std::uint32_t h);
  void emit32(std::uint32_t w);
  void patch32(std::size_t at, std::uint32_t w);
  unsigned any_register() { return random_.below(32); }
  unsigned target_register();

  Random random_;
  std::vector<std::uint8_t> code_;
};

}  // namespace dcc::riscv::test
