// The timing wheel for the test bench and the platform: its pins, and faults that can be injected at these pins.
module timing_wheel_dut #(
  parameter int unsigned NumTimers = 1024
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  fault_i,  // injected fault, as WheelFault of timing_wheel_dut.h
  input  logic        clear_i,
  output logic        init_done_o,
  input  logic        tick_i,
  input  logic        cmd_valid_i,
  output logic        cmd_ready_o,
  input  logic [1:0]  cmd_op_i,
  input  logic [15:0] cmd_slot_i,
  input  logic [15:0] cmd_delay_i,
  output logic        cmd_done_o,
  output logic        cmd_hit_o,
  output logic [16:0] cmd_due_o,
  output logic        expire_valid_o,
  input  logic        expire_ready_i,
  output logic [15:0] expire_slot_o,
  output logic [31:0] expire_due_o,
  output logic [31:0] now_o,
  output logic [31:0] lag_o,
  output logic        overrun_o,
  input  logic        overrun_clear_i,
  output logic        idle_o,
  output logic        next_due_valid_o,
  output logic [31:0] next_due_o,
  input  logic        advance_i,
  input  logic [31:0] advance_to_i,
  output logic        busy_o,
  output logic        move_o
);
  localparam int unsigned SlotW = $clog2(NumTimers);

  logic [7:0]       starts_q, cancels_q, expiries_q;
  logic             spoil_delay, spoil_cancel, spoil_expiry;
  logic [1:0]       op;
  logic [15:0]      delay;
  logic             valid;
  logic [SlotW-1:0] slot;

  assign spoil_delay  = fault_i == 2'd1 && starts_q[5:0] == '1;
  assign spoil_cancel = fault_i == 2'd2 && cancels_q[3:0] == '1;
  assign spoil_expiry = fault_i == 2'd3 && expiries_q == '1;

  assign delay = cmd_delay_i ^ (spoil_delay ? 16'h0040 : 16'h0000);
  assign op = (spoil_cancel && cmd_op_i == timing_wheel_pkg::CmdCancel) ? timing_wheel_pkg::CmdRead
                                                                       : cmd_op_i;
  assign expire_valid_o = valid && !spoil_expiry;
  assign expire_slot_o  = 16'(slot);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      starts_q   <= '0;
      cancels_q  <= '0;
      expiries_q <= '0;
    end else begin
      if (cmd_valid_i && cmd_ready_o) begin
        if (cmd_op_i == timing_wheel_pkg::CmdStart) starts_q <= starts_q + 1'b1;
        if (cmd_op_i == timing_wheel_pkg::CmdCancel) cancels_q <= cancels_q + 1'b1;
      end
      if (valid && (expire_ready_i || spoil_expiry)) expiries_q <= expiries_q + 1'b1;
    end
  end

  logic error;
`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!error) else $error("a memory lost a bit, and nobody flipped one");
  end
`endif
  timing_wheel #(.NumTimers(NumTimers)) u_wheel (
    .clk_i           (clk_i),
    .ram_pins_i('0),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .init_done_o     (init_done_o),
    .tick_i          (tick_i),
    .cmd_valid_i     (cmd_valid_i),
    .cmd_ready_o     (cmd_ready_o),
    .cmd_op_i        (op),
    .cmd_slot_i      (cmd_slot_i[SlotW-1:0]),
    .cmd_delay_i     (delay),
    .cmd_done_o      (cmd_done_o),
    .cmd_hit_o       (cmd_hit_o),
    .cmd_due_o       (cmd_due_o),
    .expire_valid_o  (valid),
    .expire_ready_i  (expire_ready_i || spoil_expiry),
    .expire_slot_o   (slot),
    .expire_due_o    (expire_due_o),
    .now_o           (now_o),
    .lag_o           (lag_o),
    .overrun_o       (overrun_o),
    .overrun_clear_i (overrun_clear_i),
    .idle_o          (idle_o),
    .next_due_valid_o(next_due_valid_o),
    .next_due_o      (next_due_o),
    .advance_i       (advance_i),
    .advance_to_i    (advance_to_i),
    .busy_o          (busy_o),
    .move_o          (move_o),
    .error_o         (error)
  );

  logic unused_slot_bits;
  assign unused_slot_bits = ^cmd_slot_i[15:SlotW];
endmodule
