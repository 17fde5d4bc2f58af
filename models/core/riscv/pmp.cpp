#include "riscv/pmp.h"

#include <algorithm>

namespace dcc::riscv {
namespace {

constexpr std::uint8_t kLock = 0x80;
constexpr std::uint8_t kWritableConfig = 0x9F;
constexpr std::uint64_t kEndOfMemory = std::uint64_t{1} << 32;

enum Matching : std::uint8_t { kOff = 0, kTor = 1, kNa4 = 2, kNapot = 3 };
constexpr unsigned matching(std::uint8_t config) { return config >> 3 & 3; }

bool same_executable(const std::vector<Pmp::Span>& a, const std::vector<Pmp::Span>& b) {
  // Two protection maps are equal for execution if the permission to execute begins and ends at the
  // same addresses.
  const auto edges = [](const std::vector<Pmp::Span>& spans) {
    std::vector<std::uint64_t> list;
    bool now = false;
    for (const Pmp::Span& s : spans) {
      const bool may = (s.permission & Pmp::kExecute) != 0;
      if (may != now) list.push_back(s.begin);
      now = may;
    }
    return list;
  };
  return edges(a) == edges(b);
}

}  // namespace

Pmp::Pmp() {
  // Initial state before the first decoding: machine mode may execute everything, user mode
  // nothing.
  views_[1].spans.push_back(Span{});
  views_[0].stale = true;
}

std::uint32_t Pmp::config(unsigned index) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{config_[4 * index + i]} << (8 * i);
  return value;
}

void Pmp::write_config(unsigned index, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned entry = 4 * index + i;
    if (locked(entry)) continue;
    auto wanted = static_cast<std::uint8_t>(value >> (8 * i) & kWritableConfig);
    if ((wanted & kRead) == 0) wanted &= static_cast<std::uint8_t>(~kWrite);
    config_[entry] = wanted;
    any_locked_ = any_locked_ || (wanted & kLock) != 0;
  }
  changed();
}

// Updates the views of both privilege modes. Machine mode's permissions depend on locked entries,
// and on entries with higher priority than these.
void Pmp::changed() {
  views_[0].stale = true;
  views_[1].stale = any_locked_;
}

void Pmp::write_address(unsigned index, std::uint32_t value) {
  // A locked TOR entry locks the address register below it as well.
  const bool begins_locked_range =
      index + 1 < kEntries && locked(index + 1) && matching(config_[index + 1]) == kTor;
  if (locked(index) || begins_locked_range) return;
  address_[index] = value;
  changed();
}

Pmp::Span Pmp::range(unsigned i) const {
  Span s{0, 0, static_cast<std::uint8_t>(config_[i] & kAll)};
  const std::uint64_t address = std::uint64_t{address_[i]} << 2;
  switch (matching(config_[i])) {
    case kTor:
      s.begin = i == 0 ? 0 : std::uint64_t{address_[i - 1]} << 2;
      s.end = address;
      break;
    case kNa4:
      s.begin = address;
      s.end = address + 4;
      break;
    case kNapot: {
      // NAPOT: an address register that ends in 0 and n ones denotes 2^(n+3) bytes.
      const std::uint64_t ones = address_[i] & ~(std::uint64_t{address_[i]} + 1);
      const std::uint64_t size = (ones + 1) << 3;
      s.begin = address & ~(size - 1);
      s.end = s.begin + size;
      break;
    }
    default:
      break;
  }
  // an entry can describe 34-bit addresses; the bus has 32 bits
  s.end = std::min(s.end, kEndOfMemory);
  s.begin = std::min(s.begin, s.end);
  return s;
}

std::uint8_t Pmp::permission_at(std::uint64_t address, Privilege mode) const {
  const bool machine = mode == Privilege::kMachine;
  for (unsigned i = 0; i < kEntries; ++i) {
    const Span s = range(i);
    if (address < s.begin || address >= s.end) continue;
    return machine && !locked(i) ? kAll : s.permission;
  }
  return machine ? kAll : 0;
}

void Pmp::rebuild(View& view, Privilege mode) {
  std::vector<std::uint64_t> edges{0, kEndOfMemory};
  for (unsigned i = 0; i < kEntries; ++i) {
    const Span s = range(i);
    edges.push_back(s.begin);
    edges.push_back(s.end);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<Span> spans;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const std::uint8_t permission = permission_at(edges[i], mode);
    if (!spans.empty() && spans.back().permission == permission) {
      spans.back().end = edges[i + 1];
    } else {
      spans.push_back(Span{edges[i], edges[i + 1], permission});
    }
  }
  if (!same_executable(view.spans, spans)) ++view.version;
  view.spans = std::move(spans);
  view.open = view.spans.size() == 1 && view.spans.front().permission == kAll;
  view.stale = false;
}

const Pmp::Span& Pmp::span(Privilege mode, std::uint32_t address) {
  const std::vector<Span>& spans = view(mode).spans;
  return *std::find_if(spans.begin(), spans.end(),
                       [address](const Span& s) { return address < s.end; });
}

}  // namespace dcc::riscv
