// A RAM whose words carry check bits: parity bits, or an error-correcting code (Secded).
// SPDX-License-Identifier: Apache-2.0
//
// Parity: one check bit for each Group bits of data. A group and its check bit have an odd number of ones, so a word
// of zeros has wrong parity. Secded: check bits for each 64 bits of data; rdata_o is the corrected word. The RAM keeps
// the wrong word until it is rewritten, so a second lost bit of the same 64 makes the word uncorrectable.
//
// Words that were never written may be read, but not used; use_i marks the words that are used.
module ram_guarded #(
  parameter int unsigned Depth  = 1024,  // number of words in the RAM, at least 2
  parameter int unsigned Width  = 32,    // data bits per word
  parameter int unsigned Group  = 32,    // data bits for each parity bit
  parameter int unsigned Secded = 0,     // 1: one wrong bit of 64 is corrected
  parameter int unsigned Number = 0,     // the RAM's number in reports, at most 31
  parameter int unsigned Early  = 0,     // 1: report_o describes the word used in the same cycle, without a register
  localparam int unsigned AddrW   = $clog2(Depth),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic               clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic               ren_i,
  input  logic [AddrW-1:0]   raddr_i,
  output logic [Width-1:0]   rdata_o,  // read data, one cycle after ren_i, then held
  input  logic               wen_i,
  input  logic [AddrW-1:0]   waddr_i,
  input  logic [Width-1:0]   wdata_i,
  input  logic               use_i,    // the user needs rdata_o in this cycle
  // Report on the word used in the previous cycle (with Early: in this one). Bit 0: wrong. With Secded, too: bit 1:
  // corrected; bits 6:2: Number; bits 30:7: the word's address. 0 if the word was right.
  output logic [ReportW-1:0] report_o
);
  // Number of parts of a word that have their own check bits, and data bits and check bits of a part.
  localparam int unsigned PartW   = (Secded == 0) ? Group : (Width < 64) ? Width : 64;
  localparam int unsigned Parts   = (Width + PartW - 1) / PartW;
  localparam int unsigned CodeW   = (PartW <= 4) ? 4 : (PartW <= 11) ? 5 : (PartW <= 26) ? 6 : (PartW <= 57) ? 7 : 8;
  localparam int unsigned Checks  = (Secded == 0) ? Parts : Parts * CodeW;

  logic [Checks-1:0] write_checks, read_checks;
  logic [Width-1:0]  read_word;

  ram_1r1w #(.Depth(Depth), .Width(Checks + Width)) u_ram (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (ren_i),
    .raddr_i(raddr_i),
    .rdata_o({read_checks, read_word}),
    .wen_i  (wen_i),
    .waddr_i(waddr_i),
    .wdata_i({write_checks, wdata_i})
  );

  if (Secded == 0) begin : g_parity
    localparam int unsigned PaddedW = Parts * PartW;
    // Computes the check bits of a word.
    function automatic logic [Checks-1:0] checks_of(input logic [Width-1:0] word);
      logic [PaddedW-1:0] padded;
      padded = PaddedW'(word);
      for (int unsigned i = 0; i < Parts; i++) checks_of[i] = ~^padded[i*PartW +: PartW];
    endfunction

    // Check bits are computed only for words that are written or used, which saves simulation time.
    always_comb begin
      write_checks = '0;
      if (wen_i) write_checks = checks_of(wdata_i);
    end
    assign rdata_o = read_word;
    if (Early != 0) begin : g_early
      always_comb begin
        report_o = 1'b0;
        if (use_i) report_o = read_checks != checks_of(read_word);
      end
    end else begin : g_late
      logic wrong_q;
      always_ff @(posedge clk_i) begin
        wrong_q <= 1'b0;
        if (use_i) wrong_q <= read_checks != checks_of(read_word);
      end
      assign report_o = wrong_q;
    end
  end else begin : g_secded
    logic [Parts-1:0] corrected, wrong;
    logic             some_wrong, some_corrected;
    logic [AddrW-1:0] read_q;  // address of the word in rdata_o

    for (genvar i = 0; i < Parts; i++) begin : g_part
      localparam int unsigned Lsb  = i * PartW;
      localparam int unsigned Bits = (Width - Lsb < PartW) ? Width - Lsb : PartW;
      logic [Bits-1:0] unused_word;
      logic            unused_corrected, unused_wrong;
      secded_code #(.Bits(Bits), .Checks(CodeW)) u_write (
        .data_i     (wdata_i[Lsb +: Bits]),
        .checks_o   (write_checks[i*CodeW +: CodeW]),
        .checks_i   ('0),
        .data_o     (unused_word),
        .corrected_o(unused_corrected),
        .wrong_o    (unused_wrong)
      );
      logic [CodeW-1:0] unused_checks;
      secded_code #(.Bits(Bits), .Checks(CodeW)) u_read (
        .data_i     (read_word[Lsb +: Bits]),
        .checks_o   (unused_checks),
        .checks_i   (read_checks[i*CodeW +: CodeW]),
        .data_o     (rdata_o[Lsb +: Bits]),
        .corrected_o(corrected[i]),
        .wrong_o    (wrong[i])
      );
    end

    always_ff @(posedge clk_i) if (ren_i) read_q <= raddr_i;
    assign some_wrong     = use_i && wrong != '0;
    assign some_corrected = use_i && corrected != '0 && wrong == '0;
    if (Early != 0) begin : g_early
      assign report_o = (some_wrong || some_corrected) ? {24'(read_q), 5'(Number), some_corrected, some_wrong} : '0;
    end else begin : g_late
      logic             wrong_q, corrected_q;
      logic [AddrW-1:0] used_q;  // address of the word in report_o
      always_ff @(posedge clk_i) begin
        wrong_q     <= some_wrong;
        corrected_q <= some_corrected;
        used_q      <= read_q;
      end
      assign report_o = (wrong_q || corrected_q) ? {24'(used_q), 5'(Number), corrected_q, wrong_q} : '0;
    end
  end
endmodule
