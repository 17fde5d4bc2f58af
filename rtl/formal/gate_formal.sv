// Properties of the gate between the APB requester and the register block, for abc's pdr: the gate keeps the protocol
// on both sides, and no event is issued during an access that waits. Requester and register block are arbitrary; the
// requester keeps the protocol.
//
// Properties from number 20 on are known to be false.
module gate_formal #(
  parameter int unsigned Property = 0
) (
  input  logic        clk_i,
  input  logic        sel_i,
  input  logic        write_i,
  input  logic [19:0] addr_i,
  input  logic        ready_i,
  input  logic [1:0]  rdata_i,
  input  logic        slverr_i,
  input  logic        quiet_i,
  output logic        bad_o
);
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));

  // APB requester: its signals stay stable until the access ends, and penable is 1 from the access's second cycle on.
  logic        busy_q, enable_q, write_q, psel, pwrite, pready, regs_sel, regs_enable, hold;
  logic [19:0] addr_q, paddr;
  logic [31:0] prdata;
  logic        pslverr;
  assign psel   = running && (busy_q || sel_i);
  assign pwrite = busy_q ? write_q : write_i;
  assign paddr  = busy_q ? addr_q : addr_i;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      busy_q   <= 1'b0;
      enable_q <= 1'b0;
    end else begin
      busy_q   <= psel && !(enable_q && pready);
      enable_q <= psel && !(enable_q && pready);
    end
  end
  always_ff @(posedge clk_i) begin
    write_q <= pwrite;
    addr_q  <= paddr;
  end

  dc_apb_gate u_gate (
    .clk_i    (clk_i),
    .rst_ni   (running),
    .psel_i   (psel),
    .penable_i(enable_q),
    .pwrite_i (pwrite),
    .paddr_i  (paddr),
    .pready_o (pready),
    .prdata_o (prdata),
    .pslverr_o(pslverr),
    .psel_o   (regs_sel),
    .penable_o(regs_enable),
    .pready_i (ready_i),
    .prdata_i (32'(rdata_i)),
    .pslverr_i(slverr_i),
    .quiet_i  (quiet_i),
    .hold_o   (hold)
  );

  logic regs_sel_q, regs_enable_q, regs_over_q, seen_quiet_q, waits, addressed_q;
  localparam int unsigned P = dcc_controller_pkg::Recovery;
  logic regs_setup_q, ended_q, late_q, error_q;
  logic [1:0] rdata_q;
  logic [6:0] free_q;  // number of cycles since the gate stopped blocking issues in this access
  assign waits = pwrite || (paddr[19:12] != '0 && paddr[19:12] != 8'h03);
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      regs_sel_q    <= 1'b0;
      regs_enable_q <= 1'b0;
      regs_over_q   <= 1'b0;
      regs_setup_q  <= 1'b0;
      seen_quiet_q  <= 1'b0;
      addressed_q   <= 1'b0;
      ended_q       <= 1'b0;
      late_q        <= 1'b0;
      free_q        <= '0;
      rdata_q       <= '0;
      error_q       <= 1'b0;
    end else begin
      regs_sel_q    <= regs_sel;
      regs_enable_q <= regs_enable;
      regs_over_q   <= regs_sel && regs_enable && ready_i;
      regs_setup_q  <= regs_sel && !regs_enable;
      seen_quiet_q  <= psel && !(enable_q && pready) && (seen_quiet_q || quiet_i);
      addressed_q   <= regs_sel && !(regs_enable && ready_i);
      ended_q       <= psel && !(enable_q && pready) && (ended_q || (regs_sel && regs_enable && ready_i));
      late_q        <= psel && (enable_q ? late_q : !quiet_i);
      free_q        <= (!psel || hold) ? '0 : free_q + 7'(free_q != '1);
      if (regs_sel && regs_enable && ready_i) begin
        rdata_q <= rdata_i;
        error_q <= slverr_i;
      end
    end
  end

  always_comb begin
    unique case (Property)
      // APB towards the register block: penable follows a cycle of psel, and psel stays 1 until the access ends.
      0: bad_o = running && ((regs_enable && !regs_sel) || (regs_enable && !addressed_q) ||
                               (addressed_q && !regs_sel) || (addressed_q && !regs_enable));
      // An access that must wait begins at the register block only after a quiet cycle or in one.
      1: bad_o = running && regs_sel && waits && !seen_quiet_q && !quiet_i;
      // The gate blocks issues from the first cycle of a waiting access until one cycle after it begins at the
      // register block.
      2: bad_o = running && psel && waits && !(addressed_q && regs_enable_q) && !ended_q && !hold;
      // Reads of registers and counters block no issue, and begin at once.
      3: bad_o = running && psel && !waits && (hold || !regs_sel);
      // A waiting access ends after the register block has ended it; any other access ends together with the block's
      // access. Every access ends once.
      4: bad_o = running && ((pready && !(waits ? ended_q : regs_sel && regs_enable && ready_i)) ||
                               (regs_sel && ended_q));
      // The gate blocks no issue without an access.
      5: bad_o = running && hold && !psel;
      // An access that began while the pipeline was not quiet leaves the pipeline at least Recovery - 1 edges before
      // it ends.
      6: bad_o = running && pready && waits && late_q && free_q < 7'(P - 1);
      // The gate returns the register block's read data and error.
      7: bad_o = running && pready && (prdata[1:0] != (waits ? rdata_q : rdata_i) ||
                                         pslverr != (waits ? error_q : slverr_i));
      // false_: the gate never blocks issues.
      20: bad_o = running && hold;
      // false_: every access ends in its second cycle.
      21: bad_o = running && enable_q && !pready;
      // false_: the gate blocks issues until the access ends.
      22: bad_o = running && psel && waits && !hold;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
