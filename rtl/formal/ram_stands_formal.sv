// Properties of a RAM, for abc's pdr: an edge may be left out that neither writes nor reads another word than the one at
// the output. standstill.py relies on them (standing_parts.sv).
//
// Two RAMs of four words of two bits; the second one misses edges that are skipped. at_q and fresh_q are those of
// standing_parts.sv. Properties from number 20 on are known to be false.
module ram_stands_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       ren_i,
  input  logic [1:0] raddr_i,
  input  logic       wen_i,
  input  logic [1:0] waddr_i,
  input  logic [1:0] wdata_i,
  input  logic       skip_i,
  output logic       bad_o
);
  logic       fresh_q, before_q, stands_q;
  logic [1:0] at_q, word, other, word_q;
  logic       again, stands, skip;
  initial {fresh_q, before_q} = '0;
  assign again  = fresh_q && raddr_i == at_q;
  assign stands = !wen_i && (!ren_i || again);
  // An edge may be skipped that changes nothing; false properties: any that does not write, or that does not read.
  assign skip = skip_i && (stands || (Property == 20 && !wen_i) || (Property == 21 && !ren_i));

  ram_1r1w #(.Depth(4), .Width(2)) u_ram (
    .clk_i     (clk_i),
    .ram_pins_i('0),
    .ren_i     (ren_i),
    .raddr_i   (raddr_i),
    .rdata_o   (word),
    .wen_i     (wen_i),
    .waddr_i   (waddr_i),
    .wdata_i   (wdata_i)
  );
  // Every register of a RAM stands still without ren_i and wen_i: so this is a RAM without the edge.
  ram_1r1w #(.Depth(4), .Width(2)) u_skips (
    .clk_i     (clk_i),
    .ram_pins_i('0),
    .ren_i     (ren_i && !skip),
    .raddr_i   (raddr_i),
    .rdata_o   (other),
    .wen_i     (wen_i && !skip),
    .waddr_i   (waddr_i),
    .wdata_i   (wdata_i)
  );

  logic [3:0] written_q;  // words that have contents
  logic       known_q;    // the word at the output has
  initial {written_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    if (wen_i) written_q[waddr_i] <= 1'b1;
    if (ren_i) known_q <= written_q[raddr_i] || (wen_i && waddr_i == raddr_i);
    if (ren_i) begin
      at_q    <= raddr_i;
      fresh_q <= 1'b1;
    end else if (wen_i && waddr_i == at_q) begin
      fresh_q <= 1'b0;
    end
    before_q <= 1'b1;
    stands_q <= stands;
    word_q   <= word;
  end

  always_comb begin
    unique case (Property)
      // Both have the same word at the output.
      0, 20, 21: bad_o = known_q && word != other;
      // The output stands still where standing_parts.sv says so.
      1: bad_o = before_q && stands_q && known_q && word != word_q;
      // false_: no read word is read again.
      22: bad_o = ren_i && again && skip;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
