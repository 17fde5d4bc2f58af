// The receive ring: buffers that software posts for SENDs, and the SENDs that fill them.
#include <algorithm>
#include <utility>

#include "nic/nic_host_interface.h"
#include "registers/generated/nic_map.h"
#include "wire/roce_headers.h"

namespace dcc {

namespace map = regs::nic_map;

void NicHostInterface::fetch_receives() {
  if (fetching_receives_ != 0) return;
  const auto posted = static_cast<std::uint16_t>(reg(map::kRqTailOffset) - rq_head_);
  if (posted == 0) return;
  const std::uint32_t entries = 1u << reg(map::kRqSizeLog2Offset);
  const std::uint32_t first = rq_head_ % entries;
  fetching_receives_ = std::min({std::uint32_t{posted}, kFetchBurst, entries - first});
  dma_.read(reg64(map::kRqBaseLoOffset) + first * sizeof(nic_rqe), fetched_receives_.data(),
            fetching_receives_ * std::uint32_t{sizeof(nic_rqe)}, *this, kFetchReceive);
}

void NicHostInterface::take_receives(bool readable) {
  const std::uint32_t count = fetching_receives_;
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
      !in_window(entry.address, entry.length)) {
    registers_.raise(map::kIrqStatusSqErrorMask);
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

/// Of a queue pair that is destroyed, or created anew.
void NicHostInterface::flush_receives(Qpn qpn) {
  if (qpn >= receives_.size()) return;
  Receives receives;
  std::swap(receives, receives_[qpn]);
  for (const nic_rqe& entry : receives.posted) end_receive(entry, NIC_CQE_FLUSHED);
}

NicHostInterface::Verdict NicHostInterface::take_send(Qpn qpn, const Packet& packet) {
  if (qpn >= receives_.size() || receives_[qpn].posted.empty()) return Verdict::kNotReady;
  Receives& receives = receives_[qpn];
  const nic_rqe entry = receives.posted.front();
  const bool datagram = packet.service == Service::kUd;
  if (packet.first) receives.filled = datagram ? std::uint32_t{NIC_DATAGRAM_HEADER_BYTES} : 0u;
  if (packet.payload_bytes > entry.length ||
      receives.filled > entry.length - packet.payload_bytes) {
    receives.posted.pop_front();
    end_receive(entry, NIC_CQE_LENGTH_ERROR);
    return Verdict::kInvalid;
  }
  if (datagram && packet.payload != nullptr) {
    std::array<std::uint8_t, NIC_DATAGRAM_HEADER_BYTES> header{};
    const roce::HeaderBytes sent =
        roce::write_headers(roce::headers_of(packet, 0), packet.payload_bytes);
    std::copy_n(sent.bytes.begin() + roce::kEthernet, roce::kIpv4, header.end() - roce::kIpv4);
    ++payloads_under_way_;
    dma_.write(entry.address, header.data(), header.size(), *this, kPayload);
  }
  take_payload(entry.address + receives.filled, packet);
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
  return Verdict::kTaken;
}

}  // namespace dcc
