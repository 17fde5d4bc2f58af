// A block of 32-bit registers driven by a generated table: the one place that knows the access
// rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registers/register_map.h"

namespace dcc::regs {

/// How an access ended. The numbers are those of ERROR_INFO.CODE. When several reasons apply, the
/// lowest number is reported, as the hardware's decoder does.
enum class AccessResult : std::uint8_t {
  kOk = 0,
  kUnmapped = 1,    // no register there, or beyond the entries this instance has
  kMisaligned = 2,  // address not a multiple of 4
  kReadOnly = 3,    // write to a register or window without a writable field
  kNarrow = 4,      // write with a byte lane off
  kOutOfRange = 5,  // write with a field outside its range; nothing is written
  kLocked = 6,      // write to what the write-enable register guards
};

/// "ok", "unmapped", "misaligned", "read_only", "narrow", "out_of_range", "locked".
const char* to_string(AccessResult result);

/// All byte lanes of a write, PSTRB of APB.
constexpr std::uint8_t kAllBytes = 0xF;

/// The device behind the registers. Indices are those of the generated map.
class RegisterDevice {
 public:
  /// Live value of a read-only register with source `hardware`. Free of side effects.
  virtual std::uint32_t read_register(std::uint16_t index) const = 0;
  /// Software has written a register with read-write or write-only fields. `value` holds the new
  /// state of the former and what was written to the latter.
  virtual void register_written(std::uint16_t index, std::uint32_t value) = 0;
  virtual std::uint64_t read_counter(std::uint16_t index) const = 0;
  /// `word` counts 32-bit words from the window's start. Free of side effects.
  virtual std::uint32_t read_window(std::uint16_t window, std::uint32_t word) const = 0;
  virtual void write_window(std::uint16_t window, std::uint32_t word, std::uint32_t value) = 0;

  /// Software is going to read a window; debuggers do that unnoticed.
  virtual void reading_window(std::uint16_t /*window*/) {}
  /// Software has made an access, refused ones too, or a debugger has written. `value`: what was
  /// written; or was read, and may be replaced.
  virtual void accessed(bool /*write*/, std::uint32_t /*address*/, std::uint32_t& /*value*/,
                        std::uint8_t /*strobe*/, AccessResult /*result*/) {}

 protected:
  ~RegisterDevice() = default;
};

/// Decodes an address, applies access kinds and ranges, keeps what software writes, and asks the
/// device for the rest. A refused access changes nothing except, when the map names them,
/// ERROR_INFO and its interrupt cause.
///
/// 64-bit counters read coherently: reading a low word latches the high one. There is one latch for
/// all counters, so the two halves of one are read back to back.
class RegisterBlock {
 public:
  RegisterBlock(const MapInfo& map, RegisterDevice& device);
  RegisterBlock(const RegisterBlock&) = delete;
  RegisterBlock& operator=(const RegisterBlock&) = delete;

  const MapInfo& map() const { return map_; }

  /// Entries of a window that this instance has (at most the map's); beyond them it is unmapped.
  void set_window_entries(std::uint16_t window, std::uint32_t entries);
  /// Value of a read-only register with source `parameter`; survives reset().
  void set_parameter(std::uint16_t index, std::uint32_t value);
  /// Called with the interrupt line's level whenever it changes.
  void set_interrupt_listener(std::function<void(bool)> listener);

  /// Addresses in bytes from the block's start. `value` is 0 after an error.
  AccessResult read(std::uint32_t address, std::uint32_t& value);
  AccessResult write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe = kAllBytes);

  /// A debugger's access: the same addresses and errors, no side effect on latch, interrupt or
  /// ERROR_INFO.
  AccessResult peek(std::uint32_t address, std::uint32_t& value) const;
  /// A debugger's write: read-write fields and windows only; the others are left. What is
  /// locked is refused here, too.
  AccessResult poke(std::uint32_t address, std::uint32_t value);

  /// What software last wrote (or the reset value), by index.
  std::uint32_t value(std::uint16_t index) const { return values_[index]; }
  /// Sets causes in the interrupt status.
  void raise(std::uint32_t causes);
  /// Interrupt line: a cause is set and let through by the mask.
  bool interrupt() const { return interrupt_; }

  /// Every register back to its reset value; windows and counters belong to the device.
  void reset();

  /// Address of "CTRL", "dcc.CTRL", "STAT_CNPS_RECEIVED_LO", "factor[46]" or "slots[3].RATE";
  /// upper and lower case count. None if there is no such thing.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The opposite, with the block's name: "dcc.slots[3].RATE"; "dcc+0x0ffc" where nothing is.
  std::string name_of(std::uint32_t address) const;
  template <class Digest>
  void add_state(Digest& d) const {
    d(values_, high_latch_, interrupt_);
  }

 private:
  enum class Kind : std::uint8_t { kNothing, kRegister, kCounter, kWindow };
  /// What a word address leads to.
  struct Target {
    Kind kind = Kind::kNothing;
    std::uint16_t index = 0;
    std::uint32_t word = 0;  // kCounter: 0 low, 1 high; kWindow: word in the window
  };
  /// Masks of a register's fields by access kind.
  struct Masks {
    std::uint32_t read_write = 0;
    std::uint32_t clear = 0;
    std::uint32_t clear_by_0 = 0;
    std::uint32_t write_only = 0;
    std::uint32_t live = 0;  // asked of the device
    bool limited = false;    // a field has a range
  };
  /// What follows from the map alone: large networks have many blocks of one map.
  struct Layout {
    explicit Layout(const MapInfo& map);

    std::vector<Masks> masks;
    std::vector<std::uint16_t> by_word;  // register at a word address, up to the last register
  };
  struct Window {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  // bytes
    std::uint32_t word_mask = 0;
  };

  /// Made once a map, and there until the end.
  static const Layout& layout_of(const MapInfo& map);
  Target decode(std::uint32_t address) const;
  AccessResult check(const Target& target, std::uint32_t address) const;
  AccessResult check_write(const Target& target, std::uint32_t address, std::uint32_t value,
                           std::uint8_t strobe) const;
  /// A cleared bit of the write-enable register guards it.
  bool locked(const Target& target) const;
  std::uint32_t register_value(std::uint16_t index) const;
  const RegisterInfo* info_of(const Target& target) const;
  AccessResult read_plainly(std::uint32_t address, std::uint32_t& value);
  AccessResult write_plainly(std::uint32_t address, std::uint32_t value, std::uint8_t strobe);
  AccessResult refuse(AccessResult result, bool write, std::uint32_t address);
  void update_interrupt();

  const MapInfo& map_;
  const Layout& layout_;
  RegisterDevice& device_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> parameters_;  // reset values, with set_parameter's on top
  std::vector<Window> windows_;
  std::uint32_t high_latch_ = 0;
  bool interrupt_ = false;
  std::function<void(bool)> listener_;
};

}  // namespace dcc::regs
