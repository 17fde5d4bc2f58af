// Distance from a position to the next set bit of a ring, not counting the position itself.
//
// Two register stages, enabled by enable_i: the first rotates the ring to the position, the second searches.
module next_in_ring #(
  parameter int unsigned Width = 64,  // number of positions, a power of two, at least 2
  localparam int unsigned IndexW = $clog2(Width)
) (
  input  logic              clk_i,
  input  logic              enable_i,
  input  logic [Width-1:0]  bits_i,
  input  logic [IndexW-1:0] from_i,
  output logic              any_o,       // true if another bit of the ring is set
  output logic [IndexW-1:0] distance_o   // distance to the next set bit, 1 … Width-1
);
  localparam logic [Width-1:0] Self = Width'(1);

  logic [Width-1:0] turned_q;

  // The search for the lowest set bit is a function, so that a simulator searches only when enabled.
  function automatic logic [IndexW-1:0] lowest(input logic [Width-1:0] bits);
    logic [Width-1:0] rest;
    rest   = bits;
    lowest = '0;
    for (int k = IndexW - 1; k >= 0; k--) begin
      if ((rest & ((Self << (1 << k)) - Self)) == '0) begin
        lowest[k] = 1'b1;
        rest      = rest >> (1 << k);
      end
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      turned_q   <= ((bits_i >> from_i) | (bits_i << ((IndexW + 1)'(Width) - (IndexW + 1)'(from_i))))
                    & ~Self;
      any_o      <= turned_q != '0;
      distance_o <= lowest(turned_q);
    end
  end
endmodule
