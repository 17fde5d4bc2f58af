// A block of 32-bit registers, driven by a generated table; the only implementation of the access
// rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registers/register_map.h"
#include "sim/state_digest.h"

namespace dcc::regs {

/// The result of a register access, numbered as in ERROR_INFO.CODE. If several reasons apply, the
/// lowest number is reported, as in the hardware.
enum class AccessResult : std::uint8_t {
  kOk = 0,
  // the block has no register at the address, or the address is beyond the window entries of this
  // instance
  kUnmapped = 1,
  kMisaligned = 2,  // the address of the access is not a multiple of 4
  kReadOnly = 3,    // the access writes a register or window without a writable field
  kNarrow = 4,      // the access is a write with an inactive byte lane
  kOutOfRange = 5,  // the access writes a field with a value outside its range; nothing is written
  kLocked = 6,      // the access writes a register that the write-enable register locks
};

/// Name of an access result: "ok", "unmapped", "misaligned", "read_only", "narrow", "out_of_range",
/// "locked".
const char* to_string(AccessResult result);

/// Byte strobe of a write with all four byte lanes active (PSTRB of APB).
constexpr std::uint8_t kAllBytes = 0xF;

class RegisterBlock;

/// One access of software to a register block: its bus signals, and its decoded target.
struct RegisterAccess {
  enum class Target : std::uint8_t { kNothing, kRegister, kCounter, kWindow };

  RegisterBlock& block;
  // Signals of the access on the bus.
  bool write = false;
  std::uint32_t address = 0;  // byte offset from the block's start
  std::uint32_t value = 0;    // data of a write, or the data returned by a read
  std::uint8_t strobe = 0;    // byte lanes of a write; 0 for reads
  AccessResult result = AccessResult::kOk;
  // Target that decoding found. `index` counts registers, counters or windows of the map.
  Target target = Target::kNothing;
  std::uint16_t index = 0;
  // number of the 32-bit word within the target: 0 low or 1 high in a counter, or words from the
  // start of a window
  std::uint32_t word = 0;
  /// True if a register with read-write or write-only fields was written. `stored` holds the new
  /// state of read-write fields and the data written to write-only fields.
  bool register_written = false;
  std::uint32_t stored = 0;

  bool refused() const { return result != AccessResult::kOk; }
  bool window_written() const { return write && !refused() && target == Target::kWindow; }
  /// Sets the data of a read to the value that the block and its device hold, or to 0 if the read
  /// was refused. The function reads the device's live values, and latches the high half of a
  /// counter.
  void answer();
};

/// The interface of the device behind the registers. Indices are those of the generated register
/// map.
class RegisterDevice {
 public:
  /// Live value of a read-only register with source `hardware`. Free of side effects.
  virtual std::uint32_t read_register(std::uint16_t index) const = 0;
  virtual std::uint64_t read_counter(std::uint16_t index) const = 0;
  /// Value of a word in a window; `word` counts 32-bit words from the window's start. Free of side
  /// effects.
  virtual std::uint32_t read_window(std::uint16_t window, std::uint32_t word) const = 0;
  /// Carries out an access of software. Called once for each access, including refused accesses and
  /// a debugger's writes, but not for a debugger's reads. The block has already stored the values
  /// written to its registers. For a read the device must set `access.value`, by access.answer() or
  /// directly.
  virtual void access(RegisterAccess& access) = 0;

 protected:
  ~RegisterDevice() = default;
};

/// A register block decodes an address, applies access kinds and ranges, stores the values that
/// software writes, and reads live values from the device. A refused access changes nothing except,
/// when the map names them, ERROR_INFO and its interrupt cause.
///
/// A read of a 64-bit counter's low word latches the high word. All counters share one latch, so
/// the two halves of a counter must be read one directly after the other.
class RegisterBlock {
 public:
  RegisterBlock(const MapInfo& map, RegisterDevice& device);
  RegisterBlock(const RegisterBlock&) = delete;
  RegisterBlock& operator=(const RegisterBlock&) = delete;

  const MapInfo& map() const { return map_; }

  /// Sets the number of entries of a window in this instance, at most the number in the register
  /// map. Addresses beyond the last entry are unmapped.
  void set_window_entries(std::uint16_t window, std::uint32_t entries);
  /// Sets the value of a read-only register with source `parameter`; reset() keeps it.
  void set_parameter(std::uint16_t index, std::uint32_t value);
  /// Makes reserved bits of one register read-write in this instance.
  void implement_reserved(std::uint16_t index, std::uint32_t bits);
  /// Sets a function that receives the level of the interrupt line on every change.
  void set_interrupt_listener(std::function<void(bool)> listener);

