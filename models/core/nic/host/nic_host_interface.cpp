#include "nic/host/nic_host_interface.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "registers/generated/nic_map.h"
#include "wire/roce_headers.h"

namespace dcc {

namespace map = regs::nic_map;

namespace {
constexpr std::uint32_t kQueuePairsLog2 = map::kCapsQpsLog2Reset;

std::optional<Operation> operation_of(std::uint8_t opcode) {
  switch (opcode) {
    case NIC_WQE_RDMA_WRITE:
    case NIC_WQE_RDMA_WRITE_IMMEDIATE:
      return Operation::kWrite;
    case NIC_WQE_SEND:
    case NIC_WQE_SEND_IMMEDIATE:
      return Operation::kSend;
    case NIC_WQE_RDMA_READ:
      return Operation::kRead;
    case NIC_WQE_COMPARE_SWAP:
      return Operation::kCompareSwap;
    case NIC_WQE_FETCH_ADD:
      return Operation::kFetchAdd;
    default:
      return std::nullopt;
  }
}

std::uint8_t cqe_status(CompletionSink::Status status) {
  switch (status) {
    case CompletionSink::Status::kOk:
      return NIC_CQE_OK;
    case CompletionSink::Status::kLocalError:
      return NIC_CQE_LOCAL_ERROR;
    case CompletionSink::Status::kRemoteError:
      return NIC_CQE_REMOTE_ERROR;
    case CompletionSink::Status::kRemoteInvalid:
      return NIC_CQE_REMOTE_INVALID;
    case CompletionSink::Status::kRetryExceeded:
      return NIC_CQE_RETRY_EXCEEDED;
    case CompletionSink::Status::kNotReady:
      return NIC_CQE_NOT_READY;
    case CompletionSink::Status::kFlushed:
      break;
  }
  return NIC_CQE_FLUSHED;
}
}  // namespace

NicHostInterface::NicHostInterface(Scheduler& scheduler, NicDevice& nic, Dma& dma,
                                   ConnectionManager& connections, std::uint32_t rank)
    : scheduler_(scheduler),
      nic_(nic),
      dma_(dma),
      connections_(connections),
      registers_(map::kMap, *this),
      coalesce_event_(Event::calling<&NicHostInterface::raise_completion>(*this, rank)),
      peerless_event_(Event::calling<&NicHostInterface::give_up_peerless>(*this, rank)) {
  if (nic_.parameters().has_slow_memory()) {
    buffer_ = std::make_unique<ReceiveBuffer>(
        nic_.parameters(), [this](unsigned priorities) { nic_.send_pause(priorities); });
    nic_.receiver().set_receive_buffer(buffer_.get());
  }
  nic_.transmitter().set_completion_sink(this);
  nic_.transmitter().set_dma(&dma_);
  nic_.receiver().set_delivery_sink(this);
  constexpr std::uint64_t kMaxMbps = NIC_CAPS_LINK_RATE_MASK >> NIC_CAPS_LINK_RATE_SHIFT;
  const std::uint64_t mbps = nic_.parameters().line_rate.bits_per_second / 1'000'000;
  registers_.set_parameter(map::kCaps, kQueuePairsLog2 << NIC_CAPS_QPS_LOG2_SHIFT |
                                           static_cast<std::uint32_t>(std::min(mbps, kMaxMbps))
                                               << NIC_CAPS_LINK_RATE_SHIFT);
  apply_settings();
}

std::uint32_t NicHostInterface::reg(std::uint32_t offset) const {
  std::uint32_t value = 0;
  registers_.peek(offset, value);
  return value;
}
std::uint64_t NicHostInterface::reg64(std::uint32_t low) const {
  return reg(low) | static_cast<std::uint64_t>(reg(low + 4)) << 32;
}
std::uint64_t NicHostInterface::completions_unread() const {
  return static_cast<std::uint16_t>(cq_visible_ - reg(NIC_CQ_HEAD_OFFSET));
}
std::uint32_t NicHostInterface::send_entries() const { return 1u << reg(NIC_SQ_SIZE_LOG2_OFFSET); }
std::uint32_t NicHostInterface::completion_entries() const {
  return 1u << reg(NIC_CQ_SIZE_LOG2_OFFSET);
}

// ---------------------------------------------------------------- registers

std::uint32_t NicHostInterface::read_register(std::uint16_t index) const {
  switch (static_cast<map::Live>(index)) {
    case map::Live::kStatus: {
      const bool idle = sq_head_ == static_cast<std::uint16_t>(reg(NIC_SQ_TAIL_OFFSET)) &&
                        fetching_ == 0 && payloads_under_way_ == 0 && completions_waiting() == 0;
      return NIC_STATUS_READY_MASK | (idle ? NIC_STATUS_IDLE_MASK : 0u);
    }
    case map::Live::kHostId:
      return nic_.parameters().host;
    case map::Live::kSqHead:
      return sq_head_;
    case map::Live::kCqTail:
      return cq_visible_;
    case map::Live::kRqHead:
      return rq_head_;
    case map::Live::kQpStatus: {
      const Qpn qpn = reg(NIC_QP_SELECT_OFFSET);
      const Transmitter& transmitter = nic_.transmitter();
      const std::uint32_t refused = command_refused_ ? NIC_QP_STATUS_REFUSED_MASK : 0u;
      if (!transmitter.exists(qpn)) return refused;
      return NIC_QP_STATUS_VALID_MASK | (transmitter.failed(qpn) ? NIC_QP_STATUS_ERROR_MASK : 0u) |
             (transmitter.has_work(qpn) ? NIC_QP_STATUS_BUSY_MASK : 0u) | refused;
    }
  }
  std::abort();  // unreachable: the register block reads live registers only
}

std::uint64_t NicHostInterface::read_counter(std::uint16_t index) const {
  const NicCounters& c = nic_.counters();
  const NicCounters& b = at_reset_;
  switch (static_cast<map::Counter>(index)) {
    case map::kStatPacketsSent:
      return c.packets_sent - b.packets_sent;
    case map::kStatPacketsReceived:
      return c.packets_received - b.packets_received;
    case map::kStatBytesSent:
      return c.bytes_sent - b.bytes_sent;
    case map::kStatBytesReceived:
      return c.bytes_received - b.bytes_received;
    case map::kStatCnpsSent:
      return c.cnps_sent - b.cnps_sent;
    case map::kStatCnpsReceived:
      return c.cnps_received - b.cnps_received;
    case map::kStatCeReceived:
      return c.ce_received - b.ce_received;
    case map::kStatAcksSent:
      return c.acks_sent - b.acks_sent;
    case map::kStatAcksReceived:
      return c.acks_received - b.acks_received;
    case map::kStatIcrcErrors:
      return c.icrc_errors - b.icrc_errors;
    case map::kStatRetransmits:
      return c.retransmits - b.retransmits;
    case map::kStatMrViolations:
      return c.mr_violations - b.mr_violations;
    case map::kStatCompletions:
      return completions_written_;
    case map::kStatReceivesMissing:
      return c.receives_missing - b.receives_missing;
  }
  std::abort();  // unreachable: every counter of the map is listed
}

void NicHostInterface::access(regs::RegisterAccess& access) {
  if (!access.write) return access.answer();
  if (access.register_written) register_written(access.index, access.stored);
}

void NicHostInterface::register_written(std::uint16_t index, std::uint32_t value) {
  if (index == map::kCtrl && (value & NIC_CTRL_SOFT_RESET_MASK) != 0) return soft_reset();
  apply_settings();
  switch (static_cast<map::Command>(index)) {
    case map::Command::kCtrl:  // posted work may wait for the bit ENABLE of CTRL
    case map::Command::kSqTail:
    case map::Command::kRqTail:
      ring_doorbells();
      break;
    case map::Command::kCqHead:
      flush_completions();
      break;
    case map::Command::kQpCmd:
      queue_pair_command(value);
      break;
    case map::Command::kCcClass:
      nic_.set_weight(
          static_cast<std::uint8_t>((value & NIC_CC_CLASS_DSCP_MASK) >> NIC_CC_CLASS_DSCP_SHIFT),
          Ratio((value & NIC_CC_CLASS_WEIGHT_MASK) >> NIC_CC_CLASS_WEIGHT_SHIFT, 256));
      break;
    case map::Command::kSqBaseLo:
    case map::Command::kSqBaseHi:
    case map::Command::kSqSizeLog2:
    case map::Command::kCqBaseLo:
    case map::Command::kCqBaseHi:
    case map::Command::kCqSizeLog2:
    case map::Command::kQpSelect:
    case map::Command::kQpRemoteHost:
    case map::Command::kQpRemoteQpn:
    case map::Command::kQpDscp:
    case map::Command::kQpPriority:
    case map::Command::kQpService:
    case map::Command::kRqBaseLo:
    case map::Command::kRqBaseHi:
    case map::Command::kRqSizeLog2:
    case map::Command::kMrBaseLo:
    case map::Command::kMrBaseHi:
    case map::Command::kMrLength:
    case map::Command::kIrqCoalesce:
      break;  // no action: the value is read when it is used
  }
}

// Copies register fields into the NIC's parameters, at construction, after each write and after a
// reset.
void NicHostInterface::apply_settings() {
  const map::Parameters p = map::parameters_of(registers_);
  nic_.set_enabled(p.enable);
  nic_.receiver().enable_cnps(p.cnp.enable);
  NicParameters& parameters = nic_.parameters();
  parameters.ack = static_cast<AckMode>(p.ack_mode);
  parameters.cnp.carry_marks = p.cnp.carry_marks;
  parameters.cnp.interval = kNanoSecond * p.cnp.interval;
  parameters.cnp.dscp = p.cnp.dscp;
  parameters.cnp.priority = p.cnp.priority;
  if (parameters.mtu != p.mtu) nic_.set_mtu(p.mtu);
}

void NicHostInterface::queue_pair_command(std::uint32_t command) {
  const Qpn qpn = reg(NIC_QP_SELECT_OFFSET);
  const HostId host = nic_.parameters().host;
  command_refused_ = qpn >= (1u << kQueuePairsLog2);
  if (command_refused_) return;
  const auto operation = (command & NIC_QP_CMD_OPERATION_MASK) >> NIC_QP_CMD_OPERATION_SHIFT;
  if (operation == NIC_QP_CMD_OPERATION_CHANGE_CLASS) {
    command_refused_ = !nic_.change_class(qpn, static_cast<std::uint8_t>(reg(NIC_QP_DSCP_OFFSET)));
    return;
  }
  forget_peerless(qpn);
  if (operation == NIC_QP_CMD_OPERATION_DESTROY) {
    nic_.destroy_queue_pair(qpn);
    flush_receives(qpn);
    connections_.destroyed(host, qpn);
    return;
  }
  QueuePairConfig config;
  config.remote_host = reg(NIC_QP_REMOTE_HOST_OFFSET);
  config.remote_qpn = reg(NIC_QP_REMOTE_QPN_OFFSET);
  config.dscp = static_cast<std::uint8_t>(reg(NIC_QP_DSCP_OFFSET));
  config.priority = static_cast<std::uint8_t>(reg(NIC_QP_PRIORITY_OFFSET));
  config.service = static_cast<Service>(reg(NIC_QP_SERVICE_OFFSET));
  const QueuePairIdentity identity = connections_.identify(host, qpn, config);
  static_cast<QueuePairProperties&>(config) = static_cast<const QueuePairProperties&>(identity);
  nic_.create_queue_pair(qpn, config);
  if (message_bytes_.size() <= qpn) message_bytes_.resize(qpn + 1);
  message_bytes_[qpn] = 0;
  if (waits_for_peer_.size() <= qpn) waits_for_peer_.resize(qpn + 1);
  waits_for_peer_[qpn] = identity.waits_for_peer;
  flush_receives(qpn);
  connections_.created(host, qpn, config);
}

void NicHostInterface::soft_reset() {
  const HostId host = nic_.parameters().host;
  for (Qpn qpn = 0; qpn < nic_.transmitter().queue_pairs(); ++qpn) {
    if (!nic_.transmitter().exists(qpn)) continue;
    nic_.destroy_queue_pair(qpn);
    connections_.destroyed(host, qpn);
  }
  dma_.cancel(*this);
  scheduler_.cancel(coalesce_event_);
  scheduler_.cancel(peerless_event_);
  peerless_.clear();
  if (buffer_ != nullptr) buffer_->clear();
  waiting_.clear();
  receives_.clear();
  fetching_ = fetching_receives_ = payloads_under_way_ = completions_under_way_ = 0;
  sq_head_ = sq_fetched_ = cq_tail_ = cq_visible_ = rq_head_ = 0;
  unreported_ = 0;
  command_refused_ = false;
  at_reset_ = nic_.counters();
  completions_written_ = 0;
  registers_.reset();
  apply_settings();
}

// ---------------------------------------------------------------- send ring

void NicHostInterface::ring_doorbells() {
  if ((reg(NIC_CTRL_OFFSET) & NIC_CTRL_ENABLE_MASK) == 0) return;
  fetch_more();
  fetch_receives();
}

void NicHostInterface::fetch_more() {
  if (fetching_ != 0) return;
  const auto posted = static_cast<std::uint16_t>(reg(NIC_SQ_TAIL_OFFSET) - sq_fetched_);
  if (posted == 0) return;
  // One DMA burst stays within the ring, even if the doorbell value is invalid.
  const std::uint32_t entries = send_entries();
  const std::uint32_t first = sq_fetched_ % entries;
  fetching_ = std::min({std::uint32_t{posted}, kFetchBurst, entries - first});
  sq_fetched_ = static_cast<std::uint16_t>(sq_fetched_ + fetching_);
  dma_.read(reg64(NIC_SQ_BASE_LO_OFFSET) + first * sizeof(nic_wqe), fetched_.data(),
            fetching_ * std::uint32_t{sizeof(nic_wqe)}, *this, kFetch);
}

void NicHostInterface::take_entries(bool readable) {
  const std::uint32_t count = fetching_;
  if (!readable) {
    const std::uint32_t first = sq_head_ % send_entries();
    fault({"the send ring (SQ_BASE)", reg64(NIC_SQ_BASE_LO_OFFSET) + first * sizeof(nic_wqe), 0,
           "entry", sq_head_});
  }
  sq_head_ = static_cast<std::uint16_t>(sq_head_ + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (readable) {
      start_work(fetched_[i]);
    } else {
      reject(nic_wqe{});
    }
  }
  fetching_ = 0;
  fetch_more();
}

void NicHostInterface::start_work(const nic_wqe& entry) {
  const bool with_immediate =
      entry.opcode == NIC_WQE_RDMA_WRITE_IMMEDIATE || entry.opcode == NIC_WQE_SEND_IMMEDIATE;
  const std::optional<Operation> operation = operation_of(entry.opcode);
  if (!operation || entry.length == 0 || entry.length > NIC_MESSAGE_BYTES_MAX ||
      !nic_.transmitter().exists(entry.qpn)) {
    reject(entry);
    return;
  }
  if (!is_startable(entry, *operation)) {
    reject(entry);
    return;
  }
  WorkItem item;
  item.operation = *operation;
  item.remote_host = entry.remote_host;
  item.remote_qpn = entry.remote_qpn;
  item.id = entry.wr_id;
  item.bytes = entry.length;
  item.local_address = entry.local_address;
  item.remote_address = entry.remote_address;
  item.immediate = entry.immediate;
  item.with_immediate = with_immediate;
  item.operands = {entry.swap_or_add, entry.compare};
  item.signalled = (entry.flags & NIC_WQE_SIGNALED) != 0;
  nic_.transmitter().post(entry.qpn, item);
  if (!nic_.transmitter().connected(entry.qpn)) await_peer(entry.qpn);
}

/// True if the queue pair's service has the operation, and addresses and lengths are such that the
/// NIC may begin. Precondition: the queue pair exists.
bool NicHostInterface::is_startable(const nic_wqe& entry, Operation operation) {
  const Service service = nic_.transmitter().service(entry.qpn);
  if (service == Service::kUd) {
    return entry.opcode == NIC_WQE_SEND && connections_.has_host(entry.remote_host) &&
           entry.length <= nic_.transmitter().path_mtu(entry.remote_host);
  }
  if (!expects_response(operation)) return true;
  if (is_atomic(operation) && entry.length != kAtomicBytes) return false;
  if (service != Service::kRc || !in_window(entry.local_address, entry.length)) return false;
  return !moves_payload() ||
         in_memory({"the destination of a READ or atomic operation", entry.local_address, entry.qpn,
                    "work request", entry.wr_id},
                   entry.length, true);
}

// ---------------------------------------------------------------- queue pairs without a remote end

/// Makes work wait for the queue pair's remote end as long as a sender would have waited for an
/// acknowledgement.
void NicHostInterface::await_peer(Qpn qpn) {
  if (waits_for_peer_[qpn] || nic_.transmitter().failed(qpn)) return;
  for (const auto& waiting : peerless_) {
    if (waiting.first == qpn) return;
  }
  const RecoveryParameters& recovery = nic_.parameters().recovery;
  const unsigned tries = recovery.retries.value_or(kConnectRetries) + 1;
  peerless_.emplace_back(qpn, scheduler_.now() + recovery.timeout * tries);
  if (!peerless_event_.is_scheduled()) {
    scheduler_.schedule_at(peerless_event_, peerless_.front().second);
  }
}

void NicHostInterface::forget_peerless(Qpn qpn) {
  peerless_.erase(
      std::remove_if(peerless_.begin(), peerless_.end(),
                     [qpn](const std::pair<Qpn, PicoSeconds>& one) { return one.first == qpn; }),
      peerless_.end());
}

void NicHostInterface::give_up_peerless() {
  while (!peerless_.empty() && peerless_.front().second <= scheduler_.now()) {
    const Qpn qpn = peerless_.front().first;
    peerless_.pop_front();
    const Transmitter& transmitter = nic_.transmitter();
    if (transmitter.connected(qpn) || transmitter.failed(qpn)) continue;
    nic_.transmitter().give_up(qpn);
    connections_.given_up(nic_.parameters().host, qpn);
  }
  if (!peerless_.empty()) scheduler_.schedule_at(peerless_event_, peerless_.front().second);
}

// ---------------------------------------------------------------- addresses that are not memory

bool NicHostInterface::in_memory(const DmaFault& about, std::uint64_t bytes, bool writable) {
  if (dma_.reaches(about.address, bytes, writable)) return true;
  fault(about);
  return false;
}

void NicHostInterface::fault(DmaFault fault) {
  ++nic_.counters().dma_errors;
  fault.at = scheduler_.now();
  dma_faults_.add(fault);
}

void NicHostInterface::reject(const nic_wqe& entry) {
  nic_cqe completion{};
  completion.wr_id = entry.wr_id;
  completion.qpn = entry.qpn;
  completion.status = NIC_CQE_LOCAL_ERROR;
  completion.opcode = NIC_CQE_SEND_DONE;
  registers_.raise(NIC_IRQ_STATUS_SQ_ERROR_MASK);
  complete(completion);
}

// ---------------------------------------------------------------- completions

void NicHostInterface::work_done(Qpn qpn, const WorkItem& item, Status status) {
  if (status == Status::kOk && !item.signalled) return;
  // Payload that cannot be read fails its queue pair; a response that does not fit its request has
  // the same status but counts no DMA fault.
  if (status == Status::kLocalError && !expects_response(item.operation) && moves_payload()) {
    in_memory({"the payload of a request", item.local_address, qpn, "work request", item.id},
              static_cast<std::uint64_t>(item.bytes), false);
  }
  nic_cqe completion{};
  completion.wr_id = item.id;
  completion.byte_len = static_cast<std::uint32_t>(item.bytes);
  completion.qpn = qpn;
  completion.status = cqe_status(status);
  completion.opcode = NIC_CQE_SEND_DONE;
  complete(completion);
}

void NicHostInterface::complete(const nic_cqe& completion) {
  waiting_.push_back(completion);
  waiting_.back().timestamp_ns =
      static_cast<std::uint64_t>(scheduler_.now().count / kNanoSecond.count);
  flush_completions();
}

void NicHostInterface::flush_completions() {
  const std::uint32_t entries = completion_entries();
  while (!waiting_.empty()) {
    const auto used = static_cast<std::uint16_t>(cq_tail_ - reg(NIC_CQ_HEAD_OFFSET));
    if (used >= entries) return;  // A write of CQ_HEAD by the driver calls this function again.
    nic_cqe completion = waiting_.front();
    waiting_.pop_front();
    const std::uint32_t place = cq_tail_ % entries;
    completion.phase = (cq_tail_ / entries) % 2 == 0 ? 1 : 0;
    ++cq_tail_;
    ++completions_under_way_;
    dma_.write(reg64(NIC_CQ_BASE_LO_OFFSET) + place * sizeof completion, &completion,
               sizeof completion, *this, kCompletion);
  }
}

void NicHostInterface::completion_written(bool ok) {
  --completions_under_way_;
  const std::uint16_t index = cq_visible_++;
  if (!ok) {
    const std::uint32_t place = index % completion_entries();
    fault({"the completion ring (CQ_BASE)", reg64(NIC_CQ_BASE_LO_OFFSET) + place * sizeof(nic_cqe),
           0, "entry", index});
    registers_.raise(NIC_IRQ_STATUS_SQ_ERROR_MASK);  // the send ring lies outside host memory
    return;
  }
  ++completions_written_;
  ++unreported_;
  const std::uint32_t coalesce = reg(NIC_IRQ_COALESCE_OFFSET);
  const std::uint32_t count =
      (coalesce & NIC_IRQ_COALESCE_COUNT_MASK) >> NIC_IRQ_COALESCE_COUNT_SHIFT;
  const std::uint32_t delay =
      (coalesce & NIC_IRQ_COALESCE_DELAY_MASK) >> NIC_IRQ_COALESCE_DELAY_SHIFT;
  if (unreported_ >= count) {
    raise_completion();
  } else if (delay != 0 && !coalesce_event_.is_scheduled()) {
    scheduler_.schedule_in(coalesce_event_, kMicroSecond * delay);
  }
}

void NicHostInterface::raise_completion() {
  scheduler_.cancel(coalesce_event_);
  unreported_ = 0;
  registers_.raise(NIC_IRQ_STATUS_COMPLETION_MASK);
}

void NicHostInterface::dma_done(std::uint32_t transfer, bool ok) {
  switch (static_cast<Transfer>(transfer)) {
    case kFetch:
      return take_entries(ok);
    case kPayload:
      return payload_written(ok);
    case kHeader:
      --payloads_under_way_;
      return;
    case kCompletion:
      return completion_written(ok);
    case kFetchReceive:
      return take_receives(ok);
  }
}

}  // namespace dcc
