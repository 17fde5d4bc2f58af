// Converts a rate to the time of a byte: ceil(scale · 2^FracW / rate), with four quotient bits a cycle.
// SPDX-License-Identifier: Apache-2.0
module dc_pacer_rate #(
  parameter int unsigned FlowW = 10
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [dc_pacer_pkg::ScaleW-1:0] scale_i,
  input  logic                            valid_i,
  output logic                            ready_o,
  input  logic [FlowW-1:0]                flow_i,
  input  logic [31:0]                     rate_i,      // rate in 24.8 Mb/s; 0 counts as 1
  input  logic [2:0]                      priority_i,
  output logic                            valid_o,     // 1 until the user takes the result
  input  logic                            taken_i,
  output logic [FlowW-1:0]                flow_o,
  output logic [dc_pacer_pkg::GapW-1:0]   gap_o,
  output logic [2:0]                      priority_o
);
  localparam int unsigned GapW  = dc_pacer_pkg::GapW;
  localparam int unsigned Steps = GapW / 4;

  logic [4:0]      left_q;   // number of division steps left
  logic            busy_q;
  logic [31:0]     rate_q, rest_q, rest_d;
  logic [GapW-1:0] word_q, word_d;  // dividend in the high bits, quotient in the low bits

  always_comb begin
    rest_d = rest_q;
    word_d = word_q;
    for (int unsigned i = 0; i < 4; i++) begin
      logic [32:0] taken;
      taken  = {rest_d, word_d[GapW-1]};
      word_d = {word_d[GapW-2:0], taken >= {1'b0, rate_q}};
      if (taken >= {1'b0, rate_q}) taken = taken - {1'b0, rate_q};
      rest_d = taken[31:0];
    end
  end

  assign ready_o = !busy_q;
  assign valid_o = busy_q && left_q == '0;
  assign gap_o   = word_q + GapW'(rest_q != '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      left_q <= '0;
    end else if (valid_i && ready_o) begin
      busy_q <= 1'b1;
      left_q <= 5'(Steps);
    end else if (left_q != '0) begin
      left_q <= left_q - 1'b1;
    end else if (taken_i) begin
      busy_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      flow_o     <= flow_i;
      priority_o <= priority_i;
      rate_q     <= rate_i == '0 ? 32'd1 : rate_i;
      rest_q     <= '0;
      word_q     <= {scale_i, {dc_pacer_pkg::FracW{1'b0}}};
    end else if (left_q != '0) begin
      rest_q <= rest_d;
      word_q <= word_d;
    end
  end
endmodule
