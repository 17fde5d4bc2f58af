// Byte notifications for the controller, made from metadata of sent packets: flow, DSCP, bytes on the wire.
// SPDX-License-Identifier: Apache-2.0
//
// One stage: the flow's context is read while the packet is accepted. One packet per cycle. rtl/packet/doc/contract.md.
module dc_sent #(
  parameter int unsigned Flows  = 1024,  // number of flows, a power of two, 2 ... 2**23
  parameter int unsigned Secded = 0,     // 1: the memory corrects a wrong bit of 64 (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             init_done_o,    // low while the contexts are swept (Flows cycles); packets wait

  // Configuration. A change acts on packets that are taken later.
  input  logic [23:0]      qpn_base_i,     // queue pair number of flow 0
  input  logic [7:0]       overhead_i,     // bytes of preamble and gap, which every packet adds
  // Context of a flow; write only while init_done_o is 1.
  input  logic             context_we_i,
  input  logic [FlowW-1:0] context_flow_i,
  input  logic             context_bound_i,
  input  logic [5:0]       context_dscp_i,

  // Input: metadata of a packet that was sent.
  input  logic             sent_valid_i,
  output logic             sent_ready_o,
  input  logic [23:0]      sent_pair_i,    // the sender's own queue pair
  input  logic [31:0]      sent_length_i,  // bytes from the destination MAC address to the FCS

  // Output: a byte notification for the controller.
  output logic             bytes_valid_o,
  input  logic             bytes_ready_i,
  output logic [FlowW-1:0] bytes_flow_o,
  output logic [5:0]       bytes_dscp_o,   // DSCP that the flow's context has
  output logic [31:0]      bytes_length_o, // packet length plus overhead in bytes; saturates
  // One-cycle pulse for each packet without a flow, which causes no notification.
  output logic             unbound_o,

  output logic [ReportW-1:0] report_o  // report on the context that the previous cycle's outcome used (ram_guarded.sv)
);
  if (Flows < 2 || Flows > 1 << 23 || (Flows & (Flows - 1)) != 0) begin : g_flows
    $fatal(1, "dc_sent: Flows must be a power of two from 2 to 2**23");
  end
  if (Secded > 1) begin : g_secded
    $fatal(1, "dc_sent: Secded must be 0 or 1");
  end

  // ---------------------------------------------------------------------------------------------
  // Sweep of the contexts after reset
  // ---------------------------------------------------------------------------------------------
  logic [FlowW:0] sweep_q;
  assign init_done_o = sweep_q[FlowW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sweep_q <= '0;
    else if (!init_done_o) sweep_q <= sweep_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Input stage: flow number, and length plus overhead
  // ---------------------------------------------------------------------------------------------
  logic        taken, out_moves, out_q, beyond_q, bound, lost;
  logic [ReportW-1:0] report;
  logic [23:0] number;
  logic [32:0] sum;

  assign number       = sent_pair_i - qpn_base_i;
  assign sum          = {1'b0, sent_length_i} + 33'(overhead_i);
  assign sent_ready_o = init_done_o && (!out_q || out_moves);
  assign taken        = sent_valid_i && sent_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= 1'b0;
    else if (taken || out_moves) out_q <= taken;
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      beyond_q       <= sent_pair_i < qpn_base_i || number >= 24'(Flows);
      bytes_flow_o   <= number[FlowW-1:0];
      bytes_length_o <= sum[32] ? '1 : sum[31:0];
    end
  end

  ram_guarded #(.Depth(Flows), .Width(7), .Secded(Secded), .Number(4), .Early(1)) u_contexts (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (taken),
    .raddr_i(number[FlowW-1:0]),
    .rdata_o({bound, bytes_dscp_o}),
    .wen_i  (!init_done_o || context_we_i),
    .waddr_i(init_done_o ? context_flow_i : sweep_q[FlowW-1:0]),
    .wdata_i(init_done_o ? {context_bound_i, context_dscp_i} : 7'd0),
    .use_i  (out_q && !beyond_q),
    .report_o(report)
  );
  always_ff @(posedge clk_i) report_o <= out_moves ? report : '0;
  assign lost = report[0];  // the context's word is wrong: its flow is unbound until software rewrites it

  // ---------------------------------------------------------------------------------------------
  // Output stage: with the flow's context
  // ---------------------------------------------------------------------------------------------
  assign bytes_valid_o = !lost && out_q && bound && !beyond_q;
  assign unbound_o     = out_q && !bytes_valid_o;
  assign out_moves     = out_q && (!bytes_valid_o || bytes_ready_i);
endmodule
