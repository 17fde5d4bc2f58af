// APB gate: writes, and accesses to tables and slots, wait until every issued event is written back.
// SPDX-License-Identifier: Apache-2.0
//
// The register block sees such an access begin when the pipeline is quiet. The arbiter issues no event from the cycle
// in which the requester begins the access until two cycles after the access has begun at the register block: then a
// write has taken effect, and a read has its word. Accesses to other registers pass without a wait state.
//
// The requester sees the end of a waiting access at least one cycle after the register block, and Recovery cycles
// after it if the pipeline was not quiet at the begin. So back-to-back accesses leave the pipeline most of its cycles.
module dc_apb_gate #(
  parameter int unsigned Recovery = dcc_controller_pkg::Recovery
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // APB signals from the requester
  input  logic        psel_i,
  input  logic        penable_i,
  input  logic        pwrite_i,
  input  logic [19:0] paddr_i,
  output logic        pready_o,
  output logic [31:0] prdata_o,
  output logic        pslverr_o,
  // APB signals to the register block
  output logic        psel_o,
  output logic        penable_o,
  input  logic        pready_i,
  input  logic [31:0] prdata_i,
  input  logic        pslverr_i,
  // state of the event pipeline
  input  logic        quiet_i,
  output logic        hold_o     // 1: the arbiter must not issue an event
);
  localparam int unsigned CountW = $clog2(Recovery + 1);

  logic              statistics, waits, begun_q, passed_q, done_q, over, begin_now, late;
  logic              late_q, error_q;
  logic [CountW-1:0] left_q;
  logic [31:0]       rdata_q;

  assign statistics = paddr_i[19:12] == 8'(dcc_regs_pkg::StatMissedLatencyLoOffset >> 12);
  assign waits      = pwrite_i || (paddr_i[19:12] != '0 && !statistics);
  assign begin_now  = psel_i && !begun_q && !done_q && (!waits || quiet_i);
  assign psel_o     = begin_now || (psel_i && begun_q);
  assign penable_o  = begun_q && penable_i;
  assign over       = begun_q && penable_i && pready_i;
  assign pready_o   = waits ? done_q && left_q == '0 : begun_q && pready_i;
  assign prdata_o   = waits ? rdata_q : prdata_i;
  assign pslverr_o  = waits ? pready_o && error_q : pslverr_i;
  assign hold_o     = psel_i && waits && !passed_q;
  assign late       = penable_i ? late_q : !quiet_i;  // the pipeline was not quiet when the access began

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q  <= 1'b0;
      passed_q <= 1'b0;
      done_q   <= 1'b0;
      late_q   <= 1'b0;
      left_q   <= '0;
    end else begin
      if (begin_now) begun_q <= 1'b1;
      else if (!psel_i || over) begun_q <= 1'b0;
      done_q   <= psel_i && waits && (over || (done_q && !pready_o));
      passed_q <= psel_i && (begun_q || passed_q) && !(penable_i && pready_o);
      late_q   <= psel_i && late;
      if (begin_now) left_q <= late ? CountW'(Recovery) : '0;
      else if (left_q != '0) left_q <= left_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (over) begin
      rdata_q <= prdata_i;
      error_q <= pslverr_i;
    end
  end
endmodule
