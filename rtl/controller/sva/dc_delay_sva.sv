// Contract of a delay's ring: the place that is read in one cycle is written anew in the next cycle.
// SPDX-License-Identifier: Apache-2.0
module dc_delay_sva #(
  parameter int unsigned AddrW = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [AddrW-1:0] at_q,
  input logic [AddrW-1:0] next
);
  not_where_it_is_written: assert property (@(posedge clk_i) disable iff (!rst_ni) next != at_q);
endmodule

bind dc_delay dc_delay_sva #(.AddrW(AddrW)) u_sva (.*);
