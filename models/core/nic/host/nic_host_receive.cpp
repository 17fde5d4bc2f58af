// The receiving half of the NIC's software interface: receive ring, remote accesses, receive
// buffer.
#include <algorithm>
#include <utility>

#include "driver/nic_regs.h"
#include "nic/host/nic_host_interface.h"
#include "wire/roce_headers.h"

namespace dcc {

// ---------------------------------------------------------------- receive ring

void NicHostInterface::fetch_receives() {
  if (fetching_receives_ != 0) return;
  const auto posted = static_cast<std::uint16_t>(reg(NIC_RQ_TAIL_OFFSET) - rq_head_);
  if (posted == 0) return;
  const std::uint32_t entries = 1u << reg(NIC_RQ_SIZE_LOG2_OFFSET);
  const std::uint32_t first = rq_head_ % entries;
  fetching_receives_ = std::min({std::uint32_t{posted}, kFetchBurst, entries - first});
  dma_.read(reg64(NIC_RQ_BASE_LO_OFFSET) + first * sizeof(nic_rqe), fetched_receives_.data(),
            fetching_receives_ * std::uint32_t{sizeof(nic_rqe)}, *this, kFetchReceive);
}

void NicHostInterface::take_receives(bool readable) {
  const std::uint32_t count = fetching_receives_;
  if (!readable) {
    const std::uint32_t first = rq_head_ % (1u << reg(NIC_RQ_SIZE_LOG2_OFFSET));
    fault({"the receive ring (RQ_BASE)", reg64(NIC_RQ_BASE_LO_OFFSET) + first * sizeof(nic_rqe), 0,
           "entry", rq_head_});
  }
  rq_head_ = static_cast<std::uint16_t>(rq_head_ + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    post_receive(readable ? fetched_receives_[i] : nic_rqe{});
  }
  fetching_receives_ = 0;
  fetch_receives();
}

void NicHostInterface::post_receive(const nic_rqe& entry) {
  const Transmitter& transmitter = nic_.transmitter();
  if (!transmitter.exists(entry.qpn) || entry.length == 0 || entry.length > NIC_MESSAGE_BYTES_MAX ||
      !in_window(entry.address, entry.length) ||
      (moves_payload() && !in_memory({"the buffer of a receive entry", entry.address, entry.qpn,
                                      "work request", entry.wr_id},
                                     entry.length, true))) {
    registers_.raise(NIC_IRQ_STATUS_SQ_ERROR_MASK);
    end_receive(entry, NIC_CQE_LOCAL_ERROR);
    return;
  }
  if (receives_.size() <= entry.qpn) receives_.resize(entry.qpn + 1);
  receives_[entry.qpn].posted.push_back(entry);
}

void NicHostInterface::end_receive(const nic_rqe& entry, std::uint8_t status) {
  nic_cqe completion{};
  completion.wr_id = entry.wr_id;
  completion.qpn = entry.qpn;
  completion.status = status;
  completion.opcode = NIC_CQE_RECEIVE;
  complete(completion);
}

/// Completes all receive buffers of a queue pair as flushed. Called when the queue pair is
/// destroyed or created anew.
void NicHostInterface::flush_receives(Qpn qpn) {
  if (qpn >= receives_.size()) return;
  Receives receives;
  std::swap(receives, receives_[qpn]);
  for (const nic_rqe& entry : receives.posted) end_receive(entry, NIC_CQE_FLUSHED);
}

NicHostInterface::Result NicHostInterface::take_send(Qpn qpn, const Packet& packet) {
  if (qpn >= receives_.size() || receives_[qpn].posted.empty()) return Result::kNotReady;
  Receives& receives = receives_[qpn];
  const nic_rqe entry = receives.posted.front();
  if (!has_room(packet)) return full();
  const bool datagram = packet.service == Service::kUd;
  if (packet.first) receives.filled = datagram ? std::uint32_t{NIC_DATAGRAM_HEADER_BYTES} : 0u;
  if (packet.payload_bytes > entry.length ||
      receives.filled > entry.length - packet.payload_bytes) {
    receives.posted.pop_front();
    end_receive(entry, NIC_CQE_LENGTH_ERROR);
    return Result::kInvalid;
  }
  if (datagram && packet.payload != nullptr) {
    std::array<std::uint8_t, NIC_DATAGRAM_HEADER_BYTES> header{};
    const roce::HeaderBytes sent =
        roce::write_headers(roce::headers_of(packet, 0), packet.payload_bytes);
    std::copy_n(sent.bytes.begin() + roce::kEthernet, roce::kIpv4, header.end() - roce::kIpv4);
    ++payloads_under_way_;
    dma_.write(entry.address, header.data(), header.size(), *this, kHeader);
  }
  const Result result = take_payload(entry.address + receives.filled, packet);
  receives.filled += packet.payload_bytes;
  if (packet.last) {
    receives.posted.pop_front();
    nic_cqe completion{};
    completion.wr_id = entry.wr_id;
    completion.byte_len = receives.filled;
    completion.immediate = datagram ? packet.source_qpn : packet.immediate;
    completion.qpn = qpn;
    completion.status = NIC_CQE_OK;
    completion.opcode = packet.has_immediate ? NIC_CQE_RECEIVE_SEND_IMMEDIATE : NIC_CQE_RECEIVE;
    complete(completion);
  }
  return result;
}

// ---------------------------------------------------------------- remote accesses

NicHostInterface::Result NicHostInterface::delivered(Qpn qpn, const Packet& packet) {
  if (packet.operation == Operation::kWrite) return take_write(qpn, packet);
  if (packet.operation == Operation::kSend) return take_send(qpn, packet);
  if (!in_window(packet.remote_address, packet.message_bytes)) return Result::kAccess;
  if (moves_payload() && !in_memory({"the source of a remote READ or atomic operation",
                                     packet.remote_address, qpn, "packet", packet.psn},
                                    packet.message_bytes, is_atomic(packet.operation))) {
    return Result::kAccess;
  }
  return is_atomic(packet.operation) && packet.remote_address % kAtomicBytes != 0
             ? Result::kInvalid
             : Result::kAccepted;
}

bool NicHostInterface::in_window(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t base = reg64(NIC_MR_BASE_LO_OFFSET);
  const std::uint64_t length = reg(NIC_MR_LENGTH_OFFSET);
  return address >= base && bytes <= length && address - base <= length - bytes;
}

NicHostInterface::Result NicHostInterface::take_payload(std::uint64_t address,
                                                        const Packet& packet) {
  if (packet.payload == nullptr) return Result::kAccepted;
  ++payloads_under_way_;
  if (buffer_ != nullptr) buffer_->enter(packet);
  dma_.write(address, packet.payload->data(), packet.payload_bytes, *this, kPayload);
  return buffer_ != nullptr ? Result::kBuffered : Result::kAccepted;
}

bool NicHostInterface::has_room(const Packet& packet) const {
  return buffer_ == nullptr || buffer_->has_room(packet.payload_bytes);
}

NicHostInterface::Result NicHostInterface::full() const {
  const bool again =
      nic_.parameters().receive_buffer.when_full == ReceiveBufferParameters::WhenFull::kNotReady;
  return again ? Result::kFull : Result::kDiscarded;
}

void NicHostInterface::payload_written(bool ok) {
  --payloads_under_way_;
  if (!ok) ++nic_.counters().mr_violations;  // no memory is at the address
  if (buffer_ != nullptr) nic_.receiver().in_memory(buffer_->leave());
}

bool NicHostInterface::read_data(Qpn, std::uint64_t address, const Packet& packet) {
  return take_payload(address, packet) == Result::kBuffered;
}

NicHostInterface::Result NicHostInterface::take_write(Qpn qpn, const Packet& packet) {
  if (!in_window(packet.remote_address, packet.payload_bytes)) return Result::kAccess;
  if (packet.payload != nullptr && !in_memory({"the destination of a remote WRITE",
                                               packet.remote_address, qpn, "packet", packet.psn},
                                              packet.payload_bytes, true)) {
    return Result::kAccess;
  }
  if (!has_room(packet)) return full();
  const Result result = take_payload(packet.remote_address, packet);
  std::uint32_t& received = message_bytes_[qpn];
  if (packet.first) received = 0;
  received += packet.payload_bytes;
  if (packet.last && packet.has_immediate) {
    nic_cqe completion{};
    completion.byte_len = received;
    completion.immediate = packet.immediate;
    completion.qpn = qpn;
    completion.status = NIC_CQE_OK;
    completion.opcode = NIC_CQE_RECEIVE_IMMEDIATE;
    complete(completion);
  }
  return result;
}

}  // namespace dcc
