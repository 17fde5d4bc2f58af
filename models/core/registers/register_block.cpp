#include "registers/register_block.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>

namespace dcc::regs {

const char* to_string(AccessResult result) {
  switch (result) {
    case AccessResult::kOk:
      return "ok";
    case AccessResult::kUnmapped:
      return "unmapped";
    case AccessResult::kMisaligned:
      return "misaligned";
    case AccessResult::kReadOnly:
      return "read_only";
    case AccessResult::kNarrow:
      return "narrow";
    case AccessResult::kOutOfRange:
      return "out_of_range";
    case AccessResult::kLocked:
      return "locked";
  }
  return "?";
}

RegisterBlock::Layout::Layout(const MapInfo& map) {
  std::uint32_t end = 0;
  for (const RegisterInfo& info : map.registers) end = std::max(end, info.offset + 4);
  by_word.assign(end / 4, kNoRegister);
  masks.reserve(map.registers.size());
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    const RegisterInfo& info = map.registers[i];
    by_word[info.offset / 4] = i;
    Masks m;
    for (const FieldInfo& field : info.fields) {
      switch (field.access) {
        case Access::kReadWrite:
          m.read_write |= field.mask();
          break;
        case Access::kWrite0Clear:
          m.clear_by_0 |= field.mask();
          break;
        case Access::kWrite1Clear:
          m.clear |= field.mask();
          break;
        case Access::kWriteOnly:
          m.write_only |= field.mask();
          break;
        case Access::kReadOnly:
          if (info.source == Source::kHardware) m.live |= field.mask();
          break;
      }
      m.limited = m.limited || (field.access != Access::kReadOnly && field.limited());
    }
    masks.push_back(m);
  }
}

const RegisterBlock::Layout& RegisterBlock::layout_of(const MapInfo& map) {
  static std::mutex mutex;
  // references to the layouts stay valid because a std::map does not move its elements
  static std::map<const MapInfo*, Layout> layouts;
  const std::lock_guard lock(mutex);
  return layouts.try_emplace(&map, map).first->second;
}

RegisterBlock::RegisterBlock(const MapInfo& map, RegisterDevice& device)
    : map_(map), layout_(layout_of(map)), device_(device) {
  parameters_.reserve(map.registers.size());
  for (const RegisterInfo& info : map.registers) parameters_.push_back(info.reset);
  windows_.reserve(map.windows.size());
  for (const WindowInfo& window : map.windows) {
    Window w;
    w.offset = window.offset;
    w.size = window.entries * window.stride;
    w.word_mask = window.stride / 4 - 1;
    windows_.push_back(w);
  }
  values_ = parameters_;
}

void RegisterBlock::set_window_entries(std::uint16_t window, std::uint32_t entries) {
  assert(entries <= map_.windows[window].entries);
  windows_[window].size = entries * map_.windows[window].stride;
}

void RegisterBlock::set_parameter(std::uint16_t index, std::uint32_t value) {
  assert(map_.registers[index].source == Source::kParameter);
  std::uint32_t bits = 0;
  for (const FieldInfo& field : map_.registers[index].fields) bits |= field.mask();
  parameters_[index] = value & bits;
  values_[index] = value & bits;
}

void RegisterBlock::implement_reserved(std::uint16_t index, std::uint32_t bits) {
  extended_ = index;
  extension_ = bits;
}

void RegisterBlock::set_interrupt_listener(std::function<void(bool)> listener) {
  listener_ = std::move(listener);
}

RegisterBlock::Target RegisterBlock::decode(std::uint32_t address) const {
  const std::uint32_t word = address / 4;
  if (word < layout_.by_word.size()) {
    const std::uint16_t index = layout_.by_word[word];
    if (index != kNoRegister) return {Kind::kRegister, index, 0};
  }
  for (std::uint16_t i = 0; i < windows_.size(); ++i) {
    // Offset of the address in the window. For an address below the window's start the offset wraps
    // to a huge number.
    const std::uint32_t inside = address - windows_[i].offset;
    if (inside < windows_[i].size) return {Kind::kWindow, i, inside / 4};
  }
  if (map_.counters.size() > 0) {
    const std::uint32_t inside = address - map_.counters[0].offset;
    if (inside < map_.counters.size() * 8) {
      return {Kind::kCounter, static_cast<std::uint16_t>(inside / 8), inside / 4 & 1};
    }
  }
  return {};
}

