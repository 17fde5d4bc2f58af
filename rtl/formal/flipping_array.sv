// A RAM array that may lose one bit of each word that it returns, for the proof of the parity check.
module ram_1r1w_array #(
  parameter int unsigned Depth = 1024,
  parameter int unsigned Width = 32,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic [8:0] ram_pins_i,
  input  logic             ren_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i
);
  logic [Width-1:0] mem [Depth];
  logic [3:0]       lost;       // index of the lost bit; an index beyond the word: no bit is lost
  logic             flipped_q;  // the word in rdata_o has lost a bit
  assign lost = $anyseq;

  always_ff @(posedge clk_i) begin
    if (wen_i) mem[waddr_i] <= wdata_i;
    if (ren_i) begin
      rdata_o   <= mem[raddr_i] ^ (Width'(1) << lost);
      flipped_q <= lost < 4'(Width);
    end
  end
endmodule
