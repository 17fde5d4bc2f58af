#include "csr_checks.h"

#include <algorithm>
#include <cstdio>

namespace dcc::regs {
namespace {

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

/// Executes register accesses, counts them and collects violations.
class Checker {
 public:
  Checker(const MapInfo& map, CsrPort& port) : map_(map), port_(port) {}

  std::uint32_t read(const std::string& name, std::uint32_t address) {
    std::uint32_t value = 0;
    ++report_.accesses;
    expect(port_.read(address, value), name, "refused a read");
    return value;
  }
  void write(const std::string& name, std::uint32_t address, std::uint32_t value) {
    ++report_.accesses;
    expect(port_.write(address, value, kAllBytes), name, "refused to write " + hexadecimal(value));
  }
  void expect_value(const std::string& name, std::uint32_t got, std::uint32_t wanted,
                    const char* when) {
    expect(got == wanted, name,
           std::string(when) + ": " + hexadecimal(got) + " instead of " + hexadecimal(wanted));
  }
  /// Expects that the register block refuses the access with this code, that read data is 0, and
  /// that ERROR_INFO describes the access.
  void expect_refused(const std::string& name, AccessResult code, bool is_write,
                      std::uint32_t address, std::uint32_t value = 0,
                      std::uint8_t strobe = kAllBytes) {
    std::uint32_t got = 0;
    ++report_.accesses;
    const bool accepted = is_write ? port_.write(address, value, strobe) : port_.read(address, got);
    const std::string what = std::string(is_write ? "write" : "read") + " at " +
                             hexadecimal(address) + " with strobes " + std::to_string(strobe);
    expect(!accepted, name, what + " was not refused as " + to_string(code));
    if (map_.error_info == kNoRegister) return;
    const std::uint32_t info = read("ERROR_INFO", map_.registers[map_.error_info].offset);
    const std::uint32_t wanted = (address & (map_.size - 1)) |
                                 static_cast<std::uint32_t>(code) << 24 |
                                 (is_write ? 0x80000000u : 0u);
    expect(info == wanted, name,
           what + ": ERROR_INFO is " + hexadecimal(info) + " instead of " + hexadecimal(wanted));
  }
  void expect(bool condition, const std::string& name, const std::string& text) {
    if (!condition) report_.failures.push_back(std::string(map_.name) + "." + name + ": " + text);
  }
  CsrReport take() { return std::move(report_); }

