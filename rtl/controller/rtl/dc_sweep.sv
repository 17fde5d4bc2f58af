// Readiness of the controller. After power-up a sweep clears every entry of the flow table (or of the hash table),
// while the rate unit sweeps its tables. After a soft reset the sweep covers every slot. A fault may corrupt the flow
// table, so the sweep of a soft reset after a fault is the one of power-up.
// SPDX-License-Identifier: Apache-2.0
module dc_sweep #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned FlowW = 14,
  parameter int unsigned SparseFlows = 0,
  localparam int unsigned Least  = 128,  // Least + ResetSlack cycles cover the rate unit's sweep
  localparam int unsigned Hashed = (Slots > Least) ? Slots : Least,
  localparam int unsigned Hard   = (SparseFlows != 0) ? Hashed : 1 << FlowW,
  localparam int unsigned IndexW = $clog2(Hard) + 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             soft_reset_i,  // soft reset, active for one cycle
  input  logic             fault_i,
  output logic             ready_o,       // low in the cycle of soft_reset_i and while memories are swept
  output logic             started_o,     // READY has been 1 since power-up, so time advances
  output logic             sweep_o,
  output logic             power_up_o,    // valid with sweep_o: the memories' contents are unknown
  output logic [FlowW-1:0] index_o,
  output logic             in_range_o     // valid with sweep_o: index_o is a slot, or at power-up a flow
);
  localparam logic [IndexW-1:0] Flows    = IndexW'(Hard);
  localparam logic [IndexW-1:0] Slack    = IndexW'(dcc_controller_pkg::ResetSlack);
  localparam logic [IndexW-1:0] LastHard = Flows + Slack - 1'b1;
  localparam logic [IndexW-1:0] LastSoft = IndexW'(Slots) + Slack - IndexW'(2);  // the cycle of soft_reset_i counts

  logic              busy_q, power_up_q, started_q;
  logic [IndexW-1:0] index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b1;
      power_up_q <= 1'b1;
      started_q  <= 1'b0;
      index_q    <= '0;
    end else if (soft_reset_i) begin
      busy_q     <= 1'b1;
      power_up_q <= power_up_q || fault_i;
      index_q    <= '0;
    end else if (busy_q) begin
      index_q <= index_q + 1'b1;
      if (index_q == (power_up_q ? LastHard : LastSoft)) begin
        busy_q     <= 1'b0;
        power_up_q <= 1'b0;
        started_q  <= 1'b1;
      end
    end
  end

  assign ready_o    = !busy_q && !soft_reset_i;
  assign started_o  = started_q;
  assign sweep_o    = busy_q;
  assign power_up_o = power_up_q;
  assign index_o    = FlowW'(index_q);
  assign in_range_o = index_q < (power_up_q ? Flows : IndexW'(Slots));
endmodule
