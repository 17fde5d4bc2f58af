// A shrunk wheel under any stimulus, with an untimed reference beside it, for abc's pdr and bmc3.
//
// The wheel has four timers and digits of 2, 1 and 1 bits: a horizon of 16 ticks with every level, list, cascade, wrap
// and the epoch bit. The reference keeps the due time of one slot, which the input `watch` names. This slot is
// arbitrary but constant, so a property proved for it holds for every slot. Property selects one bad condition;
// properties whose name begins with false_ must have a counterexample.
module wheel_formal #(
  parameter int unsigned Property = 0
) (
  input logic       clk_i,
  input logic       tick_i,
  input logic       cmd_valid_i,
  input logic [1:0] cmd_op_i,
  input logic [1:0] cmd_slot_i,
  input logic [3:0] cmd_delay_i,
  input logic       expire_ready_i,
  input logic       advance_i,
  input logic [5:0] advance_to_i,
  input logic [1:0] watch_i,
  output logic      bad_o
);
  localparam int unsigned TimeW = 6;

  // Reset is active in the first cycle, in which the watched slot is chosen.
  logic       running_q;
  logic [1:0] watch_q;
  initial running_q = 1'b0;
  always_ff @(posedge clk_i) begin
    running_q <= 1'b1;
    if (!running_q) watch_q <= watch_i;
  end

  logic             init_done, cmd_ready, cmd_done, cmd_hit, expire_valid, overrun, idle, next_valid;
  logic             busy, move, error;
  logic [1:0]       expire_slot;
  logic [4:0]       cmd_due;
  logic [TimeW-1:0] expire_due, now, lag, next_due;
  logic             tick;

  // Assumptions on the environment: the consumer takes expiries before the lag nears the horizon, and time is skipped
  // only forward.
  logic tick_allowed, forward;
  assign tick_allowed = lag < TimeW'(7);
  assign forward      = (advance_to_i - now) < TimeW'(16);
  assign tick         = tick_i && tick_allowed;

  timing_wheel #(
    .NumTimers(4), .TopBits(2), .MiddleBits(1), .LastBits(1), .WordBits(2), .TimeW(TimeW)
  ) u_wheel (
    .clk_i           (clk_i),
    .ram_pins_i('0),
    .rst_ni          (running_q),
    .clear_i         (1'b0),
    .init_done_o     (init_done),
    .tick_i          (tick),
    .cmd_valid_i     (cmd_valid_i),
    .cmd_ready_o     (cmd_ready),
    .cmd_op_i        (cmd_op_i),
    .cmd_slot_i      (cmd_slot_i),
    .cmd_delay_i     (cmd_delay_i),
    .cmd_done_o      (cmd_done),
    .cmd_hit_o       (cmd_hit),
    .cmd_due_o       (cmd_due),
    .expire_valid_o  (expire_valid),
    .expire_ready_i  (expire_ready_i),
    .expire_slot_o   (expire_slot),
    .expire_due_o    (expire_due),
    .now_o           (now),
    .lag_o           (lag),
    .overrun_o       (overrun),
    .overrun_clear_i (1'b0),
    .idle_o          (idle),
    .next_due_valid_o(next_valid),
    .next_due_o      (next_due),
    .advance_i       (advance_i && forward),
    .advance_to_i    (advance_to_i),
    .busy_o          (busy),
    .move_o          (move),
    .error_o         (error)
  );

  // Internal wires of the wheel, which run.py connects after flattening, since yosys reads no hierarchical names.
  logic       probe_hold_starts, probe_step, probe_move_read, probe_move_middle;
  logic       probe_append, probe_append_used, probe_middle_open;
  logic [1:0] probe_level, probe_tail, probe_slot, probe_record_held;
  logic [7:0] probe_top_used;
  logic [3:0] probe_record_list, probe_top_list, probe_middle_list;

  // Reference model of the watched slot: whether it is started, and when it is due.
  logic             started_q;
  logic [TimeW-1:0] due_q;
  logic             accepted, taken, mine_offered, mine_taken, mine_commanded;
  assign accepted       = cmd_valid_i && cmd_ready;
  assign taken          = expire_valid && expire_ready_i;
  assign mine_offered   = expire_valid && expire_slot == watch_q;
  assign mine_taken     = taken && expire_slot == watch_q;
  assign mine_commanded = accepted && cmd_slot_i == watch_q && !cmd_op_i[1];

  always_ff @(posedge clk_i) begin
    if (!running_q) begin
      started_q <= 1'b0;
    end else begin
      if (mine_taken) started_q <= 1'b0;
      if (mine_commanded) begin
        started_q <= cmd_op_i == timing_wheel_pkg::CmdStart;
        due_q     <= now + TimeW'(cmd_delay_i) + TimeW'(cmd_delay_i == '0);
      end
    end
  end

  // Values of the previous cycle, for properties over two cycles.
  logic             was_running_q, was_offered_q, was_withdrawn_q, was_command_q;
  logic [1:0]       was_slot_q;
  logic [TimeW-1:0] was_due_q;
  logic [3:0]       wait_q;
  initial was_running_q = 1'b0;
  always_ff @(posedge clk_i) begin
    was_running_q   <= running_q;
    was_offered_q   <= expire_valid && !expire_ready_i;
    was_withdrawn_q <= accepted && cmd_slot_i == expire_slot && !cmd_op_i[1];
    was_command_q   <= mine_commanded;
    was_slot_q      <= expire_slot;
    was_due_q       <= expire_due;
    if (running_q && init_done && cmd_valid_i && !cmd_ready && !probe_hold_starts) begin
      wait_q <= wait_q + 4'd1;
    end else begin
      wait_q <= 4'd0;
    end
  end

  // Distance from the wheel's pointer to the due time of the watched event.
  logic [TimeW-1:0] pointer, until_due;
  assign pointer   = now - lag;
  assign until_due = due_q - pointer;

  logic live, was_live;
  assign live     = running_q && init_done;
  assign was_live = live && was_running_q;

  always_comb begin
    case (Property)
      // Exactly once, part one: the wheel offers the watched slot only if the slot was started.
      0: bad_o = live && mine_offered && !started_q;
      // Right tick: an offer of the watched slot carries the slot's due tick.
      1: bad_o = live && mine_offered && expire_due != due_q;
      // Never early: the lag equals the age of the offered expiry.
      2: bad_o = live && expire_valid && lag != now - expire_due;
      // Exactly once, part two: the pointer never passes a started event.
      3: bad_o = live && started_q && until_due >= TimeW'(32);
      // Handshake: an offer stays until it is taken, unless a command concerns its slot.
      4: bad_o = was_live && was_offered_q && !was_withdrawn_q &&
                 !(expire_valid && expire_slot == was_slot_q && expire_due == was_due_q);
      // A command on the watched slot withdraws the slot's offer at once.
      5: bad_o = was_live && was_command_q && mine_offered;
      // idle is correct: no timer is due now, and next_due is not after the watched event.
      6: bad_o = live && idle && started_q &&
                 (!next_valid || (due_q - now) < (next_due - now) || due_q == now);
      // The wheel accepts a command within 12 cycles.
      7: bad_o = live && wait_q > 4'd12;
      // List integrity: an entry is never linked behind itself.
      8: bad_o = live && probe_append && probe_append_used && probe_tail == probe_slot;
      // The wheel's pointer never overtakes the present tick.
      9: bad_o = live && probe_step && lag == '0;
      // List integrity: the next entry of a list that is being unfolded is kept in that list, according to the entry's
      // record.
      10: bad_o = live && probe_move_read &&
                  (probe_record_held != timing_wheel_pkg::HeldInList ||
                   probe_record_list != (probe_move_middle ? probe_middle_list : probe_top_list));
      // The wheel uses no memory word before it was written: memories start with zeros, whose parity is wrong.
      11: bad_o = was_live && error;
      // No list of the middle level is open while an entry of the top level's list moves.
      12: bad_o = live && probe_move_read && !probe_move_middle && probe_middle_open;
      // false_: the watched slot never expires.
      20: bad_o = live && mine_taken;
      // false_: no event ever moves from list to list.
      21: bad_o = live && move && probe_level == timing_wheel_pkg::LevelMiddle;
      // false_: an offer stays until it is taken, even after a command on its slot.
      22: bad_o = was_live && was_offered_q && !(expire_valid && expire_slot == was_slot_q);
      // false_: the pointer always keeps up with time.
      23: bad_o = live && lag > TimeW'(2);
      // false_: idle time is never skipped past a tick with the top level in use.
      24: bad_o = live && idle && advance_i && forward && started_q && probe_top_used != '0;
      default: bad_o = live && expire_valid && expire_slot == watch_q && until_due == TimeW'(1);
    endcase
  end
endmodule
