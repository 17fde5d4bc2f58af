// The array of ram_1r1w: replace this module by a macro of the technology (see ram_1r1w.sv).
module ram_1r1w_array #(
  parameter int unsigned Depth = 1024,
  parameter int unsigned Width = 32,
  parameter int unsigned PinsW = 9,  // ram_pkg::PinsW; the array needs no other file
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic [PinsW-1:0] ram_pins_i,  // {scan_mode_i, ram_cfg_i} of the block
  input  logic             ren_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i
);
  logic [Width-1:0] mem [Depth];

  logic unused;
  assign unused = &{1'b0, ram_pins_i};  // an array of flip-flops has no such pins

  always_ff @(posedge clk_i) begin
    if (wen_i) mem[waddr_i] <= wdata_i;
    if (ren_i) rdata_o <= mem[raddr_i];
  end
endmodule
