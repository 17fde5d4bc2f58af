// The congestion controller with registered ports: every input goes into a register first, every output comes from one.
// SPDX-License-Identifier: Apache-2.0
//
// Ports and parameters of dcc_top. Every input acts one edge later than there, and every output follows one edge later;
// the answer to an input comes two edges later than from dcc_top (doc/block.md, "With registered ports"). Byte
// notifications and commands pass a register slice, which holds at most two of them; an APB access has two wait states
// more.
module dcc_top_registered #(
  parameter int unsigned Slots        = 1024,  // number of slots: a power of two, 64 ... 16384 (runs use 64 and 1024)
  parameter int unsigned FlowW        = 14,    // bits of a queue pair number, at least log2 Slots
  parameter int unsigned SparseFlows  = 0,     // 1: flow table is a hash table; 0: a RAM of all flows
  parameter int unsigned Latency      = 64,    // edges from issue to answer, 32 ... 255
  parameter int unsigned CnpDepth     = 64,    // depths of the FIFOs, powers of two
  parameter int unsigned CommandDepth = 16,
  parameter int unsigned BytesDepth   = 64,
  parameter int unsigned Secded       = 0,     // 1: all memories correct a wrong bit
  parameter int unsigned Rebuild      = 0,     // 1: a wrong word costs at most its slot's flow, not all flows
  parameter int unsigned ClockGate    = 0      // 1: clocks of parts without work stand still (dc_clocks.sv)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Pins of the RAMs, for the macros that replace ram_1r1w_array; constant while rst_ni is 1
  input  logic             scan_mode_i,     // 1: scan test
  input  logic [7:0]       ram_cfg_i,       // configuration and test; 0 if the macros have none (ram_pkg.sv)

  // APB4 slave, 1 MiB of address space
  input  logic [19:0]      paddr_i,
  input  logic [2:0]       pprot_i,
  input  logic             psel_i,
  input  logic             penable_i,
  input  logic             pwrite_i,
  input  logic [31:0]      pwdata_i,
  input  logic [3:0]       pstrb_i,
  output logic             pready_o,
  output logic [31:0]      prdata_o,
  output logic             pslverr_o,
  output logic             irq_o,           // interrupt, active high (level) while an enabled cause is set
  output logic             ready_o,         // register bit STATUS.READY

  // A congestion notification, which never waits and is lost when its FIFO is full
  input  logic             cnp_valid_i,
  input  logic [FlowW-1:0] cnp_flow_i,
  input  logic [5:0]       cnp_dscp_i,
  input  logic [7:0]       cnp_marks_i,     // number of marked packets
  input  logic [7:0]       cnp_packets_i,   // number of packets since the previous CNP; 0: unknown

  // Byte notification: a packet was sent
  input  logic             bytes_valid_i,
  output logic             bytes_ready_o,
  input  logic [FlowW-1:0] bytes_flow_i,
  input  logic [5:0]       bytes_dscp_i,
  input  logic [31:0]      bytes_length_i,

  // Command: query of a flow's rate, or release of its slot
  input  logic             command_valid_i,
  output logic             command_ready_o,
  input  logic             command_query_i,
  input  logic [FlowW-1:0] command_flow_i,

  // Rate port: a new rate for the scheduler
  output logic             rate_valid_o,
  output logic             rate_query_o,    // the answer belongs to a query
  output logic             rate_bound_o,    // the flow has a slot; otherwise there is no rate
  output logic [FlowW-1:0] rate_flow_o,
  output logic [31:0]      rate_value_o     // rate in 24.8 Mb/s
);

  // -- CNPs, which never wait -----------------------------------------------------------------------
  logic             cnp_valid_q;
  logic [FlowW-1:0] cnp_flow_q;
  logic [5:0]       cnp_dscp_q;
  logic [7:0]       cnp_marks_q, cnp_packets_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cnp_valid_q <= 1'b0;
    else cnp_valid_q <= cnp_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (cnp_valid_i) {cnp_flow_q, cnp_dscp_q, cnp_marks_q, cnp_packets_q} <=
      {cnp_flow_i, cnp_dscp_i, cnp_marks_i, cnp_packets_i};
  end

  // -- Byte notifications and commands --------------------------------------------------------------
  logic             bytes_valid, bytes_ready, command_valid, command_ready, command_query;
  logic [FlowW-1:0] bytes_flow, command_flow;
  logic [5:0]       bytes_dscp;
  logic [31:0]      bytes_length;
  dc_axis_slice #(.Width(FlowW + 38)) u_bytes (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .s_tvalid_i(bytes_valid_i),
    .s_tready_o(bytes_ready_o),
    .s_beat_i  ({bytes_flow_i, bytes_dscp_i, bytes_length_i}),
    .m_tvalid_o(bytes_valid),
    .m_tready_i(bytes_ready),
    .m_beat_o  ({bytes_flow, bytes_dscp, bytes_length})
  );
  dc_axis_slice #(.Width(FlowW + 1)) u_commands (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .s_tvalid_i(command_valid_i),
    .s_tready_o(command_ready_o),
    .s_beat_i  ({command_flow_i, command_query_i}),
    .m_tvalid_o(command_valid),
    .m_tready_i(command_ready),
    .m_beat_o  ({command_flow, command_query})
  );

  // -- APB: the access begins inside one edge after its setup, and ends outside one edge after its end inside ---------
  logic        psel_q, penable_q, pwrite_q, pready_q, pslverr_q, begin_now, over, pready, pslverr;
  logic [19:0] paddr_q;
  logic [2:0]  pprot_q;
  logic [31:0] pwdata_q, prdata_q, prdata;
  logic [3:0]  pstrb_q;
  assign begin_now = psel_i && !penable_i;
  assign over      = psel_q && penable_q && pready;
  assign pready_o  = pready_q;
  assign prdata_o  = prdata_q;
  assign pslverr_o = pslverr_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      psel_q    <= 1'b0;
      penable_q <= 1'b0;
      pready_q  <= 1'b0;
      pslverr_q <= 1'b0;
    end else begin
      if (begin_now) psel_q <= 1'b1;
      else if (over) psel_q <= 1'b0;
      penable_q <= psel_q && !over;
      pready_q  <= over;
      pslverr_q <= over && pslverr;
    end
  end
  always_ff @(posedge clk_i) begin
    if (begin_now) {paddr_q, pprot_q, pwrite_q, pwdata_q, pstrb_q} <= {paddr_i, pprot_i, pwrite_i, pwdata_i, pstrb_i};
    if (over) prdata_q <= prdata;
  end

  // -- Outputs that nothing answers -----------------------------------------------------------------
  logic             irq, irq_q, ready, ready_q, rate_valid, rate_valid_q, rate_query, rate_bound;
  logic             rate_query_q, rate_bound_q;
  logic [FlowW-1:0] rate_flow, rate_flow_q;
  logic [31:0]      rate_value, rate_value_q;
  assign irq_o        = irq_q;
  assign ready_o      = ready_q;
  assign rate_valid_o = rate_valid_q;
  assign rate_query_o = rate_query_q;
  assign rate_bound_o = rate_bound_q;
  assign rate_flow_o  = rate_flow_q;
  assign rate_value_o = rate_value_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_q        <= 1'b0;
      ready_q      <= 1'b0;
      rate_valid_q <= 1'b0;
    end else begin
      irq_q        <= irq;
      ready_q      <= ready;
      rate_valid_q <= rate_valid;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rate_valid) {rate_query_q, rate_bound_q, rate_flow_q, rate_value_q} <=
      {rate_query, rate_bound, rate_flow, rate_value};
  end

  dcc_top #(
    .Slots       (Slots),
    .FlowW       (FlowW),
    .SparseFlows (SparseFlows),
    .Latency     (Latency),
    .CnpDepth    (CnpDepth),
    .CommandDepth(CommandDepth),
    .BytesDepth  (BytesDepth),
    .Secded      (Secded),
    .Rebuild     (Rebuild),
    .ClockGate   (ClockGate)
  ) u_top (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .scan_mode_i    (scan_mode_i),
    .ram_cfg_i      (ram_cfg_i),
    .paddr_i        (paddr_q),
    .pprot_i        (pprot_q),
    .psel_i         (psel_q),
    .penable_i      (penable_q),
    .pwrite_i       (pwrite_q),
    .pwdata_i       (pwdata_q),
    .pstrb_i        (pstrb_q),
    .pready_o       (pready),
    .prdata_o       (prdata),
    .pslverr_o      (pslverr),
    .irq_o          (irq),
    .ready_o        (ready),
    .cnp_valid_i    (cnp_valid_q),
    .cnp_flow_i     (cnp_flow_q),
    .cnp_dscp_i     (cnp_dscp_q),
    .cnp_marks_i    (cnp_marks_q),
    .cnp_packets_i  (cnp_packets_q),
    .bytes_valid_i  (bytes_valid),
    .bytes_ready_o  (bytes_ready),
    .bytes_flow_i   (bytes_flow),
    .bytes_dscp_i   (bytes_dscp),
    .bytes_length_i (bytes_length),
    .command_valid_i(command_valid),
    .command_ready_o(command_ready),
    .command_query_i(command_query),
    .command_flow_i (command_flow),
    .rate_valid_o   (rate_valid),
    .rate_query_o   (rate_query),
    .rate_bound_o   (rate_bound),
    .rate_flow_o    (rate_flow),
    .rate_value_o   (rate_value)
  );
endmodule
