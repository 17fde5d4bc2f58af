// The decrease look-up alone, at any depth: two banks of the table and the linear interpolation between two entries,
// as rl_tables and stages 7 and 8 of rate_unit have them for 8 index bits. lut_depth.py synthesises this module.
module lut_depth #(
  parameter int unsigned IndexBits = 8,  // the table has 2^IndexBits + 1 entries
  localparam int unsigned PartBits = 16 - IndexBits
) (
  input  logic                 clk_i,
  input  logic                 ren_i,
  input  logic [16:0]          argument_i,   // argument in 1.16, at most 1.0
  output logic [16:0]          multiplier_o, // multiplier in 1.16, two cycles later
  input  logic                 wen_i,
  input  logic [IndexBits:0]   waddr_i,
  input  logic [16:0]          wdata_i
);
  localparam int unsigned EvenEntries = (1 << (IndexBits - 1)) + 1;
  localparam int unsigned OddEntries  = 1 << (IndexBits - 1);

  logic [IndexBits:0]   index;
  logic [IndexBits-1:0] raddr_even;
  logic                 odd_q;
  logic [PartBits-1:0]  part_q;
  logic [16:0]          even, odd, entry, next_entry;
  assign index      = argument_i[16:PartBits];
  assign raddr_even = index[IndexBits:1] + IndexBits'(index[0]);

  always_ff @(posedge clk_i) begin
    if (ren_i) begin
      odd_q  <= index[0];
      part_q <= argument_i[PartBits-1:0];
    end
  end

  ram_1r1w #(.Depth(EvenEntries), .Width(17)) u_even (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (ren_i),
    .raddr_i(raddr_even),
    .rdata_o(even),
    .wen_i  (wen_i && !waddr_i[0]),
    .waddr_i(waddr_i[IndexBits:1]),
    .wdata_i(wdata_i)
  );
  ram_1r1w #(.Depth(OddEntries), .Width(17)) u_odd (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (ren_i),
    .raddr_i(index[IndexBits-1:1]),
    .rdata_o(odd),
    .wen_i  (wen_i && waddr_i[0]),
    .waddr_i(waddr_i[IndexBits-1:1]),
    .wdata_i(wdata_i)
  );
  assign entry      = odd_q ? odd : even;
  assign next_entry = odd_q ? even : odd;

  lut_line #(.PartBits(PartBits)) u_line (
    .clk_i       (clk_i),
    .entry_i     (entry),
    .next_i      (next_entry),
    .part_i      (part_q),
    .multiplier_o(multiplier_o)
  );
endmodule

// Linear interpolation: entry + part / 2^PartBits of the difference to the next entry, rounded half up.
module lut_line #(
  parameter int unsigned PartBits = 8
) (
  input  logic                clk_i,
  input  logic [16:0]         entry_i,
  input  logic [16:0]         next_i,
  input  logic [PartBits-1:0] part_i,
  output logic [16:0]         multiplier_o
);
  localparam int unsigned Width = 19 + PartBits;
  logic signed [17:0]      slope;
  logic signed [Width-1:0] rise, line;
  assign slope = $signed({1'b0, next_i}) - $signed({1'b0, entry_i});
  assign rise  = Width'(slope) * $signed(Width'({1'b0, part_i}));
  assign line  = $signed({2'b00, entry_i, 1'b1, {(PartBits - 1){1'b0}}}) + rise;
  always_ff @(posedge clk_i) multiplier_o <= line[PartBits+16:PartBits];
endmodule
