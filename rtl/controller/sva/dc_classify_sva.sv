// A timer event that cuts the rate does so in a rate hold, from the target rate and as a first cut, so the request's
// flag needs no other input.
// SPDX-License-Identifier: Apache-2.0
module dc_classify_sva (
  input logic clk_i,
  input logic rst_ni,
  input logic timer_cuts,
  input logic req_first_o
);
  timer_cuts_first: assert property (@(posedge clk_i) disable iff (!rst_ni)
    timer_cuts |-> req_first_o);
endmodule

bind dc_classify dc_classify_sva u_sva (
  .timer_cuts(valid_o && plan_o.kind == dcc_controller_pkg::KindTimer && plan_o.cut), .*);
