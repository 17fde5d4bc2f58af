// Contract of the stash: an entry that is put finds a place, flows and slots occur once, and a place that
// is emptied or replaced holds an entry.
// SPDX-License-Identifier: Apache-2.0
module dc_flow_stash_sva #(
  parameter int unsigned Depth = 32,
  parameter int unsigned FlowW = 24,
  parameter int unsigned SlotW = 10,
  parameter int unsigned AtW   = 5
) (
  input logic             clk_i,
  input logic             clear_i,
  input logic [Depth-1:0] used_q,
  input logic [Depth-1:0] same,
  input logic [Depth-1:0] doomed,
  input logic             any_free,
  input logic             put_i,
  input logic             replace_i,
  input logic             remove_i,
  input logic             erase_i,
  input logic [AtW-1:0]   at_i,
  input logic [FlowW-1:0] flow_i,
  input logic [SlotW-1:0] slot_i,
  input logic [FlowW-1:0] flow_q [Depth],
  input logic [SlotW-1:0] slot_q [Depth]
);
  logic cleared_q = 1'b0;
  always_ff @(posedge clk_i) if (clear_i) cleared_q <= 1'b1;

  logic there;  // a stored entry already has the flow or the slot of the new entry
  always_comb begin
    there = 1'b0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (used_q[i] && (flow_q[i] == flow_i || slot_q[i] == slot_i)) there = 1'b1;
    end
  end
  new_one_comes: assert property (@(posedge clk_i) disable iff (clear_i || !cleared_q) put_i || replace_i |-> !there);

  never_overflows: assert property (@(posedge clk_i) disable iff (clear_i || !cleared_q) put_i |-> any_free);
  flow_once: assert property (@(posedge clk_i) disable iff (clear_i || !cleared_q) $onehot0(same));
  slot_once: assert property (@(posedge clk_i) disable iff (clear_i || !cleared_q) $onehot0(doomed));
  of_one_that_is_there: assert property (@(posedge clk_i) disable iff (clear_i || !cleared_q)
    replace_i || remove_i |-> used_q[at_i]);
  one_change: assert property (@(posedge clk_i) disable iff (clear_i || !cleared_q)
    $onehot0({put_i, replace_i, remove_i, erase_i}));
endmodule

bind dc_flow_stash dc_flow_stash_sva #(.Depth(Depth), .FlowW(FlowW), .SlotW(SlotW), .AtW(AtW)) u_sva (.*);
