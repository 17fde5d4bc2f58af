// The timing wheel as a source of events: queues starts of timers, and offers expiries at a limited pace.
// SPDX-License-Identifier: Apache-2.0
//
// The wheel holds one event for each slot that is not free, so the queue of first starts never
// overflows. Starts that follow a timer event come OfferPace apart and have priority, so they reach
// the wheel within a few cycles. The wheel gets no other command: restarts are lazy
// (docs/controller-contract.md, "Timers").
module dc_timers #(
  parameter int unsigned Slots      = 1024,
  parameter int unsigned FlowW      = 14,
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned LastBits   = 6,
  parameter int unsigned Secded     = 0,  // 1: the memories have an error-correcting code (ram_guarded.sv)
  localparam int unsigned SlotW   = $clog2(Slots),
  localparam int unsigned DueW    = TopBits + MiddleBits + LastBits + 1,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             clear_i,
  output logic             init_done_o,
  input  logic             run_i,         // time of the controller advances
  input  logic [15:0]      tick_div_i,
  input  logic             wait_i,        // first starts wait while the rebuild binds slots anew (dc_rebuild.sv)
  // starts of timers, from the write-back of events
  input  logic             start_i,
  input  logic             start_first_i, // the start is the first start of its slot
  input  logic [SlotW-1:0] start_slot_i,
  input  logic [DueW-1:0]  start_due_i,
  // look-up of a slot's flow, answered in the next cycle
  output logic             name_o,
  output logic [SlotW-1:0] name_slot_o,
  input  logic [FlowW-1:0] name_flow_i,
  // timer event that is offered for issue
  output logic             valid_o,
  input  logic             take_i,        // the offered timer event is issued
  output logic [SlotW-1:0] slot_o,
  output logic [FlowW-1:0] flow_o,
  output logic [DueW-1:0]  due_o,
  output logic             late_o,
  // time and state of the wheel
  output logic [31:0]      now_o,
  output logic [31:0]      lag_o,
  output logic             overrun_o,
  input  logic             overrun_clear_i,
  // start commands that wait in the queues
  output logic [ReportW-1:0] wrong_start_o, // report on start commands that wait
  output logic [ReportW-1:0] wrong_wheel_o
);
  // ---------------------------------------------------------------------------------------------
  // Ticks of TICK_DIV cycles; a change of TICK_DIV restarts the present tick
  // ---------------------------------------------------------------------------------------------
  logic [15:0] cycle_q, div_q;  // number of the cycle in the present tick; length of the tick
  logic        tick;
  assign tick = run_i && cycle_q >= div_q - 1'b1 && div_q == tick_div_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      div_q   <= 16'(dcc_regs_pkg::TickDivReset);
    end else begin
      div_q   <= tick_div_i;
      cycle_q <= (tick || !run_i || div_q != tick_div_i) ? '0 : cycle_q + 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The timing wheel, and the starts that wait for it
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned AgainDepth = 8;  // places for starts that follow timer events; at most two starts wait

  logic             first_valid, again_valid, cmd_ready, first_full, again_full, expire_valid;
  logic             wheel_done;
  logic [ReportW-1:0] wrong_first, wrong_again;
  logic [SlotW-1:0] first_slot, again_slot, expire_slot;
  logic [DueW-1:0]  first_due, again_due, unused_cmd_due;
  logic [31:0]      expire_due, unused_next_due;
  logic             unused_done, unused_hit, unused_idle, unused_next, unused_busy, unused_move;

  dc_fifo #(.Depth(Slots), .Width(SlotW + DueW), .Secded(Secded), .Number(19)) u_first (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni (rst_ni),
    .clear_i(clear_i),
    .push_i (start_i && start_first_i),
    .data_i ({start_slot_i, start_due_i}),
    .full_o (first_full),
    .valid_o(first_valid),
    .data_o ({first_slot, first_due}),
    .pop_i  (start_q && cmd_ready && !again_q),
    .error_o(wrong_first)
  );
  dc_fifo #(.Depth(AgainDepth), .Width(SlotW + DueW), .Secded(Secded), .Number(20)) u_again (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni (rst_ni),
    .clear_i(clear_i),
    .push_i (start_i && !start_first_i),
    .data_i ({start_slot_i, start_due_i}),
    .full_o (again_full),
    .valid_o(again_valid),
    .data_o ({again_slot, again_due}),
    .pop_i  (start_q && cmd_ready && again_q),
    .error_o(wrong_again)
  );
  ram_reports #(.ReportW(ReportW)) u_reports (.reports_i({wrong_again, wrong_first}), .report_o(wrong_start_o));

  // The wheel's next start command is the head of a queue; its delay is known a cycle later. The wheel counts a delay
  // from the tick in which it accepts the command; a queued start holds its due tick. So the delay is recalculated in
  // every cycle, from the next cycle's tick. A start whose due tick has begun is due in the next tick.
  logic             prepare, again, again_q, start_q;
  logic [DueW-1:0]  ahead;
  logic [DueW-2:0]  delay_q;
  assign prepare = !start_q && (again_valid || (first_valid && !wait_i));
  assign again   = start_q ? again_q : again_valid;
  assign ahead   = (again ? again_due : first_due) + ~now_o[DueW-1:0] + DueW'(!tick);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_q <= 1'b0;
    else start_q <= !clear_i && (prepare || (start_q && !cmd_ready));
  end
  always_ff @(posedge clk_i) begin
    if (prepare || start_q) begin
      again_q <= again;
      delay_q <= ahead[DueW-1] ? '0 : ahead[DueW-2:0];
    end
  end

  timing_wheel #(
    .NumTimers (Slots),
    .TopBits   (TopBits),
    .MiddleBits(MiddleBits),
    .LastBits  (LastBits),
    .Secded    (Secded),
    .Withdraw  (0)
  ) u_wheel (
    .clk_i           (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .init_done_o     (wheel_done),
    .tick_i          (tick),
    .cmd_valid_i     (start_q),
    .cmd_ready_o     (cmd_ready),
    .cmd_op_i        (timing_wheel_pkg::CmdStart),
    .cmd_slot_i      (again_q ? again_slot : first_slot),
    .cmd_delay_i     (delay_q),
    .cmd_done_o      (unused_done),
    .cmd_hit_o       (unused_hit),
    .cmd_due_o       (unused_cmd_due),
    .expire_valid_o  (expire_valid),
    .expire_ready_i  (take_i),
    .expire_slot_o   (expire_slot),
    .expire_due_o    (expire_due),
    .now_o           (now_o),
    .lag_o           (lag_o),
    .overrun_o       (overrun_o),
    .overrun_clear_i (overrun_clear_i),
    .idle_o          (unused_idle),
    .next_due_valid_o(unused_next),
    .next_due_o      (unused_next_due),
    .advance_i       (1'b0),
    .advance_to_i    ('0),
    .busy_o          (unused_busy),
    .move_o          (unused_move),
    .error_o         (wrong_wheel_o)
  );
  assign init_done_o = wheel_done;

  // ---------------------------------------------------------------------------------------------
  // An offer follows the wheel's expiry by two cycles, when the slot's flow is known, and not before its paced time
  // ---------------------------------------------------------------------------------------------
  logic             asked_q, known_q;
  logic [FlowW-1:0] flow_q;
  assign name_o      = expire_valid && !asked_q;
  assign name_slot_o = expire_slot;

  logic        paced, due_now, begun, first_q;
  logic [18:0] since_q;            // cycles since the previous timer event was taken
  logic [18:0] wait_for, wait_q;   // cycles between offers; wait_q is exact, as a known expiry has stood for a cycle
  logic [31:0] last_due_q, apart;

  assign due_now  = lag_o == '0;  // the event is due in the present tick
  assign begun    = !due_now || (cycle_q >= 16'(dcc_controller_pkg::FirstOffer) - 16'd1 &&
                                 div_q == tick_div_i);
  assign apart    = expire_due - last_due_q;
  assign wait_for = 19'(dcc_controller_pkg::OfferPace) +
                    19'(dcc_controller_pkg::StepPace) * ((apart[31:16] != '0) ? 19'hFFFF : 19'(apart[15:0]));
  assign paced    = first_q || since_q >= wait_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q    <= 1'b0;
      known_q    <= 1'b0;
      first_q    <= 1'b1;
      since_q    <= '0;
      wait_q     <= 19'(dcc_controller_pkg::OfferPace);
      last_due_q <= '0;
    end else begin
      asked_q <= expire_valid && !take_i && !clear_i;
      known_q <= asked_q && !take_i && !clear_i;
      wait_q  <= wait_for;
      if (take_i) begin
        since_q    <= 19'd1;
        last_due_q <= expire_due;
      end else if (since_q != '1) begin
        since_q <= since_q + 1'b1;
      end
      if (clear_i) first_q <= 1'b1;
      else if (take_i) first_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) if (asked_q && !known_q) flow_q <= name_flow_i;

  assign valid_o = expire_valid && known_q && begun && paced;
  assign slot_o  = expire_slot;
  assign flow_o  = flow_q;
  assign due_o   = expire_due[DueW-1:0];
  assign late_o  = !due_now || cycle_q >= 16'(dcc_controller_pkg::FirstOffer +
                                              dcc_controller_pkg::Distance);

`ifndef SYNTHESIS
  // The queues of start commands always have room.
  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i) assert (!(start_first_i ? first_full : again_full)) else $error("a start was lost");
  end
`endif

  logic unused;
  assign unused = &{1'b0, unused_done, unused_hit, unused_cmd_due, unused_idle, unused_next,
                    unused_next_due, unused_busy, unused_move, first_full, again_full};
endmodule
