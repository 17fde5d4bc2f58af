// A slot that a CNP has just bound had no rate before. A rate of zero stands for "no rate", because R_MIN is at least
// 1.
// SPDX-License-Identifier: Apache-2.0
module dc_finish_sva (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s30_valid_q,
  input logic        first,
  input logic        write,
  input logic [31:0] rc,
  input logic [31:0] old_rc
);
  first_rate_is_new: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s30_valid_q && first |-> write && rc != old_rc);
endmodule

bind dc_finish dc_finish_sva u_sva (
  .first(s30_plan_q.first), .write(s30_plan_q.write), .rc(s30_plan_q.slot.rc), .old_rc(s30_plan_q.old_rc), .*
);
