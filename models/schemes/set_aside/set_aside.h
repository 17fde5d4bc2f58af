// Queues set aside for congested destinations: a port gives the destination that fills its queue a
// queue of its own, so that packets to other destinations do not wait behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/state_digest.h"
#include "switch/discipline.h"

namespace dcc {

/// After Escudero-Sahuquillo et al., "Cost-effective congestion management for interconnection
/// networks using distributed deterministic routing" (FBICM), and "CCFIT", which adds a limit of
/// injection at the sender.
struct SetAsideParameters final : DisciplineParameters {
  unsigned queues = 4;  // number of queues that a port can set aside for congested destinations
  Bytes detect = 64_KB;
  Bytes stop = 64_KB;
  Bytes go = 32_KB;
  // length in bytes above which a queue marks packets; empty: no marks
  std::optional<Bytes> mark_above;
  Bytes limit = 16_MB;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* replaces() const override { return "fifo"; }
};

/// A port has a common queue and a few queues to set aside, which take turns.
///
/// - When the common queue holds `detect` bytes, the destination with most of these bytes gets a
///   queue of its own.
/// - When a queue set aside holds `stop` bytes from one input, the port tells the neighbour at this
///   input to stop packets to the destination. At `go` bytes the port tells the neighbour to
///   resume. The neighbour sets a queue aside for the destination, too, and so on up to the sending
///   host.
/// - A queue set aside becomes free again when it is empty and no neighbour has told this port to
///   stop its destination.
/// - If no queue is free, the common queue tells the neighbours to stop the whole link, by the same
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

  /// Number of queues that are set aside for destinations now.
  std::size_t taken() const;

 private:
  /// Packets of a queue that arrived through one input port.
  struct Input {
    Bytes bytes = 0;
    bool stopped = false;  // true if the neighbour at this input was told to stop
    // priority that the neighbour was told to stop, for the common queue only
    std::uint8_t priority = 0;
    void add_state(StateDigest& d) const { d(bytes, stopped, priority); }
  };
  struct Queue {
    PacketFifo fifo;
    Bytes bytes = 0;
    std::vector<Input> inputs;  // contents of the queue by number of the input port
    // Members that only a queue set aside uses.
    bool taken = false;
    bool here = false;  // true if congestion began at this port, not at a neighbour
    // number of the neighbour's ports that told this port to stop packets to the destination
    unsigned stops = 0;
    HostId host = 0;  // destination of the packets in the queue
    void add_state(StateDigest& d) const { d(fifo, bytes, inputs, taken, here, stops, host); }
  };

  Queue* queue_of(const Packet& packet);
  Queue* queue_of(HostId host);
  /// Sets a queue aside for a destination and moves the destination's packets into it; null: no
  /// queue is free.
  Queue* set_aside(HostId host);
  std::optional<HostId> greatest() const;
  static void push(Queue& queue, Packet* packet);
  /// Tells the neighbour at an input port to stop if the queue holds too many bytes from this
  /// input.
  void stop_if_full(Queue& queue, std::size_t input, std::uint8_t priority);
  Packet* pop(Queue& queue);
  void tell(Queue& queue, std::size_t input, bool stop);
  void give_back(Queue& queue);

  SetAsideParameters parameters_;
  Queue common_;
  std::vector<Queue> aside_;
  // stopped destinations without a queue of their own; they stop the whole port
  std::vector<HostId> unheld_;
  std::size_t turn_ = 0;  // index of the queue that is served next; 0: the common queue
  Bytes bytes_ = 0;       // bytes in all queues of the port
};

}  // namespace dcc