AccessResult RegisterBlock::check(const Target& target, std::uint32_t address) const {
  if (target.kind == Kind::kNothing) return AccessResult::kUnmapped;
  if (address % 4 != 0) return AccessResult::kMisaligned;
  return AccessResult::kOk;
}

const RegisterInfo* RegisterBlock::info_of(const Target& target) const {
  switch (target.kind) {
    case Kind::kRegister:
      return &map_.registers[target.index];
    case Kind::kWindow:
      return &map_.windows[target.index].words[target.word & windows_[target.index].word_mask];
    case Kind::kCounter:
    case Kind::kNothing:
      break;
  }
  return nullptr;
}

AccessResult RegisterBlock::check_write(const Target& target, std::uint32_t address,
                                        std::uint32_t value, std::uint8_t strobe) const {
  const AccessResult result = check(target, address);
  if (result != AccessResult::kOk) return result;
  const RegisterInfo* const info = info_of(target);
  if (info == nullptr || !info->writable) return AccessResult::kReadOnly;
  if ((strobe & kAllBytes) != kAllBytes) return AccessResult::kNarrow;
  if (target.kind != Kind::kRegister || layout_.masks[target.index].limited) {
    for (const FieldInfo& field : info->fields) {
      if (field.access != Access::kReadOnly && !field.accepts(field.of(value))) {
        return AccessResult::kOutOfRange;
      }
    }
  }
  return locked(target) ? AccessResult::kLocked : AccessResult::kOk;
}

bool RegisterBlock::locked(const Target& target) const {
  if (map_.write_enable == kNoRegister) return false;
  const std::uint32_t regwen = target.kind == Kind::kWindow ? map_.windows[target.index].regwen
                                                            : map_.registers[target.index].regwen;
  std::uint32_t shut = regwen & ~values_[map_.write_enable];
  if (shut != 0 && map_.unlock_register != kNoRegister &&
      (register_value(map_.unlock_register) & map_.unlock_bit) != 0) {
    shut &= ~map_.unlocked;
  }
  return shut != 0;
}

std::uint32_t RegisterBlock::register_value(std::uint16_t index) const {
  const Masks& masks = layout_.masks[index];
  std::uint32_t value = values_[index] & ~masks.write_only;
  if (masks.live != 0) value = (value & ~masks.live) | (device_.read_register(index) & masks.live);
  return value;
}

AccessResult RegisterBlock::read(std::uint32_t address, std::uint32_t& value) {
  const Target target = decode(address);
  RegisterAccess access{*this,       false,        address,     0,     0, check(target, address),
                        target.kind, target.index, target.word, false, 0};
  if (access.refused()) note_refusal(access);
  device_.access(access);
  value = access.value;
  return access.result;
}

AccessResult RegisterBlock::write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe) {
  const Target target = decode(address);
  RegisterAccess access{*this,
                        true,
                        address,
                        value,
                        strobe,
                        check_write(target, address, value, strobe),
                        target.kind,
                        target.index,
                        target.word,
                        false,
                        0};
  if (access.refused()) {
    note_refusal(access);
  } else if (target.kind == Kind::kRegister) {
    const Masks& masks = layout_.masks[target.index];
    const std::uint32_t kept = read_write(target.index);
    std::uint32_t& stored = values_[target.index];
    stored = (stored & ~kept) | (value & kept);
    stored &= ~(value & masks.clear) & (value | ~masks.clear_by_0);
    access.register_written = (kept | masks.write_only) != 0 && target.index != map_.interrupt_test;
    access.stored = (stored & kept) | (value & masks.write_only);
  }
  device_.access(access);
  if (target.kind == Kind::kRegister && !access.refused()) {
    if (target.index == map_.interrupt_test) raise(value);
    if (target.index == map_.interrupt_status || target.index == map_.interrupt_mask) {
      update_interrupt();
    }
  }
  return access.result;
}

