// Queue of new rates for the pacer, which takes one rate in 17 cycles. A flow's newest rate replaces its waiting one.
// SPDX-License-Identifier: Apache-2.0
//
// Flows with a new rate wait in the order of these rates, each flow once, so no rate is lost. If the memory loses the
// number of a waiting flow, the queue is filled again with all waiting flows, in the order of their numbers. A lost
// rate or priority is not passed to the pacer, so the flow keeps its rate there.
module dc_rate_queue #(
  parameter int unsigned Flows  = 64,  // number of flows, a power of two
  parameter int unsigned Secded = 0,   // 1: memories correct a wrong bit of 64 (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // A rate; the flow's priority is written at the same time if set_priority_i is 1.
  input  logic             valid_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [31:0]      rate_i,
  input  logic             set_priority_i,
  input  logic [2:0]       priority_i,
  // Output to the pacer: rate and priority of a flow.
  output logic             rate_valid_o,
  input  logic             rate_ready_i,
  output logic [FlowW-1:0] rate_flow_o,
  output logic [31:0]      rate_o,
  output logic [2:0]       rate_priority_o,
  output logic [ReportW-1:0] report_o     // report on the words used in the previous cycle (ram_guarded.sv)
);
  logic [Flows-1:0] waits_q, waits_d;
  logic             push, pop, some, valid_q, moves, skip, lost, again_q, again_push;
  logic [FlowW-1:0] head, again_at_q;
  logic [FlowW:0]   sweep_q;
  logic             sweep;
  logic [ReportW-1:0] report_flow, report_rate, report_priority, report;
  /* verilator lint_off UNUSEDSIGNAL */
  logic             full;  // never 1, as each flow waits only once
  /* verilator lint_on UNUSEDSIGNAL */

  // again_q: the queue is filled again, one flow number a cycle; flows below again_at_q have been put in already.
  assign lost       = report_flow[0] && !again_q;
  assign skip       = report_rate[0] || report_priority[0];
  assign moves      = rate_ready_i || skip;
  assign push       = valid_i && (!waits_q[flow_i] || (pop && head == flow_i)) && (!again_q || flow_i < again_at_q);
  assign again_push = again_q && !push && (waits_q[again_at_q] || (valid_i && flow_i == again_at_q));
  assign pop        = some && !lost && !again_q && (!valid_q || moves);

  always_comb begin
    waits_d = waits_q;
    if (pop) waits_d[head] = 1'b0;
    if (valid_i) waits_d[flow_i] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q    <= '0;
      valid_q    <= 1'b0;
      again_q    <= 1'b0;
      again_at_q <= '0;
      sweep_q    <= '0;
    end else begin
      waits_q <= waits_d;
      if (pop || moves) valid_q <= pop;
      if (lost) again_q <= 1'b1;
      else if (again_q && !push && (&again_at_q)) again_q <= 1'b0;
      again_at_q <= again_at_q + FlowW'(again_q && !push);  // after the last flow the number wraps to 0
      if (sweep) sweep_q <= sweep_q + 1'b1;
    end
  end
  assign sweep = !sweep_q[FlowW];
  always_ff @(posedge clk_i) begin
    if (pop) rate_flow_o <= head;
  end
  assign rate_valid_o = valid_q && !skip;

  dc_fifo #(.Depth(Flows), .Width(FlowW), .Secded(Secded), .Number(14), .Early(1)) u_flows (
    .clk_i,
    .ram_pins_i('0),
    .rst_ni,
    .clear_i(lost),
    .push_i (push || again_push),
    .data_i (push ? flow_i : again_at_q),
    .full_o (full),
    .valid_o(some),
    .data_o (head),
    .pop_i  (pop),
    .error_o(report_flow)
  );
  ram_guarded #(.Depth(Flows), .Width(32), .Secded(Secded), .Number(15), .Early(1)) u_rates (
    .clk_i,
    .ram_pins_i('0),
    .ren_i  (pop),
    .raddr_i(head),
    .rdata_o(rate_o),
    .wen_i  (valid_i),
    .waddr_i(flow_i),
    .wdata_i(rate_i),
    .use_i  (valid_q),
    .report_o(report_rate)
  );
  // A rate may come before the first priority of its flow, so priorities are swept after reset.
  ram_guarded #(.Depth(Flows), .Width(3), .Secded(Secded), .Number(16), .Early(1)) u_priorities (
    .clk_i,
    .ram_pins_i('0),
    .ren_i  (pop),
    .raddr_i(head),
    .rdata_o(rate_priority_o),
    .wen_i  (sweep || (valid_i && set_priority_i)),
    .waddr_i(sweep ? sweep_q[FlowW-1:0] : flow_i),
    .wdata_i(sweep ? 3'd0 : priority_i),
    .use_i  (valid_q),
    .report_o(report_priority)
  );
  ram_reports #(.Count(3), .ReportW(ReportW)) u_reports (
    .reports_i({moves ? report_rate : ReportW'(0), moves ? report_priority : ReportW'(0), report_flow}),
    .report_o (report)
  );
  always_ff @(posedge clk_i) report_o <= report;
endmodule
