// The rate unit for the tests and the platform: its pins, and faults that can be injected at these pins.
module rate_dut (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  fault_i,  // injected fault, as RateFault of rate_dut.h
  output logic        init_done_o,
  // Register values: dcc_rate_pkg::regs_t from bit 0 up; the remaining bits are reserved for more registers.
  /* verilator lint_off UNUSED */
  input  logic [255:0] regs_i,
  /* verilator lint_on UNUSED */
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_increase_i,
  input  logic [31:0] req_rc_i,
  input  logic [31:0] req_rt_i,
  input  logic [5:0]  req_dscp_i,
  input  logic [1:0]  req_stage_i,
  input  logic [16:0] req_alpha_i,
  input  logic [19:0] req_delta_i,
  input  logic [7:0]  req_marks_i,
  input  logic        req_first_i,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output logic        rsp_increase_o,
  output logic [31:0] rsp_rc_o,
  output logic [31:0] rsp_rt_o,
  output logic [16:0] rsp_alpha_o,
  output logic        rsp_at_maximum_o,
  input  logic        tbl_valid_i,
  input  logic        tbl_write_i,
  input  logic [2:0]  tbl_table_i,
  input  logic [8:0]  tbl_index_i,
  input  logic [31:0] tbl_wdata_i,
  output logic        tbl_ready_o,
  output logic [31:0] tbl_rdata_o,
  output logic        busy_o,
  output logic        error_o
);
  dcc_rate_pkg::regs_t regs;
  assign regs = regs_i[dcc_rate_pkg::RegsWidth-1:0];

  logic [5:0]  responses_q, increases_q;
  logic [3:0]  writes_q;
  logic        spoil_rate, spoil_write, spoil_stage;
  logic [31:0] rc;
  logic        write_taken;

  assign spoil_rate  = fault_i == 2'd1 && responses_q == '1;
  assign spoil_write = fault_i == 2'd2 && writes_q == '1;
  assign spoil_stage = fault_i == 2'd3 && increases_q == '1;
  assign rsp_rc_o    = rc ^ (spoil_rate ? 32'h0000_0040 : 32'h0000_0000);
  assign write_taken = tbl_valid_i && tbl_write_i && tbl_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      responses_q <= '0;
      increases_q <= '0;
      writes_q    <= '0;
    end else begin
      if (rsp_valid_o && rsp_ready_i) responses_q <= responses_q + 1'b1;
      if (req_valid_i && req_ready_o && req_increase_i) increases_q <= increases_q + 1'b1;
      if (write_taken) writes_q <= writes_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!error_o) else $error("a table lost a bit, and nobody flipped one");
  end
`endif
  rate_unit u_rate (
    .clk_i           (clk_i),
    .ram_pins_i('0),
    .rst_ni          (rst_ni),
    .init_done_o     (init_done_o),
    .regs_i          (regs),
    .req_valid_i     (req_valid_i),
    .req_ready_o     (req_ready_o),
    .req_increase_i  (req_increase_i),
    .req_rc_i        (req_rc_i),
    .req_rt_i        (req_rt_i),
    .req_dscp_i      (req_dscp_i),
    .req_stage_i     (spoil_stage ? rate_lut_pkg::StageRecovery : req_stage_i),
    .req_alpha_i     (req_alpha_i),
    .req_delta_i     (req_delta_i),
    .req_marks_i     (req_marks_i),
    .req_first_i     (req_first_i),
    .rsp_valid_o     (rsp_valid_o),
    .rsp_ready_i     (rsp_ready_i),
    .rsp_increase_o  (rsp_increase_o),
    .rsp_rc_o        (rc),
    .rsp_rt_o        (rsp_rt_o),
    .rsp_alpha_o     (rsp_alpha_o),
    .rsp_at_maximum_o(rsp_at_maximum_o),
    .tbl_valid_i     (tbl_valid_i),
    .tbl_write_i     (tbl_write_i),
    .tbl_table_i     (spoil_write ? 3'd7 : tbl_table_i),
    .tbl_index_i     (tbl_index_i),
    .tbl_wdata_i     (tbl_wdata_i),
    .tbl_ready_o     (tbl_ready_o),
    .tbl_rdata_o     (tbl_rdata_o),
    .busy_o          (busy_o),
    .error_o         (error_o)
  );
endmodule
