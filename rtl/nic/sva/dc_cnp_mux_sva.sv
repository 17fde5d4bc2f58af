// A reset leaves the multiplexer between two frames, whatever its state was before the reset.
// SPDX-License-Identifier: Apache-2.0
module dc_cnp_mux_sva (
  input logic clk_i,
  input logic rst_ni,
  input logic inside_q
);
  logic reset_q = 1'b0;  // reset was active at the previous clock edge
  always_ff @(posedge clk_i) reset_q <= !rst_ni;
  reset_is_between_frames: assert property (@(posedge clk_i) !(reset_q && !rst_ni && inside_q));
endmodule

bind dc_cnp_mux dc_cnp_mux_sva u_sva (.*);
