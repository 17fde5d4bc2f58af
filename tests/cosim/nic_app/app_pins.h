// One application block (dcc_app_block), with the host, the MAC and the software around it.
#pragma once

#include <Vnic_app.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace dcc {

constexpr std::uint32_t kFlows = 64;     // rtl/nic/CMakeLists.txt
constexpr std::uint32_t kDepth = 4;      // frames of a flow that wait in the block
constexpr std::uint32_t kMaxBeats = 32;  // of a frame
constexpr std::uint32_t kBeat = 64;      // bytes

/// Throws std::runtime_error with `what` unless `holds`.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

using FrameBytes = std::vector<std::uint8_t>;

/// A frame on a stream, from the destination MAC address to before the FCS.
struct Frame {
  FrameBytes bytes;
  std::uint32_t queue = 0;        // tid of the transmit stream
  std::uint32_t destination = 0;  // tdest of the transmit stream
  std::uint32_t tag = 0;          // transmit tag
  bool bad = false;               // bit 0 of tuser
};

/// The block's pins, cycle by cycle. The streams carry whole frames: a caller puts frames into the
/// queues of inputs and receives those of outputs through functions. Completions follow each frame
/// that the MAC took. Outputs of the block do not depend on inputs of the same cycle, so one
/// evaluation a clock edge suffices.
class AppPins {
 public:
  /// `context` outlives all blocks and draws the contents of memories and flops without reset.
  /// `seed` draws the cycles in which the bench's ends of streams are not ready.
  AppPins(VerilatedContext& context, std::string name, std::uint32_t seed);
  ~AppPins();

  /// Holds the reset for a few cycles.
  void reset();
  /// Executes one clock cycle. Throws std::runtime_error if an assertion failed or a rule of the
  /// streams is broken.
  void cycle();

  /// Frames of the host that wait at the transmit stream, and of the network at the receive stream.
  std::deque<Frame> to_send, to_receive;
  /// Frames that left for the network and for the host, and tags of completions to the host.
  std::function<void(Frame)> sent, received;
  std::function<void(std::uint32_t tag)> completed;
  /// Priorities that PFC pauses, by bit.
  std::uint8_t paused = 0;
  /// The bench's ends of streams are not ready in one of this number of cycles; 0: always ready.
  std::uint32_t stalls = 64;

  bool interrupt() const { return (block_->gpio_out & 1) != 0; }
  bool ready() const { return (block_->gpio_out & 2) != 0; }
  const std::string& name() const { return name_; }
  /// The verilated block, for a bench that flips bits of its memories.
  Vnic_app& block() { return *block_; }

  // AXI4-Lite, one access at a time: begin one, call cycle() until it is done.
  void begin_access(bool write, std::uint32_t address, std::uint32_t value, std::uint8_t strobes);
  bool access_done() const { return access_ == Access::kDone; }
  /// True if the response to the last access was not OKAY.
  bool refused() const { return response_ != 0; }
  std::uint32_t data() const { return data_; }

 private:
  enum class Access : std::uint8_t { kDone, kWrite, kRead };
  bool stalled() { return stalls != 0 && random_() % stalls == 0; }
  void drive_transmit();
  void drive_receive();
  void drive_completions();
  void drive_control();

  std::string name_;
  std::mt19937 random_;
  VerilatedContext& context_;
  std::unique_ptr<Vnic_app> block_;
  std::size_t send_at_ = 0, receive_at_ = 0;  // bytes of the first frames that are taken
  Frame leaving_, arriving_;                  // parts of frames that left the block
  std::deque<std::uint32_t> completions_;
  Access access_ = Access::kDone;
  bool address_waits_ = false, data_waits_ = false;
  std::uint32_t address_after_ = 0, data_after_ = 0;  // cycles until they are offered
  std::uint32_t response_ = 0, data_ = 0;
};

}  // namespace dcc
