// Two properties of the wheel's linked lists. An entry is never linked behind itself, unless a memory lost a bit. And
// only one list is open, that is, being unfolded into the level below it: while entries leave a list of the top level,
// none of the middle level is.
module tw_lists_sva #(
  parameter int unsigned SlotW = 10
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             wrong_i,     // a word in use had wrong parity since the last clear
  input logic             append_i,
  input logic             append_used,
  input logic [SlotW-1:0] tail,
  input logic [SlotW-1:0] slot_i,
  input logic             pop_i,
  input logic             source_middle_i,
  input logic             middle_open
);
  no_self_link: assert property (@(posedge clk_i) disable iff (!rst_ni)
    append_i && append_used |=> $past(tail) != $past(slot_i) || wrong_i || $past(wrong_i));
  one_list_at_a_time: assert property (@(posedge clk_i) disable iff (!rst_ni)
    pop_i && !source_middle_i |-> !middle_open);
endmodule

bind timing_wheel tw_lists_sva #(.SlotW(SlotW)) u_lists_sva (
  .clk_i, .rst_ni, .wrong_i(u_sva.wrong), .append_i(u_lists.append_i),
  .append_used(u_lists.append_used), .tail(u_lists.tail), .slot_i(slot_q),
  .pop_i(u_lists.pop_i), .source_middle_i(u_lists.source_middle_i), .middle_open(u_lists.middle_open_q));
