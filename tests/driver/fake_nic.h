// A fake NIC in loopback, implemented from driver/nic_descriptors.h alone. The remote queue pair of
// a queue pair is on the same host.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "driver/nic_descriptors.h"
#include "fake_machine.h"

namespace dcc::test {

class FakeNic {
 public:
  explicit FakeNic(FakeMachine& machine);

  // Settings of the NIC's behaviour, which a test may change at any time.
  // time of a message in ns; a queue pair sends one message at a time
  std::uint64_t message_ns = 1000;
  // greatest number of fetched work entries, over all queue pairs
  std::uint32_t fetch_limit = 65536;
  bool copy_payload = true;  // true: payload is copied; false: only descriptors move
  bool refuse_queue_pairs = false;
  bool refuse_classes = false;            // true: the NIC refuses QP_CMD.CHANGE_CLASS
  std::uint8_t fail_status = NIC_CQE_OK;  // status of all further send completions
  int drop_receives = 0;                  // number of receive completions to drop
  int corrupt_after = -1;  // number of the message in which a bit is inverted (any flow)
  std::uint64_t corrupt_offset = 0;
  std::uint64_t payload_ahead = 0;  // number of messages by which receive completions are delayed

  struct QueuePair {
    std::uint32_t remote_host = 0, remote_qpn = 0, dscp = 0, priority = 0;
    std::deque<nic_wqe> work;
    bool busy = false;
  };
  const std::map<std::uint32_t, QueuePair>& queue_pairs() const { return queue_pairs_; }
  std::uint32_t sq_head() const { return sq_head_; }
  std::uint32_t cq_tail() const { return cq_tail_; }
  std::uint64_t doorbells() const { return doorbells_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t completions_held() const { return held_.size(); }
  std::uint32_t most_in_flight() const { return most_in_flight_; }
  bool interrupt() const;

  /// Writes a completion to the ring, as the hardware does.
  void complete(nic_cqe completion);
  void raise(std::uint32_t causes);

 private:
  void written(std::uint64_t address, std::uint32_t value);
  std::uint32_t value_of(std::uint64_t address, std::uint32_t stored);
  void fetch();
  void send_next(std::uint32_t qpn);
  void arrive(std::uint32_t qpn, const nic_wqe& entry);
  void flush_held();
  std::uint32_t reg(std::uint32_t offset);

  FakeMachine& machine_;
  std::map<std::uint32_t, QueuePair> queue_pairs_;
  std::uint32_t status_ = 0;
  bool command_refused_ = false;
  std::uint16_t sq_head_ = 0, sq_tail_ = 0, cq_tail_ = 0, cq_head_ = 0;
  std::uint32_t in_flight_ = 0, most_in_flight_ = 0;
  std::uint64_t doorbells_ = 0, sent_ = 0;
  std::deque<nic_cqe> held_;
  std::deque<nic_cqe> late_;
};

}  // namespace dcc::test
