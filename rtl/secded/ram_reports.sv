// The report of several RAMs (ram_guarded.sv) in one cycle: that of a wrong word before that of a corrected one.
// SPDX-License-Identifier: Apache-2.0
//
// With reports of one bit it is their OR.
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
