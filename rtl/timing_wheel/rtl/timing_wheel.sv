// Three-level timing wheel: one timer for each slot, expiries in the order (due tick, slot).
//
// Top and middle level keep doubly linked lists in RAM (tw_lists), the last level a bitmap, one row for each tick
// (tw_last_level); a record for each slot stores the place of its event (tw_records). One command, list move or row
// load runs at a time (tw_control). This module holds the operands of the operation under way and the place of its
// event; see doc/theory.md.
module timing_wheel #(
  parameter int unsigned NumTimers  = 1024,  // slots, a power of two, at least 2 * WordBits
  parameter int unsigned TopBits    = 5,     // bits of the due time's top digit, at least 2
  parameter int unsigned MiddleBits = 5,     // bits of the middle level, at least 1
  parameter int unsigned LastBits   = 6,     // bits of the last level, at least 1
  parameter int unsigned WordBits   = 32,    // bits of a bitmap word, a power of two, at least 2
  parameter int unsigned TimeW      = 32,    // bits of the tick counters, more than the digits' sum
  parameter int unsigned Secded     = 0,     // 1: the memories correct a wrong bit (ram_guarded.sv)
  parameter int unsigned Withdraw   = 1,     // 0: no event is withdrawn or started again before its expiry is taken
  localparam int unsigned SlotW     = $clog2(NumTimers),
  localparam int unsigned DelayW    = TopBits + MiddleBits + LastBits,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic              clear_i,           // withdraws all events and sweeps the records again
  output logic              init_done_o,       // low while the records are swept (NumTimers cycles)

  input  logic              tick_i,            // the next tick begins (one cycle a tick)

  // Command: accepted at tick p, due at p + max(1, delay). cmd_ready_o does not depend on cmd_valid_i.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,       // low for starts while the lag is near the horizon
  input  logic [1:0]        cmd_op_i,          // kind: timing_wheel_pkg::CmdStart, CmdCancel, CmdRead
  input  logic [SlotW-1:0]  cmd_slot_i,
  input  logic [DelayW-1:0] cmd_delay_i,       // delay of a start
  output logic              cmd_done_o,        // the command has taken effect
  output logic              cmd_hit_o,         // valid with cmd_done_o: the slot was started before
  output logic [DelayW:0]   cmd_due_o,         // valid with cmd_done_o of a read: due time of a started slot

  // Expiry. Valid stays, with the same slot, until the expiry is taken or a command on that slot is accepted. A
  // command accepted in the cycle of the handshake takes effect after the expiry.
  output logic              expire_valid_o,
  input  logic              expire_ready_i,
  output logic [SlotW-1:0]  expire_slot_o,
  output logic [TimeW-1:0]  expire_due_o,

  output logic [TimeW-1:0]  now_o,             // number of ticks since reset
  output logic [TimeW-1:0]  lag_o,             // lag of the wheel: now minus pointer
  output logic              overrun_o,         // sticky: the lag reached half the horizon
  input  logic              overrun_clear_i,

  // Skipping of idle time: while idle_o is high, no event occurs before next_due_o (never, if next_due_o is
  // not valid).
  output logic              idle_o,
  output logic              next_due_valid_o,
  output logic [TimeW-1:0]  next_due_o,
  input  logic              advance_i,         // advances time; acts in a cycle with idle_o
  input  logic [TimeW-1:0]  advance_to_i,      // requested new time; next_due_o if that is earlier

  // Activity outputs for counters: the engine works; an event moves to another place.
  output logic              busy_o,
  output logic              move_o,

  // Report on the words used in the previous cycle (ram_guarded.sv); bit 0: a word was wrong.
  output logic [ReportW-1:0] error_o
);
  localparam int unsigned DueW   = DelayW + 1;
  localparam int unsigned IndexW = ((TopBits > MiddleBits) ? TopBits : MiddleBits) + 1;
  localparam int unsigned ListW  = IndexW + 1;
  localparam int unsigned RowW   = LastBits + 1;
  localparam int unsigned BitW   = $clog2(WordBits);
  localparam int unsigned WordW  = SlotW - BitW;
  localparam int unsigned TopLsb = LastBits + MiddleBits;

  localparam bit LegalBits   = WordBits >= 2 && (WordBits & (WordBits - 1)) == 0;
  localparam bit LegalTimers = NumTimers >= 2 * WordBits && (NumTimers & (NumTimers - 1)) == 0;
  // With illegal numbers the parts have legal ones, so that a tool reports the parameter and not one of its effects.
  localparam int unsigned PartTimers = (LegalBits && LegalTimers) ? NumTimers : 64;
  localparam int unsigned PartBits   = (LegalBits && LegalTimers) ? WordBits : 32;

  if (!LegalBits) begin : g_word_bits
    $fatal(1, "timing_wheel: WordBits must be a power of two, at least 2");
  end
  if (!LegalTimers) begin : g_num_timers
    $fatal(1, "timing_wheel: NumTimers must be a power of two, at least 2 * WordBits");
  end
  if (TopBits < 2 || MiddleBits < 1 || LastBits < 1 || TimeW <= DelayW) begin : g_digits
    $fatal(1, "timing_wheel: TopBits must be at least 2, MiddleBits and LastBits 1, TimeW above their sum");
  end
  if (Secded > 1) begin : g_secded
    $fatal(1, "timing_wheel: Secded must be 0 or 1");
  end

  // ---------------------------------------------------------------------------------------------
  // Time
  // ---------------------------------------------------------------------------------------------
  logic [TimeW-1:0] pointer, jump_to;
  logic [DueW-1:0]  here;  // the pointer, truncated to the width of due times
  logic             step, jump, hold_starts;

  tw_time #(.TimeW(TimeW), .DelayW(DelayW), .TopSlotW(TopLsb)) u_time (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .tick_i         (tick_i),
    .step_i         (step),
    .jump_i         (jump),
    .jump_to_i      (jump_to),
    .overrun_clear_i(overrun_clear_i),
    .now_o          (now_o),
    .pointer_o      (pointer),
    .lag_o          (lag_o),
    .overrun_o      (overrun_o),
    .hold_starts_o  (hold_starts)
  );
  assign here         = pointer[DueW-1:0];
  assign expire_due_o = pointer;

  // ---------------------------------------------------------------------------------------------
  // The operation under way
  // ---------------------------------------------------------------------------------------------
  logic sweep, sweep_last, choose, resting, grant_cmd, grant_move, grant_load;
  logic decide, remove, place, move_open, move_read, move_place, load_read, load_take;
  logic op_start, cmd_changes, move_middle, held_now, lazy;
  logic top_pending, middle_pending, top_open, middle_open, row_loaded, want_load, row_done;

  tw_control u_control (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .cmd_valid_i     (cmd_valid_i),
    .cmd_ready_o     (cmd_ready_o),
    .cmd_op_i        (cmd_op_i),
    .cmd_done_o      (cmd_done_o),
    .cmd_hit_o       (cmd_hit_o),
    .hold_starts_i   (hold_starts),
    .sweep_last_i    (sweep_last),
    .want_load_i     (want_load),
    .loaded_i        (row_loaded),
    .top_pending_i   (top_pending),
    .middle_pending_i(middle_pending),
    .top_open_i      (top_open),
    .middle_open_i   (middle_open),
    .held_i          (held_now),
    .lazy_i          (lazy),
    .grant_cmd_o     (grant_cmd),
    .grant_move_o    (grant_move),
    .grant_load_o    (grant_load),
    .sweep_o         (sweep),
    .decide_o        (decide),
    .remove_o        (remove),
    .place_o         (place),
    .move_open_o     (move_open),
    .move_read_o     (move_read),
    .move_place_o    (move_place),
    .load_read_o     (load_read),
    .load_take_o     (load_take),
    .start_o         (op_start),
    .changes_o       (cmd_changes),
    .move_middle_o   (move_middle),
    .choose_o        (choose),
    .resting_o       (resting),
    .busy_o          (busy_o)
  );
  assign init_done_o = !sweep;
  assign move_o      = move_place;

  // The pointer leaves its tick when the tick's row is empty, and its slot when the next slot's list is unfolded.
  logic last_end, middle_end;
  assign last_end   = &here[LastBits-1:0];
  assign middle_end = &here[TopLsb-1:0];
  assign step = choose && row_done && lag_o != '0 && !(last_end && middle_pending) &&
                !(middle_end && top_pending);

  // ---------------------------------------------------------------------------------------------
  // Operands of the operation: its event, the event's new place and its old place
  // ---------------------------------------------------------------------------------------------
  logic             op_expired_q;  // the slot's expiry was just taken, so the slot's record is stale
  logic [SlotW-1:0] slot_q;        // slot of the command, or of the event that moves
  logic [DueW-1:0]  due_q;
  logic [1:0]       level_q;       // new level of the event
  logic [ListW-1:0] list_q;
  logic [1:0]       old_held_q;    // old place of the event's record
  logic [ListW-1:0] old_list_q;
  logic [RowW-1:0]  old_row_q;

  logic [1:0]       record_held;
  logic [ListW-1:0] record_list;
  logic [DueW-1:0]  record_due;
  logic [DueW-1:0]  new_due, place_due;
  logic [1:0]       place_level;
  logic [ListW-1:0] place_list;
  logic [SlotW-1:0] top_head, middle_head, source_head, move_head, retire_slot;
  logic             retire_valid, fire;

  assign new_due     = now_o[DueW-1:0] + DueW'(cmd_delay_i) + DueW'(cmd_delay_i == '0);
  assign place_due   = remove ? due_q : move_read ? record_due : new_due;
  assign cmd_due_o   = record_due;
  assign fire        = expire_valid_o && expire_ready_i;
  assign held_now    = record_held != timing_wheel_pkg::HeldNowhere && !op_expired_q;
  assign source_head = middle_pending ? middle_head : top_head;
  assign move_head   = move_middle ? middle_head : top_head;

  tw_place #(.TopBits(TopBits), .MiddleBits(MiddleBits), .LastBits(LastBits)) u_place (
    .due_i    (place_due),
    .pointer_i(here),
    .level_o  (place_level),
    .list_o   (place_list)
  );

  // A restart whose new due time is not before the time range of the event's list need not move the event now: the
  // event moves to its new place when that list is unfolded.
  logic [DueW-LastBits-1:0] due_blocks;
  logic [TopBits:0]         due_tops, held_tops;
  logic [MiddleBits:0]      held_blocks;
  assign due_blocks  = due_q[DueW-1:LastBits] - here[DueW-1:LastBits];
  assign due_tops    = due_q[DueW-1:TopLsb] - here[DueW-1:TopLsb];
  assign held_blocks = record_list[MiddleBits:0] - here[TopLsb:LastBits];
  assign held_tops   = record_list[TopBits:0] - here[DueW-1:TopLsb];
  assign lazy = record_held == timing_wheel_pkg::HeldInList &&
                (record_list[ListW-1] ? due_blocks >= (DueW - LastBits)'(held_blocks)
                                      : due_tops >= held_tops);

  // Registers that are always written before they are read, so without a reset.
  always_ff @(posedge clk_i) begin
    if (grant_cmd) begin
      op_expired_q <= (fire && expire_slot_o == cmd_slot_i) ||
                      (retire_valid && retire_slot == cmd_slot_i);
      slot_q       <= cmd_slot_i;
      due_q        <= new_due;
    end
    if (grant_cmd || remove || move_read) begin
      level_q <= place_level;
      list_q  <= place_list;
    end
    if (decide) begin
      old_held_q <= record_held;
      old_list_q <= record_list;
      old_row_q  <= record_due[LastBits:0];
    end
    if (move_read) begin
      slot_q <= move_head;
      due_q  <= record_due;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Places of events. An operation writes only words that it has read in the cycle before.
  // ---------------------------------------------------------------------------------------------
  logic             look, look_last, read_ends, read_row;
  logic [ListW-1:0] look_list, top_list, middle_list;
  logic [RowW-1:0]  look_row;
  logic [WordW-1:0] look_word;

  // In step Decide the wheel reads the event's old place, in all other steps its new place.
  assign look      = grant_cmd || decide || remove || move_read;
  assign look_last = decide ? record_held == timing_wheel_pkg::HeldInRow
                            : place_level == timing_wheel_pkg::LevelLast;
  assign look_list = grant_move ? (middle_pending ? middle_list : top_list)
                                : decide ? record_list : place_list;
  assign look_row  = decide ? record_due[LastBits:0] : place_due[LastBits:0];
  assign look_word = grant_cmd ? cmd_slot_i[SlotW-1:BitW]
                               : move_read ? move_head[SlotW-1:BitW] : slot_q[SlotW-1:BitW];
  assign read_ends = grant_move || (look && !look_last);
  assign read_row  = look && look_last;

  logic             read_record;
  logic [SlotW-1:0] read_slot, list_head;
  assign read_record = grant_cmd || grant_move || move_open;
  assign read_slot   = move_open ? list_head : grant_move ? source_head : cmd_slot_i;

  logic place_now, place_last;
  assign place_now  = place || move_place || (decide && op_start && !held_now);
  assign place_last = level_q == timing_wheel_pkg::LevelLast;

  logic             write_record, retired;
  logic [ReportW-1:0] wrong_record, wrong_list, wrong_row;
  logic [1:0]       write_held;
  logic [ListW-1:0] write_list;
  logic [DueW-1:0]  write_due;
  always_comb begin
    write_record = place_now || remove || (decide && (!held_now || (op_start && lazy)));
    write_held   = timing_wheel_pkg::HeldNowhere;
    write_list   = '0;
    write_due    = '0;
    if (place_now) begin
      write_held = place_last ? timing_wheel_pkg::HeldInRow : timing_wheel_pkg::HeldInList;
      write_list = list_q;
      write_due  = due_q;
    end else if (decide && held_now) begin  // the restart changes only the event's record
      write_held = timing_wheel_pkg::HeldInList;
      write_list = record_list;
      write_due  = due_q;
    end
  end

  tw_records #(.NumTimers(PartTimers), .ListW(ListW), .DueW(DueW), .Secded(Secded)) u_records (
    .clk_i         (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear_i),
    .sweep_i       (sweep),
    .sweep_last_o  (sweep_last),
    .ren_i         (read_record),
    .rslot_i       (read_slot),
    .held_o        (record_held),
    .list_o        (record_list),
    .due_o         (record_due),
    .wen_i         (write_record),
    .wslot_i       (slot_q),
    .held_i        (write_held),
    .list_i        (write_list),
    .due_i         (write_due),
    .engine_i      (place_now || decide || remove),
    .retire_valid_i(retire_valid),
    .retire_slot_i (retire_slot),
    .retired_o     (retired),
    .use_i         (decide || move_read),
    .error_o       (wrong_record)
  );

  logic [(2<<TopBits)-1:0]    top_used;
  logic [(2<<MiddleBits)-1:0] middle_used;
  logic [(2<<LastBits)-1:0]   row_used;

  tw_lists #(
    .NumTimers(PartTimers), .TopBits(TopBits), .MiddleBits(MiddleBits), .Secded(Secded), .Withdraw(Withdraw)
  ) u_lists (
    .clk_i           (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .top_source_i    (here[DueW-1:TopLsb] + (TopBits + 1)'(1)),
    .middle_source_i (here[TopLsb:LastBits] + (MiddleBits + 1)'(1)),
    .top_pending_o   (top_pending),
    .middle_pending_o(middle_pending),
    .top_open_o      (top_open),
    .middle_open_o   (middle_open),
    .top_head_o      (top_head),
    .middle_head_o   (middle_head),
    .top_list_o      (top_list),
    .middle_list_o   (middle_list),
    .links_ren_i     (read_record),
    .links_slot_i    (read_slot),
    .ends_ren_i      (read_ends),
    .ends_list_i     (look_list),
    .head_o          (list_head),
    .slot_i          (slot_q),
    .append_i        (place_now && !place_last),
    .append_list_i   (list_q),
    .remove_i        (Withdraw != 0 && remove && old_held_q == timing_wheel_pkg::HeldInList),
    .remove_list_i   (old_list_q),
    .open_i          (move_open),
    .pop_i           (move_read),
    .source_middle_i (move_middle),
    .top_used_o      (top_used),
    .middle_used_o   (middle_used),
    .error_o         (wrong_list)
  );

  tw_last_level #(
    .NumTimers(PartTimers), .LastBits(LastBits), .WordBits(PartBits), .Secded(Secded)
  ) u_last (
    .clk_i         (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear_i),
    .current_i     (here[LastBits:0]),
    .step_i        (step || jump),
    .read_i        (read_row),
    .read_row_i    (look_row),
    .read_word_i   (look_word),
    .slot_i        (slot_q),
    .put_i         (place_now && place_last),
    .put_row_i     (due_q[LastBits:0]),
    .take_i        (remove && old_held_q == timing_wheel_pkg::HeldInRow),
    .take_row_i    (old_row_q),
    .hide_i        (cmd_changes),
    .load_begin_i  (grant_load),
    .load_read_i   (load_read),
    .load_take_i   (load_take),
    .loaded_o      (row_loaded),
    .want_load_o   (want_load),
    .row_done_o    (row_done),
    .row_used_o    (row_used),
    .expire_valid_o(expire_valid_o),
    .expire_ready_i(expire_ready_i),
    .expire_slot_o (expire_slot_o),
    .retire_valid_o(retire_valid),
    .retire_slot_o (retire_slot),
    .retire_done_i (retired || (grant_cmd && cmd_slot_i == retire_slot)),
    .retire_skip_i (grant_cmd && cmd_slot_i == expire_slot_o),
    .error_o       (wrong_row)
  );
  ram_reports #(.Count(3), .ReportW(ReportW)) u_reports (
    .reports_i({wrong_row, wrong_list, wrong_record}),
    .report_o (error_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Idle time
  // ---------------------------------------------------------------------------------------------
  tw_idle #(
    .TopBits   (TopBits),
    .MiddleBits(MiddleBits),
    .LastBits  (LastBits),
    .TimeW     (TimeW)
  ) u_idle (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .quiet_i         (resting && row_done && lag_o == '0 && !retire_valid),
    .top_used_i      (top_used),
    .middle_used_i   (middle_used),
    .row_used_i      (row_used),
    .now_i           (now_o),
    .pointer_i       (pointer),
    .idle_o          (idle_o),
    .next_due_valid_o(next_due_valid_o),
    .next_due_o      (next_due_o),
    .advance_i       (advance_i),
    .advance_to_i    (advance_to_i),
    .catch_up_i      (clear_i),
    .jump_o          (jump),
    .jump_to_o       (jump_to)
  );
endmodule
