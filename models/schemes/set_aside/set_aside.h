// Queues set aside for congested destinations: a port gives the destination that fills its queue a
// queue of its own, so that packets to other destinations do not wait behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "switch/discipline.h"

namespace dcc {

/// After Escudero-Sahuquillo et al., "Cost-effective congestion management for interconnection
/// networks using distributed deterministic routing" (FBICM), and "CCFIT", which adds a limit of
/// injection at the sender.
struct SetAsideParameters final : DisciplineParameters {
  unsigned queues = 4;  // number of queues that a port can set aside
  Bytes detect = 64_KB;
  Bytes stop = 64_KB;
  Bytes go = 32_KB;
  std::optional<Bytes> mark_above;  // empty: no marks
  Bytes limit = 16_MB;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* replaces() const override { return "fifo"; }
};

/// A port has a common queue and a few queues to set aside, which take turns.
///
/// - A common queue of `detect` bytes: the destination with most of them gets a queue of its own.
/// - A queue set aside that holds `stop` bytes from one input: the neighbour there is told to stop
///   packets to this destination, and at `go` bytes to send them again. The neighbour sets a queue
///   aside for them too, and so on to the host.
/// - A queue goes back when it is empty and nobody told this port to stop.
/// - No queue is free: the common queue tells the neighbours to stop the whole link, by the same
///   limits. A stop for which this port has no queue stops the whole port.
class SetAsidePort final : public PortDiscipline {
 public:
  explicit SetAsidePort(const SetAsideParameters& parameters);

  /// A packet that finds the port idle may be one that a neighbour stopped.
  bool needs_every_packet() const override { return true; }
  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  Packet* evict() override;
  PicoSeconds ready_at() const override { return PicoSeconds::max(); }
  bool empty() const override { return bytes_ == 0; }
  Bytes bytes() const override { return bytes_; }
  void receive_flow_pause(HostId host, bool stop) override;
  void carrier_changed() override;
  void input_carrier_changed(int input) override;
  void add_state(StateDigest& d) const override;

  /// Number of queues that are set aside now.
  std::size_t taken() const;

 private:
  /// Packets of a queue that came through one input.
  struct Input {
    Bytes bytes = 0;
    bool stopped = false;       // the neighbour was told to stop
    std::uint8_t priority = 0;  // priority that was stopped, of the common queue
    template <class Digest>
    void add_state(Digest& d) const {
      d(bytes, stopped, priority);
    }
  };
  struct Queue {
    PacketFifo fifo;
    Bytes bytes = 0;
    std::vector<Input> inputs;  // by number of the input
    // Of a queue to set aside:
    bool taken = false;
    bool here = false;   // congestion began at this port, not at a neighbour
    unsigned stops = 0;  // number of ports of the neighbour that told this port to stop
    HostId host = 0;     // destination of its packets
    template <class Digest>
    void add_state(Digest& d) const {
      d(fifo, bytes, inputs, taken, here, stops, host);
    }
  };

  Queue* queue_of(const Packet& packet);
  Queue* queue_of(HostId host);
  /// Gives a destination a queue and moves its packets there; null: none is free.
  Queue* set_aside(HostId host);
  std::optional<HostId> greatest() const;
  static void push(Queue& queue, Packet* packet);
  /// Tells the neighbour at an input to stop if the queue holds enough of its packets.
  void stop_if_full(Queue& queue, std::size_t input, std::uint8_t priority);
  Packet* pop(Queue& queue);
  void tell(Queue& queue, std::size_t input, bool stop);
  void give_back(Queue& queue);

  SetAsideParameters parameters_;
  Queue common_;
  std::vector<Queue> aside_;
  std::vector<HostId> unheld_;  // destinations that are stopped and have no queue: the port waits
  std::size_t turn_ = 0;        // queue that is served next; 0: the common one
  Bytes bytes_ = 0;             // bytes in all queues
};

}  // namespace dcc
