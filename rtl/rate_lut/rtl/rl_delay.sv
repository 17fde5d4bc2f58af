// Delays a word by Depth enabled cycles; Depth must be at least two.
module rl_delay #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 2
) (
  input  logic             clk_i,
  input  logic             enable_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o  // value of d_i Depth enabled cycles ago
);
  localparam int unsigned Bits = Width * Depth;
  logic [Bits-1:0] words_q;  // delayed words, the newest in the low bits

  always_ff @(posedge clk_i) begin
    if (enable_i) words_q <= {words_q[Bits-Width-1:0], d_i};
  end

  assign q_o = words_q[Bits-1:Bits-Width];
endmodule