void RegisterAccess::answer() {
  if (!refused()) value = block.take({target, index, word});
}

// Returns the value of an accepted read.
std::uint32_t RegisterBlock::take(const Target& target) {
  switch (target.kind) {
    case Kind::kRegister:
      return register_value(target.index);
    case Kind::kWindow:
      return device_.read_window(target.index, target.word);
    case Kind::kCounter: {
      if (target.word != 0) return high_latch_;
      const std::uint64_t count = device_.read_counter(target.index);
      high_latch_ = static_cast<std::uint32_t>(count >> 32);
      return static_cast<std::uint32_t>(count);
    }
    case Kind::kNothing:
      break;
  }
  return 0;
}

AccessResult RegisterBlock::peek(std::uint32_t address, std::uint32_t& value) const {
  const Target target = decode(address);
  const AccessResult result = check(target, address);
  value = 0;
  if (result != AccessResult::kOk) return result;
  switch (target.kind) {
    case Kind::kRegister:
      value = register_value(target.index);
      break;
    case Kind::kWindow:
      value = device_.read_window(target.index, target.word);
      break;
    case Kind::kCounter: {
      // A debugger reads the present counter, not the latch.
      const std::uint64_t count = device_.read_counter(target.index);
      value = static_cast<std::uint32_t>(target.word == 0 ? count : count >> 32);
      break;
    }
    case Kind::kNothing:
      break;
  }
  return AccessResult::kOk;
}

AccessResult RegisterBlock::poke(std::uint32_t address, std::uint32_t value) {
  const Target target = decode(address);
  const AccessResult result = check(target, address);
  if (result != AccessResult::kOk) return result;
  const RegisterInfo* const info = info_of(target);
  if (info == nullptr || !info->writable) return AccessResult::kReadOnly;
  for (const FieldInfo& field : info->fields) {
    if (field.access == Access::kReadWrite && !field.accepts(field.of(value))) {
      return AccessResult::kOutOfRange;
    }
  }
  if (locked(target)) return AccessResult::kLocked;
  RegisterAccess access{*this,       true,         address,     value, kAllBytes, AccessResult::kOk,
                        target.kind, target.index, target.word, false, 0};
  if (target.kind == Kind::kRegister) {
    const std::uint32_t mask = read_write(target.index);
    if (mask == 0) return AccessResult::kOk;
    std::uint32_t& stored = values_[target.index];
    stored = (stored & ~mask) | (value & mask);
    access.value = access.stored = stored & mask;
    access.register_written = true;
  }
  device_.access(access);
  if (target.kind == Kind::kRegister && target.index == map_.interrupt_mask) update_interrupt();
  return AccessResult::kOk;
}

void RegisterBlock::note_refusal(const RegisterAccess& access) {
  if (map_.error_info == kNoRegister) return;
  // The register generator checks the layout of ERROR_INFO: address from bit 0, code in [26:24],
  // write in bit 31.
  values_[map_.error_info] = (access.address & (map_.size - 1)) |
                             static_cast<std::uint32_t>(access.result) << 24 |
                             (access.write ? 0x80000000u : 0u);
  raise(map_.error_cause);
}

void RegisterBlock::raise(std::uint32_t causes) {
  values_[map_.interrupt_status] |= causes & layout_.masks[map_.interrupt_status].clear;
  update_interrupt();
}

void RegisterBlock::update_interrupt() {
  const bool level = (values_[map_.interrupt_status] & values_[map_.interrupt_mask]) != 0;
  if (level == interrupt_) return;
  interrupt_ = level;
  if (listener_) listener_(level);
}

void RegisterBlock::reset() {
  values_ = parameters_;
  high_latch_ = 0;
  if (map_.interrupt_status != kNoRegister) update_interrupt();
}

}  // namespace dcc::regs
