#include "fake_nic.h"

#include <algorithm>
#include <cstring>

#include "driver/irq_regs.h"
#include "driver/nic_driver.h"
#include "driver/nic_regs.h"

namespace dcc::test {

FakeNic::FakeNic(FakeMachine& machine) : machine_(machine) {
  machine_.reg(NIC_BASE + NIC_ID_OFFSET) = NIC_ID_RESET;
  machine_.reg(NIC_BASE + NIC_VERSION_OFFSET) = NIC_VERSION_RESET;
  machine_.reg(NIC_BASE + NIC_CAPS_OFFSET) = NIC_CAPS_RESET;
  machine_.reg(NIC_BASE + NIC_HOST_ID_OFFSET) = 7;
  machine_.on_write = [this](std::uint64_t a, std::uint32_t v) { written(a, v); };
  machine_.on_read = [this](std::uint64_t a, std::uint32_t v) { return value_of(a, v); };
  machine_.levels = [this] { return interrupt() ? 1u << IRQ_SOURCE_NIC : 0u; };
}

std::uint32_t FakeNic::reg(std::uint32_t offset) { return machine_.reg(NIC_BASE + offset); }

bool FakeNic::interrupt() const {
  return (status_ & machine_.reg(NIC_BASE + NIC_IRQ_MASK_OFFSET)) != 0;
}

void FakeNic::raise(std::uint32_t causes) { status_ |= causes; }

std::uint32_t FakeNic::value_of(std::uint64_t address, std::uint32_t stored) {
  switch (address - NIC_BASE) {
    case NIC_STATUS_OFFSET:
      return NIC_STATUS_READY_MASK;
    case NIC_IRQ_STATUS_OFFSET:
      return status_;
    case NIC_SQ_HEAD_OFFSET:
      return sq_head_;
    case NIC_CQ_TAIL_OFFSET:
      return cq_tail_;
    case NIC_QP_STATUS_OFFSET:
      return (queue_pairs_.count(reg(NIC_QP_SELECT_OFFSET)) != 0 ? NIC_QP_STATUS_VALID_MASK : 0) |
             (command_refused_ ? NIC_QP_STATUS_REFUSED_MASK : 0);
    default:
      return stored;
  }
}

void FakeNic::written(std::uint64_t address, std::uint32_t value) {
  if (address < NIC_BASE || address >= NIC_BASE + NIC_SIZE) return;
  switch (address - NIC_BASE) {
    case NIC_CTRL_OFFSET:
      if ((value & NIC_CTRL_SOFT_RESET_MASK) != 0) {
        sq_head_ = sq_tail_ = cq_tail_ = cq_head_ = 0;
        queue_pairs_.clear();
      }
      break;
    case NIC_IRQ_STATUS_OFFSET:
      status_ &= ~value;
      break;
    case NIC_SQ_TAIL_OFFSET:
      ++doorbells_;
      sq_tail_ = static_cast<std::uint16_t>(value);
      fetch();
      break;
    case NIC_CQ_HEAD_OFFSET:
      cq_head_ = static_cast<std::uint16_t>(value);
      flush_held();
      break;
    case NIC_QP_CMD_OFFSET: {
      if (refuse_queue_pairs) break;
      const std::uint32_t qpn = reg(NIC_QP_SELECT_OFFSET);
      command_refused_ = false;
      if (value == NIC_QP_CMD_OPERATION_CHANGE_CLASS) {
        const auto pair = queue_pairs_.find(qpn);
        command_refused_ = pair == queue_pairs_.end() || refuse_classes;
        if (!command_refused_) pair->second.dscp = reg(NIC_QP_DSCP_OFFSET);
        break;
      }
      if (value == NIC_QP_CMD_OPERATION_DESTROY) {
        queue_pairs_.erase(qpn);
        break;
      }
      QueuePair& pair = queue_pairs_[qpn];
      pair.remote_host = reg(NIC_QP_REMOTE_HOST_OFFSET);
      pair.remote_qpn = reg(NIC_QP_REMOTE_QPN_OFFSET);
      pair.dscp = reg(NIC_QP_DSCP_OFFSET);
      pair.priority = reg(NIC_QP_PRIORITY_OFFSET);
      break;
    }
    default:
      break;
  }
}

void FakeNic::fetch() {
  const std::uint64_t base = reg(NIC_SQ_BASE_LO_OFFSET);
  const std::uint32_t entries = 1u << reg(NIC_SQ_SIZE_LOG2_OFFSET);
  while (sq_head_ != sq_tail_ && in_flight_ < fetch_limit) {
    const auto entry = machine_.in_ram<nic_wqe>(base + 64ull * (sq_head_ % entries));
    ++sq_head_;
    most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
    queue_pairs_.at(entry.qpn).work.push_back(entry);
    if (!queue_pairs_.at(entry.qpn).busy) send_next(entry.qpn);
  }
}

void FakeNic::send_next(std::uint32_t qpn) {
  QueuePair& pair = queue_pairs_.at(qpn);
  pair.busy = !pair.work.empty();
  if (!pair.busy) return;
  machine_.after(message_ns, [this, qpn] {
    QueuePair& sender = queue_pairs_.at(qpn);
    const nic_wqe entry = sender.work.front();
    sender.work.pop_front();
    --in_flight_;
    nic_cqe done{};
    done.wr_id = entry.wr_id;
    done.timestamp_ns = machine_.now();
    done.byte_len = entry.length;
    done.qpn = qpn;
    done.opcode = NIC_CQE_SEND_DONE;
    done.status = fail_status;
    if (fail_status == NIC_CQE_OK) arrive(qpn, entry);
    if (done.status != NIC_CQE_OK || (entry.flags & NIC_WQE_SIGNALED) != 0) complete(done);
    send_next(qpn);
    fetch();
  });
}

void FakeNic::arrive(std::uint32_t qpn, const nic_wqe& entry) {
  if (copy_payload) {
    std::memcpy(machine_.ram(entry.remote_address), machine_.ram(entry.local_address),
                entry.length);
    if (static_cast<std::int64_t>(sent_) == corrupt_after) {
      *machine_.ram(entry.remote_address + corrupt_offset) ^= 0x10;
    }
  }
  ++sent_;
  if (entry.opcode != NIC_WQE_RDMA_WRITE_IMMEDIATE) return;
  if (drop_receives > 0) {
    --drop_receives;
    return;
  }
  nic_cqe received{};
  received.timestamp_ns = machine_.now();
  received.byte_len = entry.length;
  received.immediate = entry.immediate;
  received.qpn = queue_pairs_.at(qpn).remote_qpn;
  received.opcode = NIC_CQE_RECEIVE_IMMEDIATE;
  late_.push_back(received);
  while (late_.size() > payload_ahead) {
    complete(late_.front());
    late_.pop_front();
  }
}

void FakeNic::complete(nic_cqe completion) {
  held_.push_back(completion);
  flush_held();
}

void FakeNic::flush_held() {
  const std::uint64_t base = reg(NIC_CQ_BASE_LO_OFFSET);
  const std::uint32_t entries = 1u << reg(NIC_CQ_SIZE_LOG2_OFFSET);
  while (!held_.empty() && static_cast<std::uint16_t>(cq_tail_ - cq_head_) < entries) {
    nic_cqe entry = held_.front();
    held_.pop_front();
    entry.phase = (cq_tail_ / entries) % 2 == 0;
    machine_.in_ram<nic_cqe>(base + 32ull * (cq_tail_ % entries)) = entry;
    ++cq_tail_;
    raise(NIC_IRQ_STATUS_COMPLETION_MASK);
  }
}

}  // namespace dcc::test
