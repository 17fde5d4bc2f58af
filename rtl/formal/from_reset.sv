// Reset generator for proofs: reset is active in the first cycle only.
module from_reset (
  input  logic clk_i,
  output logic running_o
);
  logic running_q;
  initial running_q = 1'b0;
  always_ff @(posedge clk_i) running_q <= 1'b1;
  assign running_o = running_q;
endmodule
