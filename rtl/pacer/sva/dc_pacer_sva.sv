// Contract of the pacer as assertions, bound to the pacer in every verilated build.
// SPDX-License-Identifier: Apache-2.0
module dc_pacer_sva #(
  parameter int unsigned Rows   = 32,
  parameter int unsigned RowW   = 5,
  parameter int unsigned FlowW  = 10
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             init_done_o,
  input logic             want_i,
  input logic [7:0]       paused_i,
  input logic             issue,
  input logic             take_decision,
  input logic             take_wake,
  input logic             may_decide,
  input logic             woke_q,
  input logic             take_rate,
  input logic             wake,
  input logic [2:0]       wakes_q,
  input logic             wake_waits,
  input logic             rate_waits,
  input logic [FlowW-1:0] flow,
  input logic [Rows-1:0]  busy_q,
  input logic             run4_q,
  input logic [RowW-1:0]  row4_at_q,
  input logic             hold,
  input logic             again,
  input logic             times_lost,
  input logic             heal_q,
  input logic             take_heal,
  input logic             heal_new,
  input logic             scan_lost,
  input logic [FlowW-1:0] flow2_q,
  input logic [RowW-1:0]  scan4_at_q,
  input logic [RowW-1:0]  heal_row_q,
  input logic             sent_valid_o
);
  // A row has at most one operation at a time, so no operation needs forwarded results.
  row_alone: assert property (@(posedge clk_i) disable iff (!rst_ni)
    issue |-> !busy_q[flow[RowW-1:0]]);
  row_ends: assert property (@(posedge clk_i) disable iff (!rst_ni) run4_q |-> busy_q[row4_at_q]);
  one_operation: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0({take_decision, take_wake, take_rate, take_heal}));
  wanted: assert property (@(posedge clk_i) disable iff (!rst_ni) take_decision |-> want_i && init_done_o);
  all_paused: assert property (@(posedge clk_i) disable iff (!rst_ni) (&paused_i) |-> !take_decision);
  // The FIFO of wakes never overflows.
  wakes_fit: assert property (@(posedge clk_i) disable iff (!rst_ni) wake |-> wakes_q < 3'd4);

  // Every waiting input gets its turn (no starvation). An operation on a row ends within four cycles; a rate waits at
  // most for that. A wake waits for an operation on its row, for a rate on its row and for a decision on its row: five
  // cycles each. Cycles in which a lost pointer is read again, or in which a lost row heals, do not count.
  logic [4:0] rate_wait_q, wake_wait_q;
  logic       decided_q, decided2_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rate_wait_q <= '0;
      wake_wait_q <= '0;
      decided_q   <= 1'b0;
      decided2_q  <= 1'b0;
    end else begin
      rate_wait_q <= rate_waits && !take_rate ? rate_wait_q + 5'(!hold && !heal_q) : '0;
      wake_wait_q <= wake_waits && !take_wake ? wake_wait_q + 5'(!hold && !heal_q) : '0;
      decided_q   <= take_decision || (decided_q && again);
      decided2_q  <= decided_q && !again && !times_lost;
    end
  end
  rate_bounded: assert property (@(posedge clk_i) disable iff (!rst_ni) rate_wait_q <= 5'd5);
  wake_bounded: assert property (@(posedge clk_i) disable iff (!rst_ni) wake_wait_q <= 5'd14);
  // Between two wakes the pacer makes a decision, if one is possible.
  turns: assert property (@(posedge clk_i) disable iff (!rst_ni) take_wake && woke_q |-> !may_decide);
  answers_in_two: assert property (@(posedge clk_i) disable iff (!rst_ni) sent_valid_o == decided2_q);

  // A row is lost if an operation finds both of its copies wrong, or if the scan finds the copy wrong that it reads. The
  // pacer then wakes every flow of the row, which writes the row anew. It heals one row at a time, the one whose number
  // heal_row_q holds. A row that an operation finds lost is healed next in any case, a row that the scan finds lost only
  // if no other row is being healed.
  logic            lost_q;
  logic [RowW-1:0] lost_row_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lost_q <= 1'b0;
    else lost_q <= heal_new || (scan_lost && !heal_q);
  end
  always_ff @(posedge clk_i) lost_row_q <= heal_new ? flow2_q[RowW-1:0] : scan4_at_q;
  heals: assert property (@(posedge clk_i) disable iff (!rst_ni) lost_q |-> heal_q && heal_row_q == lost_row_q);
  cover_rate_waits: cover property (@(posedge clk_i) disable iff (!rst_ni) rate_wait_q != '0);
  cover_wake_waits: cover property (@(posedge clk_i) disable iff (!rst_ni) wake_wait_q != '0);
endmodule

bind dc_pacer dc_pacer_sva #(.Rows(Rows), .RowW(RowW), .FlowW(FlowW)) u_sva (.*);
