// Contract of the hash table: a flow is in at most one place, a bind concerns a flow that is absent and has
// a free place, and users of the table keep its rules.
// SPDX-License-Identifier: Apache-2.0
module dc_flow_cuckoo_sva #(
  parameter int unsigned Ways    = 4,
  parameter int unsigned Stash   = 32,
  parameter int unsigned FlowW   = 24,
  parameter int unsigned BucketW = 8,
  parameter int unsigned TagW    = 16,
  parameter int unsigned SlotW   = 10,
  parameter int unsigned EntryW  = 27,
  parameter int unsigned RoomW   = 6
) (
  input logic                   clk_i,
  input logic                   sweep_i,
  input logic                   match_i,
  input logic [FlowW-1:0]       match_flow_i,
  input logic                   match_q,
  input logic [Ways-1:0]        hit0,
  input logic [Ways-1:0]        hit1,
  input logic                   in_stash,
  input logic                   room_o,
  input logic                   claim_i,
  input logic                   bind_i,
  input logic                   unbind_i,
  input logic [FlowW-1:0]       flow_i,
  input logic                   op_bind_q,
  input logic                   op_unbind_q,
  input logic [FlowW-1:0]       op_flow_q,
  input logic [Ways*EntryW-1:0] read0,
  input logic [Ways*EntryW-1:0] read1,
  input logic [Ways-1:0]        mine0,
  input logic [Ways-1:0]        mine1,
  input logic                   erased,
  input logic [Stash-1:0]       used,
  input logic [RoomW-1:0]       claimed_q
);
  logic swept_q = 1'b0;  // 1 after the first sweep; before, the table's contents are unknown
  always_ff @(posedge clk_i) if (sweep_i) swept_q <= 1'b1;

  logic [Ways-1:0] there0, there1;  // ways whose entry is that of the changed flow
  always_comb begin
    for (int unsigned i = 0; i < Ways; i++) begin
      there0[i] = read0[i*EntryW+SlotW +: 1+TagW] == {1'b1, op_flow_q[FlowW-1:BucketW]};
      there1[i] = read1[i*EntryW+SlotW +: 1+TagW] == {1'b1, op_flow_q[FlowW-1:BucketW]};
    end
  end

  found_once: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q)
    match_q |-> $onehot0({hit0, hit1, in_stash}));
  bound_once: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q)
    op_bind_q |-> {there0, there1} == '0 && {mine0, mine1} == '0);
  unbound_from_one_place: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q)
    op_unbind_q |-> $onehot({mine0, mine1, erased}) && {there0, there1} == {mine0, mine1});
  one_change: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q) !(bind_i && unbind_i));
  // Events of one flow are apart in time, so no event looks a flow up while its entry changes.
  no_look_up_of_what_changes: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q)
    match_i && (bind_i || unbind_i) |-> match_flow_i != flow_i);
  // A flow that was promised a place gets one (never_overflows of dc_flow_stash_sva states that a place
  // exists).
  claims_have_room: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q) claim_i |-> room_o);
  binds_are_claimed: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q)
    op_bind_q |-> 32'(claimed_q) > 32'($countones(used)));
  stash_is_claimed: assert property (@(posedge clk_i) disable iff (sweep_i || !swept_q)
    32'(claimed_q) >= 32'($countones(used)) && 32'(claimed_q) <= Stash + 2 * Ways);

  stashed: cover property (@(posedge clk_i) used != '0);
  refused: cover property (@(posedge clk_i) !room_o);

  logic unused;
  assign unused = &{1'b0, op_flow_q};
endmodule

bind dc_flow_cuckoo dc_flow_cuckoo_sva #(
  .Ways(Ways), .Stash(Stash), .FlowW(FlowW), .BucketW(BucketW), .TagW(TagW), .SlotW(SlotW), .EntryW(EntryW),
  .RoomW(RoomW)
) u_sva (.*);