 private:
  const MapInfo& map_;
  CsrPort& port_;
  CsrReport report_;
};

std::uint32_t mask_of(const RegisterInfo& info, Access access) {
  std::uint32_t mask = 0;
  for (const FieldInfo& field : info.fields) {
    if (field.access == access) mask |= field.mask();
  }
  return mask;
}

/// The value `pattern` with each field clamped to its range.
std::uint32_t legal(const RegisterInfo& info, std::uint32_t pattern) {
  std::uint32_t value = 0;
  for (const FieldInfo& field : info.fields) {
    value |= std::clamp(field.of(pattern), field.min, field.max) << field.lsb;
  }
  return value;
}

std::uint32_t extreme(const RegisterInfo& info, bool greatest) {
  std::uint32_t value = 0;
  for (const FieldInfo& field : info.fields) {
    value |= (greatest ? field.max : field.min) << field.lsb;
  }
  return value;
}

bool is_live(const RegisterInfo& info) {
  return info.source == Source::kHardware && mask_of(info, Access::kReadOnly) != 0;
}

std::uint32_t reset_value(const MapInfo& map, std::uint16_t i, const CsrInstance& instance) {
  return map.registers[i].source == Source::kParameter ? instance.parameters[i]
                                                       : map.registers[i].reset;
}

std::string entry_name(const WindowInfo& window, std::uint32_t entry, const RegisterInfo& word) {
  return std::string(window.name) + "[" + std::to_string(entry) + "]." + word.name;
}

void check_read_write(const MapInfo& map, Checker& c) {
  std::vector<std::uint32_t> held;  // expected contents of each register's read-write fields
  for (const RegisterInfo& info : map.registers) {
    held.push_back(info.reset & mask_of(info, Access::kReadWrite));
  }
  const std::uint32_t patterns[] = {0x55555555, 0xAAAAAAAA, 0xFFFFFFFF, 0x00000000, 0x12345678};
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    const RegisterInfo& info = map.registers[i];
    const std::uint32_t mask = mask_of(info, Access::kReadWrite);
    if (mask == 0) continue;
    std::vector<std::uint32_t> values = {extreme(info, false), extreme(info, true)};
    for (const std::uint32_t pattern : patterns) values.push_back(legal(info, pattern));
    for (const std::uint32_t value : values) {
      // Writes ones to all bits outside fields. The register must ignore these bits.
      std::uint32_t fields = 0;
      for (const FieldInfo& field : info.fields) fields |= field.mask();
      c.write(info.name, info.offset, value | ~fields);
      held[i] = value & mask;
      c.expect_value(info.name, c.read(info.name, info.offset) & ~mask_of(info, Access::kReadOnly),
                     held[i], "read back");
    }
    for (std::uint16_t j = 0; j < map.registers.size(); ++j) {
      const std::uint32_t other = mask_of(map.registers[j], Access::kReadWrite);
      if (j == i || other == 0) continue;
      const std::uint32_t got = c.read(map.registers[j].name, map.registers[j].offset) & other;
      c.expect_value(map.registers[j].name, got, held[j],
                     (std::string("after writes to ") + info.name).c_str());
    }
    c.write(info.name, info.offset, info.reset & mask);
    held[i] = info.reset & mask;
  }
}

void check_windows(const MapInfo& map, Checker& c, const CsrInstance& instance) {
  for (std::size_t w = 0; w < map.windows.size(); ++w) {
    const WindowInfo& window = map.windows[w];
    const std::uint32_t entries = instance.window_entries[w];
    std::vector<std::uint32_t> chosen = {0, entries - 1, entries / 2, entries / 2 - 1};
    for (std::uint32_t bit = 1; bit < entries; bit *= 2) chosen.push_back(bit);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (int pass = 0; pass < 2; ++pass) {
      // Writes all entries before it reads any entry, so that entries that share storage are found.
      for (const std::uint32_t entry : chosen) {
        for (const RegisterInfo& word : window.words) {
          const std::uint32_t address = window.offset + entry * window.stride + word.offset;
          const std::string name = entry_name(window, entry, word);
          const std::uint32_t value = legal(word, (entry + 1) * 0x9E3779B1u);
          if (!window.writable) {
            c.read(name, address);
          } else if (pass == 0) {
            c.write(name, address, value);
          } else {
            c.expect_value(name, c.read(name, address), value, "read back");
          }
        }
      }
    }
  }
}

void check_refusals_at(Checker& c, const std::string& name, const RegisterInfo& info,
                       std::uint32_t address, bool writable) {
  for (std::uint32_t skew = 1; skew < 4; ++skew) {
    c.expect_refused(name, AccessResult::kMisaligned, false, address + skew);
    c.expect_refused(name, AccessResult::kMisaligned, true, address + skew, extreme(info, true));
  }
  if (!writable) {
    c.expect_refused(name, AccessResult::kReadOnly, true, address, 0xFFFFFFFF);
    c.expect_refused(name, AccessResult::kReadOnly, true, address, 0, 0x3);
    return;
  }
  for (std::uint8_t strobe = 0; strobe < kAllBytes; ++strobe) {
    c.expect_refused(name, AccessResult::kNarrow, true, address, extreme(info, true), strobe);
  }
  for (const FieldInfo& field : info.fields) {
    if (field.access == Access::kReadOnly) continue;
    const std::uint32_t others = extreme(info, true) & ~field.mask();
    if (field.min > 0) {
      c.expect_refused(name, AccessResult::kOutOfRange, true, address,
                       others | (field.min - 1) << field.lsb);
    }
    if (field.max < field.top()) {
      c.expect_refused(name, AccessResult::kOutOfRange, true, address,
                       others | (field.max + 1) << field.lsb);
      c.expect_refused(name, AccessResult::kOutOfRange, true, address,
                       others | field.top() << field.lsb);
    }
  }
}

/// Word addresses just outside the mapped registers and windows.
std::vector<std::uint32_t> holes(const MapInfo& map, const CsrInstance& instance) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spans;
  for (const RegisterInfo& info : map.registers) spans.push_back({info.offset, info.offset + 4});
  for (const CounterInfo& counter : map.counters) {
    spans.push_back({counter.offset, counter.offset + 8});
  }
  for (std::size_t w = 0; w < map.windows.size(); ++w) {
    const WindowInfo& window = map.windows[w];
    spans.push_back({window.offset, window.offset + instance.window_entries[w] * window.stride});
  }
  std::sort(spans.begin(), spans.end());
  std::vector<std::uint32_t> result;
  std::uint32_t end = 0;
  spans.push_back({map.size, map.size});
  for (const auto& [begin, after] : spans) {
    if (begin > end) {
      result.push_back(end);
      result.push_back(begin - 4);
      result.push_back((end + (begin - end) / 2) & ~3u);
    }
    end = std::max(end, after);
  }
  return result;
}

}  // namespace

CsrInstance default_instance(const MapInfo& map) {
  CsrInstance instance;
  for (const WindowInfo& window : map.windows) instance.window_entries.push_back(window.entries);
  for (const RegisterInfo& info : map.registers) instance.parameters.push_back(info.reset);
  return instance;
}

