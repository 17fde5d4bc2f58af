// The form of a register map as a table; the tables themselves are generated from rtl/regs/*.yaml.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dcc::regs {

/// What software may do with a field.
enum class Access : std::uint8_t {
  kReadOnly,
  kReadWrite,
  kWrite0Clear,  // reads the state; writing 0 clears a bit, 1 leaves it
  kWrite1Clear,  // reads the state; writing 1 clears a bit, 0 leaves it
  kWriteOnly,    // reads as 0
};

/// Where the value of a read-only register comes from.
enum class Source : std::uint8_t {
  kConstant,   // the reset value
  kParameter,  // set once when the instance is built
  kHardware,   // read from the device at every read
  kBlock,      // the value is kept by the register block itself
};

/// Contiguous, immutable array with static lifetime.
template <class T>
struct Table {
  const T* first = nullptr;
  std::size_t count = 0;

  const T* begin() const { return first; }
  const T* end() const { return first + count; }
  const T& operator[](std::size_t i) const { return first[i]; }
  std::size_t size() const { return count; }
};

struct ValueInfo {
  const char* name;
  std::uint32_t value;
};

/// Bits of a word. Strings are never null; unit and format may be empty.
struct FieldInfo {
  const char* name;
  std::uint8_t lsb;
  std::uint8_t width;
  Access access;
  std::uint32_t reset;
  std::uint32_t min;  // least and greatest value that a write may hold
  std::uint32_t max;
  const char* unit;
  const char* format;  // fixed-point format, as "1.16"
  const char* description;
  Table<ValueInfo> values;

  std::uint32_t top() const { return 0xFFFFFFFFu >> (32 - width); }
  std::uint32_t mask() const { return top() << lsb; }
  std::uint32_t of(std::uint32_t word) const { return word >> lsb & top(); }
  bool accepts(std::uint32_t value) const { return value >= min && value <= max; }
  /// True if the range is narrower than the bits.
  bool limited() const { return min > 0 || max < top(); }
};

/// One 32-bit word: a register, or a word of a window's entry (offset within the entry then).
struct RegisterInfo {
  const char* name;
  std::uint32_t offset;  // bytes
  std::uint32_t reset;
  Source source;
  bool writable;         // at least one field is not read-only
  bool strobe;           // a doorbell: the hardware is told of every write
  std::uint32_t regwen;  // bit of write_enable that must be 1 for a write; 0: none
  Table<FieldInfo> fields;
  const char* description;
};

/// A table of equal entries.
struct WindowInfo {
  const char* name;
  std::uint32_t offset;   // bytes
  std::uint32_t entries;  // greatest number in an instance
  std::uint32_t stride;   // bytes an entry; a power of two
  bool writable;
  bool structured;       // entries of several named words
  std::uint32_t regwen;  // bit of write_enable that must be 1 for a write; 0: none
  const char* index;
  Table<RegisterInfo> words;
  const char* description;
};

/// A 64-bit counter: low word at `offset`, high word in the word behind it.
struct CounterInfo {
  const char* name;
  std::uint32_t offset;
  const char* description;
};

constexpr std::uint16_t kNoRegister = 0xFFFF;

struct MapInfo {
  const char* name;
  const char* title;
  const char* description;
  std::uint32_t size;  // bytes of address space, a power of two
  Table<RegisterInfo> registers;
  Table<CounterInfo> counters;
  Table<WindowInfo> windows;
  std::uint16_t interrupt_status;  // index of a register, or kNoRegister
  std::uint16_t interrupt_mask;
  std::uint16_t error_info;    // index of the register that keeps a refused access, or kNoRegister
  std::uint32_t error_cause;   // bit of interrupt_status that a refused access sets
  std::uint16_t write_enable;  // register whose bits enable writes; they can only be cleared
  // While unlock_bit of this register of the hardware is 1, the bits `unlocked` of write_enable
  // guard nothing.
  std::uint16_t unlock_register = kNoRegister;
  std::uint32_t unlock_bit = 0;
  std::uint32_t unlocked = 0;
};

}  // namespace dcc::regs
