// Recovery from an uncorrectable word: this module rebuilds all state of the manager except the slots from the slots.
// SPDX-License-Identifier: Apache-2.0
//
// A fault stops the manager before the event that used the wrong word is written back, so the fault leaves the
// parameter store intact. When the pipeline is empty, the flow table is swept, the timing wheel and the list of free
// slots are emptied, and the slots are read one by one: a bound slot gets its flow and timer again, an unbound slot
// becomes free. A slot whose own word is wrong becomes free, and its flow is lost. Then the manager resumes. After a
// wrong word in a table, which belongs to no slot, the rebuild waits until software has written a table word.
module dc_rebuild #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned FlowW = 14,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,        // soft reset, which replaces the rebuild
  input  logic             fault_i,
  input  logic             quiet_i,        // the pipeline holds no event
  input  logic             access_i,       // software accesses the controller
  input  logic             wrong_table_i,  // a word used from a rate table was wrong
  input  logic             table_write_i,
  output logic             start_o,        // one-cycle pulse: clears the fault and begins the sweep
  input  logic             swept_i,
  output logic             busy_o,         // rebuild after a wrong word is under way, from the cycle after start_o
  // walk over the slots, three cycles for each slot
  output logic             read_o,
  output logic [SlotW-1:0] slot_o,
  input  logic             wrong_i,        // the word read from the slot is wrong
  input  logic             bound_i,
  input  logic [FlowW-1:0] flow_i,         // flow number in the slot's own word
  input  logic [FlowW-1:0] name_i,         // the slot's flow according to the flow table
  output logic             write_o,        // the slot's words are written again; either bind_o or give_o is 1 as well
  output logic             bind_o,
  output logic             give_o,
  output logic             erase_o,        // valid with write_o: the slot's word is written as zeros
  output logic [FlowW-1:0] flow_o,
  // result of the rebuild: lost flows
  input  logic [14:0]      pending_i,      // number of slots that were bound before the fault
  output logic [14:0]      lost_o,         // one-cycle value: number of flows that the rebuild lost
  output logic             told_o,  // one cycle: flow_o is the only lost flow; the scheduler is told its maximum rate
  output logic [15:0]      flows_o,        // lost flows since the reset by pin, saturated
  output logic [15:0]      rebuilds_o
);
  typedef enum logic [1:0] {Idle, Sweep, Walk, Result} state_t;
  state_t           state_q;
  logic             start_q;
  logic             table_q;  // a word of a table is wrong until software writes one
  logic [1:0]       phase_q;
  logic [SlotW-1:0] slot_q;
  logic [14:0]      bound_q, wrong_q;  // number of bound slots; number of wrong slots
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
      // An access that begins in the cycle of start_o waits for the end of the rebuild.
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

  // Registers that are always written before they are read, so without a reset.
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
  // Every bound slot has one pending timer event, so the rebuild loses flows only through wrong words.
  always_ff @(posedge clk_i) begin
    if (rst_ni && state_q == Result) begin
      assert (pending_i - bound_q <= wrong_q) else $error("more flows are lost than words were wrong");
    end
  end
`endif
endmodule
