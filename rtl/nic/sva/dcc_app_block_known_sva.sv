// No output of the application block is unknown after reset, and no field of an output that is valid: of data the bytes
// that tkeep names. For simulators with four states; see dcc_top_known_sva.sv.
// SPDX-License-Identifier: Apache-2.0
module dcc_app_block_known_sva #(
  parameter TxSideW = 33,  // bits of tid, tdest and tuser towards the network
  parameter CplW    = 112, // bits of a completion
  parameter RxUserW = 97,
  parameter GpioW   = 32
) (
  input logic               clk,
  input logic               rst,
  input logic               s_axil_app_ctrl_awready,
  input logic               s_axil_app_ctrl_wready,
  input logic [1:0]         s_axil_app_ctrl_bresp,
  input logic               s_axil_app_ctrl_bvalid,
  input logic               s_axil_app_ctrl_arready,
  input logic [31:0]        s_axil_app_ctrl_rdata,
  input logic [1:0]         s_axil_app_ctrl_rresp,
  input logic               s_axil_app_ctrl_rvalid,
  input logic               s_axis_if_tx_tready,
  input logic [511:0]       m_axis_if_tx_tdata,
  input logic [63:0]        m_axis_if_tx_tkeep,
  input logic               m_axis_if_tx_tvalid,
  input logic               m_axis_if_tx_tlast,
  input logic [TxSideW-1:0] tx_side,
  input logic               s_axis_if_tx_cpl_ready,
  input logic [CplW-1:0]    cpl,
  input logic               m_axis_if_tx_cpl_valid,
  input logic               s_axis_sync_rx_tready,
  input logic [511:0]       m_axis_sync_rx_tdata,
  input logic [63:0]        m_axis_sync_rx_tkeep,
  input logic               m_axis_sync_rx_tvalid,
  input logic               m_axis_sync_rx_tlast,
  input logic [RxUserW-1:0] m_axis_sync_rx_tuser,
  input logic [GpioW-1:0]   gpio_out
);
  function automatic logic unknown(input logic [511:0] data, input logic [63:0] keep);
    unknown = (^keep) === 1'bx;
    for (int i = 0; i < 64; i++) if (keep[i] === 1'b1 && (^data[8*i +: 8]) === 1'bx) unknown = 1'b1;
  endfunction

  always @(posedge clk) begin
    if (rst === 1'b0) begin
      if ((^{s_axil_app_ctrl_awready, s_axil_app_ctrl_wready, s_axil_app_ctrl_bvalid, s_axil_app_ctrl_arready,
             s_axil_app_ctrl_rvalid, s_axis_if_tx_tready, m_axis_if_tx_tvalid, s_axis_if_tx_cpl_ready,
             m_axis_if_tx_cpl_valid, s_axis_sync_rx_tready, m_axis_sync_rx_tvalid, gpio_out}) === 1'bx)
        $fatal(1, "FAIL: a valid, a ready or gpio_out is unknown");
      if (s_axil_app_ctrl_bvalid && (^s_axil_app_ctrl_bresp) === 1'bx) $fatal(1, "FAIL: bresp is unknown");
      if (s_axil_app_ctrl_rvalid && (^{s_axil_app_ctrl_rresp, s_axil_app_ctrl_rdata}) === 1'bx)
        $fatal(1, "FAIL: rresp or rdata is unknown");
      if (m_axis_if_tx_tvalid && (unknown(m_axis_if_tx_tdata, m_axis_if_tx_tkeep) ||
                                  (^{m_axis_if_tx_tlast, tx_side}) === 1'bx))
        $fatal(1, "FAIL: a beat towards the network is unknown");
      if (m_axis_if_tx_cpl_valid && (^cpl) === 1'bx) $fatal(1, "FAIL: a completion is unknown");
      if (m_axis_sync_rx_tvalid && (unknown(m_axis_sync_rx_tdata, m_axis_sync_rx_tkeep) ||
                                    (^{m_axis_sync_rx_tlast, m_axis_sync_rx_tuser}) === 1'bx))
        $fatal(1, "FAIL: a beat towards the host is unknown");
    end
  end
endmodule

`ifndef __ICARUS__
bind dcc_app_block dcc_app_block_known_sva #(
  .TxSideW(SideW), .CplW(PTP_TS_WIDTH + TX_TAG_WIDTH), .RxUserW(AXIS_SYNC_RX_USER_WIDTH), .GpioW(APP_GPIO_OUT_WIDTH)
) u_known (
  .tx_side({m_axis_if_tx_tid, m_axis_if_tx_tdest, m_axis_if_tx_tuser}),
  .cpl({m_axis_if_tx_cpl_ts, m_axis_if_tx_cpl_tag}), .*);
`endif
