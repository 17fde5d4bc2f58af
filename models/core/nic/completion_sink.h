// Interface through which a transmitter reports finished work.
#pragma once

#include <cstdint>

#include "nic/work_queue.h"
#include "wire/packet.h"

namespace dcc {

/// Receives completions of work requests. Implementations may post new work but must not create
/// queue pairs within the call.
class CompletionSink {
 public:
  enum class Status : std::uint8_t {
    kOk,
    kLocalError,     // this host's memory failed, or a response does not fit its request
    kRemoteError,    // the remote host refused the address of the request
    kRemoteInvalid,  // the message is longer than the remote host's buffer
    kRetryExceeded,  // the retry limit was reached without an acknowledgement
    kNotReady,       // the retry limit was reached without a buffer at the remote host
    kFlushed,        // the queue pair failed or was destroyed before this work was done
  };
  virtual void work_done(Qpn qpn, const WorkItem& item, Status status) = 0;
  /// Part of a READ response arrived, to be written to this host's `address`. The sink gets the
  /// last part of a work item before the item's work_done(). Returns true if the sink counts the
  /// bytes as received once they are in memory (Receiver::in_memory()).
  virtual bool read_data(Qpn, std::uint64_t /*address*/, const Packet&) { return false; }

 protected:
  ~CompletionSink() = default;
};

}  // namespace dcc
