#include "app_pins.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dcc {
namespace {
/// Puts the beat at byte `at` of a frame on the pins of an AXI stream. Returns true for the frame's
/// last beat.
template <class Data, class Keep, class Last>
bool put_beat(const FrameBytes& bytes, std::size_t at, Data& data, Keep& keep, Last& last) {
  const std::size_t size = std::min<std::size_t>(kBeat, bytes.size() - at);
  std::memcpy(&data[0], bytes.data() + at, size);
  keep = size == kBeat ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
  last = at + size == bytes.size();
  return last != 0;
}

/// Appends a beat of an AXI stream to a frame.
template <class Data>
void take_beat(Frame& frame, const Data& data, std::uint64_t keep, bool last,
               const std::string& where) {
  const auto size = static_cast<std::size_t>(__builtin_popcountll(keep));
  require(size != 0 && (size == kBeat ? last || keep == ~std::uint64_t{0}
                                      : last && keep == (std::uint64_t{1} << size) - 1),
          where + ": tkeep has a hole, or a beat before the last one is not full");
  const auto* const from = reinterpret_cast<const std::uint8_t*>(&data[0]);
  frame.bytes.insert(frame.bytes.end(), from, from + size);
}

/// Advances to the next beat of the first frame, or to the next frame, after the block has accepted
/// a beat.
template <class Valid>
void advance(std::deque<Frame>& frames, std::size_t& at, Valid& valid) {
  at += kBeat;
  valid = 0;
  if (at < frames.front().bytes.size()) return;
  frames.pop_front();
  at = 0;
}
}  // namespace

AppPins::AppPins(VerilatedContext& context, std::string name, std::uint32_t seed)
    : name_(std::move(name)),
      random_(seed),
      context_(context),
      block_(std::make_unique<Vnic_app>(&context, name_.c_str())) {}
AppPins::~AppPins() {
  // the thread's previous Verilator context may be destroyed
  ::Verilated::threadContextp(&context_);
  block_->final();
}

void AppPins::reset() {
  block_->clk = 0;
  block_->rst = 0;
  block_->eval();
  block_->rst = 1;
  block_->s_axis_if_tx_tvalid = block_->s_axis_sync_rx_tvalid = block_->s_axis_if_tx_cpl_valid = 0;
  block_->m_axis_if_tx_tready = block_->m_axis_sync_rx_tready = block_->m_axis_if_tx_cpl_ready = 0;
  block_->s_axil_app_ctrl_awvalid = block_->s_axil_app_ctrl_wvalid = 0;
  block_->s_axil_app_ctrl_arvalid = 0;
  block_->s_axil_app_ctrl_bready = block_->s_axil_app_ctrl_rready = 0;
  for (int i = 0; i < 5; ++i) {
    block_->eval();
    block_->clk = 1;
    block_->eval();
    block_->clk = 0;
  }
  block_->eval();
  block_->rst = 0;
}

void AppPins::cycle() {
  auto& pins = *block_;
  drive_transmit();
  drive_receive();
  drive_completions();
  drive_control();
  pins.gpio_in = paused;
  // These transfers happen at the coming clock edge. The block's outputs do not depend on inputs of
  // the same cycle.
  const bool send = pins.s_axis_if_tx_tvalid != 0 && pins.s_axis_if_tx_tready != 0;
  const bool receive = pins.s_axis_sync_rx_tvalid != 0 && pins.s_axis_sync_rx_tready != 0;
  const bool complete = pins.s_axis_if_tx_cpl_valid != 0 && pins.s_axis_if_tx_cpl_ready != 0;
  const bool write_address = pins.s_axil_app_ctrl_awvalid != 0 && pins.s_axil_app_ctrl_awready != 0;
  const bool read_address = pins.s_axil_app_ctrl_arvalid != 0 && pins.s_axil_app_ctrl_arready != 0;
  if (pins.s_axil_app_ctrl_wvalid != 0 && pins.s_axil_app_ctrl_wready != 0) data_waits_ = false;
  if (read_address && !address_waits_) second_waits_ = false;
  if (write_address || read_address) address_waits_ = false;
  if (before_edge) before_edge(pins);
  pins.clk = 1;
  pins.eval();
  if (send) advance(to_send, send_at_, pins.s_axis_if_tx_tvalid);
  if (receive) advance(to_receive, receive_at_, pins.s_axis_sync_rx_tvalid);
  if (complete) completions_.pop_front();
  block_->clk = 0;
  block_->eval();
  require(!context_.gotError(), name_ + ": an assertion failed; see above");
}

void AppPins::drive_transmit() {
  auto& pins = *block_;
  // An offered beat stays valid until the block accepts it.
  if (pins.s_axis_if_tx_tvalid == 0) pins.s_axis_if_tx_tvalid = !to_send.empty() && !stalled();
  if (pins.s_axis_if_tx_tvalid != 0) {
    const Frame& frame = to_send.front();
    const bool last = put_beat(frame.bytes, send_at_, pins.s_axis_if_tx_tdata,
                               pins.s_axis_if_tx_tkeep, pins.s_axis_if_tx_tlast);
    pins.s_axis_if_tx_tid = static_cast<std::uint16_t>(frame.queue);
    pins.s_axis_if_tx_tdest = static_cast<std::uint8_t>(frame.destination);
    pins.s_axis_if_tx_tuser = frame.tag << 1 | (frame.bad && last ? 1u : 0u);
  }
  pins.m_axis_if_tx_tready = !stalled();
  if (pins.m_axis_if_tx_tvalid != 0 && pins.m_axis_if_tx_tready != 0) {
    const bool last = pins.m_axis_if_tx_tlast != 0;
    take_beat(leaving_, pins.m_axis_if_tx_tdata, pins.m_axis_if_tx_tkeep, last, name_);
    if (last) {
      leaving_.queue = pins.m_axis_if_tx_tid;
      leaving_.destination = pins.m_axis_if_tx_tdest;
      leaving_.tag = pins.m_axis_if_tx_tuser >> 1;
      leaving_.bad = (pins.m_axis_if_tx_tuser & 1) != 0;
      completions_.push_back(leaving_.tag);
      sent(std::exchange(leaving_, {}));
    }
  }
}

