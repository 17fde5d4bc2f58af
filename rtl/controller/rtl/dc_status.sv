// Registers of the congestion manager that software reads: state, counters, interrupt causes, memories with errors.
// SPDX-License-Identifier: Apache-2.0
module dc_status #(
  parameter int unsigned Slots   = 1024,
  parameter int unsigned ReportW = 1,  // bits of report_i; 1: no memory corrects errors
  localparam int unsigned SlotW    = $clog2(Slots),
  localparam int unsigned Memories = dcc_regs_pkg::MemoryErrorWheelLsb + 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,       // soft reset of the controller
  input  logic             resume_i,      // recovery from a memory fault begins
  input  logic             ready_i,
  input  logic             idle_i,
  input  logic             overrun_i,
  input  logic [SlotW:0]   free_i,
  input  logic [SlotW:0]   in_use_max_i,
  input  logic [31:0]      now_i,
  input  logic [31:0]      lag_i,
  // the event that is in its last pipeline cycle
  input  logic             valid_i,
  input  dcc_controller_pkg::plan_t plan_i,
  input  logic             held_i,
  input  logic             released_i,
  input  logic             answer_i,
  // inputs that the controller dropped
  input  logic             cnp_lost_i,
  input  logic [1:0]       dropped_i,
  // memory errors; bits in the order of the fields of MEMORY_ERROR
  input  logic [Memories-1:0] wrong_i,  // memories of which a word used in the previous cycle had wrong parity
  input  logic [Memories-1:0] forgiven_i, // memories whose wrong words do not stop the manager in this cycle
  input  logic [ReportW-1:0] report_i,    // report of the memories that correct bits (ram_guarded.sv)
  // results of a rebuild after a wrong memory word (dc_rebuild.sv)
  input  logic [14:0]      lost_i,
  input  logic             told_i,
  input  logic [15:0]      lost_flows_i,
  input  logic [15:0]      rebuilds_i,
  output logic [14:0]      pending_o,
  output logic             fault_o,       // a memory fault has stopped the manager
  output dcc_regs_pkg::dcc_hw2reg_t status_o
);
  logic [Memories-1:0] where;
  logic                raise_memory;
  logic [15:0]         errors;

  dc_fault #(.Memories(Memories)) u_fault (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .clear_i(clear_i),
    .resume_i(resume_i),
    .wrong_i(wrong_i),
    .forgiven_i(forgiven_i),
    .raise_o(raise_memory),
    .fault_o(fault_o),
    .where_o(where),
    .count_o(errors)
  );

  logic [15:0] corrected;
  logic [30:0] word;
  dc_corrected #(.ReportW(ReportW)) u_corrected (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .resume_i(resume_i),
    .report_i(report_i),
    .count_o (corrected),
    .word_o  (word)
  );

  logic overrun_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) overrun_q <= 1'b0;
    else overrun_q <= overrun_i;
  end

  logic        table_full;
  logic [63:0] cnps_received, cnps_dropped_no_slot, cnps_coalesced, byte_notifications;
  logic [63:0] byte_notifications_unmatched, rate_decreases, rate_increases, rate_updates;
  logic [63:0] timer_events, events_started, events_cancelled, slots_bound, slots_released;
  logic [63:0] missed_latency, cnps_lost, inputs_dropped;
  logic [31:0] lateness_max;
  logic [14:0] pending;
  assign pending_o = pending;

  dc_statistics u_statistics (
    .clk_i                         (clk_i),
    .rst_ni                        (rst_ni),
    .clear_i                       (clear_i),
    .valid_i                       (valid_i),
    .plan_i                        (plan_i),
    .held_i                        (held_i),
    .released_i                    (released_i),
    .answer_i                      (answer_i),
    .cnp_lost_i                    (cnp_lost_i),
    .dropped_i                     (dropped_i),
    .lost_i                        (lost_i),
    .told_i                        (told_i),
    .table_full_o                  (table_full),
    .cnps_received_o               (cnps_received),
    .cnps_dropped_no_slot_o        (cnps_dropped_no_slot),
    .cnps_coalesced_o              (cnps_coalesced),
    .byte_notifications_o          (byte_notifications),
    .byte_notifications_unmatched_o(byte_notifications_unmatched),
    .rate_decreases_o              (rate_decreases),
    .rate_increases_o              (rate_increases),
    .rate_updates_o                (rate_updates),
    .timer_events_o                (timer_events),
    .events_started_o              (events_started),
    .events_cancelled_o            (events_cancelled),
    .slots_bound_o                 (slots_bound),
    .slots_released_o              (slots_released),
    .missed_latency_o              (missed_latency),
    .cnps_lost_o                   (cnps_lost),
    .inputs_dropped_o              (inputs_dropped),
    .lateness_max_o                (lateness_max),
    .pending_o                     (pending)
  );

  always_comb begin
    status_o                       = '0;
    status_o.status_ready          = ready_i;
    status_o.status_idle           = idle_i;
    status_o.status_overrun        = overrun_i;
    status_o.status_fault          = fault_o;
    status_o.irq_status_table_full = table_full;
    status_o.irq_status_memory     = raise_memory;
    status_o.irq_status_overrun    = overrun_i && !overrun_q;
    status_o.free_slots            = 15'(free_i);
    status_o.time_value            = now_i;
    status_o.timer_lag             = (lag_i > 32'h0000_FFFF) ? 16'hFFFF : lag_i[15:0];
    status_o.timer_lateness_max    = lateness_max;
    status_o.events_pending        = pending;
    status_o.memory_error_flows     = where[dcc_regs_pkg::MemoryErrorFlowsLsb];
    status_o.memory_error_free_list = where[dcc_regs_pkg::MemoryErrorFreeListLsb];
    status_o.memory_error_slots     = where[dcc_regs_pkg::MemoryErrorSlotsLsb];
    status_o.memory_error_tables    = where[dcc_regs_pkg::MemoryErrorTablesLsb];
    status_o.memory_error_queues    = where[dcc_regs_pkg::MemoryErrorQueuesLsb];
    status_o.memory_error_delays    = where[dcc_regs_pkg::MemoryErrorDelaysLsb];
    status_o.memory_error_wheel     = where[dcc_regs_pkg::MemoryErrorWheelLsb];
    status_o.memory_errors         = errors;
    status_o.memory_corrected      = corrected;
    status_o.memory_word_index     = word[30:7];
    status_o.memory_word_memory    = word[6:2];
    status_o.memory_word_corrected = word[1];
    status_o.memory_word_wrong     = word[0];
    status_o.memory_lost_flows     = lost_flows_i;
    status_o.memory_lost_rebuilds  = rebuilds_i;
    status_o.stat_cnps_received                = cnps_received;
    status_o.stat_cnps_dropped_no_slot         = cnps_dropped_no_slot;
    status_o.stat_cnps_coalesced               = cnps_coalesced;
    status_o.stat_byte_notifications           = byte_notifications;
    status_o.stat_byte_notifications_unmatched = byte_notifications_unmatched;
    status_o.stat_rate_decreases               = rate_decreases;
    status_o.stat_rate_increases               = rate_increases;
    status_o.stat_rate_updates                 = rate_updates;
    status_o.stat_timer_events                 = timer_events;
    status_o.stat_events_started               = events_started;
    status_o.stat_events_cancelled             = events_cancelled;
    status_o.stat_slots_bound                  = slots_bound;
    status_o.stat_slots_released               = slots_released;
    status_o.stat_slots_in_use_max             = 64'(in_use_max_i);
    status_o.stat_missed_latency               = missed_latency;
    status_o.stat_cnps_lost                    = cnps_lost;
    status_o.stat_inputs_dropped               = inputs_dropped;
  end
endmodule
