// Predicts the results of descriptors by a model of two hosts' queue pairs. The model executes one
// descriptor at a time, without packets in flight, time or DMA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "driver/nic_descriptors.h"
#include "wire/packet.h"

namespace dcc::test {

struct NicOracleHost {
  std::vector<std::uint8_t> ram;  // memory of a host from address 0 on, in bytes
  std::uint64_t window = 0;
  std::uint64_t window_bytes = 0;

  bool has(std::uint64_t address, std::uint64_t bytes) const {
    return address <= ram.size() && bytes <= ram.size() - address;
  }
  bool open(std::uint64_t address, std::uint64_t bytes) const {
    return address >= window && bytes <= window_bytes && address - window <= window_bytes - bytes;
  }
};

struct NicOracleCompletion {
  std::uint64_t id;
  std::uint8_t status;
  bool operator==(const NicOracleCompletion& o) const { return id == o.id && status == o.status; }
};

/// One direction between two queue pairs: `requester` posts work, `responder` posts receive
/// entries. The rules are those of driver/nic_descriptors.h and docs/driver.md.
class NicOracle {
 public:
  NicOracleHost requester, responder;
  Service service = Service::kRc;
  std::uint32_t mtu = 1000;
  std::uint32_t hosts = 2;
  Qpn requester_qpn = 0;

  std::vector<NicOracleCompletion> done;      // completions of the requester's work items
  std::vector<NicOracleCompletion> received;  // completions of the responder's receive entries
  bool failed = false;

  void receive(const nic_rqe& entry, bool exists) {
    const bool good = exists && entry.length != 0 && entry.length <= NIC_MESSAGE_BYTES_MAX &&
                      responder.open(entry.address, entry.length) &&
                      responder.has(entry.address, entry.length);
    if (good) {
      buffers_.push_back(entry);
    } else {
      received.push_back({entry.wr_id, NIC_CQE_LOCAL_ERROR});
    }
  }

  void work(const nic_wqe& entry) {
    if (!is_startable(entry)) {
      done.push_back({entry.wr_id, NIC_CQE_LOCAL_ERROR});
      return;
    }
    const std::uint8_t status = failed ? std::uint8_t{NIC_CQE_FLUSHED} : carry_out(entry);
    failed = failed || status != NIC_CQE_OK;
    if (status != NIC_CQE_OK || (entry.flags & NIC_WQE_SIGNALED) != 0) {
      done.push_back({entry.wr_id, status});
    }
  }

  /// Ends the responder's queue pair. Its posted receive entries complete as flushed.
  void flush() {
    for (const nic_rqe& entry : buffers_) received.push_back({entry.wr_id, NIC_CQE_FLUSHED});
    buffers_.clear();
  }

 private:
  static bool is_atomic(std::uint8_t opcode) {
    return opcode == NIC_WQE_COMPARE_SWAP || opcode == NIC_WQE_FETCH_ADD;
  }
  static bool is_send(std::uint8_t opcode) {
    return opcode == NIC_WQE_SEND || opcode == NIC_WQE_SEND_IMMEDIATE;
  }

  bool is_startable(const nic_wqe& e) const {
    if (e.opcode < NIC_WQE_RDMA_WRITE || e.opcode > NIC_WQE_FETCH_ADD) return false;
    if (e.length == 0 || e.length > NIC_MESSAGE_BYTES_MAX || e.qpn != requester_qpn) return false;
    if (service == Service::kUd) {
      return e.opcode == NIC_WQE_SEND && e.length <= mtu && e.remote_host < hosts;
    }
    if (e.opcode != NIC_WQE_RDMA_READ && !is_atomic(e.opcode)) return true;
    return service == Service::kRc && requester.open(e.local_address, e.length) &&
           requester.has(e.local_address, e.length) &&
           (!is_atomic(e.opcode) || e.length == NIC_ATOMIC_BYTES);
  }

  std::uint8_t carry_out(const nic_wqe& e) {
    if (is_atomic(e.opcode) || e.opcode == NIC_WQE_RDMA_READ) return answer(e);
    const bool reliable = service == Service::kRc;
    bool lost = false;  // true while the responder drops the rest of an unreliable message
    std::uint32_t filled = service == Service::kUd ? std::uint32_t{NIC_DATAGRAM_HEADER_BYTES} : 0;
    for (std::uint64_t at = 0; at < e.length; at += mtu) {
      const std::uint64_t bytes = std::min<std::uint64_t>(mtu, e.length - at);
      if (!requester.has(e.local_address + at, bytes)) return NIC_CQE_LOCAL_ERROR;
      if (lost) continue;
      const std::uint8_t status =
          is_send(e.opcode) ? take_send(e, at, bytes, filled) : take_write(e, at, bytes);
      if (status == NIC_CQE_OK) continue;
      if (reliable) return status;
      lost = true;
    }
    return NIC_CQE_OK;
  }

  std::uint8_t take_write(const nic_wqe& e, std::uint64_t at, std::uint64_t bytes) {
    const std::uint64_t to = e.remote_address + at;
    if (!responder.open(to, bytes) || !responder.has(to, bytes)) return NIC_CQE_REMOTE_ERROR;
    std::memcpy(&responder.ram[to], &requester.ram[e.local_address + at], bytes);
    return NIC_CQE_OK;
  }

  std::uint8_t take_send(const nic_wqe& e, std::uint64_t at, std::uint64_t bytes,
                         std::uint32_t& filled) {
    if (buffers_.empty()) return NIC_CQE_NOT_READY;
    const nic_rqe& buffer = buffers_.front();
    if (bytes > buffer.length || filled > buffer.length - bytes) {
      received.push_back({buffer.wr_id, NIC_CQE_LENGTH_ERROR});
      buffers_.pop_front();
      return NIC_CQE_REMOTE_INVALID;
    }
    std::memcpy(&responder.ram[buffer.address + filled], &requester.ram[e.local_address + at],
                bytes);
    filled += static_cast<std::uint32_t>(bytes);
    if (at + bytes == e.length) {
      received.push_back({buffer.wr_id, NIC_CQE_OK});
      buffers_.pop_front();
    }
    return NIC_CQE_OK;
  }

  std::uint8_t answer(const nic_wqe& e) {
    const std::uint64_t from = e.remote_address;
    if (!responder.open(from, e.length) || !responder.has(from, e.length)) {
      return NIC_CQE_REMOTE_ERROR;
    }
    if (is_atomic(e.opcode) && from % NIC_ATOMIC_BYTES != 0) return NIC_CQE_REMOTE_INVALID;
    return NIC_CQE_OK;
  }

  std::deque<nic_rqe> buffers_;
};

}  // namespace dcc::test
