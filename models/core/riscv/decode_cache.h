// A cache of decoded instructions, by page and address. Stores to code invalidate the cache's
// entries.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "riscv/isa.h"

namespace dcc::riscv {

inline constexpr std::uint32_t kPageBytes = 4096;
inline constexpr std::uint32_t kPageEntries = kPageBytes / 2;

/// The decoded instructions of one page of code: an entry for every halfword at which an
/// instruction may start, and two end marks behind the last entry. An instruction of two halfwords
/// may step over the first mark.
struct DecodedPage {
  explicit DecodedPage(std::uint32_t page_base) : base(page_base) {
    ops[kPageEntries].mark(Op::kPageEnd);
    ops[kPageEntries + 1].mark(Op::kPageEnd);
  }
  std::uint32_t base;
  std::array<DecodedOp, kPageEntries + 2> ops{};
};

/// Cache of the decoded instructions of RAM and ROM, the only executable memory. A DecodedPage is
/// created when its code first runs. Machine and user mode have separate pages, because they may
/// execute different addresses. Invalidation acts on the pages of both modes.
class DecodeCache {
 public:
  /// Sets the range of RAM that the cache covers and clears the cache; `base` and `size` are
  /// multiples of 4096 bytes.
  void cover(std::uint32_t base, std::uint32_t size) {
    base_ = base;
    size_ = size;
    forget_all();
  }
  /// Sets the range of ROM that the cache covers and clears the cache; `base` and `size` are
  /// multiples of 4096 bytes.
  void cover_rom(std::uint32_t base, std::uint32_t size) {
    rom_base_ = base;
    rom_size_ = size;
    forget_all();
  }
  /// Selects the privilege mode whose pages page() returns afterwards.
  void select(Privilege mode) { pages_ = &of(mode); }
  /// Drops all decoded instructions of one privilege mode. Pointers into its pages become invalid.
  void forget_mode(Privilege mode) {
    of(mode).clear();
    of(mode).resize(pages());
  }
  std::uint32_t base() const { return base_; }
  std::uint32_t size() const { return size_; }

  /// The decoded page that contains `address`, created if it does not exist yet; nullptr outside
  /// RAM and ROM.
  DecodedPage* page(std::uint32_t address) {
    const std::uint32_t index = index_of(address);
    if (index == kNone) return nullptr;
    std::unique_ptr<DecodedPage>& slot = (*pages_)[index];
    if (!slot) {
      slot = std::make_unique<DecodedPage>(address & ~(kPageBytes - 1));
      holds_code_[index] |= kCode;
    }
    return slot.get();
  }

  /// An array by page number within RAM: non-zero if a store to the page may change decoded code or
  /// concerns a guard.
  const std::uint8_t* holds_code() const { return holds_code_.data(); }
  /// Marks a page as holding code because the last instruction of the preceding page extends into
  /// it.
  void mark_reached(std::uint32_t address) {
    const std::uint32_t index = index_of(address);
    if (index != kNone) holds_code_[index] |= kCode;
  }
  /// Marks the page that holds `address` as guarded, or takes the mark away.
  void guard(std::uint32_t address, bool guarded) {
    const std::uint32_t index = index_of(address);
    if (index == kNone) return;
    std::uint8_t& mark = holds_code_[index];
    mark = static_cast<std::uint8_t>(guarded ? mark | kGuard : mark & ~unsigned{kGuard});
  }

  /// Invalidates all entries whose instructions overlap the given bytes.
  void invalidate(std::uint32_t address, std::uint32_t bytes) {
    const std::int64_t end = static_cast<std::int64_t>(address) + bytes;
    for (std::int64_t at = static_cast<std::int64_t>(address & ~1u) - 2; at < end; at += 2) {
      forget(static_cast<std::uint32_t>(at));
    }
  }
  /// Invalidates the decoded entry at `address`.
  void forget(std::uint32_t address) {
    const std::uint32_t index = index_of(address);
    if (index == kNone) return;
    for (Pages* pages : {&user_, &machine_}) {
      DecodedPage* const page = (*pages)[index].get();
      if (page != nullptr) page->ops[address % kPageBytes / 2] = DecodedOp{};
    }
  }
  /// Invalidates all decoded entries. Pointers into decoded pages become invalid.
  void clear() { forget_all(); }

 private:
  using Pages = std::vector<std::unique_ptr<DecodedPage>>;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint8_t kCode = 1;  // marks in the array holds_code_
  static constexpr std::uint8_t kGuard = 2;
  std::uint32_t pages() const { return (size_ + rom_size_) / kPageBytes; }
  /// Number of the page that holds `address`: pages of RAM are numbered first, then pages of ROM.
  std::uint32_t index_of(std::uint32_t address) const {
    if (address - base_ < size_) return (address - base_) / kPageBytes;
    if (address - rom_base_ < rom_size_) return (size_ + (address - rom_base_)) / kPageBytes;
    return kNone;
  }
  void forget_all() {
    forget_mode(Privilege::kUser);
    forget_mode(Privilege::kMachine);
    holds_code_.assign(pages(), 0);
  }
  Pages& of(Privilege mode) { return mode == Privilege::kUser ? user_ : machine_; }

  std::uint32_t base_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t rom_base_ = 0;
  std::uint32_t rom_size_ = 0;
  Pages user_;
  Pages machine_;
  Pages* pages_ = &machine_;
  std::vector<std::uint8_t> holds_code_;
};

}  // namespace dcc::riscv
