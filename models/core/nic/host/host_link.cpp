#include "nic/host/host_link.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "wire/byte_order.h"

namespace dcc {

HostLink::HostLink(Scheduler& scheduler, HostMemory& memory, const DmaParameters& parameters,
                   std::uint32_t rank)
    : scheduler_(scheduler),
      memory_(memory),
      parameters_(parameters),
      read_end_(Event::calling<&HostLink::read_ended>(*this, rank)),
      write_end_(Event::calling<&HostLink::write_ended>(*this, rank)) {
  assert(parameters.outstanding > 0);
}

namespace {
constexpr std::uint32_t kWord = 8;
}

/// Occupies `direction` for `bytes` that are available at `from`. Returns the end of the transfer.
PicoSeconds HostLink::occupy(PicoSeconds& direction, PicoSeconds from, Bytes bytes) const {
  direction = std::max(direction, from) + serialization_time(bytes, parameters_.rate);
  return direction;
}

// ---------------------------------------------------------------- reads

void HostLink::read(std::uint64_t address, void* to, std::uint32_t bytes, DmaClient& client,
                    std::uint32_t tag) {
  ask({{address, bytes, tag, &client}, to});
}

void HostLink::fetch_add(std::uint64_t address, std::uint64_t addend, void* original,
                         DmaClient& client, std::uint32_t tag) {
  ask({{address, kWord, tag, &client}, original, Kind::kFetchAdd, addend});
}

void HostLink::compare_swap(std::uint64_t address, std::uint64_t compare, std::uint64_t swap,
                            void* original, DmaClient& client, std::uint32_t tag) {
  ask({{address, kWord, tag, &client}, original, Kind::kCompareSwap, swap, compare});
}

void HostLink::ask(const Read& read) {
  reads_.push_back(read);
  start_reads();
}

void HostLink::start_reads() {
  while (under_way_ < std::min<std::size_t>(reads_.size(), parameters_.outstanding)) {
    Read& read = reads_[under_way_++];
    const Bytes operands =
        read.kind == Kind::kRead ? 0 : (read.kind == Kind::kFetchAdd ? kWord : 2 * kWord);
    const PicoSeconds asked = occupy(to_host_free_, scheduler_.now(), kReadRequestBytes + operands);
    read.end = occupy(from_host_free_, asked + parameters_.latency, read.bytes);
  }
  if (under_way_ > 0 && !read_end_.is_scheduled()) {
    scheduler_.schedule_at(read_end_, reads_.front().end);
  }
}

void HostLink::read_ended() {
  const Read read = reads_.front();
  reads_.pop_front();
  --under_way_;
  start_reads();
  if (read.client == nullptr) return;
  read.client->dma_done(read.tag, carry_out(read));
}

bool HostLink::carry_out(const Read& read) {
  if (!memory_.read(read.address, read.to, read.bytes)) return false;
  if (read.kind == Kind::kRead) return true;
  const std::uint64_t original = get_le64(static_cast<const std::uint8_t*>(read.to));
  if (read.kind == Kind::kCompareSwap && original != read.compare) return true;
  std::uint8_t word[kWord];
  put_le64(word, read.kind == Kind::kFetchAdd ? original + read.operand : read.operand);
  return memory_.write(read.address, word, kWord);
}

// ---------------------------------------------------------------- writes

void HostLink::write(std::uint64_t address, const void* from, std::uint32_t bytes,
                     DmaClient& client, std::uint32_t tag) {
  std::vector<std::uint8_t> data;
  if (!spare_.empty()) {
    data = std::move(spare_.back());
    spare_.pop_back();
  }
  const auto* const begin = static_cast<const std::uint8_t*>(from);
  data.assign(begin, begin + bytes);
  const PicoSeconds sent = occupy(to_host_free_, scheduler_.now(), bytes);
  writes_.push_back({{address, bytes, tag, &client, sent + parameters_.latency}, std::move(data)});
  if (!write_end_.is_scheduled()) scheduler_.schedule_at(write_end_, writes_.front().end);
}

void HostLink::write_ended() {
  Write write = std::move(writes_.front());
  writes_.pop_front();
  if (!writes_.empty()) scheduler_.schedule_at(write_end_, writes_.front().end);
  bool moved = false;
  if (write.client != nullptr) moved = memory_.write(write.address, write.data.data(), write.bytes);
  spare_.push_back(std::move(write.data));
  if (write.client != nullptr) write.client->dma_done(write.tag, moved);
}

// ---------------------------------------------------------------- resets

void HostLink::cancel(const DmaClient& client) {
  const auto waiting = reads_.begin() + static_cast<std::ptrdiff_t>(under_way_);
  reads_.erase(std::remove_if(waiting, reads_.end(),
                              [&](const Read& read) { return read.client == &client; }),
               reads_.end());
  for (Read& read : reads_) {
    if (read.client == &client) read.client = nullptr;
  }
  for (Write& write : writes_) {
    if (write.client == &client) write.client = nullptr;
  }
}

}  // namespace dcc
