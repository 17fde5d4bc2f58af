// Minimum and maximum rate of a DSCP class, for rates that the rate unit does not calculate.
// SPDX-License-Identifier: Apache-2.0
//
// A copy of the floor and ceiling tables, written together with the tables, swept together with the slots at power-up.
module dc_limits #(
  parameter int unsigned Secded = 0,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic        clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic        sweep_i,        // the sweep sets all rate limits to "no limit"
  input  logic [5:0]  index_i,
  input  logic        write_i,
  input  logic [2:0]  write_table_i,
  input  logic [8:0]  write_index_i,
  input  logic [31:0] write_word_i,
  input  logic [31:0] r_min_i,
  input  logic [31:0] r_max_i,
  input  logic [5:0]  dscp_i,
  input  logic        dscp_valid_i,
  output logic [31:0] lo_o,           // rate limits of the DSCP, valid three cycles after dscp_i
  output logic [31:0] hi_o,
  output logic [ReportW-1:0] report_o // report on the limits of dscp_i two cycles ago (ram_guarded.sv)
);
  logic [31:0] floor_word, ceiling_word, lo_q, cap_q;
  logic        write_floor, write_ceiling;
  logic [5:0]  waddr;

  assign write_floor   = write_i && write_table_i == rate_lut_pkg::TableFloor &&
                         write_index_i[8:6] == '0;
  assign write_ceiling = write_i && write_table_i == rate_lut_pkg::TableCeiling &&
                         write_index_i[8:6] == '0;
  logic                 read_q;
  logic [2*ReportW-1:0] reports;
  always_ff @(posedge clk_i) read_q <= dscp_valid_i;
  ram_reports #(.ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(report_o));

  assign waddr         = sweep_i ? index_i : write_index_i[5:0];

  ram_guarded #(.Depth(64), .Width(32), .Secded(Secded), .Number(8)) u_floor (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (1'b1),
    .raddr_i(dscp_i),
    .rdata_o(floor_word),
    .wen_i  (sweep_i || write_floor),
    .waddr_i(waddr),
    .wdata_i(sweep_i ? '0 : write_word_i),
    .use_i  (read_q),
    .report_o(reports[0 +: ReportW])
  );
  ram_guarded #(.Depth(64), .Width(32), .Secded(Secded), .Number(9)) u_ceiling (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (1'b1),
    .raddr_i(dscp_i),
    .rdata_o(ceiling_word),
    .wen_i  (sweep_i || write_ceiling),
    .waddr_i(waddr),
    .wdata_i(sweep_i ? '1 : write_word_i),
    .use_i  (read_q),
    .report_o(reports[ReportW +: ReportW])
  );

  always_ff @(posedge clk_i) begin
    lo_q  <= (r_min_i > floor_word) ? r_min_i : floor_word;
    cap_q <= (r_max_i < ceiling_word) ? r_max_i : ceiling_word;
    lo_o  <= lo_q;
    hi_o  <= (lo_q > cap_q) ? lo_q : cap_q;
  end
endmodule
