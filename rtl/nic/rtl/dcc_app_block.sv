// Congestion control as the application block of a public NIC: controller, pacer, parser, notification point.
// SPDX-License-Identifier: Apache-2.0
//
// Ports have the names, widths and clocking of Corundum's mqnic_app_block with one port: the AXI4-Lite
// control port, the streams if_tx (transmit, with completions) and sync_rx (receive), and GPIO. Corundum's other ports
// are left out. The contract is rtl/nic/doc/contract.md.
module dcc_app_block #(
  // Parameters as in Corundum's mqnic_app_block
  parameter int unsigned PTP_TS_WIDTH             = 96,
  parameter int unsigned TX_TAG_WIDTH             = 16,
  parameter int unsigned APP_GPIO_IN_WIDTH        = 32,
  parameter int unsigned APP_GPIO_OUT_WIDTH       = 32,
  parameter int unsigned AXIL_APP_CTRL_DATA_WIDTH = 32,
  parameter int unsigned AXIL_APP_CTRL_ADDR_WIDTH = 24,
  parameter int unsigned AXIL_APP_CTRL_STRB_WIDTH = AXIL_APP_CTRL_DATA_WIDTH / 8,
  parameter int unsigned AXIS_SYNC_DATA_WIDTH     = 512,
  parameter int unsigned AXIS_SYNC_KEEP_WIDTH     = AXIS_SYNC_DATA_WIDTH / 8,
  parameter int unsigned AXIS_SYNC_RX_USER_WIDTH  = PTP_TS_WIDTH + 1,
  parameter int unsigned AXIS_IF_DATA_WIDTH       = AXIS_SYNC_DATA_WIDTH,
  parameter int unsigned AXIS_IF_KEEP_WIDTH       = AXIS_IF_DATA_WIDTH / 8,
  parameter int unsigned AXIS_IF_TX_ID_WIDTH      = 12,
  parameter int unsigned AXIS_IF_TX_DEST_WIDTH    = 4,
  parameter int unsigned AXIS_IF_TX_USER_WIDTH    = TX_TAG_WIDTH + 1,
  // Parameters that Corundum's mqnic_app_block does not have
  parameter int unsigned Flows    = 64,   // a power of two, 64 ... 4096: flow = source queue
  parameter int unsigned Slots    = 64,   // number of the controller's slots, at most Flows
  parameter int unsigned Latency  = 64,   // cycles from an event to the controller's answer
  parameter int unsigned Width    = 8,    // number of flows in a row of the pacer
  parameter int unsigned Depth    = 4,    // frames that can wait per flow
  parameter int unsigned MaxBeats = 32,   // beats of the longest frame to send, at most 128
  parameter int unsigned ClockMhz = 250,
  parameter int unsigned Secded   = 0     // 1: memories correct a wrong bit of 64 (rtl/secded/ram_guarded.sv)
) (
  input  logic clk,
  input  logic rst,

  // AXI4-Lite slave: control of the application block
  input  logic [AXIL_APP_CTRL_ADDR_WIDTH-1:0] s_axil_app_ctrl_awaddr,
  input  logic [2:0]                          s_axil_app_ctrl_awprot,
  input  logic                                s_axil_app_ctrl_awvalid,
  output logic                                s_axil_app_ctrl_awready,
  input  logic [AXIL_APP_CTRL_DATA_WIDTH-1:0] s_axil_app_ctrl_wdata,
  input  logic [AXIL_APP_CTRL_STRB_WIDTH-1:0] s_axil_app_ctrl_wstrb,
  input  logic                                s_axil_app_ctrl_wvalid,
  output logic                                s_axil_app_ctrl_wready,
  output logic [1:0]                          s_axil_app_ctrl_bresp,
  output logic                                s_axil_app_ctrl_bvalid,
  input  logic                                s_axil_app_ctrl_bready,
  input  logic [AXIL_APP_CTRL_ADDR_WIDTH-1:0] s_axil_app_ctrl_araddr,
  input  logic [2:0]                          s_axil_app_ctrl_arprot,
  input  logic                                s_axil_app_ctrl_arvalid,
  output logic                                s_axil_app_ctrl_arready,
  output logic [AXIL_APP_CTRL_DATA_WIDTH-1:0] s_axil_app_ctrl_rdata,
  output logic [1:0]                          s_axil_app_ctrl_rresp,
  output logic                                s_axil_app_ctrl_rvalid,
  input  logic                                s_axil_app_ctrl_rready,

  // Transmit data from the host; tid: source queue, tuser: {tag, bad frame}
  input  logic [AXIS_IF_DATA_WIDTH-1:0]       s_axis_if_tx_tdata,
  input  logic [AXIS_IF_KEEP_WIDTH-1:0]       s_axis_if_tx_tkeep,
  input  logic                                s_axis_if_tx_tvalid,
  output logic                                s_axis_if_tx_tready,
  input  logic                                s_axis_if_tx_tlast,
  input  logic [AXIS_IF_TX_ID_WIDTH-1:0]      s_axis_if_tx_tid,
  input  logic [AXIS_IF_TX_DEST_WIDTH-1:0]    s_axis_if_tx_tdest,
  input  logic [AXIS_IF_TX_USER_WIDTH-1:0]    s_axis_if_tx_tuser,
  // Output stream: transmit data towards the network
  output logic [AXIS_IF_DATA_WIDTH-1:0]       m_axis_if_tx_tdata,
  output logic [AXIS_IF_KEEP_WIDTH-1:0]       m_axis_if_tx_tkeep,
  output logic                                m_axis_if_tx_tvalid,
  input  logic                                m_axis_if_tx_tready,
  output logic                                m_axis_if_tx_tlast,
  output logic [AXIS_IF_TX_ID_WIDTH-1:0]      m_axis_if_tx_tid,
  output logic [AXIS_IF_TX_DEST_WIDTH-1:0]    m_axis_if_tx_tdest,
  output logic [AXIS_IF_TX_USER_WIDTH-1:0]    m_axis_if_tx_tuser,
  // Transmit completions: input from the MAC, and output towards the core without the completions of CNPs
  input  logic [PTP_TS_WIDTH-1:0]             s_axis_if_tx_cpl_ts,
  input  logic [TX_TAG_WIDTH-1:0]             s_axis_if_tx_cpl_tag,
  input  logic                                s_axis_if_tx_cpl_valid,
  output logic                                s_axis_if_tx_cpl_ready,
  output logic [PTP_TS_WIDTH-1:0]             m_axis_if_tx_cpl_ts,
  output logic [TX_TAG_WIDTH-1:0]             m_axis_if_tx_cpl_tag,
  output logic                                m_axis_if_tx_cpl_valid,
  input  logic                                m_axis_if_tx_cpl_ready,

  // Frames received from the network; tuser bit 0: bad frame
  input  logic [AXIS_SYNC_DATA_WIDTH-1:0]     s_axis_sync_rx_tdata,
  input  logic [AXIS_SYNC_KEEP_WIDTH-1:0]     s_axis_sync_rx_tkeep,
  input  logic                                s_axis_sync_rx_tvalid,
  output logic                                s_axis_sync_rx_tready,
  input  logic                                s_axis_sync_rx_tlast,
  input  logic [AXIS_SYNC_RX_USER_WIDTH-1:0]  s_axis_sync_rx_tuser,
  // Output stream: receive data towards the host
  output logic [AXIS_SYNC_DATA_WIDTH-1:0]     m_axis_sync_rx_tdata,
  output logic [AXIS_SYNC_KEEP_WIDTH-1:0]     m_axis_sync_rx_tkeep,
  output logic                                m_axis_sync_rx_tvalid,
  input  logic                                m_axis_sync_rx_tready,
  output logic                                m_axis_sync_rx_tlast,
  output logic [AXIS_SYNC_RX_USER_WIDTH-1:0]  m_axis_sync_rx_tuser,

  input  logic [APP_GPIO_IN_WIDTH-1:0]        gpio_in,   // bits 7 ... 0: priorities that PFC pauses
  output logic [APP_GPIO_OUT_WIDTH-1:0]       gpio_out   // bit 0: interrupt, level; bit 1: ready
);
  localparam int unsigned FlowW    = $clog2(Flows);
  localparam int unsigned BytesW   = dc_pacer_pkg::BytesW;
  localparam int unsigned SideW    = AXIS_IF_TX_ID_WIDTH + AXIS_IF_TX_DEST_WIDTH + AXIS_IF_TX_USER_WIDTH;
  localparam int unsigned BeatW    = 576 + SideW;
  localparam int unsigned RxW      = 577 + AXIS_SYNC_RX_USER_WIDTH;
  localparam int unsigned ReportW  = (Secded != 0) ? 31 : 1;
  localparam int unsigned Gap      = 20;  // bytes of preamble and gap between frames
  localparam int unsigned Fcs      = 4;
  localparam int unsigned OneDecision = MaxBeats + Flows / (Width | 32'(Width == 0)) + 11;  // cycles, see rtl/pacer/doc/contract.md
  localparam logic [TX_TAG_WIDTH-1:0] CnpTag = TX_TAG_WIDTH'(1) << (TX_TAG_WIDTH - 1);  // the core uses no such tag

  localparam bit LegalFlows = Flows >= 64 && Flows <= 4096 && (Flows & (Flows - 1)) == 0;
  // With illegal Flows the parts have a legal number, so that a tool reports the parameter and not one of its effects.
  localparam int unsigned PartFlows = LegalFlows ? Flows : 64;

  if (AXIL_APP_CTRL_DATA_WIDTH != 32 || AXIL_APP_CTRL_ADDR_WIDTH < 21) begin : g_axil
    $fatal(1, "dcc_app_block: AXIL_APP_CTRL_DATA_WIDTH must be 32, AXIL_APP_CTRL_ADDR_WIDTH at least 21");
  end
  if (AXIS_IF_DATA_WIDTH != 512 || AXIS_SYNC_DATA_WIDTH != 512) begin : g_axis
    $fatal(1, "dcc_app_block: AXIS_SYNC_DATA_WIDTH and AXIS_IF_DATA_WIDTH must be 512");
  end
  if (!LegalFlows || Flows > 1 << AXIS_IF_TX_ID_WIDTH) begin : g_flows
    $fatal(1, "dcc_app_block: Flows must be a power of two from 64 to 4096, at most 2**AXIS_IF_TX_ID_WIDTH");
  end
  if (Slots < 64 || Slots > Flows || (Slots & (Slots - 1)) != 0) begin : g_slots
    $fatal(1, "dcc_app_block: Slots must be a power of two from 64 to Flows");
  end
  if (MaxBeats < 2 || MaxBeats > 128 || (MaxBeats & (MaxBeats - 1)) != 0) begin : g_beats
    $fatal(1, "dcc_app_block: MaxBeats must be a power of two from 2 to 128");
  end
  if (ClockMhz < 1 || ClockMhz > 2047) begin : g_clock
    $fatal(1, "dcc_app_block: ClockMhz must be from 1 to 2047");
  end
  if (AXIS_IF_TX_DEST_WIDTH < 4 || TX_TAG_WIDTH < 2) begin : g_tags
    $fatal(1, "dcc_app_block: AXIS_IF_TX_DEST_WIDTH must be at least 4, TX_TAG_WIDTH at least 2");
  end
  if (APP_GPIO_IN_WIDTH < 8 || APP_GPIO_OUT_WIDTH < 2) begin : g_gpio
    $fatal(1, "dcc_app_block: APP_GPIO_IN_WIDTH must be at least 8, APP_GPIO_OUT_WIDTH at least 2");
  end

  logic rst_n;
  always_ff @(posedge clk or posedge rst) begin  // reset, released with the clock
    if (rst) rst_n <= 1'b0;
    else rst_n <= 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Control: AXI4-Lite to APB; the controller's registers are below 0x100000, the block's own registers above
  // ---------------------------------------------------------------------------------------------
  logic        psel, penable, pwrite, pready, pslverr, own, ctl_pready, ctl_pslverr, own_pready, own_pslverr, nowhere;
  logic [2:0]  pprot;
  logic [3:0]  pstrb;
  logic [31:0] pwdata, prdata, ctl_prdata, own_prdata;
  logic [AXIL_APP_CTRL_ADDR_WIDTH-1:0] paddr;

  dc_axil_apb #(.AddrW(AXIL_APP_CTRL_ADDR_WIDTH)) u_bridge (
    .clk_i    (clk),
    .rst_ni   (rst_n),
    .awvalid_i(s_axil_app_ctrl_awvalid),
    .awready_o(s_axil_app_ctrl_awready),
    .awaddr_i (s_axil_app_ctrl_awaddr),
    .awprot_i (s_axil_app_ctrl_awprot),
    .wvalid_i (s_axil_app_ctrl_wvalid),
    .wready_o (s_axil_app_ctrl_wready),
    .wdata_i  (s_axil_app_ctrl_wdata),
    .wstrb_i  (s_axil_app_ctrl_wstrb),
    .bvalid_o (s_axil_app_ctrl_bvalid),
    .bready_i (s_axil_app_ctrl_bready),
    .bresp_o  (s_axil_app_ctrl_bresp),
    .arvalid_i(s_axil_app_ctrl_arvalid),
    .arready_o(s_axil_app_ctrl_arready),
    .araddr_i (s_axil_app_ctrl_araddr),
    .arprot_i (s_axil_app_ctrl_arprot),
    .rvalid_o (s_axil_app_ctrl_rvalid),
    .rready_i (s_axil_app_ctrl_rready),
    .rdata_o  (s_axil_app_ctrl_rdata),
    .rresp_o  (s_axil_app_ctrl_rresp),
    .psel_o   (psel),
    .penable_o(penable),
    .pwrite_o (pwrite),
    .paddr_o  (paddr),
    .pprot_o  (pprot),
    .pwdata_o (pwdata),
    .pstrb_o  (pstrb),
    .pready_i (pready),
    .prdata_i (prdata),
    .pslverr_i(pslverr)
  );
  assign nowhere = (paddr >> 21) != '0;
  assign own     = paddr[20];
  assign pready  = nowhere || (own ? own_pready : ctl_pready);
  assign pslverr = nowhere || (own ? own_pslverr : ctl_pslverr);
  assign prdata  = nowhere ? '0 : own ? own_prdata : ctl_prdata;

  logic [23:0]      qpn_base, context_peer;
  logic [31:0]      own_ip, default_rate, context_interval;
  logic [47:0]      own_mac;
  logic [5:0]       cnp_dscp, context_dscp;
  logic [2:0]       cnp_priority, context_priority;
  logic             counting, context_valid, context_ready, context_we, context_bound, begin_ready;
  logic             command_valid, command_ready, command_query, ready, strict;
  logic [ReportW-1:0] report_parser, report_notifier, report_sent, report_pacer, report_rates, report_queues, report;
  logic [FlowW-1:0] context_flow, command_flow;
  logic             refused, unbound, cut, cnp_in, cnp_out;

  dc_app_regs #(.Flows(PartFlows), .Secded(Secded)) u_regs (
    .clk_i             (clk),
    .rst_ni            (rst_n),
    .psel_i            (psel && own && !nowhere),
    .penable_i         (penable),
    .pwrite_i          (pwrite),
    .paddr_i           (paddr[19:0]),
    .pwdata_i          (pwdata),
    .pstrb_i           (pstrb),
    .pready_o          (own_pready),
    .prdata_o          (own_prdata),
    .pslverr_o         (own_pslverr),
    .qpn_base_o        (qpn_base),
    .own_ip_o          (own_ip),
    .own_mac_o         (own_mac),
    .cnp_dscp_o        (cnp_dscp),
    .cnp_priority_o    (cnp_priority),
    .counting_o        (counting),
    .default_rate_o    (default_rate),
    .context_valid_o   (context_valid),
    .context_ready_i   (context_ready),
    .context_flow_o    (context_flow),
    .context_bound_o   (context_bound),
    .context_dscp_o    (context_dscp),
    .context_priority_o(context_priority),
    .context_peer_o    (context_peer),
    .context_interval_o(context_interval),
    .command_valid_o   (command_valid),
    .command_ready_i   (command_ready),
    .command_query_o   (command_query),
    .command_flow_o    (command_flow),
    .ready_i           (ready),
    .strict_i          (strict),
    .report_i          (report),
    .refused_i         (refused),
    .unbound_i         (unbound),
    .cnp_in_i          (cnp_in),
    .cnp_out_i         (cnp_out),
    .cut_i             (cut)
  );

  // ---------------------------------------------------------------------------------------------
  // Receive: every beat goes to the host and to the parser
  // ---------------------------------------------------------------------------------------------
  logic         rx_valid, rx_ready, rx_last, to_parser_ready, to_host_ready;
  logic [RxW-1:0] rx_beat;
  logic         parse_valid, parse_ready, parse_last, parse_bad;
  logic [511:0] parse_data;
  logic [63:0]  parse_keep;

  dc_axis_slice #(.Width(RxW)) u_rx_in (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .s_tvalid_i(s_axis_sync_rx_tvalid),
    .s_tready_o(s_axis_sync_rx_tready),
    .s_beat_i  ({s_axis_sync_rx_tuser, s_axis_sync_rx_tlast, s_axis_sync_rx_tkeep, s_axis_sync_rx_tdata}),
    .m_tvalid_o(rx_valid),
    .m_tready_i(rx_ready),
    .m_beat_o  (rx_beat)
  );
  assign rx_last  = rx_beat[576];
  assign rx_ready = to_parser_ready && to_host_ready;
  dc_axis_slice #(.Width(RxW)) u_rx_host (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .s_tvalid_i(rx_valid && to_parser_ready),
    .s_tready_o(to_host_ready),
    .s_beat_i  (rx_beat),
    .m_tvalid_o(m_axis_sync_rx_tvalid),
    .m_tready_i(m_axis_sync_rx_tready),
    .m_beat_o  ({m_axis_sync_rx_tuser, m_axis_sync_rx_tlast, m_axis_sync_rx_tkeep, m_axis_sync_rx_tdata})
  );
  dc_axis_slice #(.Width(578)) u_rx_parser (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .s_tvalid_i(rx_valid && to_host_ready),
    .s_tready_o(to_parser_ready),
    .s_beat_i  ({rx_beat[577], rx_last, rx_beat[575:0]}),
    .m_tvalid_o(parse_valid),
    .m_tready_i(parse_ready),
    .m_beat_o  ({parse_bad, parse_last, parse_keep, parse_data})
  );

  logic             parser_done, cnp_valid, data_valid, data_ready, data_marked;
  logic [7:0]       cnp_marks, cnp_packets;
  logic [47:0]      data_mac;
  logic [31:0]      data_ip;
  logic [FlowW-1:0] rx_flow;
  logic [5:0]       rx_dscp;
  logic [23:0]      rx_peer;
  logic             unused_other;
  logic [3:0]       unused_reason;

  dc_parser #(.Flows(PartFlows), .Secded(Secded)) u_parser (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .init_done_o    (parser_done),
    .qpn_base_i     (qpn_base),
    .counting_i     (counting),
    .context_we_i   (context_we),
    .context_flow_i (context_flow),
    .context_bound_i(context_bound),
    .context_dscp_i (context_dscp),
    .context_peer_i (context_peer),
    .s_tvalid_i     (parse_valid),
    .s_tready_o     (parse_ready),
    .s_tdata_i      (parse_data),
    .s_tkeep_i      (parse_keep),
    .s_tlast_i      (parse_last),
    .s_tuser_i      (parse_bad),
    .cnp_valid_o    (cnp_valid),
    .cnp_ready_i    (1'b1),
    .cnp_marks_o    (cnp_marks),
    .cnp_packets_o  (cnp_packets),
    .data_valid_o   (data_valid),
    .data_ready_i   (data_ready),
    .data_marked_o  (data_marked),
    .data_mac_o     (data_mac),
    .data_ip_o      (data_ip),
    .flow_o         (rx_flow),
    .dscp_o         (rx_dscp),
    .peer_o         (rx_peer),
    .other_o        (unused_other),
    .refused_o      (refused),
    .reason_o       (unused_reason),
    .report_o       (report_parser)
  );
  assign cnp_in = cnp_valid;

  // ---------------------------------------------------------------------------------------------
  // Notification point
  // ---------------------------------------------------------------------------------------------
  logic [55:0]  now_q;
  logic         notifier_done, note_valid, note_ready, note_last, unused_error;
  logic [511:0] note_data;
  logic [63:0]  note_keep;
  logic [2:0]   note_priority;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) now_q <= '0;
    else now_q <= now_q + 1'b1;
  end
  dc_notifier #(.Flows(PartFlows), .Secded(Secded)) u_notifier (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .init_done_o    (notifier_done),
    .now_i          (now_q),
    .carry_i        (counting),
    .dscp_i         (cnp_dscp),
    .priority_i     (cnp_priority),
    .own_mac_i      (own_mac),
    .own_ip_i       (own_ip),
    .interval_we_i  (context_we),
    .interval_flow_i(context_flow),
    .interval_i     (context_interval),
    .begin_valid_i  (context_valid),
    .begin_ready_o  (begin_ready),
    .begin_flow_i   (context_flow),
    .packet_valid_i (data_valid),
    .packet_ready_o (data_ready),
    .packet_flow_i  (rx_flow),
    .packet_marked_i(data_marked),
    .packet_mac_i   (data_mac),
    .packet_ip_i    (data_ip),
    .packet_peer_i  (rx_peer),
    .m_tvalid_o     (note_valid),
    .m_tready_i     (note_ready),
    .m_tdata_o      (note_data),
    .m_tkeep_o      (note_keep),
    .m_tlast_o      (note_last),
    .m_tuser_o      (note_priority),
    .error_o        (unused_error),
    .report_o       (report_notifier)
  );
  assign cnp_out = note_valid && note_ready && note_last;

  // ---------------------------------------------------------------------------------------------
  // Transmit: queues, pacer, byte notifications
  // ---------------------------------------------------------------------------------------------
  logic              tx_valid, tx_ready, tx_last;
  logic [BeatW-1:0]  tx_beat;
  logic [SideW-1:0]  tx_side, out_side;
  logic              post_valid, post_ready, want, sent_valid, pacer_done, post_refused;
  logic              out_valid, out_ready, out_last, out_cut, start_valid, start_ready;
  logic [FlowW-1:0]  tx_flow, post_flow, sent_flow, start_flow;
  logic [BytesW-1:0] post_bytes, sent_bytes, start_bytes;
  logic [511:0]      out_data;
  logic [63:0]       out_keep;

  dc_axis_slice #(.Width(BeatW + 1)) u_tx_in (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .s_tvalid_i(s_axis_if_tx_tvalid),
    .s_tready_o(s_axis_if_tx_tready),
    .s_beat_i  ({s_axis_if_tx_tlast, s_axis_if_tx_tid, s_axis_if_tx_tdest, s_axis_if_tx_tuser, s_axis_if_tx_tkeep,
                 s_axis_if_tx_tdata}),
    .m_tvalid_o(tx_valid),
    .m_tready_i(tx_ready),
    .m_beat_o  ({tx_last, tx_beat})
  );
  assign tx_side = tx_beat[576 +: SideW];
  assign tx_flow = tx_side[AXIS_IF_TX_DEST_WIDTH + AXIS_IF_TX_USER_WIDTH +: FlowW];

  dc_send_queues #(
    .Flows   (PartFlows),
    .Depth   (Depth),
    .MaxBeats(MaxBeats),
    .SideW   (SideW),
    .Overhead(Gap + Fcs),
    .Secded  (Secded)
  ) u_queues (
    .clk_i        (clk),
    .rst_ni       (rst_n),
    .s_tvalid_i   (tx_valid),
    .s_tready_o   (tx_ready),
    .s_tdata_i    (tx_beat[511:0]),
    .s_tkeep_i    (tx_beat[575:512]),
    .s_tlast_i    (tx_last),
    .s_flow_i     (tx_flow),
    .s_side_i     (tx_side),
    .cut_o        (cut),
    .post_valid_o (post_valid),
    .post_ready_i (post_ready),
    .post_flow_o  (post_flow),
    .post_bytes_o (post_bytes),
    .want_o       (want),
    .sent_valid_i (sent_valid),
    .sent_flow_i  (sent_flow),
    .sent_bytes_i (sent_bytes),
    .m_tvalid_o   (out_valid),
    .m_tready_i   (out_ready),
    .m_tdata_o    (out_data),
    .m_tkeep_o    (out_keep),
    .m_tlast_o    (out_last),
    .m_cut_o      (out_cut),
    .m_side_o     (out_side),
    .start_valid_o(start_valid),
    .start_ready_i(start_ready),
    .start_flow_o (start_flow),
    .start_bytes_o(start_bytes),
    .report_o     (report_queues)
  );

  logic             rate_valid, unused_query, rate_bound, pace_valid, pace_ready;
  logic [FlowW-1:0] rate_flow, pace_flow;
  logic [31:0]      rate_value, pace_rate;
  logic [2:0]       pace_priority;

  dc_rate_queue #(.Flows(PartFlows), .Secded(Secded)) u_rates (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .valid_i        (rate_valid || context_we),
    .flow_i         (rate_valid ? rate_flow : context_flow),
    .rate_i         (rate_valid && rate_bound ? rate_value : default_rate),
    .set_priority_i (!rate_valid),
    .priority_i     (context_priority),
    .rate_valid_o   (pace_valid),
    .rate_ready_i   (pace_ready),
    .rate_flow_o    (pace_flow),
    .rate_o         (pace_rate),
    .rate_priority_o(pace_priority),
    .report_o       (report_rates)
  );
  assign context_ready = begin_ready && !rate_valid;
  assign context_we    = context_valid && context_ready;

  dc_pacer #(.Flows(PartFlows), .Width(Width), .Depth(Depth), .Secded(Secded)) u_pacer (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .init_done_o    (pacer_done),
    .scale_i        (dc_pacer_pkg::ScaleW'(2048 * ClockMhz)),
    .slack_i        (24'(2 * OneDecision)),
    .post_valid_i   (post_valid),
    .post_ready_o   (post_ready),
    .post_flow_i    (post_flow),
    .post_bytes_i   (post_bytes),
    .post_refused_o (post_refused),
    .rate_valid_i   (pace_valid),
    .rate_ready_o   (pace_ready),
    .rate_flow_i    (pace_flow),
    .rate_i         (pace_rate),
    .rate_priority_i(pace_priority),
    .paused_i       (gpio_in[7:0]),
    .want_i         (want),
    .sent_valid_o   (sent_valid),
    .sent_flow_o    (sent_flow),
    .sent_bytes_o   (sent_bytes),
    .strict_o       (strict),
    .report_o       (report_pacer)
  );

  logic             sent_done, bytes_valid, bytes_ready;
  logic [FlowW-1:0] bytes_flow;
  logic [5:0]       bytes_dscp;
  logic [31:0]      bytes_length;

  dc_sent #(.Flows(PartFlows), .Secded(Secded)) u_sent (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .init_done_o    (sent_done),
    .qpn_base_i     (24'd0),
    .overhead_i     (8'(Gap)),
    .context_we_i   (context_we),
    .context_flow_i (context_flow),
    .context_bound_i(context_bound),
    .context_dscp_i (context_dscp),
    .sent_valid_i   (start_valid),
    .sent_ready_o   (start_ready),
    .sent_pair_i    (24'(start_flow)),
    .sent_length_i  (32'(start_bytes) + 32'(Fcs)),
    .bytes_valid_o  (bytes_valid),
    .bytes_ready_i  (bytes_ready),
    .bytes_flow_o   (bytes_flow),
    .bytes_dscp_o   (bytes_dscp),
    .bytes_length_o (bytes_length),
    .unbound_o      (unbound),
    .report_o       (report_sent)
  );

  // CNPs overtake data frames at frame boundaries.
  logic             wire_valid, wire_ready, wire_last;
  logic [BeatW-1:0] wire_beat;
  logic [SideW-1:0] note_side;

  assign note_side = {AXIS_IF_TX_ID_WIDTH'(0), AXIS_IF_TX_DEST_WIDTH'(note_priority),
                      AXIS_IF_TX_USER_WIDTH'({CnpTag, 1'b0})};
  dc_cnp_mux #(.Width(BeatW)) u_mux (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .a_tvalid_i(note_valid),
    .a_tready_o(note_ready),
    .a_tlast_i (note_last),
    .a_beat_i  ({note_side, note_keep, note_data}),
    .b_tvalid_i(out_valid),
    .b_tready_o(out_ready),
    .b_tlast_i (out_last),
    .b_beat_i  ({out_side[SideW-1:1], out_side[0] || out_cut, out_keep, out_data}),
    .m_tvalid_o(wire_valid),
    .m_tready_i(wire_ready),
    .m_tlast_o (wire_last),
    .m_beat_o  (wire_beat)
  );
  dc_axis_slice #(.Width(BeatW + 1)) u_tx_out (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .s_tvalid_i(wire_valid),
    .s_tready_o(wire_ready),
    .s_beat_i  ({wire_last, wire_beat}),
    .m_tvalid_o(m_axis_if_tx_tvalid),
    .m_tready_i(m_axis_if_tx_tready),
    .m_beat_o  ({m_axis_if_tx_tlast, m_axis_if_tx_tid, m_axis_if_tx_tdest, m_axis_if_tx_tuser, m_axis_if_tx_tkeep,
                 m_axis_if_tx_tdata})
  );
  dc_axis_slice #(.Width(PTP_TS_WIDTH + TX_TAG_WIDTH)) u_completions (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .s_tvalid_i(s_axis_if_tx_cpl_valid && !s_axis_if_tx_cpl_tag[TX_TAG_WIDTH-1]),
    .s_tready_o(s_axis_if_tx_cpl_ready),
    .s_beat_i  ({s_axis_if_tx_cpl_ts, s_axis_if_tx_cpl_tag}),
    .m_tvalid_o(m_axis_if_tx_cpl_valid),
    .m_tready_i(m_axis_if_tx_cpl_ready),
    .m_beat_o  ({m_axis_if_tx_cpl_ts, m_axis_if_tx_cpl_tag})
  );

  // ---------------------------------------------------------------------------------------------
  // The controller
  // ---------------------------------------------------------------------------------------------
  // The sweep over 2^7 flow numbers is the shortest one that the controller's tables keep up with.
  localparam int unsigned CtlFlowW = FlowW < 7 ? 7 : FlowW;
  logic                irq, ctl_ready;
  logic [CtlFlowW-1:0] ctl_rate_flow;
  assign rate_flow = ctl_rate_flow[FlowW-1:0];

  dcc_top #(.Slots(Slots), .FlowW(CtlFlowW), .Latency(Latency), .Secded(Secded)) u_controller (
    .clk_i          (clk),
    .scan_mode_i(1'b0),
    .ram_cfg_i('0),
    .rst_ni         (rst_n),
    .paddr_i        (paddr[19:0]),
    .pprot_i        (pprot),
    .psel_i         (psel && !own && !nowhere),
    .penable_i      (penable),
    .pwrite_i       (pwrite),
    .pwdata_i       (pwdata),
    .pstrb_i        (pstrb),
    .pready_o       (ctl_pready),
    .prdata_o       (ctl_prdata),
    .pslverr_o      (ctl_pslverr),
    .irq_o          (irq),
    .ready_o        (ctl_ready),
    .cnp_valid_i    (cnp_valid),
    .cnp_flow_i     (CtlFlowW'(rx_flow)),
    .cnp_dscp_i     (rx_dscp),
    .cnp_marks_i    (cnp_marks),
    .cnp_packets_i  (cnp_packets),
    .bytes_valid_i  (bytes_valid),
    .bytes_ready_o  (bytes_ready),
    .bytes_flow_i   (CtlFlowW'(bytes_flow)),
    .bytes_dscp_i   (bytes_dscp),
    .bytes_length_i (bytes_length),
    .command_valid_i(command_valid),
    .command_ready_o(command_ready),
    .command_query_i(command_query),
    .command_flow_i (CtlFlowW'(command_flow)),
    .rate_valid_o   (rate_valid),
    .rate_query_o   (unused_query),
    .rate_bound_o   (rate_bound),
    .rate_flow_o    (ctl_rate_flow),
    .rate_value_o   (rate_value)
  );

  assign ready    = parser_done && notifier_done && pacer_done && sent_done && ctl_ready;
  assign gpio_out = APP_GPIO_OUT_WIDTH'({ready, irq});

  ram_reports #(.Count(6), .ReportW(ReportW)) u_reports (
    .reports_i({report_parser, report_notifier, report_sent, report_pacer, report_rates, report_queues}),
    .report_o (report)
  );

  logic unused;
  assign unused = &{1'b0, ctl_rate_flow, unused_other, unused_reason, unused_error, unused_query, post_refused,
                    gpio_in};
endmodule
