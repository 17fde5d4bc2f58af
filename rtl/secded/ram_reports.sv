// Merges the reports of several RAMs (ram_guarded.sv) in one cycle: a wrong word precedes a corrected one.
// SPDX-License-Identifier: Apache-2.0
//
// If reports have a single bit, the result is the OR of these bits.
module ram_reports #(
  parameter int unsigned Count   = 2,
  parameter int unsigned ReportW = 1
) (
  input  logic [Count*ReportW-1:0] reports_i,
  output logic [ReportW-1:0]       report_o
);
  always_comb begin
    report_o = '0;
    for (int unsigned i = 0; i < Count; i++) begin
      if (!report_o[0] && (reports_i[i*ReportW] || report_o == '0)) report_o = reports_i[i*ReportW +: ReportW];
    end
  end
endmodule
