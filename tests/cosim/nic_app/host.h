// Host software of one NIC: bring-up by the driver, queues that always have data, checks of arrived
// frames.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "app_pins.h"
#include "driver/dcc_driver.h"

namespace dcc {

/// Addresses of the block's own registers, from 0x100000 on, beside those of the controller
/// (rtl/nic/doc/contract.md).
enum class AppRegister : std::uint32_t {
  kId = 0x100000,
  kStatus = 0x100004,
  kQpnBase = 0x100008,
  kOwnIp = 0x10000C,
  kOwnMacLow = 0x100010,
  kOwnMacHigh = 0x100014,
  kCnp = 0x100018,
  kDefaultRate = 0x10001C,
  kPeer = 0x100020,
  kInterval = 0x100024,
  kContext = 0x100028,
  kCommand = 0x10002C,
  kRefused = 0x100030,
  kUnbound = 0x100034,
  kCnpsIn = 0x100038,
  kCnpsOut = 0x10003C,
  kCut = 0x100040,
  kMemoryErrors = 0x100044,
  kMemoryCorrected = 0x100048,
  kMemoryWord = 0x10004C,
};

constexpr std::uint32_t kLightDscp = 10, kHeavyDscp = 12;  // DSCPs of the weights 1 and 4
constexpr std::uint32_t kCnpDscp = 48, kCnpPriority = 6, kDataPriority = 3;
constexpr std::uint32_t kPayload = 1024;
/// Rate of a flow before its first CE mark in Mb/s. At this rate all flows together exceed the link
/// rate.
constexpr std::uint32_t kFirstRate = 2000;

/// Flow i of one host sends to flow i of the other host. Odd flows have weight 4, even flows weight
/// 1.
class Host {
 public:
  /// `clock` executes one cycle of the whole network. Register accesses call it until they are
  /// done.
  Host(unsigned number, AppPins& pins, std::function<void()> clock);

  /// Brings the NIC's block up: addresses, controller, contexts of all flows.
  void bring_up();
  /// Hands frames to the block, one flow after the other, while the flow has fewer than kDepth
  /// frames in the block.
  void cycle();
  bool sending = false;
  /// Number of flows that cycle() uses, from flow 0 on.
  std::uint32_t flows = kFlows;

  std::uint32_t read(std::uint32_t address);
  /// Reads two registers. The block gets the second address while the first data wait for `wait`
  /// cycles.
  std::array<std::uint32_t, 2> read_two(AppRegister first, AppRegister second, std::uint32_t wait);
  void write(std::uint32_t address, std::uint32_t value);
  std::uint32_t read(AppRegister at) { return read(static_cast<std::uint32_t>(at)); }
  void write(AppRegister at, std::uint32_t v) { write(static_cast<std::uint32_t>(at), v); }
  /// Executes a register access. Returns true if the block refuses it.
  bool refuses(bool write, std::uint32_t address, std::uint32_t value, std::uint8_t strobes = 15);
  dcc_controller& controller() { return controller_; }

  /// A data frame of a flow, in the form that the host posts.
  Frame frame_of(std::uint32_t flow);
  /// Number of a flow's frames in the block that are not completed.
  std::uint32_t outstanding(std::uint32_t flow) const { return outstanding_.at(flow); }
  std::uint64_t frames_sent() const { return frames_sent_; }
  std::uint64_t cnps_received() const { return cnps_received_; }
  /// Payload bytes that this host received from each flow of the other host.
  const std::array<std::uint64_t, kFlows>& arrived() const { return arrived_; }
  std::uint64_t frames_arrived() const { return frames_arrived_; }

 private:
  void receive(const Frame& frame);
  void complete(std::uint32_t tag);
  static dcc_config program();

  unsigned number_;
  AppPins& pins_;
  std::function<void()> clock_;
  hal hal_{};
  dcc_controller controller_{};
  std::uint32_t next_flow_ = 0, next_tag_ = 0;
  std::map<std::uint32_t, std::uint32_t> tags_;  // tag of an uncompleted frame -> flow number
  std::array<std::uint32_t, kFlows> outstanding_{}, sent_psn_{}, arrived_psn_{};
  std::array<std::uint64_t, kFlows> arrived_{};
  std::uint64_t frames_sent_ = 0, frames_arrived_ = 0, cnps_received_ = 0;
};

}  // namespace dcc
