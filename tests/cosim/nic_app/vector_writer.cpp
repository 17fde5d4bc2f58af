#include "vector_writer.h"

#include <cstddef>

namespace dcc {
namespace {

/// Bits of pins, the first pin uppermost.
class Bits {
 public:
  /// Appends the lower `width` bits of a pin. They are 0 unless `counts`.
  template <class Pin>
  Bits& add(const Pin& pin, unsigned width, bool counts = true) {
    for (unsigned bit = width; bit-- > 0;) {
      text_ += counts && ((word(pin, bit / 32) >> (bit % 32)) & 1) != 0 ? '1' : '0';
    }
    return *this;
  }
  /// Returns the bits as a hexadecimal number.
  std::string hex() const {
    const std::string padded = std::string((4 - text_.size() % 4) % 4, '0') + text_;
    std::string digits;
    for (std::size_t at = 0; at < padded.size(); at += 4)
      digits += "0123456789abcdef"[std::stoul(padded.substr(at, 4), nullptr, 2)];
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? "0" : digits.substr(first);
  }

 private:
  static std::uint32_t word(std::uint64_t pin, unsigned at) {
    return static_cast<std::uint32_t>(pin >> (32 * at));
  }
  template <std::size_t kWords>
  static std::uint32_t word(const VlWide<kWords>& pin, unsigned at) {
    return pin.at(at);
  }
  std::string text_;
};

}  // namespace

void VectorWriter::flush() {
  if (cycles_ == 0) return;
  unsigned changed = 0;
  for (unsigned group = 0; group < kGroups; ++group)
    changed |= now_[group] != written_[group] ? 1u << group : 0u;
  file_ << std::hex << cycles_ << ' ' << changed;
  for (unsigned group = 0; group < kGroups; ++group)
    if (now_[group] != written_[group]) file_ << ' ' << now_[group];
  file_ << '\n';
  written_ = now_;
  cycles_ = 0;
}

void VectorWriter::reset() {
  flush();
  file_ << "0 0\n";
  written_ = {};
}

void VectorWriter::cycle(const Vnic_app& pins) {
  std::array<std::string, kGroups> found;
  found[0] = Bits()
                 .add(pins.s_axis_if_tx_tvalid, 1)
                 .add(pins.s_axis_if_tx_tlast, 1)
                 .add(pins.s_axis_if_tx_tid, 12)
                 .add(pins.s_axis_if_tx_tdest, 4)
                 .add(pins.s_axis_if_tx_tuser, 17)
                 .add(pins.s_axis_if_tx_tkeep, 64)
                 .add(pins.s_axis_if_tx_tdata, 512)
                 .hex();
  found[1] = Bits()
                 .add(pins.s_axis_sync_rx_tvalid, 1)
                 .add(pins.s_axis_sync_rx_tlast, 1)
                 .add(pins.s_axis_sync_rx_tuser, 97)
                 .add(pins.s_axis_sync_rx_tkeep, 64)
                 .add(pins.s_axis_sync_rx_tdata, 512)
                 .hex();
  found[2] = Bits()
                 .add(pins.s_axil_app_ctrl_awvalid, 1)
                 .add(pins.s_axil_app_ctrl_awprot, 3)
                 .add(pins.s_axil_app_ctrl_awaddr, 24)
                 .add(pins.s_axil_app_ctrl_wvalid, 1)
                 .add(pins.s_axil_app_ctrl_wstrb, 4)
                 .add(pins.s_axil_app_ctrl_wdata, 32)
                 .add(pins.s_axil_app_ctrl_bready, 1)
                 .add(pins.s_axil_app_ctrl_arvalid, 1)
                 .add(pins.s_axil_app_ctrl_arprot, 3)
                 .add(pins.s_axil_app_ctrl_araddr, 24)
                 .add(pins.s_axil_app_ctrl_rready, 1)
                 .hex();
  found[3] = Bits()
                 .add(pins.s_axis_if_tx_cpl_valid, 1)
                 .add(pins.s_axis_if_tx_cpl_tag, 16)
                 .add(pins.s_axis_if_tx_cpl_ts, 96)
                 .add(pins.m_axis_if_tx_tready, 1)
                 .add(pins.m_axis_if_tx_cpl_ready, 1)
                 .add(pins.m_axis_sync_rx_tready, 1)
                 .add(pins.gpio_in, 32)
                 .hex();
  const bool sends = pins.m_axis_if_tx_tvalid != 0;
  found[4] = Bits()
                 .add(pins.m_axis_if_tx_tvalid, 1)
                 .add(pins.m_axis_if_tx_tlast, 1, sends)
                 .add(pins.m_axis_if_tx_tid, 12, sends)
                 .add(pins.m_axis_if_tx_tdest, 4, sends)
                 .add(pins.m_axis_if_tx_tuser, 17, sends)
                 .add(pins.m_axis_if_tx_tkeep, 64, sends)
                 .add(pins.m_axis_if_tx_tdata, 512, sends)
                 .hex();
  const bool receives = pins.m_axis_sync_rx_tvalid != 0;
  found[5] = Bits()
                 .add(pins.m_axis_sync_rx_tvalid, 1)
                 .add(pins.m_axis_sync_rx_tlast, 1, receives)
                 .add(pins.m_axis_sync_rx_tuser, 97, receives)
                 .add(pins.m_axis_sync_rx_tkeep, 64, receives)
                 .add(pins.m_axis_sync_rx_tdata, 512, receives)
                 .hex();
  const bool reads = pins.s_axil_app_ctrl_rvalid != 0;
  found[6] = Bits()
                 .add(pins.s_axil_app_ctrl_awready, 1)
                 .add(pins.s_axil_app_ctrl_wready, 1)
                 .add(pins.s_axil_app_ctrl_arready, 1)
                 .add(pins.s_axil_app_ctrl_bvalid, 1)
                 .add(pins.s_axil_app_ctrl_bresp, 2, pins.s_axil_app_ctrl_bvalid != 0)
                 .add(pins.s_axil_app_ctrl_rvalid, 1)
                 .add(pins.s_axil_app_ctrl_rresp, 2, reads)
                 .add(pins.s_axil_app_ctrl_rdata, 32, reads)
                 .hex();
  const bool completes = pins.m_axis_if_tx_cpl_valid != 0;
  found[7] = Bits()
                 .add(pins.s_axis_if_tx_tready, 1)
                 .add(pins.s_axis_if_tx_cpl_ready, 1)
                 .add(pins.s_axis_sync_rx_tready, 1)
                 .add(pins.m_axis_if_tx_cpl_valid, 1)
                 .add(pins.m_axis_if_tx_cpl_tag, 16, completes)
                 .add(pins.m_axis_if_tx_cpl_ts, 96, completes)
                 .add(pins.gpio_out, 32)
                 .hex();
  if (found != now_ || written_[0].empty()) {
    flush();
    now_ = found;
  }
  ++cycles_;
}

}  // namespace dcc
