// Three-level timing engine: one timer a slot, expiries in the order (due tick, slot).
//
// Top and middle level keep doubly linked lists in RAM, the last level a bitmap, one row a tick.
// One command, list move or row load runs at a time, two to four cycles each; see doc/theory.md.
module timing_wheel #(
  parameter int unsigned NumTimers  = 1024,  // slots, a power of two, at least 2 * WordBits
  parameter int unsigned TopBits    = 5,     // digits of the due time, at least 2
  parameter int unsigned MiddleBits = 5,     // at least 1
  parameter int unsigned LastBits   = 6,     // at least 1
  parameter int unsigned WordBits   = 32,    // bits of a bitmap word, a power of two, at least 2
  parameter int unsigned TimeW      = 32,    // bits of the tick counters, more than the digits' sum
  localparam int unsigned SlotW     = $clog2(NumTimers),
  localparam int unsigned DelayW    = TopBits + MiddleBits + LastBits
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,           // withdraw everything; sweeps the records again
  output logic              init_done_o,       // low while the records are swept (NumTimers cycles)

  input  logic              tick_i,            // one cycle a tick: the next tick begins

  // Command: handshake at tick p, due at p + max(1, delay). Ready waits for no cmd_valid_i.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,       // low for starts while the lag is near the horizon
  input  logic [1:0]        cmd_op_i,          // timing_wheel_pkg::CmdStart, CmdCancel, CmdRead
  input  logic [SlotW-1:0]  cmd_slot_i,
  input  logic [DelayW-1:0] cmd_delay_i,       // starts only
  output logic              cmd_done_o,        // the command took effect
  output logic              cmd_hit_o,         // with cmd_done_o: the slot was started before it
  output logic [DelayW:0]   cmd_due_o,         // with cmd_done_o of a read that hit: its due time

  // Expiry. Valid stays, with the same slot, until taken or until a command on that slot is
  // accepted. A command accepted in the cycle of the handshake comes after the expiry.
  output logic              expire_valid_o,
  input  logic              expire_ready_i,
  output logic [SlotW-1:0]  expire_slot_o,
  output logic [TimeW-1:0]  expire_due_o,

  output logic [TimeW-1:0]  now_o,             // ticks since reset
  output logic [TimeW-1:0]  lag_o,             // now - pointer
  output logic              overrun_o,         // sticky: the lag reached half the horizon
  input  logic              overrun_clear_i,

  // Skipping idle time: while idle_o, nothing happens before next_due_o (never, if not valid).
  output logic              idle_o,
  output logic              next_due_valid_o,
  output logic [TimeW-1:0]  next_due_o,
  input  logic              advance_i,         // acts in a cycle with idle_o
  input  logic [TimeW-1:0]  advance_to_i,      // now becomes this, or next_due_o if that is earlier

  // For counting: the engine works; an event moves to another place.
  output logic              busy_o,
  output logic              move_o
);
  localparam int unsigned DueW     = DelayW + 1;
  localparam int unsigned IndexW   = ((TopBits > MiddleBits) ? TopBits : MiddleBits) + 1;
  localparam int unsigned ListW    = IndexW + 1;
  localparam int unsigned NumLists = 1 << ListW;
  localparam int unsigned TopLists    = 2 << TopBits;
  localparam int unsigned MiddleLists = 2 << MiddleBits;
  localparam int unsigned RowW     = LastBits + 1;
  localparam int unsigned NumRows  = 1 << RowW;
  localparam int unsigned BitW     = $clog2(WordBits);
  localparam int unsigned NumWords = NumTimers / WordBits;
  localparam int unsigned WordW    = $clog2(NumWords);
  localparam int unsigned LeafW    = RowW + WordW;
  localparam int unsigned TopLsb   = LastBits + MiddleBits;
  localparam int unsigned RecordW  = 2 + ListW + DueW;

  typedef enum logic [3:0] {
    Init,        // sweep the records
    Idle,
    CmdDecide,   // record and target are read
    CmdRemove,   // the old place is read: take the event out, read the target again
    CmdPlace,    // the target is read: put the event in
    MoveOpen,    // head and tail of the list are read
    MoveRead,    // the head's record is read: find its target
    MovePlace,
    LoadRead,    // the row's summary is read
    LoadTake     // the row's word is read
  } state_e;

  state_e state_q, state_d;
  logic   clear;
  assign  clear = clear_i;

  // ---------------------------------------------------------------------------------------------
  // Time
  // ---------------------------------------------------------------------------------------------
  logic [TimeW-1:0] pointer, jump_to;
  logic [DueW-1:0]  here;  // the pointer in the width of due times
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
  assign here = pointer[DueW-1:0];

  // ---------------------------------------------------------------------------------------------
  // Memories
  // ---------------------------------------------------------------------------------------------
  logic               record_ren, record_wen;
  logic [SlotW-1:0]   record_raddr, record_waddr;
  logic [RecordW-1:0] record_rdata, record_wdata;
  logic               next_wen, previous_wen;
  logic [SlotW-1:0]   next_rdata, next_waddr, next_wdata;
  logic [SlotW-1:0]   previous_rdata, previous_waddr, previous_wdata;
  logic               list_ren, list_wen;
  logic [ListW-1:0]   list_raddr, list_waddr;
  logic [2*SlotW-1:0] list_rdata, list_wdata;
  logic               summary_ren, summary_wen;
  logic [RowW-1:0]    summary_raddr, summary_waddr;
  logic [NumWords-1:0] summary_rdata, summary_wdata;
  logic               leaf_ren, leaf_wen;
  logic [LeafW-1:0]   leaf_raddr, leaf_waddr;
  logic [WordBits-1:0] leaf_rdata, leaf_wdata;

  ram_1r1w #(.Depth(NumTimers), .Width(RecordW)) u_record (
    .clk_i  (clk_i),
    .ren_i  (record_ren),
    .raddr_i(record_raddr),
    .rdata_o(record_rdata),
    .wen_i  (record_wen),
    .waddr_i(record_waddr),
    .wdata_i(record_wdata)
  );
  ram_1r1w #(.Depth(NumTimers), .Width(SlotW)) u_next (
    .clk_i  (clk_i),
    .ren_i  (record_ren),
    .raddr_i(record_raddr),
    .rdata_o(next_rdata),
    .wen_i  (next_wen),
    .waddr_i(next_waddr),
    .wdata_i(next_wdata)
  );
  ram_1r1w #(.Depth(NumTimers), .Width(SlotW)) u_previous (
    .clk_i  (clk_i),
    .ren_i  (record_ren),
    .raddr_i(record_raddr),
    .rdata_o(previous_rdata),
    .wen_i  (previous_wen),
    .waddr_i(previous_waddr),
    .wdata_i(previous_wdata)
  );
  ram_1r1w #(.Depth(NumLists), .Width(2 * SlotW)) u_list (
    .clk_i  (clk_i),
    .ren_i  (list_ren),
    .raddr_i(list_raddr),
    .rdata_o(list_rdata),
    .wen_i  (list_wen),
    .waddr_i(list_waddr),
    .wdata_i(list_wdata)
  );
  ram_1r1w #(.Depth(NumRows), .Width(NumWords)) u_summary (
    .clk_i  (clk_i),
    .ren_i  (summary_ren),
    .raddr_i(summary_raddr),
    .rdata_o(summary_rdata),
    .wen_i  (summary_wen),
    .waddr_i(summary_waddr),
    .wdata_i(summary_wdata)
  );
  ram_1r1w #(.Depth(NumRows * NumWords), .Width(WordBits)) u_leaf (
    .clk_i  (clk_i),
    .ren_i  (leaf_ren),
    .raddr_i(leaf_raddr),
    .rdata_o(leaf_rdata),
    .wen_i  (leaf_wen),
    .waddr_i(leaf_waddr),
    .wdata_i(leaf_wdata)
  );

  logic [1:0]       record_held;
  logic [ListW-1:0] record_list;
  logic [DueW-1:0]  record_due;
  assign {record_held, record_list, record_due} = record_rdata;

  // ---------------------------------------------------------------------------------------------
  // State: what is occupied, the operation under way, the two lists being unfolded
  // ---------------------------------------------------------------------------------------------
  logic [TopLists-1:0]    top_used_q, top_used_d;
  logic [MiddleLists-1:0] middle_used_q, middle_used_d;
  logic [NumRows-1:0]     row_used_q, row_used_d;

  logic             op_start_q;    // the command is a start or a restart
  logic             op_read_q;     // the command is a read: it changes nothing
  logic             op_expired_q;  // the slot's expiry was taken just before: its record is stale
  logic             op_hit_q;
  logic [SlotW-1:0] slot_q;        // of the command or of the event that moves
  logic [DueW-1:0]  due_q;
  logic [1:0]       level_q;       // target
  logic [ListW-1:0] list_q;
  logic [1:0]       old_held_q;    // place the event is taken from
  logic [ListW-1:0] old_list_q;
  logic [RowW-1:0]  old_row_q;
  logic             prefer_move_q;
  logic [SlotW-1:0] sweep_q;

  // Head and tail of a list that is being unfolded are here, not in the RAM.
  logic             top_open_q, top_open_d, middle_open_q, middle_open_d;
  logic [SlotW-1:0] top_head_q, top_head_d, top_tail_q, top_tail_d;
  logic [SlotW-1:0] middle_head_q, middle_head_d, middle_tail_q, middle_tail_d;
  logic             move_middle_q;  // the move is one of the middle level's list

  logic [TopBits:0]    top_source;     // index of the list to unfold now
  logic [MiddleBits:0] middle_source;
  logic [ListW-1:0]    top_source_list, middle_source_list;
  assign top_source         = here[DueW-1:TopLsb] + (TopBits + 1)'(1);
  assign middle_source      = here[TopLsb:LastBits] + (MiddleBits + 1)'(1);
  assign top_source_list    = {1'b0, IndexW'(top_source)};
  assign middle_source_list = {1'b1, IndexW'(middle_source)};

  logic [NumWords-1:0] load_summary_q;
  logic [WordW-1:0]    load_word_q;

  // ---------------------------------------------------------------------------------------------
  // The row being handed out
  // ---------------------------------------------------------------------------------------------
  logic                row_loaded, row_bits_left, row_holds_word;
  logic [NumWords-1:0] row_summary;
  logic                load_take, row_drop_bit, row_drop_word, cmd_busy;
  logic                retire_valid, retire_done, retire_skip;
  logic [SlotW-1:0]    retire_slot;

  tw_current_row #(.NumTimers(NumTimers), .WordBits(WordBits)) u_row (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear),
    .step_i        (step || jump),
    .load_i        (load_take),
    .load_summary_i(load_summary_q),
    .load_word_i   (load_word_q),
    .load_bits_i   (leaf_rdata),
    .busy_i        (cmd_busy),
    .slot_i        (slot_q),
    .drop_bit_i    (row_drop_bit),
    .drop_word_i   (row_drop_word),
    .loaded_o      (row_loaded),
    .summary_o     (row_summary),
    .bits_left_o   (row_bits_left),
    .holds_word_o  (row_holds_word),
    .expire_valid_o(expire_valid_o),
    .expire_ready_i(expire_ready_i),
    .expire_slot_o (expire_slot_o),
    .retire_valid_o(retire_valid),
    .retire_slot_o (retire_slot),
    .retire_done_i (retire_done),
    .retire_skip_i (retire_skip)
  );
  assign expire_due_o = pointer;
  assign cmd_due_o    = record_due;
  assign cmd_busy     = !op_read_q && (state_q == CmdDecide || state_q == CmdRemove ||
                                       state_q == CmdPlace);

  logic [NumWords-1:0] load_from;
  logic [WordW-1:0]    load_first;
  logic                load_any;
  assign load_from = (state_q == LoadRead) ? summary_rdata : row_summary;
  lowest_bit #(.Width(NumWords)) u_load_first (
    .bits_i (load_from),
    .any_o  (load_any),
    .index_o(load_first)
  );

  // ---------------------------------------------------------------------------------------------
  // Who goes next. An operation's last cycle can be the first of another.
  // ---------------------------------------------------------------------------------------------
  logic choose, want_load, want_move, fire, grant_load, grant_move, grant_cmd, row_done;
  logic top_pending, middle_pending;

  assign choose = state_q == Idle || state_q == CmdPlace || state_q == MovePlace ||
                  state_q == LoadTake;
  assign fire   = expire_valid_o && expire_ready_i;

  assign top_pending    = top_used_q[top_source];
  assign middle_pending = middle_used_q[middle_source];
  assign want_move      = top_pending || middle_pending;
  assign row_done       = !row_bits_left && state_q != LoadTake &&
                          (row_loaded ? row_summary == '0 : !row_used_q[here[LastBits:0]]);
  assign want_load      = !row_bits_left && state_q != LoadTake && !row_done;

  assign cmd_ready_o = choose && !want_load && !(want_move && prefer_move_q) &&
                       !(hold_starts && cmd_op_i == timing_wheel_pkg::CmdStart);
  assign grant_load = choose && want_load;
  assign grant_cmd  = cmd_ready_o && cmd_valid_i;
  assign grant_move = choose && !want_load && want_move && !grant_cmd;

  // The pointer leaves its tick when the row is empty, and its slot when the next one is unfolded.
  logic last_end, middle_end;
  assign last_end   = &here[LastBits-1:0];
  assign middle_end = &here[TopLsb-1:0];
  assign step = choose && row_done && lag_o != '0 && !(last_end && middle_pending) &&
                !(middle_end && top_pending);

  // ---------------------------------------------------------------------------------------------
  // Target of a command (while it is accepted or restarts) or of a move
  // ---------------------------------------------------------------------------------------------
  logic [DueW-1:0]  new_due, place_due;
  logic [1:0]       place_level;
  logic [ListW-1:0] place_list;

  assign new_due = now_o[DueW-1:0] + DueW'(cmd_delay_i) + DueW'(cmd_delay_i == '0);
  always_comb begin
    unique case (state_q)
      CmdRemove: place_due = due_q;
      MoveRead:  place_due = record_due;
      default:   place_due = new_due;
    endcase
  end
  tw_place #(.TopBits(TopBits), .MiddleBits(MiddleBits), .LastBits(LastBits)) u_place (
    .due_i    (place_due),
    .pointer_i(here),
    .level_o  (place_level),
    .list_o   (place_list)
  );

  // A restart to a time not before the list that holds the event need not move it now: it finds its
  // new place when the list is unfolded.
  logic [DueW-LastBits-1:0] due_blocks;
  logic [TopBits:0]         due_tops, held_tops;
  logic [MiddleBits:0]      held_blocks;
  logic                     lazy;
  assign due_blocks  = due_q[DueW-1:LastBits] - here[DueW-1:LastBits];
  assign due_tops    = due_q[DueW-1:TopLsb] - here[DueW-1:TopLsb];
  assign held_blocks = record_list[MiddleBits:0] - here[TopLsb:LastBits];
  assign held_tops   = record_list[TopBits:0] - here[DueW-1:TopLsb];
  assign lazy = record_held == timing_wheel_pkg::HeldInList &&
                (record_list[ListW-1] ? due_blocks >= (DueW - LastBits)'(held_blocks)
                                      : due_tops >= held_tops);

  // ---------------------------------------------------------------------------------------------
  // Putting an event in: its target was read in the cycle before
  // ---------------------------------------------------------------------------------------------
  logic                place_now, place_row_used, place_list_used;
  logic [RowW-1:0]     place_row;
  logic [WordW-1:0]    slot_word;
  logic [BitW-1:0]     slot_bit;
  logic [NumWords-1:0] place_summary;
  logic [WordBits-1:0] place_leaf;
  logic [SlotW-1:0]    target_head, target_tail;

  assign slot_word       = slot_q[SlotW-1:BitW];
  assign slot_bit        = slot_q[BitW-1:0];
  assign place_row       = due_q[LastBits:0];
  assign place_row_used  = row_used_q[place_row];
  assign place_list_used = list_q[ListW-1] ? middle_used_q[list_q[MiddleBits:0]]
                                           : top_used_q[list_q[TopBits:0]];
  assign {target_head, target_tail} = list_rdata;

  always_comb begin
    // Flags above qualify what lies below, so neither summaries nor leaves need initialising.
    place_summary            = place_row_used ? summary_rdata : '0;
    place_leaf               = place_summary[slot_word] ? leaf_rdata : '0;
    place_summary[slot_word] = 1'b1;
    place_leaf[slot_bit]     = 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Taking an event out: its place was read in the cycle before
  // ---------------------------------------------------------------------------------------------
  logic                old_is_open_top, old_is_open_middle, old_in_current_row;
  logic [SlotW-1:0]    old_head, old_tail;
  logic                old_is_head, old_is_tail;
  logic [WordBits-1:0] old_leaf;
  logic [NumWords-1:0] old_summary;

  assign old_is_open_top    = top_open_q && old_list_q == top_source_list;
  assign old_is_open_middle = middle_open_q && old_list_q == middle_source_list;
  assign old_head = old_is_open_top ? top_head_q
                  : old_is_open_middle ? middle_head_q : list_rdata[2*SlotW-1:SlotW];
  assign old_tail = old_is_open_top ? top_tail_q
                  : old_is_open_middle ? middle_tail_q : list_rdata[SlotW-1:0];
  assign old_is_head = old_head == slot_q;
  assign old_is_tail = old_tail == slot_q;
  assign old_in_current_row = row_loaded && old_row_q == here[LastBits:0];

  always_comb begin
    old_leaf               = leaf_rdata;
    old_leaf[slot_bit]     = 1'b0;
    old_summary            = summary_rdata;
    old_summary[slot_word] = old_leaf != '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The operations, cycle by cycle
  // ---------------------------------------------------------------------------------------------
  logic remove_now, held_now;
  assign held_now   = record_held != timing_wheel_pkg::HeldNowhere && !op_expired_q;
  assign remove_now = state_q == CmdRemove;
  assign place_now  = state_q == CmdPlace || state_q == MovePlace ||
                      (state_q == CmdDecide && op_start_q && !held_now);
  assign load_take  = state_q == LoadTake;
  assign move_o     = state_q == MovePlace;
  assign busy_o     = state_q != Idle || grant_cmd || grant_move || grant_load;

  always_comb begin
    state_d    = state_q;
    cmd_done_o = 1'b0;
    cmd_hit_o  = 1'b0;
    if (choose) begin
      state_d = Idle;
      if (grant_load) state_d = row_loaded ? LoadTake : LoadRead;
      if (grant_cmd) state_d = CmdDecide;
      if (grant_move) state_d = (middle_pending ? middle_open_q : top_open_q) ? MoveRead : MoveOpen;
    end
    unique case (state_q)
      Init: if (sweep_q == SlotW'(NumTimers - 1)) state_d = Idle;
      CmdDecide: begin
        cmd_hit_o = held_now;
        if (!held_now || op_read_q || (op_start_q && lazy)) begin
          cmd_done_o = 1'b1;
          state_d    = Idle;
        end else begin
          state_d = CmdRemove;
        end
      end
      CmdRemove: begin
        cmd_done_o = !op_start_q;
        cmd_hit_o  = op_hit_q;
        state_d    = op_start_q ? CmdPlace : Idle;
      end
      CmdPlace: begin
        cmd_done_o = 1'b1;
        cmd_hit_o  = op_hit_q;
      end
      MoveOpen: state_d = MoveRead;
      MoveRead: state_d = MovePlace;
      LoadRead: state_d = LoadTake;
      default:  ;
    endcase
    if (clear) state_d = Init;
  end

  // Reads.
  logic [1:0]       look_level;  // what CmdDecide reads is the old place, else it is the target
  logic [ListW-1:0] look_list;
  logic [RowW-1:0]  look_row;
  logic [WordW-1:0] look_word;
  logic [SlotW-1:0] move_head;
  logic             look;
  always_comb begin
    move_head    = move_middle_q ? middle_head_q : top_head_q;
    record_ren   = grant_cmd || grant_move || state_q == MoveOpen;
    record_raddr = cmd_slot_i;
    if (grant_move) record_raddr = middle_pending ? middle_head_q : top_head_q;
    if (state_q == MoveOpen) record_raddr = list_rdata[2*SlotW-1:SlotW];

    look       = grant_cmd || state_q == CmdDecide || state_q == CmdRemove || state_q == MoveRead;
    look_level = place_level;
    look_list  = place_list;
    look_row   = place_due[LastBits:0];
    look_word  = slot_word;
    if (grant_cmd) look_word = cmd_slot_i[SlotW-1:BitW];
    if (state_q == MoveRead) look_word = move_head[SlotW-1:BitW];
    if (state_q == CmdDecide) begin
      look_level = (record_held == timing_wheel_pkg::HeldInRow) ? timing_wheel_pkg::LevelLast
                                                                : timing_wheel_pkg::LevelTop;
      look_list  = record_list;
      look_row   = record_due[LastBits:0];
    end
    if (grant_move) begin
      look_level = timing_wheel_pkg::LevelTop;
      look_list  = middle_pending ? middle_source_list : top_source_list;
    end

    list_ren      = (look || grant_move) && look_level != timing_wheel_pkg::LevelLast;
    list_raddr    = look_list;
    summary_ren   = (look && look_level == timing_wheel_pkg::LevelLast) || grant_load;
    summary_raddr = grant_load ? here[LastBits:0] : look_row;
    leaf_ren      = (look && look_level == timing_wheel_pkg::LevelLast) || grant_load ||
                    state_q == LoadRead;
    leaf_raddr    = {look_row, look_word};
    if (grant_load || state_q == LoadRead) leaf_raddr = {here[LastBits:0], load_first};
  end

  // Writes to the memories.
  always_comb begin
    record_wen     = 1'b0;
    record_waddr   = slot_q;
    record_wdata   = '0;
    next_wen       = 1'b0;
    next_waddr     = target_tail;
    next_wdata     = slot_q;
    previous_wen   = 1'b0;
    previous_waddr = slot_q;
    previous_wdata = target_tail;
    list_wen       = 1'b0;
    list_waddr     = list_q;
    list_wdata     = {place_list_used ? target_head : slot_q, slot_q};
    summary_wen    = 1'b0;
    summary_waddr  = place_row;
    summary_wdata  = place_summary;
    leaf_wen       = 1'b0;
    leaf_waddr     = {place_row, slot_word};
    leaf_wdata     = place_leaf;

    if (place_now) begin
      record_wen = 1'b1;
      if (level_q == timing_wheel_pkg::LevelLast) begin
        record_wdata = {timing_wheel_pkg::HeldInRow, list_q, due_q};
        summary_wen  = 1'b1;
        leaf_wen     = 1'b1;
      end else begin
        record_wdata = {timing_wheel_pkg::HeldInList, list_q, due_q};
        list_wen     = 1'b1;
        next_wen     = place_list_used;
        previous_wen = place_list_used;
      end
    end else if (state_q == CmdDecide) begin
      if (!held_now) begin  // the record may still be that of an expiry just taken
        record_wen   = 1'b1;
        record_wdata = '0;
      end else if (op_start_q && lazy) begin
        record_wen   = 1'b1;
        record_wdata = {timing_wheel_pkg::HeldInList, record_list, due_q};
      end
    end else if (remove_now) begin
      record_wen    = 1'b1;
      summary_waddr = old_row_q;
      summary_wdata = old_summary;
      leaf_waddr    = {old_row_q, slot_word};
      leaf_wdata    = old_leaf;
      list_waddr    = old_list_q;
      list_wdata    = {old_is_head ? next_rdata : old_head,
                       old_is_tail ? previous_rdata : old_tail};
      if (old_held_q == timing_wheel_pkg::HeldInRow) begin
        leaf_wen    = !(old_in_current_row && row_holds_word);
        summary_wen = !old_in_current_row;
      end else begin
        list_wen       = 1'b1;
        next_waddr     = previous_rdata;
        next_wdata     = next_rdata;
        next_wen       = !old_is_head && !old_is_tail;
        previous_waddr = next_rdata;
        previous_wdata = previous_rdata;
        previous_wen   = !old_is_head && !old_is_tail;
      end
    end else if (state_q == Init) begin
      record_wen   = 1'b1;
      record_waddr = sweep_q;
    end else if (retire_valid) begin
      record_wen   = 1'b1;
      record_waddr = retire_slot;
    end
  end
  assign retire_done = !(place_now || state_q == CmdDecide || remove_now || state_q == Init) ||
                       (grant_cmd && cmd_slot_i == retire_slot);
  assign retire_skip = grant_cmd && cmd_slot_i == expire_slot_o;

  assign row_drop_bit  = remove_now && old_held_q == timing_wheel_pkg::HeldInRow &&
                         old_in_current_row && row_holds_word;
  assign row_drop_word = remove_now && old_held_q == timing_wheel_pkg::HeldInRow &&
                         old_in_current_row && !row_holds_word && old_leaf == '0;

  // Occupancy and the lists being unfolded.
  always_comb begin
    top_used_d    = top_used_q;
    middle_used_d = middle_used_q;
    row_used_d    = row_used_q;
    top_open_d    = top_open_q;
    top_head_d    = top_head_q;
    top_tail_d    = top_tail_q;
    middle_open_d = middle_open_q;
    middle_head_d = middle_head_q;
    middle_tail_d = middle_tail_q;

    if (state_q == MoveOpen) begin
      if (move_middle_q) begin
        middle_open_d = 1'b1;
        {middle_head_d, middle_tail_d} = list_rdata;
      end else begin
        top_open_d = 1'b1;
        {top_head_d, top_tail_d} = list_rdata;
      end
    end
    if (state_q == MoveRead) begin
      if (move_middle_q) begin
        middle_head_d = next_rdata;
        if (middle_head_q == middle_tail_q) begin
          middle_open_d = 1'b0;
          middle_used_d[middle_source] = 1'b0;
        end
      end else begin
        top_head_d = next_rdata;
        if (top_head_q == top_tail_q) begin
          top_open_d = 1'b0;
          top_used_d[top_source] = 1'b0;
        end
      end
    end
    if (load_take) row_used_d[here[LastBits:0]] = 1'b0;

    if (remove_now && old_held_q == timing_wheel_pkg::HeldInRow) begin
      if (!old_in_current_row && old_summary == '0) row_used_d[old_row_q] = 1'b0;
    end
    if (remove_now && old_held_q == timing_wheel_pkg::HeldInList) begin
      if (old_is_head && old_is_tail) begin
        if (old_list_q[ListW-1]) middle_used_d[old_list_q[MiddleBits:0]] = 1'b0;
        else top_used_d[old_list_q[TopBits:0]] = 1'b0;
      end
      if (old_is_open_top) begin
        {top_head_d, top_tail_d} = list_wdata;
        top_open_d = !(old_is_head && old_is_tail);
      end
      if (old_is_open_middle) begin
        {middle_head_d, middle_tail_d} = list_wdata;
        middle_open_d = !(old_is_head && old_is_tail);
      end
    end

    if (place_now) begin
      unique case (level_q)
        timing_wheel_pkg::LevelLast:   row_used_d[place_row] = 1'b1;
        timing_wheel_pkg::LevelMiddle: middle_used_d[list_q[MiddleBits:0]] = 1'b1;
        default:                       top_used_d[list_q[TopBits:0]] = 1'b1;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= Init;
      sweep_q       <= '0;
      prefer_move_q <= 1'b0;
      top_used_q    <= '0;
      middle_used_q <= '0;
      row_used_q    <= '0;
      top_open_q    <= 1'b0;
      middle_open_q <= 1'b0;
    end else begin
      state_q <= state_d;
      sweep_q <= (state_q == Init && !clear) ? sweep_q + 1'b1 : '0;
      if (grant_cmd) prefer_move_q <= 1'b1;
      else if (grant_move) prefer_move_q <= 1'b0;
      top_used_q    <= clear ? '0 : top_used_d;
      middle_used_q <= clear ? '0 : middle_used_d;
      row_used_q    <= clear ? '0 : row_used_d;
      top_open_q    <= top_open_d && !clear;
      middle_open_q <= middle_open_d && !clear;
    end
  end

  // Written before they are read: no reset.
  always_ff @(posedge clk_i) begin
    top_head_q    <= top_head_d;
    top_tail_q    <= top_tail_d;
    middle_head_q <= middle_head_d;
    middle_tail_q <= middle_tail_d;
    if (grant_cmd) begin
      op_start_q   <= cmd_op_i == timing_wheel_pkg::CmdStart;
      op_read_q    <= cmd_op_i != timing_wheel_pkg::CmdStart &&
                      cmd_op_i != timing_wheel_pkg::CmdCancel;
      op_expired_q <= (fire && expire_slot_o == cmd_slot_i) ||
                      (retire_valid && retire_slot == cmd_slot_i);
      slot_q       <= cmd_slot_i;
      due_q        <= new_due;
      level_q      <= place_level;
      list_q       <= place_list;
    end
    if (grant_move) move_middle_q <= middle_pending;
    if (state_q == CmdDecide) begin
      op_hit_q   <= held_now;
      old_held_q <= record_held;
      old_list_q <= record_list;
      old_row_q  <= record_due[LastBits:0];
    end
    if (state_q == CmdRemove || state_q == MoveRead) begin
      level_q <= place_level;
      list_q  <= place_list;
    end
    if (state_q == MoveRead) begin
      slot_q <= move_head;
      due_q  <= record_due;
    end
    if (grant_load || state_q == LoadRead) begin
      load_summary_q <= load_from;
      load_word_q    <= load_first;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Idle time
  // ---------------------------------------------------------------------------------------------
  logic [1:0] quiet_q;  // cycles without change, as many as tw_next_due needs
  logic       quiet;

  tw_next_due #(
    .TopBits   (TopBits),
    .MiddleBits(MiddleBits),
    .LastBits  (LastBits),
    .TimeW     (TimeW)
  ) u_next_due (
    .clk_i        (clk_i),
    .enable_i     (quiet && quiet_q != 2'd3),
    .top_used_i   (top_used_q),
    .middle_used_i(middle_used_q),
    .row_used_i   (row_used_q),
    .pointer_i    (pointer),
    .valid_o      (next_due_valid_o),
    .next_due_o   (next_due_o)
  );

  logic [TimeW-1:0] advance_ticks, next_ticks;
  assign quiet  = state_q == Idle && !grant_cmd && !grant_move && !grant_load && row_done &&
                  lag_o == '0 && !retire_valid;
  assign idle_o = quiet && quiet_q == 2'd3;
  assign advance_ticks = advance_to_i - now_o;
  assign next_ticks    = next_due_o - now_o;
  assign jump    = (idle_o && advance_i) || clear;
  assign jump_to = clear ? now_o
                 : (next_due_valid_o && next_ticks < advance_ticks) ? next_due_o : advance_to_i;
  assign init_done_o = state_q != Init;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else if (!quiet || jump) quiet_q <= '0;
    else if (quiet_q != 2'd3) quiet_q <= quiet_q + 1'b1;
  end

  logic unused_load_any;
  assign unused_load_any = load_any;
endmodule
