// A list never gets the same entry behind itself.
module tw_lists_sva #(
  parameter int unsigned SlotW = 10
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             append_i,
  input logic             append_used,
  input logic [SlotW-1:0] tail,
  input logic [SlotW-1:0] slot_i
);
  no_self_link: assert property (@(posedge clk_i) disable iff (!rst_ni)
    append_i && append_used |-> tail != slot_i);
endmodule

bind tw_lists tw_lists_sva #(.SlotW(SlotW)) u_sva (.*);
