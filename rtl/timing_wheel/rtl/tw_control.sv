// Arbitration and steps of the wheel's operations: one operation at a time, two to four cycles each.
//
// A row load has priority; a command and a move take turns. The last cycle of an operation may choose the
// next operation.
module tw_control (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,           // returns to the sweep of all records
  // inputs: the command at the wheel's port
  input  logic       cmd_valid_i,
  output logic       cmd_ready_o,
  input  logic [1:0] cmd_op_i,
  output logic       cmd_done_o,
  output logic       cmd_hit_o,
  input  logic       hold_starts_i,
  // inputs: requests for the next operation
  input  logic       sweep_last_i,
  input  logic       want_load_i,       // a word of the pointer's row is wanted
  input  logic       loaded_i,          // the summary of the pointer's row is known
  input  logic       top_pending_i,     // this level has a list to unfold
  input  logic       middle_pending_i,
  input  logic       top_open_i,        // the head of the top level's list is known
  input  logic       middle_open_i,
  // record of the command's slot, read in the step decide_o
  input  logic       held_i,            // the command's slot is started
  input  logic       lazy_i,            // a restart that need not move the event
  // outputs: the operation chosen in this cycle
  output logic       grant_cmd_o,
  output logic       grant_move_o,
  output logic       grant_load_o,
  // outputs: steps of the operation
  output logic       sweep_o,           // sweep that empties the records; no operation is under way
  output logic       decide_o,          // command: read record and target place
  output logic       remove_o,          // command: old place was read; remove the event, read the target place
  output logic       place_o,           // command: target place was read; insert the event
  output logic       move_open_o,       // move: head and tail of the list were read
  output logic       move_read_o,       // move: the head's record was read; find its new place
  output logic       move_place_o,
  output logic       load_read_o,       // row load: the row's summary was read
  output logic       load_take_o,       // row load: the row's word was read
  // outputs: properties of the operation
  output logic       start_o,           // the command is a start or a restart
  output logic       changes_o,         // a command other than a read is under way
  output logic       move_middle_o,     // the event moves from a list of the middle level
  output logic       choose_o,          // an operation can be chosen in this cycle
  output logic       resting_o,         // no operation is under way or chosen
  output logic       busy_o
);
  typedef enum logic [3:0] {
    Init, Idle, CmdDecide, CmdRemove, CmdPlace, MoveOpen, MoveRead, MovePlace, LoadRead, LoadTake
  } state_e;

  state_e state_q, state_d;
  logic   start_q, read_q, hit_q, move_middle_q, prefer_move_q;

  assign sweep_o      = state_q == Init;
  assign decide_o     = state_q == CmdDecide;
  assign remove_o     = state_q == CmdRemove;
  assign place_o      = state_q == CmdPlace;
  assign move_open_o  = state_q == MoveOpen;
  assign move_read_o  = state_q == MoveRead;
  assign move_place_o = state_q == MovePlace;
  assign load_read_o  = state_q == LoadRead;
  assign load_take_o  = state_q == LoadTake;

  logic want_move;
  assign want_move = top_pending_i || middle_pending_i;
  assign choose_o  = state_q == Idle || state_q == CmdPlace || state_q == MovePlace ||
                     state_q == LoadTake;
  assign cmd_ready_o  = choose_o && !want_load_i && !(want_move && prefer_move_q) &&
                        !(hold_starts_i && cmd_op_i == timing_wheel_pkg::CmdStart);
  assign grant_load_o = choose_o && want_load_i;
  assign grant_cmd_o  = cmd_ready_o && cmd_valid_i;
  assign grant_move_o = choose_o && !want_load_i && want_move && !grant_cmd_o;

  always_comb begin
    state_d    = state_q;
    cmd_done_o = 1'b0;
    cmd_hit_o  = 1'b0;
    if (choose_o) begin
      state_d = Idle;
      if (grant_load_o) state_d = loaded_i ? LoadTake : LoadRead;
      if (grant_cmd_o) state_d = CmdDecide;
      if (grant_move_o) begin
        state_d = (middle_pending_i ? middle_open_i : top_open_i) ? MoveRead : MoveOpen;
      end
    end
    unique case (state_q)
      Init: if (sweep_last_i) state_d = Idle;
      CmdDecide: begin
        cmd_hit_o = held_i;
        if (!held_i || read_q || (start_q && lazy_i)) begin
          cmd_done_o = 1'b1;
          state_d    = Idle;
        end else begin
          state_d = CmdRemove;
        end
      end
      CmdRemove: begin
        cmd_done_o = !start_q;
        cmd_hit_o  = hit_q;
        state_d    = start_q ? CmdPlace : Idle;
      end
      CmdPlace: begin
        cmd_done_o = 1'b1;
        cmd_hit_o  = hit_q;
      end
      MoveOpen: state_d = MoveRead;
      MoveRead: state_d = MovePlace;
      LoadRead: state_d = LoadTake;
      default:  ;
    endcase
    if (clear_i) state_d = Init;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= Init;
      prefer_move_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (grant_cmd_o) prefer_move_q <= 1'b1;
      else if (grant_move_o) prefer_move_q <= 1'b0;
    end
  end

  // Registers that are always written before they are read, so without a reset.
  always_ff @(posedge clk_i) begin
    if (grant_cmd_o) begin
      start_q <= cmd_op_i == timing_wheel_pkg::CmdStart;
      read_q  <= cmd_op_i != timing_wheel_pkg::CmdStart && cmd_op_i != timing_wheel_pkg::CmdCancel;
    end
    if (grant_move_o) move_middle_q <= middle_pending_i;
    if (decide_o) hit_q <= held_i;
  end

  assign start_o       = start_q;
  assign changes_o     = !read_q && (decide_o || remove_o || place_o);
  assign move_middle_o = move_middle_q;
  assign resting_o     = state_q == Idle && !grant_cmd_o && !grant_move_o && !grant_load_o;
  assign busy_o        = !resting_o;
endmodule
