// Multiplier of 32 and BWidth bits with one register stage inside, between the partial products and their sum.
//
// The sum is combinational behind the registers, so the user can round and saturate the product in the same
// stage.
module rl_mul #(
  parameter int unsigned BWidth = 20,
  localparam int unsigned PartialWidth = 16 + BWidth,
  localparam int unsigned ProductWidth = 32 + BWidth
) (
  input  logic                    clk_i,
  input  logic                    enable_i,
  input  logic [31:0]             a_i,
  input  logic [BWidth-1:0]       b_i,
  output logic [ProductWidth-1:0] product_o  // product of the operands one enabled cycle ago
);
  logic [PartialWidth-1:0] low_q, high_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      low_q  <= PartialWidth'(a_i[15:0]) * PartialWidth'(b_i);
      high_q <= PartialWidth'(a_i[31:16]) * PartialWidth'(b_i);
    end
  end

  assign product_o = {high_q, 16'h0000} + ProductWidth'(low_q);
endmodule
