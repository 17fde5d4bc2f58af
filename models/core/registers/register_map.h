// The data structures of a register map; the tables are generated from rtl/regs/*.yaml.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dcc::regs {

/// Access kind of a field: the accesses that software may make.
enum class Access : std::uint8_t {
  kReadOnly,
  kReadWrite,
  kWrite0Clear,  // a read returns the state; a written 0 clears the bit, a written 1 leaves it
  kWrite1Clear,  // a read returns the state; a written 1 clears the bit, a written 0 leaves it
  kWriteOnly,    // software may write the field; it reads as 0
};

/// Source of the value of a read-only register.
enum class Source : std::uint8_t {
  kConstant,   // the value is the reset value
  kParameter,  // the value is set once when the instance is built
  kHardware,   // the value is read from the device at every read
  kBlock,      // the value is kept by the register block
};

/// View of a contiguous, immutable array with static lifetime.
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

/// A field of a register: a range of bits. Strings are never null; unit and format may be empty.
struct FieldInfo {
  const char* name;
  std::uint8_t lsb;
  std::uint8_t width;
  Access access;
  std::uint32_t reset;
  std::uint32_t min;  // least and greatest value that software may write
  std::uint32_t max;
  const char* unit;
  const char* format;  // fixed-point format of the field, e.g. "1.16"
  const char* description;
  Table<ValueInfo> values;

  std::uint32_t top() const { return 0xFFFFFFFFu >> (32 - width); }
  std::uint32_t mask() const { return top() << lsb; }
  std::uint32_t of(std::uint32_t word) const { return word >> lsb & top(); }
  bool accepts(std::uint32_t value) const { return value >= min && value <= max; }
  /// True if the field's range is narrower than its bits allow.
  bool limited() const { return min > 0 || max < top(); }
};

/// One 32-bit word of the map: a register, or a word of a window's entry, in which case `offset`
/// counts within the entry.
struct RegisterInfo {
  const char* name;
  std::uint32_t offset;  // offset of the word from the block's start in bytes
  std::uint32_t reset;
  Source source;
  bool writable;         // true if at least one field of the register is not read-only
  bool strobe;           // true for a doorbell, of which the hardware is notified at every write
  std::uint32_t regwen;  // bit of write_enable that must be 1 for a write to the register; 0: none
  Table<FieldInfo> fields;
  const char* description;
};

/// A window: a table of equal entries in the address space.
struct WindowInfo {
  const char* name;
  std::uint32_t offset;   // offset of the window from the block's start in bytes
  std::uint32_t entries;  // greatest number of window entries in an instance
  std::uint32_t stride;   // bytes per window entry, a power of two
  bool writable;
  bool structured;       // true if an entry consists of several named words
  std::uint32_t regwen;  // bit of write_enable that must be 1 for a write to the window; 0: none
  const char* index;
  Table<RegisterInfo> words;
  const char* description;
};

/// A 64-bit counter: low word at `offset`, high word at `offset` + 4.
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
  std::uint32_t size;  // size of the block's address space in bytes, a power of two
  Table<RegisterInfo> registers;
  Table<CounterInfo> counters;
  Table<WindowInfo> windows;
  std::uint16_t interrupt_status;  // index of the interrupt status register, or kNoRegister
  std::uint16_t interrupt_mask;
  std::uint16_t interrupt_test;  // index of the register that sets interrupt causes, or kNoRegister
  std::uint16_t error_info;   // index of the register that records a refused access, or kNoRegister
  std::uint32_t error_cause;  // bit of interrupt_status that a refused access sets
  // index of the register whose bits enable writes; software can only clear these bits
  std::uint16_t write_enable;
  // While bit unlock_bit of this hardware register is 1, the bits `unlocked` of write_enable lock
  // nothing.
  std::uint16_t unlock_register = kNoRegister;
  std::uint32_t unlock_bit = 0;
  std::uint32_t unlocked = 0;
};

}  // namespace dcc::regs
