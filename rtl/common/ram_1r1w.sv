// RAM with one read and one write port. All memories are its instances, so a macro replaces only its array.
//
// Timing of a macro: rdata_o follows a cycle with ren_i by one clock and holds its value until the
// next cycle with ren_i. The array may return anything when it is read and written at the same
// address in one cycle: the bypass returns the data being written. Contents are undefined after
// power-up, so the user of an instance writes a word before reading it, or qualifies the data that
// it reads.
module ram_1r1w #(
  parameter int unsigned Depth = 1024,  // number of words in the RAM, at least 2
  parameter int unsigned Width = 32,    // bits per word of the RAM
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             ren_i,    // read strobe of the RAM
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,  // read data, one cycle after ren_i, then held
  input  logic             wen_i,    // write strobe of the RAM
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i
);
  logic             collision_q;
  logic [Width-1:0] bypass_q;
  logic [Width-1:0] array_rdata;

  ram_1r1w_array #(.Depth(Depth), .Width(Width)) u_array (
    .clk_i,
    .ram_pins_i(ram_pins_i),
    .ren_i,
    .raddr_i,
    .rdata_o(array_rdata),
    .wen_i,
    .waddr_i,
    .wdata_i
  );

  always_ff @(posedge clk_i) begin
    if (ren_i) begin
      collision_q <= wen_i && (waddr_i == raddr_i);
      bypass_q    <= wdata_i;
    end
  end

  assign rdata_o = collision_q ? bypass_q : array_rdata;
endmodule
