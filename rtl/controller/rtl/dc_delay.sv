// Delays words by a fixed number of cycles, in a ring of RAM.
//
// put_i and get_i mark the words that are used; the RAM is idle for other words.
// SPDX-License-Identifier: Apache-2.0
module dc_delay #(
  parameter int unsigned Cycles = 16,  // delay in cycles, at least 2
  parameter int unsigned Width  = 32,
  parameter int unsigned Secded = 0,  // 1: the RAM has an error-correcting code (ram_guarded.sv)
  parameter int unsigned Number = 0,
  localparam int unsigned AddrW = $clog2(Cycles),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             clk_free_i,  // never stands still (dc_clocks.sv): the ring turns in every cycle
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             put_i,   // d_i carries a word in this cycle
  input  logic [Width-1:0] d_i,
  input  logic             get_i,   // the user needs q_o in the next cycle
  output logic [Width-1:0] q_o,     // value of d_i Cycles cycles ago
  output logic [ReportW-1:0] error_o // report on the word in q_o in the previous cycle (ram_guarded.sv); bit 0: wrong
);
  logic [AddrW-1:0] at_q, next;
  assign next = (at_q == AddrW'(Cycles - 1)) ? '0 : at_q + 1'b1;

  always_ff @(posedge clk_free_i or negedge rst_ni) begin
    if (!rst_ni) at_q <= '0;
    else at_q <= next;
  end

  logic got_q;
  always_ff @(posedge clk_i) got_q <= get_i;

  // The ring's oldest word is read in the cycle before its place is written again.
  ram_guarded #(.Depth(Cycles), .Width(Width), .Secded(Secded), .Number(Number)) u_ring (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (get_i),
    .raddr_i(next),
    .rdata_o(q_o),
    .wen_i  (put_i),
    .waddr_i(at_q),
    .wdata_i(d_i),
    .use_i  (got_q),
    .report_o(error_o)
  );
endmodule
