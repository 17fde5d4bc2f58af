// Index of the lowest set bit.
//
// A binary search: level k tests whether the lower half of the remaining bits, 2^k bits, is empty. All
// tests are prepared in parallel, so the depth is that of a tree and of a few small multiplexers.
module lowest_bit #(
  parameter int unsigned Width = 32,  // width of the input, a power of two, at least 2
  localparam int unsigned IndexW = $clog2(Width)
) (
  input  logic [Width-1:0]  bits_i,
  output logic              any_o,    // true if any bit of the input is set
  output logic [IndexW-1:0] index_o   // index of the lowest set bit; Width-1 if no bit is set
);
  for (genvar k = 0; k < IndexW; k++) begin : g_any
    logic [Width-1:0] any;  // any[i]: at least one of the bits i … i + 2^k - 1 is set (i: a multiple of 2^k)
    if (k == 0) begin : g_first
      assign any = bits_i;
    end else begin : g_next
      assign any = g_any[k-1].any | (g_any[k-1].any >> (1 << (k - 1)));
    end
  end

  for (genvar k = IndexW - 1; k >= 0; k--) begin : g_search
    logic [IndexW-1:0] from;   // index of the first of the 2^(k+1) bits among which the lowest set bit lies
    logic [IndexW-1:0] found;
    if (k == IndexW - 1) begin : g_first
      assign from = '0;
    end else begin : g_next
      assign from = g_search[k+1].found;
    end
    assign found = from | (IndexW'(!g_any[k].any[from]) << k);
  end

  assign any_o   = |bits_i;
  assign index_o = g_search[0].found;
endmodule
