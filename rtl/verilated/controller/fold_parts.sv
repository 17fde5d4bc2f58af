// Parts of the folded pipeline (controller_fold.cmake). A multiplier, a delay and a memory without the registers of
// rl_mul.sv, rl_delay.sv and ram_guarded.sv, with the same ports; and the ring in which the results wait.
// SPDX-License-Identifier: Apache-2.0
module fold_mul #(
  parameter int unsigned BWidth = 20,
  localparam int unsigned ProductWidth = 32 + BWidth
) (
  input  logic                    clk_i,
  input  logic                    enable_i,
  input  logic [31:0]             a_i,
  input  logic [BWidth-1:0]       b_i,
  output logic [ProductWidth-1:0] product_o
);
  always_comb if (enable_i) product_o = ProductWidth'(a_i) * ProductWidth'(b_i);
endmodule

module fold_delay #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 2
) (
  input  logic             clk_i,
  input  logic             enable_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  assign q_o = d_i;
endmodule

// The simulation loses no bits, so the words have no check bits.
module fold_ram #(
  parameter int unsigned Depth  = 64,
  parameter int unsigned Width  = 32,
  parameter int unsigned Secded = 0,
  parameter int unsigned Number = 0,
  localparam int unsigned AddrW   = $clog2(Depth),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic               clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,
  input  logic               ren_i,
  input  logic [AddrW-1:0]   raddr_i,
  output logic [Width-1:0]   rdata_o,
  input  logic               wen_i,
  input  logic [AddrW-1:0]   waddr_i,
  input  logic [Width-1:0]   wdata_i,
  input  logic               use_i,
  output logic [ReportW-1:0] report_o
);
  logic [Width-1:0] words[Depth];
  always_ff @(posedge clk_i) if (wen_i) words[waddr_i] <= wdata_i;
  always_comb if (ren_i) rdata_o = words[raddr_i];
  assign report_o = '0;
endmodule

// Ring of words with a valid bit each, in place of dc_delay.sv. Its registers depend on no logic outside this module but
// the inputs of a word, so an adapter may move the words on by cycles in which none enters or leaves
// (controller_rtl_dut_verilated.h).
module fold_ring #(
  parameter int unsigned Cycles = 31,
  parameter int unsigned Width  = 32,
  localparam int unsigned AddrW = $clog2(Cycles)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             put_i,
  input  logic [AddrW-1:0] late_i,   // number of cycles that the word comes late
  input  logic [Width-1:0] d_i,
  output logic             valid_o,
  output logic [Width-1:0] q_o       // value of d_i Cycles - late_i cycles ago
);
  // The word that is written is never the one that is read, so a cycle may write first.
  logic [Width-1:0]  words[1 << AddrW];
  logic [AddrW-1:0]  at_q;
  logic [Cycles-1:0] valid_q;  // bit i: a word entered i + 1 cycles ago
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q    <= '0;
      valid_q <= '0;
    end else begin
      at_q    <= (at_q == AddrW'(Cycles - 1)) ? '0 : at_q + 1'b1;
      valid_q <= (valid_q << 1) | (Cycles'(put_i) << late_i);
    end
    if (put_i) words[(at_q < late_i) ? at_q + AddrW'(Cycles) - late_i : at_q - late_i] = d_i;
    if (valid_q[Cycles-2]) q_o <= words[(at_q == AddrW'(Cycles - 1)) ? '0 : at_q + 1'b1];
  end
  assign valid_o = valid_q[Cycles-1];
endmodule