CsrReport check_reset_values(const MapInfo& map, CsrPort& port, const CsrInstance& instance) {
  Checker c(map, port);
  for (int round = 0; round < 2; ++round) {
    port.reset();
    for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
      const RegisterInfo& info = map.registers[i];
      const std::uint32_t value = c.read(info.name, info.offset);
      if (!is_live(info)) {
        c.expect_value(info.name, value, reset_value(map, i, instance), "after reset");
      }
    }
    // Changes every register, so that the second round tests the reset of changed registers.
    for (const RegisterInfo& info : map.registers) {
      const std::uint32_t mask = mask_of(info, Access::kReadWrite);
      if (mask != 0) c.write(info.name, info.offset, legal(info, ~info.reset) & mask);
    }
    // sets the locks last, because locks would prevent the writes
    for (const RegisterInfo& info : map.registers) {
      if (mask_of(info, Access::kWrite0Clear) != 0) c.write(info.name, info.offset, 0);
    }
  }
  port.reset();
  return c.take();
}

CsrReport check_access_kinds(const MapInfo& map, CsrPort& port, const CsrInstance& instance) {
  Checker c(map, port);
  port.reset();
  check_read_write(map, c);
  for (const RegisterInfo& info : map.registers) {
    const std::uint32_t write_only = mask_of(info, Access::kWriteOnly);
    if (write_only == 0) continue;
    c.write(info.name, info.offset, legal(info, 0xFFFFFFFF));
    c.expect_value(info.name, c.read(info.name, info.offset) & write_only, 0, "write-only bits");
  }
  port.reset();
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    const RegisterInfo& info = map.registers[i];
    const std::uint32_t clear = mask_of(info, Access::kWrite1Clear);
    if (clear == 0) continue;
    c.write(info.name, info.offset, 0xFFFFFFFF);
    c.expect_value(info.name, c.read(info.name, info.offset) & clear, 0, "writing 1 must not set");
  }
  for (const RegisterInfo& info : map.registers) {
    const std::uint32_t clear = mask_of(info, Access::kWrite0Clear);
    if (clear == 0) continue;
    c.write(info.name, info.offset, 0xFFFFFFFF);
    c.expect_value(info.name, c.read(info.name, info.offset) & clear, info.reset & clear,
                   "writing 1 must not clear");
  }
  check_windows(map, c, instance);
  for (const CounterInfo& counter : map.counters) {
    c.read(counter.name, counter.offset);
    c.read(counter.name, counter.offset + 4);
  }
  port.reset();
  return c.take();
}

CsrReport check_errors(const MapInfo& map, CsrPort& port, const CsrInstance& instance) {
  Checker c(map, port);
  port.reset();
  for (const std::uint32_t address : holes(map, instance)) {
    c.expect_refused("(hole)", AccessResult::kUnmapped, false, address);
    c.expect_refused("(hole)", AccessResult::kUnmapped, true, address, 0xFFFFFFFF);
    c.expect_refused("(hole)", AccessResult::kUnmapped, true, address + 2, 0, 0x1);
  }
  for (const RegisterInfo& info : map.registers) {
    check_refusals_at(c, info.name, info, info.offset, info.writable);
  }
  for (const CounterInfo& counter : map.counters) {
    for (std::uint32_t half = 0; half < 8; half += 4) {
      c.expect_refused(counter.name, AccessResult::kReadOnly, true, counter.offset + half, 1);
      c.expect_refused(counter.name, AccessResult::kMisaligned, false, counter.offset + half + 1);
    }
  }
  for (std::size_t w = 0; w < map.windows.size(); ++w) {
    const WindowInfo& window = map.windows[w];
    for (const std::uint32_t entry : {std::uint32_t{0}, instance.window_entries[w] - 1}) {
      for (const RegisterInfo& word : window.words) {
        const std::uint32_t address = window.offset + entry * window.stride + word.offset;
        const std::string name = entry_name(window, entry, word);
        const std::uint32_t before = c.read(name, address);
        check_refusals_at(c, name, word, address, window.writable);
        c.expect_value(name, c.read(name, address), before, "after refused accesses");
      }
    }
  }
  // Refused accesses may change only the last-error record and the error cause of the interrupt
  // status. Live registers are not compared.
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    const RegisterInfo& info = map.registers[i];
    if (is_live(info) || i == map.error_info) continue;
    const std::uint32_t wanted =
        i == map.interrupt_status ? map.error_cause : reset_value(map, i, instance);
    c.expect_value(info.name, c.read(info.name, info.offset), wanted, "after refused accesses");
  }
  port.reset();
  return c.take();
}

