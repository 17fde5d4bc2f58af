// A RAM whose words carry parity: ram_1r1w with a check bit for each Group bits of data.
// SPDX-License-Identifier: Apache-2.0
//
// Each group and its check bit hold an odd number of ones, so a word that reads as all zeros is wrong,
// too. Words that nobody wrote may be read as long as
// nobody uses them: use_i says so.
module ram_parity #(
  parameter int unsigned Depth = 1024,  // words, at least 2
  parameter int unsigned Width = 32,    // data bits a word
  parameter int unsigned Group = 32,    // of them for each check bit
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             ren_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,  // one cycle after ren_i, then held
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             use_i,    // rdata_o counts in this cycle …
  output logic             error_o   // … and was wrong in the one before
);
  localparam int unsigned Checks  = (Width + Group - 1) / Group;
  localparam int unsigned PaddedW = Checks * Group;

  // Check bits of a word.
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

  // Only for words that are written or count: a simulator does no more.
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
