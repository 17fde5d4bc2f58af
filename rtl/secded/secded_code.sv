// SECDED code, which corrects one wrong bit and detects two: check bits of a word, and correction of a word.
// SPDX-License-Identifier: Apache-2.0
//
// The code of Hsiao (A Class of Optimal Minimum Odd-weight-column SEC-DED Codes, 1970): every column of the check
// matrix has an odd number of ones, so two wrong bits leave a syndrome with an even number of them, which is no
// column. Columns are taken in ascending order of their weight, then of their value. The two lowest check bits are
// stored inverted: a memory that returns only zeros has the syndrome 3, two wrong bits.
module secded_code #(
  parameter int unsigned Bits   = 32,  // data bits of a word, at most 64
  parameter int unsigned Checks = 7    // check bits, 4 to 8; 2**(Checks - 1) - Checks data bits have columns
) (
  input  logic [Bits-1:0]   data_i,
  output logic [Checks-1:0] checks_o,     // check bits calculated from data_i
  input  logic [Checks-1:0] checks_i,     // check bits that were read with data_i
  output logic [Bits-1:0]   data_o,
  output logic              corrected_o,  // one bit was wrong, and data_o is corrected
  output logic              wrong_o       // more than one bit was wrong, and data_o is data_i
);
  if (Bits > (1 << (Checks - 1)) - Checks || Checks > 8) begin : g_bits
    $fatal(1, "secded_code: too many Bits for Checks, or too many Checks");
  end
  localparam logic [Checks-1:0] Inverted = Checks'(3);

  // Columns of the check matrix for the data bits: all columns of odd weight except weight 1, which check bits have.
  function automatic logic [Bits*Checks-1:0] columns();
    int unsigned at, ones;
    columns = '0;
    at      = 0;
    for (int unsigned weight = 3; weight <= Checks; weight = weight + 2) begin
      for (int unsigned value = 0; value < (1 << Checks); value++) begin
        ones = 0;
        for (int unsigned k = 0; k < Checks; k++) ones = ones + ((value >> k) & 1);
        if (ones == weight && at < Bits) begin
          columns[at*Checks +: Checks] = Checks'(value);
          at = at + 1;
        end
      end
    end
  endfunction
  localparam logic [Bits*Checks-1:0] Columns = columns();

  logic [Checks-1:0] syndrome;
  logic [Bits-1:0]   turn;      // mask of the data bit to be inverted
  logic              in_check;  // exactly one bit is wrong, and it is a check bit

  always_comb begin
    checks_o = Inverted;
    for (int unsigned i = 0; i < Bits; i++) checks_o = checks_o ^ (Columns[i*Checks +: Checks] & {Checks{data_i[i]}});
  end

  assign syndrome = checks_o ^ checks_i;
  always_comb begin
    for (int unsigned i = 0; i < Bits; i++) turn[i] = syndrome == Columns[i*Checks +: Checks];
  end
  assign in_check    = syndrome != '0 && (syndrome & (syndrome - 1'b1)) == '0;
  assign data_o      = data_i ^ turn;
  assign corrected_o = turn != '0 || in_check;
  assign wrong_o     = syndrome != '0 && !corrected_o;
endmodule