  /// Reads the register at `address`, in bytes from the block's start. `value` is 0 after an error.
  AccessResult read(std::uint32_t address, std::uint32_t& value);
  AccessResult write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe = kAllBytes);

  /// Reads a register for a debugger: addresses and errors are those of read(), without a side
  /// effect on latch, interrupt or ERROR_INFO.
  AccessResult peek(std::uint32_t address, std::uint32_t& value) const;
  /// Writes a register for a debugger: changes read-write fields and windows only. Locked registers
  /// are refused.
  AccessResult poke(std::uint32_t address, std::uint32_t value);

  /// The value that software last wrote to a register, or its reset value; registers by index.
  std::uint32_t value(std::uint16_t index) const { return values_[index]; }
  /// Sets the given cause bits in the interrupt status.
  void raise(std::uint32_t causes);
  /// Level of the interrupt line: true if an interrupt cause is set and enabled in the mask.
  bool interrupt() const { return interrupt_; }

  /// Sets every register to its reset value. Windows and counters belong to the device and keep
  /// their values.
  void reset();

  /// Finds the address of a name such as "CTRL", "dcc.CTRL", "STAT_CNPS_RECEIVED_LO", "factor[46]"
  /// or "slots[3].RATE". Upper and lower case differ. Empty if the name is unknown.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The full name of an address, such as "dcc.slots[3].RATE"; "dcc+0x0ffc" for an address without
  /// a register.
  std::string name_of(std::uint32_t address) const;
  void add_state(StateDigest& d) const { d(values_, high_latch_, interrupt_); }

 private:
  friend struct RegisterAccess;
  using Kind = RegisterAccess::Target;
  /// The register, counter or window that a word address belongs to.
  struct Target {
    Kind kind = Kind::kNothing;
    std::uint16_t index = 0;
    // number of the word within the target: 0 low or 1 high of a kCounter, or the word in a kWindow
    std::uint32_t word = 0;
  };
  /// Masks of a register's fields by access kind.
  struct Masks {
    std::uint32_t read_write = 0;
    std::uint32_t clear = 0;
    std::uint32_t clear_by_0 = 0;
    std::uint32_t write_only = 0;
    std::uint32_t live = 0;  // bits of the register whose value the device supplies
    bool limited = false;    // true if a field of the register has a range narrower than its bits
  };
  /// Decoding tables that depend on the map alone; all blocks of one map share them.
  struct Layout {
    explicit Layout(const MapInfo& map);

    std::vector<Masks> masks;
    // index of the register at each word address, up to the last register
    std::vector<std::uint16_t> by_word;
  };
  struct Window {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  // size of the block's address space in bytes
    std::uint32_t word_mask = 0;
  };

  /// The layout of a map, created at the first call; valid until the end of the program.
  static const Layout& layout_of(const MapInfo& map);
  Target decode(std::uint32_t address) const;
  AccessResult check(const Target& target, std::uint32_t address) const;
  AccessResult check_write(const Target& target, std::uint32_t address, std::uint32_t value,
                           std::uint8_t strobe) const;
  /// True if the target is locked by a cleared bit of the write-enable register.
  bool locked(const Target& target) const;
  std::uint32_t register_value(std::uint16_t index) const;
  const RegisterInfo* info_of(const Target& target) const;
  std::uint32_t take(const Target& target);
  void note_refusal(const RegisterAccess& access);
  /// Bits of a register that this instance stores as read-write.
  std::uint32_t read_write(std::uint16_t index) const {
    return layout_.masks[index].read_write | (index == extended_ ? extension_ : 0);
  }
  void update_interrupt();

  const MapInfo& map_;
  const Layout& layout_;
  RegisterDevice& device_;
  std::vector<std::uint32_t> values_;
  // reset values of the registers, with the values of set_parameter() applied
  std::vector<std::uint32_t> parameters_;
  std::vector<Window> windows_;
  // index of the register given to implement_reserved(), and the bits made read-write
  std::uint16_t extended_ = kNoRegister;
  std::uint32_t extension_ = 0;
  std::uint32_t high_latch_ = 0;
  bool interrupt_ = false;
  std::function<void(bool)> listener_;
};

}  // namespace dcc::regs
