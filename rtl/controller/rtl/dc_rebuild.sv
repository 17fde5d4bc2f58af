// Recovery from a word that cannot be corrected: everything but the slots is made anew from the slots.
// SPDX-License-Identifier: Apache-2.0
//
// A fault stops the manager before the event that used the wrong word is written back, so the parameter store is as
// right as its words are. When the pipeline is empty, the table of flows is swept, the wheel and the list of free slots
// are emptied, and one slot after the other is read: a bound slot gets its flow and its timer again, another one is
// free. A slot whose own word is wrong is freed, and its flow is lost. Then the manager goes on. A wrong word of a
// table is no slot's, so recovery waits until software has written a word of a table.
module dc_rebuild #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned FlowW = 14,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,        // soft reset, which repairs more
  input  logic             fault_i,
  input  logic             quiet_i,        // no event is in the pipeline
  input  logic             access_i,       // software reads or writes
  input  logic             wrong_table_i,  // a word of a table was wrong
  input  logic             table_write_i,
  output logic             start_o,        // one cycle: clears the fault, begins the sweep
  input  logic             swept_i,
  output logic             busy_o,         // from the cycle after start_o
  // the slots, one in three cycles
  output logic             read_o,
  output logic [SlotW-1:0] slot_o,
  input  logic             wrong_i,        // the slot's word is wrong
  input  logic             bound_i,
  input  logic [FlowW-1:0] flow_i,         // flow of the slot by its word
  input  logic [FlowW-1:0] name_i,         // flow of the slot by the table of flows
  output logic             write_o,        // the slot's words are written again, and one of the next two happens
  output logic             bind_o,
  output logic             give_o,
  output logic             erase_o,        // … with the slot's word as zeros
  output logic [FlowW-1:0] flow_o,
  // result
  input  logic [14:0]      pending_i,      // slots that were bound
  output logic [14:0]      lost_o,         // one cycle: number of flows that are lost
  output logic             told_o,         // one cycle: flow_o is the only one, and is told the maximum rate
  output logic [15:0]      flows_o,        // flows lost, and recoveries, since the reset by pin, saturated
  output logic [15:0]      rebuilds_o
);
  typedef enum logic [1:0] {Idle, Sweep, Walk, Result} state_t;
  state_t           state_q;
  logic             start_q;
  logic             table_q;  // a word of a table is wrong until software writes one
  logic [1:0]       phase_q;
  logic [SlotW-1:0] slot_q;
  logic [14:0]      bound_q, wrong_q;  // numbers of slots
  logic [FlowW-1:0] lost_flow_q;
  logic [15:0]      flows_q, rebuilds_q;
  logic [16:0]      flows_d;

  assign start_o    = start_q;
  assign busy_o     = state_q != Idle;
  assign read_o     = state_q == Walk && phase_q != 2'd2;
  assign slot_o     = slot_q;
  assign write_o    = state_q == Walk && phase_q == 2'd2;
  assign bind_o     = write_o && bound_i && !wrong_i;
  assign give_o     = write_o && !(bound_i && !wrong_i);
  assign erase_o    = wrong_i;
  assign lost_o     = (state_q == Result && wrong_q != '0) ? pending_i - bound_q : '0;
  assign told_o     = lost_o == 15'd1 && wrong_q == 15'd1;
  assign flow_o     = (state_q == Result) ? lost_flow_q : wrong_i ? name_i : flow_i;
  assign flows_o    = flows_q;
  assign rebuilds_o = rebuilds_q;
  assign flows_d    = {1'b0, flows_q} + 17'(lost_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      start_q    <= 1'b0;
      table_q    <= 1'b0;
      flows_q    <= '0;
      rebuilds_q <= '0;
    end else begin
      // An access that begins in the cycle of start_o waits for the end of recovery.
      start_q <= state_q == Idle && fault_i && quiet_i && !access_i && !table_q && !wrong_table_i && !clear_i &&
                 !start_q;
      if (clear_i || table_write_i) table_q <= 1'b0;
      else if (wrong_table_i) table_q <= 1'b1;
      if (clear_i) begin
        state_q <= Idle;
      end else begin
        unique case (state_q)
          Idle:    if (start_o) state_q <= Sweep;
          Sweep:   if (swept_i) state_q <= Walk;
          Walk:    if (write_o && slot_o == SlotW'(Slots - 1)) state_q <= Result;
          default: state_q <= Idle;
        endcase
      end
      if (start_o && rebuilds_q != '1) rebuilds_q <= rebuilds_q + 1'b1;
      flows_q <= flows_d[16] ? '1 : flows_d[15:0];
    end
  end

  // These registers are written before they are read, so they need no reset.
  always_ff @(posedge clk_i) begin
    if (start_o) begin
      phase_q <= '0;
      slot_q  <= '0;
      bound_q <= '0;
      wrong_q <= '0;
    end else if (state_q == Walk) begin
      phase_q <= write_o ? 2'd0 : phase_q + 2'd1;
      if (write_o) begin
        slot_q  <= slot_q + 1'b1;
        bound_q <= bound_q + 15'(bind_o);
        wrong_q <= wrong_q + 15'(wrong_i);
        if (wrong_i) lost_flow_q <= name_i;
      end
    end
  end

`ifndef SYNTHESIS
  // The events that wait are those of the bound slots, so flows are lost with wrong words alone.
  always_ff @(posedge clk_i) begin
    if (rst_ni && state_q == Result) begin
      assert (pending_i - bound_q <= wrong_q) else $error("more flows are lost than words were wrong");
    end
  end
`endif
endmodule
