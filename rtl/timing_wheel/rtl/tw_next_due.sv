// Next tick at which the wheel has work: an expiry, or a list to unfold.
//
// Three register stages, enabled by enable_i: the result is valid after three enabled cycles with constant
// inputs.
module tw_next_due #(
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned LastBits   = 6,
  parameter int unsigned TimeW      = 32,
  localparam int unsigned TopLists    = 2 << TopBits,
  localparam int unsigned MiddleLists = 2 << MiddleBits,
  localparam int unsigned Rows        = 2 << LastBits
) (
  input  logic                   clk_i,
  input  logic                   enable_i,
  input  logic [TopLists-1:0]    top_used_i,
  input  logic [MiddleLists-1:0] middle_used_i,
  input  logic [Rows-1:0]        row_used_i,
  input  logic [TimeW-1:0]       pointer_i,
  output logic                   valid_o,     // at least one event of the wheel is pending
  output logic [TimeW-1:0]       next_due_o   // next due time, meaningful with valid_o
);
  localparam int unsigned TopLsb = LastBits + MiddleBits;

  logic                any_top, any_middle, any_row;
  logic [TopBits:0]    top_ahead;
  logic [MiddleBits:0] middle_ahead;
  logic [LastBits:0]   row_ahead;

  next_in_ring #(.Width(TopLists)) u_top (
    .clk_i     (clk_i),
    .enable_i  (enable_i),
    .bits_i    (top_used_i),
    .from_i    (pointer_i[TopLsb+:TopBits+1]),
    .any_o     (any_top),
    .distance_o(top_ahead)
  );
  next_in_ring #(.Width(MiddleLists)) u_middle (
    .clk_i     (clk_i),
    .enable_i  (enable_i),
    .bits_i    (middle_used_i),
    .from_i    (pointer_i[LastBits+:MiddleBits+1]),
    .any_o     (any_middle),
    .distance_o(middle_ahead)
  );
  next_in_ring #(.Width(Rows)) u_row (
    .clk_i     (clk_i),
    .enable_i  (enable_i),
    .bits_i    (row_used_i),
    .from_i    (pointer_i[LastBits:0]),
    .any_o     (any_row),
    .distance_o(row_ahead)
  );

  logic [TimeW-1:0]    top_ticks, middle_ticks, row_ticks, upper_ticks;
  logic                upper_any;

  // A list is unfolded while the pointer is in the preceding slot of that level.
  assign top_ticks = ((TimeW'(top_ahead) - TimeW'(1)) << TopLsb) -
                     TimeW'(pointer_i[TopLsb-1:0]);
  assign middle_ticks = ((TimeW'(middle_ahead) - TimeW'(1)) << LastBits) -
                        TimeW'(pointer_i[LastBits-1:0]);
  assign row_ticks = TimeW'(row_ahead);
  assign upper_any = any_top || any_middle;
  assign upper_ticks =
      (any_middle && (!any_top || middle_ticks < top_ticks)) ? middle_ticks : top_ticks;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      valid_o    <= upper_any || any_row;
      next_due_o <= pointer_i +
          ((any_row && (!upper_any || row_ticks < upper_ticks)) ? row_ticks : upper_ticks);
    end
  end
endmodule
