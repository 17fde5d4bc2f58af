// Assumptions of dc_lookup: a slot is written 31 cycles after its event's issue and read 2 cycles after the issue, and
// two events of one slot are 32 cycles apart. A slot that is being bound is free, so no timer event looks up its flow.
// A soft reset takes effect when no event is under way.
// SPDX-License-Identifier: Apache-2.0
module dc_lookup_sva #(
  parameter int unsigned SlotW = 10
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             counts,  // the words that dc_lookup reads in cycle 2 belong to the event's slot
  input logic [SlotW-1:0] s2_slot,
  input logic             view_i,
  input logic             write_i,
  input logic [SlotW-1:0] write_slot_i,
  input logic             bind_i,
  input logic             name_i,
  input logic [SlotW-1:0] name_slot_i,
  input logic             clear_i,
  input logic             give_i
);
  no_slot_read_as_written: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(write_i && counts && s2_slot == write_slot_i));
  no_flow_named_as_it_is_bound: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(bind_i && name_i && name_slot_i == write_slot_i));
  nothing_given_as_all_is_cleared: assert property (@(posedge clk_i) disable iff (!rst_ni) !(clear_i && give_i));
  no_view_of_what_is_written: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(write_i && view_i));
endmodule

bind dc_lookup dc_lookup_sva #(.SlotW(SlotW)) u_sva (
  .counts(s2_valid_q && (s2_hit_q || first || s2_event_q.kind == dcc_controller_pkg::KindTimer)), .*);
