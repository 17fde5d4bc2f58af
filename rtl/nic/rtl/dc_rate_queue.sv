// Rates wait here for the pacer, which takes one in 17 cycles. The newest rate of a flow replaces one that waits.
// SPDX-License-Identifier: Apache-2.0
//
// Flows with a new rate wait in the order of these rates, each flow once, so no rate is lost.
module dc_rate_queue #(
  parameter int unsigned Flows = 64,  // a power of two
  localparam int unsigned FlowW = $clog2(Flows)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // A rate; the flow's priority is written at the same time if set_priority_i is 1.
  input  logic             valid_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [31:0]      rate_i,
  input  logic             set_priority_i,
  input  logic [2:0]       priority_i,
  // To the pacer.
  output logic             rate_valid_o,
  input  logic             rate_ready_i,
  output logic [FlowW-1:0] rate_flow_o,
  output logic [31:0]      rate_o,
  output logic [2:0]       rate_priority_o,
  output logic             error_o        // a flow number that waits had wrong parity
);
  logic [Flows-1:0] waits_q, waits_d;
  logic             push, pop, some, valid_q;
  logic [FlowW-1:0] head;
  /* verilator lint_off UNUSEDSIGNAL */
  logic             full;  // never: each flow waits once
  /* verilator lint_on UNUSEDSIGNAL */

  assign push = valid_i && (!waits_q[flow_i] || (pop && head == flow_i));
  assign pop  = some && (!valid_q || rate_ready_i);

  always_comb begin
    waits_d = waits_q;
    if (pop) waits_d[head] = 1'b0;
    if (push) waits_d[flow_i] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      valid_q <= 1'b0;
    end else begin
      waits_q <= waits_d;
      if (pop || rate_ready_i) valid_q <= pop;
    end
  end
  always_ff @(posedge clk_i) begin
    if (pop) rate_flow_o <= head;
  end
  assign rate_valid_o = valid_q;

  dc_fifo #(.Depth(Flows), .Width(FlowW)) u_flows (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .push_i (push),
    .data_i (flow_i),
    .full_o (full),
    .valid_o(some),
    .data_o (head),
    .pop_i  (pop),
    .error_o
  );
  ram_1r1w #(.Depth(Flows), .Width(32)) u_rates (
    .clk_i,
    .ren_i  (pop),
    .raddr_i(head),
    .rdata_o(rate_o),
    .wen_i  (valid_i),
    .waddr_i(flow_i),
    .wdata_i(rate_i)
  );
  ram_1r1w #(.Depth(Flows), .Width(3)) u_priorities (
    .clk_i,
    .ren_i  (pop),
    .raddr_i(head),
    .rdata_o(rate_priority_o),
    .wen_i  (valid_i && set_priority_i),
    .waddr_i(flow_i),
    .wdata_i(priority_i)
  );
endmodule
