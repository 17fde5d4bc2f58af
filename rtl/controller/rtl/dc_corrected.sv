// Log of words that memories corrected: their number, and the place of the last corrected or first wrong word.
// SPDX-License-Identifier: Apache-2.0
module dc_corrected #(
  parameter int unsigned ReportW = 1  // width of a report: 31, or 1 if no memory corrects; both outputs are then 0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,   // soft reset clears the logged place
  input  logic               resume_i,  // rebuild begins: the place of the next wrong word replaces the stored place
  input  logic [ReportW-1:0] report_i,  // report on the words used in the previous cycle (ram_guarded.sv)
  output logic [15:0]        count_o,   // cycles in which corrected words were used since power-up reset, saturated
  output logic [30:0]        word_o     // report on the logged word; 0: no report since the soft reset
);
  if (ReportW == 1) begin : g_none
    assign count_o = '0;
    assign word_o  = '0;

    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, clear_i, resume_i, report_i};
  end else begin : g_log
    logic               clear_q;  // 1 in the cycle after a soft reset, when reports still concern earlier words
    logic               old_q;    // the logged word was used before the last rebuild (dc_rebuild.sv)
    logic               resume_q; // 1 in the cycle after resume_i, when reports still concern earlier words
    logic [15:0]        count_q;
    logic [ReportW-1:0] word_q;
    assign count_o = count_q;
    assign word_o  = word_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        clear_q <= 1'b0;
        old_q   <= 1'b0;
        resume_q <= 1'b0;
        count_q <= '0;
        word_q  <= '0;
      end else begin
        clear_q <= clear_i;
        if (clear_i || clear_q) word_q <= '0;
        else if (report_i[1:0] != '0 && (!word_q[0] || (old_q && report_i[0]))) word_q <= report_i;
        resume_q <= resume_i;
        if (resume_i || resume_q) old_q <= 1'b1;
        else if (clear_i || report_i[0]) old_q <= 1'b0;
        if (report_i[1] && count_q != '1) count_q <= count_q + 1'b1;
      end
    end
  end
endmodule
