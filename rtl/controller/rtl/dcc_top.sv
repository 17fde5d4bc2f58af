// The congestion controller: register block and congestion manager.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs: notifications. Outputs: rates. Software: APB and an interrupt. One clock. docs/controller-contract.md
// defines the edge of every effect; docs/registers/dcc.md is the register map.
module dcc_top #(
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
  localparam bit          LegalSlots = Slots >= 64 && Slots <= 16384 && (Slots & (Slots - 1)) == 0;
  // With illegal Slots the parts have a legal number, so that a tool reports the parameter and not one of its effects.
  localparam int unsigned PartSlots  = LegalSlots ? Slots : 64;
  localparam int unsigned SlotW      = $clog2(PartSlots);
  localparam int unsigned TopBits    = 5;
  localparam int unsigned MiddleBits = 5;
  localparam int unsigned LastBits   = 6;
  localparam logic [31:0] Caps = (32'(SlotW) << dcc_regs_pkg::CapsSlotsLog2Lsb) |
                                 (32'(Latency) << dcc_regs_pkg::CapsLatencyLsb) |
                                 (32'(TopBits) << dcc_regs_pkg::CapsWheelTopLsb) |
                                 (32'(MiddleBits) << dcc_regs_pkg::CapsWheelMiddleLsb) |
                                 (32'(LastBits) << dcc_regs_pkg::CapsWheelLastLsb) |
                                 (32'(Secded) << dcc_regs_pkg::CapsSecdedLsb) |
                                 (32'(Rebuild) << dcc_regs_pkg::CapsRebuildLsb);

  // -- Legal parameters -----------------------------------------------------------------------------
  if (!LegalSlots) begin : g_slots
    $fatal(1, "dcc_top: Slots must be a power of two from 64 to 16384");
  end
  if (FlowW < SlotW || FlowW > 24) begin : g_flow_w
    $fatal(1, "dcc_top: FlowW must be from log2(Slots) to 24");
  end
  if (SparseFlows > 1) begin : g_sparse_flows
    $fatal(1, "dcc_top: SparseFlows must be 0 or 1");
  end
  if (Secded > 1) begin : g_secded
    $fatal(1, "dcc_top: Secded must be 0 or 1");
  end
  if (Rebuild > 1 || (Rebuild != 0 && SparseFlows != 0)) begin : g_rebuild
    $fatal(1, "dcc_top: Rebuild must be 0 or 1, and 0 with SparseFlows");
  end
  if (ClockGate > 1) begin : g_clock_gate
    $fatal(1, "dcc_top: ClockGate must be 0 or 1");
  end
  if (Latency < dcc_controller_pkg::Distance || Latency > 255) begin : g_latency
    $fatal(1, "dcc_top: Latency must be from 32 to 255");
  end

  // -- Registers ------------------------------------------------------------------------------------
  dcc_regs_pkg::dcc_reg2hw_t reg2hw;
  dcc_regs_pkg::dcc_hw2reg_t hw2reg;
  logic        regs_psel, regs_penable, regs_pready, regs_pslverr, quiet, hold, ready, swept;
  logic [31:0] regs_prdata;
  logic [6:0]  win_sel;
  logic        win_write, win_ready;
  logic [16:0] win_addr;
  logic [31:0] win_wdata, win_rdata;

  dc_apb_gate u_gate (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .psel_i   (psel_i),
    .penable_i(penable_i),
    .pwrite_i (pwrite_i),
    .paddr_i  (paddr_i),
    .pready_o (pready_o),
    .prdata_o (prdata_o),
    .pslverr_o(pslverr_o),
    .psel_o   (regs_psel),
    .penable_o(regs_penable),
    .pready_i (regs_pready),
    .prdata_i (regs_prdata),
    .pslverr_i(regs_pslverr),
    .quiet_i  (quiet && swept),
    .hold_o   (hold)
  );

  dcc_regs_apb #(.Caps(Caps), .SlotsEntries(PartSlots)) u_regs (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .paddr_i    (paddr_i),
    .pprot_i    (pprot_i),
    .psel_i     (regs_psel),
    .penable_i  (regs_penable),
    .pwrite_i   (pwrite_i),
    .pwdata_i   (pwdata_i),
    .pstrb_i    (pstrb_i),
    .pready_o   (regs_pready),
    .prdata_o   (regs_prdata),
    .pslverr_o  (regs_pslverr),
    .reg2hw_o   (reg2hw),
    .hw2reg_i   (hw2reg),
    .win_sel_o  (win_sel),
    .win_write_o(win_write),
    .win_addr_o (win_addr),
    .win_wdata_o(win_wdata),
    .win_ready_i(win_ready),
    .win_rdata_i(win_rdata),
    .irq_o      (irq_o)
  );
  assign ready_o = ready;

  // -- Windows: tables by DSCP or n, the decrease table, the slots ------------------------------------
  logic        table_valid, table_ready, view, view_ready;
  logic [2:0]  table_number;
  logic [31:0] table_rdata, view_rdata;

  assign table_valid = |win_sel[dcc_regs_pkg::DecreaseWindow:0];
  assign view        = win_sel[dcc_regs_pkg::SlotsWindow];
  assign win_ready   = view ? view_ready : table_ready;
  assign win_rdata   = view ? view_rdata : table_rdata;

  always_comb begin
    table_number = rate_lut_pkg::TableFactor;
    if (win_sel[dcc_regs_pkg::FloorWindow])    table_number = rate_lut_pkg::TableFloor;
    if (win_sel[dcc_regs_pkg::CeilingWindow])  table_number = rate_lut_pkg::TableCeiling;
    if (win_sel[dcc_regs_pkg::DecayHiWindow])  table_number = rate_lut_pkg::TableDecayHi;
    if (win_sel[dcc_regs_pkg::DecayLoWindow])  table_number = rate_lut_pkg::TableDecayLo;
    if (win_sel[dcc_regs_pkg::DecreaseWindow]) table_number = rate_lut_pkg::TableDecrease;
  end

  // -- The congestion manager -------------------------------------------------------------------------
  dc_manager #(
    .Slots       (PartSlots),
    .FlowW       (FlowW),
    .SparseFlows (SparseFlows),
    .Latency     (Latency),
    .CnpDepth    (CnpDepth),
    .CommandDepth(CommandDepth),
    .BytesDepth  (BytesDepth),
    .TopBits     (TopBits),
    .MiddleBits  (MiddleBits),
    .LastBits    (LastBits),
    .Secded      (Secded),
    .Rebuild     (Rebuild),
    .ClockGate   (ClockGate)
  ) u_manager (
    .clk_i          (clk_i),
    .ram_pins_i     ({scan_mode_i, ram_cfg_i}),
    .rst_ni         (rst_ni),
    .regs_i         (reg2hw),
    .status_o       (hw2reg),
    .ready_o        (ready),
    .swept_o        (swept),
    .access_i       (psel_i),
    .hold_i         (hold),
    .quiet_o        (quiet),
    .cnp_valid_i    (cnp_valid_i),
    .cnp_flow_i     (cnp_flow_i),
    .cnp_dscp_i     (cnp_dscp_i),
    .cnp_marks_i    (cnp_marks_i),
    .cnp_packets_i  (cnp_packets_i),
    .bytes_valid_i  (bytes_valid_i),
    .bytes_ready_o  (bytes_ready_o),
    .bytes_flow_i   (bytes_flow_i),
    .bytes_dscp_i   (bytes_dscp_i),
    .bytes_length_i (bytes_length_i),
    .command_valid_i(command_valid_i),
    .command_ready_o(command_ready_o),
    .command_query_i(command_query_i),
    .command_flow_i (command_flow_i),
    .rate_valid_o   (rate_valid_o),
    .rate_query_o   (rate_query_o),
    .rate_bound_o   (rate_bound_o),
    .rate_flow_o    (rate_flow_o),
    .rate_value_o   (rate_value_o),
    .table_valid_i  (table_valid),
    .table_write_i  (win_write),
    .table_i        (table_number),
    .table_index_i  (win_addr[8:0]),
    .table_wdata_i  (win_wdata),
    .table_ready_o  (table_ready),
    .table_rdata_o  (table_rdata),
    .view_i         (view),
    .view_word_i    (win_addr[SlotW+2:0]),
    .view_ready_o   (view_ready),
    .view_rdata_o   (view_rdata)
  );
endmodule
