// A RAM whose words carry parity: ram_1r1w with a check bit for each Group bits of data.
// SPDX-License-Identifier: Apache-2.0
//
// Each group and its check bit have an odd number of ones, so a word of zeros has wrong parity, too.
// Words that were never written may be read as long as they are not used; use_i marks the words
// that are used.
module ram_parity #(
  parameter int unsigned Depth = 1024,  // number of words, at least 2
  parameter int unsigned Width = 32,    // data bits per word
  parameter int unsigned Group = 32,    // data bits for each check bit
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             ren_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,  // read data, one cycle after ren_i, then held
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             use_i,    // rdata_o is used in this cycle
  output logic             error_o   // rdata_o of the cycle before was used and had wrong parity
);
  localparam int unsigned Checks  = (Width + Group - 1) / Group;
  localparam int unsigned PaddedW = Checks * Group;

  // Computes the check bits of a word.
  function automatic logic [Checks-1:0] checks_of(input logic [Width-1:0] word);
    logic [PaddedW-1:0] padded;
    padded = PaddedW'(word);
    for (int unsigned i = 0; i < Checks; i++) checks_of[i] = ~^padded[i*Group +: Group];
  endfunction

  logic [Checks-1:0] write_checks, read_checks;
  logic              wrong_q;

  ram_1r1w #(.Depth(Depth), .Width(Checks + Width)) u_ram (
    .clk_i  (clk_i),
    .ren_i  (ren_i),
    .raddr_i(raddr_i),
    .rdata_o({read_checks, rdata_o}),
    .wen_i  (wen_i),
    .waddr_i(waddr_i),
    .wdata_i({write_checks, wdata_i})
  );

  // Check bits are computed only for words that are written or used, which saves simulation time.
  always_comb begin
    write_checks = '0;
    if (wen_i) write_checks = checks_of(wdata_i);
  end
  always_ff @(posedge clk_i) begin
    wrong_q <= 1'b0;
    if (use_i) wrong_q <= read_checks != checks_of(rdata_o);
  end
  assign error_o = wrong_q;
endmodule
