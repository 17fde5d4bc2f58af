// Stash of a cuckoo hash table: registers for entries that found no place in their buckets.
// SPDX-License-Identifier: Apache-2.0
//
// The stash compares all entries at once and makes one change per cycle. put_i requires a free place.
module dc_flow_stash #(
  parameter int unsigned Depth = 32,  // number of places, a power of two, at least 2
  parameter int unsigned FlowW = 24,
  parameter int unsigned SlotW = 10,
  localparam int unsigned AtW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             clear_i,
  output logic [Depth-1:0] used_o,
  // look-up of a flow, answered in this cycle
  input  logic             match_i,
  input  logic [FlowW-1:0] match_flow_i,
  output logic             match_o,
  output logic [SlotW-1:0] match_slot_o,
  // changes of the stash's entries
  input  logic             put_i,       // puts an entry into a free place of the stash
  input  logic             replace_i,   // overwrites the entry at place at_i
  input  logic             remove_i,    // removes the entry at place at_i from the stash
  input  logic [AtW-1:0]   at_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [SlotW-1:0] slot_i,
  input  logic             from_i,      // number of the table that the entry comes from
  input  logic             erase_i,     // erases the entry of slot slot_i
  input  logic [SlotW-1:0] erase_slot_i,
  output logic             erased_o,    // valid with erase_i: the stash had an entry of the slot
  // read of the entry at one place
  input  logic [AtW-1:0]   look_at_i,
  output logic [FlowW-1:0] look_flow_o,
  output logic [SlotW-1:0] look_slot_o,
  output logic             look_from_o
);
  logic [Depth-1:0] used_q, same, doomed;
  logic [FlowW-1:0] flow_q [Depth];
  logic [SlotW-1:0] slot_q [Depth];
  logic             from_q [Depth];

  always_comb begin
    same         = '0;
    match_slot_o = '0;
    if (match_i && used_q != '0) begin  // skipping this search saves simulation time
      for (int unsigned i = 0; i < Depth; i++) begin
        same[i] = used_q[i] && flow_q[i] == match_flow_i;
        if (same[i]) match_slot_o |= slot_q[i];
      end
    end
  end
  assign match_o = same != '0;

  // A slot belongs to one flow at most.
  always_comb begin
    doomed = '0;
    if (erase_i && used_q != '0) begin
      for (int unsigned i = 0; i < Depth; i++) doomed[i] = used_q[i] && slot_q[i] == erase_slot_i;
    end
  end
  assign erased_o = doomed != '0;

  logic           any_free;
  logic [AtW-1:0] free_at, put_at;
  lowest_bit #(.Width(Depth)) u_free (.bits_i(~used_q), .any_o(any_free), .index_o(free_at));
  assign put_at = put_i ? free_at : at_i;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      used_q <= '0;
    end else begin
      if (put_i) used_q[free_at] <= 1'b1;
      if (remove_i) used_q[at_i] <= 1'b0;
      if (erase_i) used_q <= used_q & ~doomed;
    end
    if (put_i || replace_i) begin
      flow_q[put_at] <= flow_i;
      slot_q[put_at] <= slot_i;
      from_q[put_at] <= from_i;
    end
  end

  assign used_o      = used_q;
  assign look_flow_o = flow_q[look_at_i];
  assign look_slot_o = slot_q[look_at_i];
  assign look_from_o = from_q[look_at_i];

  logic unused;
  assign unused = any_free;
endmodule
