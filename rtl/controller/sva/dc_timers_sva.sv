// The flow of an expiry is known when the expiry may be offered, because FirstOffer and OfferPace are
// longer than the look-up. At most two starts after timer events wait, so their queue is never full.
// SPDX-License-Identifier: Apache-2.0
module dc_timers_sva (
  input logic clk_i,
  input logic rst_ni,
  input logic expire_valid,
  input logic known_q,
  input logic begun,
  input logic paced,
  input logic [3:0] again_waiting
);
  known_in_time: assert property (@(posedge clk_i) disable iff (!rst_ni)
    expire_valid && begun && paced |-> known_q);
  few_wait: assert property (@(posedge clk_i) disable iff (!rst_ni) again_waiting <= 4'd2);
endmodule

bind dc_timers dc_timers_sva u_sva (.again_waiting(u_again.count_q), .*);
