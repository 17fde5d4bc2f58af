// Time and pointer of the wheel: two counters, so that a wheel that falls behind loses no tick.
module tw_time #(
  parameter int unsigned TimeW     = 32,  // bits of the tick counters
  parameter int unsigned DelayW    = 16,
  parameter int unsigned TopSlotW  = 11   // log2 of the number of ticks in a top-level slot
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             tick_i,           // a new tick begins with the next cycle
  input  logic             step_i,           // all work of the pointer's tick is done: advance (only with a lag)
  input  logic             jump_i,           // sets time and pointer to jump_to_i
  input  logic [TimeW-1:0] jump_to_i,
  input  logic             overrun_clear_i,
  output logic [TimeW-1:0] now_o,
  output logic [TimeW-1:0] pointer_o,        // pointer: all work of earlier ticks is done
  output logic [TimeW-1:0] lag_o,
  output logic             overrun_o,        // the lag has reached half the horizon; sticky
  output logic             hold_starts_o     // lag so large that a start could exceed the epoch bit's range
);
  localparam logic [TimeW-1:0] OverrunLag = TimeW'(1) << (DelayW - 1);
  localparam logic [TimeW-1:0] HoldLag = (TimeW'(1) << DelayW) - (TimeW'(1) << (TopSlotW + 1));

  logic [TimeW-1:0] now_q, pointer_q, lag_q;
  logic             overrun_q;

  assign now_o         = now_q;
  assign pointer_o     = pointer_q;
  assign lag_o         = lag_q;
  assign overrun_o     = overrun_q;
  assign hold_starts_o = lag_q >= HoldLag;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q     <= '0;
      pointer_q <= '0;
      lag_q     <= '0;
      overrun_q <= 1'b0;
    end else begin
      now_q     <= (jump_i ? jump_to_i : now_q) + TimeW'(tick_i);
      pointer_q <= jump_i ? jump_to_i : pointer_q + TimeW'(step_i);
      lag_q     <= jump_i ? TimeW'(tick_i) : lag_q + TimeW'(tick_i) - TimeW'(step_i);
      if (lag_q >= OverrunLag) overrun_q <= 1'b1;
      else if (overrun_clear_i) overrun_q <= 1'b0;
    end
  end
endmodule
