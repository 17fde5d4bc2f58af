// One application block (dcc_app_block), and the bench's side of its host, MAC and software
// interfaces.
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

constexpr std::uint32_t kFlows = 64;     // number of flows, as in rtl/nic/CMakeLists.txt
constexpr std::uint32_t kDepth = 4;      // maximum number of frames of a flow in the block
constexpr std::uint32_t kMaxBeats = 32;  // maximum number of beats of a frame
constexpr std::uint32_t kBeat = 64;      // bytes of a beat

/// Throws std::runtime_error with the text `what` unless `holds` is true.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

using FrameBytes = std::vector<std::uint8_t>;

/// A frame on an AXI stream, from the destination MAC address to the byte before the FCS.
struct Frame {
  FrameBytes bytes;
  std::uint32_t queue = 0;        // tid of the transmit stream: the queue
  std::uint32_t destination = 0;  // tdest of the transmit stream: the destination
  std::uint32_t tag = 0;          // tag of the transmit stream
  bool bad = false;               // bit 0 of tuser: the frame is bad
};

/// Drives the block's pins cycle by cycle. The streams carry whole frames: a caller puts frames
/// into the input queues and receives output frames through functions. The bench completes each
/// frame that the MAC accepted. Outputs of the block do not depend on inputs of the same cycle, so
/// one evaluation per clock edge suffices.
class AppPins {
 public:
  /// `context` must outlive all blocks; it draws the contents of memories and flip-flops without
  /// reset. `seed` draws the cycles in which the bench's ends of the streams are not ready.
  AppPins(VerilatedContext& context, std::string name, std::uint32_t seed);
  ~AppPins();

  /// Asserts the reset for a few cycles.
  void reset();
  /// Executes one clock cycle. Throws std::runtime_error if an assertion fails or if the block
  /// breaks a rule of AXI streams.
  void cycle();

  /// Frames of the host that wait at the transmit stream, and frames of the network that wait at
  /// the receive stream.
  std::deque<Frame> to_send, to_receive;
  /// Called for each frame that left for the network and for the host, and for each completion with
  /// the frame's tag.
  std::function<void(Frame)> sent, received;
  std::function<void(std::uint32_t tag)> completed;
  /// Called before each clock edge, when all pins have their values.
  std::function<void(const Vnic_app&)> before_edge;
  /// Bit mask of the priorities that PFC pauses.
  std::uint8_t paused = 0;
  /// The bench's ends of the streams are not ready in one of `stalls` cycles on average; 0: always
  /// ready.
  std::uint32_t stalls = 64;

  bool interrupt() const { return (block_->gpio_out & 1) != 0; }
  bool ready() const { return (block_->gpio_out & 2) != 0; }
  const std::string& name() const { return name_; }
  /// The verilated block, for a bench that flips bits of its memories.
  Vnic_app& block() { return *block_; }

  // One AXI4-Lite access at a time: call begin_access(), then cycle() until the access is done.
  void begin_access(bool write, std::uint32_t address, std::uint32_t value, std::uint8_t strobes);
  bool access_done() const { return access_ == Access::kDone; }
  /// Begins two AXI4-Lite reads at once. The host takes the first read's data `wait` cycles late,
  /// and offers the second address meanwhile. Call cycle() until access_done(). Then first_data()
  /// returns the data of the first read, and data() returns the data of the second read.
  void begin_reads(std::uint32_t first, std::uint32_t second, std::uint32_t wait);
  std::uint32_t first_data() const { return first_data_; }
  /// True if the block's response to the last AXI4-Lite access was not OKAY.
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
  // bytes of the first frames that the block has accepted
  std::size_t send_at_ = 0, receive_at_ = 0;
  Frame leaving_, arriving_;  // frames that have partly left the block
  std::deque<std::uint32_t> completions_;
  Access access_ = Access::kDone;
  bool address_waits_ = false, data_waits_ = false;
  // cycles until write address and data become valid
  std::uint32_t address_after_ = 0, data_after_ = 0;
  std::uint32_t response_ = 0, data_ = 0, first_data_ = 0;
  // the second of two reads: its address, whether it still waits, whether its data are expected
  std::uint32_t second_ = 0, responses_wait_ = 0;
  bool second_waits_ = false, second_expected_ = false;
};

}  // namespace dcc
