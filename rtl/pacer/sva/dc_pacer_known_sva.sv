// No output of the pacer is unknown after reset, and no field of a decision. For simulators with four states; see
// dcc_top_known_sva.sv.
// SPDX-License-Identifier: Apache-2.0
module dc_pacer_known_sva #(
  parameter FlowW  = 10,
  parameter BytesW = 14
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              init_done_o,
  input logic              post_ready_o,
  input logic              post_refused_o,
  input logic              rate_ready_o,
  input logic              sent_valid_o,
  input logic [FlowW-1:0]  sent_flow_o,
  input logic [BytesW-1:0] sent_bytes_o,
  input logic              strict_o
);
  always @(posedge clk_i) begin
    if (rst_ni === 1'b1) begin
      if ((^{init_done_o, post_ready_o, post_refused_o, rate_ready_o, sent_valid_o, strict_o}) === 1'bx)
        $fatal(1, "FAIL: an output of the pacer is unknown");
      if (sent_valid_o === 1'b1 && (^{sent_flow_o, sent_bytes_o}) === 1'bx)
        $fatal(1, "FAIL: a decision of the pacer is unknown");
    end
  end
endmodule

`ifndef __ICARUS__
bind dc_pacer dc_pacer_known_sva #(.FlowW(FlowW), .BytesW(BytesW)) u_known (.*);
`endif
