// Counters of the register map, updated in the last cycle of each event.
// SPDX-License-Identifier: Apache-2.0
module dc_statistics (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        valid_i,
  input  dcc_controller_pkg::plan_t plan_i,
  input  logic        held_i,
  input  logic        released_i,
  input  logic        answer_i,
  input  logic        cnp_lost_i,
  input  logic [1:0]  dropped_i,    // number of inputs in this cycle that came before READY
  input  logic [14:0] lost_i,       // flows that a rebuild lost; told_i: the scheduler was told a rate for one of them
  input  logic        told_i,
  output logic        table_full_o,
  output logic [63:0] cnps_received_o,
  output logic [63:0] cnps_dropped_no_slot_o,
  output logic [63:0] cnps_coalesced_o,
  output logic [63:0] byte_notifications_o,
  output logic [63:0] byte_notifications_unmatched_o,
  output logic [63:0] rate_decreases_o,
  output logic [63:0] rate_increases_o,
  output logic [63:0] rate_updates_o,
  output logic [63:0] timer_events_o,
  output logic [63:0] events_started_o,
  output logic [63:0] events_cancelled_o,
  output logic [63:0] slots_bound_o,
  output logic [63:0] slots_released_o,
  output logic [63:0] missed_latency_o,
  output logic [63:0] cnps_lost_o,
  output logic [63:0] inputs_dropped_o,
  output logic [31:0] lateness_max_o,
  output logic [14:0] pending_o
);
  logic cnp, bytes, timer, missed, given_up, started, cancelled;
  assign cnp          = valid_i && plan_i.kind == dcc_controller_pkg::KindCnp;
  assign bytes        = valid_i && plan_i.kind == dcc_controller_pkg::KindBytes;
  assign timer        = valid_i && plan_i.live;
  assign missed       = timer && plan_i.late;
  assign table_full_o = cnp && !plan_i.hit && !plan_i.first && !plan_i.clear;
  assign given_up     = valid_i && plan_i.kind == dcc_controller_pkg::KindCommand && plan_i.write;
  assign started      = cnp ? plan_i.first || plan_i.restart : timer && !released_i;
  assign cancelled    = (cnp && plan_i.restart) || given_up;

  // The carry of the lower half only selects between two upper halves, which are calculated at the same time.
  function automatic logic [63:0] plus(input logic [63:0] count, input logic [16:0] amount);
    logic [32:0] low;
    low  = {1'b0, count[31:0]} + 33'(amount);
    plus = {low[32] ? count[63:32] + 32'd1 : count[63:32], low[31:0]};
  endfunction

  logic [63:0] pending;
  assign pending   = events_started_o - events_cancelled_o - timer_events_o;
  assign pending_o = pending[14:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cnps_received_o                <= '0;
      cnps_dropped_no_slot_o         <= '0;
      cnps_coalesced_o               <= '0;
      byte_notifications_o           <= '0;
      byte_notifications_unmatched_o <= '0;
      rate_decreases_o               <= '0;
      rate_increases_o               <= '0;
      rate_updates_o                 <= '0;
      timer_events_o                 <= '0;
      events_started_o               <= '0;
      events_cancelled_o             <= '0;
      slots_bound_o                  <= '0;
      slots_released_o               <= '0;
      missed_latency_o               <= '0;
      cnps_lost_o                    <= '0;
      inputs_dropped_o               <= '0;
      lateness_max_o                 <= '0;
    end else if (clear_i) begin
      cnps_received_o                <= '0;
      cnps_dropped_no_slot_o         <= '0;
      cnps_coalesced_o               <= '0;
      byte_notifications_o           <= '0;
      byte_notifications_unmatched_o <= '0;
      rate_decreases_o               <= '0;
      rate_increases_o               <= '0;
      rate_updates_o                 <= '0;
      timer_events_o                 <= '0;
      events_started_o               <= '0;
      events_cancelled_o             <= '0;
      slots_bound_o                  <= '0;
      slots_released_o               <= '0;
      missed_latency_o               <= '0;
      cnps_lost_o                    <= '0;
      inputs_dropped_o               <= 64'(dropped_i);
      lateness_max_o                 <= '0;
    end else if (valid_i || cnp_lost_i || dropped_i != '0 || lost_i != '0) begin
      cnps_received_o        <= plus(cnps_received_o, cnp ? 17'(plan_i.packets) : '0);
      cnps_dropped_no_slot_o <= plus(cnps_dropped_no_slot_o, table_full_o ? 17'(plan_i.packets) : '0);
      // Joined CNPs count as one event here.
      if (cnp && !table_full_o) begin
        cnps_coalesced_o     <= plus(cnps_coalesced_o, 17'(plan_i.packets) - 17'(!plan_i.coalesced));
      end
      byte_notifications_o   <= plus(byte_notifications_o, bytes ? 17'(plan_i.packets) : '0);
      byte_notifications_unmatched_o <= plus(byte_notifications_unmatched_o,
                                             (bytes && !plan_i.hit) ? 17'(plan_i.packets) : '0);
      rate_decreases_o   <= plus(rate_decreases_o, 17'(valid_i && plan_i.cut) + 17'(valid_i && held_i));
      rate_increases_o   <= plus(rate_increases_o, 17'(valid_i && plan_i.increase));
      rate_updates_o     <= plus(rate_updates_o, 17'((valid_i && answer_i && !plan_i.query) || told_i));
      timer_events_o     <= plus(timer_events_o, 17'(timer));
      events_started_o   <= plus(events_started_o, 17'(started));
      events_cancelled_o <= plus(events_cancelled_o, 17'(cancelled) + 17'(lost_i));
      slots_bound_o      <= plus(slots_bound_o, 17'(cnp && plan_i.first));
      slots_released_o   <= plus(slots_released_o, 17'(given_up || (valid_i && released_i)) + 17'(lost_i));
      missed_latency_o   <= plus(missed_latency_o, 17'(missed));
      // cnp_lost_i comes late in the cycle, so it selects between two precomputed sums.
      cnps_lost_o        <= cnp_lost_i ? plus(cnps_lost_o, 17'd1) : cnps_lost_o;
      inputs_dropped_o   <= plus(inputs_dropped_o, 17'(dropped_i));
      if (missed && 32'(plan_i.lateness) > lateness_max_o) lateness_max_o <= 32'(plan_i.lateness);
    end
  end
endmodule
