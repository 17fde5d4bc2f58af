// The hash table of sparse flow numbers: the table finds every bound flow in exactly one place, and each flow that was
// promised a place finds one. An induction proof for abc's pdr.
//
// Size: eight slots, sixteen flows, two tables of four buckets with two entries each, a stash of two entries.
// Assumptions on the pipeline: a flow is claimed two cycles after its look-up, if the table has room and a slot is
// free; binds come in the order of the claims, at most three under way; only a bound flow is unbound, from its own
// slot; no flow is looked up in the cycle in which it changes. Any state may be the first state of a trace. The
// invariant relates registers and memories of the table to the set of bound flows. Properties show that the invariant
// holds after a sweep, that it holds in a cycle after one in which it held, and that it implies right answers. The
// inductive step is split into several properties. Properties from number 20 on are known to be false.
module cuckoo_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic [3:0] watch_i,
  input  logic       match_i,
  input  logic [3:0] match_flow_i,
  input  logic       claim_i,
  input  logic [2:0] claim_slot_i,
  input  logic       bind_i,
  input  logic       unbind_i,
  input  logic [3:0] unbind_flow_i,
  output logic       bad_o
);
  // State of the hash table: words of its memories (two entries of valid, tag, slot, plus a check bit), registers,
  // answers.
  (* keep *) logic [12:0] probe_match0_0, probe_match0_1, probe_match0_2, probe_match0_3;
  (* keep *) logic [12:0] probe_match1_0, probe_match1_1, probe_match1_2, probe_match1_3;
  (* keep *) logic [12:0] probe_change0_0, probe_change0_1, probe_change0_2, probe_change0_3;
  (* keep *) logic [12:0] probe_change1_0, probe_change1_1, probe_change1_2, probe_change1_3;
  (* keep *) logic [11:0] probe_match0, probe_match1, probe_read0, probe_read1;
  (* keep *) logic [3:0]  probe_match_flow, probe_op_flow, probe_stash_flow0, probe_stash_flow1;
  (* keep *) logic [2:0]  probe_op_slot, probe_stash_slot0, probe_stash_slot1, probe_claimed;
  (* keep *) logic [1:0]  probe_used, probe_op0, probe_op1, probe_hit0, probe_hit1;
  (* keep *) logic        probe_match, probe_op_bind, probe_op_unbind, probe_op_walk, probe_op_from, probe_op_at;
  (* keep *) logic        probe_stash_from0, probe_stash_from1, probe_put, probe_kick, probe_in_stash, probe_room;

  // ---------------------------------------------------------------------------------------------
  // Bound flows, and claims under way; without a reset, so any state may be the first one
  // ---------------------------------------------------------------------------------------------
  logic [15:0] bound_q;
  logic [2:0]  slot_q [16];
  logic [1:0]  count_q;                    // number of claims under way; flow0_q and slot0_q hold the oldest claim
  logic [3:0]  flow0_q, flow1_q, flow2_q;
  logic [2:0]  slot0_q, slot1_q, slot2_q;
  logic        match1_q, match2_q, expected_q;
  logic [3:0]  match1_flow_q, match2_flow_q;
  logic [2:0]  expected_slot_q;

  logic        match, claim, bind_now, unbind_now, room, bound, unused_error, sweep;
  logic [3:0]  flow, unused_name;
  logic [2:0]  slot, answer;
  logic [1:0]  left;   // number of claims, not counting the one bound in this cycle
  logic [7:0]  taken;  // slots that are bound or claimed
  always_comb begin
    taken = '0;
    for (int unsigned i = 0; i < 16; i++) if (bound_q[i]) taken[slot_q[i]] = 1'b1;
    if (count_q > 2'd0) taken[slot0_q] = 1'b1;
    if (count_q > 2'd1) taken[slot1_q] = 1'b1;
    if (count_q > 2'd2) taken[slot2_q] = 1'b1;
  end

  assign bind_now   = bind_i && count_q != '0 && !sweep;
  assign unbind_now = unbind_i && !bind_now && bound_q[unbind_flow_i] && !sweep;
  assign flow       = bind_now ? flow0_q : unbind_flow_i;
  assign slot       = bind_now ? slot0_q : slot_q[unbind_flow_i];
  assign match      = match_i && !sweep && !((bind_now || unbind_now) && match_flow_i == flow);
  assign claim      = claim_i && !sweep && match2_q && room && count_q != 2'd3 && !taken[claim_slot_i] &&
                      !bound_q[match2_flow_q] && !(count_q > 2'd0 && flow0_q == match2_flow_q) &&
                      !(count_q > 2'd1 && flow1_q == match2_flow_q);
  assign left       = count_q - 2'(bind_now);

  logic [2:0] swept_q;
  dc_flow_cuckoo #(.Slots(8), .FlowW(4), .Ways(2), .Stash(2), .Kicks(3)) u_table (
    .clk_i       (clk_i),
    .ram_pins_i('0),
    .match_i     (match),
    .match_flow_i(match_flow_i),
    .bound_o     (bound),
    .slot_o      (answer),
    .name_i      (1'b0),
    .name_slot_i (3'd0),
    .name_flow_o (unused_name),
    .room_o      (room),
    .claim_i     (claim),
    .bind_i      (bind_now),
    .unbind_i    (unbind_now),
    .flow_i      (flow),
    .slot_i      (slot),
    .sweep_i     (sweep),
    .power_up_i  (1'b0),
    .in_range_i  (1'b1),
    .index_i     ({1'b0, swept_q}),
    .report_o    (unused_error)
  );

  always_ff @(posedge clk_i) begin
    match1_q        <= match;
    match2_q        <= match1_q && !sweep;
    match1_flow_q   <= match_flow_i;
    match2_flow_q   <= match1_flow_q;
    expected_q      <= bound_q[match_flow_i];
    expected_slot_q <= slot_q[match_flow_i];
    count_q         <= sweep ? '0 : left + 2'(claim);
    if (sweep) bound_q <= '0;
    if (unbind_now) bound_q[flow] <= 1'b0;
    if (bind_now) begin
      bound_q[flow]      <= 1'b1;
      slot_q[flow]       <= slot;
      {flow0_q, slot0_q} <= {flow1_q, slot1_q};
      {flow1_q, slot1_q} <= {flow2_q, slot2_q};
    end
    if (claim && left == 2'd0) {flow0_q, slot0_q} <= {match2_flow_q, claim_slot_i};
    if (claim && left == 2'd1) {flow1_q, slot1_q} <= {match2_flow_q, claim_slot_i};
    if (claim && left == 2'd2) {flow2_q, slot2_q} <= {match2_flow_q, claim_slot_i};
  end

  // ---------------------------------------------------------------------------------------------
  // The invariant
  // ---------------------------------------------------------------------------------------------
  // Bucket numbers: flow number modulo x^2 + x + 1 and modulo x^2 + 1, as polynomials over GF(2).
  function automatic logic [1:0] hash0(input logic [3:0] of);
    hash0 = {of[1] ^ of[2], of[0] ^ of[2] ^ of[3]};
  endfunction
  function automatic logic [1:0] hash1(input logic [3:0] of);
    hash1 = {of[1] ^ of[3], of[0] ^ of[2]};
  endfunction
  // A macro and not a named signal, because yosys would connect the probes to the name instead of to the memory words.
`define WORDS0 {probe_match0_3[11:0], probe_match0_2[11:0], probe_match0_1[11:0], probe_match0_0[11:0]}
`define WORDS1 {probe_match1_3[11:0], probe_match1_2[11:0], probe_match1_1[11:0], probe_match1_0[11:0]}
  function automatic logic [11:0] word(input logic [47:0] words, input logic [1:0] bucket);
    word = words[12*bucket +: 12];
  endfunction
  // Number of free places for a flow in its two buckets and in the stash.
  function automatic logic [3:0] free_in(input logic [11:0] one, input logic [11:0] other, input logic [1:0] used);
    free_in = 4'(!one[5]) + 4'(!one[11]) + 4'(!other[5]) + 4'(!other[11]) + 4'(!used[0]) + 4'(!used[1]);
  endfunction

  logic [3:0]  key;
  logic [5:0]  found;  // places of the table and stash that hold the watched flow
  logic [11:0] in0, in1;
  logic        wanted, good, unique_slots;
  logic [15:0] same;   // same[i]: the table holds flow i exactly where it should
  logic [3:0]  ok;
  assign good = same == '1 && ok == '1;
  always_comb begin
    same = '1;
    ok   = '1;
    // Part 0 of the invariant: both copies of each table agree, and the words read belong to the pending operation.
    if ({probe_change0_3[11:0], probe_change0_2[11:0], probe_change0_1[11:0], probe_change0_0[11:0]} != `WORDS0 ||
        {probe_change1_3[11:0], probe_change1_2[11:0], probe_change1_1[11:0], probe_change1_0[11:0]} != `WORDS1)
      ok[0] = 1'b0;
    if (3'(probe_op_bind) + 3'(probe_op_unbind) + 3'(probe_op_walk) > 3'd1) ok[0] = 1'b0;
    if (probe_op_bind || probe_op_unbind || probe_op_walk) begin
      if (probe_op0 != hash0(probe_op_flow) || probe_read0 != word(`WORDS0, probe_op0)) ok[0] = 1'b0;
      if (probe_op1 != hash1(probe_op_flow) || probe_read1 != word(`WORDS1, probe_op1)) ok[0] = 1'b0;
    end
    if (probe_op_bind && (!bound_q[probe_op_flow] || slot_q[probe_op_flow] != probe_op_slot)) ok[0] = 1'b0;
    if (probe_op_unbind && bound_q[probe_op_flow]) ok[0] = 1'b0;
    if (probe_op_walk && probe_used[probe_op_at] &&
        {probe_op_flow, probe_op_slot, probe_op_from} !=
        (probe_op_at ? {probe_stash_flow1, probe_stash_slot1, probe_stash_from1}
                     : {probe_stash_flow0, probe_stash_slot0, probe_stash_from0})) ok[0] = 1'b0;
    // Part of the invariant: each bound flow is in exactly one place, with its slot, and each other flow in no place.
    for (int unsigned i = 0; i < 16; i++) begin
      key      = 4'(i);
      in0      = word(`WORDS0, hash0(key));
      in1      = word(`WORDS1, hash1(key));
      found[0] = in0[5:3] == {1'b1, key[3:2]};
      found[1] = in0[11:9] == {1'b1, key[3:2]};
      found[2] = in1[5:3] == {1'b1, key[3:2]};
      found[3] = in1[11:9] == {1'b1, key[3:2]};
      found[4] = probe_used[0] && probe_stash_flow0 == key;
      found[5] = probe_used[1] && probe_stash_flow1 == key;
      wanted   = (bound_q[i] && !(probe_op_bind && probe_op_flow == key)) || (probe_op_unbind && probe_op_flow == key);
      if (3'(found[0]) + 3'(found[1]) + 3'(found[2]) + 3'(found[3]) + 3'(found[4]) + 3'(found[5]) != 3'(wanted))
        same[i] = 1'b0;
      if (wanted &&
          (({3{found[0]}} & in0[2:0]) | ({3{found[1]}} & in0[8:6]) |
           ({3{found[2]}} & in1[2:0]) | ({3{found[3]}} & in1[8:6]) |
           ({3{found[4]}} & probe_stash_slot0) | ({3{found[5]}} & probe_stash_slot1)) !=
          ((probe_op_unbind && probe_op_flow == key) ? probe_op_slot : slot_q[i])) same[i] = 1'b0;
    end
    // Part 1 of the invariant: no slot belongs to two flows, and no flow is claimed twice or claimed while it is
    // bound.
    unique_slots = 1'b1;
    for (int unsigned i = 0; i < 16; i++) begin
      for (int unsigned j = 0; j < i; j++) begin
        if (bound_q[i] && bound_q[j] && slot_q[i] == slot_q[j]) unique_slots = 1'b0;
      end
      if (bound_q[i] && ((count_q > 2'd0 && (slot_q[i] == slot0_q || flow0_q == 4'(i))) ||
                         (count_q > 2'd1 && (slot_q[i] == slot1_q || flow1_q == 4'(i))) ||
                         (count_q > 2'd2 && (slot_q[i] == slot2_q || flow2_q == 4'(i))))) unique_slots = 1'b0;
      if (bound_q[i] && probe_op_unbind && slot_q[i] == probe_op_slot) unique_slots = 1'b0;
    end
    if (count_q > 2'd1 && (slot0_q == slot1_q || flow0_q == flow1_q)) unique_slots = 1'b0;
    if (count_q > 2'd2 && (slot0_q == slot2_q || flow0_q == flow2_q || slot1_q == slot2_q || flow1_q == flow2_q))
      unique_slots = 1'b0;
    if (!unique_slots) ok[1] = 1'b0;
    // Part 2 of the invariant: the count of claimed places is right, and each promised flow has a free place.
    if (4'(probe_claimed) != 4'(probe_used[0]) + 4'(probe_used[1]) + 4'(count_q) + 4'(probe_op_bind)) ok[2] = 1'b0;
    if (probe_op_bind && free_in(probe_read0, probe_read1, probe_used) == '0) ok[2] = 1'b0;
    if (count_q > 2'd0 && free_in(word(`WORDS0, hash0(flow0_q)), word(`WORDS1, hash1(flow0_q)), probe_used) <=
                           4'(probe_op_bind))
      ok[2] = 1'b0;
    if (count_q > 2'd1 && free_in(word(`WORDS0, hash0(flow1_q)), word(`WORDS1, hash1(flow1_q)), probe_used) <=
                           4'(probe_op_bind) + 4'd1)
      ok[2] = 1'b0;
    if (count_q > 2'd2 && free_in(word(`WORDS0, hash0(flow2_q)), word(`WORDS1, hash1(flow2_q)), probe_used) <=
                           4'(probe_op_bind) + 4'd2)
      ok[2] = 1'b0;
    if (match2_q && probe_room &&
        free_in(word(`WORDS0, hash0(match2_flow_q)), word(`WORDS1, hash1(match2_flow_q)), probe_used) <=
        4'(count_q) + 4'(probe_op_bind)) ok[2] = 1'b0;
    // Part 3 of the invariant: state of the look-up under way.
    if (match1_q && (!probe_match || probe_match_flow != match1_flow_q ||
                     probe_match0 != word(`WORDS0, hash0(match1_flow_q)) ||
                     probe_match1 != word(`WORDS1, hash1(match1_flow_q)) || expected_q != bound_q[match1_flow_q] ||
                     (expected_q && expected_slot_q != slot_q[match1_flow_q]) ||
                     ((probe_op_bind || probe_op_unbind) && probe_op_flow == match1_flow_q))) ok[3] = 1'b0;
  end

  // good: the invariant held in the first cycle; second_q: this is the second cycle
  logic       begun_q, held_q, second_q, sweeping_q;
  logic [2:0] places;
  initial begun_q = 1'b0;
  initial swept_q = '0;
  // Only the property on sweeps uses the sweep input.
  assign sweep  = Property == 3 && swept_q != 3'd4;
  assign places = 3'(probe_hit0[0]) + 3'(probe_hit0[1]) + 3'(probe_hit1[0]) + 3'(probe_hit1[1]) + 3'(probe_in_stash);
  always_ff @(posedge clk_i) begin
    begun_q    <= 1'b1;
    sweeping_q <= sweep;
    second_q   <= !begun_q;
    held_q     <= good;
    if (sweep) swept_q <= swept_q + 1'b1;
  end
  logic first, after;
  assign first = !begun_q && good;
  assign after = begun_q && second_q && held_q;

  always_comb begin
    unique case (Property)
      // Inductive step, flow by flow: if the invariant holds in a cycle, each flow is in its right place in the next
      // cycle.
      0: bad_o = after && !same[watch_i];
      // Inductive step for part 0 of the invariant: copies of the tables, and words read from these copies.
      5: bad_o = after && !ok[0];
      // Inductive step for part 1 of the invariant: slots and claims.
      6: bad_o = after && !ok[1];
      // Inductive step for part 2 of the invariant: a place for every promised flow.
      7: bad_o = after && !ok[2];
      // Inductive step for part 3 of the invariant: look-ups.
      8: bad_o = after && !ok[3];
      // Where the invariant holds, a look-up finds a flow if and only if the flow is bound, with its slot and in one
      // place.
      1: bad_o = first && match1_q && (bound != expected_q || (expected_q && answer != expected_slot_q) ||
                                       places != 3'(expected_q));
      // Where the invariant holds, an entry goes into the stash only if the stash has room.
      2: bad_o = first && probe_put && probe_used == '1;
      // The invariant holds after a sweep, whatever the state before the sweep.
      3: bad_o = begun_q && sweeping_q && !sweep && !good;
      // The table refuses no flow while the stash is empty and no bind is under way.
      4: bad_o = after && match2_q && !room && probe_used == '0 && count_q == '0 && !probe_op_bind;
      // false_: no entry is ever put into the stash.
      20: bad_o = first && probe_put;
      // false_: the table never moves an entry.
      21: bad_o = first && probe_kick;
      // false_: a flow in the stash is never looked up.
      22: bad_o = first && match1_q && probe_in_stash;
      // false_: the table never refuses a flow.
      23: bad_o = first && match2_q && !room;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
