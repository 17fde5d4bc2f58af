// The link between a NIC and its host, shared by descriptors, payload and completions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "nic/host/dma.h"
#include "nic/host/host_memory.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"

namespace dcc {

/// The link between a NIC and its host. Each of its two directions carries one transfer at a time,
/// in order, as PCI Express does.
///
/// A write occupies the direction to the host for the time of its bytes. The written data reach
/// memory `latency` later. The request of a read occupies the same direction for the time of
/// kReadRequestBytes, so the read waits behind all earlier writes. The data start to return
/// `latency` later, when the direction from the host is free. At most `outstanding` reads are in
/// progress; the other reads wait and do not delay writes. Data move at the end of a request. An
/// atomic operation is a read whose request carries its operands, eight bytes each.
class HostLink final : public Dma {
 public:
  /// Size of a memory-read request with 64-bit address, framing, sequence number and link CRC (PCI
  /// Express Base Specification 3.0, 2.2.7 and 4.2.2.2).
  static constexpr Bytes kReadRequestBytes = 24;

  HostLink(Scheduler& scheduler, HostMemory& memory, const DmaParameters& parameters,
           std::uint32_t rank);

  bool reaches(std::uint64_t address, std::uint64_t bytes, bool writable) const override {
    return memory_.holds(address, bytes, writable);
  }
  void read(std::uint64_t address, void* to, std::uint32_t bytes, DmaClient& client,
            std::uint32_t tag) override;
  void fetch_add(std::uint64_t address, std::uint64_t addend, void* original, DmaClient& client,
                 std::uint32_t tag) override;
  void compare_swap(std::uint64_t address, std::uint64_t compare, std::uint64_t swap,
                    void* original, DmaClient& client, std::uint32_t tag) override;
  void write(std::uint64_t address, const void* from, std::uint32_t bytes, DmaClient& client,
             std::uint32_t tag) override;
  void cancel(const DmaClient& client) override;
  void add_state(StateDigest& d) const {
    d(to_host_free_, from_host_free_, under_way_);
    for (const Read& read : reads_) {
      d(read.address, read.bytes, read.tag, read.end, read.kind, read.operand, read.compare);
    }
    for (const Write& write : writes_) {
      d(write.address, write.bytes, write.tag, write.end);
      d.bytes(write.data.data(), write.data.size());
    }
  }

 private:
  struct Request {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t tag;
    DmaClient* client;  // receiver of the request's completion; null: the request was cancelled
    PicoSeconds end{};
  };
  enum class Kind : std::uint8_t { kRead, kFetchAdd, kCompareSwap };
  struct Read : Request {
    void* to;
    Kind kind = Kind::kRead;
    std::uint64_t operand = 0;  // addend of a fetch-and-add, or new value of a compare-and-swap
    std::uint64_t compare = 0;
  };
  struct Write : Request {
    std::vector<std::uint8_t> data;
  };

  PicoSeconds occupy(PicoSeconds& direction, PicoSeconds from, Bytes bytes) const;
  void ask(const Read& read);
  void start_reads();
  bool carry_out(const Read& read);
  void read_ended();
  void write_ended();

  Scheduler& scheduler_;
  HostMemory& memory_;
  DmaParameters parameters_;
  PicoSeconds to_host_free_{};
  PicoSeconds from_host_free_{};
  // read requests, of which the first `under_way_` are in progress and the others wait
  std::deque<Read> reads_;
  std::size_t under_way_ = 0;
  std::deque<Write> writes_;
  std::vector<std::vector<std::uint8_t>> spare_;  // buffers of finished writes, for reuse
  Event read_end_;
  Event write_end_;
};

}  // namespace dcc
