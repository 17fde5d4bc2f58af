// The flow of an expiry is known when the expiry may be offered, because FirstOffer and OfferPace are longer than the
// look-up of the flow. After a rebuild (dc_rebuild.sv) the starts of all slots come at once, and the wheel lags while
// it sorts these starts, so an expiry may come after its pace has passed: then the look-up delays the offer, by two
// cycles. At most two starts that follow timer events wait, so their queue is never full.
// SPDX-License-Identifier: Apache-2.0
module dc_timers_sva (
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,
  input logic wait_i,  // the rebuild binds the slots anew
  input logic valid_o,
  input logic expire_valid,
  input logic known_q,
  input logic begun,
  input logic due_now,
  input logic paced,
  input logic [3:0] again_waiting
);
  logic       recovered_q;  // 1 from a rebuild until a reset
  logic [1:0] unknown_q;    // cycles for which the look-up alone has delayed the offer
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      recovered_q <= 1'b0;
      unknown_q   <= '0;
    end else begin
      if (wait_i) recovered_q <= 1'b1;
      else if (clear_i) recovered_q <= 1'b0;
      unknown_q <= expire_valid && begun && paced && !known_q ? unknown_q + 2'(unknown_q != '1) : '0;
    end
  end
  known_in_time: assert property (@(posedge clk_i) disable iff (!rst_ni)
    expire_valid && begun && paced && !(recovered_q && !due_now) |-> known_q);
  known_soon: assert property (@(posedge clk_i) disable iff (!rst_ni) unknown_q <= 2'd2);
  offered_known: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o |-> known_q);
  few_wait: assert property (@(posedge clk_i) disable iff (!rst_ni) again_waiting <= 4'd2);
endmodule

bind dc_timers dc_timers_sva u_sva (.again_waiting(u_again.count_q), .*);
