// Contract between the queues of frames and the pacer.
// SPDX-License-Identifier: Apache-2.0
module dc_send_queues_sva #(
  parameter int unsigned FlowW  = 6,
  parameter int unsigned BytesW = 14
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              post_valid_o,
  input logic              post_ready_i,
  input logic [FlowW-1:0]  post_flow_o,
  input logic [BytesW-1:0] post_bytes_o,
  input logic              sent_valid_i,
  input logic [2:0]        count_q,
  input logic              pop,
  input logic              empty_head     // the flow that the pacer decided on has no stored frame
);
  post_stands: assert property (@(posedge clk_i) disable iff (!rst_ni)
    post_valid_o && !post_ready_i |=> post_valid_o && $stable(post_flow_o) && $stable(post_bytes_o));
  // The FIFO of decisions has room for every decision that was requested.
  room: assert property (@(posedge clk_i) disable iff (!rst_ni) sent_valid_i |-> count_q < 3'd4);
  something_sent: assert property (@(posedge clk_i) disable iff (!rst_ni) pop |-> !empty_head);
endmodule

bind dc_send_queues dc_send_queues_sva #(.FlowW(FlowW), .BytesW(BytesW)) u_sva (
  .empty_head(tails_q[out_flow*CountW +: CountW] == out_head), .*);
