// Contract of the byte notifications as assertions, bound to the block in every verilated build.
// SPDX-License-Identifier: Apache-2.0
module dc_sent_sva #(
  parameter int unsigned FlowW = 10
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             init_done_o,
  input logic             sent_ready_o,
  input logic             bytes_valid_o,
  input logic             bytes_ready_i,
  input logic [FlowW-1:0] bytes_flow_o,
  input logic [5:0]       bytes_dscp_o,
  input logic [31:0]      bytes_length_o,
  input logic             unbound_o,
  input logic             out_q
);
  // A sent packet has exactly one outcome.
  one_outcome: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_q == (bytes_valid_o || unbound_o) && !(bytes_valid_o && unbound_o));
  notice_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    bytes_valid_o && !bytes_ready_i |=>
      bytes_valid_o && $stable(bytes_flow_o) && $stable(bytes_dscp_o) && $stable(bytes_length_o));
  // A packet without a flow does not block further packets.
  unbound_passes: assert property (@(posedge clk_i) disable iff (!rst_ni)
    init_done_o && unbound_o |-> sent_ready_o);
  nothing_before_sweep: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !init_done_o |-> !sent_ready_o && !bytes_valid_o && !unbound_o);
endmodule

bind dc_sent dc_sent_sva #(.FlowW(FlowW)) u_sva (.*);
