// Contract of the timing wheel as assertions, bound to the wheel in every verilated build.
//
// Only constructs that Verilator 5.006 supports: |->, |=>, $past, $stable; counters replace longer sequences.
module timing_wheel_sva #(
  parameter int unsigned SlotW        = 10,
  parameter int unsigned DelayW       = 16,
  parameter int unsigned TimeW        = 32,
  parameter int unsigned CommandBound = 12  // maximum number of cycles until a command is accepted
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              clear_i,
  input logic              init_done_o,
  input logic              tick_i,
  input logic              cmd_valid_i,
  input logic              cmd_ready_o,
  input logic [1:0]        cmd_op_i,
  input logic [SlotW-1:0]  cmd_slot_i,
  input logic              cmd_done_o,
  input logic              expire_valid_o,
  input logic              expire_ready_i,
  input logic [SlotW-1:0]  expire_slot_o,
  input logic [TimeW-1:0]  expire_due_o,
  input logic [TimeW-1:0]  now_o,
  input logic [TimeW-1:0]  lag_o,
  input logic              overrun_o,
  input logic              overrun_clear_i,
  input logic              idle_o,
  input logic              next_due_valid_o,
  input logic [TimeW-1:0]  next_due_o,
  input logic              advance_i,
  input logic              move_o,
  input logic              error_o,
  // signals inside the wheel
  input logic              hold_starts,
  input logic              step,
  input logic              jump,
  input logic              row_done
);
  logic accepted, taken, started;
  assign accepted = cmd_valid_i && cmd_ready_o;
  assign taken    = expire_valid_o && expire_ready_i;
  assign started  = accepted && cmd_op_i == timing_wheel_pkg::CmdStart;

  // An offer stays until it is taken or until a command on its slot is accepted.
  offer_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    expire_valid_o && !expire_ready_i && !clear_i &&
      !(accepted && cmd_slot_i == expire_slot_o && cmd_op_i != timing_wheel_pkg::CmdRead)
    |=> expire_valid_o && $stable(expire_slot_o) && $stable(expire_due_o));

  // No expiry is early, and its lateness is at most the lag at the output.
  lateness_is_lag: assert property (@(posedge clk_i) disable iff (!rst_ni)
    expire_valid_o |-> expire_due_o + lag_o == now_o);

  // An accepted start or cancel withdraws the offer of its slot at once.
  command_wins: assert property (@(posedge clk_i) disable iff (!rst_ni)
    accepted && cmd_op_i != timing_wheel_pkg::CmdRead && !clear_i
    |=> !(expire_valid_o && expire_slot_o == $past(cmd_slot_i)));

  // Commands wait for a bounded time, except starts near the horizon and commands during the sweep.
  logic [7:0] wait_q, open_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q <= '0;
      open_q <= '0;
    end else begin
      wait_q <= (cmd_valid_i && !cmd_ready_o && init_done_o && !hold_starts) ? wait_q + 1'b1 : '0;
      open_q <= clear_i ? '0 : accepted ? 8'd1 : cmd_done_o ? '0 : open_q == '0 ? '0 : open_q + 1'b1;
    end
  end
  command_bounded: assert property (@(posedge clk_i) disable iff (!rst_ni)
    wait_q <= 8'(CommandBound));
  // Commands take effect within four cycles of being accepted.
  command_done: assert property (@(posedge clk_i) disable iff (!rst_ni)
    init_done_o |-> open_q <= 8'd4);

  // The pointer never passes now, moves one tick at a time, and leaves no tick that still has work.
  lag_counts: assert property (@(posedge clk_i) disable iff (!rst_ni)
    step |-> lag_o != '0 && row_done);
  lag_grows_by_ticks: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !step && !jump |=> lag_o == $past(lag_o) + TimeW'($past(tick_i)));
  time_runs: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !jump |=> now_o == $past(now_o) + TimeW'($past(tick_i)));

  overrun_sticks: assert property (@(posedge clk_i) disable iff (!rst_ni)
    overrun_o && !overrun_clear_i |=> overrun_o);
  overrun_seen: assert property (@(posedge clk_i) disable iff (!rst_ni)
    lag_o >= (TimeW'(1) << (DelayW - 1)) |=> overrun_o);
  no_start_beyond_horizon: assert property (@(posedge clk_i) disable iff (!rst_ni)
    hold_starts |-> !started);

  // idle_o is exact: while it is 1, no expiry is offered, the lag is 0, and the next work lies ahead.
  idle_is_idle: assert property (@(posedge clk_i) disable iff (!rst_ni)
    idle_o |-> !expire_valid_o && lag_o == '0 && init_done_o &&
               (!next_due_valid_o || next_due_o != now_o));

  // Set by wrong parity, until the wheel is cleared: the lists may then hold any contents.
  logic wrong, wrong_q;
  assign wrong = error_o || wrong_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wrong_q <= 1'b0;
    else wrong_q <= wrong && !clear_i;
  end

  // At most two moves follow each start: the running balance of moves never falls below zero.
  logic [TimeW-1:0] moves_left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) moves_left_q <= '0;
    else moves_left_q <= moves_left_q + (started ? TimeW'(2) : '0) - TimeW'(move_o);
  end
  two_moves_a_start: assert property (@(posedge clk_i) disable iff (!rst_ni)
    move_o |-> moves_left_q != '0 || wrong);

  // Cover properties: situations that must be reachable.
  cover_offer_withdrawn: cover property (@(posedge clk_i) disable iff (!rst_ni)
    accepted && expire_valid_o && !expire_ready_i && cmd_slot_i == expire_slot_o);
  cover_taken_and_commanded: cover property (@(posedge clk_i) disable iff (!rst_ni)
    accepted && taken && cmd_slot_i == expire_slot_o);
  cover_skip: cover property (@(posedge clk_i) disable iff (!rst_ni) idle_o && advance_i);
  cover_step_with_tick: cover property (@(posedge clk_i) disable iff (!rst_ni) step && tick_i);
endmodule

bind timing_wheel timing_wheel_sva #(.SlotW(SlotW), .DelayW(DelayW), .TimeW(TimeW)) u_sva (
  .error_o(error_o[0]), .*);
