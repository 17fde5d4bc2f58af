// Wrapper with few pins around the rate unit and its registers, for place and route only (shift_pins.sv).
module rate_pins #(
  parameter int unsigned Fixed = 0  // 1: DCQCN's law alone, with registers that are constant
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  input  logic load_i,
  output logic bit_o
);
  localparam int unsigned RegsW = dcc_rate_pkg::RegsWidth;
  localparam int unsigned InW   = 167 + RegsW;
  localparam int unsigned OutW  = 121;

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

  dcc_rate_pkg::regs_t regs;
  always_comb begin
    regs = in_q[167 +: RegsW];
    if (Fixed != 0) begin
      // 100 Gb/s; g = 1/256; alpha decays every 55 ticks; steps of 40 and 400 Mb/s; at least 10 Mb/s
      regs.law          = 1'b1;
      regs.cut_by_marks = 1'b0;
      regs.g            = 16'd256;
      regs.r_ai         = 32'd10240;
      regs.r_hai        = 32'd102400;
      regs.mi           = 16'd0;
      regs.r_min        = 32'd2560;
      regs.r_max        = 32'd25600000;
      regs.alpha_recip  = 32'h04A7904B;
      regs.first_cut    = 17'd0;
      regs.mark_shift   = 4'd0;
      regs.cut_floor    = 17'd0;
    end
  end

  rate_unit u_rate (
    .clk_i           (clk_i),
    .ram_pins_i      ('0),
    .rst_ni          (rst_ni),
    .init_done_o     (out[0]),
    .regs_i          (regs),
    .req_valid_i     (in_q[0]),
    .req_ready_o     (out[1]),
    .req_increase_i  (in_q[1]),
    .req_first_i     (in_q[2]),
    .req_rc_i        (in_q[3 +: 32]),
    .req_rt_i        (in_q[35 +: 32]),
    .req_dscp_i      (in_q[67 +: 6]),
    .req_stage_i     (in_q[73 +: 2]),
    .req_alpha_i     (in_q[75 +: 17]),
    .req_delta_i     (in_q[92 +: 20]),
    .req_marks_i     (in_q[112 +: 8]),
    .rsp_valid_o     (out[2]),
    .rsp_ready_i     (in_q[120]),
    .rsp_increase_o  (out[3]),
    .rsp_rc_o        (out[4 +: 32]),
    .rsp_rt_o        (out[36 +: 32]),
    .rsp_alpha_o     (out[68 +: 17]),
    .rsp_at_maximum_o(out[85]),
    .tbl_valid_i     (in_q[121]),
    .tbl_write_i     (in_q[122]),
    .tbl_table_i     (in_q[123 +: 3]),
    .tbl_index_i     (in_q[126 +: 9]),
    .tbl_wdata_i     (in_q[135 +: 32]),
    .tbl_ready_o     (out[86]),
    .tbl_rdata_o     (out[87 +: 32]),
    .busy_o          (out[120]),
    .error_o         (out[119])
  );
endmodule
