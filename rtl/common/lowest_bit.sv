// Index of the lowest set bit.
module lowest_bit #(
  parameter int unsigned Width = 32,  // at least 2
  localparam int unsigned IndexW = $clog2(Width)
) (
  input  logic [Width-1:0]  bits_i,
  output logic              any_o,    // some bit is set
  output logic [IndexW-1:0] index_o   // of the lowest one; 0 when none is set
);
  // Isolate the bit, then or together the positions: a carry chain and a tree, no long mux.
  logic [Width-1:0] lowest;
  assign lowest = bits_i & (~bits_i + 1'b1);
  assign any_o  = |bits_i;

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (lowest[i]) index_o = index_o | IndexW'(i);
    end
  end
endmodule
