// The software interface of the NIC: registers, descriptor rings in host memory, completions,
// interrupts.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "driver/nic_descriptors.h"
#include "nic/host/dma.h"
#include "nic/host/dma_faults.h"
#include "nic/nic_device.h"
#include "nic/receive_buffer.h"
#include "registers/register_block.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// What the platform supplies about a queue pair, beside the values of registers.
struct QueuePairIdentity : QueuePairProperties {
  /// True: work waits without limit until the other end of the queue pair exists. False: the work
  /// fails after the time in which a sender would have given up
  /// (NicHostInterface::kConnectRetries).
  bool waits_for_peer = true;
};

/// The platform's connection manager: it identifies queue pairs and joins their two ends.
class ConnectionManager {
 public:
  /// Returns the properties of a queue pair. `registers`: register values of the queue pair that
  /// `host` is about to create.
  virtual QueuePairIdentity identify(HostId host, Qpn qpn,
                                     const QueuePairConfig& registers) const = 0;
  /// `host` created or reset its end of a queue pair.
  virtual void created(HostId host, Qpn qpn, const QueuePairConfig& config) = 0;
  virtual void destroyed(HostId host, Qpn qpn) = 0;
  /// Work of the queue pair failed because its remote end was not created in time.
  virtual void given_up(HostId /*host*/, Qpn /*qpn*/) {}
  /// True if the network has this host.
  virtual bool has_host(HostId host) const = 0;

 protected:
  ~ConnectionManager() = default;
};

