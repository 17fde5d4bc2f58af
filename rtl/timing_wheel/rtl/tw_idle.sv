// Idle detection: reports that no event is due, and skips idle time.
//
// The wheel is idle once no operation has run for as many cycles as tw_next_due needs.
module tw_idle #(
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned LastBits   = 6,
  parameter int unsigned TimeW      = 32,
  localparam int unsigned TopLists    = 2 << TopBits,
  localparam int unsigned MiddleLists = 2 << MiddleBits,
  localparam int unsigned NumRows     = 2 << LastBits
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   quiet_i,           // no operation runs or waits, and the lag is 0
  input  logic [TopLists-1:0]    top_used_i,
  input  logic [MiddleLists-1:0] middle_used_i,
  input  logic [NumRows-1:0]     row_used_i,
  input  logic [TimeW-1:0]       now_i,
  input  logic [TimeW-1:0]       pointer_i,
  output logic                   idle_o,
  output logic                   next_due_valid_o,
  output logic [TimeW-1:0]       next_due_o,
  input  logic                   advance_i,
  input  logic [TimeW-1:0]       advance_to_i,
  input  logic                   catch_up_i,        // sets the pointer to now, even if the wheel is not idle
  output logic                   jump_o,            // sets the wheel's time and row pointer to jump_to_o
  output logic [TimeW-1:0]       jump_to_o
);
  localparam logic [1:0] Settled = 2'd3;  // number of stages of tw_next_due

  logic [1:0]       quiet_q;
  logic             settling;
  logic [TimeW-1:0] advance_ticks, next_ticks;

  tw_next_due #(
    .TopBits   (TopBits),
    .MiddleBits(MiddleBits),
    .LastBits  (LastBits),
    .TimeW     (TimeW)
  ) u_next_due (
    .clk_i        (clk_i),
    .enable_i     (settling),
    .top_used_i   (top_used_i),
    .middle_used_i(middle_used_i),
    .row_used_i   (row_used_i),
    .pointer_i    (pointer_i),
    .valid_o      (next_due_valid_o),
    .next_due_o   (next_due_o)
  );

  assign settling      = quiet_i && quiet_q != Settled;
  assign idle_o        = quiet_i && quiet_q == Settled;
  assign advance_ticks = advance_to_i - now_i;
  assign next_ticks    = next_due_o - now_i;
  assign jump_o        = (idle_o && advance_i) || catch_up_i;
  assign jump_to_o     = catch_up_i ? now_i
                       : (next_due_valid_o && next_ticks < advance_ticks) ? next_due_o
                                                                          : advance_to_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else if (!quiet_i || jump_o) quiet_q <= '0;
    else if (settling) quiet_q <= quiet_q + 1'b1;
  end
endmodule