void AppPins::drive_receive() {
  auto& pins = *block_;
  if (pins.s_axis_sync_rx_tvalid == 0) pins.s_axis_sync_rx_tvalid = !to_receive.empty();
  if (pins.s_axis_sync_rx_tvalid != 0) {
    const Frame& frame = to_receive.front();
    const bool last = put_beat(frame.bytes, receive_at_, pins.s_axis_sync_rx_tdata,
                               pins.s_axis_sync_rx_tkeep, pins.s_axis_sync_rx_tlast);
    pins.s_axis_sync_rx_tuser[0] = frame.tag << 1 | (frame.bad && last ? 1u : 0u);
  }
  pins.m_axis_sync_rx_tready = !stalled();
  if (pins.m_axis_sync_rx_tvalid != 0 && pins.m_axis_sync_rx_tready != 0) {
    const bool last = pins.m_axis_sync_rx_tlast != 0;
    take_beat(arriving_, pins.m_axis_sync_rx_tdata, pins.m_axis_sync_rx_tkeep, last, name_);
    if (last) {
      arriving_.tag = pins.m_axis_sync_rx_tuser[0] >> 1;
      arriving_.bad = (pins.m_axis_sync_rx_tuser[0] & 1) != 0;
      received(std::exchange(arriving_, {}));
    }
  }
}

void AppPins::drive_completions() {
  auto& pins = *block_;
  pins.s_axis_if_tx_cpl_valid = !completions_.empty();
  if (!completions_.empty())
    pins.s_axis_if_tx_cpl_tag = static_cast<std::uint16_t>(completions_.front());
  pins.m_axis_if_tx_cpl_ready = !stalled();
  if (pins.m_axis_if_tx_cpl_valid != 0 && pins.m_axis_if_tx_cpl_ready != 0)
    completed(pins.m_axis_if_tx_cpl_tag);
}

void AppPins::drive_control() {
  auto& pins = *block_;
  const bool address = address_waits_ && address_after_ == 0;
  pins.s_axil_app_ctrl_awvalid = access_ == Access::kWrite && address;
  pins.s_axil_app_ctrl_wvalid = data_waits_ && data_after_ == 0;
  const bool second = second_waits_ && !address_waits_;
  pins.s_axil_app_ctrl_arvalid = access_ == Access::kRead && (address || second);
  if (second) pins.s_axil_app_ctrl_araddr = second_;
  address_after_ -= address_after_ != 0 ? 1 : 0;
  data_after_ -= data_after_ != 0 ? 1 : 0;
  const bool held = responses_wait_ != 0 && pins.s_axil_app_ctrl_rvalid != 0;
  responses_wait_ -= held ? 1 : 0;
  pins.s_axil_app_ctrl_bready = pins.s_axil_app_ctrl_rready = !held && !stalled();
  if (pins.s_axil_app_ctrl_bvalid != 0 && pins.s_axil_app_ctrl_bready != 0) {
    require(access_ == Access::kWrite && !address_waits_ && !data_waits_,
            name_ + ": a response to no write");
    response_ = pins.s_axil_app_ctrl_bresp;
    access_ = Access::kDone;
  }
  if (pins.s_axil_app_ctrl_rvalid != 0 && pins.s_axil_app_ctrl_rready != 0) {
    require(access_ == Access::kRead && !address_waits_, name_ + ": a response to no read");
    response_ = pins.s_axil_app_ctrl_rresp;
    if (second_expected_) first_data_ = pins.s_axil_app_ctrl_rdata;
    data_ = pins.s_axil_app_ctrl_rdata;
    if (!std::exchange(second_expected_, false)) access_ = Access::kDone;
  }
}

void AppPins::begin_reads(std::uint32_t first, std::uint32_t second, std::uint32_t wait) {
  begin_access(false, first, 0, 15);
  second_ = second;
  second_waits_ = second_expected_ = true;
  responses_wait_ = wait;
}

void AppPins::begin_access(bool write, std::uint32_t address, std::uint32_t value,
                           std::uint8_t strobes) {
  require(access_ == Access::kDone, name_ + ": two accesses at once");
  auto& pins = *block_;
  access_ = write ? Access::kWrite : Access::kRead;
  // Write address and write data become valid in any order.
  address_after_ = static_cast<std::uint32_t>(random_() % 3);
  data_after_ = static_cast<std::uint32_t>(random_() % 3);
  address_waits_ = true;
  data_waits_ = write;
  pins.s_axil_app_ctrl_awaddr = pins.s_axil_app_ctrl_araddr = address;
  pins.s_axil_app_ctrl_awprot = pins.s_axil_app_ctrl_arprot = 0;
  pins.s_axil_app_ctrl_wdata = value;
  pins.s_axil_app_ctrl_wstrb = strobes;
}

}  // namespace dcc