CsrReport check_locks(const MapInfo& map, CsrPort& port, const CsrInstance& instance) {
  Checker c(map, port);
  if (map.write_enable == kNoRegister) return c.take();
  const RegisterInfo& lock = map.registers[map.write_enable];
  for (const FieldInfo& bit : lock.fields) {
    port.reset();
    c.write(lock.name, lock.offset, ~bit.mask());
    const std::uint32_t rest = lock.reset & ~bit.mask();
    c.expect_value(lock.name, c.read(lock.name, lock.offset), rest, "after clearing one bit");
    const auto check = [&](const std::string& name, const RegisterInfo& info, std::uint32_t address,
                           std::uint32_t regwen) {
      const std::uint32_t before = c.read(name, address);
      const std::uint32_t other = legal(info, ~before);
      if (regwen == bit.mask()) {
        c.expect_refused(name, AccessResult::kLocked, true, address, other);
        c.expect_refused(name, AccessResult::kNarrow, true, address, other, 0x7);
        c.expect_value(name, c.read(name, address), before, "locked");
      } else {
        c.write(name, address, other);
      }
    };
    for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
      const RegisterInfo& info = map.registers[i];
      if (i == map.write_enable || mask_of(info, Access::kReadWrite) == 0) continue;
      check(info.name, info, info.offset, info.regwen);
    }
    for (std::size_t w = 0; w < map.windows.size(); ++w) {
      const WindowInfo& window = map.windows[w];
      if (!window.writable) continue;
      for (const std::uint32_t entry : {std::uint32_t{0}, instance.window_entries[w] - 1}) {
        for (const RegisterInfo& word : window.words) {
          check(entry_name(window, entry, word), word,
                window.offset + entry * window.stride + word.offset, window.regwen);
        }
      }
    }
    c.write(lock.name, lock.offset, 0xFFFFFFFF);
    c.expect_value(lock.name, c.read(lock.name, lock.offset), rest, "writing 1 must not set");
    port.reset();
    c.expect_value(lock.name, c.read(lock.name, lock.offset), lock.reset, "after reset");
  }
  return c.take();
}

CsrReport check_interrupt(const MapInfo& map, CsrPort& port) {
  Checker c(map, port);
  port.reset();
  if (map.interrupt_status == kNoRegister || map.error_info == kNoRegister) return c.take();
  const RegisterInfo& status = map.registers[map.interrupt_status];
  const RegisterInfo& mask = map.registers[map.interrupt_mask];
  const std::uint32_t all = mask_of(mask, Access::kReadWrite);
  c.expect(!port.interrupt(), status.name, "the line is high after reset");
  c.expect_refused(status.name, AccessResult::kMisaligned, false, status.offset + 1);
  c.expect_value(status.name, c.read(status.name, status.offset), map.error_cause,
                 "after a refused access");
  c.expect(!port.interrupt(), status.name, "the line is high although nothing is let through");
  c.write(mask.name, mask.offset, all & ~map.error_cause);
  c.expect(!port.interrupt(), status.name, "the line is high for a cause that is held back");
  c.write(mask.name, mask.offset, map.error_cause);
  c.expect(port.interrupt(), status.name, "the line is low although the cause is let through");
  c.write(status.name, status.offset, all & ~map.error_cause);
  c.expect(port.interrupt(), status.name, "clearing other causes lowered the line");
  c.expect_value(status.name, c.read(status.name, status.offset), map.error_cause,
                 "after clearing other causes");
  c.write(status.name, status.offset, map.error_cause);
  c.expect(!port.interrupt(), status.name, "the line is high after its cause was cleared");
  c.expect_value(status.name, c.read(status.name, status.offset), 0, "after clearing");
  if (map.interrupt_test != kNoRegister) {
    const RegisterInfo& test = map.registers[map.interrupt_test];
    const std::uint32_t error = c.read("ERROR_INFO", map.registers[map.error_info].offset);
    for (std::uint32_t rest = all, set = 0; rest != 0; rest &= rest - 1) {
      const std::uint32_t cause = rest & ~(rest - 1);
      c.write(mask.name, mask.offset, cause);
      c.expect(!port.interrupt(), test.name, "the line is high before its cause is set");
      c.write(test.name, test.offset, cause);
      set |= cause;
      c.expect(port.interrupt(), test.name, "the line is low although its cause was set");
      c.expect_value(status.name, c.read(status.name, status.offset), set,
                     "after a test of a cause");
      c.write(test.name, test.offset, 0);
      c.expect_value(status.name, c.read(status.name, status.offset), set,
                     "after a test of nothing");
    }
    c.expect_value("ERROR_INFO", c.read("ERROR_INFO", map.registers[map.error_info].offset), error,
                   "after tests of causes");
    c.write(status.name, status.offset, all);
    c.expect(!port.interrupt(), test.name, "the line is high after its causes were cleared");
  }
  port.reset();
  return c.take();
}

}  // namespace dcc::regs
