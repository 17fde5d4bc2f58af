// Accounting of a switch's inputs: buffer space, and the pauses and credits sent to neighbours.
#pragma once

#include "switch/shared_buffer.h"
#include "switch/switch_parameters.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class EgressPorts;

/// Accounting of a switch's inputs. It charges each waiting packet to the packet's input and
/// priority, and tells the neighbour at that input to stop or continue: by pause frames (802.1Qbb)
/// or by credits (InfiniBand). Input numbers are port numbers; own_input() stands for packets that
/// the switch itself created.
class IngressControl {
 public:
  /// `ports` must outlive this object and may still be empty. Throws std::invalid_argument as
  /// SharedBuffer does.
  IngressControl(const SwitchParameters& parameters, int ports, EgressPorts& egress);

  /// Input number that stands for packets that the switch itself created.
  int own_input() const { return own_input_; }
  SharedBuffer& buffer() { return buffer_; }
  const SharedBuffer& buffer() const { return buffer_; }
  bool with_credits() const { return with_credits_; }
  /// True while the release of a packet may require a frame to a neighbour: a class is paused, or
  /// flow control works by credits. While it is true, no packet may bypass the accounting.
  bool attends_releases() const { return paused_classes_ != 0; }

  /// Charges a packet to its input, and pauses the neighbour if the packet's class reached its
  /// threshold. Returns false if there is no room and nothing was charged.
  bool admit(const Packet& packet) {
    const int input = packet.ingress;
    const int priority = packet.priority;
    const Bytes bytes = packet.wire_bytes;
    if (!buffer_.admit(input, priority, bytes)) return false;
    if (with_credits_) store_with_credits(input, priority, bytes);
    if (buffer_.must_pause(input, priority) && input != own_input_) pause(input, priority);
    return true;
  }
  /// Short form of admit() for the common case: charges the packet if the packet's class stays
  /// below its threshold and flow control is not by credits. Returns false if the packet was not
  /// charged; the caller must then call admit().
  bool admit_freely(const Packet& packet) {
    return !with_credits_ &&
           buffer_.admit_freely(packet.ingress, packet.priority, packet.wire_bytes);
  }
  /// Releases the bytes that admit() charged, and resumes the neighbour or returns the neighbour's
  /// credits.
  void release(int input, int priority, Bytes bytes) {
    buffer_.release(input, priority, bytes);
    if (paused_classes_ != 0 && input != own_input_) notify_release(input, priority, bytes);
  }
  /// Returns the credits of a packet that was consumed or discarded without being charged.
  void return_credits_of(const Packet& packet);
  /// Makes exactly these priorities of `port` lossless: bit p stands for priority p. Neighbours
  /// paused in another priority are resumed.
  void set_pfc_mask(int port, std::uint8_t priorities);

  /// Sets for which priorities a full input leads to ECN marks.
  void set_marking(const EcnParameters& ecn) {
    const bool at_inputs = ecn.enabled && ecn.mark_at == EcnParameters::MarkAt::kInputFull;
    marked_priorities_ = at_inputs ? ecn.priorities : std::uint8_t{0};
  }

  /// While true, packets are being routed again, and admit() does not count their arrival a second
  /// time.
  void set_rerouting(bool rerouting) { rerouting_ = rerouting; }
  bool is_rerouting() const { return rerouting_; }

  /// Number of paused classes (input and priority), plus one if flow control is by credits.
  int paused_classes() const { return paused_classes_; }

 private:
  void pause(int input, int priority);
  void notify_release(int input, int priority, Bytes bytes);
  void mark_if_asked(int input, int priority);
  void store_with_credits(int input, int priority, Bytes bytes);
  void release_with_credits(int input, int priority, Bytes bytes);

  SharedBuffer buffer_;
  EgressPorts& egress_;
  int own_input_;
  int paused_classes_ = 0;  // number of paused classes; never 0 with credit flow control
  bool with_credits_;
  bool rerouting_ = false;
  // mask of the priorities whose packets are marked when an input is full
  std::uint8_t marked_priorities_ = 0;
};

}  // namespace dcc
