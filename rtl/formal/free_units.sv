// Stand-ins for proofs that do not depend on memory contents or products: memories and the wide multipliers return any
// word in any cycle. A property proved with these stand-ins holds with the real units, too.
module ram_1r1w #(
  parameter int unsigned Depth = 1024,
  parameter int unsigned Width = 32,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,
  input  logic             ren_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i
);
  assign rdata_o = $anyseq;
endmodule

module rl_mul #(
  parameter int unsigned BWidth = 20,
  localparam int unsigned ProductWidth = 32 + BWidth
) (
  input  logic                    clk_i,
  input  logic                    enable_i,
  input  logic [31:0]             a_i,
  input  logic [BWidth-1:0]       b_i,
  output logic [ProductWidth-1:0] product_o
);
  assign product_o = $anyseq;
endmodule
