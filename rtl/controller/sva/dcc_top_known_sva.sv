// No output of the controller is unknown after reset, and no field of an output that is valid. For simulators with
// four states; in one with two states nothing is ever unknown.
// SPDX-License-Identifier: Apache-2.0
//
// Plain immediate checks, which Icarus runs as well: it knows no bind, so the testbenches in vectors/ instantiate the
// module themselves (compiled with KNOWN).
module dcc_top_known_sva #(
  parameter FlowW = 14
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             psel_i,
  input logic             penable_i,
  input logic             pwrite_i,
  input logic             pready_o,
  input logic [31:0]      prdata_o,
  input logic             pslverr_o,
  input logic             irq_o,
  input logic             ready_o,
  input logic             bytes_ready_o,
  input logic             command_ready_o,
  input logic             rate_valid_o,
  input logic             rate_query_o,
  input logic             rate_bound_o,
  input logic [FlowW-1:0] rate_flow_o,
  input logic [31:0]      rate_value_o
);
  always @(posedge clk_i) begin
    if (rst_ni === 1'b1) begin
      if ((^{pready_o, pslverr_o}) === 1'bx) $fatal(1, "FAIL: pready_o or pslverr_o is unknown");
      if ((^{irq_o, ready_o}) === 1'bx) $fatal(1, "FAIL: irq_o or ready_o is unknown");
      if ((^{bytes_ready_o, command_ready_o}) === 1'bx)
        $fatal(1, "FAIL: bytes_ready_o or command_ready_o is unknown");
      if ((^{rate_valid_o}) === 1'bx) $fatal(1, "FAIL: rate_valid_o is unknown");
      if (rate_valid_o === 1'b1 && (^{rate_query_o, rate_bound_o, rate_flow_o, rate_value_o}) === 1'bx)
        $fatal(1, "FAIL: a valid answer is unknown");
      if (psel_i && penable_i && !pwrite_i && pready_o === 1'b1 && (^prdata_o) === 1'bx)
        $fatal(1, "FAIL: the word that was read is unknown");
    end
  end
endmodule

`ifndef __ICARUS__
bind dcc_top dcc_top_known_sva #(.FlowW(FlowW)) u_known (.*);
`endif
