// The delay of the rate port (dc_answers) with six latencies side by side: one without a wait, one with a register,
// four with rings.
module answers_dut (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         valid_i,
  input  logic [47:0]  data_i,
  output logic [5:0]   valid_o,
  output logic [287:0] data_o,
  output logic [5:0]   error_o
);
  for (genvar i = 0; i < 6; i++) begin : g_latency
    dc_answers #(
      .Latency((i == 0) ? 32 : (i == 1) ? 33 : (i == 2) ? 34 : (i == 3) ? 35 : (i == 4) ? 64 : 255),
      .Width  (48)
    ) u_answers (
      .clk_i  (clk_i),
      .clk_free_i(clk_i),
      .ram_pins_i('0),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .valid_i(valid_i),
      .data_i (data_i),
      .valid_o(valid_o[i]),
      .data_o (data_o[i*48 +: 48]),
      .error_o(error_o[i])
    );
  end
endmodule
