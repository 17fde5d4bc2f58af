// Wrapper with few pins around the pacer, for place and route only (shift_pins.sv).
module pacer_pins #(
  parameter int unsigned Flows = 64,
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  input  logic load_i,
  output logic bit_o
);
  localparam int unsigned FlowW  = $clog2(Flows);
  localparam int unsigned BytesW = dc_pacer_pkg::BytesW;
  localparam int unsigned ScaleW = dc_pacer_pkg::ScaleW;
  localparam int unsigned InW    = 70 + ScaleW + BytesW + 2 * FlowW;
  localparam int unsigned OutW   = 7 + BytesW + FlowW;

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

  dc_pacer #(.Flows(Flows), .Width(Width), .Depth(Depth)) u_pacer (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .init_done_o    (out[0]),
    .post_valid_i   (in_q[0]),
    .post_ready_o   (out[1]),
    .post_refused_o (out[2]),
    .rate_valid_i   (in_q[1]),
    .rate_ready_o   (out[3]),
    .want_i         (in_q[2]),
    .rate_priority_i(in_q[3 +: 3]),
    .paused_i       (in_q[6 +: 8]),
    .slack_i        (in_q[14 +: 24]),
    .rate_i         (in_q[38 +: 32]),
    .scale_i        (in_q[70 +: ScaleW]),
    .post_bytes_i   (in_q[70 + ScaleW +: BytesW]),
    .post_flow_i    (in_q[70 + ScaleW + BytesW +: FlowW]),
    .rate_flow_i    (in_q[70 + ScaleW + BytesW + FlowW +: FlowW]),
    .sent_valid_o   (out[4]),
    .strict_o       (out[5]),
    .sent_bytes_o   (out[7 +: BytesW]),
    .sent_flow_o    (out[7 + BytesW +: FlowW]),
    .report_o       (out[6])
  );
endmodule
