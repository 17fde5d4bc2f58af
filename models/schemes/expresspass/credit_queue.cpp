#include "schemes/expresspass/credit_queue.h"

#include <algorithm>

namespace dcc {

void CreditQueueParameters::describe(ParameterVisitor& v) {
  const char* const paper = "ExpressPass, SIGCOMM'17";
  v.field("credits", credits, {"1", "100000"}, {"credits that may wait at a port", paper});
  v.field("burst", burst, {"1", "1000"}, {"credits that may leave in a row after a pause", paper});
  v.field("credit_frame", credit_frame, {"40B", "1KB"},
          {"a credit on the wire, preamble and gap included", paper});
  v.field("data_frame", data_frame, {"64B", "64KB"},
          {"the largest packet that answers a credit, preamble and gap included", paper});
}

PicoSeconds CreditQueue::spacing(Bytes bytes) const {
  const Bytes both = bytes * (parameters_.credit_frame + parameters_.data_frame);
  return serialization_time(both / parameters_.credit_frame, rate_);
}

Packet* CreditQueue::push(Packet* credit, RandomStream& random) {
  Packet* loser = nullptr;
  if (waiting_.size() == parameters_.credits) {
    const std::size_t drawn = random.below(waiting_.size() + 1);
    if (drawn == waiting_.size()) return credit;
    loser = waiting_[drawn];
    bytes_ -= loser->wire_bytes;
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(drawn));
  }
  waiting_.push_back(credit);
  bytes_ += credit->wire_bytes;
  return loser;
}

PicoSeconds CreditQueue::ready_at() const {
  const Bytes size = waiting_.front()->wire_bytes + overhead_;
  const Bytes depth =
      std::max(static_cast<Bytes>(parameters_.burst) * parameters_.credit_frame, size);
  const PicoSeconds ahead = spacing(depth - size);
  return full_at_ > ahead ? full_at_ - ahead : PicoSeconds(0);
}

Packet* CreditQueue::pop(PicoSeconds now) {
  Packet* const credit = waiting_.front();
  waiting_.erase(waiting_.begin());
  bytes_ -= credit->wire_bytes;
  full_at_ = std::max(full_at_, now) + spacing(credit->wire_bytes + overhead_);
  return credit;
}

}  // namespace dcc
