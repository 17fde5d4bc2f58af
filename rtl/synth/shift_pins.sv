// Few pins for a unit that is placed and routed alone: a shift register feeds the unit's inputs, and another one
// collects its outputs, so that every path of the unit lies between flip-flops.
module shift_pins #(
  parameter int unsigned InW  = 8,
  parameter int unsigned OutW = 8
) (
  input  logic            clk_i,
  input  logic            bit_i,   // next bit of the inputs
  input  logic            load_i,  // 1: the outputs are collected; 0: they move on to bit_o
  output logic            bit_o,
  output logic [InW-1:0]  unit_o,  // to the unit's inputs
  input  logic [OutW-1:0] unit_i   // from the unit's outputs
);
  logic [OutW-1:0] out_q;

  always_ff @(posedge clk_i) begin
    unit_o <= {unit_o[InW-2:0], bit_i};
    out_q  <= load_i ? unit_i : {out_q[OutW-2:0], 1'b0};
  end
  assign bit_o = out_q[OutW-1];
endmodule
