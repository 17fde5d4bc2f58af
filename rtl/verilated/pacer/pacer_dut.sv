// The pacer with the parameters of the example bench golden/tb_golden_pacer.sv, as one module for any simulator.
// SPDX-License-Identifier: Apache-2.0
module pacer_dut #(
  parameter int unsigned Secded = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        init_done_o,
  input  logic [21:0] scale_i,
  input  logic [23:0] slack_i,
  input  logic        post_valid_i,
  output logic        post_ready_o,
  input  logic [5:0]  post_flow_i,
  input  logic [13:0] post_bytes_i,
  output logic        post_refused_o,
  input  logic        rate_valid_i,
  output logic        rate_ready_o,
  input  logic [5:0]  rate_flow_i,
  input  logic [31:0] rate_i,
  input  logic [2:0]  rate_priority_i,
  input  logic [7:0]  paused_i,
  input  logic        want_i,
  output logic        sent_valid_o,
  output logic [5:0]  sent_flow_o,
  output logic [13:0] sent_bytes_o,
  output logic        strict_o
);
  logic [(Secded != 0 ? 31 : 1)-1:0] unused_report;
  dc_pacer #(.Flows(64), .Width(8), .Depth(4), .Secded(Secded)) u_pacer (.report_o(unused_report), .*);
endmodule
