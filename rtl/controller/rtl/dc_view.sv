// Reads of the slots window by software: a word of a slot, two cycles after the request.
// SPDX-License-Identifier: Apache-2.0
module dc_view #(
  parameter int unsigned FlowW = 14
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             view_i,   // software's read request, held until ready_o
  input  logic [2:0]       word_i,
  output logic             ready_o,
  output logic [31:0]      rdata_o,
  // the requested slot and its contents
  input  logic [FlowW-1:0] flow_i,
  input  dcc_controller_pkg::slot_t slot_i
);
  logic [1:0] view_q;  // number of cycles since the read request
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) view_q <= '0;
    else view_q <= (!view_i || ready_o) ? '0 : view_q + 1'b1;
  end
  assign ready_o = view_q == 2'd2;

  always_comb begin
    rdata_o = '0;
    unique case (word_i)
      3'(dcc_regs_pkg::SlotsFlowWord): begin
        if (slot_i.bound) begin
          rdata_o = 32'(flow_i);
          rdata_o[dcc_regs_pkg::SlotsFlowValidLsb] = 1'b1;
        end
      end
      3'(dcc_regs_pkg::SlotsRateWord):   rdata_o = slot_i.rc;
      3'(dcc_regs_pkg::SlotsTargetWord): rdata_o = slot_i.rt;
      3'(dcc_regs_pkg::SlotsAlphaWord):  rdata_o = 32'(slot_i.alpha);
      3'(dcc_regs_pkg::SlotsCountsWord): rdata_o = 32'({slot_i.dscp, slot_i.bc, slot_i.t});
      3'(dcc_regs_pkg::SlotsLengthWord): rdata_o = slot_i.length;
      3'(dcc_regs_pkg::SlotsLatestWord): rdata_o = slot_i.latest;
      default: begin
        if (slot_i.bound) begin
          rdata_o = 32'(slot_i.due);
          rdata_o[dcc_regs_pkg::SlotsDuePendingLsb] = 1'b1;
        end
      end
    endcase
  end
endmodule
