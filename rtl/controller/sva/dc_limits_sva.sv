// Assumption on the user of dc_limits: software writes a table only while no event is under way.
// SPDX-License-Identifier: Apache-2.0
module dc_limits_sva (
  input logic clk_i,
  input logic write_i,
  input logic dscp_valid_i
);
  no_limit_read_as_written: assert property (@(posedge clk_i) !(write_i && dscp_valid_i));
endmodule

bind dc_limits dc_limits_sva u_sva (.*);
