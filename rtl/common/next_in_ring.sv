// Distance from a position to the next set bit of a ring, not counting the position itself.
module next_in_ring #(
  parameter int unsigned Width = 64,  // a power of two
  localparam int unsigned IndexW = $clog2(Width)
) (
  input  logic [Width-1:0]  bits_i,
  input  logic [IndexW-1:0] from_i,
  output logic              any_o,       // some other bit is set
  output logic [IndexW-1:0] distance_o   // 1 … Width-1
);
  logic [Width-1:0]  above, below;
  logic              any_above, any_below;
  logic [IndexW-1:0] index_above, index_below;

  always_comb begin
    above = '0;
    below = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      above[i] = bits_i[i] && (IndexW'(i) > from_i);
      below[i] = bits_i[i] && (IndexW'(i) < from_i);
    end
  end

  lowest_bit #(.Width(Width)) u_above (
    .bits_i (above),
    .any_o  (any_above),
    .index_o(index_above)
  );
  lowest_bit #(.Width(Width)) u_below (
    .bits_i (below),
    .any_o  (any_below),
    .index_o(index_below)
  );

  assign any_o      = any_above || any_below;
  assign distance_o = (any_above ? index_above : index_below) - from_i;
endmodule