/// The software interface of a NIC, which implements driver/nic_descriptors.h and the register map
/// `nic`. Writes to host memory stay in order: payload is in memory before its completion, and the
/// completion before its interrupt.
///
/// Accesses of DMA to addresses that are not memory end with an error status; DmaFaults keeps the
/// first fault. A remote WRITE or SEND is acknowledged only if its memory exists.
class NicHostInterface final : private regs::RegisterDevice,
                               private CompletionSink,
                               private DeliverySink,
                               private DmaClient {
 public:
  /// Number of unanswered repeats after which work of a reliable queue pair without a remote end
  /// fails, if nic.recovery.retries is unlimited. The number is InfiniBand's greatest retry count.
  static constexpr unsigned kConnectRetries = 7;

  NicHostInterface(Scheduler& scheduler, NicDevice& nic, Dma& dma, ConnectionManager& connections,
                   std::uint32_t rank);

  regs::RegisterBlock& registers() { return registers_; }
  std::uint64_t completions_written() const { return completions_written_; }
  /// Number of completions in the completion ring that software has not consumed.
  std::uint64_t completions_unread() const;
  /// Number of completions that wait for room in the completion ring or are being written.
  std::uint64_t completions_waiting() const { return waiting_.size() + completions_under_way_; }
  const DmaFaults& dma_faults() const { return dma_faults_; }
  /// The NIC's receive buffer; null if DMA is as fast as the port.
  const ReceiveBuffer* receive_buffer() const { return buffer_.get(); }
  void add_state(StateDigest& d) const {
    if (buffer_ != nullptr) d(*buffer_);
    for (const auto& [qpn, deadline] : peerless_) d(qpn, deadline);
    d(registers_, sq_head_, sq_fetched_, fetching_, cq_tail_, cq_visible_, waiting_.size(),
      payloads_under_way_, completions_under_way_, completions_written_, unreported_,
      message_bytes_, rq_head_, fetching_receives_, coalesce_event_);
    for (const Receives& receives : receives_) d(receives.posted.size(), receives.filled);
    if (command_refused_) d(command_refused_);
  }

 private:
  static constexpr std::uint32_t kFetchBurst = 8;  // number of descriptors fetched by one DMA read
  enum Transfer : std::uint32_t { kFetch, kPayload, kHeader, kCompletion, kFetchReceive };

  /// Receive buffers that software posted for one queue pair.
  struct Receives {
    std::deque<nic_rqe> posted;
    std::uint32_t filled = 0;  // bytes already written to the first posted buffer
  };

  // Functions of regs::RegisterDevice
  std::uint32_t read_register(std::uint16_t index) const override;
  std::uint64_t read_counter(std::uint16_t index) const override;
  std::uint32_t read_window(std::uint16_t, std::uint32_t) const override { return 0; }
  void access(regs::RegisterAccess& access) override;

  // Functions of CompletionSink and DeliverySink.
  void work_done(Qpn qpn, const WorkItem& item, Status status) override;
  bool read_data(Qpn qpn, std::uint64_t address, const Packet& packet) override;
  Result delivered(Qpn qpn, const Packet& packet) override;

  // Functions of DmaClient
  void dma_done(std::uint32_t transfer, bool ok) override;

  void register_written(std::uint16_t index, std::uint32_t value);
  void apply_settings();
  void queue_pair_command(std::uint32_t command);
  void ring_doorbells();
  void fetch_more();
  void take_entries(bool readable);
  void start_work(const nic_wqe& entry);
  void reject(const nic_wqe& entry);
  void fetch_receives();
  void take_receives(bool readable);
  void post_receive(const nic_rqe& entry);
  void end_receive(const nic_rqe& entry, std::uint8_t status);
  void flush_receives(Qpn qpn);
  bool in_window(std::uint64_t address, std::uint64_t bytes) const;
  bool moves_payload() const { return nic_.parameters().real_payload(); }
  /// True if all bytes lie in memory; otherwise counts a DMA fault.
  bool in_memory(const DmaFault& about, std::uint64_t bytes, bool writable);
  void fault(DmaFault fault);
  bool is_startable(const nic_wqe& entry, Operation operation);
  bool has_room(const Packet& packet) const;
  Result full() const;
  void payload_written(bool ok);
  void await_peer(Qpn qpn);
  void forget_peerless(Qpn qpn);
  void give_up_peerless();
  Result take_payload(std::uint64_t address, const Packet& packet);
  Result take_write(Qpn qpn, const Packet& packet);
  Result take_send(Qpn qpn, const Packet& packet);
  void complete(const nic_cqe& completion);
  void flush_completions();
  void completion_written(bool ok);
  void raise_completion();
  void soft_reset();

  std::uint32_t reg(std::uint32_t offset) const;
  std::uint64_t reg64(std::uint32_t low_offset) const;
  std::uint32_t send_entries() const;
  std::uint32_t completion_entries() const;

  Scheduler& scheduler_;
  NicDevice& nic_;
  Dma& dma_;
  ConnectionManager& connections_;
  regs::RegisterBlock registers_;

  NicCounters at_reset_;  // NIC counters at the last reset; registers show the difference to these
  std::uint16_t sq_head_ = 0;     // next send queue entry to start
  std::uint16_t sq_fetched_ = 0;  // next send queue entry to fetch
  std::uint32_t fetching_ = 0;    // number of send queue entries being fetched
  std::array<nic_wqe, kFetchBurst> fetched_{};
  std::uint16_t cq_tail_ = 0;  // next completion queue entry to write
  // next completion queue entry to become visible (register CQ_TAIL)
  std::uint16_t cq_visible_ = 0;
  std::deque<nic_cqe> waiting_;  // completions that wait for room in the completion ring
  std::uint32_t payloads_under_way_ = 0;
  std::uint32_t completions_under_way_ = 0;
  std::uint64_t completions_written_ = 0;
  std::uint32_t unreported_ = 0;  // number of completions since the last interrupt
  bool command_refused_ = false;  // true if the last command of register QP_CMD was not carried out
  std::vector<std::uint32_t>
      message_bytes_;               // bytes received of the current message of each queue pair
  std::vector<Receives> receives_;  // posted receive buffers, indexed by queue pair
  std::uint16_t rq_head_ = 0;       // next receive queue entry to fetch
  std::uint32_t fetching_receives_ = 0;
  std::array<nic_rqe, kFetchBurst> fetched_receives_{};
  Event coalesce_event_;
  std::vector<bool> waits_for_peer_;  // QueuePairIdentity::waits_for_peer of each queue pair
  // Queue pairs that have work but no remote end, sorted by the time at which the work fails.
  std::deque<std::pair<Qpn, PicoSeconds>> peerless_;
  Event peerless_event_;
  DmaFaults dma_faults_;
  std::unique_ptr<ReceiveBuffer> buffer_;  // receive buffer; null: DMA is fast, so none is needed
};

}  // namespace dcc
