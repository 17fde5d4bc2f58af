// APB: writes, and accesses to tables and slots, wait until every event is written back.
// SPDX-License-Identifier: Apache-2.0
//
// The register block sees such an access begin when the pipeline is quiet. No event is issued from the cycle
// in which the requester begins the access until two cycles after the access has begun at the block: then a write
// is done, and a read has its word. Other accesses pass without a wait state.
module dc_apb_gate (
  input  logic        clk_i,
  input  logic        rst_ni,
  // requester
  input  logic        psel_i,
  input  logic        penable_i,
  input  logic        pwrite_i,
  input  logic [19:0] paddr_i,
  output logic        pready_o,
  // register block
  output logic        psel_o,
  output logic        penable_o,
  input  logic        pready_i,
  // pipeline
  input  logic        quiet_i,
  output logic        hold_o     // no event is issued
);
  logic statistics, waits, begun_q, passed_q, begin_now;

  assign statistics = paddr_i[19:12] == 8'(dcc_regs_pkg::StatMissedLatencyLoOffset >> 12);
  assign waits      = pwrite_i || (paddr_i[19:12] != '0 && !statistics);
  assign begin_now  = psel_i && !begun_q && (!waits || quiet_i);
  assign psel_o     = begin_now || (psel_i && begun_q);
  assign penable_o  = begun_q && penable_i;
  assign pready_o   = begun_q && pready_i;
  assign hold_o     = psel_i && waits && !passed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q  <= 1'b0;
      passed_q <= 1'b0;
    end else begin
      if (begin_now) begun_q <= 1'b1;
      else if (!psel_i || (penable_i && pready_i)) begun_q <= 1'b0;
      passed_q <= begun_q && psel_i && !(penable_i && pready_i);
    end
  end
endmodule
