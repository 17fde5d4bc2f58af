// The rate port: an answer leaves Latency edges after its event was issued.
// SPDX-License-Identifier: Apache-2.0
module dc_answers #(
  parameter int unsigned Latency = 64,  // edges from issue to answer, at least Distance
  parameter int unsigned Width   = 48,
  parameter int unsigned Secded  = 0,  // 1: the ring has an error-correcting code (ram_guarded.sv)
  parameter int unsigned Number  = 0,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             clk_free_i,  // never stands still (dc_clocks.sv)
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             clear_i,
  input  logic             valid_i,  // data_i is the answer to an event issued Distance - 1 cycles ago
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  output logic [ReportW-1:0] error_o // report on this cycle's answer (ram_guarded.sv); bit 0: answer wrong, so invalid
);
  localparam int unsigned Wait = Latency - dcc_controller_pkg::Distance;
  logic             late_valid, valid_q;
  logic [Width-1:0] late_data, data_q;

  if (Wait < 2) begin : g_short
    if (Wait == 0) begin : g_none
      assign late_valid = valid_i;
      assign late_data  = data_i;
      assign error_o    = '0;
    end else begin : g_one
      logic             one_valid_q;
      logic [Width-1:0] one_data_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) one_valid_q <= 1'b0;
        else one_valid_q <= valid_i && !clear_i;
      end
      always_ff @(posedge clk_i) one_data_q <= data_i;
      assign late_valid = one_valid_q;
      assign late_data  = one_data_q;
      assign error_o    = '0;
    end

    logic unused;
    assign unused = &{1'b0, clk_free_i};
  end else begin : g_ring
    logic [Wait-1:0] waiting_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waiting_q <= '0;
      else waiting_q <= clear_i ? '0 : {waiting_q[Wait-2:0], valid_i};
    end
    dc_delay #(.Cycles(Wait), .Width(Width), .Secded(Secded), .Number(Number)) u_delay (
      .clk_i  (clk_i),
      .clk_free_i(clk_free_i),
      .ram_pins_i(ram_pins_i),
      .rst_ni (rst_ni),
      .put_i  (valid_i),
      .d_i    (data_i),
      .get_i  (waiting_q[Wait-2]),
      .q_o    (late_data),
      .error_o(error_o)
    );
    assign late_valid = waiting_q[Wait-1];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= late_valid && !clear_i;
  end
  always_ff @(posedge clk_i) if (late_valid) data_q <= late_data;

  assign valid_o = valid_q && !clear_i && !error_o[0];
  assign data_o  = data_q;
endmodule
