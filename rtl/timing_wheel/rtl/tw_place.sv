// Computes the level and the list to which a due time belongs, relative to the pointer.
//
// Every level covers two turns of its digit, the pointer's turn and the next one: its index is the digit and the
// lowest bit of the digit above (the epoch bit for the top level). So an event moves to the last level as soon as its
// due time lies in the pointer's middle-level slot or the following one, and the following slot can be unfolded while
// the present slot is in use.
module tw_place #(
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned LastBits   = 6,
  localparam int unsigned DueW   = TopBits + MiddleBits + LastBits + 1,
  localparam int unsigned IndexW = ((TopBits > MiddleBits) ? TopBits : MiddleBits) + 1,
  localparam int unsigned ListW  = IndexW + 1
) (
  input  logic [DueW-1:0]  due_i,      // due time of the event, not before the pointer
  input  logic [DueW-1:0]  pointer_i,
  output logic [1:0]       level_o,
  output logic [ListW-1:0] list_o      // {middle level, index}; undefined for the last level
);
  localparam int unsigned BlockW = DueW - LastBits;  // bits of the digits above the last level
  localparam int unsigned TopLsb = LastBits + MiddleBits;

  logic [BlockW-1:0] blocks_ahead;
  logic [TopBits:0]  tops_ahead;

  assign blocks_ahead = due_i[DueW-1:LastBits] - pointer_i[DueW-1:LastBits];
  assign tops_ahead   = due_i[DueW-1:TopLsb] - pointer_i[DueW-1:TopLsb];

  always_comb begin
    if (blocks_ahead <= BlockW'(1)) begin
      level_o = timing_wheel_pkg::LevelLast;
      list_o  = '0;
    end else if (tops_ahead <= (TopBits + 1)'(1)) begin
      level_o = timing_wheel_pkg::LevelMiddle;
      list_o  = {1'b1, IndexW'(due_i[TopLsb:LastBits])};
    end else begin
      level_o = timing_wheel_pkg::LevelTop;
      list_o  = {1'b0, IndexW'(due_i[DueW-1:TopLsb])};
    end
  end

  logic unused_ticks;  // ticks within a last-level slot do not affect the place
  assign unused_ticks = ^{due_i[LastBits-1:0], pointer_i[LastBits-1:0]};
endmodule
