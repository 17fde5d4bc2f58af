// Wrapper with few pins around a part of the rate unit or of the pacer, for place and route only (shift_pins.sv).
module part_pins #(
  parameter int unsigned Part = 0  // 0: multiplier of the rate unit; 1: divider of the pacer
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  input  logic load_i,
  output logic bit_o
);
  localparam int unsigned InW  = Part == 0 ? 53 : 43 + dc_pacer_pkg::ScaleW;
  localparam int unsigned OutW = Part == 0 ? 52 : 11 + dc_pacer_pkg::GapW;

  logic [InW-1:0]  in_q;
  logic [OutW-1:0] out;
  shift_pins #(.InW(InW), .OutW(OutW)) u_pins (
    .clk_i (clk_i),
    .bit_i (bit_i),
    .load_i(load_i),
    .bit_o (bit_o),
    .unit_o(in_q),
    .unit_i(out)
  );

  if (Part == 0) begin : g_multiplier
    rl_mul #(.BWidth(20)) u_part (
      .clk_i(clk_i), .enable_i(in_q[0]), .a_i(in_q[1 +: 32]), .b_i(in_q[33 +: 20]), .product_o(out)
    );
  end else begin : g_divider
    dc_pacer_rate #(.FlowW(6)) u_part (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .valid_i   (in_q[0]),
      .ready_o   (out[0]),
      .taken_i   (in_q[1]),
      .rate_i    (in_q[2 +: 32]),
      .priority_i(in_q[34 +: 3]),
      .flow_i    (in_q[37 +: 6]),
      .scale_i   (in_q[43 +: dc_pacer_pkg::ScaleW]),
      .valid_o   (out[1]),
      .priority_o(out[2 +: 3]),
      .flow_o    (out[5 +: 6]),
      .gap_o     (out[11 +: dc_pacer_pkg::GapW])
    );
  end
endmodule
